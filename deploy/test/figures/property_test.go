package figures

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAPastDayDoesNotChangeWithWhatComesLater(t *testing.T) {
	const day = "2025-06-30"
	o := newOrganization(t)
	c, p := newClock(o), newPortfolio(o, 7)
	c.entered(day+"T12:00:00-04:00", p.write)
	read := func() (groups map[string]map[string]map[string]string) {
		groups = map[string]map[string]map[string]string{}
		for _, groupBy := range groupings {
			found, total := o.report(groupBy, question{day: day, horizon: 5})
			found["in total"] = total
			groups[groupBy] = found
		}
		return groups
	}
	before := read()
	c.entered("2026-02-01T12:00:00-05:00", func() {
		for _, id := range p.assets {
			if p.often(50) {
				p.o.create("/v1/assets/"+id+"/condition-assessments", row{"assessed_on": "2026-01-15", "condition_rating": 5, "method": "detailed",
					"replacement_cost": 99_000.01, "deferred_maintenance_cost": 12_000})
			}
			if p.often(50) {
				p.o.patch("/v1/assets/"+id, row{"planned_renewal_year": 2026, "category": "shell", "expected_useful_life_years": 3,
					"consequence_of_failure": 5})
			}
		}
		for _, id := range p.systems {
			p.o.patch("/v1/systems/"+id, row{"deferred_maintenance_cost": 1234.56, "planned_renewal_year": 2026, "replacement_cost": 5})
		}
		for _, id := range p.buildings {
			p.o.patch("/v1/buildings/"+id, row{"replacement_cost": 77.77, "replacement_cost_year": 2026})
		}
		p.o.bulk("/v1/assets", []row{{"name": "New", "install_date": "2026-01-20", "replacement_cost": 5_000_000, "site_id": p.sites[0]}})
	})
	after := read()
	for _, groupBy := range groupings {
		var differences []string
		for key, figures := range before[groupBy] {
			delete(figures, "counts.assets_left_out") // what was not there yet is left out
			differences = append(differences, compare(key, after[groupBy][key], figures)...)
		}
		show(t, "by "+groupBy, differences)
	}
}

// sums are the figures of groups that add up to the total's.
var sums = []string{"counts.systems", "counts.assets", "need", "deferred_maintenance_cost", "past_useful_life.assets",
	"past_useful_life.replacement_cost", "condition_distribution.poor.assets", "condition_distribution.unknown.replacement_cost"}

func TestGroupsAddUpToTheWhole(t *testing.T) {
	p := newPortfolio(newOrganization(t), 11)
	p.write()
	p.findDeficiencies(40)
	for _, day := range []string{today(), "2024-03-31", "2016-06-30"} {
		for _, groupBy := range groupings {
			groups, total := p.o.report(groupBy, question{day: day, horizon: 5})
			figures := sums
			if !slices.Contains(kinds, groupBy) {
				figures = append([]string{"replacement_cost", "replacement_cost_basis.buildings", "replacement_cost_basis.systems",
					"replacement_cost_basis.assets", "need_without_value", "counts.buildings"}, sums...)
			}
			for _, figure := range figures {
				sum := new(big.Rat)
				for _, group := range groups {
					sum.Add(sum, exact(t, group[figure]))
				}
				if got := sum.FloatString(2); !same(got, total[figure]) {
					t.Errorf("by %s as of %s: %s of the groups is %s, of the whole %s", groupBy, day, figure, got, total[figure])
				}
			}
		}
	}
}

func TestFCINeverFallsWhenNeedRises(t *testing.T) {
	o := newOrganization(t)
	p := newPortfolio(o, 13)
	p.write()
	read := func() (need, fci *big.Rat) {
		_, total := o.report("site", question{day: today(), horizon: 2})
		return exact(t, total["need"]), exact(t, total["fci_pct"])
	}
	first, fci := read()
	need := first
	for _, id := range p.assets[:25] {
		deferred, _ := new(big.Rat).SetString(shown(o.get("/v1/assets/"+id), "deferred_maintenance_cost"))
		if deferred == nil {
			deferred = new(big.Rat)
		}
		more, _ := deferred.Add(deferred, big.NewRat(int64(p.random.IntN(5_000_000)), 100)).Float64()
		o.patch("/v1/assets/"+id, row{"deferred_maintenance_cost": more})
		nextNeed, nextFCI := read()
		if nextNeed.Cmp(need) < 0 || nextFCI.Cmp(fci) < 0 {
			t.Errorf("asset %s has %.2f deferred: need %s after %s, FCI %s after %s", id, more, nextNeed.FloatString(2), need.FloatString(2),
				nextFCI.FloatString(2), fci.FloatString(2))
		}
		need, fci = nextNeed, nextFCI
	}
	if need.Cmp(first) <= 0 {
		t.Error("no need has risen")
	}
}

func TestTheOrderOfStatementsDoesNotMatter(t *testing.T) {
	o := newOrganization(t)
	random := rand.New(rand.NewPCG(17, 1))
	for i := range 8 {
		p := newPortfolio(o, uint64(100+i))
		statements := make([]func(id string), 0, 6)
		for j := range 4 {
			assessment := row{"assessed_on": p.day(2015, 2025), "condition_rating": 1 + p.random.IntN(5),
				"method": p.pick("detailed", "visual", "age_based", "reported")}
			p.some(50, assessment, "replacement_cost", p.money(100_000))
			p.some(50, assessment, "deferred_maintenance_cost", p.money(10_000))
			assessment["assessed_on"] = fmt.Sprintf("%d-%02d-05", 2012+3*j, 1+p.random.IntN(12)) // no two on one day
			statements = append(statements, func(id string) { o.create("/v1/assets/"+id+"/condition-assessments", assessment) })
		}
		cost := row{"replacement_cost": p.money(100_000), "replacement_cost_as_of": p.day(2013, 2025), "replacement_cost_year": 2020}
		deferred := row{"deferred_maintenance_cost": p.money(10_000), "deferred_maintenance_as_of": p.day(2013, 2025)}
		statements = append(statements,
			func(id string) { o.patch("/v1/assets/"+id, cost) }, func(id string) { o.patch("/v1/assets/"+id, deferred) })
		records := map[string]string{}
		for try := range 3 {
			id := o.create("/v1/assets", row{"name": fmt.Sprintf("Asset %d-%d", i, try)})
			random.Shuffle(len(statements), func(a, b int) { statements[a], statements[b] = statements[b], statements[a] })
			for _, say := range statements {
				say(id)
			}
			asset, text := o.get("/v1/assets/"+id), ""
			for _, field := range []string{"condition_rating", "condition_assessed_on", "condition_method", "reported_condition_rating",
				"replacement_cost", "replacement_cost_year", "replacement_cost_as_of", "deferred_maintenance_cost", "deferred_maintenance_as_of"} {
				text += field + " " + shown(asset, field) + ", "
			}
			records[text] = id
		}
		if len(records) != 1 {
			t.Errorf("the same statements in three orders: %v", records)
		}
	}
}
