package assets

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// place is where the records of a case stand, by its name: "system" or "building".
func (f fixture) place(name string) fields {
	return map[string]fields{"system": {"system_id": f.system[0]}, "building": {"building_id": f.building[0]}}[name]
}

func TestNeedOfASystemWithEverythingInside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		system fields
		assets []fields
		want   fields
	}{
		{"a renewal counts behind the system's own deferred maintenance", fields{"deferred_maintenance_cost": 0},
			[]fields{{"replacement_cost": 400000, "planned_renewal_year": 2020}},
			fields{"need": 400000, "fci_pct": 100, "fci_grade": "critical", "deferred_maintenance_cost": 0, "need_without_value": 0}},
		{"renewing an asset takes its share of the system's deferred maintenance away", fields{"deferred_maintenance_cost": 44169},
			[]fields{{"replacement_cost": 71000, "deferred_maintenance_cost": 5000, "planned_renewal_year": 2026}},
			fields{"need": 110169, "fci_pct": 155.17, "deferred_maintenance_cost": 44169}},
		{"without deferred maintenance of its own", fields{},
			[]fields{{"replacement_cost": 71000, "deferred_maintenance_cost": 5000, "planned_renewal_year": 2026},
				{"replacement_cost": 29000, "deferred_maintenance_cost": 3000}},
			fields{"need": 74000, "fci_pct": 74, "deferred_maintenance_cost": 8000}},
		{"its own renewal", fields{"replacement_cost": 500000, "planned_renewal_year": 2026},
			[]fields{{"replacement_cost": 71000, "deferred_maintenance_cost": 5000, "planned_renewal_year": 2026},
				{"deferred_maintenance_cost": 3000}},
			fields{"need": 500000, "fci_pct": 100, "need_without_value": 0}},
		{"without assets", fields{"deferred_maintenance_cost": 5000}, nil,
			fields{"need": 5000, "need_without_value": 5000, "fci_pct": nil}},
		{"assets that do not count", fields{"deferred_maintenance_cost": 5000},
			[]fields{{"replacement_cost": 400000, "planned_renewal_year": 2020, "status": "decommissioned"}}, fields{"need": 5000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.system[0]), c.system)
			for i, asset := range c.assets {
				asset["name"], asset["system_id"] = fmt.Sprint("Partie ", i), f.system[0]
				f.Create(t, "/v1/assets", asset)
			}
			for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": f.system[0]} {
				resourcetest.Expect(t, summary(t, f.Client, path, id, "as_of=2126-07-01"), c.want)
			}
			for _, groupBy := range []string{"site", "category"} {
				state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?as_of=2126-07-01&group_by="+groupBy, nil).JSON
				resourcetest.Expect(t, resourcetest.At(state, "total").(fields), c.want)
				resourcetest.Expect(t, map[string]any{"need": sumOf(state, "need")}, fields{"need": c.want["need"]})
			}
		})
	}
}

// sumOf adds up a field of the groups of a report.
func sumOf(state fields, field string) float64 {
	sum := 0.0
	for _, group := range state["data"].([]any) {
		sum += group.(fields)[field].(float64)
	}
	return sum
}

func TestNeedWithoutAValueIsLeftOutOfTheFCI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, place      string
		system, building fields
		want             fields
	}{
		{"beside an asset with a cost", "building", nil, nil, fields{"need_without_value": 40000, "fci_pct": 0, "fci_grade": "good"}},
		{"beside it in a system", "system", nil, nil, fields{"need_without_value": 40000, "fci_pct": 0}},
		{"in an appraised building", "building", nil, fields{"replacement_cost": 1000000}, fields{"need_without_value": 0, "fci_pct": 4}},
		{"in a system of an appraised building", "system", nil, fields{"replacement_cost": 1000000},
			fields{"need_without_value": 0, "fci_pct": 4}},
		{"in a system with a cost of its own", "system", fields{"replacement_cost": 200000}, nil,
			fields{"need_without_value": 0, "fci_pct": 20}},
		{"in a system whose own deferred maintenance has it", "system", fields{"deferred_maintenance_cost": 40000}, nil,
			fields{"need_without_value": 0, "fci_pct": 40}},
		{"in a building that is appraised at nothing", "building", nil, fields{"replacement_cost": 0},
			fields{"need_without_value": 40000, "fci_pct": 0}},
		{"in a system with a cost of 0", "system", fields{"replacement_cost": 0}, nil, fields{"need_without_value": 40000, "fci_pct": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.system != nil {
				f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.system[0]), c.system)
			}
			if c.building != nil {
				f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), c.building)
			}
			for name, asset := range map[string]fields{"A": {"replacement_cost": 100000}, "B": {"deferred_maintenance_cost": 40000}} {
				asset["name"] = name
				for field, id := range f.place(c.place) {
					asset[field] = id
				}
				f.Create(t, "/v1/assets", asset)
			}
			got := summary(t, f.Client, "/v1/buildings", f.building[0], "as_of=2126-07-01")
			resourcetest.Expect(t, got, c.want)
			resourcetest.Expect(t, got, fields{"need": 40000, "deferred_maintenance_cost": 40000})
			resourcetest.Expect(t, portfolioIndicators(t, f.Client, fields{"as_of": "2126-07-01"}), fields{"fci_pct": c.want["fci_pct"]})
		})
	}
	f := newFixture(t)
	f.Create(t, "/v1/assets", fields{"name": "B", "building_id": f.building[0], "deferred_maintenance_cost": 40000})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], ""), fields{"need": 40000, "fci_pct": nil, "fci_grade": nil})
}

