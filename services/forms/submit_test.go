package forms

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// The pump does not run: the photo is required, the pressure is not asked for any more, and one deficiency is made; sent again, by the
// caller and by the service, it is still one.
func TestAPumpThatDoesNotRunIsOneDeficiency(t *testing.T) {
	f := newFixture(t)
	f.send(t)
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	response := begin(t, f.Client, template, fields{"runs": "pass", "pressure": 150})
	f.Must(t, http.StatusOK, "PATCH", responsesURL+"/"+response, fields{"answers": fields{"runs": "fail"}})

	refused := f.Must(t, http.StatusBadRequest, "POST", responsesURL+"/"+response+"/submit", fields{})
	if fmt.Sprint(refused.Fields()) != "[answers.photo]" {
		t.Fatalf("without a photo: %s", refused.Body)
	}
	if made := f.owner.all(); len(made) != 0 {
		t.Fatalf("a refused submit made %v", made)
	}
	f.owner.set(func(o *owner) { o.lose = 2 }) // beginning with the answer to the check, which is a 503
	photo := fields{"photo": []string{"IMG_0412.jpg"}}
	f.Must(t, http.StatusServiceUnavailable, "POST", responsesURL+"/"+response+"/submit", fields{"answers": photo})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", responsesURL+"/"+response, nil).JSON, fields{"status": "in_progress"})
	f.owner.set(func(o *owner) { o.lose = 0 })
	done := submit(t, f.Client, response, photo)
	resourcetest.Expect(t, done, fields{"status": "submitted", "score": 0, "version": 3})
	if fmt.Sprint(done["answers"]) != "map[photo:[IMG_0412.jpg] runs:fail]" || fmt.Sprint(done["failed_items"]) != "[runs]" {
		t.Errorf("submitted as %v with %v", done["answers"], done["failed_items"])
	}
	f.owner.set(func(o *owner) { o.lose = 1 }) // it may be the answer to the effect itself: it is sent once more then
	resourcetest.Expect(t, submit(t, f.Client, response, photo), fields{"version": 3})
	f.Must(t, http.StatusConflict, "POST", responsesURL+"/"+response+"/submit", fields{"answers": fields{"runs": "pass"}})
	testwait.For(t, time.Minute, "the effect is applied", func() bool { return stateOf(t, f, response) == "applied" })
	made := f.owner.all()
	if len(made) != 1 {
		t.Fatalf("%d records were made, want 1: %v", len(made), made)
	}
	body := made[0]["body"].(fields)
	resourcetest.Expect(t, body, fields{"asset_id": pump, "source": "form", "source_id": response, "category": "code", "priority": "high",
		"title": "La pompe fonctionne: fail"})
	if made[0]["kind"] != "create_deficiency" || made[0]["by"] != "conformance" {
		t.Errorf("made %v", made[0])
	}
	effects := f.Must(t, http.StatusOK, "GET", responsesURL+"/"+response+"/effects", nil).JSON["data"].([]any)
	resourcetest.Expect(t, effects[0].(fields), fields{"item_key": "runs", "state": "applied", "result_id": made[0]["id"]})
	if events := eventsOf(t, f, "form_response.submitted"); len(events) != 1 {
		t.Errorf("%d events of the submit, want 1", len(events))
	}
}

func stateOf(t *testing.T, f *fixture, response string) any {
	t.Helper()
	all := f.Must(t, http.StatusOK, "GET", responsesURL+"/"+response+"/effects", nil).JSON["data"].([]any)
	if len(all) == 0 {
		return nil
	}
	return all[0].(fields)["state"]
}

func TestARunningPumpMakesNothing(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	for _, c := range []struct {
		answers fields
		score   any
		failed  string
	}{
		{fields{"runs": "pass", "pressure": 150}, 100.0, "[]"},
		{fields{"runs": "pass"}, 100.0, "[]"},
		{fields{"runs": "pass", "pressure": 99.5}, 50.0, "[pressure]"},
		{fields{"runs": "na"}, nil, "[]"},
		{fields{"runs": "pass", "photo": []string{"a.jpg"}}, 100.0, "[]"},
	} {
		done := submit(t, f.Client, begin(t, f.Client, template, c.answers), nil)
		if done["score"] != c.score || fmt.Sprint(done["failed_items"]) != c.failed || done["answers"].(fields)["photo"] != nil {
			t.Errorf("%v gives %v, %v, %v", c.answers, done["score"], done["failed_items"], done["answers"])
		}
	}
	if made := f.owner.all(); len(made) != 0 {
		t.Errorf("made %v", made)
	}
}

