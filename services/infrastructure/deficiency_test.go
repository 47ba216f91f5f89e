package infrastructure

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/months"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

const deficienciesPath = "/v1/infrastructure/deficiencies"

// find makes a deficiency of a segment, and gives its path.
func (f *fixture) find(t testing.TB, segment any, body fields) string {
	t.Helper()
	body["segment_id"] = segment
	if body["title"] == nil {
		body["title"] = "Fissure"
	}
	return fmt.Sprint(deficienciesPath, "/", f.Create(t, deficienciesPath, body)["id"])
}

// The worked case: FCI follows from what was found, not from what was typed.
func TestDeferredMaintenanceOfASegmentFollowsFromItsDeficiencies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "bridge")
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Pont", "replacement_cost": 100000,
		"deferred_maintenance_cost": 10000, "deferred_maintenance_as_of": "2026-01-01"})
	resourcetest.Expect(t, segment, fields{"deferred_maintenance_basis": "typed", "deficiencies_without_cost": 0})
	path := fmt.Sprint("/v1/infrastructure/segments/", segment["id"])
	year := 0
	if _, err := fmt.Sscan(resource.Today(t.Context())[:4], &year); err != nil {
		t.Fatal(err)
	}
	expect := func(horizon int, fci any) {
		t.Helper()
		resourcetest.Expect(t, f.summary(t, network, fmt.Sprint("horizon_years=", horizon)), fields{"fci_pct": fci})
	}
	expect(0, 10)
	roof := f.find(t, segment["id"], fields{"estimated_cost": 4200})
	all := []string{roof,
		f.find(t, segment["id"], fields{"category": "code", "estimated_cost": 1300}),
		f.find(t, segment["id"], fields{"category": "accessibility", "estimated_cost": 9000}),
		f.find(t, segment["id"], fields{"estimated_cost": 2500, "action_year": year + 3}),
	}
	expect(0, 5.5)
	expect(2, 5.5)
	expect(3, 8)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"deferred_maintenance_cost": 5500,
		"deferred_maintenance_basis": "deficiencies", "deficiencies_without_cost": 0, "deferred_maintenance_as_of": nil, "version": 1})
	resourcetest.Expect(t, f.summary(t, network, "horizon_years=3"), fields{"deferred_maintenance_cost": 5500, "need": 8000})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": year + 2})
	expect(1, 5.5)
	expect(3, 100)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": nil})

	// Another figure cannot be typed; what was read can be sent back.
	refused := f.Must(t, http.StatusConflict, "PATCH", path, fields{"deferred_maintenance_cost": 7000}).JSON
	resourcetest.Expect(t, refused, fields{"code": "derived_from_deficiencies", "field": "deferred_maintenance_cost", "value": 7000})
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"deferred_maintenance_as_of": "2026-01-01"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"deferred_maintenance_cost": 5500, "name": "Pont Mercier"})

	corrected := f.Must(t, http.StatusOK, "POST", roof+"/transition", fields{"to": "corrected", "actual_cost": 3980.25}).JSON
	resourcetest.Expect(t, corrected, fields{"corrected_on": resource.Today(t.Context()), "actual_cost": 3980.25, "counts_as_deferred": false})
	expect(0, 1.3)
	for _, d := range all {
		if d != roof {
			f.Must(t, http.StatusOK, "POST", d+"/transition", fields{"to": "waived", "waive_reason": "Sera remplacé"})
		}
	}
	expect(0, 0)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"deferred_maintenance_cost": 0,
		"deferred_maintenance_basis": "deficiencies"})

	// When only void ones are left, what was typed is there again.
	for _, d := range all {
		f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "open"})
		f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "void"})
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"deferred_maintenance_cost": 10000,
		"deferred_maintenance_as_of": "2026-01-01", "deferred_maintenance_basis": "typed", "deficiencies_without_cost": 0})
	expect(0, 10)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"deferred_maintenance_cost": 11000})
	expect(0, 11)
}

func TestADeficiencyOfUnknownCostIsCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	newSegment := func(cost any) any {
		return f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "replacement_cost": 1000,
			"deferred_maintenance_cost": cost})["id"]
	}
	first, second := newSegment(500), newSegment(30)
	f.find(t, first, fields{})
	f.find(t, first, fields{"category": "functional"})
	f.find(t, first, fields{"action_year": 2299})
	moved := f.find(t, first, fields{"estimated_cost": 7})
	resourcetest.Expect(t, f.summary(t, network, ""), fields{"deferred_maintenance_cost": 37, "deficiencies_without_cost": 1, "need": 37})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", first), nil).JSON,
		fields{"deferred_maintenance_cost": 7, "deficiencies_without_cost": 1})

	// One that is moved to another segment counts there.
	f.Must(t, http.StatusOK, "PATCH", moved, fields{"segment_id": second})
	for id, want := range map[any]float64{first: 0, second: 7} {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", id), nil).JSON,
			fields{"deferred_maintenance_cost": want})
	}
	found, _ := f.List(t, fmt.Sprint(deficienciesPath, "?network_id=", network, "&counts_as_deferred=true"))
	if len(found) != 3 {
		t.Errorf("%d count as deferred", len(found))
	}
	f.Must(t, http.StatusNoContent, "DELETE", moved, nil)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", second), nil).JSON,
		fields{"deferred_maintenance_cost": 30, "deferred_maintenance_basis": "typed"})
}

func TestMovesOfADeficiency(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue"})["id"]
	d := f.find(t, segment, fields{})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", d, nil).JSON, fields{"number": "DEF-000001", "status": "open",
		"category": "deferred_maintenance", "source": "manual", "found_on": resource.Today(t.Context()), "counts_as_deferred": true})
	f.Must(t, http.StatusOK, "POST", d+"/transition", fields{"to": "in_work"})
	refused := f.Must(t, http.StatusConflict, "POST", d+"/transition", fields{"to": "waived", "waive_reason": "x"}).JSON
	resourcetest.Expect(t, refused, fields{"code": "transition_not_allowed"})
	refused = f.Must(t, http.StatusConflict, "DELETE", d, nil).JSON
	resourcetest.Expect(t, refused, fields{"code": "delete_not_allowed", "field": "status", "value": "in_work"})
	f.Must(t, http.StatusOK, "POST", d+"/transition", fields{"to": "open"})
	for field, body := range map[string]fields{
		"waive_reason": {"status": "waived"}, "corrected_on": {"status": "corrected", "corrected_on": "2019-01-01"},
		"actual_cost": {"actual_cost": 1}, "found_on": {"found_on": "2999-01-01"},
	} {
		if named := f.Must(t, http.StatusBadRequest, "PATCH", d, body).Fields(); len(named) != 1 || named[0] != field {
			t.Errorf("%v names %v", body, named)
		}
	}
	// One that another service names cannot be deleted.
	id := d[len(deficienciesPath)+1:]
	f.refer[id] = 2
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", d, nil).JSON, fields{"dependents.requests": 2})
	delete(f.refer, id)
	f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "corrected"})
	f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "open"})
	f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "void"})
	f.Must(t, http.StatusConflict, "PATCH", d, fields{"status": "open"})
	// A segment with deficiencies stays.
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"dependents.infrastructure_deficiencies": 1})
}

// What others found is no change of the segment: whoever edits it is not refused for it, and its history says what was typed. Who asks
// whether it is still as it was read is told that it is not.
func TestASegmentKeepsItsVersionWhenADeficiencyIsFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue",
		"deferred_maintenance_cost": 50})["id"]
	path := fmt.Sprint("/v1/infrastructure/segments/", segment)
	read := f.Must(t, http.StatusOK, "GET", path, nil)
	f.Must(t, http.StatusNotModified, "GET", path, nil, "If-None-Match", read.Header.Get("ETag"))
	d := f.find(t, segment, fields{"estimated_cost": 7})
	again := f.Must(t, http.StatusOK, "GET", path, nil, "If-None-Match", read.Header.Get("ETag"))
	resourcetest.Expect(t, again.JSON, fields{"deferred_maintenance_cost": 7, "version": 1, "updated_at": read.JSON["updated_at"]})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Rue Principale"}, "If-Match", `"1"`)
	f.Must(t, http.StatusNoContent, "DELETE", d, nil)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"deferred_maintenance_cost": 50, "version": 2})
	if history, _ := f.List(t, path+"/history"); len(history) != 2 {
		t.Errorf("the history is %v", history)
	}
	if got := resourcetest.EventTypes(f.Events(t, f.database), segment); len(got) != 2 {
		t.Errorf("the events are %v", got)
	}
}