func TestValuesBelowTheRenewalsInsideAreCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	system, building := fmt.Sprint("/v1/systems/", f.system[0]), fmt.Sprint("/v1/buildings/", f.building[0])
	f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 100, "planned_renewal_year": 2026})
	f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0], "replacement_cost": 50, "planned_renewal_year": 2028})
	for _, c := range []struct {
		path    string
		cost    any
		horizon int
		want    int
	}{
		{system, 100, 0, 0}, {system, 99.99, 0, 1}, {building, 149.99, 0, 1}, {building, 149.99, 2, 2}, {building, 99.99, 0, 2},
		{system, nil, 0, 1}, {building, nil, 0, 0},
	} {
		f.at(t, "2026-06-30T09:00:00-04:00", func() {
			f.Must(t, http.StatusOK, "PATCH", c.path, fields{"replacement_cost": c.cost})
		})
		got := summary(t, f.Client, "/v1/sites", f.site[0], fmt.Sprint("as_of=2026-07-01&horizon_years=", c.horizon))
		resourcetest.Expect(t, got, fields{"data_quality.value_below_need": c.want})
	}
}

func TestMeansByReplacementCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, asset := range []fields{
		{"condition_rating": 5, "condition_assessed_on": "2026-06-30", "replacement_cost": 50000000, "install_date": "2006-07-01"},
		{"condition_rating": 1, "condition_assessed_on": "2026-06-30", "replacement_cost": 100, "install_date": "2026-07-01"},
		{"condition_rating": 3, "condition_assessed_on": "2026-06-30"},
		{"replacement_cost": 90000000}, // one without a cost and one without a rating or an age weigh nothing
	} {
		asset["name"], asset["building_id"] = fmt.Sprint("Partie ", i), f.building[0]
		f.Create(t, "/v1/assets", asset)
	}
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "as_of=2026-07-01"), fields{
		"average_condition_rating": 3, "weighted_condition_rating": 5, "average_age_years": 10, "weighted_age_years": 20})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[1], ""), fields{
		"weighted_condition_rating": nil, "weighted_age_years": nil})
}

func TestLifeIsOverByDaysInListsFiltersAndSummaries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "install_date": "2001-11-10",
		"expected_useful_life_years": 25})["id"]
	for day, want := range map[string]int{"2026-11-10": 0, "2026-11-11": 1} {
		resourcetest.Expect(t, summary(t, f.Client, "/v1/systems", f.system[0], "as_of="+day), fields{"past_useful_life.assets": want})
		request := fields{"as_of": day}
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", "/internal/assets/figures", request).JSON,
			fields{"pct_past_useful_life": want * 100})
	}
	// Today is the last day of its life, and then the first after it.
	for days, want := range map[int]bool{0: false, 1: true} {
		day, err := time.Parse(time.DateOnly, resource.Today(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		day = day.AddDate(-25, 0, -days)
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", asset),
			fields{"install_date": day.Format(time.DateOnly), "install_year": nil})
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON,
			fields{"past_useful_life": want, "remaining_life_years": 0})
		for filter, found := range map[string]bool{"true": want, "false": !want} {
			if list, _ := f.List(t, "/v1/assets?past_useful_life="+filter); (len(list) == 1) != found {
				t.Errorf("%d days after its life, past_useful_life=%s finds %d", days, filter, len(list))
			}
		}
	}
}

func TestACostOfZeroIsNoAppraisal(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"buildings", "systems"} {
		f := newFixture(t)
		f.Create(t, "/v1/assets", fields{"name": "Chaudière", "system_id": f.system[0], "replacement_cost": 100000,
			"deferred_maintenance_cost": 10000})
		assetsOnly := *f.Client
		assetsOnly.Principal.Scopes = []string{"assets:read"}
		at := fmt.Sprint("/v1/", place, "/", map[string]any{"buildings": f.building[0], "systems": f.system[0]}[place])
		for _, cost := range []any{nil, 0} {
			f.Must(t, http.StatusOK, "PATCH", at, fields{"replacement_cost": cost})
			want := fields{"replacement_cost": 100000, "need": 10000, "need_without_value": 0, "fci_pct": 10, "fci_grade": "fair"}
			zeros := fields{"data_quality.zero_replacement_cost": map[any]int{nil: 0, 0: 1}[cost]}
			for _, asOf := range []string{"", "&as_of=2126-07-01", "&as_of=2126-07-01&prices_of=2030"} {
				got := summary(t, f.Client, "/v1/buildings", f.building[0], "horizon_years=0"+asOf)
				resourcetest.Expect(t, got, want)
				resourcetest.Expect(t, got, zeros)
				for _, group := range []string{"category", "building"} {
					path := "/v1/reports/state-of-assets?group_by=" + group + asOf
					total := f.Must(t, http.StatusOK, "GET", path, nil).JSON["total"].(fields)
					resourcetest.Expect(t, total, want)
					resourcetest.Expect(t, total, zeros)
				}
				state := assetsOnly.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?horizon_years=0"+asOf, nil).JSON
				resourcetest.Expect(t, state["total"].(fields), want)
			}
		}
	}
	f := newFixture(t) // of an asset it is a value of nothing, as ever
	f.Create(t, "/v1/assets", fields{"name": "Rampe", "building_id": f.building[0], "replacement_cost": 0, "deferred_maintenance_cost": 500})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], ""), fields{"replacement_cost": 0, "need_without_value": 500,
		"fci_pct": nil, "data_quality.zero_replacement_cost": 1})
}
