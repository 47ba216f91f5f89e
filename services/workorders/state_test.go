package workorders

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

// inState is a body that can be created in a state.
func inState(status string) fields {
	body := fields{"title": "Travail " + status, "status": status}
	switch status {
	case "on_hold":
		body["hold_reason"] = "Pièce en commande"
	case "cancelled":
		body["cancel_reason"] = "Doublon"
	}
	return body
}

// move is a body that moves to a state.
func move(field, to string) fields {
	body := inState(to)
	delete(body, "title")
	delete(body, "status")
	body[field] = to
	return body
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	moves := map[string][]string{ // word for word as documented
		"open": {"in_progress", "on_hold", "completed", "cancelled"}, "in_progress": {"on_hold", "completed", "cancelled"},
		"on_hold": {"in_progress", "cancelled"}, "completed": {"closed", "in_progress"}, "cancelled": {"open"}, "closed": {},
	}
	for from, allowed := range moves {
		for to := range moves {
			for _, way := range []string{"PATCH", "transition"} {
				t.Run(from+" to "+to+" by "+way, func(t *testing.T) {
					path, record := f.create(t, inState(from))
					if got := fmt.Sprint(record["allowed_transitions"]); got != "["+strings.Join(allowed, " ")+"]" {
						t.Errorf("allowed_transitions of %s are %s, want %v", from, got, allowed)
					}
					send := func() (int, fields) {
						response := f.Do(t, "POST", path+"/transition", move("to", to))
						return response.Status, response.JSON
					}
					if way == "PATCH" {
						send = func() (int, fields) {
							response := f.Do(t, "PATCH", path, move("status", to))
							return response.Status, response.JSON
						}
					}
					status, response := send()
					switch {
					case from == to && way == "PATCH":
						if status != http.StatusOK || response["version"] != 1.0 {
							t.Errorf("staying is %d, version %v", status, response["version"])
						}
					case slices.Contains(allowed, to):
						if status != http.StatusOK || response["status"] != to {
							t.Errorf("allowed, but %d: %v", status, response)
						}
					default:
						resourcetest.Expect(t, response, fields{"code": "transition_not_allowed", "field": "status", "value": to})
						if list, named := response["allowed"].([]any); status != http.StatusConflict || !named || len(list) != len(allowed) {
							t.Errorf("not allowed, but %d, allowed %v: %v", status, list, response)
						}
					}
				})
			}
		}
	}
}

// A move that is not allowed says so, not what it would have needed.
func TestAMoveThatIsNotAllowedNeedsNoReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, inState("completed"))
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "cancelled"}).JSON,
		fields{"code": "transition_not_allowed"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/transition", fields{"to": "on_hold"}).JSON,
		fields{"code": "transition_not_allowed"})
}

func TestMovesAreStamped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{})
	resourcetest.Expect(t, record, fields{"status": "open", "type": "corrective", "priority": "medium", "started_at": nil,
		"completed_at": nil, "closed_at": nil})
	to := func(state string) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "POST", path+"/transition", move("to", state)).JSON
	}
	recent := func(record fields, field string) string {
		t.Helper()
		text, _ := record[field].(string)
		at, err := time.Parse(time.RFC3339Nano, text)
		if age := time.Since(at); err != nil || age < -time.Minute || age > time.Minute {
			t.Errorf("%s is %v, want now", field, record[field])
		}
		return text
	}
	started := recent(to("in_progress"), "started_at")
	resourcetest.Expect(t, to("on_hold"), fields{"hold_reason": "Pièce en commande", "started_at": started, "completed_at": nil})
	resourcetest.Expect(t, to("in_progress"), fields{"hold_reason": nil, "started_at": started})
	first := to("completed")
	completed := recent(first, "completed_at")
	resourcetest.Expect(t, first, fields{"started_at": started})
	resourcetest.Expect(t, to("in_progress"), fields{"completed_at": nil, "started_at": started})
	if again := recent(to("completed"), "completed_at"); again <= completed {
		t.Errorf("completed again at %s, before at %s", again, completed)
	}
	closed := to("closed")
	recent(closed, "closed_at")
	if closed["response_hours"] == nil || closed["resolution_hours"] == nil || closed["is_overdue"] != false {
		t.Errorf("a closed work order has %v %v %v", closed["response_hours"], closed["resolution_hours"], closed["is_overdue"])
	}
	entries, _ := f.List(t, path+"/history?per_page=100")
	if len(entries) != int(closed["version"].(float64)) {
		t.Errorf("%d entries of history for version %v", len(entries), closed["version"])
	}
}

