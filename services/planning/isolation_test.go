package planning

import (
	"net/http"
	"testing"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.Other()
	model := f.make(t, "deterioration_models", fields{"name": "Courbe", "kind": "curve"})
	class := f.class(t, "Routes", fields{"model_id": model})
	treatment := f.make(t, "treatments",
		fields{"asset_class_id": class, "name": "Remplacer", "kind": "replacement", "cost_basis": "pct_of_replacement", "cost": 100})
	strategy := f.make(t, "strategies", fields{"asset_class_id": class, "name": "A", "treatment_ids": []string{treatment}})
	scenario := f.make(t, "scenarios", fields{"name": "Rien", "kind": "do_nothing", "starts_on": "2027-01-01", "years": 10})
	for collection, id := range map[string]string{"deterioration_models": model, "asset_classes": class, "treatments": treatment,
		"strategies": strategy, "scenarios": scenario} {
		path := pathOf(collection) + "/" + id
		other.Must(t, http.StatusNotFound, "GET", path, nil)
		other.Must(t, http.StatusNotFound, "PATCH", path, fields{"external_id": "x"})
		other.Must(t, http.StatusNotFound, "DELETE", path, nil)
	}
	for _, c := range []struct {
		collection string
		body       fields
	}{
		{"asset_classes", fields{"name": "X", "service_category": "roads", "applies_to": "segment", "model_id": model}},
		{"treatments", fields{"asset_class_id": class, "name": "X", "kind": "replacement", "cost_basis": "fixed", "cost": 1}},
		{"strategies", fields{"asset_class_id": class, "name": "X"}},
		{"scenarios",
			fields{"name": "X", "kind": "unlimited", "starts_on": "2027-01-01", "years": 10, "filter": fields{"class_ids": []string{class}}}},
		{"scenarios", fields{"name": "X", "kind": "unlimited", "starts_on": "2027-01-01", "years": 10,
			"strategies": []any{fields{"asset_class_id": class, "strategy_id": strategy}}}},
	} {
		other.Must(t, http.StatusNotFound, "POST", pathOf(c.collection), c.body)
	}
}

// Every path and method of the service names the feature that the plan lacks.
func TestWithoutTheFeatureNothingIsThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	without := *f.Client
	without.Principal.Features = []string{"api_access", "los", "infrastructure", "projects", "maintenance"}
	for _, collection := range []string{"deterioration_models", "asset_classes", "treatments", "strategies", "scenarios",
		"planning_inventories", "planning_runs"} {
		path := pathOf(collection)
		for _, request := range [][2]string{{"GET", path}, {"POST", path}, {"POST", path + "/bulk"}, {"PATCH", path + "/bulk"},
			{"DELETE", path + "/bulk"}, {"GET", path + "/" + priceIndex}, {"PATCH", path + "/" + priceIndex}, {"DELETE", path + "/" + priceIndex},
			{"GET", path + "/" + priceIndex + "/history"}} {
			var body any
			if request[0] != "GET" {
				body = fields{}
			}
			if response := without.Must(t, http.StatusForbidden, request[0], request[1], body); response.JSON["code"] != "feature_not_in_plan" {
				t.Errorf("%v is refused with %s", request, response.Body)
			}
		}
	}
}
