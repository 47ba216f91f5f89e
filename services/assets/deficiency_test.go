package assets

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// yearNow is the year that it is in the tests' organizations.
func yearNow(t testing.TB) int {
	t.Helper()
	year, err := strconv.Atoi(resource.Today(t.Context())[:4])
	if err != nil {
		t.Fatal(err)
	}
	return year
}

// record is what GET shows of a record.
func (f fixture) record(t testing.TB, path string, id any) fields {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", fmt.Sprint(path, "/", id), nil).JSON
}

// found makes a deficiency and gives its path.
func (f fixture) found(t testing.TB, body fields) string {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Fissure"
	}
	return fmt.Sprint("/v1/deficiencies/", f.Create(t, "/v1/deficiencies", body)["id"])
}

// 100,000, typed 10,000; 4,200 deferred, 1,300 code, 9,000 accessibility, 2,500 in three years.
func TestDeferredMaintenanceOfTheWorkedCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	year := yearNow(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Toiture", "building_id": f.building[0], "replacement_cost": 100000,
		"deferred_maintenance_cost": 10000})["id"]
	path := fmt.Sprint("/v1/assets/", asset)
	expect := func(what string, horizon int, fci, need, deferred float64) {
		t.Helper()
		got := summary(t, f.Client, "/v1/buildings", f.building[0], fmt.Sprint("horizon_years=", horizon))
		resourcetest.Expect(t, fields{what: got["fci_pct"]}, fields{what: fci})
		resourcetest.Expect(t, got, fields{"need": need, "deferred_maintenance_cost": deferred})
		resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_cost": deferred})
	}
	expect("typed", 0, 10, 10000, 10000)
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_basis": "typed", "deficiencies_without_cost": 0})

	deferred := f.found(t, fields{"asset_id": asset, "estimated_cost": 4200})
	code := f.found(t, fields{"asset_id": asset, "estimated_cost": 1300, "category": "code"})
	accessibility := f.found(t, fields{"asset_id": asset, "estimated_cost": 9000, "category": "accessibility"})
	later := f.found(t, fields{"asset_id": asset, "estimated_cost": 2500, "action_year": year + 3})
	expect("today", 0, 5.5, 5500, 5500)
	expect("within three years", 3, 8, 8000, 5500)
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset),
		fields{"deferred_maintenance_basis": "deficiencies", "deferred_maintenance_as_of": nil})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], ""), fields{
		"deferred_maintenance_basis.typed": 0, "deferred_maintenance_basis.deficiencies": 5500})

	f.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": year + 2})
	expect("renewed within three years", 3, 100, 100000, 5500)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": nil})

	f.Must(t, http.StatusOK, "PATCH", deferred, fields{"status": "corrected", "actual_cost": 3980.25})
	expect("4,200 corrected", 0, 1.3, 1300, 1300)
	for _, d := range []string{code, accessibility, later} {
		f.Must(t, http.StatusOK, "POST", d+"/transition", fields{"to": "waived", "waive_reason": "Démolition en 2030"})
	}
	f.Must(t, http.StatusOK, "PATCH", deferred, fields{"status": "open"})
	f.Must(t, http.StatusOK, "PATCH", deferred, fields{"status": "waived", "waive_reason": "Démolition en 2030"})
	expect("all waived", 0, 0, 0, 0) // not what was typed
	expect("all waived, later", 3, 0, 0, 0)
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_basis": "deficiencies"})

	for _, d := range []string{deferred, code, accessibility, later} { // as if they had never been
		f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "open"})
		f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "void"})
	}
	expect("all void", 0, 10, 10000, 10000)
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_basis": "typed", "version": 3})
}

