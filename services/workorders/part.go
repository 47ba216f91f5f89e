package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Comments, tasks and costs are parts of a work order. They are read and written with its scope, are deleted with it, and are final
// when it is closed.

// lockOrders locks the work orders of changed parts until the transaction ends. It rejects parts of work orders that are closed or
// that were deleted meanwhile. lock is FOR SHARE, or FOR NO KEY UPDATE for parts that change their work order or must be written one
// after the other.
func lockOrders[T any](ctx context.Context, tx pgx.Tx, lock string, changes []*resource.Change[T],
	of func(*T) string) (orders []string, err error) {
	for _, c := range changes {
		orders = append(orders, of(recordOf(c)))
	}
	rows, err := tx.Query(ctx, `SELECT id::text, status FROM work_order WHERE organization_id = current_organization()
		AND id = ANY($1::uuid[]) ORDER BY id `+lock, orders)
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	var id, status string
	if _, err := pgx.ForEachRow(rows, []any{&id, &status}, func() error { states[id] = status; return nil }); err != nil {
		return nil, err
	}
	for _, c := range changes {
		switch order := of(recordOf(c)); states[order] {
		case "":
			c.Reject(fault.NotFound("work order", order))
		case "closed":
			c.Reject(closedError())
		}
	}
	return orders, nil
}

// recordOf is the record of a change: after it, or before it where the change is a delete.
func recordOf[T any](c *resource.Change[T]) *T {
	if c.After != nil {
		return c.After
	}
	return c.Before
}