func TestTimesMayBeGivenWithTheirMove(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	early, late := "2026-01-05T13:00:00Z", "2026-01-05T16:30:00Z"
	path, _ := f.create(t, fields{})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition",
		fields{"to": "completed", "started_at": early, "completed_at": late, "completion_notes": "Fait"}).JSON,
		fields{"started_at": early, "completed_at": late, "completion_notes": "Fait", "status": "completed", "response_hours": nil,
			"resolution_hours": nil})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path,
		fields{"status": "closed", "closed_at": "2026-01-06T08:00:00Z"}).JSON, fields{"closed_at": "2026-01-06T08:00:00Z"})

	_, record := f.create(t, fields{"status": "closed", "started_at": early, "completed_at": late, "closed_at": late})
	resourcetest.Expect(t, record, fields{"started_at": early, "completed_at": late, "closed_at": late, "status": "closed"})
	_, record = f.create(t, fields{"status": "completed"})
	resourcetest.Expect(t, record, fields{"started_at": nil, "completed_at": nil}) // the time is unknown, and a guess would be counted
}

// Work of another system has a past: its response counts from when it was asked for, not from when it was loaded.
func TestWorkOfAnotherSystemSaysWhenItWasRequested(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asked, begun, done := "2024-03-04T12:00:00Z", "2024-03-04T13:30:00Z", "2024-03-06T12:00:00Z"
	path, record := f.create(t, fields{"external_id": "old-1", "status": "closed", "requested_at": asked, "started_at": begun,
		"completed_at": done, "closed_at": done})
	resourcetest.Expect(t, record, fields{"requested_at": asked, "response_hours": 1.5, "resolution_hours": 48})
	for query, want := range map[string]float64{"requested_at_to=2024-12-31": 1, "requested_at_from=2025-01-01": 0} {
		if _, pagination := f.List(t, "/v1/work-orders?"+query); pagination["total"] != want {
			t.Errorf("%s finds %v, want %v", query, pagination["total"], want)
		}
	}
	again := f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk?on_conflict=update", fields{"data": []fields{{"title": record["title"],
		"external_id": "old-1", "requested_at": asked}}}).JSON
	resourcetest.Expect(t, again["results"].([]any)[0].(fields), fields{"status": "unchanged"})
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"requested_at": nil}) // closed is final

	path, record = f.create(t, fields{"status": "in_progress", "started_at": begun})
	resourcetest.Expect(t, record, fields{"requested_at": nil, "response_hours": nil})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"requested_at": asked}).JSON, fields{"response_hours": 1.5})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "completed_at": done}).JSON,
		fields{"response_hours": 1.5, "resolution_hours": 48})

	path, _ = f.create(t, fields{})
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	for field, refused := range map[string]resourcetest.Response{
		"requested_at": f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Fuite", "requested_at": in(time.Hour)}),
		"started_at": f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Fuite", "requested_at": done,
			"started_at": begun}),
		"completed_at": f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Fuite", "status": "completed",
			"requested_at": done, "completed_at": begun}),
	} {
		resourcetest.Expect(t, refused.JSON["fields"].([]any)[0].(fields), fields{"field": field})
	}
	// Nobody is faster for saying afterwards that it was asked for later.
	refused := f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"requested_at": in(2 * time.Minute)}).JSON["fields"].([]any)[0].(fields)
	if refused["field"] != "requested_at" || !strings.Contains(fmt.Sprint(refused["message"]), "must not be after created_at") {
		t.Errorf("a later request is refused with %v", refused)
	}
}

func TestStateRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	past, later, tomorrow := "2026-01-05T13:00:00Z", "2026-01-05T16:00:00Z", time.Now().UTC().Add(24*time.Hour).Format(time.RFC3339)
	for _, c := range []struct {
		name         string
		before, body fields // before nil: body is created, else it patches
		refused      string
		want         fields
	}{
		{"on hold needs a reason", nil, fields{"status": "on_hold"}, "hold_reason", nil},
		{"cancelled needs a reason", nil, fields{"status": "cancelled"}, "cancel_reason", nil},
		{"the reason of a hold is for holds", nil, fields{"hold_reason": "x"}, "hold_reason", nil},
		{"that of a cancellation too", nil, fields{"status": "on_hold", "hold_reason": "x", "cancel_reason": "y"}, "cancel_reason", nil},
		{"a blank reason is none", nil, fields{"status": "on_hold", "hold_reason": "  "}, "hold_reason", nil},
		{"holding needs a reason", fields{}, fields{"status": "on_hold"}, "hold_reason", nil},
		{"cancelling needs a reason", fields{}, fields{"status": "cancelled"}, "cancel_reason", nil},
		{"while it is on hold the reason stays", inState("on_hold"), fields{"hold_reason": nil}, "hold_reason", nil},
		{"it can be changed", inState("on_hold"), fields{"hold_reason": "Gel"}, "", fields{"hold_reason": "Gel"}},
		{"opening again forgets the cancellation", inState("cancelled"), fields{"status": "open"}, "", fields{"cancel_reason": nil}},
		{"completed_at is for what is completed", nil, fields{"completed_at": past}, "completed_at", nil},
		{"closed_at is for what is closed", nil, fields{"status": "completed", "closed_at": past}, "closed_at", nil},
		{"completed before it began", nil, fields{"status": "completed", "started_at": later, "completed_at": past}, "completed_at", nil},
		{"closed before it was completed", nil, fields{"status": "closed", "completed_at": later, "closed_at": past}, "closed_at", nil},
		{"begun tomorrow", nil, fields{"status": "in_progress", "started_at": tomorrow}, "started_at", nil},
		{"a stamp is not changed afterwards", fields{"status": "completed", "completed_at": past}, fields{"completed_at": later},
			"completed_at", nil},
		{"nor cleared", fields{"status": "in_progress", "started_at": past}, fields{"started_at": nil}, "started_at", nil},
		{"a new completion cannot come with the reopening", fields{"status": "completed", "completed_at": past},
			fields{"status": "in_progress", "completed_at": later}, "completed_at", nil},
		{"closing does not change the completion", fields{"status": "completed", "completed_at": past},
			fields{"status": "closed", "completed_at": later}, "completed_at", nil},
		{"completing keeps the beginning", fields{"status": "in_progress", "started_at": past}, fields{"status": "completed"}, "",
			fields{"started_at": past}},
		{"a schedule that ends before it begins", nil, fields{"scheduled_start": later, "scheduled_end": past}, "scheduled_end", nil},
		{"one that ends when it begins", nil, fields{"scheduled_start": past, "scheduled_end": past}, "", fields{"scheduled_end": past}},
		{"a patch that makes it so", fields{"scheduled_end": past}, fields{"scheduled_start": later}, "scheduled_end", nil},
		{"no such state", nil, fields{"status": "done"}, "status", nil},
		{"no such priority", nil, fields{"priority": "extreme"}, "priority", nil},
		{"no e-mail address", nil, fields{"requester_email": "marc"}, "requester_email", nil},
		{"negative downtime", nil, fields{"downtime_minutes": -1}, "downtime_minutes", nil},
		{"no title", nil, fields{"title": " "}, "title", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			method, path, status := "POST", "/v1/work-orders", http.StatusCreated
			if c.before == nil {
				if c.body["title"] == nil {
					c.body["title"] = c.name
				}
			} else {
				path, _ = f.create(t, c.before)
				method, status = "PATCH", http.StatusOK
			}
			if c.refused == "" {
				resourcetest.Expect(t, f.Must(t, status, method, path, c.body).JSON, c.want)
			} else if response := f.Must(t, http.StatusBadRequest, method, path, c.body); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s", response.Fields(), c.refused)
			}
		})
	}
}

