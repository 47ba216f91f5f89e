package requests

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// workshop speaks for the service that owns work orders (or deficiencies): it makes one for each effect, once.
type workshop struct {
	mu      sync.Mutex
	made    map[string]map[string]any // payload by effect
	refuses *effects.Result           // what is answered when it is asked
	denies  *effects.Result           // what is answered when it is told
	away    bool
	result  string

	documents []map[string]any // what the owner of documents was told
}

func (w *workshop) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if w.away {
		panic(http.ErrAbortHandler)
	}
	out.Header().Set("Content-Type", "application/json")
	var call struct {
		Check   bool                  `json:"check"`
		Effects []effects.Instruction `json:"effects"`
	}
	_ = json.Unmarshal(body, &call)
	answers := []effects.Result{}
	for _, in := range call.Effects {
		answer := effects.Result{ID: in.ID, Sequence: in.Sequence, Stage: in.Stage, Outcome: effects.Applied}
		switch {
		case call.Check && w.refuses != nil:
			answer.Outcome, answer.Reason, answer.Code, answer.Field, answer.Message = effects.Refused, w.refuses.Reason, w.refuses.Code,
				w.refuses.Field, w.refuses.Message
		case !call.Check && w.denies != nil:
			answer.Outcome, answer.Reason, answer.Message = effects.Refused, w.denies.Reason, w.denies.Message
		case in.Kind == "documents_of_request":
			w.documents = append(w.documents, in.Payload)
		case !call.Check:
			w.made[in.ID] = in.Payload
			answer.ResultID = &w.result
		}
		answers = append(answers, answer)
	}
	_ = json.NewEncoder(out).Encode(map[string]any{"answers": answers})
}

func (w *workshop) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// count is how many records were made, and payload the only one.
func (w *workshop) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.made)
}

func (w *workshop) payload() map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, payload := range w.made {
		return payload
	}
	return nil
}

// withWorkshop gives the fixture those who make work orders and deficiencies, and runs the sender of effects.
func withWorkshop(t testing.TB, f fixture) *workshop {
	t.Helper()
	w := &workshop{made: map[string]map[string]any{}, result: workOrder}
	f.peers.Handle("workorders", "/internal/effects", w)
	f.peers.Handle("assets", "/internal/effects", w)
	f.peers.Handle("documents", "/internal/effects", w)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		effects.NewSender("requests", f.registry.DB, f.peers.References, resourcetest.Log(t), f.desk.recordOutcomes).Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return w
}

func TestAcceptingMakesOneWorkOrder(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	f.service(t, fields{"priority": "high", "type": "emergency", "team_id": team})
	path, record := f.request(t,
		fields{"service_code": "PLAYGROUND", "asset_id": swing, "description": "La chaîne", "requester_email": "anne@example.ca"})
	accepted := f.Must(t, 200, "POST", path+"/accept",
		fields{"work_order": fields{"title": "Réparer la balançoire", "due_date": "2026-12-01"}}).JSON
	if accepted["work_order_state"] == "pending" { // on a machine with much to do
		testwait.For(t, 10*time.Second, "the work order is linked", func() bool {
			accepted = f.Must(t, 200, "GET", path, nil).JSON
			return accepted["work_order_state"] == "linked"
		})
	}
	resourcetest.Expect(t, accepted, fields{"status": "accepted", "work_order_state": "linked", "work_order_id": workOrder})
	made := w.payload()["work_order"].(map[string]any)
	resourcetest.Expect(t, made, fields{"title": "Réparer la balançoire", "description": "La chaîne", "priority": "high", "type": "emergency",
		"team_id": team, "asset_id": swing, "due_date": "2026-12-01",
		"effects": []any{fields{"kind": "close_request", "payload": fields{"request_id": record["id"]}}}})
	if text, _ := json.Marshal(made); strings.Contains(string(text), "anne@") {
		t.Errorf("contact data left the service: %s", text)
	}
	resourcetest.Expect(t, f.Must(t, 409, "POST", path+"/accept", fields{}).JSON, fields{"code": "transition_not_allowed"})
	if w.count() != 1 {
		t.Errorf("%d work orders were made", w.count())
	}
	testwait.For(t, 10*time.Second, "the owner of documents is told", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.documents) == 1 && w.documents[0]["documents_of"] == record["id"] && w.documents[0]["work_order_id"] == workOrder
	})
}

