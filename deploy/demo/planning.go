package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// plannedClass is a class of the demonstration organizations: how it deteriorates, and what is done about it.
type plannedClass struct {
	code, french, english string
	service, appliesTo    string
	match                 record
	life                  int
	model                 record
	treatments            []record
}

// treatmentOf is a treatment that costs a part of the replacement.
func (g *generator) treatmentOf(french, english, kind string, pct float64, trigger, effect record) record {
	t := record{"name": g.text(french, english), "kind": kind, "cost_basis": "pct_of_replacement", "cost": pct, "trigger": trigger}
	if effect != nil {
		t["effect"] = effect
	}
	return t
}

// classes are roads, pipes and the equipment of buildings.
func (g *generator) classes() []plannedClass {
	curve := func(end, exponent float64) record {
		return record{"kind": "curve", "end_condition": end, "exponent": exponent}
	}
	replace := func(conditionMax float64) record {
		return g.treatmentOf("Remplacement", "Replacement", "replacement", 100,
			record{"condition_max": conditionMax, "planned_renewal": true}, nil)
	}
	pipes := func(code, french, english, service, class string) plannedClass {
		return plannedClass{code, french, english, service, "segment", record{"network_asset_class": class}, 80, curve(20, 1.6), []record{
			g.treatmentOf("Réhabilitation structurale", "Structural lining", "rehabilitation", 55,
				record{"condition_min": 30, "condition_max": 55, "max_applications": 1}, record{"reset_to": 90}),
			replace(40)}}
	}
	return []plannedClass{
		{"ROUTES", "Chaussées", "Pavement", "roads", "segment", record{"network_asset_class": "road"}, 28, curve(20, 1.4), []record{
			g.treatmentOf("Scellement de fissures", "Crack sealing", "maintenance", 2,
				record{"condition_min": 70, "condition_max": 90, "years_between": 5}, record{"slow": record{"years": 3, "pct": 50}}),
			g.treatmentOf("Resurfaçage", "Resurfacing", "rehabilitation", 38, record{"condition_min": 45, "condition_max": 68, "years_between": 8},
				record{"reset_to": 92}),
			g.treatmentOf("Reconstruction", "Reconstruction", "replacement", 100, record{"condition_max": 45}, nil)}},
		pipes("AQUEDUC", "Conduites d’aqueduc", "Water mains", "water", "water_main"),
		pipes("SANITAIRE", "Égouts sanitaires", "Sanitary sewers", "wastewater", "sanitary_sewer"),
		pipes("PLUVIAL", "Égouts pluviaux", "Storm sewers", "stormwater", "storm_sewer"),
		{"CVC", "Chauffage, ventilation, climatisation", "Heating, ventilation, air conditioning", "facilities", "asset",
			record{"category": "hvac"}, 22, curve(20, 1.2), []record{
				g.treatmentOf("Remise à neuf", "Overhaul", "rehabilitation", 25,
					record{"condition_min": 40, "condition_max": 60, "max_applications": 1}, record{"add_points": 25}), replace(35)}},
		{"ENVELOPPE", "Enveloppe", "Building envelope", "facilities", "asset", record{"category": "shell"}, 30, curve(20, 1.3),
			[]record{replace(35)}},
		{"ELECTRICITE", "Électricité", "Electrical", "facilities", "asset", record{"category": "electrical"}, 30, curve(20, 1.3),
			[]record{replace(35)}},
	}
}