func TestTheBodyOfATransition(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	for name, c := range map[string]struct {
		body    any
		refused string
	}{
		"nowhere to":         {fields{}, "to"},
		"to nothing":         {fields{"to": nil}, "to"},
		"to no state":        {fields{"to": "done"}, "to"},
		"its other name":     {fields{"status": "in_progress"}, "status"},
		"another field":      {fields{"to": "in_progress", "title": "Autre"}, "title"},
		"without its reason": {fields{"to": "on_hold"}, "hold_reason"},
		"a wrong type":       {fields{"to": "completed", "completion_notes": 3}, "completion_notes"},
	} {
		t.Run(name, func(t *testing.T) {
			if response := f.Must(t, http.StatusBadRequest, "POST", path+"/transition", c.body); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
			}
		})
	}
	f.Must(t, http.StatusBadRequest, "POST", path+"/transition", "[]")
	f.Must(t, http.StatusBadRequest, "GET", path+"/transition", nil)
	f.Must(t, http.StatusNotFound, "POST", "/v1/work-orders/"+nobody+"/transition", fields{"to": "in_progress"})
	f.Other().Must(t, http.StatusNotFound, "POST", path+"/transition", fields{"to": "in_progress"})
	reader := *f.Client
	reader.Principal.Scopes = []string{"work_orders:read"}
	reader.Must(t, http.StatusForbidden, "POST", path+"/transition", fields{"to": "in_progress"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/transition", fields{"to": "in_progress"}, "If-Match",
		`"7"`).JSON, fields{"code": "version_mismatch"})
	first := f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "in_progress"}, "Idempotency-Key", "once")
	if first.Header.Get("ETag") != `"2"` {
		t.Errorf("ETag %s", first.Header.Get("ETag"))
	}
	if again := f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "in_progress"}, "Idempotency-Key",
		"once"); !reflect.DeepEqual(again.JSON, first.JSON) {
		t.Errorf("sent again: %s", again.Body)
	}
}

func TestClosedIsFinalWithAllItsParts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{"status": "completed"})
	parts := map[string]fields{"comments": {"body": "Fait"}, "tasks": {"title": "Nettoyer"},
		"targets": {"target_type": "asset", "target_id": tablet}, "costs": {"kind": "other", "unit_cost": 10}}
	made := map[string]string{}
	for part, body := range parts {
		made[part] = fmt.Sprint(path, "/", part, "/", f.Create(t, path+"/"+part, body)["id"])
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "closed"})
	refused := func(method, path string, body any) {
		t.Helper()
		if response := f.Must(t, http.StatusConflict, method, path, body).JSON; response["code"] != "work_order_closed" ||
			response["field"] != "status" || response["value"] != "closed" {
			t.Errorf("%s %s: %v", method, path, response)
		}
	}
	refused("PATCH", path, fields{"title": "Autre"})
	refused("PATCH", path, fields{"tags": []string{"x"}})
	f.Must(t, http.StatusConflict, "PATCH", "/v1/work-orders/bulk", fields{"data": []fields{{"id": record["id"], "title": "Autre"}}})
	f.Must(t, http.StatusConflict, "POST", "/v1/work-orders/bulk?on_conflict=update",
		fields{"data": []fields{{"number": record["number"], "title": "Autre"}}})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON, fields{"code": "delete_not_allowed", "value": "closed"})
	for part, body := range parts {
		refused("PATCH", made[part], fields{"external_id": "x"})
		refused("DELETE", made[part], nil)
		if part == "costs" {
			continue // those that come late can be added
		}
		refused("POST", path+"/"+part, body)
		f.Must(t, http.StatusConflict, "POST", path+"/"+part+"/bulk", fields{"data": []fields{body}})
		f.Must(t, http.StatusOK, "GET", made[part], nil)
	}
	closed := f.Must(t, http.StatusOK, "GET", path, nil).JSON
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, closed).JSON,
		fields{"version": closed["version"]}) // what was read can be sent back
}

func TestWhatMayBeDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for status, deletable := range map[string]bool{"open": true, "cancelled": true, "in_progress": false, "on_hold": false,
		"completed": false, "closed": false} {
		path, _ := f.create(t, inState(status))
		if deletable {
			f.Must(t, http.StatusNoContent, "DELETE", path, nil)
			continue
		}
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON,
			fields{"code": "delete_not_allowed", "field": "status", "value": status})
	}
	path, record := f.create(t, fields{})
	f.Create(t, path+"/comments", fields{"body": "Bonjour"})
	f.Create(t, path+"/tasks", fields{"title": "Nettoyer"})
	cost := f.Create(t, path+"/costs", fields{"kind": "other"})
	refusal := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON
	if !reflect.DeepEqual(refusal["dependents"], fields{"work_order_costs": 1.0}) {
		t.Errorf("refused with %v", refusal)
	}
	f.Must(t, http.StatusConflict, "DELETE", "/v1/work-orders/bulk", fields{"data": []fields{{"id": record["id"]}}})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(path, "/costs/", cost["id"]), nil)
	f.peers.Depend(record["id"].(string), "project_links", 2)
	if refusal := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON; !reflect.DeepEqual(refusal["dependents"],
		fields{"project_links": 2.0}) {
		t.Errorf("refused with %v", refusal)
	}
	f.peers.Depend(record["id"].(string), "project_links", 0)
}
