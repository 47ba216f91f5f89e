package workorders

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

func closing(deficiency string) fields {
	return fields{"kind": "close_deficiency", "payload": fields{"deficiency_id": deficiency}}
}

// states gives the states of a work order's effects, oldest first.
func states(t testing.TB, client *resourcetest.Client, path string) (states []string) {
	t.Helper()
	listed, _ := client.List(t, path+"/effects")
	for _, effect := range listed {
		states = append(states, effect["state"].(string))
	}
	return states
}

func (f fixture) become(t *testing.T, path string, want ...string) {
	t.Helper()
	testwait.For(t, time.Minute, fmt.Sprintf("the effects to be %v", want), func() bool {
		return slices.Equal(states(t, f.Client, path), want)
	})
}

// drained waits until all instructions are answered.
func (f fixture) drained(t *testing.T) {
	t.Helper()
	testwait.For(t, time.Minute, "no instruction to wait", func() bool { return f.waiting(t) == 0 })
}

func TestAnEffectFollowsItsWorkOrder(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, work := f.create(t, fields{"effects": []any{closing(deficiency)}})
	f.become(t, path, "planned")
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "in_progress"})
	f.Must(t, http.StatusCreated, "POST", path+"/costs", fields{"kind": "material", "quantity": 2, "unit_cost": 30.25})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed", "completed_at": "2026-11-22T03:30:00Z",
		"started_at": "2026-11-22T02:00:00Z"})
	f.become(t, path, "applied")
	f.drained(t)
	if got := f.owners.stagesOf(deficiency); !slices.Equal(got, []string{"planned", "begun", "completed"}) {
		t.Errorf("the deficiency was told %v", got)
	}
	last := f.owners.last[deficiency]
	if last.On != "2026-11-21" || last.Cause.Cost != "60.50" || last.Cause.ID != work["id"] || *last.Cause.Number != work["number"] ||
		last.Cause.Collection != "work_orders" || last.Actor.Name != "conformance" {
		t.Errorf("completed by %+v", last)
	}
	listed, _ := f.List(t, path+"/effects")
	if listed[0]["result_id"] != deficiency || listed[0]["message"] != nil {
		t.Errorf("the effect is %v", listed[0])
	}
}

// What the work cost is divided among the deficiencies that it corrects, to the cent; nothing of it is told twice.
func TestTheCostIsDividedAmongTheDeficienciesThatAreCorrected(t *testing.T) {
	f := newFixtureAlone(t)
	f.send(t)
	ids := []string{uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()}
	told := func(want map[string]string) {
		t.Helper()
		f.drained(t)
		f.owners.set(func() {
			for id, cost := range want {
				if last := f.owners.last[id]; last.Stage != "completed" || last.Cause.Cost != cost {
					t.Errorf("%s was told %s with a cost of %q, want %q", id, last.Stage, last.Cause.Cost, cost)
				}
			}
		})
	}
	path, _ := f.create(t, fields{"effects": []any{closing(ids[0]),
		fields{"kind": "read_meter", "payload": fields{"meter_id": nobody, "value": 1}}, closing(ids[1])}})
	f.Must(t, http.StatusCreated, "POST", path+"/costs", fields{"kind": "contractor", "unit_cost": 100})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "effects": []any{closing(ids[2])}})
	told(map[string]string{ids[0]: "33.34", ids[1]: "33.33", ids[2]: "33.33", nobody: ""}) // 10,000 cents ÷ 3 = 3,333, 1 left

	// Once it is completed again, the fourth has what was spent since: 150.05 less 100.00.
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"})
	f.Must(t, http.StatusCreated, "POST", path+"/costs", fields{"kind": "contractor", "unit_cost": 50.05})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "effects": []any{closing(ids[3])}})
	told(map[string]string{ids[0]: "33.34", ids[3]: "50.05"})
	f.Must(t, http.StatusCreated, "POST", path+"/effects", closing(ids[4])) // nothing is left
	told(map[string]string{ids[4]: ""})

	// One that was refused has the part that it had before, whatever came later.
	path, _ = f.create(t, fields{})
	f.Must(t, http.StatusCreated, "POST", path+"/costs", fields{"kind": "contractor", "unit_cost": 0.05})
	first, second := uuid.NewString(), uuid.NewString()
	f.owners.set(func() {
		f.owners.refused[second], f.owners.onlyLater = fault.Conflict("deficiency_void", "deficiency_id", second, "The deficiency is void."), true
	})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "effects": []any{closing(first), closing(second)}})
	f.become(t, path, "applied", "refused")
	f.owners.set(func() { delete(f.owners.refused, second) })
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "closed"})
	f.Must(t, http.StatusCreated, "POST", path+"/costs", fields{"kind": "contractor", "unit_cost": 7})
	listed, _ := f.List(t, path+"/effects")
	f.Must(t, http.StatusOK, "POST", path+"/effects/"+listed[1]["id"].(string)+"/retry", nil)
	f.become(t, path, "applied", "applied")
	told(map[string]string{first: "0.03", second: "0.02"}) // 5 cents ÷ 2 = 2, 1 left
}

