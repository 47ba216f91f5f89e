package figures

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// found finds what a list says of one thing.
func found(t testing.TB, list []any, member, value string) row {
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
	town := ofDemonstration(t, "Ville de Rivière-Claire")
	var ids []string
	codes := []string{"RIEN", "ACTUEL", "MAINTENIR", "ATTEINDRE", "ILLIMITE"}
	for _, code := range codes {
		list := town.get("/v1/planning/scenarios?code=" + code)["data"].([]any)
		ids = append(ids, found(t, list, "code", code)["id"].(string))
	}
	made := town.call(0, "POST", "/v1/planning/runs", row{"scenario_ids": ids, "name": "Conseil"})
	path := fmt.Sprint("/v1/planning/runs/", made["id"])
	var run row
	testwait.For(t, time.Minute, "the run to end", func() bool {
		run = town.get(path)
		return run["state"] != "queued" && run["state"] != "running"
	})
	if run["state"] != "completed" {
		t.Fatalf("the run: %v", run)
	}
	compared := town.get(path + "/compare?baseline=RIEN")["data"].([]any)
	condition := func(code string) float64 { return found(t, compared, "scenario", code)["avg_condition"].(float64) }
	if nothing, current, keep, all := condition("RIEN"), condition("ACTUEL"), condition("MAINTENIR"),
		condition("ILLIMITE"); nothing > current || current > keep || keep > all || nothing == all {
		t.Errorf("after 25 years the condition is %v, %v, %v, %v: do nothing, the current budget, keeping the level, without limits", nothing,
			current, keep, all)
	}
	if n := found(t, compared, "scenario", "RIEN")["elements"].(float64); n < 1000 {
		t.Errorf("%v elements are calculated, left out %v", n, compared[0].(map[string]any)["left_out"])
	}
	again := newRegulation(t, town, path, codes)
	again.check(5, "MAINTENIR", "")
	again.check(6, "ATTEINDRE", "ACTUEL")
	for section, query := range map[int]string{5: "current=MAINTENIR", 6: "proposed=ATTEINDRE&funded=ACTUEL"} {
		tables := town.get(fmt.Sprintf("%s/regulation?section=%d&%s", path, section, query))
		years := tables["years"].([]any)
		if len(years) < 10*4 || len(tables["categories"].([]any)) < 4 || len(tables["options"].([]any)) != 5 {
			t.Errorf("section %d: %d years, %v", section, len(years), tables["options"])
		}
		if first := years[0].(map[string]any); (first["given"] != nil) != (section == 6) {
			t.Errorf("section %d: %v", section, first)
		}
		expectYearsToAddUp(t, tables, section)
		expectReconciled(t, tables, town.get("/v1/reports/state-of-infrastructure"))
	}
	if verified := town.call(0, "POST", path+"/verify", nil); verified["identical"] != true {
		t.Errorf("calculated again it is %v", verified)
	}
	first := int(town.get(path + "/years?scenario=ACTUEL")["data"].([]any)[0].(map[string]any)["year"].(float64))
	promoted := town.call(0, "POST", path+"/promote", row{"scenario": "ACTUEL", "years": []int{first}, "group_by": "class"})
	projects := promoted["data"].([]any)
	if len(projects) == 0 {
		t.Fatalf("no project: %s", fmt.Sprint(promoted))
	}
	project := town.get(fmt.Sprint("/v1/projects/", projects[0].(map[string]any)["project_id"]))
	if project["status"] != "proposed" || project["estimate_class"] != "D" ||
		!strings.Contains(fmt.Sprint(project["justification"]), "ratio") {
		t.Errorf("the project is %v", project)
	}
	links := town.get(fmt.Sprint("/v1/projects/", projects[0].(map[string]any)["project_id"],
		"/links"))["pagination"].(map[string]any)["total"]
	if links != projects[0].(map[string]any)["elements"] {
		t.Errorf("it has %v links of %v elements", links, projects[0])
	}
}

