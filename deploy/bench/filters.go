package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// filtered are lists that are filtered by fields of few values, and the same in plain SQL.
var filtered = []struct{ name, query, condition string }{
	{"one filter", "status=planned", "status = 'planned'"},
	{"two filters", "status=out_of_service&condition_rating_min=4", "status = 'out_of_service' AND condition_rating >= 4"},
	{"four filters", "status=in_service,planned&category=hvac&condition_rating_max=3&consequence_of_failure=1",
		"status IN ('in_service', 'planned') AND category = 'hvac' AND condition_rating <= 3 AND consequence_of_failure = 1"},
	{"one filter, page 4000", "status=planned&page=4000", "status = 'planned'"},
	{"one filter, newest first", "status=planned&sort=-created_at", "status = 'planned'"},
}

// measureFilters measures lists with their exact totals, beside plain SQL that counts.
func (b *bench) measureFilters(ctx context.Context) error {
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	r := &b.report
	const callers = 8
	cost := map[string]float64{}
	for _, c := range filtered {
		plain := fmt.Sprintf(`SELECT count(*) FROM asset WHERE organization_id = '%[1]s' AND %[2]s;
SELECT * FROM asset WHERE organization_id = '%[1]s' AND %[2]s ORDER BY position LIMIT 25`, b.Organization, c.condition)
		results, err := medians(b.rounds,
			load{name: "list 25, " + c.name, url: b.description.BaseURL, requests: b.keyed(request{method: "GET", path: "/v1/assets?" + c.query}),
				callers: callers, seconds: b.seconds, cpu: b.processors()}.in(b.folder),
			func() (metrics, error) { return b.pgbench("assets", "pgbench: "+c.name+", counted", plain, callers) })
		if err != nil {
			return err
		}
		r.add(results...)
		r.noFailures(results[0])
		cost[c.name] = results[0].CPU["postgres"] / 1000
		b.logf("list 25, %s: %.0f a second, PostgreSQL %.2f ms, p99 %.1f ms; counted %.0f a second", c.name, results[0].PerSecond, cost[c.name],
			results[0].P99, results[1].PerSecond)
	}
	r.atMost("PostgreSQL's processor time of a list with one filter", cost["one filter"], "ms", 10)
	r.atMost("PostgreSQL's processor time of a list with two filters", cost["two filters"], "ms", 15)
	r.atMost("page 4000 of a filtered list ÷ page 1", cost["one filter, page 4000"]/cost["one filter"], "times", 3)
	return ctx.Err()
}

// awaitFold asks for a filtered list until everything is folded that was written before.
func (b *bench) awaitFold(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	began, pending := time.Now(), 1
	for pending > 0 {
		if err := client.Request(ctx,
			ams.Request{Method: http.MethodGet, Path: "/v1/assets", Query: url.Values{"status": {"planned"}}}, nil); err != nil {
			return err
		}
		if err := db.QueryRow(ctx, "SELECT coalesce(sum(cardinality(positions)), 0) / 500 FROM assets.facet_pending WHERE organization_id = $1",
			b.Organization).Scan(&pending); err != nil {
			return err
		}
	}
	b.logf("folded after %.1f s", time.Since(began).Seconds())
	return nil
}
