package planning

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/planning/engine"
)

// twoCategories runs two assets over eleven years: heating of facilities at 50 points and pipes of water at 30, which lose 5 a year and may
// be replaced at 40. It gives the path of the tables.
func twoCategories(t *testing.T) (*fixture, string) {
	t.Helper()
	f := newFixtureAlone(t)
	asset := func(n int, category, installed string) inventory.Line {
		return inventory.Line{Type: "asset", ID: elementID(n), Name: category, Counts: true, SiteID: elementID(9), Category: category,
			Cost: cost(1_000_000), CostYear: 2027, Life: 20, Installed: installed}
	}
	f.serve(t, []inventory.Line{{Type: "site", ID: elementID(9), Name: "Aréna", Counts: true},
		asset(1, "hvac", "2017-01-01"), asset(2, "plumbing", "2013-01-01")}, nil)
	model := f.make(t, "deterioration_models", fields{"name": "Straight", "kind": "curve", "end_condition": 0, "exponent": 1})
	for _, class := range []struct{ code, category, service string }{{"FAC", "hvac", "facilities"}, {"WAT", "plumbing", "water"}} {
		id := f.class(t, class.code, fields{"code": class.code, "service_category": class.service, "applies_to": "asset", "model_id": model,
			"default_useful_life_years": 20, "match": []any{fields{"category": class.category}}})
		replace := f.make(t, "treatments", fields{"asset_class_id": id, "name": "Replace", "kind": "replacement",
			"cost_basis": "pct_of_replacement", "cost": 100, "trigger": fields{"condition_max": 40}})
		f.make(t, "strategies", fields{"asset_class_id": id, "name": "Replace", "treatment_ids": []string{replace}, "is_default": true})
	}
	scenario := func(code, kind string, more fields) string {
		body := fields{"years": 11, "inflation_pct": 0}
		for name, value := range more {
			body[name] = value
		}
		return f.scenario(t, code, kind, body)
	}
	levy := func(carry bool) fields {
		return fields{"funds": []any{fields{"code": "levy", "source_type": "levy", "growth_pct": 0, "carry_over": carry,
			"amounts": []any{fields{"year": 2027, "amount": 400_000}}}}}
	}
	keep := func(scope string) fields {
		target := fields{"metric": "avg_condition"}
		if scope != "" {
			target["scope"] = scope
		}
		return fields{"target": target}
	}
	id := f.make(t, "planning_runs", fields{"scenario_ids": []string{
		scenario("UNLIM", "unlimited", nil), scenario("BUD", "budget", levy(false)), scenario("BUDC", "budget", levy(true)),
		scenario("KEEP", "keep_level", keep("all")), scenario("KEEPC", "keep_level", keep("")), scenario("NOTHING", "do_nothing", nil)}})
	if run := f.ended(t, "planning_runs", id, "completed", "failed"); run["state"] != "completed" {
		t.Fatalf("the run: %v", run)
	}
	return f, pathOf("planning_runs") + "/" + id + "/regulation"
}

// tables of a section, and one of them by its key.
func (f *fixture) tables(t *testing.T, path, query string) fields {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", path+"?"+query, nil).JSON
}

func keyed(rows any, key string) map[string]fields {
	all := map[string]fields{}
	for _, row := range rows.([]any) {
		all[fmt.Sprint(row.(fields)[key])] = row.(fields)
	}
	return all
}

func TestFundingIsTheMoneyThatIsThere(t *testing.T) {
	f, path := twoCategories(t)
	for funded, want := range map[string]map[string][2]float64{ // carried and shortfall of some years
		"BUD":  {"2028": {0, 0}, "2029": {0, 600_000}, "2030": {0, 0}, "2037": {0, 0}},
		"BUDC": {"2028": {400_000, 0}, "2029": {800_000, 0}},
	} {
		tables := f.tables(t, path, "section=6&proposed=UNLIM&funded="+funded)
		funding := 0.0
		totals := keyed(tables["totals"], "year")
		for year, total := range totals {
			funding += total["funding"].(float64)
			if total["funding"] != 400_000.0 || total["shortfall"].(float64) < 0 {
				t.Errorf("%s, %s: %v", funded, year, total)
			}
		}
		if len(totals) != 10 || funding != 4_000_000 {
			t.Errorf("%s: %v in %d years", funded, funding, len(totals))
		}
		for year, amounts := range want {
			if totals[year]["carried"] != amounts[0] || totals[year]["shortfall"] != amounts[1] {
				t.Errorf("%s, %s: carried %v, short %v; want %v", funded, year, totals[year]["carried"], totals[year]["shortfall"], amounts)
			}
		}
		for _, fund := range tables["funds"].([]any) {
			row := fund.(fields)
			if row["fund"] != "levy" || row["source_type"] != "levy" || row["amount"] != 400_000.0 ||
				row["available"] != row["amount"].(float64)+row["carried"].(float64) {
				t.Errorf("%s: %v", funded, row)
			}
		}
	}
	for _, without := range []string{"KEEP", "UNLIM", "NOTHING"} {
		refused := f.Must(t, http.StatusBadRequest, "GET", path+"?section=6&proposed=UNLIM&funded="+without, nil)
		if !strings.Contains(string(refused.Body), `"funded"`) || !strings.Contains(string(refused.Body), "kind budget") {
			t.Errorf("money of %s: %s", without, refused.Body)
		}
	}
	refused := f.Must(t, http.StatusBadRequest, "GET", path+"?section=5&current=NONE", nil)
	if !strings.Contains(string(refused.Body), `"current"`) {
		t.Errorf("the field of a wrong code: %s", refused.Body)
	}
}