func TestWeightsSectionsAndConditions(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Caserne", []any{
		fields{"key": "kind", "type": "multi", "label": "Équipements", "options": []string{"lift", "pool"}},
		fields{"key": "lift_section", "type": "section", "label": "Ascenseur",
			"visible_when": fields{"item": "kind", "op": "contains", "value": "lift"}},
		fields{"key": "lift_ok", "type": "check", "label": "Fonctionne", "required": true, "weight": 3,
			"fails_when": fields{"item": "lift_ok", "op": "eq", "value": false}},
		fields{"key": "pool_section", "type": "section", "label": "Piscine",
			"visible_when": fields{"item": "kind", "op": "contains", "value": "pool"}},
		fields{"key": "water", "type": "single", "label": "Eau", "options": []string{"clear", "cloudy"},
			"fails_when": fields{"any": []any{fields{"item": "water", "op": "in", "value": []string{"cloudy"}},
				fields{"all": []any{fields{"item": "lift_ok", "op": "answered", "value": false}, fields{"item": "kind", "op": "answered"}}}}}},
		fields{"key": "note", "type": "text", "label": "Note", "visible_when": fields{"item": "water", "op": "eq", "value": "cloudy"}},
	})
	done := submit(t, f.Client,
		begin(t, f.Client, template, fields{"kind": []string{"lift", "pool"}, "lift_ok": true, "water": "cloudy", "note": "verte"}), nil)
	resourcetest.Expect(t, done, fields{"score": 75})
	done = submit(t, f.Client,
		begin(t, f.Client, template, fields{"kind": []string{"pool"}, "lift_ok": true, "water": "clear", "note": "verte"}), nil)
	resourcetest.Expect(t, done, fields{"score": 0}) // the lift is hidden, so its answer is none
	if fmt.Sprint(done["answers"]) != "map[kind:[pool] water:clear]" {
		t.Errorf("the answers are %v", done["answers"])
	}
}

// What its owner would refuse, and what the template may not do, is not submitted.
func TestAnEffectThatCannotBeIsSaidBeforehand(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	broken := fields{"runs": "fail", "photo": []string{"a.jpg"}}
	response := begin(t, f.Client, template, broken)
	f.owner.set(func(o *owner) {
		o.refuse = fault.Conflict("asset_disposed", "asset_id", pump, "The asset is disposed.")
	})
	refused := f.Must(t, http.StatusConflict, "POST", responsesURL+"/"+response+"/submit", fields{})
	if refused.JSON["code"] != "asset_disposed" {
		t.Errorf("a disposed asset: %s", refused.Body)
	}
	f.owner.set(func(o *owner) { o.refuse = nil })

	limited := *f.Client
	limited.Principal.Scopes = []string{"forms:read", "forms:write"}
	refused = limited.Must(t, http.StatusForbidden, "POST", templatesURL, fields{"name": "Autres", "items": pumpForm, "status": "published"})
	if refused.JSON["required_scope"] != "deficiencies:write" {
		t.Errorf("published without the scope: %s", refused.Body)
	}
	resourcetest.Expect(t, submit(t, &limited, response, nil), fields{"status": "submitted"}) // by the rights of the template

	without := *f.Client
	without.Principal.Scopes = []string{"forms:write", "deficiencies:write"}
	narrow := newTemplate(t, &without, "Étroit", pumpForm)
	about := f.Create(t, responsesURL, fields{"template_id": narrow, "segment_id": road, "answers": broken})["id"].(string)
	refused = f.Must(t, http.StatusForbidden, "POST", responsesURL+"/"+about+"/submit", fields{})
	if refused.JSON["required_scope"] != "infrastructure:write" {
		t.Errorf("a segment's deficiency without the scope: %s", refused.Body)
	}
}

func TestARefusedEffectIsTriedAgainOrGivenUp(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes",
		[]any{fields{"key": "runs", "type": "pass_fail", "label": "Fonctionne", "on_fail": "work_order"}})
	response := begin(t, f.Client, template, fields{"runs": "fail"})
	submit(t, f.Client, response, nil)
	path := responsesURL + "/" + response + "/effects/"
	all := f.Must(t, http.StatusOK, "GET", responsesURL+"/"+response+"/effects", nil).JSON["data"].([]any)
	effect := all[0].(fields)["id"].(string)
	f.Must(t, http.StatusConflict, "POST", path+effect+"/retry", nil)
	f.Must(t, http.StatusNotFound, "POST", path+nobodys+"/retry", nil)
	f.owner.set(func(o *owner) {
		o.refuse = fault.Conflict("asset_disposed", "asset_id", pump, "The asset is disposed.")
	})
	f.send(t)
	testwait.For(t, time.Minute, "the effect is refused", func() bool { return stateOf(t, f, response) == "refused" })
	told := eventsOf(t, f, "form_response.effect_refused")
	if len(told) != 1 {
		t.Fatalf("%d events of the refusal, want 1", len(told))
	}
	object := resourcetest.At(told[0], "data.object").(fields)
	resourcetest.Expect(t, object, fields{"id": effect, "item_key": "runs", "state": "refused", "message": "The asset is disposed."})
	f.owner.set(func(o *owner) { o.refuse = nil })
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+effect+"/retry", nil).JSON, fields{"state": "pending", "message": nil})
	testwait.For(t, time.Minute, "the effect is applied", func() bool { return stateOf(t, f, response) == "applied" })
	if made := f.owner.all(); len(made) != 1 || made[0]["kind"] != "create_work_order" || made[0]["body"].(fields)["type"] != "corrective" {
		t.Errorf("made %v", made)
	}
	f.Must(t, http.StatusConflict, "POST", path+effect+"/withdraw", nil)
}

