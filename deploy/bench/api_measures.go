package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// measureAPI measures what clients do, through the gateway, and what PostgreSQL alone does for the same rows.
func (b *bench) measureAPI(ctx context.Context) error {
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	middle := b.rows / 25 / 2
	asset := `{"name":"Pompe de circulation","category":"hvac","status":"in_service","install_year":2011,"replacement_cost":48500.00}`
	thousand := `{"data":[` + strings.Repeat(asset+",", 999) + asset + `]}`
	deep := fmt.Sprintf("list 25, page %d", middle)
	calls := []struct {
		name    string
		callers int
		request request
	}{
		{"list 25", 16, request{method: "GET", path: "/v1/assets"}},
		{deep, 16, request{method: "GET", path: fmt.Sprintf("/v1/assets?page=%d", middle)}},
		{"list 1000", 4, request{method: "GET", path: "/v1/assets?per_page=1000"}},
		{"list 25, of a building", 8, request{method: "GET", path: "/v1/assets?building_id=" + b.building(ctx)}},
		{"get", 16, request{method: "GET", path: "/v1/assets/" + b.Asset}},
		{create, 8, request{method: "POST", path: "/v1/assets", body: asset}},
		{bulk, 2, request{method: "POST", path: "/v1/assets/bulk", body: thousand}},
	}
	if err := b.makeBareRows(ctx); err != nil {
		return err
	}
	found := map[string]metrics{}
	for _, c := range calls {
		measures := []func() (metrics, error){load{name: c.name, url: b.description.BaseURL, requests: b.keyed(c.request), callers: c.callers,
			seconds: b.seconds, cpu: b.processors()}.in(b.folder)}
		baselines, err := b.baselines(ctx, c.name, c.request)
		if err != nil {
			return err
		}
		if straight, wanted := straightOf[c.name]; wanted {
			signed, err := b.signed(c.request)
			if err != nil {
				return err
			}
			measures = append(measures, load{name: straight, url: b.straight, requests: signed, callers: c.callers, seconds: b.seconds,
				cpu: b.straightProcessors()}.in(b.folder))
		}
		for name, sql := range baselines {
			measures = append(measures, func() (metrics, error) { return b.pgbench("assets", name, sql, c.callers) })
		}
		results, err := medians(b.rounds, measures...)
		if err != nil {
			return err
		}
		for _, f := range results {
			found[f.Name] = f
			b.logf("%s: %.0f a second", f.Name, f.PerSecond)
		}
		b.report.add(results...)
		b.report.noFailures(results[0])
	}
	r := &b.report
	r.atLeast("list 25 with its exact total, of the service ÷ counting each time",
		found[straightOf["list 25"]].PerSecond/found[counting].PerSecond, "times", 50)
	r.atLeast("list 25 with its exact total, through the gateway ÷ counting each time", found["list 25"].PerSecond/found[counting].PerSecond,
		"times", 50)
	r.atMost(fmt.Sprintf("CPU of page %d ÷ page 1", middle), total(found[deep].CPU)/total(found["list 25"].CPU), "times", 3)
	r.atLeast("rows a second, list 1000 of the service ÷ pgbench",
		found[straightOf["list 1000"]].PerSecond/found["pgbench: list 1000"].PerSecond, "times", 0.5)
	r.atLeast("rows a second, list 1000 through the gateway ÷ pgbench", found["list 1000"].PerSecond/found["pgbench: list 1000"].PerSecond,
		"times", 0.5)
	r.atMost("processor time of a create, all programs together", total(found[create].CPU)/1000, "ms", 1.9)
	r.atLeast("creates, 8 callers", found[create].PerSecond, "a second", 750)
	r.atLeast("bulk create", found[bulk].PerSecond*1000, "rows/s", 14_000)
	return b.checkTotal(ctx, found)
}

// create and bulk are what writes records.
const (
	create = "create"
	bulk   = "create 1000 in bulk"
)

// bareRows are inserts of the same rows without indexes, history, events, policies and triggers.
var bareRows = map[string]string{create: "INSERT INTO bare_asset SELECT * FROM some_asset LIMIT 1",
	bulk: "INSERT INTO bare_asset SELECT * FROM some_asset"}

func (b *bench) makeBareRows(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	_, err = db.Exec(ctx, `SET search_path = assets;
		CREATE TABLE IF NOT EXISTS bare_asset (LIKE asset);
		CREATE TABLE IF NOT EXISTS some_asset AS SELECT * FROM asset LIMIT 1000;
		TRUNCATE bare_asset;
		GRANT SELECT, INSERT ON bare_asset, some_asset TO ams_assets`)
	return err
}

// counting is the list of 25 as it would be without stored totals.
const counting = "pgbench: list 25, counting each time"

// straightOf names what is measured at the service too, without the gateway, whose own cost is a promise of its own.
var straightOf = map[string]string{"list 25": "list 25, straight to the service", "list 1000": "list 1000, straight to the service"}

var storedTotal = regexp.MustCompile(`\(SELECT \(SELECT coalesce\(sum\(live\), 0\) FROM ledger_total .*? AND NOT folded\)`)

// baselines are the same statements without us, by name.
func (b *bench) baselines(ctx context.Context, name string, r request) (map[string]string, error) {
	if r.method != http.MethodGet {
		return map[string]string{"pgbench: " + name + ", bare rows": bareRows[name]}, nil
	}
	if err := b.startStraight(); err != nil {
		return nil, err
	}
	sql, err := b.sameSQL(ctx, "FROM asset ", r.path, b.callService)
	if err != nil {
		return nil, err
	}
	all := map[string]string{"pgbench: " + name: sql}
	if name == "list 25" {
		all[counting] = storedTotal.ReplaceAllString(sql, "(SELECT count(*) FROM asset WHERE organization_id = '"+b.Organization+"')")
		if all[counting] == sql {
			return nil, errors.New("the list's own statements have no total to replace")
		}
	}
	return all, nil
}

// total is the processor time of all programs together: what a request costs, whoever else uses the machine.
func total(cpu map[string]float64) (sum float64) {
	for _, each := range cpu {
		sum += each
	}
	return sum
}

// building is one of the large organization's.
func (b *bench) building(ctx context.Context) string {
	var asset struct {
		BuildingID string `json:"building_id"`
	}
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/assets/" + b.Asset}, &asset); err != nil {
		b.logf("%v", err)
	}
	return asset.BuildingID
}

// checkTotal: speed counts only when the total is right after all that was created. A call that was under way when the load ended may
// still be committed, so the list stands between two counts that agree.
func (b *bench) checkTotal(ctx context.Context, found map[string]metrics) error {
	var list struct {
		Pagination struct{ Total int } `json:"pagination"`
	}
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	counted, before := 0, -1
	for counted != before {
		var err error
		if before, err = b.count(ctx); err != nil {
			return err
		}
		if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/assets"}, &list); err != nil {
			return err
		}
		if counted, err = b.count(ctx); err != nil {
			return err
		}
	}
	if list.Pagination.Total != counted || counted < b.rows+found[bulk].Requests*1000 {
		return fmt.Errorf("the list says there are %d assets; counted there are %d", list.Pagination.Total, counted)
	}
	return nil
}
