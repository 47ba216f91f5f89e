package webhooks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// documentEvent is an event about a document, or a link of one, on a record of a collection.
func documentEvent(eventType, on, previous string) incomingEvent {
	collection := "documents"
	if strings.HasPrefix(eventType, "document_link") {
		collection = "document_links"
	}
	return incomingEvent{Type: eventType, Collection: collection, Payload: payload(fmt.Sprintf(`{"title":"Plan","collection":%q}`, on), "[]",
		previous, `{"type":"user","id":"u","name":"Anne"}`, "api", "r-1")}
}

// relayDocuments sends events about documents on several records, and gives their names by their ids.
func (f *fixture) relayDocuments(t *testing.T) map[string]string {
	t.Helper()
	events := map[string]incomingEvent{
		"on an asset":              documentEvent("document.created", "assets", "{}"),
		"on an assessment":         documentEvent("document.updated", "condition_assessments", "{}"),
		"linked to a project":      documentEvent("document_link.created", "projects", "{}"),
		"on a segment":             documentEvent("document.deleted", "segments", "{}"),
		"moved from one to assets": documentEvent("document.updated", "assets", `{"collection":"projects"}`),
		"on what nobody has":       documentEvent("document.updated", `secrets,"}`, "{}"),
		"about all that is kept": {Type: "storage.threshold_reached", Collection: "documents",
			Payload: payload(`{"percent":80}`, "[]", "{}", `{"type":"user","id":"u","name":"Anne"}`, "api", "r-1")},
		"an asset": {Type: "asset.created"},
	}
	names := map[string]string{}
	for name, event := range events {
		event.ID = newID()
		names[event.ID] = name
		f.relayEvents(t, event)
	}
	return names
}

// documentCases are what keys may receive, by their scopes.
var documentCases = []struct {
	scopes []string
	want   []string
	feed   []string // by a caller whose plan includes infrastructure; nil: the same
}{
	{[]string{"*:*"}, []string{"on an asset", "on an assessment", "linked to a project", "moved from one to assets", "about all that is kept",
		"an asset"}, []string{"on an asset", "on an assessment", "linked to a project", "on a segment", "moved from one to assets",
		"about all that is kept", "an asset"}},
	{[]string{"assets:read", "documents:read"}, []string{"on an asset", "on an assessment", "about all that is kept", "an asset"}, nil},
	{[]string{"projects:read", "documents:read"}, []string{"linked to a project", "about all that is kept"}, nil},
	{[]string{"projects:read", "assets:read", "documents:read"},
		[]string{"on an asset", "on an assessment", "linked to a project", "moved from one to assets", "about all that is kept",
			"an asset"}, nil},
	{[]string{"documents:read"}, []string{"about all that is kept"}, nil},
	{[]string{"infrastructure:read", "documents:read"}, []string{"about all that is kept"},
		[]string{"on a segment", "about all that is kept"}},
	{[]string{"assets:read"}, []string{"an asset"}, nil},
}

// patternsFor are what a key may subscribe to among the types of these tests.
func patternsFor(scopes []string) []string {
	var patterns []string
	if slices.Contains(scopes, "documents:read") || slices.Contains(scopes, "*:*") {
		patterns = append(patterns, "document.*", "document_link.*", "storage.*")
	}
	if slices.Contains(scopes, "assets:read") || slices.Contains(scopes, "*:*") {
		patterns = append(patterns, "asset.*")
	}
	return patterns
}

func sortedNames(ids []string, names map[string]string) string {
	var list []string
	for _, id := range ids {
		list = append(list, names[id])
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func sorted(list []string) string {
	return strings.Join(slices.Sorted(slices.Values(list)), ", ")
}

// What is on a record is delivered to those alone who may read that record as well, and whose plan includes it; a
// replay does not widen that.
func TestEventsOfDocumentsReachThoseWhoMayReadWhatTheyAreOn(t *testing.T) {
	f := newFixture(t)
	endpoints := map[int]string{}
	for i, c := range documentCases {
		key := f.withScopes(append([]string{"webhooks:read", "webhooks:write"}, c.scopes...)...)
		endpoints[i] = key.createEndpoint(t, fields{"url": fmt.Sprintf("http://127.0.0.1:9/%d", i), "event_types": patternsFor(c.scopes)})["id"].(string)
	}
	names := f.relayDocuments(t)
	delivered := func(endpoint, cause string) string {
		return sortedNames(strings.Fields(queryOne[string](t, f, `SELECT coalesce(string_agg(event_id::text, ' '), '') FROM delivery
			WHERE endpoint_id = $1 AND cause = $2`, endpoint, cause)), names)
	}
	for i, c := range documentCases {
		if got := delivered(endpoints[i], "event"); got != sorted(c.want) {
			t.Errorf("%v: %s, want %s", c.scopes, got, sorted(c.want))
		}
		f.Must(t, 201, "POST", endpointsPath+"/"+endpoints[i]+"/replay", fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)})
	}
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, c := range documentCases {
		if got := delivered(endpoints[i], "replay"); got != sorted(c.want) {
			t.Errorf("replayed to %v: %s, want %s", c.scopes, got, sorted(c.want))
		}
	}
}

