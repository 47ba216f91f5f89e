package planning

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/testwait"
)

// element gives the id of the n-th element of the worked case.
func elementID(n int) string { return fmt.Sprintf("019a3c5e-7d1b-7c3a-9f59-00000000000%d", n) }

func cost(dollars int64) *inventory.Cents { c := inventory.Cents(dollars * 100); return &c }

func number(value float64) *float64 { return &value }

// fiveLines are the five elements that can be followed on paper, as the other services give them.
func fiveLines() (assets, segments []inventory.Line) {
	segment := func(n int, dollars int64, index float64, rating int) inventory.Line {
		return inventory.Line{Type: "segment", ID: elementID(n), Name: fmt.Sprintf("Rue %d", n),
			Counts: true, NetworkID: elementID(8), NetworkAssetClass: "road", Cost: cost(dollars),
			Life: 20, Rating: rating, Index: number(index), RatedOn: "2027-01-01", CustomFields: inventory.Fields(`{"bus":"no"}`)}
	}
	asset := func(n int, dollars int64, index float64, rating int) inventory.Line {
		return inventory.Line{Type: "asset", ID: elementID(n), Name: fmt.Sprintf("Chaudière %d", n), Counts: true, SiteID: elementID(9),
			Category: "hvac", Cost: cost(dollars), Life: 25, Rating: rating, Index: number(index), RatedOn: "2027-01-01"}
	}
	boiler := asset(5, 200_000, 28, 5)
	boiler.Typed = cost(10_000)
	return []inventory.Line{{Type: "site", ID: elementID(9), Name: "Aréna", Counts: true}, asset(4, 100_000, 50, 4), boiler},
		[]inventory.Line{{Type: "network", ID: elementID(8), Name: "Routes"}, segment(1, 1_000_000, 40, 4), segment(2, 500_000, 60, 3),
			segment(3, 800_000, 30, 5)}
}

// fiveRules are the classes, treatments and strategies of the five.
func (f *fixture) fiveRules(t testing.TB) (roads, boilers string) {
	t.Helper()
	model := f.make(t, "deterioration_models", fields{"name": "Droite", "kind": "curve", "end_condition": 0})
	roads = f.class(t, "Routes", fields{"code": "ROADS", "model_id": model, "match": []any{fields{"network_asset_class": "road"}}})
	boilers = f.class(t, "Chaudières", fields{"code": "BOILERS", "service_category": "facilities", "applies_to": "asset", "model_id": model,
		"match": []any{fields{"category": "hvac"}}})
	treatment := func(class, name, kind string, pct int, trigger, effect fields) string {
		return f.make(t, "treatments", fields{"asset_class_id": class, "name": name, "kind": kind, "cost_basis": "pct_of_replacement",
			"cost": pct, "trigger": trigger, "effect": effect})
	}
	overlay := treatment(roads, "Overlay", "rehabilitation", 40, fields{"condition_min": 40, "condition_max": 65, "years_between": 8},
		fields{"reset_to": 70})
	rebuild := treatment(roads, "Reconstruct", "replacement", 100, fields{"condition_max": 40}, nil)
	overhaul := treatment(boilers, "Overhaul", "rehabilitation", 15, fields{"condition_min": 30, "condition_max": 60},
		fields{"add_points": 20})
	replace := treatment(boilers, "Replace", "replacement", 100, fields{"condition_max": 30}, nil)
	f.make(t, "strategies", fields{"asset_class_id": roads, "name": "R", "treatment_ids": []string{overlay, rebuild}, "is_default": true})
	f.make(t, "strategies", fields{"asset_class_id": boilers, "name": "B", "treatment_ids": []string{overhaul, replace}, "is_default": true})
	return roads, boilers
}

func (f *fixture) scenario(t testing.TB, code, kind string, more fields) string {
	t.Helper()
	body := fields{"name": code, "code": code, "kind": kind, "starts_on": "2027-01-01", "years": 3, "benefit_years": 5, "inflation_pct": 2}
	for key, value := range more {
		body[key] = value
	}
	return f.make(t, "scenarios", body)
}

