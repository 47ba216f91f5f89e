package assets

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
)

// figures are all figures of the portfolio: the summaries of its places and systems, and the groups and totals of the reports, without
// what without names.
func (p *portfolio) figures(t *testing.T, query string, without ...string) map[string]fields {
	t.Helper()
	all := map[string]fields{}
	add := func(name string, figures fields) {
		for _, field := range without {
			delete(figures, field)
		}
		all[name] = figures
	}
	for path, ids := range map[string][]any{
		"/v1/sites": p.site[:], "/v1/buildings": p.building[:], "/v1/systems": {p.system[0], p.system[1], p.ofSite, p.nowhere},
	} {
		for _, id := range ids {
			add(fmt.Sprint(path, "/", id), summary(t, p.Client, path, id, query))
		}
	}
	report := func(name string, report fields) {
		add(name, report["total"].(fields))
		for _, group := range report["data"].([]any) {
			if resourcetest.At(group.(fields), "counts").(fields)["assets"] != 0.0 {
				add(fmt.Sprint(name, " ", group.(fields)["id"], group.(fields)["key"]), group.(fields))
			}
		}
	}
	for groupBy := range groupings {
		report(groupBy, p.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?per_page=1000&group_by="+groupBy+"&"+query, nil).JSON)
	}
	report("service", stateReport(t, p.Client, query))
	return all
}

// same compares figures of two days, or of one day before and after something.
func same(t *testing.T, what string, got, want map[string]fields) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: %s is\n%v, not\n%v", what, name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d figures, not %d", what, len(got), len(want))
	}
}

// retire takes out of use, with a day: an asset; or also a system of the site, with assets in a building; or also a site, or a building.
func (p *portfolio) retire(t *testing.T, seed uint64) {
	t.Helper()
	demolished := fmt.Sprint("/v1/buildings/", p.building[0])
	for _, gone := range [][]struct{ path, status string }{
		{{p.records[5], "decommissioned"}},
		{{p.records[5], "decommissioned"}, {fmt.Sprint("/v1/systems/", p.ofSite), "decommissioned"},
			{fmt.Sprint("/v1/sites/", p.site[1]), "disposed"}},
		{{p.records[6], "decommissioned"}, {demolished, "closed"}, {demolished, "demolished"}},
	}[seed] {
		body := fields{"status": gone.status}
		if gone.status != "closed" {
			body["out_of_use_on"] = "2026-05-01"
		}
		p.Must(t, http.StatusOK, "PATCH", gone.path, body)
	}
}

// Where nothing has changed since, the figures of yesterday are those of today.
func TestYesterdayIsAsToday(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testnight.Rounds(2, 3)) {
		t.Run(fmt.Sprint("portfolio ", seed), func(t *testing.T) {
			p := newPortfolio(t, 2026, 300+seed)
			p.retire(t, seed)
			if seed > 0 {
				index(t, p.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{1990: 52.1, 2003: 77.7, 2026: 168.4})
				index(t, p.Client, fields{"name": "Écoles", "service_categories": []string{"education"}}, map[int]float64{1980: 1, 2026: 3})
			}
			p.happened(t, time.Time{}, "2020-01-01T12:00:00-05:00")
			query := "horizon_years=50&prices_of=2026&as_of="
			yesterday := p.figures(t, query+daysAgo(1), "as_of", "basis")
			same(t, "yesterday", yesterday, p.figures(t, query+resource.Today(t.Context()), "as_of", "basis"))
		})
	}
}