func TestTheFeedHasTheDocumentsOnWhatTheKeyMayRead(t *testing.T) {
	f := newFixture(t)
	names := f.relayDocuments(t)
	for _, c := range documentCases {
		want := c.want
		if c.feed != nil {
			want = c.feed
		}
		var got []string
		for _, event := range f.withScopes(
			append([]string{"webhooks:read"}, c.scopes...)...,
		).Must(t, 200, "GET", "/v1/events", nil).JSON["data"].([]any) {
			got = append(got, event.(fields)["id"].(string))
		}
		if list := sortedNames(got, names); list != sorted(want) {
			t.Errorf("%v: %s, want %s", c.scopes, list, sorted(want))
		}
	}
	poor := f.withScopes("*:*")
	poor.Principal.Features = []string{"api_access"}
	for _, event := range poor.Must(t, 200, "GET", "/v1/events", nil).JSON["data"].([]any) {
		if name := names[event.(fields)["id"].(string)]; strings.Contains(name, "project") || strings.Contains(name, "segment") ||
			strings.Contains(name, "moved") {
			t.Errorf("a plan without projects shows what is %s", name)
		}
	}
}

// The body of a delivery is shown to those who may read what the document is on.
func TestTheBodyOfADocumentsDeliveryIsShownToWhoMayReadWhatItIsOn(t *testing.T) {
	f := newFixture(t)
	endpoint := f.createEndpoint(t, fields{"event_types": []string{"document.*"}})
	f.relayEvents(t, documentEvent("document.created", "assets", "{}"))
	list, _ := f.List(t, pathOf(endpoint)+"/deliveries")
	if _, err := f.ownerConn(t).Exec(t.Context(), `INSERT INTO attempt (organization_id, delivery_id, number, at, duration_ms, request_headers)
		VALUES ($1, $2, 1, now(), 5, '{}')`, f.Principal.OrganizationID, list[0]["id"]); err != nil {
		t.Fatal(err)
	}
	for scopes, shown := range map[string]bool{"documents:read": false, "assets:read": false, "documents:read assets:read": true} {
		key := f.withScopes(append([]string{"webhooks:read"}, strings.Fields(scopes)...)...)
		attempt := key.Must(t, 200, "GET", "/v1/webhook-deliveries/"+list[0]["id"].(string), nil).JSON["attempts"].([]any)[0]
		if body := attempt.(fields)["request"].(fields)["body"]; (body != nil) != shown {
			t.Errorf("%s: %v", scopes, body)
		}
	}
}

// Whoever chooses the address or the types last must be able to read what is sent; other changes leave that as it is. Endpoints of the
// former release receive what they subscribe to.
func TestWhoChoosesLastDecidesWhatAnEndpointReceives(t *testing.T) {
	f := newFixture(t)
	narrow := f.withScopes("webhooks:read", "webhooks:write", "documents:read")
	endpoint := f.createEndpoint(t, fields{"event_types": []string{"document.*"}})
	path, received := pathOf(endpoint), 0
	for _, step := range []struct {
		name string
		do   func()
		want bool
	}{
		{"made by who may read all", func() {}, true},
		{"described by another key", func() { narrow.Must(t, 200, "PATCH", path, fields{"description": "d"}) }, true},
		{"sent elsewhere by another key", func() { narrow.Must(t, 200, "PATCH", path, fields{"url": "http://127.0.0.1:9/2"}) }, false},
		{"narrowed by who may read all", func() { f.Must(t, 200, "PATCH", path, fields{"exclude_origins": []string{"import"}}) }, false},
		{"described by who may read all", func() { f.Must(t, 200, "PATCH", path, fields{"description": "e"}) }, false},
		{"given other types by who may read all",
			func() { f.Must(t, 200, "PATCH", path, fields{"event_types": []string{"document.created"}}) }, true},
		{"narrowed by another key", func() {
			narrow.Must(t, 200, "PATCH", path, fields{"exclude_origins": []string{"import", "console"}})
		}, true},
		{"widened by another key", func() { narrow.Must(t, 200, "PATCH", path, fields{"exclude_origins": []string{}}) }, false},
		{"of the former release", func() {
			if _, err := f.ownerConn(t).Exec(t.Context(), `UPDATE webhook_endpoint SET maker_scopes = NULL`); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"by a key that could read no documents", func() {
			if _, err := f.ownerConn(t).Exec(t.Context(), `UPDATE webhook_endpoint SET maker_scopes = '{assets:read}'`); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		step.do()
		f.relayEvents(t, documentEvent("document.created", "assets", "{}"))
		if step.want {
			received++
		}
		if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != received {
			t.Fatalf("%s: %d deliveries, want %d", step.name, got, received)
		}
	}
}

// A gateway that cannot be asked stops nobody's deliveries.
func TestDocumentsAreDeliveredWhileNobodyKnowsThePlan(t *testing.T) {
	f := newFixture(t)
	f.gateway.down.Store(true)
	f.createEndpoint(t, fields{"event_types": []string{"document.*"}})
	f.relayEvents(t, documentEvent("document.created", "projects", "{}"), documentEvent("document.created", "segments", "{}"))
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != 2 {
		t.Errorf("%d deliveries", got)
	}
}

// The former release writes events without the collections that they are seen with; those are seen as before.
func TestEventsOfTheFormerReleaseAreSeenAsBefore(t *testing.T) {
	f := newFixture(t)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	if _, err := f.ownerConn(t).Exec(t.Context(), `INSERT INTO event (organization_id, id, sequence, type, collection, record_id, version,
		payload, at, received_at)
		SELECT organization_id, gen_random_uuid(), 2, type, collection, record_id, version, payload, at, received_at FROM event`); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ownerConn(t).Exec(t.Context(), `UPDATE feed SET last_sequence = 2`); err != nil {
		t.Fatal(err)
	}
	if types, _, _ := f.withScopes("webhooks:read", "assets:read").readFeed(t, ""); len(types) != 2 {
		t.Errorf("the feed has %v", types)
	}
}
