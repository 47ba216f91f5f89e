package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsWrittenIsShownWithNamesAndALink(t *testing.T) {
	f := newToolFixture(t)
	status, named := http.StatusOK, testID
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"id":%q,"number":"WO-000001","assignee_id":%q,"site_id":null}`, testID, testID)
			return true
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"id":%q,"assignee_id":%q,"assignee":{"id":%q,"name":"Marie-Ève Leblanc"}}`, testID, named, named)
		return true
	}
	text, failed := f.call("create_work_order", map[string]any{"title": "Fuite", "assignee_id": testID})
	for _, part := range []string{`"assignee":{"id":"` + testID + `","name":"Marie-Ève Leblanc"}`, `"link":"https://api.example.ca/settings/audit?record=` + testID + `"`} {
		if failed || !strings.Contains(text, part) {
			t.Errorf("it does not say %s: %s", part, text)
		}
	}
	requests, _ := f.upstream.takeRequests()
	if len(requests) != 2 || requests[1].URL.Path != "/v1/work-orders/"+testID || requests[1].URL.Query().Get("fields") != "id,assignee_id" ||
		requests[1].URL.Query().Get("expand") != "assignee" {
		t.Errorf("%d requests, the last %s", len(requests), requests[len(requests)-1].URL)
	}
	// A write is done, whatever becomes of the names; and somebody else's name is not shown beside an id.
	for _, c := range []struct {
		status int
		id     string
	}{{http.StatusServiceUnavailable, testID}, {http.StatusOK, "019a3c5e-7d1b-7c3a-9f59-000000000009"}} {
		status, named = c.status, c.id
		text, failed = f.call("create_work_order", map[string]any{"title": "Fuite", "assignee_id": testID, "idempotency_key": c.id})
		if failed || !strings.Contains(text, `"assignee":{"id":"`+testID+`"}`) {
			t.Errorf("%+v: %s", c, text)
		}
	}
	// A key that may not read users asks for no names.
	f.caller.Scopes = []string{"work_orders:write"}
	f.upstream.takeRequests()
	if text, failed = f.call("create_work_order", map[string]any{"title": "Fuite"}); failed {
		t.Error(text)
	}
	if requests, _ := f.upstream.takeRequests(); len(requests) != 1 {
		t.Errorf("%d requests", len(requests))
	}
}

func TestAnErrorIsSaidOnce(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"sla_state: must be one of on_time, late (and 1 more, see fields)","code":"invalid_request","fields":[
			{"field":"sla_state","message":"must be one of on_time, late"},{"field":"due_date_to","message":"must be a date that exists, as YYYY-MM-DD"}]}`)
		return true
	}
	text, failed := f.call("search_work_orders", map[string]any{"filters": map[string]any{"sla_state": "soon", "due_date_to": "soon"}})
	want := "The API refuses this.\n- sla_state must be one of on_time, late\n- due_date_to must be a date that exists, as YYYY-MM-DD\n" +
		" Correct the arguments and call again."
	if !failed || text != want {
		t.Errorf("%q", text)
	}
}
