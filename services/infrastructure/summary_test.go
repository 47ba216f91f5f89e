package infrastructure

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/domain/prices"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

func (f *fixture) summary(t testing.TB, network any, query string) fields {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/infrastructure/networks/%v/summary?%s", network, query), nil).JSON
}

// workedCase puts the four parts of the worked case into a network, and three more that do not count.
func workedCase(t testing.TB, f *fixture, network any) []string {
	t.Helper()
	var ids []string
	for i, part := range []fields{
		{"replacement_cost": 400000, "deferred_maintenance_cost": 20000, "planned_renewal_year": 2031, "length_m": 1000, "lanes": 2,
			"condition_rating": 1, "condition_assessed_on": "2026-05-01"},
		{"length_m": 1500, "replacement_unit_cost_per_m": 100, "deferred_maintenance_cost": 0, "planned_renewal_year": 2024, "lanes": 4,
			"condition_rating": 5, "condition_assessed_on": "2026-05-01", "install_year": 1996,
			"expected_useful_life_years": 25},
		{"replacement_cost": 50000, "deferred_maintenance_cost": 5000, "install_year": 2016, "expected_useful_life_years": 40},
		{"replacement_cost": 400000, "deferred_maintenance_cost": 0, "planned_renewal_year": 2028, "length_m": 500,
			"status": "out_of_service", "condition_rating": 5, "condition_assessed_on": "2026-05-01"},
		{"status": "planned", "replacement_cost": 1, "length_m": 9}, {"status": "abandoned", "replacement_cost": 1, "length_m": 9},
		{"status": "removed", "replacement_cost": 1, "length_m": 9},
	} {
		part["network_id"], part["name"] = network, fmt.Sprint("Tronçon ", i)
		ids = append(ids, f.Create(t, "/v1/infrastructure/segments", part)["id"].(string))
	}
	return ids
}

func TestSummaryOfTheWorkedCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	ids := workedCase(t, f, network)
	elsewhere := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Ailleurs"})["id"].(string)
	f.open[ids[0]], f.open[ids[6]], f.open[elsewhere] = [2]int{3, 1}, [2]int{1, 0}, [2]int{9, 9}
	for horizon, want := range map[int]fields{
		0: {"need": 175000, "fci_pct": 17.5, "fci_grade": "poor"},
		2: {"need": 575000, "fci_pct": 57.5, "fci_grade": "critical"},
		5: {"need": 955000, "fci_pct": 95.5, "fci_grade": "critical"},
	} {
		got := f.summary(t, network, fmt.Sprintf("as_of=2026-07-01&horizon_years=%d", horizon))
		resourcetest.Expect(t, got, want)
		resourcetest.Expect(t, got, fields{
			"id": network, "asset_class": "road", "as_of": "2026-07-01", "horizon_years": horizon, "currency": "CAD",
			"counts.segments": 4, "counts.segments_left_out": 3, "length_km": 3, "lane_km": 8, "replacement_cost": 1000000,
			"replacement_cost_basis.given": 850000, "replacement_cost_basis.unit_costs": 150000, "deferred_maintenance_cost": 25000,
			"average_age_years": 20, "average_condition_rating": 3.67, "past_useful_life.segments": 1, "past_useful_life.length_km": 1.5,
			"past_useful_life.replacement_cost":         150000,
			"condition_distribution.very_good.segments": 1, "condition_distribution.very_poor.segments": 2,
			"condition_distribution.very_poor.length_km":        2,
			"condition_distribution.very_poor.replacement_cost": 550000, "condition_distribution.unknown.segments": 1,
			"condition_distribution.fair.segments": 0,
			"open_work_orders":                     4, "overdue_work_orders": 1,
			"data_quality.without_replacement_cost": 0, "data_quality.without_installation": 2, "data_quality.without_expected_useful_life": 2,
			"data_quality.without_condition_rating": 1, "data_quality.without_planned_renewal_year": 1, "data_quality.without_geometry": 4,
			"data_quality.without_length": 1,
		})
	}
	if _, rows := f.Table(t, fmt.Sprint("/v1/infrastructure/networks/", network, "/summary?as_of=2026-07-01")); len(rows) != 1 ||
		rows[0]["need"] != "175000" || rows[0]["condition_distribution_very_poor_length_km"] != "2" || rows[0]["counts_segments"] != "4" {
		t.Errorf("as CSV %v", rows)
	}
	// The network itself shows the same totals.
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/networks/", network), nil).JSON,
		fields{"segment_count": 4, "length_km": 3, "lane_km": 8, "replacement_cost": 1000000, "currency": "CAD"})

	f.unavailable.Store(true)
	resourcetest.Expect(t, f.summary(t, network, ""), fields{"open_work_orders": nil, "overdue_work_orders": nil, "replacement_cost": 1000000})
	f.unavailable.Store(false)
	empty := newNetwork(t, f.Client, "road")
	resourcetest.Expect(t, f.summary(t, empty, ""),
		fields{"counts.segments": 0, "replacement_cost": 0, "fci_pct": nil, "fci_grade": nil, "average_age_years": nil, "lane_km": nil,
			"open_work_orders": 0, "as_of": resource.Today(t.Context()), "horizon_years": 0})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/networks/", empty), nil).JSON,
		fields{"segment_count": 0, "length_km": 0, "lane_km": nil, "replacement_cost": 0})
	f.Must(t, http.StatusBadRequest, "GET", fmt.Sprintf("/v1/infrastructure/networks/%v/summary?horizon_years=51&as_of=x", network), nil)
	f.Must(t, http.StatusNotFound, "GET", "/v1/infrastructure/networks/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12/summary", nil)
}

