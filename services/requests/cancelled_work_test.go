package requests

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// moved says, as the service of work orders does, what became of the work order of a request.
func (f fixture) moved(t testing.TB, request, status string) {
	t.Helper()
	answers := f.Must(t, 200, "POST", "/internal/effects", fields{"check": false,
		"effects": []fields{{"id": uuid.Must(uuid.NewV7()).String(), "sequence": 1,
			"kind": "work_of_request_moved", "stage": "completed", "payload": fields{"request_id": request, "status": status}, "on": "2026-11-23",
			"cause": fields{"collection": "work_orders", "id": workOrder}, "actor": fields{"type": "user", "id": nobody,
				"name": "Marc"}}}}).JSON["answers"]
	resourcetest.Expect(t, answers.([]any)[0].(map[string]any), fields{"outcome": "applied"})
}

// accepted makes a request that is accepted with a work order.
func (f fixture) accepted(t testing.TB, body fields) (path, id string) {
	t.Helper()
	path, record := f.request(t, body)
	f.Must(t, 200, "POST", path+"/accept", fields{"work_order_id": workOrder})
	f.linked(t, path)
	return path, record["id"].(string)
}

// A request whose work was cancelled is rejected with the sentence that the resident sees, or opened again; the work order that is opened
// again brings it back.
func TestARequestWhoseWorkWasCancelled(t *testing.T) {
	f := newFixture(t)
	withWorkshop(t, f)
	path, id := f.accepted(t, fields{"public_note": "Nous passons mardi."})
	refused := f.Must(t, 409, "POST", path+"/reject", fields{"reason": "Terrain privé", "public_note": "Le terrain est privé."})
	resourcetest.Expect(t, refused.JSON, fields{"code": "transition_not_allowed", "allowed": []any{"closed"}})
	if !strings.Contains(refused.JSON["error"].(string), "cancel the work order first") {
		t.Errorf("%s", refused.Body)
	}
	f.moved(t, id, "cancelled") // what the refusal recommends
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "accepted", "work_order_state": "cancelled",
		"work_order_id":       workOrder,
		"allowed_transitions": []any{"closed", "rejected", "submitted"}})

	for _, note := range []any{nil, "Nous passons mardi."} {
		body := fields{"reason": "Terrain privé"}
		if note != nil {
			body["public_note"] = note
		}
		if names := f.Must(t, 400, "POST", path+"/reject", body).Fields(); !slices.Equal(names, []string{"public_note"}) {
			t.Errorf("without another sentence for the resident: %v", names)
		}
	}
	resourcetest.Expect(t, f.Must(t, 200, "POST", path+"/reject", fields{"reason": "Terrain privé",
		"public_note": "Le terrain est privé."}).JSON,
		fields{"status": "rejected", "public_note": "Le terrain est privé.", "work_order_id": nil, "work_order_state": "none",
			"cancelled_work_order_id": workOrder})
	f.moved(t, id, "open")
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "accepted", "work_order_id": workOrder,
		"work_order_state": "linked",
		"reason":           nil, "public_note": nil, "ended_at": nil, "cancelled_work_order_id": nil})

	f.moved(t, id, "cancelled")
	resourcetest.Expect(t, f.Must(t, 200, "POST", path+"/transition", fields{"to": "submitted"}).JSON,
		fields{"status": "submitted", "work_order_id": nil, "public_note": nil, "cancelled_work_order_id": workOrder})
	f.moved(t, id, "open")
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "accepted", "work_order_state": "linked"})
	types := resourcetest.EventTypes(resourcetest.Events(t, f.database), id)
	if n := len(slices.DeleteFunc(types, func(name string) bool { return name != "request.accepted" })); n != 3 {
		t.Errorf("request.accepted was told %d times", n)
	}

	f.moved(t, id, "cancelled") // new work in place of the cancelled
	resourcetest.Expect(t, f.Must(t, 200, "POST", path+"/accept", fields{"work_order_id": workOrder}).JSON,
		fields{"status": "accepted", "work_order_state": "linked", "work_order_id": workOrder})
}

// A request that was closed by its work is accepted again when that is opened again, and closed once more; a rejected one that never had
// the work stays as it is.
func TestAWorkOrderThatIsOpenedAgainOpensItsRequest(t *testing.T) {
	f := newFixture(t)
	withWorkshop(t, f)
	path, id := f.accepted(t, fields{})
	f.tell(t, false, uuid.Must(uuid.NewV7()).String(), id)
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "closed"})
	f.moved(t, id, "open")
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "accepted", "work_order_state": "linked", "ended_at": nil})
	f.moved(t, id, "completed")
	if ended := f.Must(t, 200, "GET", path, nil).JSON; ended["status"] != "closed" || ended["ended_at"] == nil {
		t.Errorf("%v", ended)
	}
	other, record := f.request(t, fields{})
	f.Must(t, 200, "POST", other+"/reject", fields{"reason": "Non"})
	for _, status := range []string{"cancelled", "open", "completed"} {
		f.moved(t, record["id"].(string), status)
	}
	resourcetest.Expect(t, f.Must(t, 200, "GET", other, nil).JSON, fields{"status": "rejected", "reason": "Non", "work_order_id": nil})
}