// Costs are brought to the prices of a year from the year that each is of.
func TestDeficienciesInPricesOfAYear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "replacement_cost": 1000})["id"]
	f.find(t, segment, fields{"estimated_cost": 100, "cost_year": 2020})
	f.find(t, segment, fields{"estimated_cost": 100, "cost_year": 2021})
	f.find(t, segment, fields{"estimated_cost": 100, "cost_year": 2024})
	f.prices = []prices.Step{{Category: "roads", FromYear: 2020, ThroughYear: 2020, Value: "100", Target: "150"},
		{Category: "roads", FromYear: 2021, ThroughYear: 2021, Value: "125", Target: "150"}}
	resourcetest.Expect(t, f.summary(t, network, "prices_of=2024"), fields{"deferred_maintenance_cost": 370, "need": 370})
}

// A day that is over has what had been found and was not yet corrected, and what was typed before.
func TestDeficienciesOnADayThatIsOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "install_year": 1990,
		"replacement_cost": 1000, "deferred_maintenance_cost": 50})["id"]
	at := func(day string, want float64) {
		t.Helper()
		resourcetest.Expect(t, f.summary(t, network, "as_of="+day), fields{"deferred_maintenance_cost": want, "need": want})
	}
	corrected := f.find(t, segment, fields{"estimated_cost": 100, "found_on": "2024-03-01"})
	f.find(t, segment, fields{"estimated_cost": 20, "found_on": "2024-06-01"})
	f.find(t, segment, fields{"estimated_cost": 3, "found_on": "2024-06-01", "action_year": 2025})
	f.Must(t, http.StatusOK, "PATCH", corrected, fields{"status": "corrected", "corrected_on": "2024-09-01"})
	for _, c := range []struct {
		day  string
		want float64
	}{{"2024-02-29", 50}, {"2024-03-01", 100}, {"2024-06-01", 120}, {"2024-08-31", 120}, {"2024-09-01", 20}, {"2025-01-01", 23}} {
		at(c.day, c.want)
	}
	resourcetest.Expect(t, f.summary(t, network, "as_of=2024-12-31&horizon_years=1"), fields{"deferred_maintenance_cost": 20, "need": 23})
}

// A kept month has the needs at each horizon, with the deficiencies that are due by then.
func TestMonthsKeepNeedsWithDeficiencies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue",
		"install_year": 1990, "replacement_cost": 1000, "deferred_maintenance_cost": 500})["id"]
	for _, d := range []fields{{"estimated_cost": 10}, {"estimated_cost": 20, "action_year": 2026},
		{"estimated_cost": 30, "action_year": 2030}} {
		d["found_on"] = "2024-02-01"
		f.find(t, segment, d)
	}
	f.keep(t, months.Month{End: "2024-12-31", Frozen: true})
	for horizon, want := range map[int]float64{0: 10, 1: 10, 2: 30, 5: 30, 10: 60} {
		points := f.trend(t, fields{"metric": "need", "horizon_years": horizon})
		if len(points) != 1 || points[0].(map[string]any)["value"] != want {
			t.Errorf("the need in %d years is %v, want %v", horizon, points, want)
		}
	}
}

// What segments show follows the year, without anybody writing.
func TestTheNewYearBringsWhatIsDue(t *testing.T) {
	f := newFixtureAlone(t)
	network := newNetwork(t, f.Client, "road")
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue"})["id"]
	path := fmt.Sprint("/v1/infrastructure/segments/", segment)
	year := resource.Today(t.Context())[:4]
	f.find(t, segment, fields{"estimated_cost": 100, "action_year": json.Number(year)})
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), "UPDATE segment SET deferred_maintenance_cost = 0"); err != nil { // as it stood last year
		t.Fatal(err)
	}
	for range 2 {
		if err := (family{f.registry}).newYear(ofClients(f.Client)).Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"deferred_maintenance_cost": 100, "version": 1})
	}
}

