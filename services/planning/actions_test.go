package planning

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/reference"
	"ams.internal/libs/testwait"
)

// serveProjects has a projects service make projects, by their external ids.
func (f *fixture) serveProjects(t testing.TB) (made map[string]string, bodies *[]fields) {
	made, bodies = map[string]string{}, &[]fields{}
	f.peers.Handle("projects", "/internal/promotions", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Projects []struct{ Project fields } }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		ids := []string{}
		for _, p := range in.Projects {
			key := p.Project["external_id"].(string)
			if made[key] == "" {
				made[key] = uuid.NewString()
				*bodies = append(*bodies, p.Project)
			}
			ids = append(ids, made[key])
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ids": ids})
	}))
	return made, bodies
}

func TestWhatWasChosenBecomesProjectsOnce(t *testing.T) {
	f, path, run := fiveRun(t)
	made, bodies := f.serveProjects(t)
	body := fields{"scenario": "BUDGET", "years": []int{2027}, "group_by": "class"}
	got := f.Must(t, http.StatusOK, "POST", path+"/promote", body).JSON["data"].([]any)
	if len(got) != 3 || len(made) != 3 { // E4 overhauled, E5 replaced, E1 reconstructed
		t.Fatalf("projects: %v", got)
	}
	total := 0.0
	for _, p := range *bodies {
		total += p["estimate_amount"].(float64)
		if p["status"] != "proposed" || p["estimate_class"] != "D" || p["fiscal_year"] != 2027.0 ||
			!strings.Contains(p["justification"].(string), "step ") {
			t.Errorf("a project is %v", p)
		}
	}
	if total != 1_215_000 {
		t.Errorf("they cost %v, the scenario spends 1215000", total)
	}
	again := f.Must(t, http.StatusConflict, "POST", path+"/promote", body).JSON
	if again["code"] != "promoted_before" || again["existing_id"] == nil || len(made) != 3 {
		t.Errorf("again: %v", again)
	}
	if dependents := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON["dependents"]; dependents.(fields)["projects"] != 3.0 {
		t.Errorf("the run can go in spite of %v", dependents)
	}
	for _, wrong := range []fields{{"scenario": "BUDGET", "years": []int{2031}}, {"scenario": "X", "years": []int{2027}},
		{"scenario": "BUDGET", "years": []int{}}} {
		f.Must(t, http.StatusBadRequest, "POST", path+"/promote", wrong)
	}
	without := *f.Client
	without.Principal.Scopes = []string{"planning:write", "planning:read"}
	if refused := without.Must(t, http.StatusForbidden, "POST", path+"/promote",
		fields{"scenario": "BUDGET", "years": []int{2028}}).JSON; refused["required_scope"] != "projects:write" {
		t.Errorf("without projects:write: %v", refused)
	}

	// What is approved is done in later runs, whatever they would choose.
	for _, id := range made {
		status := "approved"
		f.peers.Keep("projects", reference.Entry{ID: id, Status: &status})
	}
	nothing := run["scenario_ids"].([]any)[2]
	later := f.make(t, "planning_runs", fields{"scenario_ids": []any{nothing}, "inventory_id": run["inventory_id"]})
	f.ended(t, "planning_runs", later, "completed", "failed")
	years := f.Must(t, http.StatusOK, "GET", pathOf("planning_runs")+"/"+later+"/years", nil).JSON["data"].([]any)
	if first := years[0].(fields); first["spent"] != 1_215_000.0 || first["over_committed"] != 1_215_000.0 {
		t.Errorf("approved projects spend %v in do_nothing, %v beyond its funds", first["spent"], first["over_committed"])
	}
}

// A call that is killed between the projects and the run's own rows makes none twice.
func TestAPromotionThatIsKilledMakesNoProjectTwice(t *testing.T) {
	f, path, _ := fiveRun(t)
	made, _ := f.serveProjects(t)
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	body := fields{"scenario": "BUDGET", "years": []int{2027, 2028}, "group_by": "element"}
	f.Must(t, http.StatusOK, "POST", path+"/promote", body)
	there := len(made)
	if _, err := owner.Exec(t.Context(), "DELETE FROM promotion"); err != nil { // as if it had never come to them
		t.Fatal(err)
	}
	f.Must(t, http.StatusOK, "POST", path+"/promote", body)
	if len(made) != there || there != 4 {
		t.Errorf("%d projects, then %d", there, len(made))
	}
}