// fiveScenarios are those of the worked case.
func (f *fixture) fiveScenarios(t testing.TB) []string {
	t.Helper()
	return []string{
		f.scenario(t, "BUDGET", "budget",
			fields{"funds": []any{fields{"code": "levy", "source_type": "levy", "carry_over": true, "amounts": []any{
				fields{"year": 2027, "amount": 1_250_000}, fields{"year": 2028, "amount": 850_000}, fields{"year": 2029, "amount": 200_000}}}}}),
		f.scenario(t, "UNLIMITED", "unlimited", nil), f.scenario(t, "NOTHING", "do_nothing", nil),
		f.scenario(t, "KEEP", "keep_level", fields{"target": fields{"metric": "avg_condition", "scope": "all"}}),
		f.scenario(t, "REACH", "reach_target", fields{"target": fields{"metric": "avg_condition", "value": 60, "in_years": 2}}),
	}
}

// fiveRun runs the scenarios of the worked case, and gives the run's path.
func fiveRun(t testing.TB) (*fixture, string, fields) {
	t.Helper()
	f := newFixtureAlone(t)
	assets, segments := fiveLines()
	f.serve(t, assets, segments)
	f.fiveRules(t)
	id := f.make(t, "planning_runs", fields{"scenario_ids": f.fiveScenarios(t)})
	run := f.ended(t, "planning_runs", id, "completed", "failed")
	if run["state"] != "completed" {
		t.Fatalf("the run: %v", run)
	}
	return f, pathOf("planning_runs") + "/" + id, run
}

func TestTheFiveElementsComeOutAsOnPaper(t *testing.T) {
	f, path, _ := fiveRun(t)
	var got []string
	for _, each := range f.Must(t, http.StatusOK, "GET", path+"/years", nil).JSON["data"].([]any) {
		y := each.(fields)
		got = append(got, fmt.Sprintf("%v %v spent %.0f backlog %.0f fci %.2f condition %.2f", y["scenario"], y["year"], y["spent"], y["backlog"],
			y["fci_pct"], y["avg_condition"]))
		if sum := y["opening"].(float64) + y["price_change"].(float64) +
			y["new"].(float64) - y["addressed"].(float64); fmt.Sprintf("%.2f", sum) != fmt.Sprintf("%.2f", y["backlog"]) {
			t.Errorf("the bridge of %v %v gives %.2f, not %.2f", y["scenario"], y["year"], sum, y["backlog"])
		}
	}
	want := []string{
		"BUDGET 2027 spent 1215000 backlog 1000000 fci 38.46 condition 69.62", "BUDGET 2028 spent 816000 backlog 204000 fci 7.69 condition 87.81",
		"BUDGET 2029 spent 208080 backlog 0 fci 0.00 condition 86.77",
		"UNLIMITED 2027 spent 2215000 backlog 0 fci 0.00 condition 93.08", "UNLIMITED 2028 spent 0 backlog 0 fci 0.00 condition 88.19",
		"UNLIMITED 2029 spent 0 backlog 0 fci 0.00 condition 83.31", "NOTHING 2027 spent 0 backlog 2215000 fci 85.19 condition 40.23",
		"NOTHING 2028 spent 0 backlog 2259300 fci 85.19 condition 35.35", "NOTHING 2029 spent 0 backlog 2304486 fci 85.19 condition 30.46",
	}
	for i, line := range want {
		if got[i] != line {
			t.Errorf("got  %s\nwant %s", got[i], line)
		}
	}
	for _, line := range []string{"KEEP 2027 spent 0", "KEEP 2028 spent 204000", "KEEP 2029 spent 223686", "REACH 2028 spent 816000",
		"REACH 2029 spent 223686"} {
		if !slices.ContainsFunc(got, func(has string) bool { return strings.HasPrefix(has, line) }) {
			t.Errorf("%q is not in\n%s", line, strings.Join(got, "\n"))
		}
	}
	answer := f.Must(t, http.StatusOK, "GET", path+"/elements/"+elementID(3)+"?scenario=BUDGET", nil).JSON["data"].([]any)[0].(fields)
	if want := "Not funded: step 4 of 6, ratio 350.00; levy had 635,000.00 left, 165,000.00 short."; answer["sentence_en"] != want {
		t.Errorf("the reason is %q, want %q", answer["sentence_en"], want)
	}
	if want := "Non financé : étape 4 sur 6, ratio 350,00; il restait 635 000,00 à levy, " +
		"il manquait 165 000,00."; strings.ReplaceAll(answer["sentence_fr"].(string), "\u00a0", " ") != want {
		t.Errorf("in French it is %q", answer["sentence_fr"])
	}
	blocked := answer["blocked_by"].(fields)
	if blocked["code"] != "levy" || blocked["left"] != 635_000.0 || blocked["short_by"] != 165_000.0 || answer["reason"] != "no_funds" {
		t.Errorf("it is blocked by %v for %v", blocked, answer["reason"])
	}
}

