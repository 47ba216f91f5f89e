package projects

import (
	"fmt"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixtureAlone(t)
	t.Run("projects", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Project]{Definition: family{}.projects(), Client: f.Client, Path: "/v1/projects",
			Make: f.makeProject, Keep: []string{"site_id"}})
	})
	t.Run("phases", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[ProjectPhase]{Definition: phases, Client: f.Client,
			Path: f.project(t, fields{}) + "/phases", Make: makePhase})
	})
	t.Run("funding sources", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[FundingSource]{Definition: family{}.fundingSources(), Client: f.Client,
			Path: f.project(t, fields{}) + "/funding-sources", Make: makeFundingSource})
	})
	t.Run("budget lines", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[BudgetLine]{Definition: family{}.budgetLines(), Client: f.Client,
			Path: f.project(t, fields{}) + "/budget-lines", Make: makeBudgetLine})
	})
	t.Run("links", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[ProjectLink]{Definition: links, Client: f.Client, Path: f.project(t, fields{}) + "/links",
			Make: f.makeLink})
	})
	t.Run("effects", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[ProjectEffect]{Definition: family{}.effects().Definition("project.effect_refused"),
			Client: f.Client, Path: f.project(t, fields{}) + "/effects", Make: makeEffect})
	})
}

func (f *fixture) makeProject(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{
		"name": fmt.Sprintf("Réfection %d", n), "code": fmt.Sprintf("RÉF-%d", n), "project_type": "renewal", "lifecycle_activity": "renewal",
		"status": "proposed", "health": "on_track", "description": "Membrane et isolant", "justification": "Infiltrations", "site_id": f.site,
		"building_id": f.building, "network_id": f.network, "manager_user_id": f.user, "department": "Travaux publics", "fiscal_year": 2027,
		"planned_start_date": "2027-06-28", "planned_end_date": "2027-08-27", "actual_start_date": "2027-07-05", "actual_end_date": "2027-09-03",
		"estimate_amount": 1450000.5, "estimate_class": "C", "contingency_pct": 12.5, "budget_amount": 1500000, "forecast_amount": 1475000.25,
		"committed_amount": 620000, "actual_amount": 410000, "percent_complete": 35.5,
		"priority_criteria": fields{"risk": 4, "legislated": 5, "health_safety": 3, "los_impact": 2, "cost_avoidance": 1, "climate": 0},
		"external_id":       fmt.Sprintf("project-%d", n), "tags": []string{"toitures"}, "custom_fields": fields{"lot": 3.0},
	}
}

func makeEffect(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{
		"kind": "read_meter", "payload": fields{"meter_id": "019a3c5e-0000-7000-8000-0000000000ff", "value": float64(n), "unit": "h"},
		"external_id": fmt.Sprintf("effect-%d", n), "tags": []string{"compteur"}, "custom_fields": fields{"lot": 3.0},
	}
}

func makePhase(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{
		"name": fmt.Sprintf("Conception %d", n), "sequence": 1 + n%9, "status": "in_progress", "description": "Plans et devis",
		"planned_start_date": "2027-01-11", "planned_end_date": "2027-04-30", "actual_start_date": "2027-01-18", "actual_end_date": "2027-05-07",
		"budget_amount": 120000.75, "percent_complete": 60, "notes": "Permis demandé",
		"external_id": fmt.Sprintf("phase-%d", n), "tags": []string{"plans"}, "custom_fields": fields{"lot": 3.0},
	}
}

func makeFundingSource(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{
		"source_type": "ccbf", "name": fmt.Sprintf("Subvention %d", n), "status": "confirmed", "amount": 450000.25, "fiscal_year": 2027,
		"program": "Fonds pour le développement des collectivités", "agreement_number": fmt.Sprintf("CCBF-%d", n), "requested_on": "2026-02-27",
		"confirmed_on": "2026-06-15", "received_on": "2027-04-30", "expires_on": "2029-03-31", "notes": "Rapport annuel exigé",
		"external_id": fmt.Sprintf("source-%d", n), "tags": []string{"fédéral"}, "custom_fields": fields{"lot": 3.0},
	}
}

func makeBudgetLine(_ testing.TB, _ *resourcetest.Client, n int) fields {
	categories := []string{"planning", "design", "land", "construction", "equipment", "contract_admin", "contingency", "other"}
	return fields{
		"fiscal_year": 1990 + n/len(categories), "category": categories[n%len(categories)], "budget_amount": 850000, "forecast_amount": 835000.5,
		"committed_amount": 310000, "actual_amount": 205000.25, "account_code": "22-7410-3100", "notes": "Indexé de 4 %",
		"external_id": fmt.Sprintf("line-%d", n), "tags": []string{"béton"}, "custom_fields": fields{"lot": 3.0},
	}
}

func (f *fixture) makeLink(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{
		"target_type": "asset", "target_id": f.addRecord("assets", fmt.Sprintf("Pompe nº %d", n), nil), "note": "Remplacée",
		"external_id": fmt.Sprintf("link-%d", n), "tags": []string{"pompes"}, "custom_fields": fields{"lot": 3.0},
	}
}
