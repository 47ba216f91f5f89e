package planning

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// PlanningRun is scenarios that are calculated over one inventory, so that they can be compared.
type PlanningRun struct {
	resource.Record
	Name  string  `json:"name" default:"-" minLength:"1" maxLength:"200" filter:"prefix" sort:"true" search:"name" doc:"What people call it; named after the day when left out." example:"Conseil du 8 décembre"`
	Code  *string `json:"code" maxLength:"50" unique:"true" auto:"RUN-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"RUN-0001"`
	Notes *string `json:"notes" maxLength:"5000" doc:"Anything else." example:"With the grant of the province"`

	ScenarioIDs []string `json:"scenario_ids" required:"true" references:"scenarios" maxItems:"20" uniqueItems:"true" filter:"contains" doc:"What is calculated: 1 to 20 scenarios. They, the classes, models, treatments and strategies are kept as they are when the run is ordered; it is not changed afterwards." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	InventoryID *string  `json:"inventory_id" references:"planning_inventories" filter:"equals" doc:"Over what. One is frozen now when left out. It is not changed afterwards." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`

	State         string   `json:"state" readOnly:"true" enum:"queued,running,cancelling,cancelled,completed,failed" filter:"equals" sort:"true" doc:"queued, running, then completed, cancelled or failed." example:"completed"`
	ProgressPct   int      `json:"progress_pct" readOnly:"true" unit:"percent" doc:"How much is calculated." example:"100"`
	EngineVersion *string  `json:"engine_version" readOnly:"true" doc:"The rules that it is calculated by." example:"1"`
	InputSHA256   *string  `json:"input_sha256" readOnly:"true" doc:"Hash of inventory, catalogue, scenarios and engine version: the same input has the same." example:"9f2c…"`
	ResultSHA256  *string  `json:"result_sha256" readOnly:"true" doc:"Hash of all results: the same input gives the same results, bit for bit." example:"1b3d…"`
	Problem       *Problem `json:"problem" readOnly:"true" doc:"Of a failed one: why."`
	StartedAt     *string  `json:"started_at" readOnly:"true" format:"date-time" doc:"When its calculation began."`
	FinishedAt    *string  `json:"finished_at" readOnly:"true" format:"date-time" doc:"When it ended."`
	Projects      int      `json:"projects" readOnly:"true" filter:"range" doc:"How many projects were made of it." example:"0"`
}

func (p *planning) runs() resource.Definition[PlanningRun] {
	became := func(state string) resource.Emits[PlanningRun] {
		return resource.WhenUpdated(func(before, after *PlanningRun) bool { return before.State != state && after.State == state })
	}
	return resource.Definition[PlanningRun]{
		Collection: "planning_runs", Table: "run", NaturalKey: "code",
		Computed: map[string]string{"progress_pct": `CASE WHEN t.state = 'completed' THEN 100 ELSE coalesce((SELECT j.progress_pct FROM job j
			WHERE j.organization_id = t.organization_id AND j.id = t.id), 0) END`},
		BeforeWrite: p.prepareRuns,
		AfterWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PlanningRun]) error {
			for _, c := range changes {
				if c.After == nil {
					if err := done(ctx, tx, c.ID()); err != nil { // one that waits is not calculated any more
						return err
					}
				}
				if c.Before != nil {
					continue
				}
				if err := keepDefinitions(ctx, tx, c.ID(), c.After.ScenarioIDs); err != nil {
					return err
				}
				if err := p.queue(ctx, tx, "run", []string{c.ID()}); err != nil {
					return err
				}
			}
			return nil
		},
		Events: map[string]resource.Emits[PlanningRun]{
			"planning_run.completed": became("completed"), "planning_run.failed": became("failed"),
			"planning_run.promoted": resource.WhenUpdated(func(before, after *PlanningRun) bool { return after.Projects > before.Projects }),
		},
	}
}

func (p *planning) prepareRuns(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PlanningRun]) error {
	making := 0
	for _, c := range changes {
		switch {
		case c.Before == nil:
			making++
			if err := p.prepareRun(ctx, tx, c); err != nil {
				return err
			}
		case c.After == nil:
			if err := checkDelete(ctx, tx, c); err != nil {
				return err
			}
		default:
			if c.Sets("scenario_ids") && !slices.Equal(c.Before.ScenarioIDs, c.After.ScenarioIDs) {
				c.FieldError("scenario_ids", "cannot be changed: what was calculated is kept; order another run")
			}
			if c.Sets("inventory_id") && !resource.Same(c.Before.InventoryID, c.After.InventoryID) {
				c.FieldError("inventory_id", "cannot be changed: what was calculated is kept; order another run")
			}
		}
	}
	if err := within(ctx, tx, "run", making, maxRuns, "runs", changes); err != nil || making == 0 {
		return err
	}
	var waiting int
	if err := tx.QueryRow(ctx,
		"SELECT count(*) FROM run WHERE organization_id = current_organization() AND state = 'queued'").Scan(&waiting); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before == nil {
			if waiting++; waiting > maxQueued {
				c.Reject(fault.Conflict("too_many_waiting", "state", "queued", "At most %d runs wait; order more when some are done.", maxQueued))
			}
		}
	}
	return nil
}

// prepareRun completes a new run; without an inventory one is frozen for it.
func (p *planning) prepareRun(ctx context.Context, tx pgx.Tx, c *resource.Change[PlanningRun]) error {
	r := c.After
	r.State, r.Name = "queued", named(ctx, r.Name, "Run")
	if len(r.ScenarioIDs) == 0 {
		c.FieldError("scenario_ids", "must have at least one scenario")
		return nil
	}
	if r.InventoryID != nil {
		states, err := column(ctx, tx, "inventory", "state", []string{*r.InventoryID})
		if err == nil && states[*r.InventoryID] == "failed" {
			c.Reject(fault.Conflict("inventory_failed", "inventory_id", *r.InventoryID,
				"The inventory was not read whole; freeze another, or leave inventory_id out."))
		}
		return err
	}
	if missing := missingScopes(principal.From(ctx)); missing != nil {
		c.Reject(cannotRead(ctx, missing))
		return nil
	}
	id, err := p.registry.Create(ctx, tx, "planning_inventories", "", map[string]any{"name": r.Name})
	r.InventoryID = &id
	return err
}

// checkDelete rejects deleting a run that is being calculated, or that projects were made of.
func checkDelete(ctx context.Context, tx pgx.Tx, c *resource.Change[PlanningRun]) error {
	if state := c.Before.State; state == "running" || state == "cancelling" {
		c.Reject(fault.Conflict("being_calculated", "state", state, "The run is being calculated; cancel it first."))
		return nil
	}
	var projects int
	err := tx.QueryRow(ctx, "SELECT count(DISTINCT project_id) FROM promotion WHERE organization_id = current_organization() AND run_id = $1",
		c.ID()).Scan(&projects)
	if err == nil && projects > 0 {
		c.Reject(fault.StillInUse("id", c.ID(), map[string]int{"projects": projects},
			"Projects were made of the run; they say why they were chosen by it."))
	}
	return err
}
