package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

// planningKilling shows that planning comes to the same results whatever is killed: inventories are frozen, runs calculated and what they
// chose promoted to projects, while the processes are killed that do it, and those whose records they read and make.
type planningKilling struct {
	kills, assets, replications int
	folder                      string
	logf                        func(format string, args ...any)

	stack     *devstack.Stack
	client    *ams.Client
	scenarios []string

	mu    sync.Mutex
	now   string // what is being done
	step  int    // its number
	since time.Time
	took  map[string]time.Duration // what took how long before anything was killed
}

// planningReport is what was found.
type planningReport struct {
	Kills    map[string]int // by what was being done
	Rounds   int
	Projects int
	Wrong    []string
}

func (p *planningKilling) measure(ctx context.Context, out io.Writer) error {
	found, err := p.carryOut(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Planning: %d times %d assets were frozen, calculated and promoted, to %d projects, killed while it %v; "+
		"%d things are wrong\n", found.Rounds, p.assets, found.Projects, found.Kills, len(found.Wrong))
	return found.verdict()
}

func (r *planningReport) verdict() error { return promised(r.Wrong) }

func (p *planningKilling) carryOut(ctx context.Context) (found *planningReport, err error) {
	defer func() {
		if p.stack != nil {
			p.stack.Stop()
			err = errors.Join(err, devstack.Drop(p.folder))
		}
	}()
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	found = &planningReport{Kills: map[string]int{}}
	first, err := p.round(ctx)
	if err != nil {
		return nil, err
	}
	killing, done := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() {
		defer done()
		p.killAll(killing, found)
	})
	for found.Rounds = 1; killing.Err() == nil && err == nil; found.Rounds++ {
		var again planned
		if again, err = p.round(ctx); err == nil && again != first {
			found.Wrong = append(found.Wrong, fmt.Sprintf("the round %d came to %+v, the first to %+v", found.Rounds, again, first))
		}
	}
	done()
	beside.Wait()
	if err != nil {
		return nil, err
	}
	return found, p.compare(ctx, found, first)
}

// start starts the stack, and makes the organization with its assets and its catalogue.
func (p *planningKilling) start(ctx context.Context) error {
	var err error
	if p.stack, err = startEmpty(ctx, devstack.Options{Folder: p.folder, Gateways: 1, Instances: 2, Discovery: "consul"}); err != nil {
		return err
	}
	organization, err := load.NewAdmin(p.stack.Description()).Unlimited(ctx, 0, 5)
	if err != nil {
		return err
	}
	p.client = organization.Client()
	for made := 0; made < p.assets; made += 500 {
		rows := make([]ams.Record, min(500, p.assets-made))
		for i := range rows {
			n := made + i
			rows[i] = ams.Record{"name": fmt.Sprintf("Pompe %d", n), "category": "hvac", "replacement_cost": 1000 + 37*n,
				"install_date": fmt.Sprintf("%d-06-01", 1985+n%40), "expected_useful_life_years": 20 + n%15, "condition_rating": 1 + n%5}
		}
		if err := p.client.Request(ctx,
			ams.Request{Method: http.MethodPost, Path: "/v1/assets/bulk", Body: ams.Record{"data": rows}}, nil); err != nil {
			return err
		}
	}
	return p.catalogue(ctx)
}

