package workorders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// maxNamedTasks is how many tasks a refusal names.
const maxNamedTasks = 10

// rejectOpenTasks rejects the move to completed of a work order with required tasks that have no result, or with tasks that failed and
// nobody says what becomes of: follow_up of the task says it, or completion_notes that come with the move. Whoever completes it has seen
// what failed then. An override_reason passes both. The work orders are locked; a transaction that changes their tasks waits.
func rejectOpenTasks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	completing := map[string]*resource.Change[WorkOrder]{}
	var ids []string
	for _, c := range changes {
		if c.Before != nil && completed(c) && slices.Contains(transitions.From[c.Before.Status], "completed") && c.After.OverrideReason == nil {
			completing[c.ID()] = c
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	const open, failed = "required AND result IS NULL", "result = 'fail' AND follow_up IS NULL"
	const titles = "(array_agg(title ORDER BY task_position, position)"
	rows, err := tx.Query(ctx, "SELECT work_order_id::text, count(*) FILTER (WHERE "+open+"), count(*) FILTER (WHERE "+failed+"), "+
		titles+" FILTER (WHERE "+open+"))[:$2], "+titles+" FILTER (WHERE "+failed+"))[:$2] "+
		"FROM work_order_task WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[]) AND ("+open+" OR "+failed+`)
		GROUP BY 1`, ids, maxNamedTasks)
	if err != nil {
		return err
	}
	var id string
	var opens, fails int
	var namesOpen, namesFailed []string
	_, err = pgx.ForEachRow(rows, []any{&id, &opens, &fails, &namesOpen, &namesFailed}, func() error {
		c := completing[id]
		noted := c.After.CompletionNotes != nil && c.Sets("completion_notes")
		if opens > 0 {
			c.Reject(openTasks(opens, namesOpen))
		} else if fails > 0 && !noted {
			c.Reject(failedTasks(fails, namesFailed))
		}
		return nil
	})
	return err
}

// openTasks is the 409 that names the required tasks without a result.
func openTasks(count int, titles []string) *fault.Error {
	conflict := fault.Conflict("tasks_open", "status", "completed",
		"Required tasks of the work order have no result: %s. Give each its result; or say in override_reason, together with this move, why "+
			"the work is done without.", listed(count, titles))
	conflict.Dependents = map[string]int{"work_order_tasks": count}
	return conflict
}

// failedTasks is the 409 that names the tasks that failed.
func failedTasks(count int, titles []string) *fault.Error {
	conflict := fault.Conflict("tasks_failed", "status", "completed",
		"Tasks of the work order failed: %s. Say in completion_notes, together with this move, or in follow_up of each task, what becomes of "+
			"them; or do them again and change their result.", listed(count, titles))
	conflict.Dependents = map[string]int{"work_order_tasks": count}
	return conflict
}

// listed names tasks: all of them, or the first and how many more there are.
func listed(count int, titles []string) string {
	named := make([]string, len(titles))
	for i, title := range titles {
		named[i] = fmt.Sprintf("%q", title)
	}
	list := strings.Join(named, ", ")
	if more := count - len(titles); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