func TestLevelsAreKeptInEachYearAndCategory(t *testing.T) {
	f, path := twoCategories(t)
	for _, current := range []string{"KEEP", "KEEPC", "UNLIM", "NOTHING"} {
		options := keyed(f.tables(t, path, "section=5&current="+current)["options"], "scenario")
		for code, overall := range map[string]bool{"UNLIM": true, "KEEPC": true, "KEEP": true, "BUDC": false, "BUD": false, "NOTHING": false} {
			// None keeps facilities: they are found at 50, and nothing can be done until they are at 40.
			if o := options[code]; o["keeps_overall"] != overall || o["keeps_levels"] != false || o["cheapest_that_keeps"] != false {
				t.Errorf("%s, the levels are those of %s: %v", code, current, o)
			}
		}
	}
	for current, want := range map[string]map[string][]any{ // found, lowest, year, keeps, could be treated
		"UNLIM": {"facilities": {50.0, 45.0, 2028.0, false, false}, "water": {30.0, 50.0, 2037.0, true, nil}},
		"KEEP":  {"facilities": {50.0, 15.0, 2034.0, false, true}},
	} {
		categories := keyed(f.tables(t, path, "section=5&current="+current)["categories"], "category")
		for category, values := range want {
			row := categories[category]
			got := []any{row["avg_condition"], row["lowest_condition"], row["lowest_year"], row["keeps_level"], row["could_be_treated"]}
			if !slices.Equal(got, values) {
				t.Errorf("%s in %s: %v, want %v", category, current, got, values)
			}
		}
	}
	scenario := f.Must(t, http.StatusOK, "GET", pathOf("scenarios")+"?code=KEEPC", nil).JSON["data"].([]any)[0].(fields)
	if scope := scenario["target"].(fields)["scope"]; scope != "category" {
		t.Errorf("the scope of a keep_level that names none is %v, want category", scope)
	}
	changed := f.Must(t, http.StatusOK, "PATCH", pathOf("scenarios")+"/"+scenario["id"].(string),
		fields{"target": fields{"metric": "fci_pct", "scope": nil}}).JSON
	if scope := changed["target"].(fields)["scope"]; scope != "category" {
		t.Errorf("with its scope taken away it is %v, want category", scope)
	}
}

func TestOneAnswerHasOnePeriod(t *testing.T) {
	f, path := twoCategories(t)
	tables := f.tables(t, path, "section=5&current=UNLIM")
	if tables["levels_of"] != 2027.0 || tables["from"] != 2028.0 || tables["to"] != 2037.0 {
		t.Errorf("the period is %v, %v to %v", tables["levels_of"], tables["from"], tables["to"])
	}
	sums := map[string]float64{}
	for _, table := range []string{"years", "first_year"} {
		for _, row := range tables[table].([]any) {
			sums[table] += row.(fields)["cost"].(float64)
			if year := row.(fields)["year"].(float64); (table == "years") != (year >= 2028 && year <= 2037) {
				t.Errorf("%v stands in %s", year, table)
			}
		}
	}
	option := keyed(tables["options"], "scenario")["UNLIM"]
	if sums["years"] != 1_000_000 || option["cost"] != sums["years"] ||
		sums["first_year"] != 1_000_000 || option["first_year_cost"] != sums["first_year"] {
		t.Errorf("the years cost %v and %v, the option %v and %v", sums["years"], sums["first_year"], option["cost"], option["first_year_cost"])
	}
	for table, head := range map[string]string{"years": "category,year,", "categories": "category,elements,",
		"options": "scenario,name,cost,first_year_cost,"} {
		csv := f.Do(t, "GET", path+"?section=5&current=UNLIM&table="+table, nil, "Accept", "text/csv")
		if !strings.HasPrefix(string(csv.Body), head) {
			t.Errorf("table %s: %.80s", table, csv.Body)
		}
	}
}

