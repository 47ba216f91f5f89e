package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// planned is an organization that planning is measured with.
type planned struct {
	elements int
	client   *ams.Client
	id       string
	pid      int

	inventory, run    string
	freeze, calculate time.Duration
	peak              float64 // of the service while it did both, in MB above what it had before
}

// planningYears is over how many years scenarios are calculated.
const planningYears = 25

// maxPlanned is how many assets an inventory may have, beside its buildings.
const maxPlanned = 499_000

// elementsPlanned is how many assets the largest organization has; one has a fifth, one a fiftieth.
func (b *bench) elementsPlanned() int { return min(b.rows/2, maxPlanned) }

// measurePlanning measures how inventories are frozen and scenarios calculated over them, and what an answer about a run costs.
func (b *bench) measurePlanning(ctx context.Context) error {
	b.measureEngine(ctx)
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	var all []planned
	for _, part := range []int{50, 5, 1} {
		one := planned{elements: b.elementsPlanned() / part, pid: b.description.PIDs["planning-1"]}
		if err := b.plan(ctx, db, &one); err != nil {
			return err
		}
		b.logf("planning: %d assets are frozen in %.1f s, %d scenarios of %d years calculated in %.1f s, with %.0f MB", one.elements,
			one.freeze.Seconds(), len(planningScenarios), planningYears, one.calculate.Seconds(), one.peak)
		all = append(all, one)
	}
	some, many := &all[0], &all[1]
	b.report.atMost(fmt.Sprintf("scenarios of %d assets ÷ linear from %d", many.elements, some.elements),
		many.calculate.Seconds()/some.calculate.Seconds()/float64(many.elements/some.elements), "times", 1.2)
	b.report.atMost(fmt.Sprintf("freezing %d assets", many.elements), many.freeze.Seconds(), "s", 10)
	b.report.atMost(fmt.Sprintf("%d scenarios of %d assets, from their order to completed", len(planningScenarios), many.elements),
		many.calculate.Seconds(), "s", 10)
	b.report.atMost(fmt.Sprintf("memory to freeze and calculate %d assets", many.elements), many.peak, "MB", 256)
	b.report.atMost(fmt.Sprintf("memory to freeze and calculate %d assets", all[2].elements), all[2].peak, "MB", 1280)
	return b.measureRunQueries(ctx, db, many)
}

// planningScenarios are the five questions of a council; what the funds have is in dollars a year for each asset.
var planningScenarios = []map[string]any{
	{"name": "Nothing", "kind": "do_nothing"}, {"name": "Unlimited", "kind": "unlimited"}, {"name": "Budget", "kind": "budget"},
	{"name": "Keep", "kind": "keep_level", "target": map[string]any{"metric": "avg_condition"}},
	{"name": "Risk", "kind": "budget", "objective": "risk"},
}

// plan makes an organization with so many assets, freezes them and has the scenarios calculated.
func (b *bench) plan(ctx context.Context, db *pgx.Conn, of *planned) (err error) {
	var key string
	if of.id, key, err = b.neighbour(ctx); err != nil {
		return err
	}
	of.client = ams.NewClient(b.description.BaseURL, key)
	if _, err := db.Exec(ctx, "SET search_path = assets; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
		return err
	}
	if err := fillOrganization(ctx, db, of.id, of.elements); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "VACUUM (ANALYZE) asset, site, building"); err != nil {
		return err
	}
	scenarios, err := of.catalogue(ctx)
	if err != nil {
		return err
	}
	if err := resetPeak(of.pid); err != nil {
		return err
	}
	idle := memory(of.pid, "VmRSS")
	began := time.Now()
	if of.inventory, err = of.create(ctx, "inventories", map[string]any{"name": "Bench"}); err != nil {
		return err
	}
	if err := of.ended(ctx, "inventories", of.inventory, "ready"); err != nil {
		return err
	}
	of.freeze = time.Since(began)
	began = time.Now()
	if of.run, err = of.create(ctx, "runs", map[string]any{"scenario_ids": scenarios, "inventory_id": of.inventory}); err != nil {
		return err
	}
	if err := of.ended(ctx, "runs", of.run, "completed"); err != nil {
		return err
	}
	of.calculate, of.peak = time.Since(began), memory(of.pid, "VmHWM")-idle
	return nil
}

func (p *planned) create(ctx context.Context, collection string, record map[string]any) (string, error) {
	var made struct{ ID string }
	err := p.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/planning/" + collection, Body: record}, &made)
	return made.ID, err
}

