package workorders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

const (
	// slaInterval is the time between two looks for service levels whose time has passed. A look at which nothing is due is one statement.
	slaInterval = 30 * time.Second
	// mostDue is how many work orders a transaction marks.
	mostDue = 500
)

// watchServiceLevels marks the work orders whose time to be begun or done has passed, of all organizations, and says how many. Every
// instance may look at the same time: a work order is locked, looked at once more and marked in one transaction, with its event.
func (o orders) watchServiceLevels(ctx context.Context, organizations func(context.Context) ([]reference.Organization, error)) (marked int, err error) {
	for {
		due, err := o.dueServiceLevels(ctx)
		if err != nil || len(due) == 0 {
			return marked, err
		}
		all, err := organizations(ctx)
		if err != nil {
			return marked, fmt.Errorf("list organizations: %w", err)
		}
		before := marked
		for _, organization := range all {
			if ids := due[organization.ID]; ids != nil {
				n, failed := o.markMissed(principal.Into(ctx, organization.Principal("workorders")), ids)
				marked += n
				err = errors.Join(err, failed)
			}
		}
		if err != nil || marked == before { // what is left belongs to nobody, or is being written by somebody else
			return marked, err
		}
	}
}

// dueServiceLevels gives some of the work orders whose time has passed, by organization.
func (o orders) dueServiceLevels(ctx context.Context) (map[string][]string, error) {
	due := map[string][]string{}
	rows, err := o.registry.DB.Pool().Query(ctx, "SELECT organization_id::text, id::text FROM sla_due($1)", mostDue)
	if err != nil {
		return nil, err
	}
	var organization, id string
	_, err = pgx.ForEachRow(rows, []any{&organization, &id}, func() error {
		due[organization] = append(due[organization], id)
		return nil
	})
	return due, err
}

// markMissed marks those of the organization's work orders whose time has passed.
func (o orders) markMissed(ctx context.Context, ids []string) (marked int, err error) {
	err = o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id::text FROM work_order WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
			AND sla_due_at <= clock_timestamp() ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`, ids)
		if err != nil {
			return err
		}
		held, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(held) == 0 {
			return err
		}
		marked = len(held)
		return o.registry.UpdateWhere(ctx, tx, "work_orders", []string{"sla_state"},
			"SELECT id, 'missed' AS sla_state FROM work_order WHERE organization_id = $1 AND id = ANY($2::uuid[])", held)
	})
	if err != nil {
		return 0, err
	}
	return marked, nil
}