func TestDeferredMaintenanceThatFollowsFromDeficienciesIsNotTyped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "deferred_maintenance_cost": 700})["id"]
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.system[0]), fields{"deferred_maintenance_cost": 900})
	for path, c := range map[string]struct {
		id    any
		field string
		typed float64
	}{"/v1/assets": {asset, "asset_id", 700}, "/v1/systems": {f.system[0], "system_id", 900}} {
		t.Run(path, func(t *testing.T) {
			record := fmt.Sprint(path, "/", c.id)
			d := f.found(t, fields{c.field: c.id, "estimated_cost": 50.25})
			for _, typed := range []any{10, nil, 0} {
				refused := f.Must(t, http.StatusConflict, "PATCH", record, fields{"deferred_maintenance_cost": typed}).JSON
				resourcetest.Expect(t, refused, fields{"code": "derived_from_deficiencies", "field": "deferred_maintenance_cost"})
			}
			f.Must(t, http.StatusOK, "PATCH", record, fields{"deferred_maintenance_cost": 50.25, "notes": "Même chose"})
			f.Must(t, http.StatusConflict, "PATCH", path+"/bulk", fields{"data": []fields{{"id": c.id, "deferred_maintenance_cost": 3}}})
			resourcetest.Expect(t, f.record(t, path, c.id), fields{"deferred_maintenance_cost": 50.25, "deferred_maintenance_basis": "deficiencies"})
			if path == "/v1/assets" { // an assessment keeps what it says, and the asset does not take it
				f.Must(t, http.StatusConflict, "PATCH", record, fields{"deferred_maintenance_as_of": "2020-01-01"})
				f.Create(t, record+"/condition-assessments",
					fields{"assessed_on": "2020-01-01", "condition_rating": 2, "deferred_maintenance_cost": 650})
				resourcetest.Expect(t, f.record(t, path, c.id), fields{"deferred_maintenance_cost": 50.25, "condition_rating": 2})
			}
			f.Must(t, http.StatusOK, "PATCH", d, fields{"estimated_cost": nil})
			resourcetest.Expect(t, f.record(t, path, c.id), fields{"deferred_maintenance_cost": 0, "deficiencies_without_cost": 1,
				"deferred_maintenance_basis": "deficiencies"})
			f.Must(t, http.StatusNoContent, "DELETE", d, nil)
			after := f.record(t, path, c.id)
			resourcetest.Expect(t, after, fields{"deferred_maintenance_basis": "typed", "deficiencies_without_cost": 0})
			if got := after["deferred_maintenance_cost"]; got != c.typed && got != 650.0 {
				t.Errorf("without deficiencies it is %v", got)
			}
			f.Must(t, http.StatusOK, "PATCH", record, fields{"deferred_maintenance_cost": 11})
			resourcetest.Expect(t, f.record(t, path, c.id), fields{"deferred_maintenance_cost": 11})
		})
	}
}

// What others found is no change of the asset: whoever edits it is not refused for it, and its history says what was typed. Who asks
// whether it is still as it was read is told that it is not.
func TestAnAssetKeepsItsVersionWhenADeficiencyIsFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, field := range map[string]string{"/v1/assets": "asset_id", "/v1/systems": "system_id"} {
		id := f.Create(t, path, fields{"name": "Pompe", "deferred_maintenance_cost": 50})["id"]
		record := fmt.Sprint(path, "/", id)
		read := f.Must(t, http.StatusOK, "GET", record, nil)
		f.Must(t, http.StatusNotModified, "GET", record, nil, "If-None-Match", read.Header.Get("ETag"))
		d := f.found(t, fields{field: id, "estimated_cost": 7})
		again := f.Must(t, http.StatusOK, "GET", record, nil, "If-None-Match", read.Header.Get("ETag"))
		resourcetest.Expect(t, again.JSON, fields{"deferred_maintenance_cost": 7, "version": 1, "updated_at": read.JSON["updated_at"]})
		f.Must(t, http.StatusOK, "PATCH", record, fields{"name": "Pompe 2"}, "If-Match", `"1"`)
		f.Must(t, http.StatusNoContent, "DELETE", d, nil)
		resourcetest.Expect(t, f.record(t, path, id), fields{"deferred_maintenance_cost": 50, "version": 2})
		if history, _ := f.List(t, record+"/history"); len(history) != 2 {
			t.Errorf("the history is %v", history)
		}
		if got := resourcetest.EventTypes(f.Events(t, f.database), id); len(got) != 2 {
			t.Errorf("the events are %v", got)
		}
	}
}