// ended waits for an inventory or a run.
func (p *planned) ended(ctx context.Context, collection, id, state string) error {
	var job struct {
		State   string
		Problem *struct{ Message string }
	}
	for job.State != state {
		if job.State == "failed" {
			return fmt.Errorf("planning %s: %s", collection, job.Problem.Message)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		if err := p.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/planning/" + collection + "/" + id}, &job); err != nil {
			return err
		}
	}
	return nil
}

// catalogue writes a class for each category with a model and two treatments, and the scenarios.
func (p *planned) catalogue(ctx context.Context) (scenarios []string, err error) {
	model, err := p.create(ctx, "deterioration-models", map[string]any{"name": "Curve", "kind": "curve", "end_condition": 20, "exponent": 1.4})
	if err != nil {
		return nil, err
	}
	for _, category := range []string{"hvac", "plumbing", "electrical", "shell"} {
		class, err := p.create(ctx, "asset-classes", map[string]any{"name": category, "service_category": "facilities", "applies_to": "asset",
			"match": []map[string]any{{"category": category}}, "default_useful_life_years": 25, "model_id": model})
		if err != nil {
			return nil, err
		}
		var treatments []string
		for _, t := range []map[string]any{
			{"name": "Overhaul", "kind": "rehabilitation", "cost_basis": "pct_of_replacement", "cost": 25,
				"trigger": map[string]any{"condition_min": 40, "condition_max": 65, "max_applications": 1}, "effect": map[string]any{"add_points": 25}},
			{"name": "Replacement", "kind": "replacement", "cost_basis": "pct_of_replacement", "cost": 100,
				"trigger": map[string]any{"condition_max": 40}},
		} {
			t["asset_class_id"] = class
			id, err := p.create(ctx, "treatments", t)
			if err != nil {
				return nil, err
			}
			treatments = append(treatments, id)
		}
		if _, err := p.create(ctx, "strategies",
			map[string]any{"name": category, "asset_class_id": class, "treatment_ids": treatments, "is_default": true}); err != nil {
			return nil, err
		}
	}
	for _, question := range planningScenarios {
		s := map[string]any{"starts_on": "2027-01-01", "years": planningYears}
		for key, value := range question {
			s[key] = value
		}
		if s["kind"] == "budget" {
			s["funds"] = []map[string]any{{"code": "levy", "source_type": "levy", "growth_pct": 2,
				"amounts": []map[string]any{{"year": 2027, "amount": 600 * p.elements}}}}
		}
		id, err := p.create(ctx, "scenarios", s)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, id)
	}
	return scenarios, nil
}

// measureRunQueries queries the run: first what no call has read before, then what one has, and one element.
func (b *bench) measureRunQueries(ctx context.Context, db *pgx.Conn, of *planned) error {
	var stored float64
	if err := db.QueryRow(ctx, `SELECT sum(length(outcomes)) / 1e6 / $2
		FROM planning.run_block WHERE run_id = $1`, of.run, len(planningScenarios)).Scan(&stored); err != nil {
		return err
	}
	b.report.atMost(fmt.Sprintf("results of a scenario of %d assets, kept", of.elements), stored, "MB", 40)
	var code struct{ Code string }
	var run struct {
		ScenarioIDs []string `json:"scenario_ids"`
	}
	var elements struct {
		Data []struct {
			ID string `json:"element_id"`
		}
	}
	for path, into := range map[string]any{"/v1/planning/runs/" + of.run: &run,
		"/v1/planning/inventories/" + of.inventory + "/elements?per_page=1": &elements} {
		if err := of.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path}, into); err != nil {
			return err
		}
	}
	if err := of.client.Request(ctx,
		ams.Request{Method: http.MethodGet, Path: "/v1/planning/scenarios/" + run.ScenarioIDs[2]}, &code); err != nil {
		return err
	}
	for _, question := range []struct {
		name, path string
		limit      float64
	}{
		{"the groups of a scenario, asked first", "/groups?by=class&scenario=" + code.Code, 2},
		{"the groups of a scenario, asked again", "/groups?by=site&scenario=" + code.Code, 1},
		{"one element of a scenario", "/elements/" + elements.Data[0].ID + "?scenario=" + code.Code, 0.05},
	} {
		began := time.Now()
		if err := of.client.Request(ctx,
			ams.Request{Method: http.MethodGet, Path: "/v1/planning/runs/" + of.run + question.path}, nil); err != nil {
			return err
		}
		b.report.atMost(fmt.Sprintf("%s, of %d assets", question.name, of.elements), time.Since(began).Seconds(), "s", question.limit)
	}
	return nil
}
