package requests

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

func TestRequestsMoveAsDeclared(t *testing.T) {
	f := newFixture(t)
	withWorkshop(t, f)
	path, record := f.request(t, fields{})
	resourcetest.Expect(t, record, fields{"number": "REQ-000001", "status": "submitted", "source": "staff", "priority": "medium",
		"work_order_state": "none", "ended_at": nil, "published": false,
		"allowed_transitions": []any{"accepted", "rejected", "duplicate", "withdrawn"}})
	f.Must(t, 409, "PATCH", path, fields{"status": "closed"})
	f.Must(t, 400, "POST", path+"/reject", fields{})
	resourcetest.Expect(t,
		f.Must(t, 200, "POST", path+"/reject", fields{"reason": "Terrain privé", "public_note": "Voyez le propriétaire"}).JSON,
		fields{"status": "rejected", "reason": "Terrain privé", "public_note": "Voyez le propriétaire"})
	if f.Must(t, 200, "GET", path, nil).JSON["ended_at"] == nil {
		t.Error("a request that was rejected has not ended")
	}
	resourcetest.Expect(t, f.Must(t, 200, "PATCH", path, fields{"status": "submitted"}).JSON, fields{"reason": nil, "ended_at": nil})
	f.Must(t, 200, "POST", path+"/transition", fields{"to": "accepted", "work_order_id": workOrder})
	f.linked(t, path)
	f.Must(t, 409, "DELETE", path, nil)
	f.Must(t, 200, "POST", path+"/transition", fields{"to": "closed"})
	resourcetest.Expect(t, f.Must(t, 200, "POST", path+"/transition", fields{"to": "accepted"}).JSON, fields{"ended_at": nil})
	f.linked(t, path)
	got := resourcetest.EventTypes(resourcetest.Events(t, f.database), record["id"])
	if want := []string{"request.created", "request.updated", "request.rejected", "request.updated", "request.updated", "request.accepted",
		"request.updated", "request.updated", "request.closed", "request.updated", "request.updated"}; !slices.Equal(got, want) {
		t.Errorf("events are %v", got)
	}
	f.Must(t, 400, "POST", "/v1/requests", fields{"title": "x", "source": "link"})
	f.Must(t, 400, "POST", "/v1/requests", fields{"title": "x", "latitude": 43.5})
	f.Must(t, 400, "POST", "/v1/requests", fields{"title": "x", "service_code": "NONE"})
	f.Must(t, 400, "POST", "/v1/requests", fields{"title": "x", "asset_id": swing, "site_id": otherSite})
	resourcetest.Expect(t, f.Create(t, "/v1/requests", fields{"title": "x", "asset_id": swing}),
		fields{"building_id": building, "site_id": site})
}

func TestADuplicateSharesTheEndOfItsOriginal(t *testing.T) {
	f := newFixture(t)
	original, first := f.request(t, fields{})
	path, second := f.request(t, fields{})
	third, _ := f.request(t, fields{})
	f.Must(t, 404, "POST", path+"/duplicate", fields{"of": nobody})
	f.Must(t, 400, "POST", path+"/duplicate", fields{"of": second["id"]})
	resourcetest.Expect(t, f.Must(t, 200, "POST", path+"/duplicate", fields{"of": first["id"]}).JSON,
		fields{"status": "duplicate", "duplicate_of_id": first["id"], "ended_at": nil})
	resourcetest.Expect(t, f.Must(t, 409, "POST", third+"/duplicate", fields{"of": second["id"]}).JSON,
		fields{"code": "duplicate_of_duplicate"})
	resourcetest.Expect(t, f.Must(t, 409, "POST", original+"/duplicate", fields{"of": strings.TrimPrefix(third, "/v1/requests/")}).JSON,
		fields{"code": "has_duplicates"})
	f.Must(t, 409, "DELETE", original, nil)
	ended := f.Must(t, 200, "POST", original+"/reject", fields{"reason": "Non"}).JSON["ended_at"]
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"status": "duplicate", "ended_at": ended})
	f.Must(t, 200, "PATCH", original, fields{"status": "submitted"})
	resourcetest.Expect(t, f.Must(t, 200, "GET", path, nil).JSON, fields{"ended_at": nil})
	resourcetest.Expect(t, f.Must(t, 200, "PATCH", path, fields{"status": "submitted"}).JSON, fields{"duplicate_of_id": nil})
}

