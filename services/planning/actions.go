package planning

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

// RunRequest names a run.
type RunRequest struct {
	ID string `path:"id" format:"uuid" doc:"The run."`
}

// CancelledRun is where a run is after an action.
type CancelledRun struct {
	ID    string `json:"id" format:"uuid" doc:"The run."`
	State string `json:"state" doc:"Its state now." example:"cancelling"`
}

// Verification is what calculating a run again has come to.
type Verification struct {
	Identical            bool   `json:"identical" doc:"Whether every figure and every decision is the same, bit for bit." example:"true"`
	EngineVersionDiffers bool   `json:"engine_version_differs" doc:"Whether the rules are another version than those of the run: then differences are no error." example:"false"`
	ResultSHA256         string `json:"result_sha256" doc:"Hash of what was calculated now." example:"1b3d…"`
}

func (p *planning) mountRunActions() {
	transport.Post(p.registry.API, transport.Operation{Path: runPath + "/cancel", ID: "cancel_planning_run", Scope: "planning:write",
		Feature: "planning", Summary: "Cancel a run", Description: "One that waits is cancelled at once, one that is being calculated between " +
			"two years; it has no results then. 409 for one that has ended."}, p.cancel)
	transport.Post(p.registry.API, transport.Operation{Path: runPath + "/verify",
		ID: "verify_planning_run", Scope: "planning:write", Feature: "planning", Deadline: readTimeout,
		Summary: "Calculate a run again, and say whether the results are the same", Description: "From the frozen inventory and the catalogue " +
			"that the run has kept. Nothing is written. 409 until the run is completed."}, p.verify)
	p.mountPromotion()
}

func (p *planning) cancel(ctx context.Context, in RunRequest) (out CancelledRun, err error) {
	out.ID = in.ID
	err = p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var state string
		var begun *string
		err := tx.QueryRow(ctx, `SELECT r.state, j.begun_at::text FROM run r LEFT JOIN job j ON j.organization_id = r.organization_id
			AND j.id = r.id
			WHERE r.organization_id = current_organization() AND r.id = $1 FOR UPDATE OF r`, in.ID).Scan(&state, &begun)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.NotFound("planning run", in.ID)
		case err != nil:
			return err
		case state == "queued" && begun == nil:
			out.State = "cancelled"
			return p.ended(ctx, tx, in.ID, "cancelled", nil)
		case state == "queued" || state == "running" || state == "cancelling":
			out.State = "cancelling"
			return resource.Edit(ctx, tx, p.registry, "planning_runs", in.ID, func(r *PlanningRun) { r.State = "cancelling" })
		}
		return fault.Conflict("ended", "state", state, "The run has ended: it is %s.", state)
	})
	return out, err
}

// verify calculates all parts again, and compares their hashes with the stored ones.
func (p *planning) verify(ctx context.Context, in RunRequest) (out Verification, err error) {
	err = p.inTurn(ctx, p.verifications, func() error {
		out, err = p.calculateAgain(ctx, in.ID)
		return err
	})
	return out, err
}

func (p *planning) calculateAgain(ctx context.Context, run string) (out Verification, err error) {
	c := &calculation{planning: p, run: run}
	var stored map[part]string
	var version string
	var elements int
	var r *result
	err = p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if r, err = resultOf(ctx, tx, run); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT elements + left_out FROM inventory WHERE organization_id = current_organization() AND id = $1",
			r.inventory).Scan(&elements)
	})
	if err != nil {
		return out, err
	}
	free, err := p.turns.take(ctx, elements)
	if err != nil {
		return out, err
	}
	defer free()
	err = p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, err := readInventory(ctx, tx, r.inventory)
		if err != nil {
			return err
		}
		c.scenarios, c.assembly = r.definitions.Scenarios, newAssembly(r.definitions, all)
		if stored, err = partsOf(ctx, tx, run); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT engine_version FROM run WHERE organization_id = current_organization() AND id = $1", run).Scan(&version)
	})
	if err != nil {
		return out, err
	}
	now := map[part]string{}
	for n := range c.scenarios {
		m := c.assembly.scenario(&c.scenarios[n])
		d, err := c.decide(ctx, m, false)
		if err != nil {
			return out, err
		}
		text, err := json.Marshal(d.figures)
		if err != nil {
			return out, err
		}
		now[part{n, 0}] = d.outcomes.hash(text)
		for replication := 1; replication <= c.scenarios[n].Replications; replication++ {
			years, err := engine.Replicate(ctx, &m.input, &m.scenario, d.done, replication)
			if err != nil {
				return out, err
			}
			if text, err = json.Marshal(years); err != nil {
				return out, err
			}
			now[part{n, replication}] = (&outcomes{}).hash(text)
		}
	}
	out.ResultSHA256, out.EngineVersionDiffers = resultHash(now), version != engine.Version
	out.Identical = out.ResultSHA256 == resultHash(stored)
	return out, nil
}

// may says whether the caller has a scope, and a 403 if not.
func may(ctx context.Context, scope string) error {
	if principal.From(ctx).Allows(scope) {
		return nil
	}
	return endpoint.ScopeMissing(principal.From(ctx), scope, "The key needs %s as well.", scope)
}
