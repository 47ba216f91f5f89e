package infrastructure

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	client := newFixtureAlone(t).Client
	t.Run("networks", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Network]{Definition: networks, Client: client, Path: "/v1/infrastructure/networks",
			Make: makeNetwork})
	})
	t.Run("segments", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Segment]{Definition: family{}.segments(), Client: client,
			Path: "/v1/infrastructure/segments", Make: makeSegment,
			Keep: []string{"length_m", "replacement_cost", "install_year", "paved", "relined_year", "condition_assessed_on", "condition_method"}})
	})
	t.Run("inspections", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Inspection]{Definition: family{}.inspections(), Client: client,
			Path: "/v1/infrastructure/inspections", Make: makeInspection,
			Keep: []string{"condition_rating", "index_type", "index_value"}})
	})
	t.Run("deficiencies", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[InfrastructureDeficiency]{Definition: family{}.deficiencies(), Client: client,
			Path: "/v1/infrastructure/deficiencies", Make: makeDeficiency,
			Keep: []string{"found_on", "cost_year"}})
	})
}

func makeNetwork(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Réseau d'aqueduc %d", n), "code": fmt.Sprintf("AQ-%d", n), "asset_class": "water_main", "service_category": "water",
		"description":               "Conduites de distribution",
		"default_useful_life_years": 80, "default_unit_cost_per_m": 1850.5, "criticality": "high",
		"external_id": fmt.Sprintf("network-%d", n), "tags": []string{"centre"}, "custom_fields": map[string]any{"zone": 3.0},
	}
}

func newNetwork(t testing.TB, client *resourcetest.Client, class string) any {
	t.Helper()
	return client.Create(t, "/v1/infrastructure/networks", map[string]any{"name": "Réseau " + uuid.NewString(), "asset_class": class})["id"]
}

func makeSegment(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"network_id": newNetwork(t, client, "water_main"), "name": fmt.Sprintf("Rue Queen %d", n), "segment_code": fmt.Sprintf("Q-%d", n),
		"status": "removed", "out_of_use_on": "2026-03-01",
		"from_description": "Spadina", "to_description": "Bathurst", "site_id": site, "notes": "Chemisage prévu",
		"geometry": map[string]any{"type": "LineString", "coordinates": []any{[]any{-79.3957, 43.6487}, []any{-79.4025, 43.6473, 92.5}}},
		"length_m": 570.25, "material": "PVC", "diameter_mm": 200.5, "depth_m": 2.4, "width_m": 8.5, "span_m": 24.5, "lanes": 2,
		"surface_type":     "asphalt",
		"functional_class": "collector", "road_class": 3, "environment": "sol corrosif", "aadt": 8400, "speed_limit_kmh": 50,
		"load_limit_t": 10.5, "clearance_limit_m": 3.9, "width_limit_m": 2.5, "paved": true,
		"upstream_invert_m": 101.7, "downstream_invert_m": 100.5, "install_date": "1978-09-15", "install_year": 1978, "relined_year": 2015,
		"relined_useful_life_years":  50,
		"expected_useful_life_years": 80, "replacement_cost": 763310.25, "replacement_unit_cost_per_m": 1850.5,
		"replacement_cost_year": 2025, "replacement_cost_as_of": "2025-03-01",
		"deferred_maintenance_cost": 12000, "deferred_maintenance_as_of": "2025-04-01",
		"planned_renewal_year": 2031, "condition_rating": 3, "condition_assessed_on": "2025-05-01", "condition_method": "osim",
		"probability_of_failure": 2, "consequence_of_failure": 4,
		"attributes":  map[string]any{"joints": "emboîtés"},
		"external_id": fmt.Sprintf("segment-%d", n), "tags": []string{"2026"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeInspection(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	segment := client.Create(t, "/v1/infrastructure/segments",
		map[string]any{"network_id": newNetwork(t, client, "road"), "name": "Rue Bloor"})
	return map[string]any{
		"segment_id": segment["id"], "inspected_on": fmt.Sprintf("2020-%02d-%02d", 1+n%12, 1+n%28), "method": "pavement_survey",
		"index_type": "pci", "index_value": 62.5,
		"condition_rating": 1 + n%5, "defects": []string{"Orniérage"}, "recommended_action": "rehabilitate", "estimated_cost": 85000.5,
		"next_due_on": "2031-05-12",
		"notes":       "À revoir", "external_id": fmt.Sprintf("inspection-%d", n), "tags": []string{"2020"},
		"custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeDeficiency(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	segment := client.Create(t, "/v1/infrastructure/segments",
		map[string]any{"network_id": newNetwork(t, client, "bridge"), "name": "Pont"})
	return map[string]any{
		"segment_id": segment["id"], "title": fmt.Sprintf("Joint de dilatation %d", n), "number": fmt.Sprintf("D-%d", n), "status": "open",
		"uniformat_code": "G2010", "category": "life_safety", "priority": "high", "quantity": 12.5, "unit": "m", "estimated_cost": 4200.5,
		"cost_class": "C", "cost_year": 2024, "action_year": 2029, "source": "import", "source_id": uuid.NewString(),
		"found_on":    fmt.Sprintf("2024-%02d-%02d", 1+n%12, 1+n%28),
		"external_id": fmt.Sprintf("deficiency-%d", n), "tags": []string{"2024"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}
