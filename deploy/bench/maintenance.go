package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/libs/localport"
)

const (
	// plansDue is how many plans fall due at once, of targetsOfPlan targets each at most.
	plansDue, targetsOfPlan = 20, 2500
	// plansOfTenYears is how many monthly plans a forecast of ten years is asked for.
	plansOfTenYears = 1000
	// deficienciesOfAsset is how many deficiencies each asset has.
	deficienciesOfAsset = 5
	// effectsTimed is how many effects are followed from the commit to their owner, and effectsHeld how many wait for one that is away.
	effectsTimed, effectsHeld = 20, 20
	// ownerOutage is how long the owner is unavailable: longer than the sender's pauses grow.
	ownerOutage = 10 * time.Second
)

// maintained is an organization that maintenance is measured with.
type maintained struct {
	id, key, jobPlan string
	client           *ams.Client
}

// measureMaintenance measures what deficiencies add to summaries, how plans are found, forecast and made into work, and how soon effects
// are applied.
func (b *bench) measureMaintenance(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	idle := memory(b.description.PIDs["workorders-1"], "VmRSS")
	found, plain, err := b.fillMaintenance(ctx, db)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.measureDeficiencies(ctx, db, found, plain) },
		func() error { return b.measureDueQuery(ctx, db) },
		func() error { return b.measureForecasts(ctx, found, plain) },
		func() error { return b.measureEffects(ctx, db, found) },
		func() error { return b.measurePlanner(ctx, db, plain, idle) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// measureDeficiencies compares the figures of the same assets with deficiencies and without, in the same rounds, by the processor time of
// all programs, which other users of the machine do not change.
func (b *bench) measureDeficiencies(ctx context.Context, db *pgx.Conn, found, plain maintained) error {
	for _, f := range []struct{ name, path string }{
		{"summary of a site of all assets", "/summary?horizon_years=5"}, {"state of all assets", "/v1/reports/state-of-assets?horizon_years=5"},
	} {
		var measures []func() (metrics, error)
		for _, of := range []struct {
			maintained
			name string
		}{{found, ", with deficiencies"}, {plain, ", without"}} {
			path := f.path
			if strings.HasPrefix(path, "/summary") {
				sites, err := ids(ctx, db, "SELECT id::text FROM assets.site WHERE organization_id = $1", of.id)
				if err != nil {
					return err
				}
				path = "/v1/sites/" + sites[0] + path
			}
			measures = append(measures, b.timed(ctx, of.key, f.name+of.name, path))
		}
		results, err := medians(b.rounds, measures...)
		if err != nil {
			return err
		}
		b.report.add(results...)
		b.report.noFailures(results[0])
		b.report.noFailures(results[1])
		b.logf("%s: %.0f ms with deficiencies, %.0f ms without", f.name, results[0].P50, results[1].P50)
		b.report.atMost(f.name+", with deficiencies ÷ without, processor time", total(results[0].CPU)/total(results[1].CPU), "times", 1.2)
	}
	return nil
}

// measureDueQuery takes the time of the planner's query for what is due, as its service sends it, while nothing is.
func (b *bench) measureDueQuery(ctx context.Context, db *pgx.Conn) error {
	var times []time.Duration
	for range 21 {
		var due int
		began := time.Now()
		if err := db.QueryRow(ctx, "SELECT count(*) FROM workorders.planner_due(200)").Scan(&due); err != nil {
			return err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.report.atMost(fmt.Sprintf("look of the planner among %d plans", b.plansMaintained()), milliseconds(times, 0.5), "ms", 50)
	b.logf("a look of the planner takes %.2f ms", milliseconds(times, 0.5))
	return nil
}

// measureForecasts takes time and memory of the forecast of a year of many plans, and of ten years of some.
func (b *bench) measureForecasts(ctx context.Context, some, many maintained) error {
	service := b.description.PIDs["workorders-1"]
	measure := func(of maintained, years int, query string) (seconds, grown float64, err error) {
		idle := memory(service, "VmRSS")
		if err := resetPeak(service); err != nil {
			return 0, 0, err
		}
		first := time.Now()
		var forecast struct {
			Total struct {
				WorkOrders int `json:"work_orders"`
			}
		}
		err = of.client.Request(ctx,
			ams.Request{Method: http.MethodGet, Timeout: time.Minute, Path: fmt.Sprintf("/v1/maintenance/forecast?from=%s&to=%s%s",
				first.Format(time.DateOnly), first.AddDate(years, 0, -1).Format(time.DateOnly), query)}, &forecast)
		if err == nil && forecast.Total.WorkOrders == 0 {
			err = errors.New("a forecast has no work in it")
		}
		return time.Since(first).Seconds(), memory(service, "VmHWM") - idle, err
	}
	for _, by := range []string{"month", "site", "plan"} {
		seconds, grown, err := measure(many, 1, "&group_by="+by)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("forecast of a year of %d plans by %s", b.plansMaintained(), by)
		b.report.atMost(name, seconds, "s", 30)
		b.report.atMost("memory of the service, more than before, "+name, grown, "MB", 64)
		b.logf("%s: %.1f s, %.0f MB more", name, seconds, grown)
	}
	seconds, _, err := measure(some, 10, "")
	b.report.atMost(fmt.Sprintf("forecast of ten years of %d monthly plans", plansOfTenYears), seconds, "s", 3)
	b.logf("forecast of ten years of %d plans: %.2f s", plansOfTenYears, seconds)
	return err
}

// measureEffects takes the time from the completion of work to the correction of the deficiency that it closes, in another service; and
// from the return of that service, when it was away, until what waited has happened.
func (b *bench) measureEffects(ctx context.Context, db *pgx.Conn, of maintained) error {
	complete, err := b.closers(ctx, db, of, effectsTimed+effectsHeld)
	if err != nil {
		return err
	}
	corrected := func(n int) error {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			var done int
			if err := db.QueryRow(ctx, "SELECT count(*) FROM assets.deficiency WHERE organization_id = $1 AND status = 'corrected'",
				of.id).Scan(&done); err != nil || done == n {
				return err
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%d of %d effects are applied after a minute", done, n)
			}
		}
	}
	var times []time.Duration
	for i := range effectsTimed {
		if err := complete(i); err != nil {
			return err
		}
		committed := time.Now()
		if err := corrected(i + 1); err != nil {
			return err
		}
		times = append(times, time.Since(committed))
	}
	slices.Sort(times)
	b.report.atMost(fmt.Sprintf("effects applied after the commit, longest of %d", effectsTimed), milliseconds(times, 1)/1000, "s", 2)
	// Owners are asked before the commit. What is sent goes some seconds later for now, so that they can be gone by then.
	later := func(seconds int) error {
		_, err := db.Exec(ctx,
			fmt.Sprintf("ALTER TABLE workorders.effect_instruction ALTER due_at SET DEFAULT clock_timestamp() + interval '%d seconds'", seconds))
		return err
	}
	err = later(20)
	for i := range effectsHeld {
		err = errors.Join(err, complete(effectsTimed+i))
	}
	if err := errors.Join(err, later(0), b.stack.Halt(syscall.SIGKILL, "assets-1")); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "UPDATE workorders.effect_instruction SET due_at = clock_timestamp()"); err != nil {
		return err
	}
	time.Sleep(ownerOutage)
	if err := b.stack.Resume(ctx, "assets-1"); err != nil {
		return err
	}
	back := time.Now()
	if err := corrected(effectsTimed + effectsHeld); err != nil {
		return err
	}
	b.description = b.stack.Description()
	b.report.atMost(fmt.Sprintf("%d effects applied after their owner is back", effectsHeld), time.Since(back).Seconds(), "s", 10)
	b.logf("effects: applied %.0f ms after the commit (median), longest %.0f ms; %.1f s after their owner is back", milliseconds(times, 0.5),
		milliseconds(times, 1), time.Since(back).Seconds())
	return nil
}

// closers makes work orders that are in progress, each of which closes a deficiency when it is completed.
func (b *bench) closers(ctx context.Context, db *pgx.Conn, of maintained, n int) (complete func(i int) error, err error) {
	deficiencies, err := ids(ctx, db, "SELECT id::text FROM assets.deficiency WHERE organization_id = $1 ORDER BY position LIMIT $2", of.id, n)
	if err != nil {
		return nil, err
	}
	orders := make([]string, n)
	for i, deficiency := range deficiencies {
		var made struct{ ID string }
		if err := of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/work-orders", Body: map[string]any{"title": "Réparer",
			"status":  "in_progress",
			"effects": []any{map[string]any{"kind": "close_deficiency", "payload": map[string]any{"deficiency_id": deficiency}}}}},
			&made); err != nil {
			return nil, err
		}
		orders[i] = made.ID
	}
	return func(i int) error {
		return of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/work-orders/" + orders[i] + "/transition",
			Body: map[string]any{"to": "completed"}}, nil)
	}, nil
}

