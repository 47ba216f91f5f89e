package assets

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// tallied networks, as the infrastructure service gives them.
const roadsState = `[{"network_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99", "name": "Routes", "asset_class": "road", "category": "roads",
	"left_out": 1, "segments": 2, "length": 1500.5, "lanes": 0, "value": 300000.10, "given": 0, "recorded": 2, "recorded_value": 300000.10,
	"deferred": 1000, "without_cost": 4, "need": 1000, "bare": 0, "age": 7305, "aged": 2, "value_age": 2191500730.5, "value_aged": 300000.10, "rating": 6,
	"past": 1, "lived": 2, "past_value": 100000, "costed": 2, "lasting": 2, "confident": 100000, "entered_later": 0, "changed_since": 0,
	"rated1": 1, "value1": 200000.10, "rated2": 0, "value2": 0, "rated3": 0, "value3": 0, "rated4": 0, "value4": 0, "rated5": 1, "value5": 100000,
	"rated6": 0, "value6": 0, "risk1": 1, "risk_value1": 200000.10, "risk2": 0, "risk_value2": 0, "risk3": 0, "risk_value3": 0, "risk4": 0,
	"risk_value4": 0, "risk5": 1, "risk_value5": 100000, "risk6": 0, "risk_value6": 0}]`

func TestTheStateOfInfrastructureAddsUpAssetsAndNetworks(t *testing.T) {
	t.Parallel()
	client, _, peers := serveAmong(t)
	peers.Respond("/internal/networks/state", fields{"networks": roadsState,
		"methods": `[{"network_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99", "method": "pavement_survey", "value": 300000.10}]`})
	peers.Respond("/internal/condition-approaches", fields{"data": []fields{{"category": "roads", "en": "Survey.", "fr": "Relevé."},
		{"category": "education", "en": "Audit.", "fr": nil}}})
	site := client.Create(t, "/v1/sites", fields{"name": "Centre"})["id"]
	school := client.Create(t, "/v1/buildings",
		fields{"name": "École", "site_id": site, "building_type": "school", "replacement_cost": 1000000.05})["id"]
	arena := client.Create(t, "/v1/buildings", fields{"name": "Aréna", "site_id": site, "building_type": "arena"})["id"]
	client.Create(t, "/v1/buildings", fields{"name": "Pompes", "site_id": site, "building_type": "pump_station", "replacement_cost": 500})
	for i, asset := range []fields{
		{"building_id": school, "replacement_cost": 100, "deferred_maintenance_cost": 50, "condition_rating": 2, "condition_method": "visual",
			"condition_assessed_on": "2026-01-31", "install_year": 2006, "expected_useful_life_years": 25},
		{"building_id": school, "replacement_cost": 70, "service_category": "library", "planned_renewal_year": 2020, "condition_rating": 4},
		{"building_id": arena, "replacement_cost": 40000, "consequence_of_failure": 5, "probability_of_failure": 4},
		{"building_id": arena, "deferred_maintenance_cost": 400}, // of no value: its need is left out of the FCI
		{"site_id": site, "replacement_cost": 7},
		{"replacement_cost": 5}, // nowhere
		{"replacement_cost": 9, "status": "planned"},
	} {
		asset["name"] = fmt.Sprint("Partie ", i)
		client.Create(t, "/v1/assets", asset)
	}
	report := func(query string) fields {
		t.Helper()
		return client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?"+query, nil).JSON
	}
	groups := func(report fields) map[string]fields {
		byKey := map[string]fields{}
		for _, group := range report["data"].([]any) {
			key, _ := group.(fields)["key"].(string)
			byKey[key] = group.(fields)
		}
		return byKey
	}
	all := report("horizon_years=1")
	got := groups(all)
	expectInventoryReports(t, client, groups(report("")))
	resourcetest.Expect(t, got["education"], fields{"name": "Education", "replacement_cost": 1000000.05, "counts.buildings": 1,
		"counts.assets": 1, "need": 50, "need_without_value": 0, "fci_pct": 0, "condition_distribution.good.count": 1, "confidence.pct": 100,
		"confidence.methods.visual": 100, "past_useful_life.count": 0, "condition_approach": "Audit."})
	// What is in the school and of the library has its counts, condition and need there; its value is the school's.
	resourcetest.Expect(t, got["library"], fields{"replacement_cost": 0, "counts.buildings": 0, "counts.assets": 1, "need": 70, "fci_pct": nil,
		"need_without_value": 0, "condition_distribution.poor.count": 1, "confidence.pct": 0, "confidence.methods.reported": 70})
	resourcetest.Expect(t, got["parks_recreation"], fields{"replacement_cost": 40000, "need": 400, "need_without_value": 400, "fci_pct": 0,
		"risk_distribution.very_high.replacement_cost": 40000, "risk_distribution.unknown.count": 1, "data_gaps.without_replacement_cost": 1,
		"condition_approach": nil})
	resourcetest.Expect(t, got["other"], fields{"replacement_cost": 512, "counts.buildings": 1, "counts.assets": 2, "counts.sites": 1,
		"counts.left_out": 1})
	resourcetest.Expect(t, got["roads"], fields{"name": "Roads", "replacement_cost": 300000.10, "counts.networks": 1, "counts.segments": 2,
		"counts.left_out": 1, "length_km": 1.501, "need": 1000,
		"data_gaps.deficiencies_without_cost": 4, "fci_pct": 0.33, "average_age_years": 10, "weighted_age_years": 20,
		"average_condition_rating": 3, "weighted_condition_rating": 2.33, "past_useful_life.pct": 50, "past_useful_life.replacement_cost": 100000,
		"risk_distribution.very_high.count": 1, "confidence.pct": 33.33, "confidence.methods.pavement_survey": 300000.10,
		"condition_approach": "Survey."})
	resourcetest.Expect(t, all["total"].(fields), fields{"name": "Total", "replacement_cost": 1340512.15, "need": 1520,
		"need_without_value": 400, "counts.assets": 6, "counts.segments": 2, "counts.left_out": 2, "counts.buildings": 3, "counts.sites": 1})
	resourcetest.Expect(t, all,
		fields{"to_be_categorized": []any{fields{"building_type": "pump_station", "buildings": 1.0, "replacement_cost": 500.0}},
			"left_out": []any{}, "approach_unknown": false, "basis": nil, "group_by": "service_category"})
	for _, groupBy := range []string{"service_category", "building_type", "network"} {
		r := report("horizon_years=1&group_by=" + groupBy)
		var value, need, cost5 float64
		for _, group := range r["data"].([]any) {
			value += group.(fields)["replacement_cost"].(float64)
			need += group.(fields)["need"].(float64)
			cost5 += resourcetest.At(group.(fields), "counts.assets").(float64)
		}
		if fmt.Sprintf("%.2f %.2f %v", value, need, cost5) != "1340512.15 1520.00 6" {
			t.Errorf("groups by %s add up to %.2f, %.2f and %v assets", groupBy, value, need, cost5)
		}
	}
	// The total is the state of assets and the networks.
	assets := client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?horizon_years=1", nil).JSON["total"].(fields)
	resourcetest.Expect(t, assets, fields{"replacement_cost": 1040512.05, "need": 520, "need_without_value": 400})

	if fr := groups(report("language=fr")); fr["roads"]["name"] != "Routes" || fr["roads"]["condition_approach"] != "Relevé." ||
		fr["education"]["condition_approach"] != "Audit." {
		t.Errorf("in French: %v", fr["roads"])
	}
	if types := groups(report("group_by=building_type&language=fr")); types["school"]["name"] != "Écoles" ||
		types["network"]["name"] != "Réseaux" || types[""]["name"] != "Hors des bâtiments" {
		t.Errorf("by building type: %v", types)
	}
	if byNetwork := report("group_by=network")["data"].([]any); len(byNetwork) != 2 || byNetwork[1].(fields)["name"] != "Routes" &&
		byNetwork[0].(fields)["name"] != "Routes" {
		t.Errorf("by network: %v", byNetwork)
	}
	answer := client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?horizon_years=1", nil, "Accept", "text/csv")
	rows, err := csv.NewReader(strings.NewReader(string(answer.Body))).ReadAll()
	if err != nil || len(rows) != 7 || rows[6][2] != "Total" || rows[6][15] != "1340512.15" ||
		answer.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%v: as CSV %q", err, rows)
	}
	client.AssertFile(t, "/v1/reports/state-of-infrastructure", "text/csv", "state-of-infrastructure", "csv")
	client.Must(t, http.StatusBadRequest, "GET", "/v1/reports/state-of-infrastructure?as_of=1899-12-31", nil)
	client.Must(t, http.StatusBadRequest, "GET", "/v1/reports/state-of-infrastructure?language=de", nil)

	limited := *client
	limited.Principal.Scopes = []string{"assets:read"}
	without := limited.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure", nil).JSON
	resourcetest.Expect(t, without, fields{"left_out": []any{"networks"}, "total.replacement_cost": 1040512.05})
	limited.Principal.Features, limited.Principal.Scopes = []string{"api_access"}, []string{"*:*"}
	resourcetest.Expect(t, limited.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure", nil).JSON,
		fields{"left_out": []any{}, "total.replacement_cost": 1040512.05})

	peers.Refuse("/internal/condition-approaches")
	resourcetest.Expect(t, report(""), fields{"approach_unknown": true, "total.replacement_cost": 1340512.15})
	peers.Refuse("/internal/networks/state")
	client.Must(t, http.StatusServiceUnavailable, "GET", "/v1/reports/state-of-infrastructure", nil)
}