func TestTheDatabaseCountsAsTheRuleDoes(t *testing.T) {
	f := newFixtureAlone(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue"})["id"]
	for _, category := range []string{"deferred_maintenance", "life_safety", "code", "environmental", "accessibility",
		"functional", "renewal"} {
		for status, body := range map[string]fields{"open": {}, "planned": {}, "in_work": {}, "void": {}, "waived": {"waive_reason": "x"},
			"corrected": {"corrected_on": resource.Today(t.Context())}} {
			body["category"], body["status"] = category, status
			f.find(t, segment, body)
		}
	}
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var all, wrong, counting int
	if err := db.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE d.counts_as_deferred <> "+deficiencies.CountsAsDeferred("d")+
		"), count(*) FILTER (WHERE d.counts_as_deferred) FROM deficiency d").Scan(&all, &wrong, &counting); err != nil {
		t.Fatal(err)
	}
	if all != 42 || wrong != 0 || counting != 12 {
		t.Errorf("of %d deficiencies %d count, and %d otherwise than by the rule", all, counting, wrong)
	}
}

func TestDeficienciesOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue"})["id"]
	d := f.find(t, segment, fields{"external_id": "d"})
	other := f.Other()
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		other.Must(t, http.StatusNotFound, method, d, map[string]fields{"PATCH": {"title": "x"}}[method])
	}
	for _, id := range []any{segment, uuid.NewString()} {
		if named := other.Must(t, http.StatusNotFound, "POST", deficienciesPath,
			fields{"title": "x", "segment_id": id}).Fields(); len(named) != 1 || named[0] != "segment_id" {
			t.Errorf("named %v", named)
		}
	}
	if found, _ := other.List(t, deficienciesPath+"?segment_id="+fmt.Sprint(segment)); len(found) != 0 {
		t.Errorf("another organization finds %v", found)
	}
}

