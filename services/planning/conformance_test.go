package planning

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	client := newFixtureAlone(t).Client
	t.Run("deterioration models", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[DeteriorationModel]{Definition: deteriorationModels, Client: client,
			Path: pathOf(deteriorationModels.Collection), Make: makeModel})
	})
	t.Run("asset classes", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[AssetClass]{Definition: assetClasses, Client: client,
			Path: pathOf(assetClasses.Collection), Make: makeClass, Keep: []string{"unit"}})
	})
	t.Run("treatments", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Treatment]{Definition: treatments, Client: client,
			Path: pathOf(treatments.Collection), Make: makeTreatment, Keep: []string{"effect"}})
	})
	t.Run("strategies", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Strategy]{Definition: strategies, Client: client,
			Path: pathOf(strategies.Collection), Make: makeStrategy})
	})
	f := newFixtureAlone(t)
	t.Run("inventories", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[PlanningInventory]{Definition: f.planning.inventories(), Client: f.Client,
			Path: pathOf("planning_inventories"), Make: makeInventory})
	})
	t.Run("runs", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[PlanningRun]{Definition: f.planning.runs(), Client: f.Client, Path: pathOf("planning_runs"),
			Make: makeRun, Keep: []string{"scenario_ids", "inventory_id"}})
	})
	t.Run("scenarios", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Scenario]{Definition: f.planning.scenarios(), Client: client,
			Path: pathOf("scenarios"), Make: makeScenario, Keep: []string{"funds", "seed"}})
	})
}

func makeModel(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{"name": fmt.Sprintf("Chaussée souple %d", n), "code": fmt.Sprintf("CS-%d", n), "kind": "curve", "end_condition": 15.5,
		"exponent": 1.75, "external_id": fmt.Sprintf("model-%d", n), "tags": []string{"chaussée"}, "custom_fields": fields{"lot": 3.0}}
}

func makeClass(t testing.TB, client *resourcetest.Client, n int) fields {
	model := client.Create(t, pathOf(deteriorationModels.Collection), fields{"name": "Courbe " + uuid.NewString(), "kind": "curve"})["id"]
	failure := client.Create(t, pathOf(deteriorationModels.Collection),
		fields{"name": "Bris " + uuid.NewString(), "kind": "weibull", "shape": 2.5})["id"]
	return fields{"name": fmt.Sprintf("Conduites %d", n), "code": fmt.Sprintf("CON-%d", n), "service_category": "water",
		"applies_to": "segment", "match": []any{fields{"network_asset_class": "water_main", "material": "PVC", "diameter_mm_min": 100.0,
			"diameter_mm_max": 300.0, "fields": []any{fields{"key": "zone", "op": "eq", "value": "A"}}}},
		"priority": 2, "default_useful_life_years": 80, "unit": "m", "unit_cost": 1850.25, "price_year": 2026, "price_index_id": priceIndex,
		"model_id": model, "failure_model_id": failure, "default_consequence": 4, "consequence_cost": 250000.5, "failure_cost_pct": 150,
		"bands": []any{80.0, 60.0, 40.0, 20.0}, "condition_approach": "Breaks by kilometre", "condition_approach_fr": "Bris par kilomètre",
		"external_id": fmt.Sprintf("class-%d", n), "tags": []string{"eau"}, "custom_fields": fields{"lot": 4.0}}
}

func makeTreatment(t testing.TB, client *resourcetest.Client, n int) fields {
	class := client.Create(t, pathOf(assetClasses.Collection),
		fields{"name": "Routes " + uuid.NewString(), "service_category": "roads", "applies_to": "segment"})["id"]
	return fields{"asset_class_id": class, "name": fmt.Sprintf("Resurfaçage %d", n), "code": fmt.Sprintf("RES-%d", n),
		"kind": "rehabilitation", "lifecycle_activity": "maintenance", "cost_basis": "per_unit", "cost": 120.5, "mobilization": 5000.25,
		"price_year": 2025, "price_index_id": priceIndex, "trigger": fields{"condition_min": 40.0, "condition_max": 65.0, "years_between": 8.0,
			"fields": []any{fields{"key": "bus", "op": "ne", "value": "true"}}}, "effect": fields{"reset_to": 90.0}, "clears_deferred_pct": 80,
		"external_id": fmt.Sprintf("treatment-%d", n), "tags": []string{"chaussée"}, "custom_fields": fields{"lot": 5.0}}
}