// longRun orders a run that takes a while: so many roads over 100 years with 20 replications.
func longRun(t *testing.T, count int) (*fixture, fields) {
	t.Helper()
	f := newFixtureAlone(t)
	f.roads(count)
	return f, f.longRun(t, 20)
}

// roads has the infrastructure service have so many.
func (f *fixture) roads(count int) {
	var roads []inventory.Line
	for n := range count {
		_, segments := fiveLines()
		road := segments[1+n%3]
		road.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte{byte(n), byte(n >> 8)}).String()
		roads = append(roads, road)
	}
	f.serveWithout(roads)
}

// longRun gives the body of a run over many years, with so many replications.
func (f *fixture) longRun(t testing.TB, replications int) fields {
	t.Helper()
	f.fiveRules(t)
	scenario := f.scenario(t, "LONG", "budget", fields{"years": 100, "replications": replications,
		"seed": 7, "funds": []any{fields{"code": "levy", "source_type": "levy", "growth_pct": 2,
			"amounts": []any{fields{"year": 2027, "amount": 20_000_000}}}}})
	return fields{"scenario_ids": []string{scenario}}
}

// serveWithout is serve without a worker.
func (f *fixture) serveWithout(segments []inventory.Line) {
	f.answer(nil, segments)
	f.organization()
}

// A worker that ends in the middle is followed by another, and the result is the same to the bit.
func TestARunThatIsInterruptedComesToTheSameResult(t *testing.T) {
	f, body := longRun(t, 400)
	stop := f.work(t)
	whole := f.ended(t, "planning_runs", f.make(t, "planning_runs", body), "completed", "failed")
	stop()
	id := f.make(t, "planning_runs", fields{"scenario_ids": body["scenario_ids"], "inventory_id": whole["inventory_id"]})
	interruptions, pause := 0, 50*time.Millisecond
	for state := "queued"; state != "completed"; {
		stop := f.work(t)
		time.Sleep(pause)
		pause = pause * 5 / 4 // so that a part is whole at last, also on a slow machine
		stop()
		interruptions++
		if state = f.Must(t, http.StatusOK, "GET", pathOf("planning_runs")+"/"+id, nil).JSON["state"].(string); state == "failed" ||
			interruptions > 40 {
			t.Fatalf("after %d interruptions the run is %s", interruptions, state)
		}
	}
	after := f.Must(t, http.StatusOK, "GET", pathOf("planning_runs")+"/"+id, nil).JSON
	t.Logf("%d interruptions", interruptions-1)
	if after["result_sha256"] != whole["result_sha256"] || whole["result_sha256"] == nil || interruptions < 2 {
		t.Errorf("after %d interruptions the result is %v, without any %v", interruptions-1, after["result_sha256"], whole["result_sha256"])
	}
	spread := f.Must(t, http.StatusOK, "GET", pathOf("planning_runs")+"/"+id+"/years", nil).JSON["data"].([]any)[5].(fields)["spread"].(fields)
	if !(spread["spent_p10"].(float64) <= spread["spent_p50"].(float64) && spread["spent_p50"].(float64) <= spread["spent_p90"].(float64)) {
		t.Errorf("the spread is %v", spread)
	}
}

