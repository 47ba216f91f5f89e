package e2e

import (
	"fmt"
	"testing"
)

// A catalogue of lifecycle planning comes from tables that an organization has: rows of CSV, and lines of JSON where a record has parts.
func TestACatalogueOfPlanningIsImported(t *testing.T) {
	c := fresh(t, city)
	idOf := func(collection, external string) string {
		t.Helper()
		return c.must(t, 200, "GET",
			"/v1/planning/"+collection+"?external_id="+external, nil).object["data"].([]any)[0].(map[string]any)["id"].(string)
	}
	imports := []struct{ collection, rows string }{
		{"planning/deterioration-models", "external_id,code,name,kind,end_condition,exponent\nimp-model,IMP-M,Chaussée,curve,20,1.4\n"},
		{"planning/asset-classes", "external_id,code,name,service_category,applies_to,model_external_id,default_useful_life_years\n" +
			"imp-class,IMP-C,Chaussées,roads,segment,imp-model,25\n"},
		{"planning/treatments", `{"external_id":"imp-treatment","name":"Resurfaçage",` +
			`"asset_class_external_id":"imp-class","kind":"rehabilitation","cost_basis":"pct_of_replacement","cost":40,` +
			`"trigger":{"condition_min":40,"condition_max":65},"effect":{"reset_to":90}}` + "\n"},
		{"planning/scenarios",
			`{"external_id":"imp-scenario","code":"IMP-S","name":"Budget","kind":"budget","starts_on":"2027-01-01","years":10,` +
				`"funds":[{"code":"levy","source_type":"levy","growth_pct":2,"amounts":[{"year":2027,"amount":100000}]}]}` + "\n"},
	}
	for _, each := range imports {
		if created := c.imported(t, each.collection, each.rows); created != 1 {
			t.Fatalf("%s: %d are created", each.collection, created)
		}
	}
	strategies := fmt.Sprintf("external_id,name,asset_class_external_id,treatment_ids,is_default\nimp-strategy,Préserver,imp-class,%s,true\n",
		idOf("treatments", "imp-treatment"))
	if created := c.imported(t, "planning/strategies", strategies); created != 1 {
		t.Fatalf("%d strategies are created", created)
	}
	for _, each := range imports {
		if again := c.imported(t, each.collection, each.rows); again != 0 {
			t.Errorf("%s: a second time, %d are created", each.collection, again)
		}
	}
	treatment := c.must(t, 200, "GET", "/v1/planning/treatments/"+idOf("treatments", "imp-treatment"), nil).object
	if trigger, _ := treatment["trigger"].(map[string]any); trigger["condition_max"] != 65.0 ||
		treatment["asset_class_id"] != idOf("asset-classes", "imp-class") {
		t.Errorf("the treatment is %v", treatment)
	}
	run := c.create(t, "/v1/planning/runs", map[string]any{"scenario_ids": []string{idOf("scenarios", "imp-scenario")}})
	await(t, c, "/v1/planning/runs/"+run, "the run to be completed", func(run map[string]any) bool { return run["state"] == "completed" })
}