// replacing is a class with a treatment, by the organization that has it. The tests of a suite run at once.
var (
	replacing   = map[string][2]any{}
	replacingMu sync.Mutex
)

func makeStrategy(t testing.TB, client *resourcetest.Client, n int) fields {
	replacingMu.Lock()
	defer replacingMu.Unlock()
	ids, known := replacing[client.Principal.OrganizationID]
	if !known {
		ids[0] = client.Create(t, pathOf(assetClasses.Collection),
			fields{"name": "Routes " + uuid.NewString(), "service_category": "roads", "applies_to": "segment"})["id"]
		ids[1] = client.Create(t, pathOf(treatments.Collection), fields{"asset_class_id": ids[0], "name": "Reconstruire", "kind": "replacement",
			"cost_basis": "pct_of_replacement", "cost": 100, "trigger": fields{"condition_max": 40}})["id"]
		replacing[client.Principal.OrganizationID] = ids
	}
	return fields{"asset_class_id": ids[0], "name": fmt.Sprintf("Reconstruire %d", n), "treatment_ids": []any{ids[1]}, "is_default": false,
		"external_id": fmt.Sprintf("strategy-%d", n), "tags": []string{"chaussée"}, "custom_fields": fields{"lot": 6.0}}
}

func makeScenario(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{"name": fmt.Sprintf("Budget %d", n), "code": fmt.Sprintf("BUD-%d", n), "kind": "budget", "starts_on": "2027-01-01",
		"years": 25, "basis": "whole", "filter": fields{"categories": []any{"roads", "water"}}, "objective": "risk", "weight": "none",
		"benefit_years": 15, "min_ratio": 0.5, "inflation_pct": 2.5, "discount_pct": 3.25, "deferred_growth_pct": 1.5,
		"funds": []any{fields{"code": "levy", "source_type": "levy", "amounts": []any{fields{"year": 2027.0, "amount": 1250000.5}},
			"growth_pct": 2.0, "carry_over": true, "kinds": []any{"replacement"}}}, "caps": []any{fields{"name": "Routes",
			"amounts": []any{fields{"year": 2028.0, "amount": 500000.0}}, "categories": []any{"roads"}}},
		"overrides":    []any{fields{"element_type": "segment", "element_id": priceIndex, "year": 2029.0, "treatment_id": nil}},
		"replications": 10, "seed": 42,
		"external_id": fmt.Sprintf("scenario-%d", n), "tags": []string{"conseil"}, "custom_fields": fields{"lot": 7.0}}
}

func makeInventory(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{"name": fmt.Sprintf("Inventaire %d", n), "code": fmt.Sprintf("AN-%d", n), "notes": "après les inspections",
		"external_id": fmt.Sprintf("inventory-%d", n), "tags": []string{"conseil"}, "custom_fields": fields{"lot": 8.0}}
}

// ordered is a scenario and an inventory, by the organization that has them.
var (
	ordered   = map[string][2]any{}
	orderedMu sync.Mutex
)

func makeRun(t testing.TB, client *resourcetest.Client, n int) fields {
	orderedMu.Lock()
	defer orderedMu.Unlock()
	ids, known := ordered[client.Principal.OrganizationID]
	if !known {
		ids[0] = client.Create(t, pathOf("scenarios"),
			fields{"name": "Rien " + uuid.NewString(), "kind": "do_nothing", "starts_on": "2027-01-01", "years": 10})["id"]
		ids[1] = client.Create(t, pathOf("planning_inventories"), fields{})["id"]
		ordered[client.Principal.OrganizationID] = ids
	}
	return fields{"name": fmt.Sprintf("Conseil %d", n), "code": fmt.Sprintf("CON-%d", n),
		"notes": "avec la subvention", "scenario_ids": []any{ids[0]}, "inventory_id": ids[1],
		"external_id": fmt.Sprintf("run-%d", n), "tags": []string{"conseil"}, "custom_fields": fields{"lot": 9.0}}
}
