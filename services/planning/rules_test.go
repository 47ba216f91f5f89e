package planning

import (
	"net/http"
	"testing"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

func TestModelsHaveWhatTheirKindAsksFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	shown := f.Create(t, pathOf("deterioration_models"), fields{"name": "Droite", "kind": "curve"})
	resourcetest.Expect(t, shown, fields{"code": "DET-0001", "end_condition": nil, "exponent": nil})
	row := func(p ...float64) fields { return fields{"probabilities": p} }
	f.make(t, "deterioration_models", fields{"name": "Ponts", "kind": "markov",
		"matrix": []any{row(.9, .1, 0, 0, 0), row(0, .8, .2, 0, 0), row(0, 0, .7, .3, 0), row(0, 0, 0, .6, .4), row(0, 0, 0, 0, 1)}})
	f.make(t, "deterioration_models", fields{"name": "Égouts", "kind": "markov", "median_years": []float64{12, 9, 7, 5}})
	points := func(p ...float64) []any {
		var list []any
		for i := 0; i < len(p); i += 2 {
			list = append(list, fields{"life_pct": p[i], "condition": p[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"exponent", "is for models of the kind curve; this one is a weibull", fields{"kind": "weibull", "shape": 2, "exponent": 2}},
		{"shape", "is required for weibull", fields{"kind": "weibull"}},
		{"points", "must be two or more", fields{"kind": "table"}},
		{"points[0]", "must be {\"life_pct\": 0, \"condition\": 100}", fields{"kind": "table", "points": points(10, 100, 100, 20)}},
		{"points[2].condition", "must be below 60", fields{"kind": "table", "points": points(0, 100, 50, 60, 100, 70)}},
		{"points[2].life_pct", "must be above 50", fields{"kind": "table", "points": points(0, 100, 50, 60, 50, 50)}},
		{"matrix", "exactly one of matrix, mean_years and median_years", fields{"kind": "markov"}},
		{"matrix", "exactly one of", fields{"kind": "markov", "mean_years": []float64{9, 8, 7, 6}, "median_years": []float64{9, 8, 7, 6}}},
		{"mean_years", "must have 4 numbers", fields{"kind": "markov", "mean_years": []float64{9, 8}}},
		{"matrix", "must have 5 rows", fields{"kind": "markov", "matrix": []any{row(1, 0, 0, 0, 0)}}},
		{"matrix[1].probabilities", "must sum to 1; they sum to 0.9", fields{"kind": "markov",
			"matrix": []any{row(1, 0, 0, 0, 0), row(0, .9, 0, 0, 0), row(0, 0, 1, 0, 0), row(0, 0, 0, 1, 0), row(0, 0, 0, 0, 1)}}},
		{"matrix[4].probabilities", "nothing gets better by itself", fields{"kind": "markov",
			"matrix": []any{row(1, 0, 0, 0, 0), row(0, 1, 0, 0, 0), row(0, 0, 1, 0, 0), row(0, 0, 0, 1, 0), row(.1, 0, 0, 0, .9)}}},
	} {
		c.body["name"] = "X"
		f.refused(t, "deterioration_models", c.field, c.words, c.body)
	}
}

func TestClassesMatchByTestsThatTheirRecordsCanMeet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	shown := f.Create(t, pathOf("asset_classes"), fields{"name": "Toits", "service_category": "facilities", "applies_to": "asset"})
	resourcetest.Expect(t, shown, fields{"code": "CLS-0001", "default_consequence": 3, "failure_cost_pct": 100, "currency": "CAD"})
	curve := f.make(t, "deterioration_models", fields{"name": "Courbe", "kind": "curve"})
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"match[0]", "must have a test", fields{"match": []any{fields{}}}},
		{"match[1].material", "is no field of an asset", fields{"match": []any{fields{"category": "roof"}, fields{"material": "PVC"}}}},
		{"unit", "is required with unit_cost", fields{"unit_cost": 12}},
		{"bands", "must be 4 conditions", fields{"bands": []float64{80, 60}}},
		{"bands[2]", "must be below 60", fields{"bands": []float64{80, 60, 60, 40}}},
		{"failure_model_id", "must be a model of the kind weibull; this one is a curve", fields{"failure_model_id": curve}},
	} {
		for key, value := range map[string]any{"name": "X", "service_category": "facilities", "applies_to": "asset"} {
			c.body[key] = value
		}
		f.refused(t, "asset_classes", c.field, c.words, c.body)
	}
}

