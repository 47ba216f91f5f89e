package assets

import (
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// index makes a price index with values by year.
func index(t testing.TB, client *resourcetest.Client, body fields, values map[int]float64) any {
	t.Helper()
	id := client.Create(t, "/v1/price-indexes", body)["id"]
	for year, value := range values {
		client.Create(t, fmt.Sprintf("/v1/price-indexes/%v/values", id), fields{"year": year, "value": value})
	}
	return id
}

var construction = map[int]float64{1990: 52.1, 2026: 168.4}

func TestCostsInPricesOfOneYear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		asset fields
		query string
		want  fields
	}{
		{"brought to the year of the figures", fields{"replacement_cost": 100000, "replacement_cost_year": 1990}, "as_of=2026-07-01",
			fields{"replacement_cost": 323224.57, "as_recorded.count": 0, "as_recorded.cost": 0, "prices_of": 2026, "indexed_through": 2026}},
		{"to the cent", fields{"replacement_cost": 1, "replacement_cost_year": 1990}, "as_of=2026-07-01", fields{"replacement_cost": 3.23}},
		{"back in its own year", fields{"replacement_cost": 100000, "replacement_cost_year": 1990}, "as_of=2026-07-01&prices_of=1990",
			fields{"replacement_cost": 100000, "prices_of": 1990, "as_recorded.count": 0}},
		{"to former prices", fields{"replacement_cost": 323224.57, "replacement_cost_year": 2026}, "as_of=2026-07-01&prices_of=1990",
			fields{"replacement_cost": 100000}},
		{"without a year it stays", fields{"replacement_cost": 100000}, "as_of=2026-07-01",
			fields{"replacement_cost": 100000, "as_recorded.count": 1, "as_recorded.cost": 100000}},
		{"before the index it stays", fields{"replacement_cost": 100000, "replacement_cost_year": 1989}, "as_of=2026-07-01",
			fields{"replacement_cost": 100000, "as_recorded.count": 1}},
		{"to prices before the index it stays", fields{"replacement_cost": 100000, "replacement_cost_year": 1990},
			"as_of=2026-07-01&prices_of=1989", fields{"replacement_cost": 100000, "as_recorded.count": 1, "prices_of": 1989,
				"indexed_through": 2026}},
		{"after the last value the last counts", fields{"replacement_cost": 100000, "replacement_cost_year": 1990}, "as_of=2031-07-01",
			fields{"replacement_cost": 323224.57, "prices_of": 2031, "indexed_through": 2026}},
		{"also for a cost of those years", fields{"replacement_cost": 100000, "replacement_cost_year": 2028}, "as_of=2031-07-01",
			fields{"replacement_cost": 100000, "as_recorded.count": 0}},
		{"a year without a value is that before it", fields{"replacement_cost": 100000, "replacement_cost_year": 2025}, "as_of=2026-07-01",
			fields{"replacement_cost": 323224.57}},
		{"deferred maintenance likewise", fields{"replacement_cost": 100000, "replacement_cost_year": 1990, "deferred_maintenance_cost": 1,
			"planned_renewal_year": 2040}, "as_of=2026-07-01", fields{"deferred_maintenance_cost": 3.23, "need": 3.23}},
		{"a need", fields{"replacement_cost": 100000, "replacement_cost_year": 1990, "planned_renewal_year": 2026}, "as_of=2026-07-01",
			fields{"need": 323224.57, "fci_pct": 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			index(t, f.Client, fields{"name": "Construction", "is_default": true}, construction)
			c.asset["name"], c.asset["building_id"] = "Toit", f.building[0]
			f.Create(t, "/v1/assets", c.asset)
			resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], c.query), c.want)
			state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?"+c.query, nil).JSON
			total := resourcetest.At(state, "total").(fields)
			total["prices_of"], total["indexed_through"] = state["prices_of"], state["indexed_through"]
			resourcetest.Expect(t, total, c.want)
			kinds := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by=category&"+c.query, nil).JSON
			resourcetest.Expect(t, fields{"replacement_cost": sumOf(kinds, "replacement_cost")},
				fields{"replacement_cost": total["replacement_cost"]})
		})
	}
}