func TestOfTwoAcceptancesAtOnceOneMakesAWorkOrder(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	path, _ := f.request(t, fields{})
	var mu sync.Mutex
	statuses := map[int]int{}
	var calls sync.WaitGroup
	for range 6 {
		calls.Go(func() {
			answer := f.Do(t, "POST", path+"/accept", fields{})
			mu.Lock()
			defer mu.Unlock()
			statuses[answer.Status]++
		})
	}
	calls.Wait()
	if statuses[200] != 1 || statuses[409] != 5 {
		t.Errorf("statuses are %v", statuses)
	}
	testwait.For(t, 10*time.Second, "the work order is linked",
		func() bool { return f.Must(t, 200, "GET", path, nil).JSON["work_order_state"] == "linked" })
	if w.count() != 1 {
		t.Errorf("%d work orders were made", w.count())
	}
}

func TestWhatTheOwnerWouldRefuseIsRefusedBefore(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	path, _ := f.request(t, fields{})
	w.set(func() {
		w.refuses = &effects.Result{Reason: "invalid", Field: "work_order.due_date", Message: "must be a date"}
	})
	answer := f.Must(t, 400, "POST", path+"/accept", fields{"work_order": fields{"due_date": "x"}})
	if names := answer.Fields(); len(names) != 1 || names[0] != "work_order.due_date" {
		t.Errorf("%s", answer.Body)
	}
	w.set(func() { w.refuses, w.away = nil, true })
	f.Must(t, 503, "POST", path+"/accept", fields{})
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "submitted", "work_order_state": "none"})
	w.set(func() { w.away = false })
	for _, body := range []fields{{"work_order": fields{}, "deficiency": fields{}}, {"work_order": "x"}, {"work_order_id": "x"},
		{"title": "x"}} {
		f.Must(t, 400, "POST", path+"/accept", body)
	}
	f.Must(t, 404, "POST", "/v1/requests/"+nobody+"/accept", fields{})
	f.otherOrganization().Must(t, 404, "POST", path+"/accept", fields{})
	narrow := *f.Client
	narrow.Principal.Scopes = []string{"requests:write", "requests:read"}
	resourcetest.Expect(t, narrow.Must(t, 403, "POST", path+"/accept", fields{}).JSON, fields{"required_scope": "work_orders:write"})
}

// What is refused after the acceptance is shown, and can be tried again.
func TestAWorkOrderThatCouldNotBeMadeIsSaidAndTriedAgain(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	path, record := f.request(t, fields{})
	w.set(func() { w.denies = &effects.Result{Reason: "conflict", Message: "The asset is disposed."} })
	f.Must(t, 200, "POST", path+"/accept", fields{})
	testwait.For(t, 10*time.Second, "the refusal is kept",
		func() bool { return f.Must(t, 200, "GET", path, nil).JSON["work_order_state"] == "refused" })
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"work_order_message": "The asset is disposed."})
	if told := resourcetest.EventTypes(resourcetest.Events(t, f.database), record["id"]); !slices.Contains(told, "request.effect_refused") {
		t.Errorf("the events are %v", told)
	}
	w.set(func() { w.denies = nil })
	f.Must(t, 200, "POST", path+"/accept", fields{})
	testwait.For(t, 10*time.Second, "the work order is linked",
		func() bool { return f.Must(t, 200, "GET", path, nil).JSON["work_order_state"] == "linked" })
}

