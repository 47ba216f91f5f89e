package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// Comment is somebody's remark on a work order. created_by is who made it, created_at is when.
type Comment struct {
	resource.Record
	WorkOrderID string `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order that it is about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Body        string `json:"body" required:"true" maxLength:"5000" search:"name" doc:"What there is to say." example:"La pièce arrive mardi"`
}

var comments = resource.Definition[Comment]{
	Collection: "work_order_comments", Table: "work_order_comment", Parent: "work_order_id", Label: "body",
	BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Comment]) error {
		_, err := lockOrders(ctx, tx, "FOR SHARE", changes, func(c *Comment) string { return c.WorkOrderID })
		return err
	},
}