// A correction is another response; what had failed before makes nothing a second time.
func TestASubmittedFormIsFinalAndIsCorrectedByAnother(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes", []any{
		fields{"key": "runs", "type": "pass_fail", "label": "Fonctionne", "on_fail": "deficiency"},
		fields{"key": "clean", "type": "pass_fail", "label": "Propre", "on_fail": "deficiency"},
	})
	response := begin(t, f.Client, template, fields{"runs": "fail", "clean": "pass"})
	path := responsesURL + "/" + response
	f.Must(t, http.StatusConflict, "POST", path+"/amend", fields{"reason": "X"})
	submit(t, f.Client, response, nil)
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"answers": fields{"clean": "fail"}})
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
	f.Must(t, http.StatusBadRequest, "POST", path+"/amend", fields{})
	amended := f.Must(t, http.StatusCreated, "POST", path+"/amend", fields{"reason": "La mauvaise pompe"}).JSON
	resourcetest.Expect(t, amended,
		fields{"amends_id": response, "status": "in_progress", "amend_reason": "La mauvaise pompe", "template_id": template})
	again := f.Must(t, http.StatusConflict, "POST", path+"/amend", fields{"reason": "Encore"})
	resourcetest.Expect(t, again.JSON, fields{"existing_id": amended["id"]})
	done := submit(t, f.Client, amended["id"].(string), fields{"clean": "fail"})
	resourcetest.Expect(t, done, fields{"status": "submitted", "score": 0})
	earlier := f.Must(t, http.StatusOK, "GET", path, nil).JSON
	resourcetest.Expect(t, earlier, fields{"amended_by_id": amended["id"], "score": 50, "status": "submitted", "version": 2})
	items := []any{}
	for _, id := range []string{response, amended["id"].(string)} {
		for _, e := range f.Must(t, http.StatusOK, "GET", responsesURL+"/"+id+"/effects", nil).JSON["data"].([]any) {
			items = append(items, e.(fields)["item_key"])
		}
	}
	if fmt.Sprint(items) != "[runs clean]" {
		t.Errorf("effects are of %v", items)
	}
}

func TestAnAnsweredMeterIsRead(t *testing.T) {
	f := newFixture(t)
	const meter = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e91"
	f.Respond("/internal/meters/usage", fields{"data": []any{fields{"record_id": pump, "meter_id": meter}}})
	template := newTemplate(t, f.Client, "Pompes",
		[]any{fields{"key": "hours", "type": "meter", "label": "Heures", "meter": "Heures", "unit": "h", "min": 0}})
	response := begin(t, f.Client, template, fields{"hours": 2070.5})
	submit(t, f.Client, response, nil)
	f.send(t)
	testwait.For(t, time.Minute, "the meter is read", func() bool { return stateOf(t, f, response) == "applied" })
	resourcetest.Expect(t, f.owner.all()[0]["body"].(fields), fields{"meter_id": meter, "value": 2070.5, "unit": "h"})
	f.Respond("/internal/meters/usage", fields{"data": []any{}})
	refused := f.Must(t, http.StatusBadRequest, "POST", responsesURL+"/"+begin(t, f.Client, template, fields{"hours": 1})+"/submit", fields{})
	if fmt.Sprint(refused.Fields()) != "[answers.hours]" {
		t.Errorf("a subject without the meter: %s", refused.Body)
	}
}

func eventsOf(t *testing.T, f *fixture, eventType string) (events []fields) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT payload::text FROM outbox WHERE type = $1 ORDER BY position", eventType)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if _, err := pgx.ForEachRow(rows, []any{&text}, func() error {
		var event fields
		events = append(events, event)
		return json.Unmarshal([]byte(text), &events[len(events)-1])
	}); err != nil {
		t.Fatal(err)
	}
	return events
}

// A photo is a document of ours where its answer is an id, and must be there.
func TestAPhotoMayBeADocument(t *testing.T) {
	f := newFixture(t)
	const photo, trashed = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e81", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e82"
	active, gone := "active", "trashed"
	f.Keep("documents", reference.Entry{ID: photo, Name: "La pompe", Status: &active},
		reference.Entry{ID: trashed, Name: "Floue", Status: &gone})
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	response := begin(t, f.Client, template, fields{"runs": "fail", "photo": []any{"a.jpg", nobodys, trashed}})
	refused := f.Must(t, http.StatusNotFound, "POST", responsesURL+"/"+response+"/submit", fields{"answers": fields{}})
	if fmt.Sprint(refused.Fields()) != "[answers.photo[1] answers.photo[2]]" {
		t.Errorf("refused: %s", refused.Body)
	}
	f.Refuse("/internal/references/documents")
	f.Must(t, http.StatusServiceUnavailable, "POST", responsesURL+"/"+response+"/submit", fields{"answers": fields{"photo": []string{photo}}})
	f.Restore("/internal/references/documents")
	submit(t, f.Client, response, fields{"photo": []string{photo, "a.jpg"}})
}