// What is for some comes before what is for all.
func TestMoneyForSomethingPaysThatFirst(t *testing.T) {
	roads := []bool{true, false}
	scopes := func(of ...[]bool) (all []engine.Scope) {
		for _, classes := range of {
			all = append(all, engine.Scope{Classes: classes})
		}
		return all
	}
	for _, c := range []struct {
		costs, available []engine.Cents
		scopes           []engine.Scope
		want             engine.Cents
	}{
		{[]engine.Cents{0, 0, 100, 0, 0, 50}, []engine.Cents{60, 100}, scopes(nil, roads), 0},  // grants pay the roads, the levy the rest
		{[]engine.Cents{0, 0, 100, 0, 0, 50}, []engine.Cents{20, 300}, scopes(nil, roads), 30}, // 200 of the grants cannot be used
		{[]engine.Cents{0, 0, 10, 0, 0, 0}, []engine.Cents{1000}, []engine.Scope{{}}, 0},       // never below 0
		{[]engine.Cents{7, 0, 0, 0, 0, 0}, []engine.Cents{100}, []engine.Scope{{Kinds: []bool{false, true, true}}}, 7},
	} {
		if got := unpaid(c.costs, c.scopes, c.available); got != c.want {
			t.Errorf("%d of %v is unpaid, want %d", got, c.costs, c.want)
		}
	}
}

