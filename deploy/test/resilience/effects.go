package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

// effectsKilled shows that what work does to records of another service happens once: work orders that close deficiencies are planned,
// begun and completed while the processes are killed that send (workorders) and that own the deficiencies (assets).
type effectsKilled struct {
	kills  int // of processes
	folder string
	say    func(format string, args ...any)

	stack        *devstack.Stack
	organization *load.Organization
}

// effectsReport is what was found afterwards.
type effectsReport struct {
	Kills     map[string]int
	Completed int           // work orders
	Waited    time.Duration // after the last completion, until nothing waited any more
	Wrong     []string
}

// effectsTime is how long after the last kill everything must have happened.
const effectsTime = time.Minute

func (e *effectsKilled) measure(ctx context.Context, out io.Writer) error {
	found, err := e.carryOut(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Effects: %d work orders completed, killed %v; the last effect had happened %s after the last completion\n", found.Completed,
		found.Kills, found.Waited.Round(10*time.Millisecond))
	return found.verdict()
}

func (r *effectsReport) verdict() error {
	if len(r.Wrong) > 0 {
		return errors.New(strings.Join(r.Wrong, "; "))
	}
	return nil
}

func (e *effectsKilled) carryOut(ctx context.Context) (found *effectsReport, err error) {
	defer func() {
		if e.stack != nil {
			e.stack.Stop()
			err = errors.Join(err, devstack.Drop(e.folder))
		}
	}()
	if err := e.start(ctx); err != nil {
		return nil, err
	}
	defer e.organization.Close() //nolint:errcheck // nothing is owed to anybody
	site, err := e.organization.Client().Collection("/v1/sites").Create(ctx, ams.Record{"name": "Aréna"})
	if err != nil {
		return nil, err
	}
	found = &effectsReport{Kills: map[string]int{}}
	working, done := context.WithCancel(ctx)
	defer done()
	var killing sync.WaitGroup
	killing.Go(func() {
		defer done()
		e.killAll(ctx, found)
	})
	found.Completed, err = e.workUntil(ctx, working, (*site)["id"])
	killing.Wait()
	if err != nil {
		return nil, err
	}
	return found, e.compare(ctx, found, time.Now())
}

func (e *effectsKilled) start(ctx context.Context) error {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return err
	}
	if e.stack, err = devstack.Start(ctx, devstack.Options{
		Folder: e.folder, Binaries: binaries, Gateways: 1, Instances: 2, Discovery: "consul", Demo: demo.Nothing,
		Environment: []string{"AMS_LOG_LEVEL=error"},
	}); err != nil {
		return err
	}
	e.organization, err = load.NewAdmin(e.stack.Description()).Unlimited(ctx, 0, 3)
	return err
}

// workUntil closes one deficiency after the other, four at a time, until working ends; each request until it succeeds. It gives how many.
func (e *effectsKilled) workUntil(ctx, working context.Context, site any) (int, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, 4)
	for i := range failures {
		all.Go(func() {
			for working.Err() == nil && failures[i] == nil {
				failures[i] = e.closeOne(ctx, next.Add(1), site)
			}
		})
	}
	all.Wait()
	return int(next.Load()), errors.Join(failures...)
}

// closeOne makes a deficiency, and a work order that closes it, which is begun and completed.
func (e *effectsKilled) closeOne(ctx context.Context, n int64, site any) error {
	client := e.organization.Client()
	var deficiency struct{ ID string }
	put := func(path string, body ams.Record, out any) error {
		return client.Request(ctx, ams.Request{Method: http.MethodPut, Path: fmt.Sprintf("%s/by-external-id/kill-%d", path, n), Body: body}, out)
	}
	if err := put("/v1/deficiencies", ams.Record{"title": "Fissure", "site_id": site, "estimated_cost": 100}, &deficiency); err != nil {
		return fmt.Errorf("make deficiency %d: %w", n, err)
	}
	effects := []any{ams.Record{"kind": "close_deficiency", "payload": ams.Record{"deficiency_id": deficiency.ID}}}
	for _, body := range []ams.Record{{"title": "Réparer la fissure", "effects": effects}, {"status": "in_progress"},
		{"status": "completed", "effects": effects}} {
		if err := put("/v1/work-orders", body, nil); err != nil {
			return fmt.Errorf("work order %d, %v: %w", n, body["status"], err)
		}
	}
	return nil
}

