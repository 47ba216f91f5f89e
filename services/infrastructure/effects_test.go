package infrastructure

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// effect is an instruction of a work order.
func effect(order, kind, stage string, sequence int, payload fields) fields {
	return fields{"id": uuid.NewString(), "sequence": sequence, "kind": kind, "stage": stage, "payload": payload, "on": "2026-06-30",
		"cause": fields{"collection": "work_orders", "id": order, "number": "WO-000001", "cost": "60.55"},
		"actor": fields{"type": "user", "id": uuid.NewString(), "name": "Geneviève Côté"}}
}

// apply sends one instruction, and gives the answer.
func apply(t *testing.T, client *resourcetest.Client, check bool, instruction fields) fields {
	t.Helper()
	answers := client.Must(t, http.StatusOK, "POST", "/internal/effects",
		fields{"check": check, "effects": []fields{instruction}}).JSON["answers"].([]any)
	if len(answers) != 1 {
		t.Fatalf("answered %v", answers)
	}
	return answers[0].(map[string]any)
}

func TestWorkClosesADeficiency(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue",
		"replacement_cost": 1000})["id"]
	d := f.find(t, segment, fields{"estimated_cost": 100, "found_on": "2026-01-01"})
	id, order := d[len(deficienciesPath)+1:], uuid.NewString()
	payload := fields{"infrastructure_deficiency_id": id}
	closing := effect(order, "close_deficiency", "planned", 1, payload)
	follow := func(stage string, want fields) {
		t.Helper()
		closing["stage"], closing["sequence"] = stage, closing["sequence"].(int)+1
		resourcetest.Expect(t, apply(t, f.Client, false, closing), fields{"outcome": "applied", "stage": stage, "result_id": id})
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", d, nil).JSON, want)
	}
	follow("planned", fields{"status": "planned", "work_order_id": order, "updated_by.name": "Geneviève Côté"})
	resourcetest.Expect(t, apply(t, f.Client, true, effect(uuid.NewString(), "close_deficiency", "planned", 1, payload)),
		fields{"outcome": "refused", "code": "deficiency_planned", "field": "infrastructure_deficiency_id"})
	refused := f.Must(t, http.StatusConflict, "DELETE", d, nil).JSON
	resourcetest.Expect(t, refused, fields{"code": "delete_not_allowed"})
	follow("cancelled", fields{"status": "open", "work_order_id": nil})
	follow("planned", fields{"status": "planned"})
	follow("begun", fields{"status": "in_work", "work_order_id": order})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"deferred_maintenance_cost": 100})
	follow("completed",
		fields{"status": "corrected", "corrected_on": "2026-06-30", "actual_cost": 60.55, "work_order_id": order, "version": 6})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"deferred_maintenance_cost": 0})

	// The same again, and taking it back, change nothing.
	resourcetest.Expect(t, apply(t, f.Client, false, closing), fields{"outcome": "applied", "stage": "completed"})
	closing["stage"], closing["sequence"] = "cancelled", 99
	resourcetest.Expect(t, apply(t, f.Client, false, closing), fields{"outcome": "applied", "stage": "completed"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", d, nil).JSON, fields{"status": "corrected", "version": 6})
	resourcetest.Expect(t, apply(t, f.Client, true, effect(uuid.NewString(), "close_deficiency", "completed", 1, payload)),
		fields{"outcome": "refused", "code": "deficiency_corrected"})

	// Nobody closes another organization's, or one that is gone.
	gone := f.find(t, segment, fields{})
	f.Must(t, http.StatusNoContent, "DELETE", gone, nil)
	for client, id := range map[*resourcetest.Client]string{f.Other(): id, f.Client: gone[len(deficienciesPath)+1:]} {
		for _, check := range []bool{true, false} {
			resourcetest.Expect(t,
				apply(t, client, check, effect(order, "close_deficiency", "completed", 1, fields{"infrastructure_deficiency_id": id})),
				fields{"outcome": "refused", "reason": "not_found", "field": "infrastructure_deficiency_id"})
		}
	}
	resourcetest.Expect(t,
		apply(t, f.Client, true, effect(order, "close_deficiency", "completed", 1, fields{"infrastructure_deficiency_id": "x"})),
		fields{"outcome": "refused", "reason": "invalid", "field": "infrastructure_deficiency_id"})
}

func TestWorkFindsAndRates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue",
		"replacement_cost": 1000, "condition_rating": 5, "condition_assessed_on": "2026-01-01"})["id"]
	path, order := fmt.Sprint("/v1/infrastructure/segments/", segment), uuid.NewString()

	making := effect(order, "create_deficiency", "completed", 1, fields{"deficiency": fields{"segment_id": segment, "title": "Nid-de-poule",
		"estimated_cost": 40}})
	resourcetest.Expect(t, apply(t, f.Client, true, making), fields{"outcome": "applied"})
	if all, _ := f.List(t, deficienciesPath); len(all) != 0 {
		t.Errorf("a check has made %v", all)
	}
	made := apply(t, f.Client, false, making)
	resourcetest.Expect(t, apply(t, f.Client, false, making), fields{"outcome": "applied", "result_id": made["result_id"]})
	all, _ := f.List(t, deficienciesPath)
	if len(all) != 1 {
		t.Fatalf("made %v", all)
	}
	resourcetest.Expect(t, all[0], fields{"id": made["result_id"], "title": "Nid-de-poule", "source": "work_order", "source_id": order,
		"found_on": "2026-06-30", "work_order_id": nil, "created_by.name": "Geneviève Côté"})
	for field, body := range map[string]fields{
		"deficiency.title": {"segment_id": segment}, "deficiency.segment_id": {"segment_id": "x", "title": "x"},
		"deficiency.category": {"segment_id": segment, "title": "x", "category": "none"},
	} {
		resourcetest.Expect(t, apply(t, f.Client, true, effect(order, "create_deficiency", "completed", 1, fields{"deficiency": body})),
			fields{"outcome": "refused", "reason": "invalid", "field": field})
	}

	rating := effect(order, "rate", "completed", 1, fields{"segment_id": segment, "condition_rating": 1, "method": "visual"})
	rated := apply(t, f.Client, false, rating)
	apply(t, f.Client, false, rating)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"condition_rating": 1, "condition_assessed_on": "2026-06-30", "condition_source_id": rated["result_id"]})
	if inspections, _ := f.List(t, "/v1/infrastructure/inspections"); len(inspections) != 1 {
		t.Errorf("%d inspections", len(inspections))
	}
	for field, payload := range map[string]fields{
		"condition_rating": {"segment_id": segment}, "method": {"segment_id": segment, "condition_rating": 2, "method": "guess"},
		"segment_id": {"segment_id": uuid.NewString(), "condition_rating": 2},
	} {
		resourcetest.Expect(t, apply(t, f.Client, true, effect(order, "rate", "completed", 1, payload)),
			fields{"outcome": "refused", "field": field})
	}

	// Of another organization's segment, or one that is out of use for good, nothing is said.
	other := f.Other()
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "abandoned"})
	for client, want := range map[*resourcetest.Client]string{f.Client: "segment_retired", other: "not_found"} {
		for field, payload := range map[string]fields{"segment_id": {"segment_id": segment, "condition_rating": 2},
			"deficiency.segment_id": {"deficiency": fields{"segment_id": segment, "title": "x"}}} {
			kind := map[string]string{"segment_id": "rate", "deficiency.segment_id": "create_deficiency"}[field]
			resourcetest.Expect(t, apply(t, client, false, effect(order, kind, "completed", 1, payload)),
				fields{"outcome": "refused", "code": want, "field": field})
		}
	}
	if resource.Today(t.Context()) < "2026-06-30" {
		t.Error("the clock of this machine stands before the day of the work")
	}
}
