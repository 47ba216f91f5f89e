package requests

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// acceptWait is how long an acceptance waits for what it makes. After that the response says that it is pending.
const acceptWait = 2 * time.Second

func (d desk) mountAccept() {
	body := objectSchema(map[string]any{
		"work_order": map[string]any{"type": "object", "description": "Fields of the work order that is made. " +
			"What is left out follows from the request and its service: title, description, priority, place, type and team."},
		"work_order_id": map[string]any{"type": "string", "format": "uuid", "description": "A work order that is there already; its completion " +
			"closes the request as well."},
		"deficiency": map[string]any{"type": "object", "description": "Fields of a deficiency that is recorded in place of a work " +
			"order, for work that is planned later. What is left out follows from the request."},
	})
	d.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/requests/{id}/accept", ID: "accept_request", Scope: "requests:write", Summary: "Accept a request",
		Description: "Makes one work order, or links one, or records a deficiency; " +
			"send one of the three, or {} for a work order as the request says. The completion of the work order closes the request. " +
			"It is waited for 2 seconds; where it takes longer, work_order_state is pending and " +
			"becomes linked by itself. A request whose work was cancelled, and one that is closed, gets new work. Needs the " +
			"write scope of what is made. Answers the request.",
		Parameters: []transport.Parameter{requestID, idempotencyKey}, Body: body, BodyName: "RequestAcceptance",
		Response: transport.Reference("Request"), Versioned: true, CallsOut: true,
	}, d.accept)
}

// acceptance is what the body of an acceptance says.
type acceptance struct {
	workOrder, deficiency map[string]any
	workOrderID           string
}

func readAcceptance(body map[string]any) (in acceptance, err error) {
	if err := unknownFields(body, "work_order", "work_order_id", "deficiency"); err != nil {
		return in, err
	}
	var problems schema.Problems
	given := 0
	for name, target := range map[string]*map[string]any{"work_order": &in.workOrder, "deficiency": &in.deficiency} {
		if body[name] == nil {
			continue
		}
		given++
		object, is := body[name].(map[string]any)
		if !is {
			problems.Add(name, "must be an object")
		}
		*target = object
	}
	if id := body["work_order_id"]; id != nil {
		given++
		text, _ := id.(string)
		if in.workOrderID = strings.ToLower(text); !schema.IsUUID(in.workOrderID) {
			problems.Add("work_order_id", "must be a UUID, as the list endpoints give them")
		}
	}
	if given > 1 {
		problems.Add("work_order", "send one of work_order, work_order_id and deficiency, not %d", given)
	}
	if given == 0 {
		in.workOrder = map[string]any{}
	}
	return in, problems.Err()
}

// accept asks the owner of what is made before anything is written: what it would refuse is refused here.
func (d desk) accept(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	in, err := readAcceptance(body)
	if err != nil {
		return nil, err
	}
	request, service, err := d.readRequest(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := mayAccept(request); err != nil {
		return nil, err
	}
	instruction := in.instruction(ctx, request, service)
	if in.workOrderID != "" {
		instruction = linking(ctx, request, in.workOrderID)
	}
	if err := d.acceptBy(ctx, instruction); err != nil {
		return nil, postgres.Fault(err, nil)
	}
	return d.await(ctx, id)
}

// mayAccept refuses to accept what cannot become accepted, or is. What could not be made, or was cancelled, is made again, and what is
// closed is opened again.
func mayAccept(r *Request) error {
	allowed, _ := movesNow(r, transitions.From[r.Status])
	again := r.Status == accepted && (r.WorkOrderState == workRefused || r.WorkOrderState == workCancelled)
	if again || slices.Contains(allowed, accepted) {
		return nil
	}
	refusal := fault.Conflict("transition_not_allowed", "status", r.Status, "The request is withdrawn, which is final.")
	switch r.Status {
	case accepted:
		refusal.Message = "The request is accepted already."
	case rejected, duplicate:
		refusal.Message = fmt.Sprintf("The request is %s. Open it again first: set its status to submitted.", r.Status)
	}
	refusal.Allowed = append([]string{}, allowed...)
	return refusal
}

// readRequest gives a request, and its service where it has one.
func (d desk) readRequest(ctx context.Context, id string) (r *Request, s *RequestService, err error) {
	err = d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		r = &Request{}
		err = tx.QueryRow(ctx, "SELECT "+acceptedColumns+" FROM request c WHERE c.organization_id = current_organization() AND c.id = $1", id).
			Scan(r.acceptedInto()...)
		if err != nil || r.ServiceCode == nil {
			return err
		}
		found, err := readServices(ctx, tx, []string{*r.ServiceCode})
		s = found[*r.ServiceCode]
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.NotFound("request", id)
	}
	return r, s, postgres.Fault(err, nil)
}

