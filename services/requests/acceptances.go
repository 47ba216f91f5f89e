package requests

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Whoever accepts a request does one thing by whatever door: POST …/accept, PATCH, transition, bulk, POST and PUT by external id. It
// needs the write scope of the work, the work is made (or the one that is named learns that it closes the request) by an effect, and what
// the owner of the work would refuse is refused before. A new request that another system had (source import) may be recorded as accepted
// without work.

// acceptances are the requests that a call accepts, by their index in it.
type acceptances map[int]*plannedAcceptance

// plannedAcceptance is a request that a call accepts.
type plannedAcceptance struct {
	id        string // of the request; empty of a new one
	workOrder string // that is named; empty where one is made, or a deficiency is named
	makes     bool
	refused   *fault.Error // why it cannot be accepted
	field     string       // of the request, that the refusal is about; empty: of none
	writing   bool         // the rules found it, and its effect is still to be sent
}

type acceptancesKey struct{}

// workFields are the fields that name what is done for a request, with the collections that they name.
var workFields = map[string]string{"work_order_id": "work_orders", "deficiency_id": "deficiencies",
	"infrastructure_deficiency_id": "infrastructure_deficiencies"}

// beforeRequests is BeforeTransaction of requests: it finds out which of them a call accepts, and asks the owner of work orders.
func (d desk) beforeRequests(ctx context.Context, bodies []map[string]any) (context.Context, error) {
	all := acceptances{}
	ctx = context.WithValue(ctx, acceptancesKey{}, all)
	var accepting []int
	var about []map[string]any
	for i, body := range bodies {
		if status := statusIn(body); status == accepted || status == "" && len(namedWork(body)) > 0 {
			accepting, about = append(accepting, i), append(about, body)
		}
	}
	if accepting == nil {
		return ctx, nil
	}
	var instructions []effects.Instruction
	var of []*plannedAcceptance
	err := d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		present := map[int]*Request{}
		if err := resource.FindNamed(ctx, tx, "request", acceptedColumns, "number", about, func(scan func(...any) ([]int, error)) error {
			r := &Request{}
			at, err := scan(r.acceptedInto()...)
			for _, n := range at {
				present[accepting[n]] = r
			}
			return err
		}); err != nil {
			return err
		}
		for _, i := range accepting {
			one, r := planAcceptance(ctx, present[i], bodies[i])
			if one == nil {
				continue
			}
			if all[i] = one; one.refused != nil || !one.makesWork() {
				continue
			}
			in, err := one.instruction(ctx, tx, r)
			if err != nil {
				return err
			}
			instructions, of = append(instructions, in), append(of, one)
		}
		return nil
	})
	if err != nil || instructions == nil {
		return ctx, err
	}
	refused, err := effects.Check(ctx, d.registry.References, instructions)
	for _, r := range refused {
		of[r.Index].refuse(r)
	}
	return ctx, err
}

// statusIn is the status that a body asks for: by PATCH status, by the transition to.
func statusIn(body map[string]any) string {
	for _, name := range []string{"status", "to"} {
		if status, is := body[name].(string); is {
			return status
		}
	}
	return ""
}

// namedWork are the fields of a body that name work, by its id or external id.
func namedWork(body map[string]any) (named []string) {
	for field := range workFields {
		external, _ := body[strings.TrimSuffix(field, "id")+"external_id"].(string)
		if id, _ := body[field].(string); schema.IsUUID(id) || external != "" {
			named = append(named, field)
		}
	}
	return named
}