func TestARunCanBeCancelled(t *testing.T) {
	f, body := longRun(t, 2000)
	waiting := f.make(t, "planning_runs", body)
	if state := f.Must(t, http.StatusOK, "POST", pathOf("planning_runs")+"/"+waiting+"/cancel", nil).JSON["state"]; state != "cancelled" {
		t.Errorf("a run that waits is %v", state)
	}
	f.Must(t, http.StatusConflict, "POST", pathOf("planning_runs")+"/"+waiting+"/cancel", nil)
	id := f.make(t, "planning_runs", body)
	f.work(t)
	path := pathOf("planning_runs") + "/" + id
	testwait.For(t, 20*time.Second, "the run to begin", func() bool {
		return f.Must(t, http.StatusOK, "GET", path, nil).JSON["state"] == "running"
	})
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
	f.Must(t, http.StatusConflict, "GET", path+"/years", nil)
	f.Must(t, http.StatusOK, "POST", path+"/cancel", nil)
	if run := f.ended(t, "planning_runs", id, "cancelled", "completed", "failed"); run["state"] != "cancelled" || run["result_sha256"] != nil {
		t.Errorf("a run that was cancelled is %v", run)
	}
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

func TestBadRunsAreRefused(t *testing.T) {
	f, path, run := fiveRun(t)
	f.refused(t, "planning_runs", "scenario_ids", "at least one", fields{"scenario_ids": []string{}})
	f.Must(t, http.StatusNotFound, "POST", pathOf("planning_runs"), fields{"scenario_ids": []string{uuid.NewString()}})
	f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"scenario_ids": run["scenario_ids"].([]any)[:1]})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Conseil", "notes": "x"})
	f.Must(t, http.StatusConflict, "DELETE", pathOf("planning_inventories")+"/"+run["inventory_id"].(string), nil)
	for _, wrong := range []string{"/groups?by=colour", "/years?scenario=NONE", "/interventions", "/regulation?section=7",
		"/regulation?section=5", "/regulation?section=6&proposed=KEEP"} {
		f.Must(t, http.StatusBadRequest, "GET", path+wrong, nil)
	}
	if short := f.Must(t, http.StatusConflict, "GET", path+"/regulation?section=5&current=KEEP", nil).JSON; short["code"] != "too_short" {
		t.Errorf("tables of 3 years: %v", short)
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/elements/"+uuid.NewString()+"?scenario=KEEP", nil)
	other := f.Other()
	for _, below := range []string{"", "/years", "/groups?by=class", "/compare", "/interventions", "/regulation?section=5&current=KEEP",
		"/elements/" + elementID(1)} {
		other.Must(t, http.StatusNotFound, "GET", path+below, nil)
	}
	for _, action := range []string{"/cancel", "/verify"} {
		other.Must(t, http.StatusNotFound, "POST", path+action, nil)
	}
	other.Must(t, http.StatusNotFound, "GET", pathOf("planning_inventories")+"/"+run["inventory_id"].(string)+"/elements", nil)
	reader := *f.Client
	reader.Principal.Scopes = []string{"planning:read", "planning:write", "assets:read", "systems:read", "buildings:read", "sites:read",
		"price_indexes:read"}
	if refused := reader.Must(t, http.StatusForbidden, "POST", pathOf("planning_runs"),
		fields{"scenario_ids": run["scenario_ids"]}).JSON; refused["required_scope"] != "infrastructure:read" {
		t.Errorf("without infrastructure:read: %v", refused)
	}
	reader.Must(t, http.StatusForbidden, "POST", pathOf("planning_inventories"), fields{})

	// What names records asks for the scopes of what they are; figures do not.
	reader.Principal.Scopes = []string{"planning:read"}
	inventory := pathOf("planning_inventories") + "/" + run["inventory_id"].(string)
	for _, below := range []string{path + "/interventions?scenario=KEEP", path + "/elements/" + elementID(1) + "?scenario=KEEP", inventory +
		"/elements",
		path + "/groups?by=site&scenario=KEEP", path + "/groups?by=building&scenario=KEEP", path + "/groups?by=network&scenario=KEEP"} {
		if refused := reader.Must(t, http.StatusForbidden, "GET", below, nil).JSON; refused["code"] != "scope_missing" ||
			refused["required_scope"] == nil {
			t.Errorf("%s: %v", below, refused)
		}
	}
	reader.Must(t, http.StatusForbidden, "GET", path+"/interventions/export?scenario=KEEP", nil, "Accept", "text/csv")
	for _, below := range []string{path + "/years", path + "/groups?by=class&scenario=KEEP", path + "/groups?by=fund&scenario=KEEP",
		inventory} {
		reader.Must(t, http.StatusOK, "GET", below, nil)
	}
	reader.Principal.Scopes = []string{"planning:read", "sites:read"}
	reader.Must(t, http.StatusOK, "GET", path+"/groups?by=site&scenario=KEEP", nil)
}

func TestAPlanThatHasLapsedEndsARun(t *testing.T) {
	f, body := longRun(t, 2000)
	id := f.make(t, "planning_runs", body)
	f.peers.Handle("gateway-internal", "/internal/organizations/"+
		f.Principal.OrganizationID, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(reference.Organization{ID: f.Principal.OrganizationID, Currency: "CAD", TimeZone: "America/Toronto",
			FiscalYearEndMonth: 12, Features: []string{"api_access"}})
	}))
	f.work(t)
	if run := f.ended(t, "planning_runs", id, "completed", "failed"); run["state"] != "failed" ||
		run["problem"].(fields)["code"] != "plan_lapsed" {
		t.Errorf("it is %v", run)
	}
}

