package figures

import (
	"fmt"
	"testing"
)

// The reproducing calls of ten faults that figures once had, each with the figure that is right.

func TestDeferredMaintenanceOfNothingHidesNoRenewal(t *testing.T) {
	o := newOrganization(t)
	system := o.create("/v1/systems", row{"name": "Roofs", "deferred_maintenance_cost": 0})
	o.create("/v1/assets", row{"name": "Roof", "system_id": system, "replacement_cost": 400000, "planned_renewal_year": 2020})
	want := map[string]string{"need": "400000", "fci_pct": "100", "fci_grade": "critical"}
	expect(t, "the system", o.get("/v1/systems/"+system+"/summary"), want)
	expect(t, "the report", o.total(today(), 0), want)
}

func TestANoteOnAnOldAssessmentLeavesNewerCosts(t *testing.T) {
	o := newOrganization(t)
	asset := "/v1/assets/" + o.create("/v1/assets", row{"name": "Boiler"})
	assessments := asset + "/condition-assessments"
	old := o.create(assessments, row{"assessed_on": "2024-05-01", "condition_rating": 3, "replacement_cost": 100000,
		"deferred_maintenance_cost": 7000})
	o.patch(asset, row{"replacement_cost": 130000, "replacement_cost_year": 2026, "deferred_maintenance_cost": 0})
	want := map[string]string{"replacement_cost": "130000", "replacement_cost_year": "2026", "deferred_maintenance_cost": "0"}
	expect(t, "set by hand", o.get(asset), want)
	o.patch(assessments+"/"+old, row{"notes": "Page 7"})
	expect(t, "with a note on the assessment of 2024", o.get(asset), want)
	o.create(assessments, row{"assessed_on": "2019-05-01", "condition_rating": 2})
	expect(t, "with an assessment of 2019 without costs", o.get(asset), want)
}

func TestADeletedAssessmentTakesItsMoneyAlong(t *testing.T) {
	o := newOrganization(t)
	asset := "/v1/assets/" + o.create("/v1/assets", row{"name": "Boiler", "replacement_cost": 50000})
	assessments := asset + "/condition-assessments"
	wrong := o.create(assessments, row{"assessed_on": "2026-05-01", "condition_rating": 4, "replacement_cost": 900000,
		"deferred_maintenance_cost": 10000})
	expect(t, "assessed", o.get(asset), map[string]string{"replacement_cost": "900000", "deferred_maintenance_cost": "10000",
		"condition_rating": "4"})
	o.send(204, "DELETE", assessments+"/"+wrong, nil)
	expect(t, "without the assessment", o.get(asset), map[string]string{"replacement_cost": "50000", "deferred_maintenance_cost": "null",
		"condition_rating": "null"})
	later := "/v1/assets/" + o.create("/v1/assets", row{"name": "Pump", "replacement_cost": 50000, "replacement_cost_year": 2025})
	o.create(later+"/condition-assessments", row{"assessed_on": "2024-12-31", "condition_rating": 3, "replacement_cost": 40000})
	expect(t, "priced after the assessment", o.get(later), map[string]string{"replacement_cost": "50000", "replacement_cost_year": "2025"})
}

func TestARatingThatCameWithAnImportGivesWayToInspections(t *testing.T) {
	o := newOrganization(t)
	asset := "/v1/assets/" + o.create("/v1/assets", row{"name": "Roof", "condition_rating": 2})
	o.create(asset+"/condition-assessments", row{"assessed_on": "2026-09-30", "condition_rating": 5, "method": "detailed"})
	expect(t, "the asset", o.get(asset), map[string]string{"condition_rating": "5", "condition_assessed_on": "2026-09-30",
		"reported_condition_rating": "2"})
	network := o.create("/v1/infrastructure/networks", row{"name": "Bridges", "asset_class": "bridge"})
	segment := o.create("/v1/infrastructure/segments", row{"name": "Bridge 12", "network_id": network, "length_m": 40, "condition_rating": 2})
	o.create("/v1/infrastructure/inspections", row{"segment_id": segment, "inspected_on": "2026-10-01", "index_type": "bci",
		"index_value": 20})
	expect(t, "the bridge", o.get("/v1/infrastructure/segments/"+segment), map[string]string{"condition_rating": "5",
		"condition_assessed_on": "2026-10-01"})
}