// Reopened, what was applied stays; completed again, it does not happen again. What waits for its owner is withdrawn.
func TestReopeningWithdrawsWhatIsPendingAndKeepsWhatIsApplied(t *testing.T) {
	f, first, second := newFixtureAlone(t), uuid.NewString(), uuid.NewString()
	path, _ := f.create(t, fields{"effects": []any{closing(first)}})
	stop := f.send(t)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	f.become(t, path, "applied")
	f.drained(t)
	stop()
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed", "effects": []any{
		closing(second), fields{"kind": "read_meter", "payload": fields{"meter_id": nobody, "value": 120}}}})
	f.become(t, path, "applied", "pending", "pending")
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"})
	f.become(t, path, "applied", "withdrawn", "withdrawn")
	f.send(t)
	f.drained(t)
	f.become(t, path, "applied", "withdrawn", "withdrawn")
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	f.drained(t)
	f.become(t, path, "applied", "withdrawn", "withdrawn")
	for record, want := range map[string][]string{first: {"planned", "completed"}, second: {"cancelled"}, nobody: nil} {
		if got := f.owners.stagesOf(record); !slices.Equal(got, want) {
			t.Errorf("%s was told %v, want %v", record, got, want)
		}
	}
	listed, _ := f.List(t, path+"/effects")
	again := path + "/effects/" + listed[2]["id"].(string) + "/retry"
	if got := f.Must(t, http.StatusOK, "POST", again, nil).JSON; got["state"] != "pending" {
		t.Errorf("tried again, it is %v", got)
	}
	f.become(t, path, "applied", "withdrawn", "applied")
	f.Must(t, http.StatusConflict, "POST", again, nil)
	f.Must(t, http.StatusConflict, "POST", path+"/effects/"+listed[0]["id"].(string)+"/withdraw", nil)
	f.Must(t, http.StatusConflict, "DELETE", path+"/effects/"+listed[0]["id"].(string), nil)
}

// What the owner would refuse is the answer to the cause, and an owner that is away a 503. Nothing is written.
func TestTheOwnerIsAskedBeforeTheCauseIsWritten(t *testing.T) {
	f, gone, void := newFixtureAlone(t), uuid.NewString(), uuid.NewString()
	f.owners.refused[gone] = fault.Invalid("invalid_request", "is not a deficiency of this organization")
	f.owners.refused[gone].Field = "deficiency_id"
	f.owners.refused[void] = fault.Conflict("deficiency_void", "deficiency_id", void, "The deficiency is void.")
	body := func(list ...any) fields { return fields{"title": "Remplacer la pompe", "effects": list} }
	answer := f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", body(closing(uuid.NewString()), closing(gone)))
	if !slices.Equal(answer.Fields(), []string{"effects[1].payload.deficiency_id"}) {
		t.Errorf("answered %s", answer.Body)
	}
	answer = f.Must(t, http.StatusConflict, "POST", "/v1/work-orders", body(closing(void)))
	if answer.JSON["code"] != "deficiency_void" || answer.JSON["field"] != "effects[0].payload.deficiency_id" {
		t.Errorf("answered %s", answer.Body)
	}
	path, _ := f.create(t, fields{"effects": []any{fields{"kind": "replace", "payload": fields{"asset_id": assetIDs[0]}}}})
	f.Must(t, http.StatusBadRequest, "POST", path+"/effects", closing(gone))
	f.Must(t, http.StatusConflict, "POST", path+"/effects", closing(void))
	f.owners.refused[assetIDs[0]] = fault.Conflict("asset_disposed", "asset_id", assetIDs[0], "The asset is disposed.")
	for _, request := range []struct {
		method, path string
		body         fields
	}{
		{"PATCH", path, fields{"status": "completed"}},
		{"POST", path + "/transition", fields{"to": "completed"}},
	} {
		answer := f.Must(t, http.StatusConflict, request.method, request.path, request.body)
		if answer.JSON["code"] != "effect_refused" || !strings.Contains(string(answer.Body), "The asset is disposed.") {
			t.Errorf("answered %s", answer.Body)
		}
	}
	delete(f.owners.refused, assetIDs[0])
	f.owners.set(func() { f.owners.away = true })
	f.Must(t, http.StatusServiceUnavailable, "POST", "/v1/work-orders", body(closing(uuid.NewString())))
	f.Must(t, http.StatusServiceUnavailable, "PATCH", path, fields{"status": "completed"})
	f.Must(t, http.StatusServiceUnavailable, "POST", path+"/effects", closing(uuid.NewString()))
	if got := f.Must(t, http.StatusOK, "GET", path, nil).JSON; got["status"] != "open" || got["version"] != 1.0 {
		t.Errorf("the work order is %v", got)
	}
	if all, _ := f.List(t, "/v1/work-orders"); len(all) != 1 || f.waiting(t) != 0 {
		t.Errorf("there are %d work orders, and %d instructions", len(all), f.waiting(t))
	}
	f.become(t, path, "planned")
}

