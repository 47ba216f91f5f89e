package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// row finds what a list says of one thing.
func row(t testing.TB, list []any, member, value string) map[string]any {
	t.Helper()
	at := slices.IndexFunc(list, func(each any) bool { return each.(map[string]any)[member] == value })
	if at < 0 {
		t.Fatalf("no %s is %s in %v", member, value, list)
	}
	return list[at].(map[string]any)
}

// TestTheTownsScenariosOrderAsTheyMust calculates the five scenarios of the demonstration town over all that it has: roads, mains and the
// equipment of its buildings.
func TestTheTownsScenariosOrderAsTheyMust(t *testing.T) {
	full := as(t, city, "full")
	var ids []string
	codes := []string{"RIEN", "ACTUEL", "MAINTENIR", "ATTEINDRE", "ILLIMITE"}
	for _, code := range codes {
		found := full.do(t, "GET", "/v1/planning/scenarios?code="+code, nil).object["data"].([]any)
		ids = append(ids, row(t, found, "code", code)["id"].(string))
	}
	made := full.do(t, "POST", "/v1/planning/runs", map[string]any{"scenario_ids": ids, "name": "Conseil"})
	path := fmt.Sprint("/v1/planning/runs/", made.object["id"])
	var run map[string]any
	testwait.For(t, time.Minute, "the run to end", func() bool {
		run = full.do(t, "GET", path, nil).object
		return run["state"] != "queued" && run["state"] != "running"
	})
	if run["state"] != "completed" {
		t.Fatalf("the run: %v", run)
	}
	compared := full.do(t, "GET", path+"/compare?baseline=RIEN", nil).object["data"].([]any)
	condition := func(code string) float64 { return row(t, compared, "scenario", code)["avg_condition"].(float64) }
	if nothing, current, keep, all := condition("RIEN"), condition("ACTUEL"), condition("MAINTENIR"), condition("ILLIMITE"); nothing > current || current > keep || keep > all || nothing == all {
		t.Errorf("after 25 years the condition is %v, %v, %v, %v: do nothing, the current budget, keeping the level, without limits", nothing, current, keep, all)
	}
	if n := row(t, compared, "scenario", "RIEN")["elements"].(float64); n < 1000 {
		t.Errorf("%v elements are calculated, left out %v", n, compared[0].(map[string]any)["left_out"])
	}
	for section, query := range map[int]string{5: "current=MAINTENIR", 6: "proposed=ATTEINDRE&funded=ACTUEL"} {
		tables := full.do(t, "GET", fmt.Sprintf("%s/regulation?section=%d&%s", path, section, query), nil).object
		years := tables["years"].([]any)
		if len(years) < 10*4 || len(tables["categories"].([]any)) < 4 || len(tables["options"].([]any)) != 5 {
			t.Errorf("section %d: %d years, %v", section, len(years), tables["options"])
		}
		if first := years[0].(map[string]any); (first["shortfall"] != nil) != (section == 6) {
			t.Errorf("section %d: %v", section, first)
		}
	}
	if again := full.do(t, "POST", path+"/verify", nil).object; again["identical"] != true {
		t.Errorf("calculated again it is %v", again)
	}
	first := int(full.do(t, "GET", path+"/years?scenario=ACTUEL", nil).object["data"].([]any)[0].(map[string]any)["year"].(float64))
	promoted := full.do(t, "POST", path+"/promote", map[string]any{"scenario": "ACTUEL", "years": []int{first}, "group_by": "class"})
	projects := promoted.object["data"].([]any)
	if len(projects) == 0 {
		t.Fatalf("no project: %s", promoted.body)
	}
	project := full.do(t, "GET", fmt.Sprint("/v1/projects/", projects[0].(map[string]any)["project_id"]), nil).object
	if project["status"] != "proposed" || project["estimate_class"] != "D" || !strings.Contains(fmt.Sprint(project["justification"]), "ratio") {
		t.Errorf("the project is %v", project)
	}
	links := full.do(t, "GET", fmt.Sprint("/v1/projects/", projects[0].(map[string]any)["project_id"], "/links"), nil).object["pagination"].(map[string]any)["total"]
	if links != projects[0].(map[string]any)["elements"] {
		t.Errorf("it has %v links of %v elements", links, projects[0])
	}
}

// TestWholeValuesAreThoseOfTheReport: on the basis whole, without inflation, what scenarios and what they leave out for other reasons than
// that it counts elsewhere is worth what the report says.
func TestWholeValuesAreThoseOfTheReport(t *testing.T) {
	full := as(t, board, "full")
	scenario := full.do(t, "POST", "/v1/planning/scenarios", map[string]any{"name": t.Name(), "kind": "do_nothing", "starts_on": "2027-01-01", "years": 1, "basis": "whole", "inflation_pct": 0})
	made := full.do(t, "POST", "/v1/planning/runs", map[string]any{"scenario_ids": []any{scenario.object["id"]}})
	path := fmt.Sprint("/v1/planning/runs/", made.object["id"])
	testwait.For(t, time.Minute, "the run to end", func() bool { return full.do(t, "GET", path, nil).object["state"] == "completed" })
	year := full.do(t, "GET", path+"/years", nil).object["data"].([]any)[0].(map[string]any)
	report := full.do(t, "GET", "/v1/reports/state-of-assets", nil).object["total"].(map[string]any)
	compared := full.do(t, "GET", path+"/compare", nil).object["data"].([]any)[0].(map[string]any)
	sum := year["value"].(float64) + compared["left_out_value"].(float64)
	segments := full.do(t, "GET", "/v1/reports/state-of-infrastructure", nil).object["total"].(map[string]any)
	t.Logf("calculated %v, left out %v, the report %v, with networks %v", year["value"], compared["left_out_value"], report["replacement_cost"], segments["replacement_cost"])
	if want := segments["replacement_cost"].(float64); fmt.Sprintf("%.2f", sum) != fmt.Sprintf("%.2f", want) {
		t.Errorf("elements are worth %.2f, the report says %.2f", sum, want)
	}
}