func TestResultsAddUp(t *testing.T) {
	f, path, _ := fiveRun(t)
	years := f.Must(t, http.StatusOK, "GET", path+"/years?scenario=BUDGET", nil).JSON["data"].([]any)
	for _, by := range []string{"class", "category", "site", "building", "network", "kind", "fund", "element_type"} {
		sums := map[float64]float64{}
		for _, each := range f.Must(t, http.StatusOK, "GET", path+"/groups?scenario=BUDGET&by="+by, nil).JSON["data"].([]any) {
			sums[each.(fields)["year"].(float64)] += each.(fields)["spent"].(float64)
		}
		for _, y := range years {
			if year := y.(fields)["year"].(float64); sums[year] != y.(fields)["spent"] {
				t.Errorf("by %s %v is spent in %v, in all %v", by, sums[year], year, y.(fields)["spent"])
			}
		}
	}
	compared := f.Must(t, http.StatusOK, "GET", path+"/compare?baseline=NOTHING", nil).JSON["data"].([]any)
	if len(compared) != 5 || compared[2].(fields)["difference"] != nil || compared[0].(fields)["difference"].(fields)["spent"] != 2_239_080.0 {
		t.Errorf("the comparison: %v", compared)
	}
	// (69.62 + 87.81 + 86.77)/3, (38.46 + 7.69 + 0)/3, (1,000,000 + 204,000 + 0)/3
	budget := compared[0].(fields)
	if budget["mean_condition"] != 81.4 || budget["mean_fci_pct"] != 15.38 || budget["mean_backlog"] != 401_333.33 {
		t.Errorf("the means of BUDGET: %v", budget)
	}
	list := f.Must(t, http.StatusOK, "GET", path+"/interventions?scenario=BUDGET&year=2027&chosen=true", nil).JSON
	if n := list["pagination"].(fields)["total"]; n != 3.0 {
		t.Errorf("%v interventions in 2027, want 3: %v", n, list["data"])
	}
	chart := f.Do(t, "GET", path+"/years", nil, "Accept", "image/svg+xml")
	if chart.Header.Get("Content-Type") != "image/svg+xml" || strings.Count(string(chart.Body), "<path d=\"M") < 10 {
		t.Errorf("the chart: %s %s", chart.Header.Get("Content-Type"), chart.Body)
	}
	filtered := f.Do(t, "GET", path+"/interventions/export?scenario=BUDGET&year=2027&chosen=true", nil, "Accept", "application/x-ndjson")
	if lines := strings.Count(string(filtered.Body), "\n"); lines != 3 {
		t.Errorf("the export of what is done in 2027 has %d lines: %s", lines, filtered.Body)
	}
	f.Must(t, http.StatusBadRequest, "GET", path+"/interventions/export?scenario=BUDGET&reason=whim", nil)
	table := f.Do(t, "GET", path+"/interventions/export?scenario=BUDGET", nil, "Accept", "text/csv")
	if lines := strings.Count(string(table.Body), "\n"); lines != 16 {
		t.Errorf("%d lines of CSV, want a head and 15: %s", lines, table.Body)
	}
	verified := f.Must(t, http.StatusOK, "POST", path+"/verify", nil).JSON
	if verified["identical"] != true || verified["engine_version_differs"] != false {
		t.Errorf("calculated again it is %v", verified)
	}
}

