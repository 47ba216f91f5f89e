package projects

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// ruleCase is a body and what becomes of it: the field that is refused, or fields of the record.
type ruleCase struct {
	name    string
	body    fields
	refused string
	want    fields
}

func (f *fixture) checkRules(t *testing.T, path string, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.refused != "" {
				if response := f.Refused(t, "POST", path, c.body); !slices.Contains(response.Fields(), c.refused) {
					t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
				}
				return
			}
			resourcetest.Expect(t, f.Create(t, path, c.body), c.want)
		})
	}
}

func TestProjectRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	unknown := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"
	named := func(body fields) fields { body["name"] = "Projet"; return body }
	f.checkRules(t, "/v1/projects", []ruleCase{
		{"a name is all it takes", named(fields{}), "",
			fields{"status": "proposed", "code": "PRJ-0001", "funding_confirmed": 0, "funding_gap": nil, "priority_score": nil, "currency": "CAD"}},
		{"a project needs a name", fields{}, "name", nil},
		{"an unknown type", named(fields{"project_type": "castle"}), "project_type", nil},
		{"an unknown activity", named(fields{"lifecycle_activity": "fun"}), "lifecycle_activity", nil},
		{"an unknown state", named(fields{"status": "open"}), "status", nil},
		{"an unknown health", named(fields{"health": "green"}), "health", nil},
		{"an estimate is of class A to D", named(fields{"estimate_class": "E"}), "estimate_class", nil},
		{"planned to end before it begins", named(fields{"planned_start_date": "2027-06-28", "planned_end_date": "2027-06-27"}),
			"planned_end_date", nil},
		{"planned for one day", named(fields{"planned_start_date": "2027-06-28", "planned_end_date": "2027-06-28"}), "",
			fields{"planned_end_date": "2027-06-28"}},
		{"ended before it began", named(fields{"actual_start_date": "2027-06-28", "actual_end_date": "2026-12-31"}), "actual_end_date", nil},
		{"a day that does not exist", named(fields{"planned_start_date": "2027-02-29"}), "planned_start_date", nil},
		{"more than done", named(fields{"percent_complete": 100.5}), "percent_complete", nil},
		{"contingency beyond the whole", named(fields{"contingency_pct": 101}), "contingency_pct", nil},
		{"a negative budget", named(fields{"budget_amount": -1}), "budget_amount", nil},
		{"three decimals of a dollar", named(fields{"estimate_amount": 1.005}), "estimate_amount", nil},
		{"a year that is none", named(fields{"fiscal_year": 27}), "fiscal_year", nil},
		{"a criterion above 5", named(fields{"priority_criteria": fields{"risk": 6}}), "priority_criteria.risk", nil},
		{"a criterion below 0", named(fields{"priority_criteria": fields{"climate": -1}}), "priority_criteria.climate", nil},
		{"half a point", named(fields{"priority_criteria": fields{"risk": 2.5}}), "priority_criteria.risk", nil},
		{"a criterion that nobody knows", named(fields{"priority_criteria": fields{"beauty": 5}}), "priority_criteria.beauty", nil},
		{"criteria that are a number", named(fields{"priority_criteria": 64}), "priority_criteria", nil},
		{"the worked score", named(fields{"priority_criteria": fields{"risk": 4, "legislated": 5, "health_safety": 3, "los_impact": 2,
			"cost_avoidance": 1, "climate": 0}}), "", fields{"priority_score": 64.0}},
		{"a site that nobody knows", named(fields{"site_id": unknown}), "site_id", nil},
		{"a network that nobody knows", named(fields{"network_id": unknown}), "network_id", nil},
		{"a manager whom nobody knows", named(fields{"manager_user_id": unknown}), "manager_user_id", nil},
		{"the building gives the site", named(fields{"building_id": f.building}), "", fields{"site_id": f.site}},
		{"the building agrees with the site", named(fields{"building_id": f.building, "site_id": f.site}), "", fields{"site_id": f.site}},
		{"the building contradicts the site", named(fields{"building_id": f.building, "site_id": f.otherSite}), "site_id", nil},
		{"what is read-only is ignored", named(fields{"funding_confirmed": 5, "priority_score": 99, "currency": "EUR"}), "",
			fields{"funding_confirmed": 0, "priority_score": nil, "currency": "CAD"}},
	})
}

func TestPlaceFollowsTheBuilding(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"building_id": f.building})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"building_id": f.otherBuilding}).JSON,
		fields{"site_id": f.otherSite})
	f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"site_id": f.site})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"building_id": nil, "site_id": f.site}).JSON,
		fields{"site_id": f.site, "building_id": nil})
}

