package assets

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
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
		"replace":           {Apply: f.replace},
	})
}

// logRefused logs the instructions of this service that were refused. They are about records of others, so nothing here waits for them.
func (f family) logRefused(ctx context.Context, _ pgx.Tx, outcomes []effects.Result) error {
	for _, a := range outcomes {
		if a.Outcome == effects.Refused {
			f.registry.Log.WarnContext(ctx, "what stood on a replaced asset was not moved to its successor", "effect", a.ID, "code", a.Code,
				"reason", a.Message)
		}
	}
	return nil
}

// closeDeficiency brings a deficiency to where the work is.
func (f family) closeDeficiency(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, err := effects.RecordIn(in.Payload, "deficiency_id")
	if err != nil {
		return "", err
	}
	work := workOf(in)
	if cost, err := strconv.ParseFloat(in.Cause.Cost, 64); err == nil && cost >= 0 {
		work.Cost = &cost
	}
	return id, effects.Named(f.follow(ctx, tx, id, work), "deficiency_id", id)
}

// workOf is what happened to the cause of an effect.
func workOf(in effects.Instruction) deficiencies.Work {
	work := deficiencies.Work{Stage: string(in.Stage), On: in.On}
	if in.Cause.Collection == "projects" {
		work.ProjectID = in.Cause.ID
	} else {
		work.WorkOrderID = in.Cause.ID
	}
	return work
}

func (f family) follow(ctx context.Context, tx pgx.Tx, id string, work deficiencies.Work) error {
	code, problem := "", ""
	err := resource.Edit(ctx, tx, f.registry, "deficiencies", id, func(d *Deficiency) { code, problem = d.Follow(work) })
	if problem != "" {
		return fault.Conflict(code, "id", id, "The deficiency %s %s.", id, problem)
	}
	return err
}

// createDeficiency makes a deficiency that work has found.
func (f family) createDeficiency(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	sent, _ := in.Payload["deficiency"].(map[string]any)
	body := maps.Clone(sent)
	for _, place := range []string{"asset_id", "system_id"} {
		if body[place] == nil {
			continue
		}
		id, err := effects.RecordIn(body, place)
		if err != nil {
			return "", fault.InvalidFields(fault.Field{Field: "deficiency." + place, Message: "must be the id of a record"})
		}
		if err := inUse(ctx, tx, place, id); err != nil {
			return "", effects.Named(err, "deficiency."+place, id)
		}
	}
	deficiencies.FromWork(body, in.Cause.Collection, in.Cause.ID, in.On)
	ids, err := f.registry.CreateAll(ctx, tx, "deficiencies", "", []map[string]any{body}, func(int) string { return "deficiency." })
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// rate assesses an asset on the day of completion, or sets the rating of a system. Buildings and sites have none of their own.
func (f family) rate(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	rating := in.Payload["condition_rating"]
	if rating == nil {
		return "", fault.InvalidFields(fault.Field{Field: "condition_rating", Message: "is required: from 1 (very good) to 5 (very poor)"})
	}
	for _, place := range []string{"asset_id", "system_id"} {
		if in.Payload[place] == nil {
			continue
		}
		id, err := effects.RecordIn(in.Payload, place)
		if err != nil {
			return "", err
		}
		if err := inUse(ctx, tx, place, id); err != nil {
			return "", err
		}
		if place == "system_id" {
			return id, f.registry.Patch(ctx, tx, "systems", id, map[string]any{"condition_rating": rating})
		}
		body := map[string]any{"assessed_on": in.On, "condition_rating": rating}
		if method := in.Payload["method"]; method != nil {
			body["method"] = method
		}
		return f.registry.Create(ctx, tx, "condition_assessments", id, body)
	}
	for _, place := range []string{"building_id", "site_id"} {
		if in.Payload[place] != nil {
			return "", fault.InvalidFields(fault.Field{Field: place, Message: "has no condition of its own; rate its systems and assets"})
		}
	}
	return "", fault.InvalidFields(fault.Field{Field: "asset_id", Message: "is required, or system_id: what is rated"})
}

// inUse refuses what is about an asset or a system that the organization does not have, or that is out of use for good. Its row is locked.
func inUse(ctx context.Context, tx pgx.Tx, field, id string) error {
	table := map[string]string{"asset_id": "asset", "system_id": "system"}[field]
	var status string
	err := tx.QueryRow(ctx, "SELECT status FROM "+table+" WHERE organization_id = current_organization() AND id = $1::uuid FOR NO KEY UPDATE",
		id).Scan(&status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return effects.Named(fault.NotFound(table, id), field, id)
	case err != nil:
		return err
	case status == "decommissioned" || status == "disposed":
		return fault.Conflict(table+"_retired", field, id, "The %s is %s, so nothing can be done to it any more; leave it out.", table, status)
	}
	return nil
}

// successorOf is what is sent to those whose records stand on an asset that is replaced.
func successorOf(in effects.Instruction, old, successor string) []effects.Instruction {
	var all []effects.Instruction
	for _, field := range []string{"pm_plans_of", "meters_of"} {
		all = append(all, effects.Instruction{ID: newEffectID(), Kind: catalogue.MoveToSuccessor, Stage: effects.Completed, On: in.On,
			Cause: in.Cause, Payload: map[string]any{field: old, "successor_id": successor}})
	}
	return all
}