// Of a bulk call row by row, only the row whose effects are refused is.
func TestARefusedEffectRefusesItsRow(t *testing.T) {
	t.Parallel()
	f, void := newFixture(t), uuid.NewString()
	f.owners.refused[void] = fault.Conflict("deficiency_void", "deficiency_id", void, "The deficiency is void.")
	rows := fields{"data": []any{fields{"title": "Un", "effects": []any{closing(void)}},
		fields{"title": "Deux", "effects": []any{closing(nobody)}}}}
	answer := f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk?atomic=false", rows)
	summary := answer.JSON["summary"].(fields)
	if summary["created"] != 1.0 || summary["failed"] != 1.0 {
		t.Errorf("answered %s", answer.Body)
	}
}

// Refused later, when the owner had nothing against it at first: the effect says why, and can be tried again.
func TestAnEffectThatIsRefusedLaterIsKept(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, _ := f.create(t, fields{"effects": []any{closing(deficiency)}})
	f.drained(t)
	refusal := fault.Conflict("deficiency_void", "deficiency_id", deficiency, "The deficiency is void.")
	f.owners.set(func() { f.owners.refused[deficiency], f.owners.onlyLater = refusal, true })
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	f.become(t, path, "refused")
	listed, _ := f.List(t, path+"/effects")
	if listed[0]["message"] != "The deficiency is void." || listed[0]["updated_by"].(fields)["name"] != "workorders" {
		t.Errorf("the effect is %v", listed[0])
	}
	if got, want := resourcetest.EventTypes(f.Events(t, f.database), listed[0]["id"]), []string{"work_order_effect.created",
		"work_order_effect.updated", "work_order_effect.updated", "work_order.effect_refused"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
	effect := path + "/effects/" + listed[0]["id"].(string)
	f.owners.set(func() { f.owners.onlyLater = false })
	f.Must(t, http.StatusConflict, "POST", effect+"/retry", nil)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "closed"})
	f.Must(t, http.StatusConflict, "POST", path+"/effects", closing(uuid.NewString()))
	f.owners.set(func() { delete(f.owners.refused, deficiency) })
	f.Must(t, http.StatusOK, "POST", effect+"/retry", nil)
	f.become(t, path, "applied")
	f.Must(t, http.StatusNotFound, "POST", path+"/effects/"+nobody+"/retry", nil)
	f.Other().Must(t, http.StatusNotFound, "POST", effect+"/retry", nil)
	f.Other().Must(t, http.StatusNotFound, "POST", effect+"/withdraw", nil)
}