// In setting S: an appraised fire hall with a boiler of its own cost in it, a pump without a class, a well that a class prices, what its
// class has in another category than its service, what is not in use, and prices that the report has indexed.
func TestTheTableOfWhatThereIsIsReconciled(t *testing.T) {
	t.Parallel()
	f := newFixtureAlone(t)
	line := func(n int, kind, service, category string, amount int64, building int) inventory.Line {
		l := inventory.Line{Type: kind, ID: elementID(n), Name: category, Counts: true, ServiceCategory: service, Category: category,
			CostYear: 2025, Installed: "2017-01-01", Life: 20}
		if amount > 0 {
			l.Cost = cost(amount)
		}
		if building > 0 {
			l.BuildingID = elementID(building)
		}
		return l
	}
	reported := func(n int, service string, amount int64) inventory.Line {
		return inventory.Line{Type: "reported", ID: elementID(n), ServiceCategory: service, Cost: cost(amount), PricesOf: 2026}
	}
	gone := line(6, "asset", "fire", "hvac", 77_000, 0)
	gone.Counts = false
	f.serve(t, []inventory.Line{
		line(1, "building", "fire", "", 1_000_000, 0), line(2, "asset", "fire", "hvac", 100_000, 1),
		line(3, "asset", "water", "pump", 40_000, 0), line(4, "asset", "water", "plumbing", 0, 0),
		line(5, "asset", "facilities", "plumbing", 60_000, 0), gone,
		reported(7, "fire", 1_100_000), reported(8, "water", 44_000), reported(9, "facilities", 66_000)}, nil)
	model := f.make(t, "deterioration_models", fields{"name": "Straight", "kind": "curve", "end_condition": 0, "exponent": 1})
	f.class(t, "FAC", fields{"code": "FAC", "service_category": "fire", "applies_to": "asset", "model_id": model,
		"match": []any{fields{"category": "hvac"}}})
	f.class(t, "WAT", fields{"code": "WAT", "service_category": "water", "applies_to": "asset", "model_id": model,
		"match": []any{fields{"category": "plumbing"}}, "unit": "each", "unit_cost": 5000, "price_year": 2027})
	id := f.make(t, "planning_runs", fields{"scenario_ids": []string{
		f.scenario(t, "ALL", "do_nothing", fields{"years": 11, "inflation_pct": 10}),
		f.scenario(t, "FIRE", "do_nothing", fields{"years": 11, "inflation_pct": 0, "filter": fields{"categories": []string{"fire"}}}),
		f.scenario(t, "WHOLE", "do_nothing", fields{"years": 11, "inflation_pct": 0, "basis": "whole"})}})
	if run := f.ended(t, "planning_runs", id, "completed", "failed"); run["state"] != "completed" {
		t.Fatalf("the run: %v", run)
	}
	path := pathOf("planning_runs") + "/" + id + "/regulation"
	row := func(category string, of ...float64) fields {
		r := fields{"category": category}
		for i, name := range []string{"reported", "restated", "outside", "left_out", "other_level", "by_unit_cost", "other_category",
			"prices", "calculated"} {
			r[name] = of[i]
		}
		return r
	}
	for scenario, want := range map[string][]fields{
		"ALL": { // 10 % a year from 2025 to 2027
			row("facilities", 66_000, -6_000, 0, 0, 0, 0, -60_000, 0, 0),
			row("fire", 1_100_000, -100_000, 0, 0, -900_000, 0, 0, 21_000, 121_000),
			row("water", 44_000, -4_000, 0, -40_000, 0, 5_000, 60_000, 12_600, 77_600)},
		"FIRE": {
			row("facilities", 66_000, -6_000, -60_000, 0, 0, 0, 0, 0, 0),
			row("fire", 1_100_000, -100_000, -1_000_000, 0, 100_000, 0, 0, 0, 100_000), // the fire hall has no class of the category
			row("water", 44_000, -4_000, -40_000, 0, 0, 0, 0, 0, 0)},
		"WHOLE": { // the fire hall has no class, and what is in it is no element
			row("facilities", 66_000, -6_000, 0, 0, 0, 0, -60_000, 0, 0),
			row("fire", 1_100_000, -100_000, 0, -1_000_000, 0, 0, 0, 0, 0),
			row("water", 44_000, -4_000, 0, -40_000, 0, 5_000, 60_000, 0, 65_000)},
	} {
		tables := f.tables(t, path, "section=5&current="+scenario)
		rows := keyed(tables["reconciliation"], "category")
		if len(rows) != len(want) {
			t.Errorf("%s: %v", scenario, rows)
		}
		for _, r := range want {
			if got := rows[r["category"].(string)]; !maps.Equal(got, r) {
				t.Errorf("%s: %v\nwant %v", scenario, got, r)
			}
		}
		for category, shown := range keyed(tables["categories"], "category") {
			if rows[category]["calculated"] != shown["replacement_cost"] {
				t.Errorf("%s, %s: %v is reconciled, %v is in categories", scenario, category, rows[category]["calculated"], shown["replacement_cost"])
			}
		}
		resourcetest.Expect(t, tables, fields{"prices_of": 2027, "statutory_table": fields{"operation": "GET /v1/reports/state-of-infrastructure",
			"as_of": tables["as_of"], "prices_of": 2026.0, "replacement_cost": 1_210_000.0}})
	}
	f.AssertFile(t, path+"?section=5&current=ALL&table=reconciliation", "text/csv", "regulation", "csv")
}

// Mean years 8, 7, 6, 5; rated 4 on 2024-03-31: on 2027-01-01, 2.75 years later, the condition is 34.96.
func TestAMatrixAgesByPartsOfAYear(t *testing.T) {
	t.Parallel()
	f := newFixtureAlone(t)
	f.serve(t, []inventory.Line{{Type: "asset", ID: elementID(1), Name: "Pont", Counts: true, Category: "other",
		Cost: cost(1_000_000), CostYear: 2027, Rating: 4, RatedOn: "2024-03-31", Installed: "1990-01-01"}}, nil)
	model := f.make(t, "deterioration_models", fields{"name": "États", "kind": "markov", "mean_years": []float64{8, 7, 6, 5}})
	f.class(t, "Ponts", fields{"service_category": "bridges_culverts", "applies_to": "asset", "model_id": model,
		"match": []any{fields{"category": "other"}}})
	id := f.make(t, "planning_runs", fields{"scenario_ids": []string{
		f.scenario(t, "RIEN", "do_nothing", fields{"years": 11, "inflation_pct": 0})}})
	if run := f.ended(t, "planning_runs", id, "completed", "failed"); run["state"] != "completed" || run["engine_version"] != "2" {
		t.Fatalf("the run: %v", run)
	}
	tables := f.tables(t, pathOf("planning_runs")+"/"+id+"/regulation", "section=5&current=RIEN")
	if got := keyed(tables["categories"], "category")["bridges_culverts"]["avg_condition"]; got != 34.96 {
		t.Errorf("found at %v", got)
	}
	if table := tables["statutory_table"]; table != nil || len(tables["reconciliation"].([]any)) != 0 { // an inventory of a former release
		t.Errorf("reconciled with nothing: %v", tables)
	}
}