// killAll kills instances of the two services in turn, all that it should.
func (e *effectsKilled) killAll(ctx context.Context, found *effectsReport) {
	for n := 0; n < e.kills; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(meanPause/2 + rand.N(meanPause)):
		}
		service := []string{"workorders", "assets"}[n%2]
		pids := e.stack.Description().PIDs
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(pids)), func(name string) bool { return !strings.HasPrefix(name, service+"-") })
		name := names[rand.IntN(len(names))]
		if syscall.Kill(pids[name], syscall.SIGKILL) == nil {
			found.Kills[service]++
			e.say("%3d of %d: killed %s", n+1, e.kills, name)
		}
	}
}

// compare waits until nothing waits any more, and counts what happened.
func (e *effectsKilled) compare(ctx context.Context, found *effectsReport, ended time.Time) error {
	db, err := pgx.Connect(ctx, e.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	for waiting := 1; waiting > 0; {
		if err := db.QueryRow(ctx, "SELECT count(*) FROM workorders.effect_instruction").Scan(&waiting); err != nil {
			return err
		}
		found.Waited = time.Since(ended)
		if found.Waited > effectsTime {
			found.Wrong = append(found.Wrong, fmt.Sprintf("%d instructions wait %s after the last completion", waiting, effectsTime))
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, each := range []struct {
		what, sql string
		want      int
	}{
		{"effects that are applied", "SELECT count(*) FROM workorders.work_order_effect WHERE state = 'applied'", found.Completed},
		{"effects", "SELECT count(*) FROM workorders.work_order_effect", found.Completed},
		{"work orders", "SELECT count(*) FROM workorders.work_order WHERE status = 'completed'", found.Completed},
		{"answers that owners keep", "SELECT count(*) FROM assets.applied_effect WHERE stage = 'completed' AND answer ->> 'outcome' = 'applied'", found.Completed},
		{"corrections in the history", `SELECT count(*) FROM assets.history WHERE collection = 'deficiencies'
			AND changes -> 'status' ->> 'new' = 'corrected'`, found.Completed},
		{"deficiencies corrected once, by the work that closed them", `SELECT count(*) FROM assets.deficiency d JOIN workorders.work_order w
			ON w.id = d.work_order_id AND w.status = 'completed' WHERE d.status = 'corrected'`, found.Completed},
		{"deficiencies corrected", "SELECT count(*) FROM assets.deficiency WHERE status = 'corrected'", found.Completed},
	} {
		var got int
		if err := db.QueryRow(ctx, each.sql).Scan(&got); err != nil {
			return err
		}
		if got != each.want {
			found.Wrong = append(found.Wrong, fmt.Sprintf("%d %s, %d expected", got, each.what, each.want))
		}
	}
	rows, err := db.Query(ctx, `SELECT concat_ws(' ', e.state, e.message, w.number, w.status, a.stage, a.answer::text, e.payload ->> 'deficiency_id', d.status)
		FROM workorders.work_order_effect e JOIN workorders.work_order w ON w.id = e.work_order_id
		LEFT JOIN assets.applied_effect a ON a.effect_id = e.id LEFT JOIN assets.deficiency d ON d.id = (e.payload ->> 'deficiency_id')::uuid
		WHERE e.state <> 'applied' LIMIT 10`)
	if err != nil {
		return err
	}
	strays, err := pgx.CollectRows(rows, pgx.RowTo[string])
	found.Wrong = append(found.Wrong, strays...)
	return err
}