func TestAcceptingWithAWorkOrderThatIsThere(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	path, record := f.request(t, fields{})
	f.Must(t, 200, "POST", path+"/accept", fields{"work_order_id": workOrder})
	f.linked(t, path)
	resourcetest.Expect(t, w.payload(), fields{"work_order_id": workOrder, "request_id": record["id"]})
	w.set(func() { w.denies = &effects.Result{Reason: "conflict", Message: "The work order is cancelled."} })
	other, _ := f.request(t, fields{})
	f.Must(t, 200, "POST", other+"/transition", fields{"to": "accepted", "work_order_id": workOrder})
	testwait.For(t, 10*time.Second, "the refusal is there",
		func() bool { return f.Must(t, 200, "GET", other, nil).JSON["work_order_state"] == "refused" })
	resourcetest.Expect(t, f.Must(t, 200, "GET", other, nil).JSON, fields{"work_order_id": nil,
		"work_order_message": "The work order is cancelled."})
}

// linked waits until a request has its work order.
func (f fixture) linked(t testing.TB, path string) {
	t.Helper()
	var shown fields
	testwait.For(t, 10*time.Second, "the work order is linked", func() bool {
		shown = f.Must(t, 200, "GET", path, nil).JSON
		return shown["work_order_state"] == "linked"
	})
	resourcetest.Expect(t, shown, fields{"status": "accepted", "work_order_id": workOrder})
}

// By whatever door a request is accepted, it is the same: it needs work_orders:write, one work order is made or the named one learns that
// it closes the request, what its owner would refuse is refused before anything is written, and the completion closes the request.
func TestAcceptingIsTheSameByAllDoors(t *testing.T) {
	for name, door := range map[string]struct {
		status int
		fresh  bool
		send   func(f fixture, of *resourcetest.Client, t *testing.T, status int, request, title string, more fields) resourcetest.Response
	}{
		"accept": {200, false, func(f fixture, of *resourcetest.Client, t *testing.T, status int, request, _ string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "POST", "/v1/requests/"+request+"/accept", more)
		}},
		"PATCH": {200, false, func(f fixture, of *resourcetest.Client, t *testing.T, status int, request, _ string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "PATCH", "/v1/requests/"+request, merged(fields{"status": "accepted"}, more))
		}},
		"transition": {200, false, func(f fixture, of *resourcetest.Client, t *testing.T, status int, request, _ string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "POST", "/v1/requests/"+request+"/transition", merged(fields{"to": "accepted"}, more))
		}},
		"bulk": {200, false, func(f fixture, of *resourcetest.Client, t *testing.T, status int, request, _ string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "PATCH", "/v1/requests/bulk", fields{"data": []fields{merged(fields{"id": request, "status": "accepted"},
				more)}})
		}},
		"POST": {201, true, func(f fixture, of *resourcetest.Client, t *testing.T, status int, _, title string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "POST", "/v1/requests", merged(fields{"title": title, "status": "accepted", "external_id": title}, more))
		}},
		"PUT": {201, true, func(f fixture, of *resourcetest.Client, t *testing.T, status int, _, title string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "PUT", "/v1/requests/by-external-id/"+title, merged(fields{"title": title, "status": "accepted"}, more))
		}},
		"PUT of one that is there": {200, false, func(f fixture, of *resourcetest.Client, t *testing.T, status int, _, title string,
			more fields) resourcetest.Response {
			return of.Must(t, status, "PUT", "/v1/requests/by-external-id/"+title, merged(fields{"title": title, "status": "accepted"}, more))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := withWorkshop(t, f)
			f.service(t, fields{"type": "emergency", "team_id": team})
			narrow := *f.Client
			narrow.Principal.Scopes = []string{"requests:write", "requests:read"}
			accept := func(of *resourcetest.Client, status int, title string, more fields) (path, id string) {
				t.Helper()
				if !door.fresh {
					path, record := f.request(t, fields{"title": title, "external_id": title, "service_code": "PLAYGROUND", "asset_id": swing})
					answer := door.send(f, of, t, status, record["id"].(string), title, more)
					if status == 403 {
						resourcetest.Expect(t, answer.JSON, fields{"required_scope": "work_orders:write"})
					}
					return path, record["id"].(string)
				}
				answer := door.send(f, of, t, status, "", title, merged(fields{"service_code": "PLAYGROUND", "asset_id": swing}, more))
				if status == 403 {
					resourcetest.Expect(t, answer.JSON, fields{"required_scope": "work_orders:write"})
				}
				if status > 299 {
					if list, _ := f.List(t, "/v1/requests?external_id="+title); len(list) > 0 {
						t.Errorf("it was written: %v", list)
					}
					return "", ""
				}
				id = answer.JSON["id"].(string)
				return "/v1/requests/" + id, id
			}
			if name != "bulk" { // its rows say so below
				accept(&narrow, 403, "R1", fields{})
				accept(&narrow, 403, "R2", fields{"work_order_id": workOrder})
				w.set(func() {
					w.refuses = &effects.Result{Reason: "conflict", Code: "asset_disposed", Message: "The asset is disposed."}
				})
				path, _ := accept(f.Client, 409, "R3", fields{})
				w.set(func() { w.refuses = nil })
				if path != "" {
					resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "submitted", "work_order_state": "none"})
				}
			}
			if w.count() != 0 {
				t.Fatalf("%d work orders", w.count())
			}
			path, id := accept(f.Client, door.status, "R4", fields{})
			f.linked(t, path)
			closing := []any{fields{"kind": "close_request", "payload": fields{"request_id": id}}}
			resourcetest.Expect(t, w.payload()["work_order"].(fields), fields{"title": "R4", "type": "emergency", "team_id": team, "asset_id": swing,
				"effects": closing})
			w.set(func() { w.made = map[string]map[string]any{} })
			path, id = accept(f.Client, door.status, "R5", fields{"work_order_id": workOrder})
			f.linked(t, path)
			if made := w.payload(); w.count() != 1 || made["work_order_id"] != workOrder || made["request_id"] != id {
				t.Errorf("%d: %v", w.count(), made)
			}
			resourcetest.Expect(t, f.tell(t, false, uuid.NewString(), id), fields{"outcome": "applied"})
			resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "closed", "work_order_id": workOrder})
		})
	}
}

