package workorders

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

// A request is told by its work order that it was cancelled, opened again, and completed once more. The first completion is the effect.
func TestARequestIsToldWhatBecomesOfItsWork(t *testing.T) {
	f, request := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, _ := f.create(t, fields{"effects": []any{fields{"kind": "close_request", "payload": fields{"request_id": request}}}})
	told := 0
	for _, move := range []struct {
		to, kind, status string // kind empty: nothing is said
	}{
		{"in_progress", "", ""},
		{"cancelled", "work_of_request_moved", "cancelled"},
		{"open", "work_of_request_moved", "open"},
		{"completed", "close_request", ""},
		{"in_progress", "work_of_request_moved", "open"},
		{"completed", "work_of_request_moved", "completed"},
		{"closed", "", ""},
	} {
		body := fields{"to": move.to}
		if move.to == "cancelled" {
			body["cancel_reason"] = "Terrain privé"
		}
		f.Must(t, http.StatusOK, "POST", path+"/transition", body)
		f.drained(t)
		if move.kind != "" {
			told++
			last := f.owners.last[request]
			if status, _ := last.Payload["status"].(string); last.Kind != move.kind || status != move.status {
				t.Errorf("%s: told %s %v", move.to, last.Kind, last.Payload)
			}
		}
		if n := len(f.owners.stagesOf(request)); n != told {
			t.Errorf("%s: told %d times, want %d", move.to, n, told)
		}
	}
	if states := states(t, f.Client, path); !slices.Equal(states, []string{"applied"}) {
		t.Errorf("the effect is %v", states)
	}
	deleted, _ := f.create(t, fields{"effects": []any{fields{"kind": "close_request", "payload": fields{"request_id": request}}}})
	f.Must(t, http.StatusNoContent, "DELETE", deleted, nil)
	f.drained(t)
	if last := f.owners.last[request]; last.Payload["status"] != "cancelled" {
		t.Errorf("deleted: told %v", last.Payload)
	}
}

// Every refused move of a work order or a plan says what is possible instead, and that is possible.
func TestWhatARefusalAllowsIsAllowed(t *testing.T) {
	f := newFixture(t)
	job := f.Create(t, "/v1/maintenance/job-plans", fields{"name": "Tour", "type": "inspection"})["id"]
	workOrder := func() string { path, _ := f.create(t, fields{}); return path }
	plan := func() string {
		return "/v1/maintenance/pm-plans/" + f.Create(t, "/v1/maintenance/pm-plans", fields{"name": "Plan", "job_plan_id": job, "basis": "fixed",
			"starts_on": "2027-01-01", "trigger": fields{"rrule": "FREQ=YEARLY"}, "targets": []fields{{"target_type": "asset",
				"target_id": assetIDs[0]}}})["id"].(string)
	}
	with := map[string]fields{"cancelled": {"cancel_reason": "Doublon"}, "on_hold": {"hold_reason": "Pièce"}}
	move := func(path, to string) resourcetest.Response {
		body := fields{"status": to}
		for name, value := range with[to] {
			body[name] = value
		}
		return f.Do(t, "PATCH", path, body)
	}
	for _, c := range []struct {
		make func() string
		ways map[string][]string // to each state
	}{
		{workOrder, map[string][]string{"open": nil, "in_progress": {"in_progress"}, "on_hold": {"on_hold"}, "completed": {"completed"},
			"closed": {"completed", "closed"}, "cancelled": {"cancelled"}}},
		{plan, map[string][]string{"draft": nil, "active": {"active"}, "paused": {"active", "paused"}, "ended": {"ended"}}},
	} {
		for state, way := range c.ways {
			reach := func() string {
				path := c.make()
				for _, to := range way {
					f.Must(t, http.StatusOK, "PATCH", path, merged(fields{"status": to}, with[to]))
				}
				return path
			}
			path := reach()
			for to := range c.ways {
				if to == state {
					continue
				}
				refused := move(path, to)
				if refused.Status == http.StatusOK {
					path = reach()
					continue
				}
				allowed, _ := refused.JSON["allowed"].([]any)
				if refused.Status != http.StatusConflict || slices.Contains(allowed, any(to)) || len(allowed) == 0 && state != "closed" &&
					state != "ended" {
					t.Errorf("%s → %s: %s", state, to, refused.Body)
				}
				for _, next := range allowed {
					if moved := move(reach(), next.(string)); moved.Status != http.StatusOK {
						t.Errorf("%s → %s allows %v, which is %s", state, to, next, moved.Body)
					}
				}
			}
		}
	}
}

