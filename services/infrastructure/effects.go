package infrastructure

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// What work orders, projects, requests and forms change here when they are planned, begun and done.

func (f family) serveEffects() {
	effects.Serve(f.registry.API, map[string]effects.Applier{
		"close_deficiency":  {Apply: f.closeDeficiency},
		"create_deficiency": {Apply: f.createDeficiency},
		"rate":              {Apply: f.rate},
	})
}

// closeDeficiency brings a deficiency to where the work is.
func (f family) closeDeficiency(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	const field = "infrastructure_deficiency_id"
	id, err := effects.RecordIn(in.Payload, field)
	if err != nil {
		return "", err
	}
	work := deficiencies.Work{Stage: string(in.Stage), On: in.On}
	if in.Cause.Collection == "projects" {
		work.ProjectID = in.Cause.ID
	} else {
		work.WorkOrderID = in.Cause.ID
	}
	if cost, err := strconv.ParseFloat(in.Cause.Cost, 64); err == nil && cost >= 0 {
		work.Cost = &cost
	}
	code, problem := "", ""
	err = resource.Edit(ctx, tx, f.registry, "infrastructure_deficiencies", id,
		func(d *InfrastructureDeficiency) { code, problem = d.Follow(work) })
	if problem != "" {
		return "", fault.Conflict(code, field, id, "The deficiency %s %s.", id, problem)
	}
	return id, effects.Named(err, field, id)
}

// createDeficiency makes a deficiency that work has found.
func (f family) createDeficiency(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	sent, _ := in.Payload["deficiency"].(map[string]any)
	body := maps.Clone(sent)
	id, err := effects.RecordIn(body, "segment_id")
	if err != nil {
		return "", fault.InvalidFields(fault.Field{Field: "deficiency.segment_id", Message: "must be the id of a segment"})
	}
	if err := f.inUse(ctx, tx, "deficiency.segment_id", id); err != nil {
		return "", err
	}
	deficiencies.FromWork(body, in.Cause.Collection, in.Cause.ID, in.On)
	ids, err := f.registry.CreateAll(ctx, tx, "infrastructure_deficiencies", "", []map[string]any{body},
		func(int) string { return "deficiency." })
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// rate inspects a segment on the day of completion.
func (f family) rate(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, err := effects.RecordIn(in.Payload, "segment_id")
	if err != nil {
		return "", err
	}
	if err := f.inUse(ctx, tx, "segment_id", id); err != nil {
		return "", err
	}
	body := map[string]any{"segment_id": id, "inspected_on": in.On, "condition_rating": in.Payload["condition_rating"]}
	if body["condition_rating"] == nil {
		return "", fault.InvalidFields(fault.Field{Field: "condition_rating", Message: "is required: from 1 (very good) to 5 (very poor)"})
	}
	if method := in.Payload["method"]; method != nil {
		body["method"] = method
	}
	return f.registry.Create(ctx, tx, "inspections", "", body)
}

// inUse refuses what is about a segment that the organization does not have, or that is out of use for good. The segment is locked.
func (f family) inUse(ctx context.Context, tx pgx.Tx, field, id string) error {
	var s Segment
	err := tx.QueryRow(ctx, `SELECT status FROM segment WHERE organization_id = current_organization() AND id = $1::uuid FOR NO KEY UPDATE`,
		id).Scan(&s.Status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return effects.Named(fault.NotFound("segment", id), field, id)
	case err != nil:
		return err
	case s.retired():
		return fault.Conflict("segment_retired", field, id, "The segment is %s, so nothing can be said of it any more; leave it out.", s.Status)
	}
	return nil
}
