package assets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
)

// portfolio is a random one: two sites with a building each, systems in them and elsewhere, and assets anywhere.
type portfolio struct {
	fixture
	random  *rand.Rand
	year    int      // of its figures
	records []string // paths of what has costs
}

// randomCosts are costs to the cent, each of them missing now and then, in prices of any year.
func (p *portfolio) randomCosts() fields {
	body := fields{}
	if p.random.IntN(4) > 0 {
		body["replacement_cost"] = float64(p.random.IntN(100_000_00)) / 100
	}
	if p.random.IntN(2) > 0 {
		body["deferred_maintenance_cost"] = float64(p.random.IntN(30_000_00)) / 100
	}
	if p.random.IntN(2) > 0 {
		body["planned_renewal_year"] = p.year - 4 + p.random.IntN(10)
	}
	if p.random.IntN(2) > 0 {
		body["replacement_cost_year"] = 1985 + p.random.IntN(42)
	}
	return body
}

// newPortfolio makes a portfolio for figures of a year; all of it was entered in 2015.
func newPortfolio(t *testing.T, year int, seed uint64) *portfolio {
	t.Helper()
	p := &portfolio{fixture: newFixture(t), year: year, random: rand.New(rand.NewPCG(15, seed))}
	categories := []any{"hvac", "plumbing", nil}
	systems := []any{p.system[0], p.system[1], p.ofSite, p.nowhere}
	for _, id := range systems {
		body := p.randomCosts()
		body["category"] = categories[p.random.IntN(3)]
		path := fmt.Sprint("/v1/systems/", id)
		p.Must(t, http.StatusOK, "PATCH", path, body)
		p.records = append(p.records, path)
	}
	if p.random.IntN(2) > 0 {
		p.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", p.building[1]), fields{"replacement_cost": 250000.55,
			"replacement_cost_year": 2001, "building_type": "school"})
	}
	places := []fields{{"system_id": p.system[0]}, {"system_id": p.system[1]}, {"system_id": p.ofSite}, {"system_id": p.nowhere},
		{"building_id": p.building[0]}, {"building_id": p.building[1]}, {"site_id": p.site[1]}, {},
		{"system_id": p.ofSite, "building_id": p.building[0]}}
	for i := range 24 {
		body := p.randomCosts()
		for field, id := range places[p.random.IntN(len(places))] {
			body[field] = id
		}
		body["name"], body["category"] = fmt.Sprint("Partie ", i), categories[p.random.IntN(3)]
		if p.random.IntN(6) == 0 {
			body["status"] = "decommissioned"
		}
		if p.random.IntN(3) > 0 {
			body["condition_rating"], body["condition_assessed_on"] = 1+p.random.IntN(5), "2014-05-01"
		}
		p.records = append(p.records, fmt.Sprint("/v1/assets/", p.Create(t, "/v1/assets", body)["id"]))
	}
	p.happened(t, time.Time{}, "2015-03-01T12:00:00-05:00")
	return p
}

func (p *portfolio) state(t *testing.T, query string) fields {
	t.Helper()
	path := fmt.Sprintf("/v1/reports/state-of-assets?per_page=1000&as_of=%d-07-01&%s", p.year, query)
	return p.Must(t, http.StatusOK, "GET", path, nil).JSON
}

// cents are an amount of money as a whole number.
func cents(amount any) int64 { return int64(math.Round(amount.(float64) * 100)) }

// Groups add up to the whole to the cent, on days that are over and on days to come: those of places in every amount, those of kinds in
// all that appraisals have no part in.
func TestGroupsAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("portfolio ", seed), func(t *testing.T) {
			p := newPortfolio(t, []int{2026, 2126}[seed/2], seed)
			if seed%2 > 0 {
				index(t, p.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{1990: 52.1, 2003: 77.7, 2026: 168.4})
			}
			for groupBy := range groupings {
				amounts := []string{"need", "deferred_maintenance_cost"}
				if groupings[groupBy].ofAsset == "" {
					amounts = append(amounts, "replacement_cost", "need_without_value", "as_recorded.cost", "replacement_cost_basis.systems")
				}
				for _, horizon := range []int{0, 5} {
					state := p.state(t, fmt.Sprintf("group_by=%s&horizon_years=%d", groupBy, horizon))
					for _, amount := range amounts {
						var sum int64
						for _, group := range state["data"].([]any) {
							sum += cents(resourcetest.At(group.(fields), amount))
						}
						if total := cents(resourcetest.At(state, "total."+amount)); sum != total {
							t.Errorf("%s by %s: the groups make %d, the whole is %d", amount, groupBy, sum, total)
						}
					}
				}
			}
		})
	}
}

// While values stay, a change by which the need rises does not let the FCI fall: more deferred maintenance, or an earlier renewal, of an
// asset or a system, or a longer horizon.
func TestTheFCINeverFallsWhenTheNeedRises(t *testing.T) {
	t.Parallel()
	rises := 0
	for seed := range uint64(testnight.Rounds(2, 4)) {
		p := newPortfolio(t, 2126, 100+seed)
		before := resourcetest.At(p.state(t, ""), "total").(fields)
		compare := func(what string, after fields) {
			t.Helper()
			if after["replacement_cost"] != before["replacement_cost"] {
				t.Fatalf("portfolio %d: %s changed the replacement cost", seed, what)
			}
			if cents(after["need"]) > cents(before["need"]) {
				rises++
				if after["fci_pct"].(float64) < before["fci_pct"].(float64) {
					t.Errorf("portfolio %d: %s raised the need from %v to %v, and the FCI fell from %v to %v", seed, what,
						before["need"], after["need"], before["fci_pct"], after["fci_pct"])
				}
			}
			if cents(after["need_without_value"]) < 0 || cents(after["need_without_value"]) > cents(after["need"]) {
				t.Errorf("portfolio %d: of the need %v, %v is without value", seed, after["need"], after["need_without_value"])
			}
			before = after
		}
		for range 40 {
			path := p.records[p.random.IntN(len(p.records))]
			record := p.Must(t, http.StatusOK, "GET", path, nil).JSON
			body := fields{"deferred_maintenance_cost": float64(p.random.IntN(60_000_00)) / 100}
			if was, given := record["deferred_maintenance_cost"].(float64); given {
				body["deferred_maintenance_cost"] = float64(cents(was)+p.random.Int64N(40_000_00)) / 100
			}
			if p.random.IntN(2) > 0 {
				body = fields{"planned_renewal_year": 2126}
			}
			p.Must(t, http.StatusOK, "PATCH", path, body)
			compare(fmt.Sprintf("%v of %s", body, path), resourcetest.At(p.state(t, ""), "total").(fields))
		}
		for horizon := range 6 {
			compare(fmt.Sprintf("a horizon of %d", horizon), resourcetest.At(p.state(t, fmt.Sprint("horizon_years=", horizon)), "total").(fields))
		}
	}
	if rises < 30 {
		t.Errorf("only %d changes raised the need", rises)
	}
}