func (p *planningKilling) catalogue(ctx context.Context) error {
	var failed error
	create := func(collection string, record ams.Record) any {
		if failed != nil {
			return nil
		}
		made, err := p.client.Collection("/v1/planning/"+collection).Create(ctx, record)
		if failed = err; err != nil {
			return nil
		}
		return (*made)["id"]
	}
	model := create("deterioration-models", ams.Record{"name": "Courbe", "kind": "curve"})
	fails := create("deterioration-models", ams.Record{"name": "Pannes", "kind": "weibull", "shape": 2.5})
	class := create("asset-classes", ams.Record{"name": "CVC", "service_category": "facilities", "applies_to": "asset",
		"match": []ams.Record{{"category": "hvac"}}, "model_id": model, "failure_model_id": fails})
	replacement := create("treatments", ams.Record{"name": "Remplacement", "asset_class_id": class, "kind": "replacement",
		"cost_basis": "pct_of_replacement", "cost": 100, "trigger": ams.Record{"condition_max": 40}})
	create("strategies", ams.Record{"name": "Remplacer", "asset_class_id": class, "treatment_ids": []any{replacement}, "is_default": true})
	for _, s := range []ams.Record{
		{"kind": "budget", "code": "BUDGET", "replications": p.replications, "seed": 7, "funds": []ams.Record{{"code": "levy",
			"source_type": "levy", "growth_pct": 2, "amounts": []ams.Record{{"year": 2027, "amount": 500 * p.assets}}}}},
		{"kind": "unlimited", "code": "ALL"},
	} {
		s["name"], s["starts_on"], s["years"] = s["code"], "2027-01-01", 50
		p.scenarios = append(p.scenarios, fmt.Sprint(create("scenarios", s)))
	}
	return failed
}

// planned is what a round comes to.
type planned struct {
	Inventory, Result string // hashes
	Projects          int
}

// promotedYears are the years whose interventions become projects.
var promotedYears = []int{2027, 2028, 2029}

// round freezes an inventory, calculates a run over it and promotes some years of it.
func (p *planningKilling) round(ctx context.Context) (come planned, err error) {
	p.does("freezes")
	inventory, frozen, err := p.job(ctx, "/v1/planning/inventories", ams.Record{"name": "Frozen"}, "ready")
	if err != nil {
		return come, err
	}
	p.does("calculates")
	run, done, err := p.job(ctx, "/v1/planning/runs", ams.Record{"scenario_ids": p.scenarios, "inventory_id": inventory}, "completed")
	if err != nil {
		return come, err
	}
	p.does("promotes")
	promotion := ams.Request{Method: http.MethodPost, Path: "/v1/planning/runs/" + run + "/promote",
		Body: ams.Record{"scenario": "ALL", "years": promotedYears, "group_by": "element"}}
	if err := insist(ctx, func() error {
		return except(p.client.Request(ctx, promotion, nil), "promoted_before") // by a call whose response was lost
	}); err != nil {
		return come, err
	}
	p.does("is looked at")
	after := ams.Record{}
	err = insist(ctx, func() error { return p.client.Request(ctx, ams.Request{Path: "/v1/planning/runs/" + run}, &after) })
	projects, _ := after["projects"].(float64)
	return planned{fmt.Sprint(frozen["sha256"]), fmt.Sprint(done["result_sha256"]), int(projects)}, err
}

// job orders an inventory or a run, and waits until it is done.
func (p *planningKilling) job(ctx context.Context, path string, body ams.Record, state string) (id string, record ams.Record, err error) {
	err = insist(ctx, func() error {
		made, err := p.client.Collection(path).Create(ctx, body)
		if err == nil {
			id = fmt.Sprint((*made)["id"])
		}
		return err
	})
	for err == nil && record["state"] != state {
		if record["state"] == "failed" {
			return id, nil, fmt.Errorf("%s failed: %v", path, record["problem"])
		}
		time.Sleep(20 * time.Millisecond)
		err = insist(ctx, func() error {
			record = ams.Record{}
			return p.client.Request(ctx, ams.Request{Path: path + "/" + id}, &record)
		})
	}
	return id, record, err
}

