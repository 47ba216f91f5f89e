package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Comments, tasks, targets and costs are parts of a work order. They are read and written with its scope, are deleted with it, and are
// final when it is closed; only costs can be added then.

// lockOrders locks the work orders of changed parts until the transaction ends. It rejects parts of work orders that are closed or
// that were deleted meanwhile. lock is FOR SHARE, or FOR NO KEY UPDATE for parts that change their work order or must be written one
// after the other.
func lockOrders[T any](ctx context.Context, tx pgx.Tx, lock string, changes []*resource.Change[T],
	of func(*T) string) (orders []string, err error) {
	states, err := lockStates(ctx, tx, lock, changes, of)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		order := of(recordOf(c))
		orders = append(orders, order)
		if states[order] == "closed" {
			c.Reject(closedError())
		}
	}
	return orders, nil
}

// lockStates is lockOrders for parts that closed work orders may have: it gives the states.
func lockStates[T any](ctx context.Context, tx pgx.Tx, lock string, changes []*resource.Change[T],
	of func(*T) string) (states map[string]string, err error) {
	var orders []string
	for _, c := range changes {
		orders = append(orders, of(recordOf(c)))
	}
	rows, err := tx.Query(ctx, `SELECT id::text, status FROM work_order WHERE organization_id = current_organization()
		AND id = ANY($1::uuid[]) ORDER BY id `+lock, orders)
	if err != nil {
		return nil, err
	}
	states = map[string]string{}
	var id, status string
	if _, err := pgx.ForEachRow(rows, []any{&id, &status}, func() error { states[id] = status; return nil }); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if order := of(recordOf(c)); states[order] == "" {
			c.Reject(fault.NotFound("work order", order))
		}
	}
	return states, nil
}

// recordOf is the record of a change: after it, or before it where the change is a delete.
func recordOf[T any](c *resource.Change[T]) *T {
	if c.After != nil {
		return c.After
	}
	return c.Before
}
