package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// maxNamedTasks is how many failed tasks a refusal names.
const maxNamedTasks = 10

// rejectFailedTasks rejects the move to completed of a work order with tasks that failed, unless completion_notes come with the move.
// Whoever completes it has seen what failed then. The work orders are locked; a transaction that changes their tasks waits.
func rejectFailedTasks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	completing := map[string]*resource.Change[WorkOrder]{}
	var ids []string
	for _, c := range changes {
		noted := c.After.CompletionNotes != nil && c.Sets("completion_notes")
		if c.Before != nil && completed(c) && slices.Contains(transitions.From[c.Before.Status], "completed") && !noted {
			completing[c.ID()] = c
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT work_order_id::text, count(*), (array_agg(title ORDER BY task_position, position))[:$2]
		FROM work_order_task WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[]) AND result = 'fail'
		GROUP BY 1`, ids, maxNamedTasks)
	if err != nil {
		return err
	}
	var id string
	var failed int
	var titles []string
	_, err = pgx.ForEachRow(rows, []any{&id, &failed, &titles}, func() error {
		completing[id].Reject(failedTasks(failed, titles))
		return nil
	})
	return err
}

// failedTasks is the 409 that names the tasks that failed: all of them, or the first and how many more there are.
func failedTasks(count int, titles []string) *fault.Error {
	named := make([]string, len(titles))
	for i, title := range titles {
		named[i] = fmt.Sprintf("%q", title)
	}
	list := strings.Join(named, ", ")
	if more := count - len(titles); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	conflict := fault.Conflict("tasks_failed", "status", "completed",
		"Tasks of the work order failed: %s. Say in completion_notes, together with this move, what becomes of them; or do them again and "+
			"change their result.", list)
	conflict.Dependents = map[string]int{"work_order_tasks": count}
	return conflict
}
