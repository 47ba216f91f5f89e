package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// answerSearch makes the API respond to a search.
func (f *toolFixture) answerSearch(status int, body string) {
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/search" {
			return false
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		return true
	}
}

func TestFindIsOneSearchOfTheAPI(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		arguments map[string]any
		query     string
	}{
		{map[string]any{"text": "aréna"}, "limit=50&q=ar%C3%A9na"},
		{map[string]any{"text": "x", "limit": 2}, "limit=36&q=x"},
		{map[string]any{"text": "x", "kinds": []any{"asset"}, "limit": 25}, "kinds=asset&limit=25&q=x"},
		{map[string]any{"text": "x", "kinds": []any{"service_area", "measure", "user"}},
			"kinds=los_service_area%2Clos_measure%2Cuser&limit=15&q=x"},
	} {
		if text, failed := f.call("find", c.arguments); failed {
			t.Errorf("%v: %s", c.arguments, text)
		}
		requests, _ := f.upstream.takeRequests()
		if len(requests) != 1 || requests[0].URL.Path != "/v1/search" || requests[0].URL.RawQuery != c.query {
			t.Errorf("%v: %d requests, %s", c.arguments, len(requests), requests[0].URL)
		}
	}
}

func TestFindSaysWhatItDoesNotShowAndWhy(t *testing.T) {
	f := newToolFixture(t)
	f.answerSearch(200, `{"data":[
		{"kind":"los_measure","id":"1","name":"Ice","code":null,"detail":"hours","status":null,"site":null,"match":"name","url":"/v1/los/measures/1"},
		{"kind":"asset","id":"2","name":"Grundfos UPS","code":"A-000123","detail":"hvac","status":"in_service","site":null,"match":"similar","url":"/v1/assets/2"},
		{"kind":"asset","id":"3","name":"Grundfos CR","code":"A-000124","detail":null,"status":"in_service","site":null,"match":"similar","url":"/v1/assets/3"}],
		"totals":{"los_measure":{"count":1,"exact":true},"asset":{"count":144875,"exact":true},"work_order":{"count":200,"exact":false}},
		"more":{},"corrected":{"grunfos":["grundfos","grunfus"]},"hidden":["los_service_area","user"],"unavailable":["network","segment"]}`)
	text, failed := f.call("find", map[string]any{"text": "grunfos", "limit": 1})
	if failed || strings.Contains(text, "Grundfos CR") || strings.Contains(text, "null") {
		t.Errorf("%s", text)
	}
	for _, part := range []string{
		`{"detail":"hours","id":"1","kind":"measure","name":"Ice"},{"code":"A-000123","detail":"hvac","id":"2","kind":"asset",` +
			`"name":"Grundfos UPS"}`,
		"144874 more assets", "at least 200 more work orders", `Where nothing has \"grunfos\", it was taken for grundfos, grunfus.`,
		"may not read them: service_area, user.", "do not answer right now: network, segment.",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("it does not say %s: %s", part, text)
		}
	}
	f.answerSearch(200, `{"data":[],"totals":{"asset":{"count":0,"exact":true}},"more":{},"corrected":{},"hidden":[],"unavailable":[]}`)
	if text, _ := f.call("find", map[string]any{"text": "zamboni"}); !strings.Contains(text, `Nothing has \"zamboni\"`) ||
		strings.Contains(text, "Not s") {
		t.Errorf("nothing found: %s", text)
	}
}

func TestFindWithoutAnythingItMayReadSaysWhatIsMissing(t *testing.T) {
	f := newToolFixture(t)
	f.answerSearch(403, `{"error":"Searching shows what a key may read, and this key may read none of it; it needs the scope projects:read.",
		"code":"scope_missing","required_scope":"projects:read","scopes":["sites:read"]}`)
	text, failed := f.call("find", map[string]any{"text": "école", "kinds": []any{"project"}})
	if !failed || !strings.Contains(text, "may read none") || !strings.Contains(text, "lacks the scope projects:read") {
		t.Errorf("it says %s", text)
	}
}

func TestFindSaysWhereThingsAre(t *testing.T) {
	f := newToolFixture(t)
	f.answerSearch(http.StatusOK, `{"data":[
		{"kind":"building","id":"1","name":"Main building","code":"BLD-0104","site":{"id":"2","name":"Oak Ridges"},"building":null},
		{"kind":"asset","id":"3","name":"Pump","code":"A-1","site":{"id":"2","name":"Oak Ridges"},"building":{"id":"1","name":"Main building"}},
		{"kind":"asset","id":"4","name":"Pump","code":"A-2","site":{"id":"2","name":null},"building":null}],"totals":{},"corrected":{},"hidden":[],"unavailable":[]}`)
	text, failed := f.call("find", map[string]any{"text": "main"})
	for _, part := range []string{`"name":"Main building","place":"Oak Ridges"`, `"name":"Pump","place":"Main building, Oak Ridges"`,
		`"id":"4","kind":"asset","name":"Pump"}`} {
		if failed || !strings.Contains(text, part) {
			t.Errorf("it does not say %s: %s", part, text)
		}
	}
}