func TestASystemsDeficienciesAreAddedToItsAssets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	year := yearNow(t)
	system := fmt.Sprint("/v1/systems/", f.system[0])
	f.Create(t, "/v1/assets", fields{"name": "A", "system_id": f.system[0], "replacement_cost": 71000, "deferred_maintenance_cost": 5000,
		"planned_renewal_year": year})
	other := f.Create(t, "/v1/assets", fields{"name": "B", "system_id": f.system[0], "replacement_cost": 29000,
		"deferred_maintenance_cost": 3000})["id"]
	expect := func(horizon int, want fields) {
		t.Helper()
		for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": f.system[0]} {
			resourcetest.Expect(t, summary(t, f.Client, path, id, fmt.Sprint("horizon_years=", horizon)), want)
		}
		for _, groupBy := range []string{"building", "category"} {
			state := f.Must(t, http.StatusOK, "GET",
				fmt.Sprint("/v1/reports/state-of-assets?group_by=", groupBy, "&horizon_years=", horizon), nil).JSON
			resourcetest.Expect(t, resourcetest.At(state, "total").(fields), want)
			resourcetest.Expect(t, fields{"need": sumOf(state, "need"), "deferred": sumOf(state, "deferred_maintenance_cost")},
				fields{"need": want["need"], "deferred": want["deferred_maintenance_cost"]})
		}
	}
	f.Must(t, http.StatusOK, "PATCH", system, fields{"deferred_maintenance_cost": 6000}) // typed: of the whole system
	expect(0, fields{"deferred_maintenance_cost": 6000, "need": 72000})
	f.found(t, fields{"system_id": f.system[0], "estimated_cost": 400})
	f.found(t, fields{"system_id": f.system[0], "estimated_cost": 90, "action_year": year + 1})
	expect(0, fields{"deferred_maintenance_cost": 8400, "need": 74400, "deferred_maintenance_basis.typed": 8000,
		"deferred_maintenance_basis.deficiencies": 400})
	expect(1, fields{"deferred_maintenance_cost": 8400, "need": 74490})
	f.found(t, fields{"asset_id": other, "estimated_cost": 1000})
	expect(0, fields{"deferred_maintenance_cost": 6400, "need": 72400, "deferred_maintenance_basis.typed": 5000,
		"deferred_maintenance_basis.deficiencies": 1400})
	f.Must(t, http.StatusOK, "PATCH", system, fields{"replacement_cost": 500000, "planned_renewal_year": year})
	expect(0, fields{"deferred_maintenance_cost": 6400, "need": 500000, "need_without_value": 0})
	f.Must(t, http.StatusOK, "PATCH", system, fields{"replacement_cost": 10000})
	expect(0, fields{"deferred_maintenance_cost": 6400, "need": 72400, "need_without_value": 0, "fci_pct": 724})
}

func TestDeficienciesOfPlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	year := yearNow(t)
	f.found(t, fields{"building_id": f.building[0], "estimated_cost": 300})
	f.found(t, fields{"building_id": f.building[0], "estimated_cost": 50, "action_year": year + 2})
	f.found(t, fields{"site_id": f.site[0], "estimated_cost": 20})
	f.found(t, fields{"site_id": f.site[0]})
	expect := func(query string, site, building fields) {
		t.Helper()
		resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], query), site)
		resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], query), building)
		state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by=category&"+query, nil).JSON
		resourcetest.Expect(t, resourcetest.At(state, "total").(fields), site)
		resourcetest.Expect(t, fields{"need": sumOf(state, "need")}, fields{"need": site["need"]})
		reported := stateReport(t, f.Client, query)["total"].(fields)
		resourcetest.Expect(t, reported, fields{"need": site["need"], "need_without_value": site["need_without_value"],
			"fci_pct": site["fci_pct"], "data_gaps.deficiencies_without_cost": 1})
	}
	expect("", fields{"deferred_maintenance_cost": 320, "need": 320, "need_without_value": 320, "fci_pct": nil,
		"data_quality.deficiencies_without_cost": 1}, fields{"need": 300, "need_without_value": 300})
	expect("horizon_years=2", fields{"deferred_maintenance_cost": 320, "need": 370, "need_without_value": 370, "fci_pct": nil},
		fields{"need": 350})

	f.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": f.site[0], "replacement_cost": 1000}) // the site is worth something
	expect("", fields{"need": 320, "need_without_value": 300, "fci_pct": 2}, fields{"need_without_value": 300, "fci_pct": nil})
	f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0], "replacement_cost": 600}) // and the building
	expect("", fields{"need": 320, "need_without_value": 0, "fci_pct": 20}, fields{"need_without_value": 0, "fci_pct": 50})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"replacement_cost": 0}) // is no appraisal
	expect("", fields{"need": 320, "need_without_value": 0, "fci_pct": 20}, fields{"need_without_value": 0, "fci_pct": 50})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"replacement_cost": 2000})
	expect("", fields{"need": 320, "need_without_value": 0, "fci_pct": 10.67}, fields{"need_without_value": 0, "fci_pct": 15})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"status": "closed"})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"status": "demolished"})
	expect("", fields{"need": 20, "need_without_value": 0, "fci_pct": 2}, fields{"need": 0})
}

func TestDeficiencyRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0]})["id"]
	for _, c := range []struct {
		name  string
		body  fields
		wrong string
	}{
		{"of nothing", fields{}, "asset_id"},
		{"of two records", fields{"asset_id": asset, "site_id": f.site[0]}, "asset_id"},
		{"of a record that is not there", fields{"asset_id": f.site[0]}, "asset_id"},
		{"found tomorrow", fields{"asset_id": asset, "found_on": daysAgo(-2)}, "found_on"},
		{"waived without a reason", fields{"asset_id": asset, "status": "waived"}, "waive_reason"},
		{"entered as corrected without a day", fields{"asset_id": asset, "status": "corrected"}, "corrected_on"},
		{"a cost class that is none", fields{"asset_id": asset, "cost_class": "E"}, "cost_class"},
		{"a negative cost", fields{"asset_id": asset, "estimated_cost": -1}, "estimated_cost"},
		{"a segment's", fields{"asset_id": asset, "segment_id": f.site[0]}, "segment_id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.body["title"] = "Fuite"
			if got := f.Refused(t, "POST", "/v1/deficiencies", c.body).Fields(); !slices.Contains(got, c.wrong) {
				t.Errorf("refused %v, want %s", got, c.wrong)
			}
		})
	}
	d := f.found(t, fields{"asset_id": asset, "estimated_cost": 10, "found_on": "2024-05-01"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", d, nil).JSON,
		fields{"number": "DEF-000001", "status": "open", "category": "deferred_maintenance",
			"source": "manual", "cost_year": 2024, "counts_as_deferred": true, "work_order_id": nil, "project_id": nil})
	for _, to := range []string{"planned", "in_work"} {
		f.Must(t, http.StatusOK, "PATCH", d, fields{"status": to})
		refused := f.Must(t, http.StatusConflict, "DELETE", d, nil).JSON
		resourcetest.Expect(t, refused, fields{"code": "delete_not_allowed"})
	}
	for to, body := range map[string]fields{"waived": {"waive_reason": "Démolition"}, "void": {}} {
		body["status"] = to
		refused := f.Must(t, http.StatusConflict, "PATCH", d, body).JSON
		resourcetest.Expect(t, refused, fields{"code": "transition_not_allowed", "allowed": []any{"open", "planned", "corrected"}})
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", d+"/transition", fields{"to": "corrected", "actual_cost": 8}).JSON,
		fields{"corrected_on": resource.Today(t.Context()), "actual_cost": 8, "counts_as_deferred": false})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "open"}).JSON,
		fields{"corrected_on": nil, "actual_cost": nil})

	// It may turn out to be another record's, and takes its cost along.
	f.Must(t, http.StatusOK, "PATCH", d, fields{"system_id": f.system[0]})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", d, nil).JSON, fields{"asset_id": nil, "system_id": f.system[0]})
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_cost": nil, "deferred_maintenance_basis": nil})
	resourcetest.Expect(t, f.record(t, "/v1/systems", f.system[0]),
		fields{"deferred_maintenance_cost": 10, "deferred_maintenance_basis": "deficiencies"})
	f.Must(t, http.StatusNoContent, "DELETE", d, nil)
}

func TestDeficienciesAreFoundByPlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0]})["id"]
	for title, of := range map[string]fields{"A": {"asset_id": asset}, "S": {"system_id": f.system[0]}, "B": {"building_id": f.building[0]},
		"P": {"site_id": f.site[0]}, "X": {"system_id": f.system[1]}} {
		of["title"] = title
		f.found(t, of)
	}
	for query, want := range map[string]int{
		fmt.Sprint("site_id=", f.site[0]): 4, fmt.Sprint("building_id=", f.building[0]): 3, fmt.Sprint("system_id=", f.system[0]): 2,
		fmt.Sprint("asset_id=", asset): 1, fmt.Sprint("site_id=", f.site[0], ",", f.site[1]): 5,
		fmt.Sprint("site_id=", f.site[1], "&status=open"): 1, "counts_as_deferred=true": 5, "q=déficience": 0, "category=code": 0,
	} {
		if found, _ := f.List(t, "/v1/deficiencies?"+query); len(found) != want {
			t.Errorf("%s finds %d, want %d", query, len(found), want)
		}
	}
	f.Must(t, http.StatusBadRequest, "GET", "/v1/deficiencies?site_id=there", nil)
}