// writePlanning writes the catalogue of lifecycle planning, and the scenarios that a council asks for.
func (w *writer) writePlanning(ctx context.Context, g *generator, today time.Time) error {
	var models, classes, treatments, strategies []record
	all := g.classes()
	for _, c := range all {
		external := g.prefix + "-LCP-" + c.code
		model := record{"external_id": external, "code": c.code, "name": g.text(c.french, c.english)}
		for key, value := range c.model {
			model[key] = value
		}
		models = append(models, model)
		classes = append(classes, record{"external_id": external, "code": c.code,
			"name": g.text(c.french, c.english), "service_category": c.service, "applies_to": c.appliesTo,
			"match": []record{c.match}, "default_useful_life_years": c.life, "model_external_id": external,
			"condition_approach":    "Inspections on the cycle of the class, rated 1 to 5",
			"condition_approach_fr": "Inspections selon le cycle de la classe, cotées de 1 à 5"})
		for n, t := range c.treatments {
			t["external_id"], t["asset_class_external_id"] = fmt.Sprintf("%s-%d", external, n+1), external
			treatments = append(treatments, t)
		}
	}
	if err := w.bulks(ctx, step{"planning/deterioration-models", models}, step{"planning/asset-classes", classes},
		step{"planning/treatments", treatments}); err != nil {
		return err
	}
	for _, c := range all {
		external := g.prefix + "-LCP-" + c.code
		var ids []string
		for n := range c.treatments {
			ids = append(ids, w.id(fmt.Sprintf("%s-%d", external, n+1)))
		}
		strategies = append(strategies, record{"external_id": external, "asset_class_external_id": external,
			"name": g.text("Préserver, puis remplacer", "Preserve, then replace"), "treatment_ids": ids, "is_default": true})
	}
	first := today.Year() + 1
	if err := w.bulks(ctx, step{"planning/strategies", strategies}, step{"planning/scenarios", g.scenarios(first)}); err != nil {
		return err
	}
	run := record{"external_id": g.prefix + "-LCP-RUN", "name": fmt.Sprintf("%s %d", g.text("Conseil, budget", "Council, budget of"), first),
		"scenario_ids": []string{w.id(g.prefix + "-LCP-ACTUEL"), w.id(g.prefix + "-LCP-MAINTENIR")}}
	if _, err := w.bulk(ctx, "planning/runs", []record{run}); err != nil {
		return err
	}
	return w.calculated(ctx, w.id(g.prefix+"-LCP-RUN"))
}

// calculated waits until a run has its results.
func (w *writer) calculated(ctx context.Context, id string) error {
	for {
		var run struct {
			State   string `json:"state"`
			Problem any    `json:"problem"`
		}
		switch err := w.api.do(ctx, http.MethodGet, "/v1/planning/runs/"+id, nil, &run); {
		case err != nil:
			return err
		case run.State == "completed":
			return nil
		case run.State != "queued" && run.State != "running":
			return fmt.Errorf("planning run %s is %s: %v", id, run.State, run.Problem)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// fund is money of each year that an organization renews its assets with.
type fund struct {
	code, source string
	amount       int // in the first year
	growth       float64
	carries      bool
	categories   []string // none: it is for everything
}

// fundsFrom is what an organization has to spend from a year on.
func (g *generator) fundsFrom(first int) []record {
	var all []record
	for _, f := range g.funds {
		r := record{"code": f.code, "source_type": f.source, "growth_pct": f.growth, "carry_over": f.carries,
			"amounts": []record{{"year": first, "amount": f.amount}}}
		if f.categories != nil {
			r["categories"] = f.categories
		}
		all = append(all, r)
	}
	return all
}

// scenarios are the five questions: what happens, what would be best, what today's money does, what keeping the
// level costs, and a better one.
func (g *generator) scenarios(first int) []record {
	scenario := func(code, french, english, kind string, more record) record {
		s := record{"external_id": g.prefix + "-LCP-" + code, "code": code, "name": g.text(french, english), "kind": kind,
			"starts_on": fmt.Sprintf("%d-01-01", first), "years": 25, "inflation_pct": 2.5, "discount_pct": 3}
		for key, value := range more {
			s[key] = value
		}
		return s
	}
	return []record{
		scenario("RIEN", "Ne rien faire", "Do nothing", "do_nothing", nil),
		scenario("ACTUEL", "Budget actuel", "Current budget", "budget", record{"funds": g.fundsFrom(first)}),
		scenario("MAINTENIR", "Maintenir le niveau", "Keep the level", "keep_level", record{"target": record{"metric": "avg_condition"}}),
		scenario("ATTEINDRE", "Atteindre 75 points en 10 ans", "Reach 75 points in 10 years", "reach_target",
			record{"target": record{"metric": "avg_condition", "value": 75, "in_years": 10}}),
		scenario("ILLIMITE", "Sans limite", "Without limits", "unlimited", nil),
	}
}
