package workorders

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixtureAlone(t)
	t.Run("work orders", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[WorkOrder]{
			Definition: f.orders().workOrders(), Client: f.Client, Path: "/v1/work-orders", Make: makeWorkOrder,
			Keep: []string{"site_id", "building_id", "system_id", "started_at", "cancel_reason"},
		})
	})
	t.Run("vendors", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Vendor]{Definition: vendors, Client: f.Client, Path: "/v1/vendors", Make: makeVendor})
	})
	t.Run("job plans", func(t *testing.T) {
		resourcetest.Run(t,
			resourcetest.Suite[JobPlan]{Definition: jobPlans, Client: f.Client, Path: "/v1/maintenance/job-plans", Make: makeJobPlan})
	})
	t.Run("preventive maintenance plans", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[PMPlan]{Definition: orders{}.pmPlans(), Client: f.Client, Path: "/v1/maintenance/pm-plans",
			Make: makePMPlan, Keep: []string{"trigger"}})
	})
	t.Run("calendars", func(t *testing.T) {
		resourcetest.Run(t,
			resourcetest.Suite[Calendar]{Definition: calendars, Client: f.Client, Path: "/v1/maintenance/calendars", Make: makeCalendar})
	})
	t.Run("service levels", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[SLAPolicy]{Definition: slaPolicies, Client: f.Client, Path: "/v1/maintenance/sla-policies",
			Make: makePolicy, Keep: []string{"complete_minutes"}})
	})
	order := func() string { // each of its own: the last check of what is below one deletes it
		path, _ := f.create(t, fields{})
		return path
	}
	t.Run("comments", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Comment]{Definition: comments, Client: f.Client, Path: order() + "/comments", Make: makeComment})
	})
	t.Run("tasks", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Task]{Definition: tasks, Client: f.Client, Path: order() + "/tasks", Make: makeTask,
			Keep: []string{"position"}})
	})
	t.Run("targets", func(t *testing.T) {
		several, _ := f.create(t, fields{})
		f.Create(t, several+"/targets", f.makeTarget(t, f.Client, 0)) // one that stays: after the last is gone, the next brings it back
		resourcetest.Run(t, resourcetest.Suite[WorkOrderTarget]{Definition: orders{f.registry}.targets(), Client: f.Client,
			Path: several + "/targets", Make: f.makeTarget, Keep: []string{"position"}})
	})
	t.Run("costs", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Cost]{Definition: orders{}.costs(), Client: f.Client, Path: order() + "/costs",
			Make: makeCost, Keep: []string{"hours"}})
	})
	t.Run("effects", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[WorkOrderEffect]{Definition: f.orders().effects().Definition("work_order.effect_refused"),
			Client: f.Client, Path: order() + "/effects", Make: makeEffect})
	})
}

// Cancelled, because those have a reason, can have begun and can be deleted. Times that only completed and closed work
// orders have are in state_test.go.
func makeWorkOrder(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"title": fmt.Sprintf("Remplacer le joint nº %d", n), "number": fmt.Sprintf("BT-%d", n), "description": "Fuite à l'arbre",
		"type": "preventive", "priority": "high",
		"status": "cancelled", "cancel_reason": "Doublon", "site_id": siteIDs[0], "building_id": buildingIDs[0],
		"system_id": systemIDs[0], "asset_id": assetIDs[0],
		"segment_id": segment, "project_id": project, "assignee_id": user,
		"team_id": team, "job_plan_id": client.Create(t, "/v1/maintenance/job-plans", fields{"name": "Inspection"})["id"],
		"vendor_id":      client.Create(t, "/v1/vendors", fields{"name": fmt.Sprint("Fournisseur ", vendorNames.Add(1))})["id"],
		"requester_name": "Marc Tremblay", "requester_email": "marc@example.ca",
		"due_date": fmt.Sprintf("2026-%02d-%02d", 1+n%12, 1+n%28), "scheduled_start": "2026-03-01T13:00:00Z",
		"scheduled_end": "2026-03-01T17:00:00Z",
		"requested_at":  fmt.Sprintf("2026-01-%02dT09:40:00.5Z", 1+n%28),
		"started_at":    "2026-02-01T13:10:00.5Z", "estimated_hours": 3.5, "estimated_cost": 640.25, "problem_code": "leak",
		"cause_code": "wear", "remedy_code": "replaced",
		"completion_notes": "Joint remplacé", "downtime_minutes": 95, "connections_affected": 40,
		"external_id": fmt.Sprintf("wo-%d", n), "tags": []string{"nord"},
		"custom_fields": map[string]any{"quart": "jour"},
	}
}

// vendorNames numbers the vendors of work orders, whose names differ.
var vendorNames atomic.Int64

func makeVendor(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Chauffage %d inc.", n), "code": fmt.Sprintf("F-%d", n), "contact": "Luc Gagnon, 819 555-0118",
		"trades": []string{"chauffage", "plomberie"}, "insurance_expires_on": fmt.Sprintf("2027-%02d-%02d", 1+n%12, 1+n%28),
		"external_id": fmt.Sprintf("vendor-%d", n), "tags": []string{"local"}, "custom_fields": map[string]any{"ville": "Gatineau"},
	}
}

func makeComment(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{"body": fmt.Sprintf("La pièce %d arrive mardi", n), "external_id": fmt.Sprintf("comment-%d", n),
		"tags": []string{"pièce"}, "custom_fields": map[string]any{"lot": 4.0}}
}

func makeEffect(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"kind": "read_meter", "payload": map[string]any{"meter_id": nobody, "value": float64(n), "unit": "h"},
		"external_id": fmt.Sprintf("effect-%d", n), "tags": []string{"compteur"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeTask(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"title": fmt.Sprintf("Vérifier la pression %d", n), "position": 1 + n, "result": []string{"pass", "fail", "na"}[n%3], "note": "3,2 bars",
		"required": n%2 == 0, "follow_up": "BT-12",
		"external_id": fmt.Sprintf("task-%d", n), "tags": []string{"pression"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

// makeTarget makes a target of an asset that no other is.
func (f fixture) makeTarget(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	id := uuid.NewString()
	f.peers.Keep("assets", reference.Entry{ID: id, Name: "Porte", References: map[string]string{"system_id": systemIDs[n%2],
		"building_id": buildingIDs[n%2], "site_id": siteIDs[n%2]}})
	return map[string]any{
		"target_type": "asset", "target_id": id, "position": 1 + n, "result": []string{"done", "not_done", "na"}[n%3], "note": "Fait",
		"share": 1.5 + float64(n), "external_id": fmt.Sprintf("target-%d", n), "tags": []string{"nord"},
		"custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeCost(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	body := map[string]any{
		"kind": "labour", "hours": 2.25, "unit_cost": 68.5025, "user_id": user, "incurred_on": "2026-03-01", "is_credit": false,
		"vendor_id":   client.Create(t, "/v1/vendors", fields{"name": fmt.Sprint("Fournisseur ", vendorNames.Add(1))})["id"],
		"part_number": "6203-2RS", "invoice_number": fmt.Sprint("F-", n),
		"external_id": fmt.Sprintf("cost-%d", n), "tags": []string{"jour"}, "custom_fields": map[string]any{"lot": 4.0},
	}
	if n%2 == 1 {
		body["kind"], body["quantity"] = "material", 3
		delete(body, "hours")
	}
	return body
}