func TestANightlyUpsertLeavesWhatInspectorsSaid(t *testing.T) {
	o := newOrganization(t)
	upsert := []row{{"external_id": "ROOF-1", "name": "Roof", "condition_rating": 2}}
	id := o.bulk("/v1/assets", upsert, "update")[0]
	asset := "/v1/assets/" + id
	o.create(asset+"/condition-assessments", row{"assessed_on": "2026-09-30", "condition_rating": 5, "method": "detailed"})
	for night := range 3 {
		o.bulk("/v1/assets", upsert, "update")
		expect(t, fmt.Sprintf("after night %d", night+1), o.get(asset), map[string]string{"condition_rating": "5",
			"condition_assessed_on": "2026-09-30"})
	}
	if rows := o.stream(asset + "/condition-assessments"); len(rows) != 2 {
		t.Errorf("an equal rating of every night left %d statements, want the first and the inspectors'", len(rows))
	}
}

func TestWorkFinishedInTheEveningOfItsDueDateIsOnTime(t *testing.T) {
	o := newOrganization(t)
	area := o.create("/v1/los/service-areas", row{"name": "Buildings", "category": "facilities"})
	measure := o.create("/v1/los/measures", row{"name": "On time", "service_area_id": area, "measure_type": "technical",
		"value_kind":  "percentage",
		"data_source": "computed", "computed_metric": "wo_completed_on_time_pct"})
	o.create("/v1/work-orders", row{"title": "Leak", "status": "completed", "due_date": "2026-11-20",
		"started_at": "2026-11-20T08:00:00-05:00", "completed_at": "2026-11-20T21:00:00-05:00"})
	answer := o.call(201, "POST", "/v1/los/measures/"+measure+"/compute", row{"period_start": "2026-11-01", "period_end": "2026-11-20"})
	expect(t, "on time", answer, map[string]string{"value": "100"})
}

func TestAReportOf2020HasNothingOf2026(t *testing.T) {
	o := newOrganization(t)
	o.create("/v1/assets", row{"name": "New wing", "replacement_cost": 900000, "install_date": "2026-06-01"})
	o.create("/v1/assets", row{"name": "Old wing", "replacement_cost": 500000, "install_date": "1990-01-01"})
	expect(t, "2020-12-31", o.total("2020-12-31", 0), map[string]string{"replacement_cost": "500000", "average_age_years": "31",
		"counts.assets": "1", "counts.assets_left_out": "1"})
}

func TestThePlanHasCompletedProjectsAtWhatTheyCost(t *testing.T) {
	o := newOrganization(t)
	project := o.create("/v1/projects", row{"name": "Arena roof", "fiscal_year": 2026, "budget_amount": 1000000, "actual_amount": 400000,
		"status": "completed"})
	expect(t, "the project", o.get("/v1/projects/"+project), map[string]string{"budget_amount": "1000000", "actual_amount": "400000"})
	expect(t, "the plan", o.get("/v1/projects/plan?from_year=2026&years=1")["total"], map[string]string{"cost": "400000",
		"without_actuals": "0"})
}

func TestNeedWithoutAValueIsNoPartOfTheFCI(t *testing.T) {
	o := newOrganization(t).byTypedYears() // nobody knows their lives, which leaves an FCI by lives without a grade
	site := o.create("/v1/sites", row{"name": "Yard"})
	o.create("/v1/assets", row{"name": "A", "site_id": site, "replacement_cost": 100000})
	b := o.create("/v1/assets", row{"name": "B", "site_id": site, "deferred_maintenance_cost": 40000})
	expect(t, "beside A", o.total(today(), 0), map[string]string{"need": "40000", "need_without_value": "40000", "fci_pct": "0",
		"fci_grade": "good"})
	building := o.create("/v1/buildings", row{"name": "Hall", "site_id": site, "replacement_cost": 1000000})
	o.patch("/v1/assets/"+b, row{"building_id": building})
	expect(t, "the appraised building", o.get("/v1/buildings/"+building+"/summary"), map[string]string{"need": "40000",
		"need_without_value": "0", "fci_pct": "4", "fci_grade": "good"})
}

func TestASurplusOfOneProjectHidesNoGapOfAnother(t *testing.T) {
	o := newOrganization(t)
	for name, confirmed := range map[string]int{"A": 180000, "B": 0} {
		project := o.create("/v1/projects", row{"name": name, "fiscal_year": 2027, "budget_amount": 100000})
		if confirmed > 0 {
			o.create("/v1/projects/"+project+"/funding-sources", row{"source_type": "reserve", "amount": confirmed, "status": "confirmed"})
		}
	}
	expect(t, "the plan", o.get("/v1/projects/plan?from_year=2027&years=1")["total"], map[string]string{"cost": "200000",
		"funding_confirmed": "180000", "funding_gap": "100000", "funding_surplus": "80000"})
}
