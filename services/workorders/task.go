package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// Task is one step of a work order, to be ticked off.
type Task struct {
	resource.Record
	WorkOrderID string  `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order that it is a step of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Title       string  `json:"title" required:"true" maxLength:"200" filter:"equals" sort:"true" search:"name" doc:"What is to be done." example:"Vérifier la pression"`
	Position    *int    `json:"position" column:"task_position" minimum:"1" maximum:"1000000" filter:"range" sort:"true" doc:"Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order." example:"2"`
	Required    bool    `json:"required" default:"false" filter:"equals" doc:"Whether it must have a result before the work order is completed." example:"true"`
	Result      *string `json:"result" enum:"pass,fail,na" filter:"equals" sort:"true" doc:"How it went; na where it does not apply, null until it is done." example:"pass"`
	Note        *string `json:"note" maxLength:"5000" doc:"What was found." example:"3,2 bars"`
	FollowUp    *string `json:"follow_up" maxLength:"1000" doc:"Of a task that failed: what becomes of it, such as the number of another work order." example:"BT-000123"`
}

var tasks = resource.Definition[Task]{
	Collection: "work_order_tasks", Table: "work_order_task", Parent: "work_order_id", Label: "title",
	BeforeWrite: prepareTasks,
}

func prepareTasks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Task]) error {
	// FOR SHARE would not do: two tasks that are added at once must not get the same position.
	orders, err := lockOrders(ctx, tx, "FOR NO KEY UPDATE", changes, func(t *Task) string { return t.WorkOrderID })
	if err != nil {
		return err
	}
	last := map[string]int{}
	rows, err := tx.Query(ctx, `SELECT work_order_id::text, max(task_position) FROM work_order_task
		WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[]) GROUP BY 1`, orders)
	if err != nil {
		return err
	}
	var order string
	var position int
	if _, err := pgx.ForEachRow(rows, []any{&order, &position}, func() error { last[order] = position; return nil }); err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if order := c.After.WorkOrderID; c.After.Position == nil {
			last[order]++
			place := last[order]
			c.After.Position = &place
		} else {
			last[order] = max(last[order], *c.After.Position)
		}
	}
	return nil
}