// The summary of a site, and of a building without a part in systems of its site, is its group of the whole.
func TestPlacesOfAPastDayAreTheirGroups(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testnight.Rounds(2, 3)) {
		p := newPortfolio(t, 2026, 400+seed)
		move := fields{"building_id": p.building[0]}
		p.at(t, "2026-09-01T12:00:00-04:00", func() {
			p.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", p.system[1]), move)
			p.Must(t, http.StatusOK, "PATCH", p.records[4], fields{"system_id": nil, "building_id": p.building[1]})
		})
		for groupBy, ids := range map[string][]any{"site": p.site[:], "building": {p.building[1]}} {
			for _, day := range []string{"2014-12-31", "2026-07-01", "2026-08-31"} {
				state := p.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by="+groupBy+"&as_of="+day, nil).JSON
				for _, id := range ids {
					group := groupOf(t, state, "id", id)
					got := summary(t, p.Client, "/v1/"+groupBy+"s", id, "as_of="+day)
					for field := range got {
						if _, shared := group[field]; !shared {
							delete(got, field)
						}
					}
					for _, field := range []string{"key", "site_id", "site_name"} { // summaries have none
						delete(group, field)
					}
					same(t, fmt.Sprintf("portfolio %d, %s on %s", 400+seed, groupBy, day), map[string]fields{"place": got},
						map[string]fields{"place": group})
				}
			}
		}
	}
}

// What is written today, and what is said of later days, does not change the figures of a day that is over; only how much is hindsight.
func TestLaterFactsDoNotChangeAPastDay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testnight.Rounds(2, 3)) {
		t.Run(fmt.Sprint("portfolio ", seed), func(t *testing.T) {
			p := newPortfolio(t, 2026, 500+seed)
			query := "horizon_years=1&prices_of=2026&as_of=2026-07-01"
			hindsight := []string{"basis", "data_gaps"}
			before := p.figures(t, query, hindsight...)
			for i := range 30 {
				p.write(t, i)
			}
			after := p.figures(t, query, hindsight...)
			for _, all := range []map[string]fields{before, after} { // assets that were installed later are left out
				for _, figures := range all {
					counts := figures["counts"].(fields)
					delete(counts, "assets_left_out")
					delete(counts, "left_out")
				}
			}
			same(t, "afterwards", after, before)
		})
	}
}

// write enters something of a day after 1 July 2026.
func (p *portfolio) write(t *testing.T, i int) {
	t.Helper()
	path := p.records[p.random.IntN(len(p.records))]
	asset := p.records[4+p.random.IntN(24)]
	places := []fields{{"system_id": p.system[0]}, {"system_id": p.system[1]}, {"system_id": p.nowhere, "building_id": nil, "site_id": nil},
		{"system_id": nil, "building_id": p.building[0]}, {"system_id": nil, "building_id": nil, "site_id": p.site[1]}}
	switch i % 6 {
	case 0:
		body := p.randomCosts()
		body["replacement_cost"], body["deferred_maintenance_cost"] = p.random.IntN(1000), p.random.IntN(1000)
		p.Must(t, http.StatusOK, "PATCH", path, body)
	case 1:
		body := places[p.random.IntN(len(places))]
		body["category"], body["condition_rating"] = "hvac", 1+p.random.IntN(5)
		p.Must(t, http.StatusOK, "PATCH", asset, body)
	case 2:
		p.Create(t, asset+"/condition-assessments", fields{"assessed_on": fmt.Sprint("2026-08-", 10+i%20),
			"condition_rating": 1 + p.random.IntN(5), "replacement_cost": p.random.IntN(1000), "deferred_maintenance_cost": p.random.IntN(1000)})
	case 3:
		p.Must(t, http.StatusOK, "PATCH", asset, fields{"replacement_cost": p.random.IntN(1000), "replacement_cost_as_of": "2026-07-02",
			"consequence_of_failure": 5, "probability_of_failure": 5})
	case 4:
		p.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Neuf ", i), "building_id": p.building[i%2], "install_date": "2026-07-02",
			"replacement_cost": 1000, "condition_rating": 3, "condition_assessed_on": "2026-07-02"})
	case 5:
		if p.Must(t, http.StatusOK, "GET", asset, nil).JSON["status"] == "in_service" {
			p.Must(t, http.StatusOK, "PATCH", asset, fields{"status": "decommissioned", "out_of_use_on": "2026-07-02"})
		}
		p.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", p.building[0]), fields{"replacement_cost": 1 + p.random.IntN(1000)})
		p.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", p.system[i%2]), fields{"category": "plumbing"})
	}
}