// instruction is the effect of an acceptance. Contact data is not in it: it stays in this service.
func (in acceptance) instruction(ctx context.Context, r *Request, s *RequestService) effects.Instruction {
	made := map[string]any{"title": r.Title, "priority": r.Priority}
	if r.Description != nil {
		made["description"] = *r.Description
	}
	place := false
	for _, at := range []struct {
		field string
		id    *string
	}{{"segment_id", r.SegmentID}, {"asset_id", r.AssetID}, {"building_id", r.BuildingID}, {"site_id", r.SiteID}} {
		if at.id != nil && !place {
			made[at.field], place = *at.id, true
		}
	}
	given, kind, name := in.workOrder, "create_work_order", "work_order"
	if in.deficiency != nil {
		given, kind, name = in.deficiency, "create_deficiency", "deficiency"
		made["source"], made["source_id"] = "request", r.ID
	} else {
		if s != nil {
			made["type"] = s.Type
			if s.TeamID != nil {
				made["team_id"] = *s.TeamID
			}
		}
		closing := map[string]any{"kind": "close_request", "payload": map[string]any{"request_id": r.ID}}
		others, _ := given["effects"].([]any)
		made["effects"] = append([]any{closing}, others...)
	}
	if namesPlace(given) {
		for _, field := range []string{"segment_id", "asset_id", "building_id", "site_id"} {
			delete(made, field)
		}
	}
	for field, value := range given {
		if field != "effects" {
			made[field] = value
		}
	}
	return effects.Instruction{
		ID: uuid.Must(uuid.NewV7()).String(), Kind: kind, Stage: effects.Completed, Payload: map[string]any{name: made},
		On: resource.Today(ctx), Cause: effects.Cause{Collection: "requests", ID: r.ID, Number: r.Number},
	}
}

// namesPlace says whether a body says itself where the work is.
func namesPlace(body map[string]any) bool {
	for _, field := range []string{"segment_id", "asset_id", "system_id", "building_id", "site_id", "targets"} {
		if body[field] != nil {
			return true
		}
	}
	return false
}