func TestAWithdrawnEffectComesToNothing(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	path, _ := f.create(t, fields{"effects": []any{closing(deficiency)}})
	listed, _ := f.List(t, path+"/effects")
	got := f.Must(t, http.StatusOK, "POST", path+"/effects/"+listed[0]["id"].(string)+"/withdraw", nil).JSON
	if got["state"] != "withdrawn" || got["version"] != 2.0 {
		t.Errorf("withdrawn, it is %v", got)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	f.send(t)
	f.drained(t)
	f.become(t, path, "withdrawn")
	if got := f.owners.stagesOf(deficiency); !slices.Equal(got, []string{"planned", "cancelled"}) {
		t.Errorf("the deficiency was told %v", got)
	}
	f.Must(t, http.StatusNoContent, "DELETE", path+"/effects/"+listed[0]["id"].(string), nil)
}

// A body that is sent again, as clients and imports do, declares nothing twice.
func TestTheSameEffectIsDeclaredOnce(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	meter := fields{"kind": "read_meter", "payload": fields{"meter_id": nobody, "value": 120.5}}
	body := fields{"title": "Remplacer le joint", "effects": []any{closing(deficiency), meter}}
	const path = "/v1/work-orders/by-external-id/wo-7"
	work := f.Must(t, http.StatusCreated, "PUT", path, body).JSON
	f.Must(t, http.StatusOK, "PUT", path, body)
	at := "/v1/work-orders/" + work["id"].(string)
	f.become(t, at, "planned", "planned")
	for range 2 {
		f.Must(t, http.StatusOK, "PATCH", at, fields{"status": "completed", "effects": body["effects"]})
		f.become(t, at, "pending", "pending")
	}
	f.send(t)
	f.become(t, at, "applied", "applied")
	f.Must(t, http.StatusOK, "PATCH", at, fields{"status": "in_progress"})
	f.Must(t, http.StatusOK, "PATCH", at, fields{"status": "completed", "effects": body["effects"]})
	f.become(t, at, "applied", "applied")
	if got := f.owners.stagesOf(deficiency); !slices.Equal(got, []string{"planned", "completed"}) {
		t.Errorf("the deficiency was told %v", got)
	}
}

func TestCancelledAndDeletedWorkReleasesWhatItPlanned(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, _ := f.create(t, fields{"effects": []any{closing(deficiency)}})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "cancelled", "cancel_reason": "Doublon"})
	f.Must(t, http.StatusConflict, "POST", path+"/effects", closing(uuid.NewString()))
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "open"})
	f.become(t, path, "planned")
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	f.drained(t)
	if got := f.owners.stagesOf(deficiency); !slices.Equal(got, []string{"planned", "cancelled", "planned", "cancelled"}) {
		t.Errorf("the deficiency was told %v", got)
	}
}

// Two who complete the same work at the same time: one is told 409, and each effect happens once.
func TestOfTwoCompletionsOneIsRefused(t *testing.T) {
	f, deficiency := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, _ := f.create(t, fields{"effects": []any{closing(deficiency)}})
	var all sync.WaitGroup
	answers := make([]int, 2)
	for i := range answers {
		all.Go(func() { answers[i] = f.Do(t, "POST", path+"/transition", fields{"to": "completed"}).Status })
	}
	all.Wait()
	if slices.Sort(answers); !slices.Equal(answers, []int{http.StatusOK, http.StatusConflict}) {
		t.Errorf("answered %v", answers)
	}
	f.drained(t)
	f.become(t, path, "applied")
	if got := f.owners.stagesOf(deficiency); !slices.Equal(got, []string{"planned", "completed"}) {
		t.Errorf("the deficiency was told %v", got)
	}
}

func TestAnEffectNeedsTheScopeOfWhatItChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	limited := *f.Client
	limited.Principal.Scopes = []string{"work_orders:write", "work_orders:read", "meters:write"}
	meter := fields{"kind": "read_meter", "payload": fields{"meter_id": nobody, "value": 120}}
	nested := fields{"kind": "create_work_order", "payload": fields{"work_order": fields{"title": "Suite", "effects": []any{closing(nobody)}}}}
	for scope, body := range map[string]fields{"deficiencies:write": closing(nobody),
		"infrastructure:write": {"kind": "close_deficiency", "payload": fields{"infrastructure_deficiency_id": nobody}},
		"assets:write":         {"kind": "replace", "payload": fields{"asset_id": assetIDs[0]}},
		"requests:write":       {"kind": "close_request", "payload": fields{"request_id": nobody}}} {
		for _, answer := range []resourcetest.Response{
			limited.Must(t, http.StatusForbidden, "POST", path+"/effects", body),
			limited.Must(t, http.StatusForbidden, "POST", "/v1/work-orders", fields{"title": "Pompe", "effects": []any{meter, body}}),
			limited.Must(t, http.StatusForbidden, "PATCH", path, fields{"status": "completed", "effects": []any{body}}),
		} {
			if answer.JSON["required_scope"] != scope {
				t.Errorf("needs %s, answered %s", scope, answer.Body)
			}
		}
	}
	limited.Must(t, http.StatusForbidden, "POST", path+"/effects", nested)
	limited.Must(t, http.StatusCreated, "POST", path+"/effects", meter)
	limited.Principal.Features = []string{"api_access"}
	answer := limited.Must(t, http.StatusForbidden, "POST", path+"/effects", meter)
	if answer.JSON["feature"] != "maintenance" {
		t.Errorf("answered %s", answer.Body)
	}
}

func TestWhatIsWrongWithAnEffectIsNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	for field, effect := range map[string]fields{
		"payload":               {"kind": "close_deficiency", "payload": fields{}},
		"payload.deficiency_id": {"kind": "close_deficiency", "payload": fields{"deficiency_id": 7}},
		"payload.meter_id":      {"kind": "read_meter", "payload": fields{"meter_id": "12"}},
		"payload.deficiency":    {"kind": "create_deficiency", "payload": fields{"deficiency": "Garde-corps"}},
		"payload.work_order":    {"kind": "create_work_order", "payload": fields{}},
		"kind":                  {"kind": "paint", "payload": fields{"asset_id": nobody}},
		"payload.asset_id":      {"kind": "rate", "payload": fields{"segment_id": segment, "asset_id": nobody, "condition_rating": 1}},
	} {
		if got := f.Must(t, http.StatusBadRequest, "POST", path+"/effects", effect).Fields(); len(got) != 1 || got[0] != field {
			t.Errorf("%v: %v is named, want %s", effect, got, field)
		}
		got := f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Pompe", "effects": []any{effect}}).Fields()
		if len(got) != 1 || got[0] != "effects[0]."+field {
			t.Errorf("%v: %v is named, want effects[0].%s", effect, got, field)
		}
	}
	f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Pompe", "effects": []any{closing(nobody), closing(nobody)}})
	many := make([]any, 501)
	for i := range many {
		many[i] = closing(uuid.NewString())
	}
	f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "Pompe", "effects": many})
	f.Must(t, http.StatusCreated, "POST", "/v1/work-orders", fields{"title": "Pompe", "effects": many[:500]})
	if got := f.Must(t, http.StatusBadRequest, "POST", path+"/transition",
		fields{"to": "completed", "effects": many}).Fields(); got[0] != "effects" {
		t.Errorf("with the transition, %v is named", got)
	}
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed", "effects": many[:500]})
	f.Must(t, http.StatusBadRequest, "POST", path+"/effects", many[500].(fields)) // the 501st
	if listed, _ := f.List(t, path+"/effects?state=pending&per_page=1000"); len(listed) != 500 {
		t.Errorf("%d effects are pending", len(listed))
	}
}

// A work order that is an effect is made once, with effects of its own.
func TestAWorkOrderIsMadeByAnEffect(t *testing.T) {
	f, request := newFixtureAlone(t), uuid.NewString()
	f.send(t)
	path, _ := f.create(t, fields{"effects": []any{fields{"kind": "create_work_order", "payload": fields{"work_order": fields{
		"title": "Vérifier la réparation", "asset_id": assetIDs[0],
		"effects": []any{fields{"kind": "close_request", "payload": fields{"request_id": request}}}}}}}})
	bad := fields{"kind": "create_work_order", "payload": fields{"work_order": fields{"title": "", "paint": 1}}}
	if got := f.Must(t, http.StatusBadRequest, "POST", path+"/effects", bad).Fields(); len(got) != 1 ||
		!strings.HasPrefix(got[0], "payload.work_order.") {
		t.Errorf("%v is named", got)
	}
	if all, _ := f.List(t, "/v1/work-orders"); len(all) != 1 {
		t.Fatalf("asking has made %d work orders", len(all)-1)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	f.become(t, path, "applied")
	listed, _ := f.List(t, path+"/effects")
	made := "/v1/work-orders/" + listed[0]["result_id"].(string)
	if got := f.Must(t, http.StatusOK, "GET", made, nil).JSON; got["site_id"] != siteIDs[0] ||
		got["created_by"].(fields)["name"] != "conformance" {
		t.Errorf("made is %v", got)
	}
	f.become(t, made, "planned")
	f.Must(t, http.StatusOK, "PATCH", made, fields{"status": "completed"})
	f.become(t, made, "applied")
	if got := f.owners.stagesOf(request); !slices.Equal(got, []string{"completed"}) {
		t.Errorf("the request was told %v", got)
	}
}
