package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// reconcileEndpoint makes the endpoint's record say how it fares: failing since, working again, disabled and why. It is a change of the
// record like any other, with history and events, on the service's own behalf. What it decides by is kept, so that whoever
// works on the endpoint next settles what a process that was killed has left undone.
func (o *leaseHolder) reconcileEndpoint() error {
	return o.db.Write(o.ctx, func(ctx context.Context, tx pgx.Tx) error {
		// The record first, then the dispatch: the order of everybody who changes both.
		if _, err := tx.Exec(ctx, `SELECT FROM webhook_endpoint WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`, o.key.organizationID, o.key.endpointID); err != nil {
			return err
		}
		t := &poll{leaseHolder: o, now: o.now()}
		if err := t.lockDispatch(ctx, tx); err != nil || t.endpoint == nil || t.endpoint.status != active {
			return err
		}
		if reason := t.health.shouldDisable(); reason != "" {
			return disable(ctx, tx, o.registry, o.key.endpointID, reason, t.now)
		}
		since := (*time.Time)(nil)
		if t.health.failing() {
			since = t.health.failingSince
		}
		return o.registry.Rewrite(ctx, tx, "webhook_endpoints", []string{"failing_since"},
			`SELECT $2::uuid AS id, CASE WHEN t.failing_since IS NULL OR $3::timestamptz IS NULL THEN $3 ELSE t.failing_since END AS failing_since
			FROM webhook_endpoint t WHERE t.organization_id = $1 AND t.id = $2`, o.key.endpointID, since)
	})
}

func disable(ctx context.Context, tx pgx.Tx, registry *resource.Registry, endpointID, reason string, now time.Time) error {
	if err := registry.Rewrite(ctx, tx, "webhook_endpoints", []string{"status", "disabled_at", "disabled_reason"},
		`SELECT $2::uuid AS id, 'disabled' AS status, $3::timestamptz AS disabled_at, $4::text AS disabled_reason WHERE $1::uuid IS NOT NULL`,
		endpointID, now, reason); err != nil {
		return err
	}
	return pauseDispatch(ctx, tx, endpointID)
}