func TestAmountsTooLargeFailWithTheYear(t *testing.T) {
	f := newFixtureAlone(t)
	f.fiveRules(t)
	_, segments := fiveLines()
	segments[1].Cost = cost(1_000_000_000_000)
	scenario := f.scenario(t, "LARGE", "do_nothing", fields{"years": 100, "inflation_pct": 20})
	f.serve(t, nil, segments)
	run := f.ended(t, "planning_runs", f.make(t, "planning_runs", fields{"scenario_ids": []string{scenario}}), "completed", "failed")
	problem, _ := run["problem"].(fields)
	if run["state"] != "failed" || problem["code"] != "amount_too_large" || !strings.Contains(problem["message"].(string), "2090") {
		t.Errorf("it is %v: %v", run["state"], problem)
	}
}

func TestAMatrixIsEstimatedFromInspections(t *testing.T) {
	f := newFixtureAlone(t)
	f.fiveRules(t)
	_, segments := fiveLines()
	f.serve(t, nil, segments)
	var found inventory.Inspections
	add := func(n int, from, to int, first, last string) {
		for range n {
			found.Data = append(found.Data, inventory.Inspection{ID: elementID(1), On: first, Rating: from},
				inventory.Inspection{ID: elementID(1), On: last, Rating: to},
				inventory.Inspection{ID: elementID(7), On: last, Rating: 1}) // of another class, so that the next pair begins anew
		}
	}
	add(18, 1, 1, "2020-01-01", "2021-01-01")
	add(2, 1, 2, "2020-01-01", "2021-01-01")
	add(81, 4, 4, "2020-01-01", "2022-01-01")
	add(19, 4, 5, "2020-01-01", "2022-01-01")
	add(1, 3, 2, "2020-01-01", "2022-01-01")
	add(1, 3, 3, "2020-01-01", "2020-02-01")
	f.peers.Respond("/internal/inspections", found)
	got := f.Must(t, http.StatusOK, "POST", pathOf("deterioration_models")+"/estimate",
		fields{"class": "ROADS", "from": "2019-01-01", "to": "2026-01-01"}).JSON
	rows := got["rows"].([]any)
	row := func(n int) []any { p, _ := rows[n-1].(fields)["probabilities"].([]any); return p }
	if got["improved"] != 1.0 || got["within_a_year"] != 1.0 || got["pairs"] != 120.0 || row(2) != nil {
		t.Errorf("estimated: %v", got)
	}
	for n, wanted := range map[int][2]float64{1: {.9, .1}, 4: {.9, .1}} {
		for i, p := range wanted {
			if has := row(n)[n-1+i].(float64); has < p-1e-6 || has > p+1e-6 {
				t.Errorf("row %d is %v", n, row(n))
			}
		}
	}
	f.Must(t, http.StatusBadRequest, "POST", pathOf("deterioration_models")+"/estimate",
		fields{"class": "NONE", "from": "2019-01-01", "to": "2026-01-01"})
}

// The road of 1,000,000 that loses 5 points a year, replaced at 40, or first overlaid at 65.
func TestStrategiesAreComparedByTheirCostAYear(t *testing.T) {
	f := newFixtureAlone(t)
	model := f.make(t, "deterioration_models", fields{"name": "Droite", "kind": "curve", "end_condition": 0})
	class := f.class(t, "Routes", fields{"model_id": model, "default_useful_life_years": 20})
	replace := f.make(t, "treatments", fields{"asset_class_id": class, "name": "Remplacer", "kind": "replacement",
		"cost_basis": "pct_of_replacement", "cost": 100, "trigger": fields{"condition_max": 40}})
	overlay := f.make(t, "treatments", fields{"asset_class_id": class, "name": "Resurfacer", "kind": "rehabilitation", "cost_basis": "fixed",
		"cost": 200000, "trigger": fields{"condition_max": 65, "max_applications": 1}, "effect": fields{"reset_to": 90}})
	f.make(t, "strategies", fields{"asset_class_id": class, "name": "A", "treatment_ids": []string{replace}})
	f.make(t, "strategies", fields{"asset_class_id": class, "name": "B", "treatment_ids": []string{replace, overlay}})
	for discount, want := range map[string][2]float64{"0": {83_333.33, 70_588.24}, "3": {70_462.09, 58_303.80}} {
		list := f.Must(t, http.StatusOK, "GET",
			pathOf("asset_classes")+"/"+class+"/strategies/compare?value=1000000&discount_pct="+discount, nil).JSON["data"].([]any)
		for i, annual := range want {
			if got := list[i].(fields); got["equivalent_annual_cost"] != annual || got["cycle_years"] != []float64{12, 17}[i] {
				t.Errorf("at %s %% %v costs %v a year over %v years, want %v", discount, got["name"], got["equivalent_annual_cost"],
					got["cycle_years"], annual)
			}
		}
	}
}
