package requests

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
)

// serveEffects applies what work does to requests: its completion closes them.
func (d desk) serveEffects() {
	effects.Serve(d.registry.API, map[string]effects.Applier{"close_request": {Apply: d.closeRequest}})
}

// closeRequest closes a request. One that is closed stays as it is: two work orders may have been made for it.
func (d desk) closeRequest(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, _ := in.Payload["request_id"].(string)
	status, _, err := lockRequest(ctx, tx, id)
	if fault.From(err).Kind == fault.KindNotFound {
		return "", fault.InvalidFields(fault.Field{Field: "request_id", Message: "there is no request " + id})
	}
	if err != nil {
		return "", err
	}
	switch status {
	case closed:
		return id, nil
	case submitted, accepted:
	default:
		return "", fault.Conflict("request_not_open", "request_id", id, "The request is %s: there is nothing to close.", status)
	}
	if err := d.registry.UpdateWhere(ctx, tx, "requests", []string{"status", "ended_at"},
		`SELECT $2::uuid AS id, 'closed'::text AS status, statement_timestamp() AS ended_at`, id); err != nil {
		return "", err
	}
	if in.Cause.Collection == "work_orders" && !effects.Checking(ctx) {
		if err := d.registry.UpdateWhere(ctx, tx, "requests", []string{"work_order_id", "work_order_state"},
			`SELECT r.id, $3::uuid AS work_order_id, 'linked'::text AS work_order_state FROM request r
				WHERE r.organization_id = $1 AND r.id = $2::uuid AND r.work_order_id IS NULL`, id, in.Cause.ID); err != nil {
			return "", err
		}
	}
	return id, d.shareEndsOf(ctx, tx, []string{id})
}
