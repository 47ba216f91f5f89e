package main

import (
	"fmt"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	t.Run("work orders", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[WorkOrder]{
			Definition: workOrders, Client: f.Client, Path: "/v1/work-orders", Make: makeWorkOrder,
			Keep: []string{"site_id", "building_id", "system_id", "started_at", "cancel_reason"},
		})
	})
	path, _ := f.create(t, fields{})
	t.Run("comments", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Comment]{Definition: comments, Client: f.Client, Path: path + "/comments", Make: makeComment})
	})
	t.Run("tasks", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Task]{Definition: tasks, Client: f.Client, Path: path + "/tasks", Make: makeTask,
			Keep: []string{"position"}})
	})
	t.Run("costs", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Cost]{Definition: orders{}.costs(), Client: f.Client, Path: path + "/costs",
			Make: makeCost, Keep: []string{"hours"}})
	})
}

// Cancelled, because those have a reason, can have begun and can be deleted. Times that only completed and closed work
// orders have are in state_test.go.
func makeWorkOrder(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"title": fmt.Sprintf("Remplacer le joint nº %d", n), "number": fmt.Sprintf("BT-%d", n), "description": "Fuite à l'arbre",
		"type": "preventive", "priority": "high",
		"status": "cancelled", "cancel_reason": "Doublon", "site_id": siteIDs[0], "building_id": buildingIDs[0],
		"system_id": systemIDs[0], "asset_id": assetIDs[0],
		"segment_id": segment, "project_id": project, "assignee_id": user, "requester_name": "Marc Tremblay",
		"requester_email": "marc@example.ca",
		"due_date":        fmt.Sprintf("2026-%02d-%02d", 1+n%12, 1+n%28), "scheduled_start": "2026-03-01T13:00:00Z",
		"scheduled_end": "2026-03-01T17:00:00Z",
		"started_at":    "2026-02-01T13:10:00.5Z", "estimated_hours": 3.5, "estimated_cost": 640.25, "problem_code": "leak",
		"cause_code": "wear", "remedy_code": "replaced",
		"completion_notes": "Joint remplacé", "downtime_minutes": 95, "connections_affected": 40,
		"external_id": fmt.Sprintf("wo-%d", n), "tags": []string{"nord"},
		"custom_fields": map[string]any{"quart": "jour"},
	}
}

func makeComment(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{"body": fmt.Sprintf("La pièce %d arrive mardi", n), "external_id": fmt.Sprintf("comment-%d", n),
		"tags": []string{"pièce"}, "custom_fields": map[string]any{"lot": 4.0}}
}

func makeTask(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"title": fmt.Sprintf("Vérifier la pression %d", n), "position": 1 + n, "result": []string{"pass", "fail", "na"}[n%3], "note": "3,2 bars",
		"external_id": fmt.Sprintf("task-%d", n), "tags": []string{"pression"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeCost(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	body := map[string]any{
		"kind": "labour", "hours": 2.25, "unit_cost": 68.5, "user_id": user, "incurred_on": "2026-03-01",
		"external_id": fmt.Sprintf("cost-%d", n), "tags": []string{"jour"}, "custom_fields": map[string]any{"lot": 4.0},
	}
	if n%2 == 1 {
		body["kind"], body["quantity"] = "material", 3
		delete(body, "hours")
	}
	return body
}