// measurePlanner lets plans of many targets fall due while two instances of the service begin to look, and compares how fast they make the
// work orders with calls that create as many. idle is what the service has in memory, in MB, before anybody asks anything.
func (b *bench) measurePlanner(ctx context.Context, db *pgx.Conn, of maintained, idle float64) error {
	due, err := b.plansOf(ctx, db, of)
	if err != nil {
		return err
	}
	created, err := b.createOrders(ctx, db, of, due)
	if err != nil {
		return err
	}
	if err := b.stack.Halt(syscall.SIGTERM, "workorders-1"); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, `UPDATE workorders.pm_plan SET status = 'active', planned_from = current_date, next_action_at = clock_timestamp()
		WHERE organization_id = $1 AND status = 'draft'`, of.id); err != nil {
		return err
	}
	var second *program
	failures := make([]error, 2)
	var starting sync.WaitGroup
	starting.Go(func() { failures[0] = b.stack.Resume(ctx, "workorders-1") })
	starting.Go(func() { second, failures[1] = b.startWorkOrders() })
	starting.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	defer second.stop()
	b.description = b.stack.Description()
	var took float64
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var made int
		if err := db.QueryRow(ctx, `SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8
			FROM workorders.pm_occurrence WHERE organization_id = $1 AND work_order_id IS NOT NULL`, of.id).Scan(&made, &took); err != nil {
			return err
		}
		if made == due {
			break
		}
		if made > due || time.Now().After(deadline) {
			return fmt.Errorf("%d work orders of plans are made, want %d", made, due)
		}
	}
	planned := float64(due) / took
	b.report.add(metrics{Name: "work orders of plans, two instances", Callers: 2, Requests: due, PerSecond: planned},
		metrics{Name: "work orders in bulk, two callers", Callers: 2, Requests: due, PerSecond: created})
	b.report.atLeast(fmt.Sprintf("%d occurrences that are due, two instances ÷ bulk create beside it", due), planned/created, "times", 0.5)
	peak := max(memory(b.description.PIDs["workorders-1"], "VmHWM"), memory(second.pid(), "VmHWM"))
	b.report.atMost("memory of an instance that plans, more than idle", peak-idle, "MB", 64)
	b.logf("plans: %.0f work orders a second, in bulk %.0f; %.0f MB more than idle", planned, created, peak-idle)
	return nil
}