// insist tries until it is answered.
func insist(ctx context.Context, try func() error) error {
	began := time.Now()
	for {
		err := try()
		if err == nil || ctx.Err() != nil || time.Since(began) > maxRecovery {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (p *planningKilling) does(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.took == nil {
		p.took = map[string]time.Duration{}
	}
	if p.step > 0 {
		p.logf("it %s for %s", p.now, time.Since(p.since).Round(10*time.Millisecond))
		if _, known := p.took[p.now]; !known {
			p.took[p.now] = time.Since(p.since)
		}
	}
	p.since = time.Now()
	p.now = what
	p.step++
}

// killedIn are what is being done when something is killed.
var killedIn = []string{"freezes", "calculates", "promotes"}

// killsOfStep is how often something is killed while one thing is done, so that it comes to an end.
const killsOfStep = 2

// killAll kills instances of planning, and at every fourth time one of those that have its records or make its projects: at any moment of
// what is done, by how long that takes, and each of it once at least.
func (p *planningKilling) killAll(ctx context.Context, found *planningReport) {
	step, killed := 0, 0 // times in that step
	for n := 0; n < p.kills || !hit(found.Kills); {
		p.mu.Lock()
		now, what, longest := p.step, p.now, p.took[p.now]
		p.mu.Unlock()
		if now != step {
			step, killed = now, 0
		}
		if sleep(ctx, rand.N(max(longest, 10*time.Millisecond))) != nil {
			return
		}
		if killed == killsOfStep || !slices.Contains(killedIn, what) {
			continue
		}
		victim := "planning-"
		if n%4 == 3 {
			victim = []string{"assets-", "projects-"}[n/4%2]
		}
		if name := killOneOf(p.stack, victim); name != "" {
			p.mu.Lock()
			found.Kills[p.now]++ // which may be the next by now
			p.logf("%3d of %d: killed %s while it %s", n+1, p.kills, name, p.now)
			p.mu.Unlock()
			n++
			killed++
		}
	}
}

// hit says whether something was killed in each of what it is to be killed in.
func hit(kills map[string]int) bool {
	return !slices.ContainsFunc(killedIn, func(what string) bool { return kills[what] == 0 })
}

func sleep(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// compare looks for what was left over, and what is there twice.
func (p *planningKilling) compare(ctx context.Context, found *planningReport, first planned) error {
	db, err := awaitDatabase(ctx, p.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))          //nolint:errcheck // nothing is owed to anybody
	for waiting, began := 1, time.Now(); waiting > 0; { // orders whose response was lost are carried out as well
		if err := db.QueryRow(ctx, "SELECT count(*) FROM planning.job").Scan(&waiting); err != nil {
			return err
		}
		if waiting > 0 && sleep(ctx, 100*time.Millisecond) != nil || time.Since(began) > maxRecovery {
			found.Wrong = append(found.Wrong, fmt.Sprintf("%d jobs are left", waiting))
			break
		}
	}
	for what, sql := range map[string]string{
		"blocks of inventories that are not ready": `SELECT count(*) FROM planning.inventory_block b
			JOIN planning.inventory i ON i.id = b.inventory_id WHERE i.state <> 'ready'`,
		"parts of runs that are not completed": `SELECT count(*) FROM planning.run_part b JOIN planning.run r ON r.id = b.run_id
			WHERE r.state <> 'completed'`,
		"blocks of runs that are not completed": `SELECT count(*) FROM planning.run_block b JOIN planning.run r ON r.id = b.run_id
			WHERE r.state <> 'completed'`,
		"blocks that no part has": `SELECT count(*) FROM planning.run_block b
			WHERE NOT EXISTS (SELECT FROM planning.run_part p WHERE p.run_id = b.run_id AND p.scenario = b.scenario)`,
	} {
		var left int
		if err := db.QueryRow(ctx, sql).Scan(&left); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if left > 0 {
			found.Wrong = append(found.Wrong, fmt.Sprintf("%d %s are left", left, what))
		}
	}
	var promoted int
	if err := db.QueryRow(ctx, `SELECT (SELECT count(*) FROM projects.project),
		(SELECT count(DISTINCT project_id) FROM planning.promotion)`).Scan(&found.Projects, &promoted); err != nil {
		return err
	}
	if found.Projects != promoted || promoted != found.Rounds*first.Projects {
		found.Wrong = append(found.Wrong, fmt.Sprintf("there are %d projects; %d were promoted, and %d rounds promote %d each", found.Projects,
			promoted, found.Rounds, first.Projects))
	}
	return nil
}