// acceptBy accepts a request for which something is made, or a work order closes it from now on, by an effect.
func (d desk) acceptBy(ctx context.Context, in effects.Instruction) error {
	if err := effects.Authorize(ctx, in.Kind, in.Payload); err != nil {
		return err
	}
	refused, err := effects.Check(ctx, d.registry.References, []effects.Instruction{in})
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return refusalOf(refused[0])
	}
	owner, err := effects.Owner(in.Kind, in.Payload)
	if err != nil {
		return err
	}
	field := owner.Singular + "_id"
	return d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := lockRequest(ctx, tx, in.Cause.ID)
		if err != nil {
			return err
		}
		if err := mayAccept(r); err != nil { // another acceptance was first
			return err
		}
		if err := resource.Edit(ctx, tx, d.registry, "requests", in.Cause.ID, func(r *Request) {
			r.Status, r.WorkOrderState, r.WorkOrderMessage = accepted, workPending, nil
			r.WorkOrderID, r.DeficiencyID, r.InfrastructureDeficiencyID = nil, nil, nil // of the work before
		}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE request SET effect_id = $2, effect_field = $3
			WHERE organization_id = current_organization() AND id = $1`, in.Cause.ID, in.ID, field); err != nil {
			return err
		}
		return effects.Add(ctx, tx, []effects.Instruction{in})
	})
}

// refusalOf is the error for what the owner of what is made would refuse. Its field is one of the body.
func refusalOf(refused effects.Refusal) error {
	name := "work_order"
	if refused.Field != "" {
		name = refused.Field
		if !strings.HasPrefix(name, "work_order") && !strings.HasPrefix(name, "deficiency") {
			name = "work_order." + name
		}
	}
	if refused.Reason == fault.KindConflict || refused.Reason == fault.KindForbidden {
		e := fault.Conflict(refused.Code, name, nil, "%s", refused.Message)
		e.Kind = refused.Reason
		return e
	}
	return fault.InvalidFields(fault.Field{Field: name, Message: refused.Message, Missing: refused.Reason == fault.KindNotFound})
}

// await gives the request when what it was accepted with is there, or after acceptWait as it is then.
func (d desk) await(ctx context.Context, id string) (response *transport.Response, err error) {
	deadline := time.Now().Add(acceptWait)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		var work string
		err := d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if err := tx.QueryRow(ctx, `SELECT work_order_state FROM request WHERE organization_id = current_organization() AND id = $1`, id).
				Scan(&work); err != nil {
				return err
			}
			response, err = d.registry.Show(ctx, tx, "requests", id)
			return err
		})
		if err != nil || work != workPending || time.Now().After(deadline) {
			return response, postgres.Fault(err, nil)
		}
		select {
		case <-ctx.Done():
			return response, nil
		case <-time.After(pause):
		}
	}
}

// recordOutcomes sets the state of requests from the outcome of their effects.
func (d desk) recordOutcomes(ctx context.Context, tx pgx.Tx, outcomes []effects.Result) error {
	ctx = principal.Into(ctx, withName(principal.From(ctx)))
	for _, a := range outcomes {
		var id, field string
		err := tx.QueryRow(ctx, `SELECT id::text, effect_field FROM request
			WHERE organization_id = current_organization() AND effect_id = $1`, a.ID).
			Scan(&id, &field)
		if errors.Is(err, pgx.ErrNoRows) {
			continue // the request is gone, or was accepted again
		}
		if err != nil {
			return err
		}
		if a.Outcome == effects.Applied && a.ResultID != nil {
			err = d.registry.UpdateWhere(ctx, tx, "requests", []string{field, "work_order_state", "work_order_message"},
				`SELECT $2::uuid AS id, $3::uuid AS `+column(field)+`, 'linked'::text AS work_order_state, NULL::text AS work_order_message`,
				id, *a.ResultID)
			if err == nil && field == "work_order_id" {
				err = effects.Add(ctx, tx, []effects.Instruction{{ID: uuid.Must(uuid.NewV7()).String(), Kind: catalogue.DocumentsOfRequest,
					Stage: effects.Completed, On: resource.Today(ctx), Cause: effects.Cause{Collection: "requests", ID: id},
					Payload: map[string]any{"documents_of": id, "work_order_id": *a.ResultID}}})
			}
		} else {
			err = d.registry.UpdateWhere(ctx, tx, "requests", []string{field, "work_order_state", "work_order_message"},
				`SELECT $2::uuid AS id, NULL::uuid AS `+column(field)+`, 'refused'::text AS work_order_state, $3::text AS work_order_message`,
				id, a.Message)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// column is one of the columns that have what was made. The name comes from our own table, and is looked up all the same.
func column(field string) string {
	for _, known := range []string{"work_order_id", "deficiency_id", "infrastructure_deficiency_id"} {
		if field == known {
			return known
		}
	}
	panic("requests: " + field + " is nothing that is made for a request")
}

// serviceName is what this service is called in the history.
const serviceName = "Requests"

// withName is this service as people read it in the history.
func withName(p principal.Principal) principal.Principal {
	p.Actor = principal.Actor{Type: "service", ID: "requests", Name: serviceName}
	return p
}
