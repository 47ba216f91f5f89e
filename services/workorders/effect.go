package workorders

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/effects/stored"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// WorkOrderEffect is what the completion of a work order does to a record of another service.
type WorkOrderEffect struct {
	resource.Record
	WorkOrderID string `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order whose completion it follows from." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	stored.Effect
}

// effects are the effects of work orders.
func (o orders) effects() *stored.Of[WorkOrderEffect] {
	return &stored.Of[WorkOrderEffect]{
		Registry: o.registry, Causes: "work_orders", Effects: "work_order_effects", Table: "work_order_effect", Parent: "work_order_id",
		CauseTable: "work_order", Number: "number",
		Day:   "(c.completed_at AT TIME ZONE current_setting('ams.time_zone'))::date::text",
		Cost:  "nullif(c.actual_cost, 0)::text",
		DayOf: dayOfCompletion,
		Parts: func(e *WorkOrderEffect) (*resource.Record, *string, *stored.Effect) {
			return &e.Record, &e.WorkOrderID, &e.Effect
		},
	}
}

// dayOfCompletion is the local day of a body's completed_at.
func dayOfCompletion(ctx context.Context, body map[string]any) string {
	text, _ := body["completed_at"].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return ""
	}
	return principal.From(ctx).Calendar().Day(at)
}

func moves(changes []*resource.Change[WorkOrder]) []stored.Move {
	return stored.Moves(changes, func(w *WorkOrder) (string, []stored.Declared) { return w.Status, w.Effects })
}

// mountEffects serves the effects of work orders, and makes the work orders that are effects themselves.
func (o orders) mountEffects() {
	definition := o.effects().Definition("work_order.effect_refused")
	after := definition.AfterWrite
	definition.AfterWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrderEffect]) error {
		if err := after(ctx, tx, changes); err != nil {
			return err
		}
		return o.nameRequests(ctx, tx, changes)
	}
	resource.Mount(o.registry, definition)
	o.effects().MountActions("WorkOrderEffect")
	effects.Serve(o.registry.API, map[string]effects.Applier{
		"create_work_order": {Apply: o.applyCreate}, catalogue.MoveToSuccessor: {Apply: o.moveToSuccessor},
		catalogue.WorkForRequest: {Apply: o.workForRequest}})
}

// workForRequest lets a work order close a request that was accepted with it. Work that is completed already closes it at once.
func (o orders) workForRequest(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, err := effects.RecordIn(in.Payload, "work_order_id")
	if err != nil {
		return "", err
	}
	request, err := effects.RecordIn(in.Payload, "request_id")
	if err != nil {
		return "", err
	}
	_, err = o.registry.Create(ctx, tx, "work_order_effects", id, map[string]any{"kind": "close_request",
		"payload": map[string]any{"request_id": request}})
	return id, effects.Named(err, "work_order_id", id)
}

// applyCreate makes the work order of an instruction. Its own effects are declared with it; their owners are not asked.
func (o orders) applyCreate(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	body, _ := in.Payload["work_order"].(map[string]any)
	id, err := o.registry.Create(ctx, tx, "work_orders", "", maps.Clone(body))
	if e := fault.From(err); err != nil && len(e.Fields) > 0 {
		within := make([]fault.Field, len(e.Fields))
		for i, f := range e.Fields {
			within[i] = fault.Field{Field: "work_order." + f.Field, Message: f.Message}
		}
		return "", fault.InvalidFields(within...)
	}
	return id, err
}

// closed is the request that an effect closes.
func closed(kind string, payload map[string]any) *string {
	id, _ := payload["request_id"].(string)
	if kind != "close_request" || !schema.IsUUID(id) {
		return nil
	}
	id = strings.ToLower(id)
	return &id
}

// nameRequest names the request that the work order is for by the effects that come with it.
func (w *WorkOrder) nameRequest() {
	for _, declared := range w.Effects {
		if id := closed(declared.Kind, declared.Payload); id != nil && w.RequestID == nil {
			w.RequestID = id
		}
	}
}

// nameRequests names the requests of work orders that got an effect since.
func (o orders) nameRequests(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrderEffect]) error {
	requests, workOrders := []string{}, []string{}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if id := closed(c.After.Kind, c.After.Payload); id != nil {
			requests, workOrders = append(requests, *id), append(workOrders, c.After.WorkOrderID)
		}
	}
	if len(workOrders) == 0 {
		return nil
	}
	return o.registry.UpdateWhere(ctx, tx, workOrdersCollection, []string{"request_id"}, `SELECT DISTINCT ON (w.id) w.id, n.request_id
		FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY n (work_order_id, request_id, place)
		JOIN work_order w ON w.organization_id = $1 AND w.id = n.work_order_id AND w.id = ANY($2::uuid[])
		WHERE w.request_id IS NULL ORDER BY w.id, n.place`, workOrders, requests)
}
