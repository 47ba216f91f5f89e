package infrastructure

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/months"
)

// keep writes one month of the client's organization.
func (f *fixture) keep(t *testing.T, month months.Month) {
	t.Helper()
	service := f.again(t)
	ctx := f.context(t)
	prepared, err := service.prepareMonth(ctx, month)
	if err != nil {
		t.Fatal(err)
	}
	if err := service.registry.DB.Write(ctx,
		func(ctx context.Context, tx pgx.Tx) error { return service.writeMonth(ctx, tx, month, prepared) }); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) trend(t *testing.T, body fields) []any {
	t.Helper()
	return f.Must(t, http.StatusOK, "POST", "/internal/networks/trend", body).JSON["data"].([]any)
}

func TestMonthsAreKeptAsTheyWere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads, bridges := newNetwork(t, f.Client, "road"), newNetwork(t, f.Client, "bridge")
	ids := workedCase(t, f, roads)
	bridge := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": bridges, "name": "Pont", "replacement_cost": 1000000,
		"consequence_of_failure": 5, "condition_rating": 4, "condition_assessed_on": "2026-05-01"})
	f.Must(t, http.StatusOK, "PATCH", "/v1/infrastructure/segments/"+ids[0], fields{"surface_type": "asphalt"})
	for _, inspection := range []fields{
		{"segment_id": ids[0], "inspected_on": "2026-05-01", "index_type": "pci", "index_value": 90},
		{"segment_id": ids[1], "inspected_on": "2026-05-01", "index_type": "pci", "index_value": 10}, // nobody knows whether it is paved
		{"segment_id": bridge["id"], "inspected_on": "2026-06-15", "index_type": "bci", "index_value": 58},
		{"segment_id": bridge["id"], "inspected_on": "2026-07-15", "index_type": "bci", "index_value": 20},
	} {
		f.Create(t, "/v1/infrastructure/inspections", inspection)
	}
	f.keep(t, months.Month{End: "2026-05-31"})
	f.keep(t, months.Month{End: "2026-06-30", Frozen: true})
	before := f.trend(t, fields{"metric": "need"})
	// What is changed afterwards changes no month; nor does writing one again.
	f.Must(t, http.StatusOK, "PATCH", "/v1/infrastructure/segments/"+ids[0],
		fields{"replacement_cost": 1, "deferred_maintenance_cost": 999999})
	f.keep(t, months.Month{End: "2026-06-30", Frozen: true})
	if after := f.trend(t, fields{"metric": "need"}); fmt.Sprint(after) != fmt.Sprint(before) || len(after) != 2 {
		t.Errorf("the trend is %v, was %v", after, before)
	}
	for _, c := range []struct {
		body fields
		want []any // of May and of June
	}{
		{fields{"metric": "need", "network_id": roads}, []any{175000.0, 175000.0}},
		{fields{"metric": "need", "network_id": roads, "horizon_years": 2}, []any{575000.0, 575000.0}},
		{fields{"metric": "need", "network_id": roads, "horizon_years": 5}, []any{955000.0, 955000.0}},
		{fields{"metric": "fci_pct", "network_id": roads, "horizon_years": 5}, []any{95.5, 95.5}},
		{fields{"metric": "fci_pct", "network_id": roads}, []any{17.5, 17.5}},
		{fields{"metric": "replacement_cost"}, []any{2000000.0, 2000000.0}},
		{fields{"metric": "deferred_maintenance_cost"}, []any{25000.0, 25000.0}},
		{fields{"metric": "average_condition_rating", "network_id": bridges}, []any{4.0, 4.0}},
		{fields{"metric": "pct_high_risk", "network_id": bridges}, []any{100.0, 100.0}},
		{fields{"metric": "pct_high_risk", "network_id": roads}, []any{0.0, 0.0}},
		{fields{"metric": "pct_past_useful_life", "network_id": roads}, []any{50.0, 50.0}},
		{fields{"metric": "avg_pci", "network_id": roads}, []any{90.0, 90.0}},
		{fields{"metric": "avg_bci", "network_id": bridges}, []any{nil, 58.0}},
		{fields{"metric": "avg_bci"}, []any{nil, 58.0}},
		{fields{"metric": "avg_bci", "from": "2026-06-01", "to": "2026-06-30"}, []any{58.0}},
		{fields{"metric": "need", "network_id": site}, []any{}},
	} {
		got := f.trend(t, c.body)
		if len(got) != len(c.want) {
			t.Errorf("%v: %v", c.body, got)
			continue
		}
		for i, point := range got {
			if p := point.(fields); p["value"] != c.want[i] || p["frozen"] != (p["month_end"] == "2026-06-30") {
				t.Errorf("%v: %v, want %v", c.body, p, c.want[i])
			}
		}
	}
	if other := f.Other().Must(t, http.StatusOK, "POST", "/internal/networks/trend",
		fields{"metric": "need"}).JSON["data"]; len(other.([]any)) != 0 {
		t.Errorf("another organization has %v", other)
	}
}