func merged(a, b fields) fields {
	for name, value := range b {
		a[name] = value
	}
	return a
}

// Work that a request is accepted with closes it: when it is completed, or at once where it is. Work that is over, or that nobody has,
// is refused.
func TestWorkThatARequestIsAcceptedWithClosesIt(t *testing.T) {
	f := newFixtureAlone(t)
	f.send(t)
	accept := func(check bool, workOrder, request any) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "POST", "/internal/effects", fields{"check": check, "effects": []fields{{"id": uuid.NewString(),
			"sequence": 1,
			"kind":     "work_for_request", "stage": "completed", "payload": fields{"work_order_id": workOrder, "request_id": request},
			"on":    "2026-11-29",
			"cause": fields{"collection": "requests", "id": request}}}}).JSON["answers"].([]any)[0].(fields)
	}
	first, second := uuid.NewString(), uuid.NewString()
	path, order := f.create(t, fields{})
	resourcetest.Expect(t, accept(true, order["id"], first), fields{"outcome": "applied"})
	if list, _ := f.List(t, path+"/effects"); len(list) != 0 {
		t.Fatalf("the question wrote %v", list)
	}
	resourcetest.Expect(t, accept(false, order["id"], first), fields{"outcome": "applied", "result_id": order["id"]})
	f.drained(t)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"request_id": first, "version": 2})
	if told := f.owners.stagesOf(first); len(told) != 0 {
		t.Errorf("before the work was done: %v", told)
	}
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	resourcetest.Expect(t, accept(false, order["id"], second), fields{"outcome": "applied"})
	f.drained(t)
	for _, request := range []string{first, second} {
		if last := f.owners.last[request]; last.Kind != "close_request" || last.Cause.ID != order["id"] {
			t.Errorf("%s was told %+v", request, last)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"request_id": first}) // it was first
	made, _ := f.create(t, fields{"effects": []any{fields{"kind": "close_request", "payload": fields{"request_id": strings.ToUpper(second)}}}})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", made, nil).JSON, fields{"request_id": second, "version": 1})
	f.Must(t, http.StatusOK, "PATCH", made, fields{"request_id": first}) // is shown, and ignored when it is sent
	for request, want := range map[string]int{first: 1, second: 2, nobody: 0, first + "," + second: 2} {
		if list, _ := f.List(t, "/v1/work-orders?request_id="+request); len(list) != want {
			t.Errorf("of %s there are %d work orders, want %d", request, len(list), want)
		}
	}
	f.peers.Keep("requests", reference.Entry{ID: first, Name: "Balançoire brisée"})
	expanded := f.Must(t, http.StatusOK, "GET", path+"?expand=request", nil).JSON
	resourcetest.Expect(t, expanded, fields{"request_id": first, "request": fields{"id": first, "name": "Balançoire brisée"}})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "closed"})
	resourcetest.Expect(t, accept(true, order["id"], first), fields{"outcome": "refused", "code": "work_order_closed",
		"field": "work_order_id"})
	resourcetest.Expect(t, accept(true, nobody, first), fields{"outcome": "refused", "reason": "not_found", "field": "work_order_id"})
	resourcetest.Expect(t, accept(true, "x", first), fields{"outcome": "refused", "field": "work_order_id"})
}
