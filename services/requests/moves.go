package requests

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

var requestID = transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"},
	Description: "Of the request, as the list gives it."}

// mountMoves mounts the moves of a request that have a path of their own. All others go by PATCH of status or by POST …/transition.
func (d desk) mountMoves() {
	const path = "/v1/requests/{id}"
	d.mountAccept()
	transport.Post(d.registry.API, transport.Operation{
		Path: path + "/reject", ID: "reject_request", BodyName: "RequestRejection", Scope: "requests:write", Summary: "Reject a request",
		Description: "With the reason, for staff. What the requester is told is public_note; it is required of a request that was accepted, " +
			"which can be rejected once its work order is cancelled. Answers the request.",
		Parameters: []transport.Parameter{idempotencyKey}, Response: transport.Reference("Request"),
	}, d.reject)
	transport.Post(d.registry.API, transport.Operation{
		Path: path + "/duplicate", ID: "mark_request_duplicate", BodyName: "RequestDuplicate", Scope: "requests:write",
		Summary: "Mark a request as a duplicate",
		Description: "Of a request that asks for the same and is no duplicate itself; GET …/similar finds some. " +
			"The duplicate shares the end of that request. Answers the duplicate.",
		Parameters: []transport.Parameter{idempotencyKey}, Response: transport.Reference("Request"),
	}, d.markDuplicate)
}

type rejection struct {
	ID         string  `path:"id" format:"uuid" doc:"Of the request, as the list gives it."`
	Reason     string  `json:"reason" required:"true" maxLength:"1000" doc:"Why it is rejected." example:"Terrain privé"`
	PublicNote *string `json:"public_note" maxLength:"2000" doc:"What the requester is told; what is there stays where it is left out."`
}

func (d desk) reject(ctx context.Context, in rejection) (shown, error) {
	body := map[string]any{"status": rejected, "reason": in.Reason}
	if in.PublicNote != nil {
		body["public_note"] = *in.PublicNote
	}
	return d.move(ctx, in.ID, body)
}

type duplication struct {
	ID string `path:"id" format:"uuid" doc:"Of the request, as the list gives it."`
	Of string `json:"of" required:"true" format:"uuid" doc:"The request that asks for the same." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

func (d desk) markDuplicate(ctx context.Context, in duplication) (shown, error) {
	return d.move(ctx, in.ID, map[string]any{"status": duplicate, "duplicate_of_id": in.Of})
}

// shown is a record as GET shows it.
type shown struct{ body []byte }

// MarshalJSON implements json.Marshaler.
func (s shown) MarshalJSON() ([]byte, error) { return s.body, nil }

// move changes a request by all its rules, and gives it.
func (d desk) move(ctx context.Context, id string, body map[string]any) (found shown, err error) {
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := d.registry.Patch(ctx, tx, "requests", id, body); err != nil {
			return err
		}
		response, err := d.registry.Show(ctx, tx, "requests", id)
		if err == nil {
			found.body = response.Body
		}
		return err
	})
	return found, postgres.Fault(err, nil)
}

// lockRequest locks a request until the commit, and gives its state and that of its work.
func lockRequest(ctx context.Context, tx pgx.Tx, id string) (*Request, error) {
	r := &Request{}
	err := tx.QueryRow(ctx, `SELECT status, work_order_state, work_order_id::text, deficiency_id::text, cancelled_work_order_id::text
		FROM request WHERE organization_id = current_organization() AND id = $1 FOR NO KEY UPDATE`, id).
		Scan(&r.Status, &r.WorkOrderState, &r.WorkOrderID, &r.DeficiencyID, &r.CancelledWorkOrderID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.NotFound("request", id)
	}
	return r, err
}

// objectSchema is the JSON Schema of a body that is read by hand.
func objectSchema(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// unknownFields names what is no field of such a body.
func unknownFields(body map[string]any, known ...string) error {
	var problems schema.Problems
	for name := range body {
		found := schema.Tenant(name)
		for _, k := range known {
			found = found || k == name
		}
		if !found {
			problems.Add(name, "%s", "is not a field of this body")
		}
	}
	return problems.Err()
}