// expectInventoryReports holds the inventory against the report: it says what the report does, and its lines come to the same as recorded,
// but for networks, whose lines another service has. What an appraised building has inside counts with the building.
func expectInventoryReports(t *testing.T, client *resourcetest.Client, report map[string]fields) {
	t.Helper()
	reported, recorded, appraised := map[string]float64{}, map[string]float64{}, map[any]bool{}
	lines := inventoryOf(t, client, fields{"reported": true})
	for id, line := range lines {
		appraised[id] = line["type"] == "building" && line["cost"] != nil
	}
	for _, line := range lines {
		category, _ := line["service_category"].(string)
		cost, _ := line["cost"].(float64)
		switch {
		case line["type"] == "reported":
			reported[category] = cost
			if line["prices_of"] == nil {
				t.Errorf("in the prices of which year: %v", line)
			}
		case line["counts"] == true && !appraised[line["building_id"]]:
			recorded[category] += cost
		}
	}
	if len(reported) != len(report) {
		t.Errorf("the inventory reports %v, the report has %v", reported, report)
	}
	for category, state := range report {
		if want := state["replacement_cost"]; reported[category] != want ||
			category != "roads" && math.Abs(recorded[category]-reported[category]) > 0.005 {
			t.Errorf("%s: reported %v, recorded %v, want %v", category, reported[category], recorded[category], want)
		}
	}
}