// Of a bulk call, each row says what speaks against it; a request that another system had is recorded as accepted without work, and naming
// work afterwards is accepting by the same rule.
func TestAcceptingManyAndWhatIsRecorded(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	narrow := *f.Client
	narrow.Principal.Scopes = []string{"requests:write", "requests:read"}
	rows := []fields{}
	for _, title := range []string{"a", "b"} {
		_, record := f.request(t, fields{"title": title})
		rows = append(rows, fields{"id": record["id"], "status": "accepted"})
	}
	_, record := f.request(t, fields{"title": "c"})
	rows = append(rows, fields{"id": record["id"], "priority": "low"})
	answer := narrow.Must(t, 200, "PATCH", "/v1/requests/bulk?atomic=false", fields{"data": rows}).JSON
	resourcetest.Expect(t, answer["summary"].(fields), fields{"failed": 2.0, "updated": 1.0})
	f.Must(t, 200, "PATCH", "/v1/requests/bulk", fields{"data": rows})
	testwait.For(t, 10*time.Second, "both have work", func() bool {
		list, _ := f.List(t, "/v1/requests?work_order_state=linked")
		return len(list) == 2
	})
	if w.count() != 2 {
		t.Errorf("%d work orders", w.count())
	}
	path, _ := f.request(t, fields{"status": "accepted", "source": "import"})
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"work_order_state": "none"})
	narrow.Must(t, 403, "PATCH", path, fields{"work_order_id": workOrder})
	f.Must(t, 200, "PATCH", path, fields{"work_order_id": workOrder})
	f.linked(t, path)
	resourcetest.Expect(t, f.Must(t, 200, "PATCH", path, fields{"work_order_id": workOrder, "priority": "high"}).JSON,
		fields{"work_order_state": "linked"})
	if w.count() != 3 {
		t.Errorf("%d work orders", w.count())
	}
	f.Must(t, 200, "POST", path+"/transition", fields{"to": "closed"})
	f.Must(t, 200, "POST", path+"/transition", fields{"to": "accepted"}) // anew: new work
	f.linked(t, path)
	if w.count() != 4 {
		t.Errorf("%d work orders", w.count())
	}
}