// planAcceptance says what accepting comes to in a body: nil where it accepts nothing. r is the request as it would be.
func planAcceptance(ctx context.Context, present *Request, body map[string]any) (one *plannedAcceptance, r *Request) {
	r = &Request{Status: submitted, Priority: "medium"}
	if present != nil {
		copied := *present
		r, one = &copied, &plannedAcceptance{id: present.ID}
	} else {
		r.ID, one = uuid.Must(uuid.NewV7()).String(), &plannedAcceptance{}
	}
	becomes := statusIn(body) == accepted && r.Status != accepted
	if present != nil && becomes && mayAccept(present) != nil {
		return nil, nil // the rules of transitions say so
	}
	named := slices.DeleteFunc(namedWork(body), func(field string) bool {
		id, _ := body[field].(string)
		return !becomes && id != "" && strings.EqualFold(id, valueOf(*r.work(field)))
	})
	switch {
	case !becomes && (r.Status != accepted || len(named) == 0):
		return nil, nil
	case len(named) > 0:
		for _, field := range named {
			if one.refused = mayChange(ctx, field); one.refused != nil {
				return one, r
			}
		}
		if id, is := body["work_order_id"].(string); is && slices.Contains(named, "work_order_id") {
			one.workOrder = strings.ToLower(id)
			if has := r.WorkOrderState == workPending || r.WorkOrderState == workLinked; has && !becomes && r.WorkOrderID != nil {
				one.refused = fault.From(mayAccept(r))
			}
		}
		return one, r
	case present == nil && body["source"] == "import":
		return nil, nil
	}
	one.makes, one.refused = true, mayChange(ctx, "work_order_id")
	for field, target := range map[string]**string{"description": &r.Description, "service_code": &r.ServiceCode, "segment_id": &r.SegmentID,
		"asset_id": &r.AssetID, "building_id": &r.BuildingID, "site_id": &r.SiteID} {
		if value, given := body[field]; given {
			*target = nil
			if text, is := value.(string); is && text != "" {
				*target = &text
			}
		}
	}
	for field, target := range map[string]*string{"title": &r.Title, "priority": &r.Priority} {
		if text, is := body[field].(string); is {
			*target = text
		}
	}
	return one, r
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// work is a field that names what is done.
func (r *Request) work(field string) **string {
	switch field {
	case "work_order_id":
		return &r.WorkOrderID
	case "deficiency_id":
		return &r.DeficiencyID
	}
	return &r.InfrastructureDeficiencyID
}

// mayChange refuses who may not change what a field names.
func mayChange(ctx context.Context, field string) *fault.Error {
	p, scope := principal.From(ctx), catalogue.Product().Must(workFields[field]).Scope+":write"
	if p.Allows(scope) {
		return nil
	}
	return endpoint.ScopeMissing(p, scope, "Accepting a request needs the scope %s of what is done for it.", scope)
}

// instruction is the effect of an acceptance: a work order is made, or the one that is named is told that it closes the request.
func (one *plannedAcceptance) instruction(ctx context.Context, tx pgx.Tx, r *Request) (effects.Instruction, error) {
	if one.workOrder != "" {
		return linking(ctx, r, one.workOrder), nil
	}
	var service *RequestService
	if r.ServiceCode != nil {
		found, err := readServices(ctx, tx, []string{*r.ServiceCode})
		if err != nil {
			return effects.Instruction{}, err
		}
		service = found[*r.ServiceCode]
	}
	return acceptance{workOrder: map[string]any{}}.instruction(ctx, r, service), nil
}

// linking is the instruction to a work order that its completion closes a request.
func linking(ctx context.Context, r *Request, workOrder string) effects.Instruction {
	return effects.Instruction{
		ID: uuid.Must(uuid.NewV7()).String(), Kind: catalogue.WorkForRequest, Stage: effects.Completed,
		Payload: map[string]any{"work_order_id": workOrder, "request_id": r.ID}, On: resource.Today(ctx),
		Cause: effects.Cause{Collection: "requests", ID: r.ID, Number: r.Number},
	}
}

// refuse notes what the owner of the work order would refuse, by the field of the request that it is about.
func (one *plannedAcceptance) refuse(r effects.Refusal) {
	if r.Reason == fault.KindNotFound {
		return // as of every reference, the field says so
	}
	one.refused, one.field = fault.From(refusalOf(r)), "status"
	if one.workOrder != "" {
		one.field = "work_order_id"
	}
	own := strings.TrimPrefix(r.Field, "work_order.")
	if slices.Contains([]string{"title", "description", "priority", "segment_id", "asset_id", "building_id", "site_id"}, own) {
		one.field = own
	}
	if one.refused.Kind == fault.KindInvalid {
		one.refused.Message = r.Message
	}
}

// checkAcceptance is the part of the rules for who accepts a request by a door that is not …/accept.
func (r *Request) checkAcceptance(ctx context.Context, c *resource.Change[Request]) {
	all, byDoor := ctx.Value(acceptancesKey{}).(acceptances)
	if !byDoor || r.Status != accepted {
		return
	}
	becomes, named := c.Before == nil || c.Before.Status != accepted, false
	for field := range workFields {
		id, before := r.work(field), (*string)(nil)
		if c.Before != nil {
			before = *c.Before.work(field)
		}
		switch {
		case *id == nil:
		case becomes && !c.Sets(field) && resource.Same(*id, before):
			*id = nil // the work before
		case becomes || !resource.Same(*id, before):
			named = true
			if refused := mayChange(ctx, field); refused != nil {
				c.Reject(refused)
			}
		}
	}
	one := all[c.Index]
	switch {
	case !becomes && !named, one == nil && c.Before == nil && r.Source == "import" && !named:
		return
	case one == nil || c.Before == nil && one.id != "" || c.Before != nil && one.id != c.Before.ID:
		c.Reject(fault.Conflict("request_changed", "status", r.Status, "The request was changed meanwhile; look at it, and send it again."))
	case one.refused != nil && one.refused.Kind == fault.KindInvalid:
		c.FieldError(one.field, "%s", one.refused.Message)
	case one.refused != nil:
		c.Reject(one.refused)
	case named: // perhaps by its external id
		one.makes, one.workOrder = false, ""
		if r.WorkOrderID != nil && (c.Before == nil || becomes || !resource.Same(r.WorkOrderID, c.Before.WorkOrderID)) {
			one.workOrder = *r.WorkOrderID
		}
	}
	if one.makesWork() || !named {
		r.WorkOrderState, r.WorkOrderMessage = workPending, nil
		if one != nil {
			one.writing = one.refused == nil
		}
	}
}

// makesWork reports whether an effect follows from the acceptance.
func (one *plannedAcceptance) makesWork() bool {
	return one != nil && (one.makes || one.workOrder != "")
}

// sendAcceptances is the part of AfterWrite for it: the effects leave with the commit.
func sendAcceptances(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) error {
	all, _ := ctx.Value(acceptancesKey{}).(acceptances)
	var sent []effects.Instruction
	var requests, ids []string
	for _, c := range changes {
		one := all[c.Index]
		if one == nil || !one.writing || c.After == nil || one.id != "" && one.id != c.ID() {
			continue
		}
		one.writing = false
		in, err := one.instruction(ctx, tx, c.After)
		if err != nil {
			return err
		}
		sent, requests, ids = append(sent, in), append(requests, c.ID()), append(ids, in.ID)
	}
	if sent == nil {
		return nil
	}
	if _, err := tx.Exec(ctx, `UPDATE request r SET effect_id = s.effect_id, effect_field = 'work_order_id'
		FROM unnest($1::uuid[], $2::uuid[]) s (id, effect_id)
		WHERE r.organization_id = current_organization() AND r.id = s.id AND r.id = ANY($1::uuid[])`, requests, ids); err != nil {
		return err
	}
	return effects.Add(ctx, tx, sent)
}

const acceptedColumns = `c.id::text, c.title, c.number, c.description, c.status, c.priority, c.service_code, c.site_id::text,
	c.building_id::text, c.asset_id::text, c.segment_id::text, c.work_order_state, c.work_order_id::text, c.deficiency_id::text,
	c.infrastructure_deficiency_id::text`

// acceptedInto is where acceptedColumns go.
func (r *Request) acceptedInto() []any {
	return []any{&r.ID, &r.Title, &r.Number, &r.Description, &r.Status, &r.Priority, &r.ServiceCode, &r.SiteID, &r.BuildingID, &r.AssetID,
		&r.SegmentID, &r.WorkOrderState, &r.WorkOrderID, &r.DeficiencyID, &r.InfrastructureDeficiencyID}
}
