package requests

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
)

// serveEffects applies what work does to requests: its completion closes them.
func (d desk) serveEffects() {
	effects.Serve(d.registry.API, map[string]effects.Applier{
		"close_request": {Apply: d.closeRequest}, catalogue.WorkOfRequestMoved: {Apply: d.followWork}})
}

// closeRequest closes a request. One that is closed stays as it is: two work orders may have been made for it.
func (d desk) closeRequest(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, _ := in.Payload["request_id"].(string)
	r, err := lockRequest(ctx, tx, id)
	if fault.From(err).Kind == fault.KindNotFound {
		return "", fault.InvalidFields(fault.Field{Field: "request_id", Missing: true,
			Message: d.registry.Catalogue.Must("requests").Missing(id)})
	}
	if err != nil {
		return "", err
	}
	switch r.Status {
	case closed:
		return id, nil
	case submitted, accepted:
	default:
		return "", fault.Conflict("request_not_open", "request_id", id, "The request is %s: there is nothing to close.", r.Status)
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

// followWork brings a request along with the work order that closes it: {request_id, status}. While that is cancelled, so is the request's
// work; when it is opened again, the request is accepted again, also one that was closed by it, or was rejected or opened again for its
// cancellation; when it is completed once more, the request is closed once more. A request that has other work by now stays as it is.
func (d desk) followWork(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, _ := in.Payload["request_id"].(string)
	r, err := lockRequest(ctx, tx, id)
	if fault.From(err).Kind == fault.KindNotFound {
		return "", nil // it was deleted
	}
	if err != nil {
		return "", err
	}
	is := func(workOrder *string) bool { return workOrder != nil && *workOrder == in.Cause.ID }
	switch left := r.Status == submitted || r.Status == rejected; in.Payload["status"] {
	case "cancelled":
		if r.Status == accepted && is(r.WorkOrderID) {
			return id, d.registry.UpdateWhere(ctx, tx, "requests", []string{"work_order_state"},
				"SELECT $2::uuid AS id, 'cancelled'::text AS work_order_state", id)
		}
	case "open":
		if (r.Status == accepted || r.Status == closed) && is(r.WorkOrderID) || left && is(r.CancelledWorkOrderID) {
			if err := d.registry.UpdateWhere(ctx, tx, "requests", []string{"status", "work_order_state", "work_order_id",
				"cancelled_work_order_id", "ended_at",
				"reason", "public_note"}, `SELECT r.id, 'accepted'::text AS status, 'linked'::text AS work_order_state, $3::uuid AS work_order_id,
					NULL::uuid AS cancelled_work_order_id, NULL::timestamptz AS ended_at, NULL::text AS reason,
					CASE WHEN r.status <> 'rejected' THEN r.public_note END AS public_note
				FROM request r WHERE r.organization_id = $1 AND r.id = $2::uuid`, id, in.Cause.ID); err != nil {
				return "", err
			}
			return id, d.shareEndsOf(ctx, tx, []string{id})
		}
	case "completed":
		if r.Status == accepted && is(r.WorkOrderID) {
			return d.closeRequest(ctx, tx, in)
		}
	}
	return id, nil
}
