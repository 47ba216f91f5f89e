package workorders

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/effects/kept"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// WorkOrderEffect is what the completion of a work order does to a record of another service.
type WorkOrderEffect struct {
	resource.Record
	WorkOrderID string `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order whose completion it follows from." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	kept.Effect
}

// effects are the effects of work orders.
func (o orders) effects() *kept.Of[WorkOrderEffect] {
	return &kept.Of[WorkOrderEffect]{
		Registry: o.registry, Causes: "work_orders", Effects: "work_order_effects", Table: "work_order_effect", Parent: "work_order_id",
		CauseTable: "work_order", Number: "number",
		Day:   "(c.completed_at AT TIME ZONE current_setting('ams.time_zone'))::date::text",
		Cost:  "nullif(c.actual_cost, 0)::text",
		DayOf: dayOfCompletion,
		Parts: func(e *WorkOrderEffect) (*resource.Record, *string, *kept.Effect) {
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

func moves(changes []*resource.Change[WorkOrder]) []kept.Move {
	return kept.Moves(changes, func(w *WorkOrder) (string, []kept.Declared) { return w.Status, w.Effects })
}

// mountEffects serves the effects of work orders, and makes the work orders that are effects themselves.
func (o orders) mountEffects() {
	resource.Mount(o.registry, o.effects().Definition("work_order.effect_refused"))
	o.effects().MountActions("WorkOrderEffect")
	effects.Serve(o.registry.API, map[string]effects.Applier{
		"create_work_order": {Apply: o.applyCreate}, catalogue.MoveToSuccessor: {Apply: o.moveToSuccessor}})
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