func TestAnInspectionBringsItsDeficiencies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "bridge")
	newSegment := func() any {
		return f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Pont", "replacement_cost": 1000})["id"]
	}
	segment := newSegment()
	inspection := f.Must(t, http.StatusCreated,
		"POST", "/v1/infrastructure/inspections", fields{"segment_id": segment, "inspected_on": "2024-05-01", "condition_rating": 4,
			"deficiencies": []fields{{"title": "Joint", "estimated_cost": 40.25}, {"title": "Rampe", "category": "accessibility",
				"estimated_cost": 9, "external_id": "r"}}}).JSON
	if _, shown := inspection["deficiencies"]; shown {
		t.Error("deficiencies are shown")
	}
	found, _ := f.List(t, fmt.Sprint(deficienciesPath, "?source_id=", inspection["id"], "&sort=number"))
	if len(found) != 2 {
		t.Fatalf("it brought %v", found)
	}
	resourcetest.Expect(t, found[0], fields{"title": "Joint", "number": "DEF-000001", "source": "inspection", "segment_id": segment,
		"found_on": "2024-05-01", "cost_year": 2024, "estimated_cost": 40.25, "status": "open", "category": "deferred_maintenance"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"condition_rating": 4, "deferred_maintenance_cost": 40.25})
	path := fmt.Sprint("/v1/infrastructure/inspections/", inspection["id"])
	if named := f.Must(t, http.StatusBadRequest, "PATCH", path,
		fields{"deficiencies": []fields{{"title": "x"}}}).Fields(); named[0] != "deficiencies" {
		t.Errorf("a later one names %v", named)
	}

	// What is wrong with one of them is named, and nothing is written.
	many := make([]fields, 101)
	for i := range many {
		many[i] = fields{"title": "x"}
	}
	for field, wrong := range map[string]any{
		"deficiencies[1].category":       []fields{{"title": "a"}, {"title": "b", "category": "none"}},
		"deficiencies[0].title":          []fields{{"estimated_cost": 1}},
		"deficiencies[1].estimated_cost": []fields{{"title": "a"}, {"title": "b", "estimated_cost": 1.005}},
		"deficiencies":                   many,
	} {
		refused := f.Must(t, http.StatusBadRequest, "POST", "/v1/infrastructure/inspections",
			fields{"segment_id": segment, "inspected_on": "2024-05-02", "deficiencies": wrong})
		if named := refused.Fields(); named[0] != field {
			t.Errorf("%s: named %v", field, named)
		}
	}
	f.Must(t, http.StatusConflict, "POST", "/v1/infrastructure/inspections",
		fields{"segment_id": segment, "inspected_on": "2024-05-02", "deficiencies": []fields{{"title": "x", "external_id": "r"}}})
	if all, _ := f.List(t, "/v1/infrastructure/inspections"); len(all) != 1 {
		t.Errorf("%d inspections", len(all))
	}

	// In bulk, each row brings its own.
	f.Must(t, http.StatusOK, "POST", "/v1/infrastructure/inspections/bulk", fields{"data": []fields{
		{"segment_id": segment, "inspected_on": "2024-05-03", "deficiencies": []fields{{"title": "1"}}},
		{"segment_id": newSegment(), "inspected_on": "2024-05-03"},
		{"segment_id": newSegment(), "inspected_on": "2024-05-03", "deficiencies": []fields{{"title": "2"}, {"title": "3"}}}}})
	if all, _ := f.List(t, deficienciesPath); len(all) != 5 {
		t.Errorf("%d deficiencies", len(all))
	}
	refused := f.Must(t, http.StatusBadRequest, "POST", "/v1/infrastructure/inspections/bulk", fields{"data": []fields{
		{"segment_id": segment, "inspected_on": "2024-05-04"},
		{"segment_id": segment, "inspected_on": "2024-05-04", "deficiencies": []fields{{"title": "2", "estimated_cost": 0.001}}}}})
	if named := refused.Fields(); named[0] != "data[1].deficiencies[0].estimated_cost" {
		t.Errorf("a wrong row names %v", named)
	}

	// Row by row, the wrong one fails alone, with its deficiencies.
	answer := f.Must(t, http.StatusOK, "POST", "/v1/infrastructure/inspections/bulk?atomic=false", fields{"data": []fields{
		{"segment_id": segment, "inspected_on": "2024-05-05",
			"deficiencies": []fields{{"title": "fine"}, {"title": "taken", "external_id": "r"}}},
		{"segment_id": segment, "inspected_on": "2024-05-06", "deficiencies": []fields{{"title": "last"}}}}}).JSON
	resourcetest.Expect(t, answer, fields{"summary.created": 1, "summary.failed": 1})
	if all, _ := f.List(t, fmt.Sprint("/v1/infrastructure/inspections?segment_id=", segment)); len(all) != 3 {
		t.Errorf("%d inspections of the segment, want 3", len(all))
	}
	if all, _ := f.List(t, deficienciesPath); len(all) != 6 {
		t.Errorf("%d deficiencies, want 6", len(all))
	}
}

// What was found on segments is counted in groups, and found by the site that they are at.
func TestDeficienciesOfSegmentsInGroupsAndBySite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	segment := func(name string, at any) any {
		return f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": name, "site_id": at})["id"]
	}
	inside, outside := segment("Allée", site), segment("Rue", nil)
	f.find(t, inside, fields{"estimated_cost": 100, "priority": "urgent"})
	f.find(t, outside, fields{"estimated_cost": 200.5, "priority": "urgent"})
	f.find(t, outside, fields{"priority": "low"})
	totals := f.Must(t, http.StatusOK, "GET", deficienciesPath+"?group_by=priority&group_sort=-estimated_cost&per_page=1",
		nil).JSON["totals"].(fields)
	resourcetest.Expect(t, totals, fields{"count": 3, "estimated_cost": 300.5, "number_of_groups": 2})
	resourcetest.Expect(t, totals["groups"].([]any)[0].(fields), fields{"key": "urgent", "count": 2, "estimated_cost": 300.5})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", deficienciesPath+"?site_id="+site, nil).JSON, fields{"pagination.total": 1})
	f.Must(t, http.StatusBadRequest, "GET", deficienciesPath+"?site_id=parc", nil)
	if other := f.Other().Must(t, http.StatusOK, "GET", deficienciesPath+"?group_by=priority&site_id="+site,
		nil).JSON; other["totals"].(fields)["count"] != 0.0 {
		t.Errorf("another organization counts %v", other["totals"])
	}
}