func TestContactDataIsInNoEventAndNoHistory(t *testing.T) {
	f := newFixture(t)
	contact := fields{"requester_name": "Geneviève Côté", "requester_email": "genevieve@example.ca", "requester_phone": "519 555 0134"}
	path, record := f.request(t, contact)
	resourcetest.Expect(t, record, contact)
	f.Must(t, 200, "PATCH", path, fields{"requester_email": "autre@example.ca"})
	f.Must(t, 200, "POST", path+"/reject", fields{"reason": "Non"})
	for _, e := range resourcetest.Events(t, f.database) {
		resourcetest.Expect(t, e.Object, fields{"requester_name": nil, "requester_email": nil, "requester_phone": nil})
		if text := fmt.Sprint(e.Payload); strings.Contains(text, "@example") || strings.Contains(text, "Geneviève") ||
			strings.Contains(text, "0134") {
			t.Errorf("%s tells %s", e.Type, text)
		}
	}
	if events := resourcetest.Events(t, f.database); !slices.Contains(events[1].Changed, "requester_email") {
		t.Errorf("the event does not say what changed: %v", events[1].Changed)
	}
	history := f.Must(t, 200, "GET", path+"/history", nil)
	if text := string(history.Body); strings.Contains(text, "@example") || strings.Contains(text, "Geneviève") ||
		!strings.Contains(text, "requester_email") {
		t.Errorf("the history is %s", text)
	}
}

