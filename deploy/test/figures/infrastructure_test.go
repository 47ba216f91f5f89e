package figures

import (
	"fmt"
	"math/big"
	"testing"
)

// stateOfInfrastructure reads the report by service: its categories by their words, and the total.
func (o *organization) stateOfInfrastructure(q question) (categories map[string]map[string]string, total map[string]string) {
	o.t.Helper()
	answer := o.send(200, "GET", "/v1/reports/state-of-infrastructure?group_by=service_category&"+q.query(), nil)
	body := decoded(o.t, string(answer.Body)).(row)
	categories = map[string]map[string]string{}
	for _, group := range body["data"].([]any) {
		categories[shown(group, "key")] = flat(o.t, encoded(o.t, group))
	}
	return categories, flat(o.t, encoded(o.t, body["total"]))
}

// money are the sums that every report has.
var money = []string{"replacement_cost", "deferred_maintenance_cost", "need", "need_without_value"}

// checkInfrastructure compares the report by service with the recount, its categories with its total, and its total with the state of
// assets and the summaries of all networks.
func checkInfrastructure(o *organization, r *recount, q question) {
	o.t.Helper()
	what := "by service, " + q.query()
	categories, total := o.stateOfInfrastructure(q)
	want := r.figures("infrastructure_figures()")
	differences := compare(what+", in total", total, want["total"])
	delete(want, "total")
	for key, figures := range want {
		if categories[key] == nil && empty(figures) {
			continue
		}
		differences = append(differences, compare(fmt.Sprintf("%s, %s", what, key), categories[key], figures)...)
	}
	_, state := o.report("site", q)
	for _, figure := range money {
		byService, apart := new(big.Rat), exact(o.t, state[figure])
		for _, category := range categories {
			byService.Add(byService, exact(o.t, category[figure]))
		}
		for _, id := range r.texts("SELECT id FROM network") {
			summary := o.send(200, "GET", "/v1/infrastructure/networks/"+id+"/summary?"+q.query(), nil)
			apart.Add(apart, exact(o.t, flat(o.t, string(summary.Body))[figure]))
		}
		for sum, name := range map[*big.Rat]string{byService: "the categories", apart: "assets and networks"} {
			if sum.Cmp(exact(o.t, total[figure])) != 0 {
				differences = append(differences, fmt.Sprintf("%s: %s is %s in total, and %s of %s", what, figure, total[figure], sum.FloatString(2),
					name))
			}
		}
	}
	show(o.t, what, differences)
}

func exact(t testing.TB, text string) *big.Rat {
	t.Helper()
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return number
}

func TestTheStateOfInfrastructureAddsUp(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			p := newPortfolio(newOrganization(t), 50+seed)
			p.write()
			if seed > 0 {
				p.findOnSegments(25)
			}
			r := newRecount(t)
			r.load(p.lists())
			for _, q := range []question{{day: today()}, {day: today(), horizon: 5}, {day: "2024-03-31", horizon: 5}} {
				q.saidAlone = q.day != today()
				r.ask(q)
				checkInfrastructure(p.o, r, q)
			}
		})
	}
}

func TestTheDemonstrationOrganizationsAddUpByService(t *testing.T) {
	for _, name := range []string{"Ville de Rivière-Claire", "Northgate District School Board"} {
		t.Run(name, func(t *testing.T) {
			o, r := ofDemonstration(t, name), newRecount(t)
			r.load(o.lists(false))
			q := question{day: today(), horizon: 5}
			r.ask(q)
			checkInfrastructure(o, r, q)
		})
	}
}