func TestTreatmentsDoWhatTheirClassTakes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ages := f.class(t, "Routes", fields{"model_id": f.make(t, "deterioration_models", fields{"name": "Courbe", "kind": "curve"})})
	moves := f.class(t, "Ponts",
		fields{"model_id": f.make(t, "deterioration_models", fields{"name": "États", "kind": "markov", "mean_years": []float64{9, 8, 7, 6}})})
	f.make(t, "treatments", fields{"asset_class_id": ages, "name": "Fissures", "kind": "maintenance", "cost_basis": "fixed", "cost": 900,
		"trigger": fields{}, "effect": fields{"slow": fields{"years": 4, "pct": 50}}})
	f.make(t, "treatments", fields{"asset_class_id": moves, "name": "Remplacer", "kind": "replacement", "cost_basis": "pct_of_replacement",
		"cost": 100, "trigger": fields{"planned_renewal": true}})
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"effect.improve_states", "use reset_to or add_points", fields{"effect": fields{"improve_states": 1}}},
		{"effect.add_points", "use reset_to or improve_states", fields{"asset_class_id": moves, "effect": fields{"add_points": 10}}},
		{"effect", "must be exactly one of", fields{}},
		{"effect", "there are 2", fields{"effect": fields{"reset_to": 90, "add_years": 3}}},
		{"effect.reset_to", "makes the element new", fields{"kind": "replacement", "effect": fields{"reset_to": 90}}},
		{"trigger.condition_max", "must be condition_min (60) or more",
			fields{"effect": fields{"reset_to": 90}, "trigger": fields{"condition_min": 60, "condition_max": 50}}},
		{"trigger.planned_renewal", "is for replacements", fields{"effect": fields{"reset_to": 90}, "trigger": fields{"planned_renewal": true}}},
		{"cost", "percent of the replacement cost", fields{"effect": fields{"reset_to": 90}, "cost_basis": "pct_of_replacement", "cost": 50000}},
	} {
		for key, value := range map[string]any{"asset_class_id": ages, "name": "X", "kind": "rehabilitation", "cost_basis": "fixed", "cost": 900,
			"trigger": fields{}} {
			if c.body[key] == nil {
				c.body[key] = value
			}
		}
		f.refused(t, "treatments", c.field, c.words, c.body)
	}
}

func TestAClassHasOneDefaultStrategyOfItsOwnTreatments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads, bridges := f.class(t, "Routes", nil), f.class(t, "Ponts", nil)
	replace := func(class string) string {
		return f.make(t, "treatments", fields{"asset_class_id": class, "name": "Remplacer", "kind": "replacement",
			"cost_basis": "pct_of_replacement", "cost": 100, "trigger": fields{}})
	}
	ofRoads, ofBridges := replace(roads), replace(bridges)
	first := f.make(t, "strategies", fields{"asset_class_id": roads, "name": "A", "treatment_ids": []string{ofRoads}, "is_default": true})
	f.make(t, "strategies", fields{"asset_class_id": bridges, "name": "A", "treatment_ids": []string{ofBridges}, "is_default": true})
	f.refused(t, "strategies", "treatment_ids[1]", "is a treatment of another class",
		fields{"asset_class_id": roads, "name": "B", "treatment_ids": []string{ofRoads, ofBridges}})
	conflict := f.Must(t, http.StatusConflict, "POST", pathOf("strategies"),
		fields{"asset_class_id": roads, "name": "B", "treatment_ids": []string{ofRoads}, "is_default": true})
	resourcetest.Expect(t, conflict.JSON, fields{"code": "already_exists", "existing_id": first})
	second := f.make(t, "strategies", fields{"asset_class_id": roads, "name": "B", "treatment_ids": []string{ofRoads}})
	f.Must(t, http.StatusOK, "PATCH", pathOf("strategies")+"/bulk",
		fields{"data": []any{fields{"id": first, "is_default": false}, fields{"id": second, "is_default": true}}})
	for collection, id := range map[string]string{"treatments": ofRoads, "asset_classes": roads} {
		f.Must(t, http.StatusConflict, "DELETE", pathOf(collection)+"/"+id, nil)
	}
}

func TestScenariosHaveWhatTheirKindAsksFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	class, other := f.class(t, "Routes", nil), f.class(t, "Ponts", nil)
	treatment := f.make(t, "treatments", fields{"asset_class_id": class, "name": "Remplacer", "kind": "replacement",
		"cost_basis": "pct_of_replacement", "cost": 100, "trigger": fields{}})
	strategy := f.make(t, "strategies", fields{"asset_class_id": class, "name": "A", "treatment_ids": []string{treatment}})
	shown := f.Create(t, pathOf("scenarios"), fields{"name": "Rien", "kind": "do_nothing", "starts_on": "2027-01-01", "years": 10,
		"strategies": []any{fields{"asset_class_id": class, "strategy_id": strategy}}})
	resourcetest.Expect(t, shown,
		fields{"code": "SCN-0001", "basis": "parts", "objective": "condition", "benefit_years": 20, "inflation_pct": 2})
	if seed, drawn := shown["seed"].(float64); !drawn || seed < 1 {
		t.Errorf("its seed is %v", shown["seed"])
	}
	f.make(t, "scenarios", fields{"name": "Cible", "kind": "reach_target", "starts_on": "2027-01-01", "years": 10,
		"target": fields{"metric": "fci_pct", "value": 10, "in_years": 5, "scope": "class"}})
	fund := func(more fields) []any {
		body := fields{"code": "levy", "source_type": "levy", "amounts": []any{fields{"year": 2027, "amount": 10}}}
		for key, value := range more {
			body[key] = value
		}
		return []any{body}
	}
	stranger := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99"
	known := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e98"
	f.peers.Keep("sites", reference.Entry{ID: known, Name: "Hôtel de ville"})
	override := func(kind, element string, of any) []any {
		return []any{fields{"element_type": kind, "element_id": element, "year": 2028, "treatment_id": of}}
	}
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"filter.site_ids[1]", "there is no record " + stranger + " in sites", fields{"kind": "unlimited",
			"filter": fields{"site_ids": []string{known, stranger}}}},
		{"caps[0].site_ids[0]", "there is no record " + stranger + " in sites", fields{"kind": "budget", "funds": fund(nil),
			"caps": []any{fields{"name": "X", "amounts": []any{}, "site_ids": []string{stranger}}}}},
		{"overrides[0].element_id", "there is no record " + stranger + " in assets", fields{"kind": "unlimited",
			"overrides": override("asset", stranger, nil)}},
		{"overrides[0].element_id", "there is no record " + known + " in segments", fields{"kind": "unlimited",
			"overrides": override("segment", known, nil)}}, // which is a site
		{"overrides[0].treatment_id", "there is no record " + stranger + " in treatments", fields{"kind": "unlimited",
			"overrides": override("segment", priceIndex, stranger)}},
		{"funds", "is required for a budget", fields{"kind": "budget"}},
		{"funds", "is for scenarios of the kind budget", fields{"kind": "unlimited", "funds": fund(nil)}},
		{"funds[0].amounts", "must have an amount of a year", fields{"kind": "budget", "funds": fund(fields{"amounts": []any{}})}},
		{"funds[0].amounts[1].year", "must be a year of the scenario, 2027 to 2036", fields{"kind": "budget",
			"funds": fund(fields{"amounts": []any{fields{"year": 2027, "amount": 1}, fields{"year": 2040, "amount": 1}}})}},
		{"funds[0].amounts[1].year", "has two amounts", fields{"kind": "budget",
			"funds": fund(fields{"amounts": []any{fields{"year": 2027, "amount": 1}, fields{"year": 2027, "amount": 1}}})}},
		{"funds[0].amounts[0].amount", "at most 2 decimals",
			fields{"kind": "budget", "funds": fund(fields{"amounts": []any{fields{"year": 2027, "amount": 1.005}}})}},
		{"funds[1].code", "is the code of two funds", fields{"kind": "budget", "funds": append(fund(nil), fund(nil)...)}},
		{"funds[0].class_ids[0]", "there is no record " + stranger + " in asset classes",
			fields{"kind": "budget", "funds": fund(fields{"class_ids": []string{stranger}})}},
		{"caps", "is for scenarios of the kind budget", fields{"kind": "unlimited", "caps": []any{fields{"name": "X", "amounts": []any{}}}}},
		{"target", "is required for keep_level", fields{"kind": "keep_level"}},
		{"target", "is for scenarios of the kinds keep_level and reach_target",
			fields{"kind": "unlimited", "target": fields{"metric": "fci_pct"}}},
		{"target.value", "is for reach_target", fields{"kind": "keep_level", "target": fields{"metric": "fci_pct", "value": 3}}},
		{"target.in_years", "is required for reach_target", fields{"kind": "reach_target", "target": fields{"metric": "fci_pct", "value": 3}}},
		{"target.value", "must be 100 or less",
			fields{"kind": "reach_target", "target": fields{"metric": "poor_pct", "value": 300, "in_years": 3}}},
		{"strategies[0].strategy_id", "is a strategy of another class",
			fields{"kind": "unlimited", "strategies": []any{fields{"asset_class_id": other, "strategy_id": strategy}}}},
		{"strategies[0].strategy_id", "there is no record " + stranger + " in strategies",
			fields{"kind": "unlimited", "strategies": []any{fields{"asset_class_id": other, "strategy_id": stranger}}}},
		{"filter.class_ids[0]", "there is no record " + stranger + " in asset classes",
			fields{"kind": "unlimited", "filter": fields{"class_ids": []string{stranger}}}},
		{"overrides[1]", "is the second for this element in 2028", fields{"kind": "unlimited", "overrides": []any{
			fields{"element_type": "segment", "element_id": stranger, "year": 2028, "treatment_id": nil},
			fields{"element_type": "segment", "element_id": stranger, "year": 2028, "treatment_id": treatment}}}},
	} {
		for key, value := range map[string]any{"name": "X", "starts_on": "2027-01-01", "years": 10} {
			c.body[key] = value
		}
		f.refused(t, "scenarios", c.field, c.words, c.body)
	}
	// What has been named stays when it is deleted, and what is added is looked up.
	kept := f.Create(t, pathOf("scenarios"), fields{"name": "Un lieu", "kind": "unlimited", "starts_on": "2027-01-01", "years": 10,
		"filter": fields{"site_ids": []string{known}}, "overrides": override("segment", priceIndex, treatment)})["id"].(string)
	f.peers.Forget("sites", known)
	f.Must(t, http.StatusOK, "PATCH", pathOf("scenarios")+"/"+kept, fields{"filter": fields{"site_ids": []string{known}}, "years": 12})
	f.Refused(t, "PATCH", pathOf("scenarios")+"/"+kept, fields{"filter": fields{"site_ids": []string{known, stranger}}})
	f.peers.Refuse("/internal/references/sites")
	f.Must(t, http.StatusServiceUnavailable, "PATCH", pathOf("scenarios")+"/"+kept,
		fields{"filter": fields{"site_ids": []string{known, stranger}}})
}