// plansOf makes draft plans of as many assets each as a plan may have, and gives how many occurrences they make.
func (b *bench) plansOf(ctx context.Context, db *pgx.Conn, of maintained) (due int, err error) {
	each := min(targetsOfPlan, b.assetsMaintained()/plansDue)
	for i := range plansDue {
		assets, err := ids(ctx, db, "SELECT id::text FROM assets.asset WHERE organization_id = $1 ORDER BY position OFFSET $2 LIMIT $3",
			of.id, i*each, each)
		if err != nil {
			return 0, err
		}
		targets := make([]map[string]any, len(assets))
		for i, id := range assets {
			targets[i] = map[string]any{"target_type": "asset", "target_id": id}
		}
		if err := of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/maintenance/pm-plans", Body: map[string]any{
			"name": fmt.Sprintf("Due %d", i), "job_plan_id": of.jobPlan, "basis": "fixed", "starts_on": time.Now().Format(time.DateOnly),
			"trigger": map[string]any{"rrule": "FREQ=YEARLY"}, "when_out_of_service": "generate", "time_zone": "UTC", "targets": targets}},
			nil); err != nil {
			return 0, err
		}
		due += len(targets)
	}
	return due, nil
}

// createOrders creates as many work orders of the same assets by two callers, and gives how many a second.
func (b *bench) createOrders(ctx context.Context, db *pgx.Conn, of maintained, n int) (float64, error) {
	assets, err := ids(ctx, db, "SELECT id::text FROM assets.asset WHERE organization_id = $1 ORDER BY position LIMIT $2", of.id, n)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	failures := make([]error, callersOfCalls)
	var callers sync.WaitGroup
	for caller := range failures {
		callers.Go(func() {
			half := assets[caller*len(assets)/callersOfCalls : (caller+1)*len(assets)/callersOfCalls]
			for chunk := range slices.Chunk(half, bulkRows) {
				body := make([]map[string]any, len(chunk))
				for i, id := range chunk {
					body[i] = map[string]any{"title": "Inspection – Pompe", "type": "inspection", "asset_id": id,
						"due_date": time.Now().Format(time.DateOnly)}
				}
				failures[caller] = errors.Join(failures[caller],
					of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/work-orders/bulk", Body: map[string]any{"data": body}}, nil))
			}
		})
	}
	callers.Wait()
	return float64(len(assets)) / time.Since(began).Seconds(), errors.Join(failures...)
}

func ids(ctx context.Context, db *pgx.Conn, sql string, args ...any) ([]string, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// startWorkOrders starts a second instance of the service.
func (b *bench) startWorkOrders() (*program, error) {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return nil, err
	}
	admin, err := url.Parse(b.description.AdminURL)
	if err != nil {
		return nil, err
	}
	peers := "gateway-internal=" + admin.Host
	for _, service := range []string{"assets", "webhooks", "meters", "users"} {
		at, err := b.addressOf(service)
		if err != nil {
			return nil, err
		}
		peers += ";" + service + "=" + at
	}
	p, err := launch(filepath.Join(b.folder, "workorders-second.log"), b.environment("ams_workorders", b.postgresAddress, address, peers),
		"http://"+address+"/readyz", filepath.Join(b.options.Binaries, "ams"), "serve", "workorders")
	if err == nil {
		b.programs = append(b.programs, p)
	}
	return p, err
}
