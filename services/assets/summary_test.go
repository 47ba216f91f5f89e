package assets

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func summary(t testing.TB, client *resourcetest.Client, path string, id any, query string) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "GET", fmt.Sprintf("%s/%v/summary?%s", path, id, query), nil).JSON
}

// workedCase puts the four assets of the worked case into a place.
func workedCase(t testing.TB, client *resourcetest.Client, place fields) {
	t.Helper()
	for i, part := range []fields{
		{"replacement_cost": 400000, "deferred_maintenance_cost": 20000, "planned_renewal_year": 2031},
		{"replacement_cost": 150000, "deferred_maintenance_cost": 0, "planned_renewal_year": 2024},
		{"replacement_cost": 50000, "deferred_maintenance_cost": 5000},
		{"replacement_cost": 400000, "deferred_maintenance_cost": 0, "planned_renewal_year": 2028},
	} {
		part["name"] = fmt.Sprint("Partie ", i)
		for name, value := range place {
			part[name] = value
		}
		client.Create(t, "/v1/assets", part)
	}
}

func TestSummaryOfTheWorkedCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	workedCase(t, f.Client, fields{"system_id": f.system[0]})
	for horizon, want := range map[int]map[string]any{
		0: {"need": 175000, "fci_pct": 17.5, "fci_grade": "poor"},
		2: {"need": 575000, "fci_pct": 57.5, "fci_grade": "critical"},
		5: {"need": 955000, "fci_pct": 95.5, "fci_grade": "critical"},
	} {
		query := fmt.Sprintf("as_of=2026-07-01&horizon_years=%d", horizon)
		want["replacement_cost"], want["deferred_maintenance_cost"], want["counts.assets"], want["counts.systems"], want["horizon_years"],
			want["as_of"] = 1000000, 25000, 4, 1, horizon, "2026-07-01"
		for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": f.system[0]} {
			got := summary(t, f.Client, path, id, query)
			if path == "/v1/sites" {
				want["counts.systems"] = 2 // the site's lighting as well
			} else {
				want["counts.systems"] = 1
			}
			resourcetest.Expect(t, got, want)
		}
		state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?"+query, nil).JSON
		want["counts.systems"] = 4
		total := resourcetest.At(state, "total").(fields)
		total["horizon_years"], total["as_of"] = state["horizon_years"], state["as_of"]
		resourcetest.Expect(t, total, want)
	}
}

func TestWhatARowSaysItselfGoesBeforeItsParts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	query := "as_of=2126-07-01&horizon_years=5"
	workedCase(t, f.Client, fields{"system_id": f.system[0]})
	f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0], "replacement_cost": 1000,
		"deferred_maintenance_cost": 100})
	f.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": f.site[0], "replacement_cost": 10, "deferred_maintenance_cost": 1})
	system, building := fmt.Sprint("/v1/systems/", f.system[0]), fmt.Sprint("/v1/buildings/", f.building[0])

	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], query), map[string]any{
		"replacement_cost": 1001000, "need": 955100, "replacement_cost_basis.assets": 1001000, "counts.assets": 5})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], query),
		map[string]any{"replacement_cost": 1001010, "need": 955101, "counts.assets": 6})

	f.Must(t, http.StatusOK, "PATCH", system, fields{"replacement_cost": 2000000})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.system[0], query),
		map[string]any{"replacement_cost": 2000000, "need": 955000, "fci_pct": 47.75, "replacement_cost_basis.systems": 2000000,
			"replacement_cost_basis.assets": 0})
	f.Must(t, http.StatusOK, "PATCH", system, fields{"deferred_maintenance_cost": 7})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.system[0], query),
		map[string]any{"need": 950000, "deferred_maintenance_cost": 7})
	f.Must(t, http.StatusOK, "PATCH", system, fields{"planned_renewal_year": 2131})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.system[0], query),
		map[string]any{"need": 2000000, "deferred_maintenance_cost": 7, "fci_pct": 100})
	f.Must(t, http.StatusOK, "PATCH", system, fields{"replacement_cost": nil})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.system[0], query),
		map[string]any{"need": 1000000, "replacement_cost": 1000000})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], query),
		map[string]any{"need": 1000100, "replacement_cost": 1001000})

	f.Must(t, http.StatusOK, "PATCH", building, fields{"replacement_cost": 5000000})
	appraised := map[string]any{"replacement_cost": 5000000, "replacement_cost_basis.buildings": 5000000,
		"replacement_cost_basis.assets": 0, "need": 1000100, "fci_pct": 20}
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], query), appraised)
	resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], query),
		map[string]any{"replacement_cost": 5000010, "replacement_cost_basis.buildings": 5000000, "replacement_cost_basis.assets": 10,
			"need": 1000101})
	// Kinds know no buildings: the appraisal is not in them.
	state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by=category&"+query, nil).JSON
	resourcetest.Expect(t, resourcetest.At(state, "total").(fields), map[string]any{"replacement_cost": 5000010})
	resourcetest.Expect(t, state["data"].([]any)[0].(fields), map[string]any{"key": nil, "replacement_cost": 1001010, "need": 1000101})
}

func TestAssetsOfASiteSystemCountOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Create(t, "/v1/assets", fields{"name": "Lampadaire", "system_id": f.ofSite, "building_id": f.building[0], "replacement_cost": 100})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.ofSite), fields{"replacement_cost": 1000})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"replacement_cost": 50})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], ""), map[string]any{"replacement_cost": 1050, "counts.assets": 1})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.ofSite, ""), map[string]any{"replacement_cost": 1000, "counts.assets": 1})
}

func TestWhatDoesNotStandDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		path    string // of what changes its state, below
		status  []string
		assets  int // that still count, of 3
		cost    int
		leftOut int
	}{
		{"a decommissioned asset", "/v1/assets", []string{"decommissioned"}, 2, 110, 1},
		{"an asset out of service counts", "/v1/assets", []string{"out_of_service"}, 3, 111, 0},
		{"a decommissioned system", "/v1/systems", []string{"decommissioned"}, 2, 110, 1},
		{"a demolished building", "/v1/buildings", []string{"closed", "demolished"}, 1, 100, 2},
		{"a closed building counts", "/v1/buildings", []string{"closed"}, 3, 111, 0},
		{"a disposed site", "/v1/sites", []string{"disposed"}, 0, 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 1, "condition_rating": 1})["id"]
			f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0], "replacement_cost": 10, "condition_rating": 2})
			f.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": f.site[0], "replacement_cost": 100, "condition_rating": 3})
			id := map[string]any{"/v1/assets": asset, "/v1/systems": f.system[0], "/v1/buildings": f.building[0], "/v1/sites": f.site[0]}[c.path]
			for _, status := range c.status {
				f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(c.path, "/", id), fields{"status": status})
			}
			want := map[string]any{"counts.assets": c.assets, "counts.assets_left_out": c.leftOut, "replacement_cost": c.cost}
			resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], ""), want)
			total := resourcetest.At(f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets", nil).JSON, "total").(fields)
			resourcetest.Expect(t, total, want)
		})
	}
}

func TestSummaryOfConditionAgeAndDataQuality(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, body := range []fields{
		{"condition_rating": 1, "replacement_cost": 100, "install_date": "2016-07-01", "expected_useful_life_years": 9,
			"planned_renewal_year": 2040},
		{"condition_rating": 4, "replacement_cost": 200, "install_year": 2006, "expected_useful_life_years": 25},
		{"condition_rating": 4, "install_date": "2026-07-01"},
		{},
	} {
		body["name"], body["building_id"] = fmt.Sprint("Porte ", i), f.building[0]
		if body["condition_rating"] != nil {
			body["condition_assessed_on"] = "2026-06-30"
		}
		f.Create(t, "/v1/assets", body)
	}
	got := summary(t, f.Client, "/v1/buildings", f.building[0], "as_of=2026-07-01")
	resourcetest.Expect(t, got, map[string]any{
		"name": "Pavillon 0", "average_age_years": 10, "average_condition_rating": 3, "currency": "CAD",
		"condition_distribution.very_good":      fields{"assets": 1.0, "replacement_cost": 100.0},
		"condition_distribution.poor":           fields{"assets": 2.0, "replacement_cost": 200.0},
		"condition_distribution.fair":           fields{"assets": 0.0, "replacement_cost": 0.0},
		"condition_distribution.unknown":        fields{"assets": 1.0, "replacement_cost": 0.0},
		"past_useful_life":                      fields{"assets": 1.0, "replacement_cost": 100.0},
		"data_quality.without_replacement_cost": 2, "data_quality.without_installation": 1, "data_quality.without_expected_useful_life": 2,
		"data_quality.without_condition_rating": 1, "data_quality.without_planned_renewal_year": 3, "data_quality.without_site": 0,
	})
	empty := summary(t, f.Client, "/v1/buildings", f.building[1], "")
	resourcetest.Expect(t, empty, map[string]any{"fci_pct": nil, "fci_grade": nil, "average_age_years": nil, "replacement_cost": 0,
		"counts.buildings": 1, "counts.assets": 0})
}