func TestPriorityCriteriaAreMerged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"priority_criteria": fields{"risk": 5, "climate": 5}})
	resourcetest.Expect(t, f.get(t, path), fields{"priority_score": 35})
	merged := f.Must(t, http.StatusOK, "PATCH", path, fields{"priority_criteria": fields{"climate": nil, "legislated": 5}}).JSON
	resourcetest.Expect(t, merged, fields{"priority_score": 50})
	if want := (fields{"risk": 5.0, "legislated": 5.0, "health_safety": nil, "los_impact": nil, "cost_avoidance": nil,
		"climate": nil}); !reflect.DeepEqual(merged["priority_criteria"], want) {
		t.Errorf("merged to %v, want %v", merged["priority_criteria"], want)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"priority_criteria": nil}).JSON,
		fields{"priority_score": nil, "priority_criteria": nil})
}

func TestPhaseAndFundingRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	f.checkRules(t, path+"/phases", []ruleCase{
		{"a name is all it takes", fields{"name": "Conception"}, "", fields{"status": "planned", "currency": "CAD"}},
		{"a phase needs a name", fields{"sequence": 1}, "name", nil},
		{"the first is 1", fields{"name": "X", "sequence": 0}, "sequence", nil},
		{"planned to end before it begins", fields{"name": "X", "planned_start_date": "2027-02-01", "planned_end_date": "2027-01-31"},
			"planned_end_date", nil},
		{"ended before it began", fields{"name": "X", "actual_start_date": "2027-02-01", "actual_end_date": "2027-01-31"},
			"actual_end_date", nil},
		{"an unknown state", fields{"name": "X", "status": "approved"}, "status", nil},
		{"another project's", fields{"name": "X", "project_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"}, "", fields{"name": "X"}},
	})
	f.checkRules(t, path+"/funding-sources", []ruleCase{
		{"a source has a type and an amount", fields{"source_type": "reserve", "amount": 5}, "", fields{"status": "requested"}},
		{"without an amount", fields{"source_type": "reserve"}, "amount", nil},
		{"without a type", fields{"amount": 5}, "source_type", nil},
		{"an unknown type", fields{"source_type": "lottery", "amount": 5}, "source_type", nil},
		{"an unknown state", fields{"source_type": "levy", "amount": 5, "status": "spent"}, "status", nil},
		{"a negative amount", fields{"source_type": "levy", "amount": -5}, "amount", nil},
	})
	f.checkRules(t, path+"/budget-lines", []ruleCase{
		{"a line has a year and a category", fields{"fiscal_year": 2027, "category": "design"}, "",
			fields{"budget_amount": 0, "actual_amount": 0, "forecast_amount": nil, "variance": nil, "remaining": 0}},
		{"its figures", fields{"fiscal_year": 2028, "category": "design", "budget_amount": 1000, "forecast_amount": 1100,
			"committed_amount": 300, "actual_amount": 250}, "", fields{"variance": -100, "remaining": 450}},
		{"without a year", fields{"category": "design"}, "fiscal_year", nil},
		{"without a category", fields{"fiscal_year": 2027}, "category", nil},
		{"an unknown category", fields{"fiscal_year": 2027, "category": "lunch"}, "category", nil},
	})
}

func TestFundingOfAProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"estimate_amount": 900, "budget_amount": 1000})
	want := func(confirmed, gap float64) {
		t.Helper()
		resourcetest.Expect(t, f.get(t, path), fields{"funding_confirmed": confirmed, "funding_gap": gap, "funding_surplus": 0})
	}
	want(0, 1000)
	source := func(status string, amount float64) string {
		return path + "/funding-sources/" + f.Create(t, path+"/funding-sources",
			fields{"source_type": "levy", "status": status, "amount": amount})["id"].(string)
	}
	requested := source("requested", 500)
	source("declined", 70)
	want(0, 1000)
	source("confirmed", 250.25)
	received := source("received", 100)
	want(350.25, 649.75)
	f.Must(t, http.StatusOK, "PATCH", requested, fields{"status": "confirmed"})
	want(850.25, 149.75)
	f.Must(t, http.StatusNoContent, "DELETE", received, nil)
	want(750.25, 249.75)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"budget_amount": nil}) // then the estimate has the gap
	want(750.25, 149.75)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"budget_amount": 700, "funding_confirmed": 1})
	resourcetest.Expect(t, f.get(t, path), fields{"funding_confirmed": 750.25, "funding_gap": 0, "funding_surplus": 50.25})

	entries, _ := f.List(t, path+"/history")
	if change, _ := entries[1]["changes"].(fields)["funding_confirmed"].(fields); change["old"] != 0.0 || change["new"] != 250.25 {
		t.Errorf("the project's history says %v", entries[1]["changes"])
	}
	for parameter, found := range map[string]int{"funding_surplus_min=50.25": 1, "funding_surplus_min=50.26": 0, "funding_gap_min=0.01": 0,
		"funding_gap=0": 1, "funding_confirmed=750.25": 1} {
		if list, _ := f.List(t, "/v1/projects?"+parameter); len(list) != found {
			t.Errorf("%s finds %d projects, want %d", parameter, len(list), found)
		}
	}
}

func TestBudgetLinesAreTheProjectsAmounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"budget_amount": 1, "forecast_amount": 2, "committed_amount": 3, "actual_amount": 4})
	want := func(budget, forecast, committed, actual any) {
		t.Helper()
		resourcetest.Expect(t, f.get(t, path), fields{"budget_amount": budget, "forecast_amount": forecast, "committed_amount": committed,
			"actual_amount": actual})
	}
	want(1, 2, 3, 4)
	lines := f.Must(t, http.StatusOK, "POST", path+"/budget-lines/bulk", fields{"data": []fields{
		{"fiscal_year": 2027, "category": "design", "budget_amount": 100, "forecast_amount": 120.5, "actual_amount": 60},
		{"fiscal_year": 2028, "category": "construction", "budget_amount": 900, "committed_amount": 400},
	}}).JSON["data"].([]any)
	line := func(i int) string { return path + "/budget-lines/" + lines[i].(fields)["id"].(string) }
	want(1000, 1020.5, 400, 60)
	resourcetest.Expect(t, f.get(t, path), fields{"variance": -20.5, "remaining": 540})
	f.Must(t, http.StatusOK, "PATCH", line(1), fields{"budget_amount": 950, "forecast_amount": 900})
	want(1050, 1020.5, 400, 60)

	// The amounts are read-only now: ignored like all that is, so that what was read can be sent back with a change.
	got := f.get(t, path)
	got["name"], got["budget_amount"], got["actual_amount"] = "Autre nom", 5.0, nil
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, got).JSON,
		fields{"name": "Autre nom", "budget_amount": 1050, "actual_amount": 60})
	rows := f.Must(t, http.StatusOK, "PATCH", "/v1/projects/bulk",
		fields{"data": []fields{{"id": got["id"], "budget_amount": 5, "department": "Parcs"}}})
	resourcetest.Expect(t, rows.JSON["data"].([]any)[0].(fields), fields{"budget_amount": 1050, "department": "Parcs"})

	f.Must(t, http.StatusNoContent, "DELETE", line(0), nil)
	want(950, 900, 400, 0)
	f.Must(t, http.StatusNoContent, "DELETE", line(1), nil)
	want(nil, nil, nil, nil) // without lines the amounts are the project's own again
	f.Must(t, http.StatusOK, "PATCH", path, fields{"budget_amount": 7})
	want(7, nil, nil, nil)

	huge := f.project(t, fields{})
	f.Create(t, huge+"/budget-lines", fields{"fiscal_year": 2027, "category": "design", "budget_amount": 9_999_999_999_999.99})
	f.Must(t, http.StatusBadRequest, "POST", huge+"/budget-lines", fields{"fiscal_year": 2028, "category": "design", "budget_amount": 1})
}

func TestABudgetLineTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{}) + "/budget-lines"
	body := fields{"fiscal_year": 2027, "category": "construction", "budget_amount": 5}
	first := f.Create(t, path, body)
	refused := f.Must(t, http.StatusConflict, "POST", path, body).JSON
	resourcetest.Expect(t, refused, fields{"field": "fiscal_year", "value": 2027, "existing_id": first["id"], "code": "already_exists"})
	if want := `There already is a project budget line with fiscal_year "2027" and category construction.`; refused["error"] != want {
		t.Errorf("the refusal says %q, want %q", refused["error"], want)
	}
	f.Create(t, path, fields{"fiscal_year": 2027, "category": "design"})
	other := f.Create(t, path, fields{"fiscal_year": 2028, "category": "construction"})
	f.Must(t, http.StatusConflict, "PATCH", fmt.Sprint(path, "/", other["id"]), fields{"fiscal_year": 2027})
	f.Create(t, f.project(t, fields{})+"/budget-lines", body)
}

// Concurrent writers of one project's lines wait for each other, so that no line is missing from the sums.
func TestSumsUnderConcurrency(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	var group sync.WaitGroup
	for n := range 12 {
		group.Go(func() {
			f.Must(t, http.StatusCreated, "POST", path+"/budget-lines", fields{"fiscal_year": 2027 + n, "category": "design", "budget_amount": 10})
			f.Must(t, http.StatusCreated, "POST", path+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 3})
		})
	}
	group.Wait()
	resourcetest.Expect(t, f.get(t, path), fields{"budget_amount": 120, "funding_confirmed": 36, "funding_gap": 84})
}