func TestFiguresOfNetworksForOtherServices(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads, bridges := newNetwork(t, f.Client, "road"), newNetwork(t, f.Client, "bridge")
	ids := workedCase(t, f, roads)
	for _, id := range ids {
		f.Must(t, http.StatusOK, "PATCH", "/v1/infrastructure/segments/"+id, fields{"paved": true})
	}
	bridge := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": bridges, "name": "Pont"})["id"].(string)
	for _, inspection := range []fields{
		{"segment_id": ids[0], "inspected_on": "2023-05-01", "index_type": "pci", "index_value": 10},
		{"segment_id": ids[0], "inspected_on": "2024-05-01", "index_type": "pci", "index_value": 90},
		{"segment_id": ids[1], "inspected_on": "2024-05-01", "index_type": "pci", "index_value": 40},
		{"segment_id": ids[1], "inspected_on": "2025-05-01", "index_type": "pci", "index_value": 30}, // after the period
		{"segment_id": ids[2], "inspected_on": "2024-05-01", "index_type": "pci", "index_value": 1},  // of unknown length
		{"segment_id": ids[4], "inspected_on": "2024-05-01", "index_type": "pci", "index_value": 1},  // planned: does not count
		{"segment_id": bridge, "inspected_on": "2024-05-01", "index_type": "bci", "index_value": 71.5},
	} {
		f.Create(t, "/v1/infrastructure/inspections", inspection)
	}
	f.breaks[ids[0]], f.breaks[ids[1]], f.breaks[ids[4]], f.breaks[bridge] = 2, 1, 7, 4
	indicatorsOf := func(body fields) fields {
		t.Helper()
		body["period_start"], body["period_end"] = "2024-01-01", "2024-12-31"
		response := f.Must(t, http.StatusOK, "POST", "/internal/networks/figures", body)
		var got fields
		if err := json.Unmarshal(response.Body, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	// (90 × 1 000 + 40 × 1 500) / 2 500 = 60; 3 breaks on 3 km are 100 on 100 km.
	want := fields{"avg_pci": 60, "avg_bci": nil, "lane_km": 8, "length_km": 3, "breaks_per_100km": 100}
	resourcetest.Expect(t, indicatorsOf(fields{"network_ids": []any{roads}}), want)
	resourcetest.Expect(t, indicatorsOf(fields{"network_ids": []any{bridges}}),
		fields{"avg_pci": nil, "avg_bci": 71.5, "avg_condition_rating": 2, "lane_km": nil, "length_km": nil, "breaks_per_100km": nil})
	want["avg_bci"], want["breaks_per_100km"] = 71.5, 233.33 // all networks: 7 breaks
	resourcetest.Expect(t, indicatorsOf(fields{"network_ids": []any{}}), want)
	resourcetest.Expect(t, indicatorsOf(fields{}), want)
	other := fixture{Client: f.Other(), otherServices: f.otherServices}
	nobody := other.Must(t, http.StatusOK, "POST", "/internal/networks/figures",
		fields{"network_ids": []any{roads}, "period_start": "2024-01-01", "period_end": "2024-12-31"})
	resourcetest.Expect(t, nobody.JSON, fields{"avg_pci": nil, "length_km": nil, "breaks_per_100km": nil})
	f.unavailable.Store(true)
	f.Must(t, http.StatusServiceUnavailable, "POST", "/internal/networks/figures",
		fields{"period_start": "2024-01-01", "period_end": "2024-12-31"})
}

// W of prices: an index of 52.1 in 1990 and 168.4 in 2026.
func TestAmountsInPricesOfOneYear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.prices = []prices.Step{{Category: "water", FromYear: 1990, ThroughYear: 2025, Value: "52.1", Target: "168.4"},
		{Category: "water", FromYear: 2026, ThroughYear: prices.LastYear, Value: "168.4", Target: "168.4"}}
	network := newNetwork(t, f.Client, "water_main")
	for i, segment := range []fields{
		{"replacement_cost": 100000, "replacement_cost_year": 1990, "deferred_maintenance_cost": 1, "deferred_maintenance_as_of": "1990-05-01",
			"length_m": 300, "condition_rating": 5, "condition_assessed_on": "2026-01-31", "install_year": 1986},
		{"replacement_cost": 1, "replacement_cost_as_of": "1990-05-01", "length_m": 100, "condition_rating": 1,
			"condition_assessed_on": "2026-01-31", "install_year": 2006},
		{"replacement_cost": 70000, "deferred_maintenance_cost": 100},   // of no year: as recorded
		{"replacement_cost": 30000, "replacement_cost_year": 1989},      // before the index
		{"deferred_maintenance_cost": 40000, "planned_renewal_year": 0}, // need that no value stands against
	} {
		if segment["planned_renewal_year"] == 0 {
			delete(segment, "planned_renewal_year")
		}
		segment["network_id"], segment["name"] = network, fmt.Sprint("Conduite ", i)
		f.Create(t, "/v1/infrastructure/segments", segment)
	}
	got := f.summary(t, network, "as_of=2026-07-01")
	resourcetest.Expect(t, got, fields{"prices_of": 2026, "indexed_through": 2026, "replacement_cost": 423227.80, "as_recorded.count": 2,
		"as_recorded.cost": 100000, "deferred_maintenance_cost": 40103.23, "need": 40103.23, "need_without_value": 40000, "fci_pct": 0.02,
		"weighted_condition_rating": 4, "average_condition_rating": 3, "weighted_age_years": 35, "average_age_years": 30,
		"basis.entered_later": 5, "basis.changed_since": 0})
	today := f.summary(t, network, "")
	resourcetest.Expect(t, today, fields{"replacement_cost": 423227.80, "basis": nil, "need_without_value": 40000})
	f.prices = nil
	resourcetest.Expect(t, f.summary(t, network, ""), fields{"indexed_through": nil, "replacement_cost": 200001, "as_recorded.count": 4})
	f.Must(t, http.StatusBadRequest, "GET", fmt.Sprintf("/v1/infrastructure/networks/%v/summary?as_of=1899-12-31", network), nil)
}
