package workorders

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

// A replaced asset's plans go on at its successor: nothing is made of the past, and nothing twice.
func TestPlansMoveToTheSuccessor(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}, "stack": true})
	p.at(t, "2027-01-01T12:00:00Z")
	for range 2 { // the second changes nothing
		answer := p.Must(t, http.StatusOK, "POST",
			"/internal/effects", fields{"check": false, "effects": []fields{{"id": uuid.NewString(), "sequence": 1, "kind": "move_to_successor",
				"stage": "completed", "on": "2027-01-02", "payload": fields{"pm_plans_of": assetIDs[0], "successor_id": assetIDs[1]}, "cause": fields{
					"collection": "work_orders", "id": nobody, "number": "BT-1",
				}, "actor": fields{"type": "user", "id": user, "name": "x"}}}}).JSON
		resourcetest.Expect(t, answer["answers"].([]any)[0].(fields), fields{"outcome": "applied"})
	}
	p.exec(t, "UPDATE pm_plan SET planned_from = '2027-01-01'")
	resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-plans/"+plan, nil).JSON,
		fields{"targets": []any{map[string]any{"target_type": "asset", "target_id": assetIDs[1]}}})
	p.at(t, "2027-01-15T12:00:00Z")
	if made := p.workOrders(t, ""); len(made) != 1 {
		t.Errorf("made once more: %d", len(made))
	}
	p.at(t, "2027-02-01T12:00:00Z")
	if made := p.workOrders(t, "asset_id="+assetIDs[1]); len(made) != 1 {
		t.Errorf("%d on the successor", len(made))
	}
}