func TestStateOfAssetsInGroups(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 2 {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/sites/", f.site[i]), fields{"site_type": "school", "ward": fmt.Sprint("Quartier ", i)})
		f.Create(t, "/v1/assets", fields{"name": "Pompe", "building_id": f.building[i], "replacement_cost": 100 * (i + 1),
			"uniformat_code": "D2010", "condition_rating": 1 + i})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[i]), fields{"year_built": 1969 + i})
	}
	f.Create(t, "/v1/assets", fields{"name": "Camion", "replacement_cost": 7, "uniformat_code": "E10"})
	for _, c := range []struct {
		groupBy string
		label   string
		groups  []any // the labels, in order
		costs   []float64
	}{
		{"site", "name", []any{"Site 0", "Site 1", "No site"}, []float64{100, 200, 7}},
		{"site_type", "key", []any{"school", nil}, []float64{300, 7}},
		{"ward", "key", []any{"Quartier 0", "Quartier 1", nil}, []float64{100, 200, 7}},
		{"building", "name", []any{"Pavillon 0", "Pavillon 1", "No building"}, []float64{100, 200, 7}},
		{"building_type", "key", []any{nil}, []float64{307}},
		{"year_built", "key", []any{"1960-1969", "1970-1979", nil}, []float64{100, 200, 7}},
		{"year_built&built_since=1970", "key", []any{"-1969", "1970-", nil}, []float64{100, 200, 7}},
		{"year_built&built_since=1971", "key", []any{"-1970", nil}, []float64{300, 7}},
		{"category", "key", []any{"equipment_furnishings", "plumbing", nil}, []float64{7, 300, 0}},
		{"uniformat_group", "key", []any{"D20", "E10", nil}, []float64{300, 7, 0}},
		{"condition_grade", "key", []any{"good", "very_good", nil}, []float64{200, 100, 7}},
	} {
		t.Run(c.groupBy, func(t *testing.T) {
			state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by="+c.groupBy, nil).JSON
			var labels []any
			var costs []float64
			for _, entry := range state["data"].([]any) {
				group := entry.(fields)
				places := map[any]any{"Pavillon 0": "Site 0", "Pavillon 1": "Site 1", "Site 0": "Site 0", "Site 1": "Site 1"}
				if group["key"] == nil && group["name"] == nil || group["site_name"] != places[group["name"]] ||
					(group["site_id"] == nil) != (group["site_name"] == nil) {
					t.Errorf("a group is %v at %v, %v", group["name"], group["site_id"], group["site_name"])
				}
				labels, costs = append(labels, group[c.label]), append(costs, group["replacement_cost"].(float64))
			}
			if !reflect.DeepEqual(labels, c.groups) || !reflect.DeepEqual(costs, c.costs) {
				t.Errorf("groups %v with %v, want %v with %v", labels, costs, c.groups, c.costs)
			}
			resourcetest.Expect(t, resourcetest.At(state, "total").(fields),
				map[string]any{"replacement_cost": 307, "counts.sites": 2, "counts.buildings": 2, "counts.systems": 4, "counts.assets": 3})
			resourcetest.Expect(t, state, map[string]any{"pagination.total": len(c.groups), "pagination.total_pages": 1})
		})
	}
	columns, rows := f.Table(t, "/v1/reports/state-of-assets")
	if len(rows) != 4 || columns[0] != "row" || rows[3]["row"] != "total" || rows[3]["replacement_cost"] != "307" ||
		rows[2]["name"] != "No site" || rows[0]["site_name"] != "Site 0" || rows[0]["name"] != "Site 0" ||
		rows[0]["counts_assets"] != "1" || rows[0]["condition_distribution_very_good_assets"] != "1" || rows[0]["currency"] != "CAD" {
		t.Errorf("as CSV %v", rows)
	}
	_, rows = f.Table(t, fmt.Sprint("/v1/sites/", f.site[0], "/summary"))
	if len(rows) != 1 || rows[0]["replacement_cost"] != "100" || rows[0]["name"] != "Site 0" ||
		rows[0]["condition_distribution_very_good_assets"] != "1" {
		t.Errorf("a summary as CSV: %v", rows)
	}
	page := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?per_page=2&page=2", nil).JSON
	resourcetest.Expect(t, page, map[string]any{"pagination.total": 3, "pagination.total_pages": 2, "pagination.page": 2})
	if groups := page["data"].([]any); len(groups) != 1 || groups[0].(fields)["name"] != "No site" {
		t.Errorf("the second page: %v", groups)
	}
	for page, want := range map[string]map[string]string{
		"1": {"next": "2", "first": "1", "last": "2"}, "2": {"prev": "1", "first": "1", "last": "2"},
		"9": {"prev": "2", "first": "1", "last": "2"},
	} {
		f.AssertLinks(t, "/v1/reports/state-of-assets?group_by=site&per_page=2&page="+page, "page", want)
	}
	f.AssertLinks(t, "/v1/reports/state-of-assets", "page", nil) // one page
	f.AssertFile(t, "/v1/reports/state-of-assets", "text/csv", "state-of-assets", "csv")
	f.AssertFile(t, fmt.Sprint("/v1/sites/", f.site[0], "/summary"), "text/csv", "summary", "csv")
}

func TestBadParametersOfFiguresAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{
		fmt.Sprintf("/v1/sites/%v/summary?as_of=2026-02-30", f.site[0]), fmt.Sprintf("/v1/sites/%v/summary?horizon_years=51", f.site[0]),
		fmt.Sprintf("/v1/sites/%v/summary?horizon_years=-1", f.site[0]), fmt.Sprintf("/v1/sites/%v/summary?horizon=1", f.site[0]),
		"/v1/sites/not-a-uuid/summary",
		"/v1/reports/state-of-assets?group_by=colour", "/v1/reports/state-of-assets?per_page=1001", "/v1/reports/state-of-assets?page=0",
		"/v1/reports/state-of-assets?built_since=1970",
	} {
		f.Must(t, http.StatusBadRequest, "GET", path, nil)
	}
	f.Must(t, http.StatusNotFound, "GET", fmt.Sprintf("/v1/sites/%v/summary", f.building[0]), nil)
}