func merged(all ...fields) fields {
	one := fields{}
	for _, of := range all {
		maps.Copy(one, of)
	}
	return one
}

func TestAcceptingRecordsADeficiency(t *testing.T) {
	f := newFixture(t)
	w := withWorkshop(t, f)
	w.result = deficiency
	f.peers.Keep("deficiencies", reference.Entry{ID: deficiency, Name: "Chaîne"})
	path, record := f.request(t, fields{"asset_id": swing})
	f.Must(t, 200, "POST", path+"/accept", fields{"deficiency": fields{"estimated_cost": 450}})
	testwait.For(t, 10*time.Second, "the deficiency is linked",
		func() bool { return f.Must(t, 200, "GET", path, nil).JSON["work_order_state"] == "linked" })
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON,
		fields{"deficiency_id": deficiency, "work_order_id": nil, "status": "accepted"})
	resourcetest.Expect(t, w.payload()["deficiency"].(map[string]any),
		fields{"title": "Balançoire brisée", "asset_id": swing, "source": "request", "source_id": record["id"], "estimated_cost": 450.0})
}

// tell sends one instruction of the service that did the work.
func (f fixture) tell(t testing.TB, check bool, effect, request string) map[string]any {
	t.Helper()
	answers := f.Must(t, 200, "POST", "/internal/effects", fields{"check": check, "effects": []fields{{"id": effect, "sequence": 1,
		"kind": "close_request", "stage": "completed", "payload": fields{"request_id": request}, "on": "2026-11-23",
		"cause": fields{"collection": "work_orders", "id": workOrder}, "actor": fields{"type": "user", "id": nobody, "name": "Marc"}}}}).
		JSON["answers"]
	return answers.([]any)[0].(map[string]any)
}

func TestTheCompletionOfTheWorkClosesTheRequest(t *testing.T) {
	f := newFixture(t)
	path, record := f.request(t, fields{"status": "accepted", "source": "import"})
	duplicate, _ := f.request(t, fields{})
	f.Must(t, 200, "POST", duplicate+"/duplicate", fields{"of": record["id"]})
	id, effect := record["id"].(string), "019a3c5e-0000-7000-8000-000000000100"
	resourcetest.Expect(t, f.tell(t, true, effect, id), fields{"outcome": "applied"})
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "accepted"})
	for range 2 {
		resourcetest.Expect(t, f.tell(t, false, effect, id), fields{"outcome": "applied", "result_id": id})
	}
	closed := f.Must(t, 200, "GET", path, nil).JSON
	resourcetest.Expect(t, closed, fields{"status": "closed", "work_order_id": workOrder, "work_order_state": "linked"})
	if actor := closed["updated_by"].(map[string]any); actor["name"] != "Marc" {
		t.Errorf("closed by %v", actor)
	}
	resourcetest.Expect(t, f.Must(t, 200, "GET", duplicate, nil).JSON, fields{"status": "duplicate", "ended_at": closed["ended_at"]})
	resourcetest.Expect(t, f.tell(t, false, "019a3c5e-0000-7000-8000-000000000101", id), fields{"outcome": "applied"})
	rejected, other := f.request(t, fields{})
	resourcetest.Expect(t, f.tell(t, true, effect, other["id"].(string)), fields{"outcome": "applied"})
	f.Must(t, 200, "POST", rejected+"/reject", fields{"reason": "Non"})
	resourcetest.Expect(t, f.tell(t, false, "019a3c5e-0000-7000-8000-000000000102", other["id"].(string)),
		fields{"outcome": "refused", "code": "request_not_open", "field": "request_id"})
	resourcetest.Expect(t, f.tell(t, false, "019a3c5e-0000-7000-8000-000000000103", nobody),
		fields{"outcome": "refused", "reason": "not_found"})
	types := resourcetest.EventTypes(resourcetest.Events(t, f.database), id)
	if want := []string{"request.created", "request.accepted", "request.updated", "request.closed",
		"request.updated"}; !slices.Equal(types, want) {
		t.Errorf("%v", types)
	}
}
