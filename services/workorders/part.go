package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Comments, tasks and costs are parts of a work order: they are read and written with its scope, go when it is deleted,
// and are final when it is closed.

// holdOrders keeps the work orders of changed parts as they are until the transaction ends, and objects to parts of those
// that are closed or that were deleted since. lock is FOR SHARE, or FOR NO KEY UPDATE for parts that change their work
// order or must be written one after the other.
func holdOrders[T any](ctx context.Context, tx pgx.Tx, lock string, changes []*resource.Change[T], of func(*T) string) (orders []string, err error) {
	for _, c := range changes {
		orders = append(orders, of(shown(c)))
	}
	rows, err := tx.Query(ctx, `SELECT id::text, status FROM work_order WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id `+lock, orders)
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	var id, status string
	if _, err := pgx.ForEachRow(rows, []any{&id, &status}, func() error { states[id] = status; return nil }); err != nil {
		return nil, err
	}
	for _, c := range changes {
		switch order := of(shown(c)); states[order] {
		case "":
			c.Reject(fault.NotFound("work order", order))
		case "closed":
			c.Reject(isClosed())
		}
	}
	return orders, nil
}

// shown is the record of a change: as it will be, or as it was.
func shown[T any](c *resource.Change[T]) *T {
	if c.After != nil {
		return c.After
	}
	return c.Before
}
