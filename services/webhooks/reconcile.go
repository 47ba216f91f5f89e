package webhooks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// reconcileEndpoint makes the endpoint's record agree with the endpoint's health: failing since, recovered, or disabled and why.
// The record changes as any other does, with history and events; the service is the actor. The health is in the database, so
// the next lease holder completes what a killed process has not done.
func (h *leaseHolder) reconcileEndpoint() error {
	return h.db.Write(h.ctx, func(ctx context.Context, tx pgx.Tx) error {
		// The record first, then its row of dispatch: whoever changes both locks them in this order.
		if _, err := tx.Exec(ctx, `SELECT FROM webhook_endpoint WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
			h.key.organizationID, h.key.endpointID); err != nil {
			return err
		}
		p := &poll{leaseHolder: h, now: h.now()}
		if err := p.lockDispatch(ctx, tx); err != nil || p.endpoint == nil || p.endpoint.status != active {
			return err
		}
		if reason := p.health.shouldDisable(); reason != "" {
			return disable(ctx, tx, h.registry, h.key.endpointID, reason, p.now)
		}
		since := (*time.Time)(nil)
		if p.health.failing() {
			since = p.health.failingSince
		}
		return h.registry.UpdateWhere(ctx, tx, "webhook_endpoints", []string{"failing_since"},
			`SELECT $2::uuid AS id, CASE WHEN t.failing_since IS NULL OR $3::timestamptz IS NULL THEN $3 ELSE t.failing_since END AS failing_since
			FROM webhook_endpoint t WHERE t.organization_id = $1 AND t.id = $2`, h.key.endpointID, since)
	})
}

func disable(ctx context.Context, tx pgx.Tx, registry *resource.Registry, endpointID, reason string, now time.Time) error {
	if err := registry.UpdateWhere(ctx, tx, "webhook_endpoints", []string{"status", "disabled_at", "disabled_reason"},
		`SELECT $2::uuid AS id, 'disabled' AS status, $3::timestamptz AS disabled_at, $4::text AS disabled_reason WHERE $1::uuid IS NOT NULL`,
		endpointID, now, reason); err != nil {
		return err
	}
	return pauseDispatch(ctx, tx, endpointID)
}