func TestTheSameInputGivesTheSameHashes(t *testing.T) {
	f, _, first := fiveRun(t)
	id := f.make(t, "planning_runs", fields{"scenario_ids": first["scenario_ids"], "inventory_id": first["inventory_id"]})
	second := f.ended(t, "planning_runs", id, "completed", "failed")
	for _, field := range []string{"input_sha256", "result_sha256"} {
		if first[field] == nil || first[field] != second[field] {
			t.Errorf("%s is %v, then %v", field, first[field], second[field])
		}
	}
	frozen := f.ended(t, "planning_inventories", f.make(t, "planning_inventories", fields{}), "ready", "failed")
	before := f.Must(t, http.StatusOK, "GET", pathOf("planning_inventories")+"/"+first["inventory_id"].(string), nil).JSON
	if frozen["sha256"] != before["sha256"] || frozen["elements"] != 5.0 || frozen["left_out"] != 0.0 {
		t.Errorf("the inventories are %v and %v", before, frozen)
	}
}

// A source that breaks off is asked again; what it gave counts for nothing.
func TestAnInventoryWhoseSourceBreaksOffIsNotHalf(t *testing.T) {
	f := newFixtureAlone(t)
	assets, segments := fiveLines()
	f.organization()
	whole := make(chan bool, 1)
	whole <- false
	for service, lines := range map[string][]inventory.Line{"assets": assets, "infrastructure": segments} {
		f.peers.Handle(service, "/internal/inventory", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			is := <-whole
			whole <- is
			send(w, lines, service == "assets" || is)
		}))
	}
	f.work(t)
	id := f.make(t, "planning_inventories", fields{})
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	testwait.For(t, 10*time.Second, "the inventory to be put off", func() bool {
		var due int
		if err := owner.QueryRow(t.Context(),
			"SELECT count(*) FROM job WHERE due_at > clock_timestamp() + interval '1 second'").Scan(&due); err != nil {
			t.Fatal(err)
		}
		return due == 1
	})
	if got := f.Must(t, http.StatusOK, "GET", pathOf("planning_inventories")+"/"+id, nil).JSON; got["state"] != "reading" ||
		got["sha256"] != nil {
		t.Errorf("after half of a source it is %v", got)
	}
	f.Must(t, http.StatusConflict, "GET", pathOf("planning_inventories")+"/"+id+"/elements", nil)
	<-whole
	whole <- true
	if got := f.ended(t, "planning_inventories", id, "ready", "failed"); got["state"] != "ready" {
		t.Errorf("then it is %v", got)
	}
}

// The same inventory gives the same hashes in whatever order its lines come, and however many processors calculate.
func TestNeitherOrderNorProcessorsChangeAHash(t *testing.T) {
	f, _, first := fiveRun(t)
	frozen := f.Must(t, http.StatusOK, "GET", pathOf("planning_inventories")+"/"+first["inventory_id"].(string), nil).JSON
	assets, segments := fiveLines()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, workers := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(workers)
		for _, lines := range [][]inventory.Line{assets, segments} {
			rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		f.answer(assets, segments)
		again := f.ended(t, "planning_runs", f.make(t, "planning_runs", fields{"scenario_ids": first["scenario_ids"]}), "completed", "failed")
		inventory := f.Must(t, http.StatusOK, "GET", pathOf("planning_inventories")+"/"+again["inventory_id"].(string), nil).JSON
		if inventory["sha256"] != frozen["sha256"] || again["result_sha256"] != first["result_sha256"] || first["result_sha256"] == nil {
			t.Errorf("with %d processors and lines in another order: inventory %v, result %v; before: %v, %v", workers, inventory["sha256"],
				again["result_sha256"], frozen["sha256"], first["result_sha256"])
		}
	}
}
