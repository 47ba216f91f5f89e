package workorders

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/reference"
	"ams.internal/libs/work"
)

const (
	// slaInterval is the time between two queries for service levels whose time has passed. One that finds nothing is one statement.
	slaInterval = 30 * time.Second
	// maxDue is how many work orders a query finds, and maxMarked how many a transaction marks.
	maxDue, maxMarked = 5000, 500
)

// serviceLevelQueue marks the work orders whose time to be begun or done has passed, organization by organization. Every instance may do so
// at the same time: a work order is locked, checked once more and marked in one transaction, with its event.
func (o orders) serviceLevelQueue() *work.Queue {
	return &work.Queue{Name: "service levels", Service: "workorders", DB: o.registry.DB, Log: o.registry.Log,
		Organizations: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return o.registry.References.Organization(ctx, "workorders", id)
		}, time.Now),
		Due:  "SELECT organization_id, organization_id AS id, 'service levels' AS kind FROM sla_due($1) GROUP BY organization_id",
		Args: []any{maxDue}, Interval: slaInterval,
		Do: func(ctx context.Context, _ work.Item) error {
			_, err := o.markMissed(ctx)
			return err
		}}
}

// markMissed marks the organization's work orders whose time has passed, but for those that somebody is writing, and says how many.
func (o orders) markMissed(ctx context.Context) (marked int, err error) {
	for {
		n := 0
		err := o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `SELECT id::text FROM work_order WHERE organization_id = current_organization()
				AND sla_due_at <= statement_timestamp() ORDER BY sla_due_at, id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`, maxMarked)
			if err != nil {
				return err
			}
			locked, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil || len(locked) == 0 {
				return err
			}
			n = len(locked)
			return o.registry.UpdateWhere(ctx, tx, "work_orders", []string{"sla_state"},
				"SELECT id, 'missed' AS sla_state FROM work_order WHERE organization_id = $1 AND id = ANY($2::uuid[])", locked)
		})
		if err != nil {
			return marked, err
		}
		if marked += n; n < maxMarked {
			return marked, nil
		}
	}
}
