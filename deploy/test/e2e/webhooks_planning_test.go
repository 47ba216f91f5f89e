package e2e

import "testing"

// provokePlanning has a run make a project, and another fail. What stays on record refers to nothing of the fixture.
func provokePlanning(t *testing.T, c caller) {
	t.Helper()
	old := map[string]any{"uniformat_code": "G9090", "replacement_cost": 1000, "install_date": "1960-01-01", "expected_useful_life_years": 20}
	made := func(path string, body map[string]any) string {
		t.Helper()
		return c.create(t, path, body)
	}
	named := func(name string, body map[string]any) map[string]any {
		body["name"] = name
		return body
	}
	made("/v1/assets", named("Told to be planned", old))
	model := made("/v1/planning/deterioration-models", map[string]any{"name": "Told", "kind": "curve"})
	class := made("/v1/planning/asset-classes", map[string]any{"name": "Told", "service_category": "facilities", "applies_to": "asset",
		"model_id": model, "match": []any{map[string]any{"uniformat_code": "G9090"}}})
	treatment := made("/v1/planning/treatments", map[string]any{"name": "Replacement", "asset_class_id": class, "kind": "replacement",
		"cost_basis": "pct_of_replacement", "cost": 100, "trigger": map[string]any{"condition_max": 60}})
	made("/v1/planning/strategies",
		map[string]any{"name": "Told", "asset_class_id": class, "treatment_ids": []string{treatment}, "is_default": true})
	ended := func(scenario map[string]any, state string) string {
		t.Helper()
		scenario["starts_on"] = "2027-01-01"
		run := "/v1/planning/runs/" +
			made("/v1/planning/runs", map[string]any{"scenario_ids": []string{made("/v1/planning/scenarios", scenario)}})
		await(t, c, run, "the run to be "+state, func(run map[string]any) bool { return run["state"] == state })
		return run
	}
	completed := ended(map[string]any{"name": "Told without limits", "code": "TOLD", "kind": "unlimited", "years": 2}, "completed")
	c.must(t, 200, "POST", completed+"/promote", map[string]any{"scenario": "TOLD", "years": []int{2027}})
	old["replacement_cost"] = 1e12 // times 1.2^99 it is beyond all amounts
	made("/v1/assets", named("Told to be too dear", old))
	ended(map[string]any{"name": "Told to fail", "kind": "do_nothing", "years": 100, "inflation_pct": 20}, "failed")
}