// A row's index is that of its service category: an asset's own, else its building's, else its site's, else other.
func TestTheIndexIsThatOfTheServiceCategory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, factor := range map[string]float64{"education": 2, "water": 3, "other": 5, "parks_recreation": 7} {
		index(t, f.Client, fields{"name": name, "service_categories": []string{name}}, map[int]float64{2020: 1, 2026: factor})
	}
	f.at(t, "2026-06-30T09:00:00-04:00", func() {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"building_type": "school"})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[1]),
			fields{"building_type": "arena", "replacement_cost": 1000, "replacement_cost_year": 2020})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/sites/", f.site[0]), fields{"service_category": "water"})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.system[0]),
			fields{"replacement_cost": 1000, "replacement_cost_year": 2020})
	})
	value := func(place string, id any) any {
		return summary(t, f.Client, place, id, "as_of=2026-07-01")["replacement_cost"]
	}
	asset := func(body fields) {
		body["name"], body["replacement_cost"], body["replacement_cost_year"] = "Partie", 10, 2020
		f.Create(t, "/v1/assets", body)
	}
	resourcetest.Expect(t, fields{"a system in a school": value("/v1/systems", f.system[0]),
		"an arena": value("/v1/buildings", f.building[1])},
		fields{"a system in a school": 2000, "an arena": 7000})
	asset(fields{"building_id": f.building[0]})                              // education
	asset(fields{"building_id": f.building[0], "service_category": "water"}) // its own
	asset(fields{"site_id": f.site[0]})                                      // the site's
	asset(fields{"building_id": f.building[0], "service_category": "roads"}) // without an index
	resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], "as_of=2026-07-01"),
		fields{"replacement_cost": 2000 + 20 + 30 + 30 + 10, "as_recorded.count": 1, "as_recorded.cost": 10})
	asset(fields{}) // nowhere: other
	total := resourcetest.At(f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?as_of=2026-07-01", nil).JSON, "total").(fields)
	resourcetest.Expect(t, total, fields{"replacement_cost": 2090 + 7000 + 50, "as_recorded.count": 1})

	// The default counts for what no index names, and reaches as far as its own values.
	id := index(t, f.Client, fields{"name": "Default", "is_default": true}, map[int]float64{2020: 1, 2024: 11})
	got := summary(t, f.Client, "/v1/sites", f.site[0], "as_of=2026-07-01")
	resourcetest.Expect(t, got, fields{"replacement_cost": 2080 + 110, "as_recorded.count": 0, "indexed_through": 2024})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/price-indexes/", id), nil)
	resourcetest.Expect(t, summary(t, f.Client, "/v1/sites", f.site[0], "as_of=2026-07-01"),
		fields{"replacement_cost": 2090, "as_recorded.count": 1, "indexed_through": 2026})
}

func TestAPriceYearFollowsFromTheDayOfACost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	index(t, f.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{2020: 1, 2022: 2, 2026: 10})
	f.Create(t, "/v1/assets", fields{"name": "Toit", "building_id": f.building[0], "replacement_cost": 100,
		"replacement_cost_as_of": "2020-06-30", "deferred_maintenance_cost": 10, "deferred_maintenance_as_of": "2022-06-30"})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "as_of=2026-07-01"),
		fields{"replacement_cost": 1000, "deferred_maintenance_cost": 50, "as_recorded.count": 0})
}

// Whatever is above counts instead of what is inside, so only that is as recorded.
func TestAsRecordedIsAPartOfTheReplacementCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	system, building := fmt.Sprint("/v1/systems/", f.system[0]), fmt.Sprint("/v1/buildings/", f.building[0])
	f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 1})
	f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0], "replacement_cost": 20, "replacement_cost_year": 2026})
	f.Create(t, "/v1/assets", fields{"name": "Mur", "building_id": f.building[0]})
	for _, indexed := range []bool{false, true} {
		if indexed {
			index(t, f.Client, fields{"name": "Construction", "is_default": true}, construction)
		}
		for _, c := range []struct {
			path            string
			body            fields
			count, cost     int
			countIn, costIn int // with an index
		}{
			{system, fields{"replacement_cost": nil}, 2, 21, 1, 1},
			{system, fields{"replacement_cost": 300}, 2, 320, 1, 300},
			{building, fields{"replacement_cost": 4000}, 1, 4000, 1, 4000},
			{building, fields{"replacement_cost_year": 2026}, 1, 4000, 0, 0},
			{building, fields{"replacement_cost": nil, "replacement_cost_year": nil}, 2, 320, 1, 300},
		} {
			if indexed {
				c.count, c.cost = c.countIn, c.costIn
			}
			f.at(t, "2026-06-30T09:00:00-04:00", func() { f.Must(t, http.StatusOK, "PATCH", c.path, c.body) })
			resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "as_of=2026-07-01"),
				fields{"as_recorded.count": c.count, "as_recorded.cost": c.cost})
		}
	}
}

func TestPricesOfAnotherOrganizationAndBadYears(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	index(t, f.Other(), fields{"name": "Construction", "is_default": true}, construction)
	f.Create(t, "/v1/assets", fields{"name": "Toit", "building_id": f.building[0], "replacement_cost": 100, "replacement_cost_year": 1990})
	path := fmt.Sprintf("/v1/buildings/%v/summary", f.building[0])
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path+"?as_of=2026-07-01", nil).JSON,
		fields{"replacement_cost": 100, "prices_of": 2026, "indexed_through": nil, "as_recorded.count": 1})
	for _, query := range []string{"?prices_of=1899", "?prices_of=2201", "?prices_of=x"} {
		f.Must(t, http.StatusBadRequest, "GET", path+query, nil)
		f.Must(t, http.StatusBadRequest, "GET", "/v1/reports/state-of-assets"+query, nil)
	}
}