func TestContactDataIsErasedSomeTimeAfterTheEnd(t *testing.T) {
	f := newFixture(t)
	contact := func() fields { return fields{"requester_name": "Anne", "requester_phone": "519 555 0134"} }
	open, _ := f.request(t, contact())
	over, _ := f.request(t, contact())
	of, record := f.request(t, contact())
	duplicate, _ := f.request(t, contact())
	other, quick := f.otherOrganization(), f.otherOrganization()
	f.organization(quick.Client, fields{"contact_retention_days": 30})
	theirs, _ := other.request(t, contact())
	soon, _ := quick.request(t, contact())
	quick.Must(t, 200, "POST", soon+"/reject", fields{"reason": "Non"})
	f.Must(t, 200, "POST", duplicate+"/duplicate", fields{"of": record["id"]})
	f.Must(t, 200, "POST", over+"/reject", fields{"reason": "Non"})
	f.Must(t, 200, "POST", of+"/reject", fields{"reason": "Non"})
	other.Must(t, 200, "POST", theirs+"/reject", fields{"reason": "Non"})
	erase := func() {
		t.Helper()
		if err := f.desk.eraseContacts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.pass(27 * 24 * time.Hour)
	erase()
	resourcetest.Expect(t, quick.Must(t, 200, "GET", soon, nil).JSON, contact())
	f.clock.pass(4 * 24 * time.Hour)
	erase()
	resourcetest.Expect(t, quick.Must(t, 200, "GET", soon, nil).JSON, fields{"requester_name": nil, "requester_phone": nil, "version": 3.0})
	f.clock.pass(331 * 24 * time.Hour)
	erase()
	resourcetest.Expect(t, f.Must(t, 200, "GET", over, nil).JSON, contact())
	f.clock.pass(4 * 24 * time.Hour)
	f.peers.Refuse("/internal/organizations/" + f.Principal.OrganizationID) // then the others are not to wait for it
	if f.desk.eraseContacts(t.Context()) == nil {
		t.Error("a gateway that does not answer is not said")
	}
	resourcetest.Expect(t, f.Must(t, 200, "GET", over, nil).JSON, contact())
	resourcetest.Expect(t, other.Must(t, 200, "GET", theirs, nil).JSON, fields{"requester_name": nil})
	f.plan(f.Client, "api_access") // what has lapsed is erased all the same
	erase()
	erase()
	none := fields{"requester_name": nil, "requester_phone": nil, "version": 3.0}
	resourcetest.Expect(t, f.Must(t, 200, "GET", over, nil).JSON, none)
	resourcetest.Expect(t, other.Must(t, 200, "GET", theirs, nil).JSON, none)
	resourcetest.Expect(t, f.Must(t, 200, "GET", duplicate, nil).JSON, fields{"requester_name": nil})
	resourcetest.Expect(t, f.Must(t, 200, "GET", open, nil).JSON, contact())
}

func TestSimilarRequestsAskForTheSameNearby(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{})
	f.service(t, fields{"service_code": "LIGHT"})
	at := func(latitude, longitude float64, code string) string {
		_, record := f.request(t, fields{"service_code": code, "latitude": latitude, "longitude": longitude})
		return record["id"].(string)
	}
	this := at(43.6511, -79.3470, "PLAYGROUND")
	near := at(43.6519, -79.3470, "PLAYGROUND") // 89 m to the north
	at(43.6521, -79.3470, "PLAYGROUND")         // 111 m
	at(43.6511, -79.3470, "LIGHT")
	old := at(43.6511, -79.3470, "PLAYGROUND")
	if _, err := f.owner(t).Exec(t.Context(),
		"UPDATE request SET created_at = created_at - interval '31 days' WHERE id = $1", old); err != nil {
		t.Fatal(err)
	}
	found := f.Must(t, 200, "GET", "/v1/requests/"+this+"/similar", nil).JSON["data"].([]any)
	if len(found) != 1 {
		t.Fatalf("%v", found)
	}
	resourcetest.Expect(t, found[0].(fields), fields{"id": near, "distance_m": 89.0, "same_place": false})
	_, one := f.request(t, fields{"service_code": "PLAYGROUND", "asset_id": swing})
	_, two := f.request(t, fields{"service_code": "PLAYGROUND", "asset_id": swing})
	f.request(t, fields{"service_code": "PLAYGROUND", "site_id": site}) // the same site is not the same asset
	found = f.Must(t, 200, "GET", "/v1/requests/"+one["id"].(string)+"/similar", nil).JSON["data"].([]any)
	if len(found) != 1 || found[0].(fields)["id"] != two["id"] {
		t.Errorf("%v", found)
	}
	f.Must(t, 404, "GET", "/v1/requests/"+nobody+"/similar", nil)
	f.otherOrganization().Must(t, 404, "GET", "/v1/requests/"+this+"/similar", nil)
}

func TestServicesThatAreNamedStay(t *testing.T) {
	f := newFixture(t)
	service := f.service(t, fields{"priority": "urgent"})
	path := "/v1/request-services/" + service["id"].(string)
	_, record := f.request(t, fields{"service_code": "playground"})
	resourcetest.Expect(t, record, fields{"service_code": "PLAYGROUND", "priority": "urgent"})
	f.Must(t, 409, "DELETE", path, nil)
	f.Must(t, 409, "PATCH", path, fields{"service_code": "PLAY"})
	f.Must(t, 200, "PATCH", path, fields{"name": "Play"})
	for _, attributes := range []any{
		[]fields{{"code": "A", "question": "?"}, {"code": "A", "question": "?"}},
		[]fields{{"code": "A", "question": "?", "datatype": "singlevaluelist"}},
		[]fields{{"code": "A", "question": "?", "values": []fields{{"key": "1", "name": "x"}}}}, []fields{{"code": "A B", "question": "?"}},
		[]fields{{"code": "A", "question": "?", "variable": false, "required": true}},
	} {
		f.Must(t, 400, "PATCH", path, fields{"attributes": attributes})
	}
	f.Must(t, 400, "POST", "/v1/requests", fields{"title": "x", "service_code": "PLAYGROUND", "attributes": fields{"COLOR": "red"}})
	keyless := *f.Client
	keyless.Principal.Features = []string{"api_access"}
	keyless.Must(t, 403, "GET", "/v1/request-services", nil)
	keyless.Must(t, 403, "GET", "/v1/request-links", nil)
	keyless.Must(t, 200, "GET", "/v1/requests", nil)
}