// The receipt never says of cancelled work that it is being done.
func TestTheReceiptSaysThatWorkWasCancelled(t *testing.T) {
	for waits, want := range map[bool]string{true: "cancelled", false: "accepted"} {
		if got := (shownRequest{Status: accepted, waits: waits}).sentence(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	f := newFixture(t)
	withWorkshop(t, f)
	_, id := f.accepted(t, fields{})
	f.moved(t, id, "cancelled")
	found, err := f.door.readReceipt(principal.Into(t.Context(), f.Principal), id)
	if err != nil || !found.waits {
		t.Errorf("%v %v", found, err)
	}
}

// Every refusal of a move says what is possible instead, and that is possible: from every state, by every way.
func TestWhatARefusalAllowsIsAllowed(t *testing.T) {
	f := newFixture(t)
	withWorkshop(t, f)
	original, _ := f.request(t, fields{})
	of := strings.TrimPrefix(original, "/v1/requests/")
	sent := map[string]fields{rejected: {"reason": "Non", "public_note": "Non."}, duplicate: {"duplicate_of_id": of},
		accepted: {"work_order_id": workOrder}}
	move := func(path, to string) resourcetest.Response {
		body := fields{"to": to}
		for name, value := range sent[to] {
			body[name] = value
		}
		return f.Do(t, "POST", path+"/transition", body)
	}
	states := map[string]func() string{
		"submitted":    func() string { path, _ := f.request(t, fields{}); return path },
		"accepted":     func() string { path, _ := f.accepted(t, fields{}); return path },
		"without work": func() string { path, _ := f.request(t, fields{"status": "accepted", "source": "import"}); return path },
		"cancelled":    func() string { path, id := f.accepted(t, fields{}); f.moved(t, id, "cancelled"); return path },
		"rejected":     func() string { path, _ := f.request(t, fields{}); move(path, rejected); return path },
		"duplicate":    func() string { path, _ := f.request(t, fields{}); move(path, duplicate); return path },
		"withdrawn":    func() string { path, _ := f.request(t, fields{}); move(path, withdrawn); return path },
		"closed":       func() string { path, _ := f.accepted(t, fields{}); move(path, closed); return path },
	}
	ways := map[string]func(path string) (resourcetest.Response, string){
		"accept": func(path string) (resourcetest.Response, string) {
			return f.Do(t, "POST", path+"/accept", fields{"work_order_id": workOrder}), accepted
		},
		"reject": func(path string) (resourcetest.Response, string) {
			return f.Do(t, "POST", path+"/reject", sent[rejected]), rejected
		},
		"duplicate": func(path string) (resourcetest.Response, string) {
			return f.Do(t, "POST", path+"/duplicate", fields{"of": of}), duplicate
		},
	}
	for _, to := range []string{submitted, accepted, rejected, duplicate, withdrawn, closed} {
		ways["to "+to] = func(path string) (resourcetest.Response, string) { return move(path, to), to }
	}
	refusals := 0
	for state, reach := range states {
		for way, try := range ways {
			path := reach()
			response, to := try(path)
			if response.Status != http.StatusConflict {
				continue
			}
			refusals++
			what := fmt.Sprintf("%s, %s: %s", state, way, response.Body)
			allowed, is := response.JSON["allowed"].([]any)
			if !is || slices.Contains(allowed, any(to)) {
				t.Errorf("it allows what it refuses: %s", what)
			}
			shown := f.Must(t, 200, "GET", path, nil).JSON["allowed_transitions"].([]any)
			if fmt.Sprint(shown) != fmt.Sprint(allowed) {
				t.Errorf("the request itself says %v: %s", shown, what)
			}
			for _, next := range allowed {
				if moved := move(reach(), next.(string)); moved.Status != http.StatusOK {
					t.Errorf("it allows %v, which is %s: %s", next, moved.Body, what)
				}
			}
		}
	}
	if refusals < 20 {
		t.Errorf("%d refusals only", refusals)
	}
}

// What a refusal recommends beside a state is possible: a deficiency is taken out, a rejected request is opened again.
func TestWhatARefusalRecommendsIsPossible(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	w.result = deficiency
	f.peers.Keep("deficiencies", reference.Entry{ID: deficiency, Name: "Chaîne"})
	path, _ := f.request(t, fields{"asset_id": swing})
	f.Must(t, 200, "POST", path+"/accept", fields{"deficiency": fields{}})
	testwait.For(t, 10*time.Second, "the deficiency is linked",
		func() bool { return f.Must(t, 200, "GET", path, nil).JSON["work_order_state"] == "linked" })
	refused := f.Must(t, 409, "POST", path+"/reject", fields{"reason": "Non", "public_note": "Non."})
	if !strings.Contains(refused.JSON["error"].(string), "(deficiency_id: null)") {
		t.Errorf("%s", refused.Body)
	}
	f.Must(t, 200, "PATCH", path, fields{"deficiency_id": nil})
	f.Must(t, 200, "POST", path+"/reject", fields{"reason": "Non", "public_note": "Non."})
	refused = f.Must(t, 409, "POST", path+"/accept", fields{"work_order_id": workOrder})
	if !strings.Contains(refused.JSON["error"].(string), "set its status to submitted") {
		t.Errorf("%s", refused.Body)
	}
	f.Must(t, 200, "PATCH", path, fields{"status": "submitted"})
	f.Must(t, 200, "POST", path+"/accept", fields{"work_order_id": workOrder})
}