// expectReconciled holds what a run calculates with against the report on the state of infrastructure: of each category, and in all.
func expectReconciled(t *testing.T, tables, report row) {
	t.Helper()
	statutory := tables["statutory_table"].(map[string]any)
	if statutory["as_of"] != report["as_of"] || fmt.Sprint(statutory["prices_of"]) != fmt.Sprint(report["prices_of"]) ||
		shown(statutory, "replacement_cost") != shown(report["total"].(map[string]any), "replacement_cost") {
		t.Errorf("the report is %v, the table %v", report["total"], statutory)
	}
	moved, rows := new(big.Rat), tables["reconciliation"].([]any)
	for _, group := range report["data"].([]any) {
		if shown(group, "replacement_cost") == "0" {
			continue // there is nothing to reconcile
		}
		reconciled := found(t, rows, "category", group.(map[string]any)["key"].(string))
		if shown(reconciled, "reported") != shown(group, "replacement_cost") {
			t.Errorf("the report says %v of what is reconciled from %v", shown(group, "replacement_cost"), reconciled)
		}
	}
	for _, each := range rows {
		sum := new(big.Rat)
		for _, step := range []string{"reported", "restated", "outside", "left_out", "other_level", "by_unit_cost", "other_category", "prices"} {
			sum.Add(sum, exact(t, shown(each, step)))
		}
		if sum.Cmp(exact(t, shown(each, "calculated"))) != 0 {
			t.Errorf("the steps come to %s: %v", sum.FloatString(2), each)
		}
		moved.Add(moved, exact(t, shown(each, "other_category")))
	}
	if moved.Sign() != 0 {
		t.Errorf("%s moved between the categories", moved.FloatString(2))
	}
	for _, each := range tables["categories"].([]any) {
		category := each.(map[string]any)
		if got := found(t, rows, "category", category["category"].(string)); shown(got, "calculated") != shown(category, "replacement_cost") {
			t.Errorf("categories have %v, the reconciliation %v", category, got)
		}
	}
}

// expectYearsToAddUp holds the tables of an answer against each other: the years of all categories are those of totals and option.
func expectYearsToAddUp(t *testing.T, tables row, section int) {
	t.Helper()
	sums, all := map[string]*big.Rat{}, new(big.Rat)
	for _, each := range tables["years"].([]any) {
		year, cost := shown(each, "year"), exact(t, shown(each, "cost"))
		if sums[year] == nil {
			sums[year] = new(big.Rat)
		}
		sums[year].Add(sums[year], cost)
		all.Add(all, cost)
	}
	totals := tables["totals"].([]any)
	if want := map[int]int{5: 0, 6: 10}[section]; len(totals) != want {
		t.Errorf("section %d: %d totals, want %d", section, len(totals), want)
	}
	for _, total := range totals {
		cost, money, shortfall := exact(t, shown(total, "cost")), exact(t, shown(total, "funding")), exact(t, shown(total, "shortfall"))
		money.Add(money, exact(t, shown(total, "carried")))
		if least := new(big.Rat).Sub(cost, money); cost.Cmp(sums[shown(total, "year")]) != 0 || shortfall.Sign() < 0 || shortfall.Cmp(least) < 0 {
			t.Errorf("section %d: the categories cost %s in the year of %v", section, sums[shown(total, "year")].FloatString(2), total)
		}
	}
	option := found(t, tables["options"].([]any), "scenario", tables["scenario"].(string))
	if exact(t, shown(option, "cost")).Cmp(all) != 0 {
		t.Errorf("section %d: the years cost %s, the option says %v", section, all.FloatString(2), option["cost"])
	}
}

// TestWholeBuildingsCostWhatTheReportsSay holds an inventory, at the coarsest level that has a cost, against the state of assets and of
// infrastructure, to the cent. What has no class is left out with its value.
func TestWholeBuildingsCostWhatTheReportsSay(t *testing.T) {
	for seed := range uint64(3) {
		p := newPortfolio(newOrganization(t), 70+seed)
		p.write()
		model := p.o.create("/v1/planning/deterioration-models", row{"name": "Curve", "kind": "curve"})
		p.o.create("/v1/planning/asset-classes", row{"name": "Heating", "service_category": "facilities", "applies_to": "asset",
			"model_id": model, "default_useful_life_years": 20, "match": []row{{"category": "hvac"}}})
		p.o.create("/v1/planning/asset-classes", row{"name": "Roads", "service_category": "roads", "applies_to": "segment", "model_id": model,
			"default_useful_life_years": 20, "match": []row{{"network_asset_class": "road"}}})
		scenario := p.o.create("/v1/planning/scenarios", row{"name": "As they are", "code": "WHOLE", "kind": "do_nothing",
			"starts_on": "2027-01-01", "years": 1, "basis": "whole", "inflation_pct": 0})
		path := "/v1/planning/runs/" + p.o.create("/v1/planning/runs", row{"scenario_ids": []string{scenario}})
		testwait.For(t, time.Minute, "the run to be completed", func() bool { return p.o.get(path)["state"] == "completed" })
		compared := p.o.get(path + "/compare")["data"].([]any)[0].(map[string]any)
		value, leftOut := exact(t, shown(compared, "value")), exact(t, shown(compared, "left_out_value"))
		_, total := p.o.stateOfInfrastructure(question{day: today()})
		if sum := new(big.Rat).Add(value, leftOut); sum.Cmp(exact(t, total["replacement_cost"])) != 0 || value.Sign() == 0 ||
			leftOut.Sign() == 0 {
			t.Errorf("seed %d: what is planned costs %s, what is left out %s; the state of infrastructure is %s", seed, value.FloatString(2),
				leftOut.FloatString(2), total["replacement_cost"])
		}
	}
}
