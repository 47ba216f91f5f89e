package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	ams "ams.internal/clients/go"
)

// measureOrganizations compares a stack with ten organizations with one that has a thousand, all alike: what the programs do when nobody
// calls them, their memory, and what one organization waits for its own requests. Both stacks run all the time.
func (b *bench) measureOrganizations(ctx context.Context) error {
	var loads []load
	var memories []map[string]float64
	var idle []float64
	for _, count := range []int{10, 1000} {
		side := &bench{rows: b.rows, seconds: b.seconds, rounds: b.rounds, only: "organizations",
			folder: filepath.Join(b.folder, fmt.Sprintf("organizations-%d", count))}
		defer side.stop()
		if err := side.start(ctx); err != nil {
			return err
		}
		key, err := side.makeNeighbours(ctx, count)
		if err != nil {
			return err
		}
		requests, err := requestsOf(ctx, ams.NewClient(side.description.BaseURL, key), key, 0)
		if err != nil {
			return err
		}
		share, err := side.idle(ctx)
		if err != nil {
			return err
		}
		idle = append(idle, share)
		b.logf("%d organizations: %.1f %% of a processor when nobody calls", count, share)
		loads = append(loads, load{name: fmt.Sprintf("one of %d organizations", count), url: side.description.BaseURL,
			requests: requests, callers: 4, seconds: b.seconds, cpu: side.everyProgram()})
		resident := map[string]float64{}
		for name, pid := range side.description.PIDs {
			if strings.HasSuffix(name, "-1") {
				resident[name] = memory(pid, "VmRSS")
			}
		}
		memories = append(memories, resident)
	}
	results, err := best(b.folder, b.rounds, loads...)
	if err != nil {
		return err
	}
	b.report.add(results...)
	for _, f := range results {
		b.report.noFailures(f)
		b.logf("%s: %.0f a second, p50 %.1f ms, p99 %.1f ms", f.Name, f.PerSecond, f.P50, f.P99)
	}
	few, many := results[0], results[1]
	b.report.atMost("p99 of one organization's requests, among 1,000 ÷ among 10", many.P99/few.P99, "times", 1.5)
	b.report.atMost("processor time when nobody calls, that 990 organizations add", idle[1]-idle[0], "% of a core", 2)
	b.report.cost("organizations_idle_10", idle[0], "% of a core")
	b.report.cost("organizations_idle_1000", idle[1], "% of a core")
	for name, megabytes := range memories[1] {
		b.report.atMost("memory of "+name+", more than among 10", megabytes-memories[0][name], "MB", 32)
	}
	return nil
}

// makeNeighbours makes organizations of 1,000 records each: 700 assets, 250 work orders and 50 service requests, with
// a plan that is due next year and a service level. It gives a key of one of them.
func (b *bench) makeNeighbours(ctx context.Context, count int) (key string, err error) {
	bulk := func(record string, times int) []byte {
		return []byte(`{"data":[` + strings.Repeat(record+",", times-1) + record + `]}`)
	}
	calls := []ams.Request{
		{Path: "/v1/assets/bulk", Body: bulk(`{"name":"Pompe","category":"hvac","status":"in_service","replacement_cost":48500.00}`, 700)},
		{Path: "/v1/work-orders/bulk", Body: bulk(`{"title":"Vérifier la pompe","priority":"medium"}`, 250)},
		{Path: "/v1/requests/bulk", Body: bulk(`{"title":"Il fait froid","requester_name":"A. Tremblay","requester_email":"a@example.ca"}`, 50)},
		{Path: "/v1/maintenance/sla-policies", Body: []byte(`{"priority":"high","respond_minutes":60,"complete_minutes":600}`)},
	}
	began := time.Now()
	keys := make([]string, count)
	group, making := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range keys {
		group.Go(func() error {
			_, key, err := b.neighbour(making)
			if err != nil {
				return err
			}
			keys[i] = key
			client := ams.NewClient(b.description.BaseURL, key)
			for _, call := range calls {
				call.Method = http.MethodPost
				if err := client.Request(making, call, nil); err != nil {
					return fmt.Errorf("%s: %w", call.Path, err)
				}
			}
			if err := makePlan(making, client); err != nil {
				return err
			}
			if i%100 == 99 {
				b.logf("%d of %d organizations after %.0f s", i+1, count, time.Since(began).Seconds())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return "", err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if _, err := db.Exec(ctx, "UPDATE gateway.api_key SET rate_limit = 1000000000"); err != nil {
		return "", err
	}
	return keys[count/2], skipMonths(ctx, db)
}

// skipMonths makes all organizations ones that have been here for long: for each new one 25 months are written in the background, with
// pauses, which for a thousand takes hours and is no idle stack.
func skipMonths(ctx context.Context, db *pgx.Conn) error {
	for schema, more := range map[string]string{"assets": "", "infrastructure": ", length_km"} {
		zero := strings.Repeat(", 0", strings.Count(more, ","))
		if _, err := db.Exec(ctx, `INSERT INTO `+schema+`.figures_month (organization_id, subject, subject_of, month_end, frozen, counts,
				replacement_cost, deferred_maintenance_cost, need, fci_pct, rated, rated_value, risk_value`+more+`)
			SELECT organization_id, 'organization', '', date_trunc('month', now())::date - 1, false, '{}', 0, 0, '{}', '{}', '{}', '{}', '{}'`+
			zero+` FROM gateway.organization ON CONFLICT DO NOTHING`); err != nil {
			return err
		}
	}
	return nil
}

func makePlan(ctx context.Context, client *ams.Client) error {
	var job struct{ ID string }
	err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/maintenance/job-plans",
		Body: map[string]any{"name": "Inspection"}}, &job)
	if err != nil {
		return err
	}
	return client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/maintenance/pm-plans", Body: map[string]any{
		"name": "Inspection", "job_plan_id": job.ID, "basis": "fixed", "starts_on": time.Now().AddDate(1, 0, 0).Format(time.DateOnly),
		"trigger": map[string]any{"rrule": "FREQ=YEARLY"}, "when_out_of_service": "generate", "targets": []any{}}}, nil)
}

// idle is the share of a processor, in percent, that all programs use together when nobody calls. It takes minutes until one is less than
// the one before by no more than a tenth: what the writes left to be done has been done then.
func (b *bench) idle(ctx context.Context) (share float64, err error) {
	const window = time.Minute
	everything := b.everyProgram()
	for minute := 0; ; minute++ {
		var before, after time.Duration
		for _, program := range everything {
			before += program.cpu()
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(window):
		}
		for _, program := range everything {
			after += program.cpu()
		}
		used := 100 * float64(after-before) / float64(window)
		if minute > 0 && used > 0.9*share || minute == 10 {
			return used, nil
		}
		share = used
	}
}
