package webhooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestWhatAFilterLetsThrough(t *testing.T) {
	record := `{"priority":"urgent","rating":3,"cost":12.50,"critical":false,"due":null,"tags":["roof","winter"],"none_of":[],"site_id":"019a3c61-52fe-7b0a-8c1d-6f1e0b9d7a42",
		"at":"2026-05-12T14:03:07.123456Z","custom_fields":{"floor":2,"wing":"Ouest"},"location":{"type":"Point"}}`
	for filters, want := range map[string]bool{
		`{}`:                                                   true,
		`{"priority":["urgent"]}`:                              true,
		`{"priority":["low","urgent"]}`:                        true,
		`{"priority":["low","high"]}`:                          false,
		`{"priority":["Urgent"]}`:                              false,
		`{"priority":["urgent"],"rating":["3"]}`:               true,
		`{"priority":["urgent"],"rating":["4"]}`:               false,
		`{"rating":["3.0"]}`:                                   true,
		`{"cost":["12.5"]}`:                                    true,
		`{"critical":["false"]}`:                               true,
		`{"critical":["true"]}`:                                false,
		`{"due":["null"]}`:                                     true,
		`{"due":["2026-05-12"]}`:                               false,
		`{"priority":["null"]}`:                                false,
		`{"site_id":["019A3C61-52FE-7B0A-8C1D-6F1E0B9D7A42"]}`: true,
		`{"tags":["summer","winter"]}`:                         true,
		`{"tags":["summer"]}`:                                  false,
		`{"none_of":["null"]}`:                                 true,
		`{"none_of":["x"]}`:                                    false,
		`{"at":["2026-05-12T10:03:07.123456-04:00"]}`:          true,
		`{"at":["2026-05-12T10:03:07.1-04:00"]}`:               false,
		`{"custom_fields.floor":["2"]}`:                        true,
		`{"custom_fields.wing":["Est"]}`:                       false,
		`{"custom_fields.roof":["null"]}`:                      true,
		`{"location":["null"]}`:                                false,
		`{"painted":["null"]}`:                                 false, // of another kind of record
		`{"painted":["x"]}`:                                    false,
	} {
		var f Filters
		if err := json.Unmarshal([]byte(filters), &f); err != nil {
			t.Fatal(err)
		}
		a, err := attributesOf("work_order.updated", "work_orders", newID(), []byte(`{"data":{"object":`+record+`}}`))
		if got := (subscription{EventTypes: []string{"*"}, Filters: f}).matches(a); err != nil || got != want {
			t.Errorf("%s: %v, %v", filters, got, err)
		}
	}
	for what, payload := range map[string]string{"import.completed": `{"data":{"object":{"status":"x"}}}`,
		"asset.updated": `{"data":{"object":null}}`} {
		a, err := attributesOf(what, "assets", newID(), []byte(payload))
		if (subscription{EventTypes: []string{"*"}, Filters: Filters{"status": {"x"}}}).matches(a) || err != nil {
			t.Errorf("%s passes a filter on a field of a record", what)
		}
	}
}

func TestOnlyEventsOfRecordsThatPassTheFiltersAreDelivered(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	id := f.subscribe(t, r, fields{"event_types": []string{"work_order.*"}, "filters": fields{"priority": []string{"urgent", "high"}}})
	changeTo := func(priority string) string {
		return f.relayEvents(t, incomingEvent{Type: "work_order.updated", Collection: "work_orders", Payload: payload(
			`{"id":"`+newID()+`","priority":"`+priority+`"}`, `["priority"]`, `{"priority":"low"}`, `{"type":"user","id":"u","name":"Anne"}`,
			"api", "r-1")})[0]
	}
	urgent, _, high := changeTo("urgent"), changeTo("low"), changeTo("high")
	f.service.startDispatcher(t)
	expect := func(want ...string) {
		t.Helper()
		var got []string
		for _, c := range r.waitForCalls(t, len(want)) {
			got = append(got, c.id)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || queryOne[int](t, f, `SELECT count(*) FROM delivery`) != len(want) {
			t.Errorf("delivered: %v, want %v", got, want)
		}
	}
	expect(urgent, high)

	// What is replayed passes the filters that there are now.
	path := endpointsPath + "/" + id
	if got := f.Must(t, 200, "PATCH", path,
		fields{"filters": fields{"priority": []string{"low"}}}).JSON["filters"]; fmt.Sprint(got) != "map[priority:[low]]" {
		t.Errorf("after the change: %v", got)
	}
	made := f.Must(t, 201, "POST", path+"/replay", fields{"since": f.now().Add(-time.Hour).UTC().Format(time.RFC3339)}).JSON
	testwait.For(t, testTimeout, "the replay is done", func() bool {
		return f.Must(t, 200, "GET", path+"/replays/"+made["id"].(string), nil).JSON["state"] == "done"
	})
	r.waitForCalls(t, 3)
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE cause = 'replay'`); got != 1 {
		t.Errorf("%d deliveries of the replay", got)
	}

	// A filter that is there is taken away by null, and checked anew with other types.
	answer := f.Must(t, 400, "PATCH", path, fields{"event_types": []string{"site.*"}})
	if got := messageOf(answer, "filters.priority"); !strings.Contains(got, "is not a field") {
		t.Errorf("types without the field: %s", answer.Body)
	}
	if got := f.Must(t, 200, "PATCH", path, fields{"filters": fields{"priority": nil}}).JSON["filters"]; len(got.(fields)) != 0 {
		t.Errorf("without the filter: %v", got)
	}
}

// Records have their texts trimmed and in Unicode NFC; a value that is written otherwise would find nothing.
func TestValuesOfFiltersAreKeptAsRecordsHaveThem(t *testing.T) {
	f := newFixture(t)
	endpoint := f.createEndpoint(t, fields{"event_types": []string{"asset.*"},
		"filters": fields{"manufacturer": []string{" Me\u0301tro "}, "custom_fields.zone": []string{"B "}}})
	if kept := endpoint["filters"].(fields)["manufacturer"].([]any)[0]; kept != "M\u00e9tro" {
		t.Errorf("it keeps %q", kept)
	}
	if kept := endpoint["filters"].(fields)["custom_fields.zone"].([]any)[0]; kept != "B" {
		t.Errorf("of a custom field it keeps %q", kept)
	}
}
