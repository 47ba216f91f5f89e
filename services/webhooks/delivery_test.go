package webhooks

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestDeliveriesAreListedNewestFirstAndFiltered(t *testing.T) {
	f := newFixture(t)
	endpoint := f.createEndpoint(t, fields{"event_types": []string{"asset.*", "site.*"}})
	record := uuid.NewString()
	for range 3 {
		f.relayEvents(t, incomingEvent{Type: "asset.updated", RecordID: record}, incomingEvent{Type: "asset.created"},
			incomingEvent{Type: "site.created", Collection: "sites"}, incomingEvent{Type: "user.created", Collection: "users"})
	}
	path := pathOf(endpoint) + "/deliveries"
	all, pagination := f.List(t, path)
	if len(all) != 9 || pagination["total"] != 9.0 {
		t.Fatalf("%d deliveries, %v", len(all), pagination)
	}
	oldest, _ := f.List(t, path+"?sort=created_at")
	for i := range all {
		if oldest[len(all)-1-i]["id"] != all[i]["id"] {
			t.Errorf("sort=created_at is not the reverse at %d", i)
		}
	}
	if page, of := f.List(t, path+"?per_page=4&page=3"); len(page) != 1 || page[0]["id"] != all[8]["id"] || of["total_pages"] != 3.0 {
		t.Errorf("the last page is %v %v", page, of)
	}
	if page, of := f.List(t, path+"?page=99"); len(page) != 0 || of["total"] != 9.0 {
		t.Errorf("a page past the end is %v %v", page, of)
	}
	for page, want := range map[string]map[string]string{
		"1": {"next": "2", "first": "1", "last": "3"}, "2": {"prev": "1", "next": "3", "first": "1", "last": "3"},
		"3": {"prev": "2", "first": "1", "last": "3"},
	} {
		f.AssertLinks(t, path+"?per_page=4&state=pending&page="+page, "page", want)
	}
	middle := all[4]["created_at"].(string)
	for query, want := range map[string]int{
		"state=pending": 9, "state=delivered": 0, "state=pending,failed": 9, "event_type=asset.updated": 3, "event_type=asset.*": 6,
		"event_type=site.created,asset.created": 6,
		"event_type=webhook.test":               0, "event_type=*": 9, "record_id=" + record: 3, "record_id=" + uuid.NewString(): 0,
		"record_id=" + record + "&event_type=asset.created": 0,
		"created_from=2999-01-01T00:00:00Z":                 0, "created_to=2999-01-01T00:00:00Z": 9,
		"created_from=" + middle + "&created_to=" + middle: 3,
	} {
		if found, of := f.List(t, path+"?"+query); len(found) != want || of["total"] != float64(want) {
			t.Errorf("%s finds %d of %v, want %d", query, len(found), of["total"], want)
		}
	}
}

func TestABodyIsShownToThoseWhoMayReadTheRecord(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL})
	f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	list, _ := f.List(t, pathOf(endpoint)+"/deliveries?event_type=asset.created")
	path := "/v1/webhook-deliveries/" + list[0]["id"].(string)
	if _, err := f.ownerConn(t).Exec(t.Context(), `INSERT INTO attempt (organization_id, delivery_id, number, at, duration_ms, request_headers)
		VALUES ($1, $2, 1, now(), 5, '{}'), ($1, $2, 2, now(), 7, '{}')`, f.Principal.OrganizationID, list[0]["id"]); err != nil {
		t.Fatal(err)
	}
	bodyFor := func(key *fixture) any {
		t.Helper()
		attempts := key.Must(t, 200, "GET", path, nil).JSON["attempts"].([]any)
		if len(attempts) != 2 || attempts[1].(fields)["number"] != 2.0 || attempts[1].(fields)["response"] != nil {
			t.Fatalf("the attempts are %v", attempts)
		}
		return attempts[0].(fields)["request"].(fields)["body"]
	}
	if body, _ := bodyFor(f).(string); !strings.Contains(body, `"object":{"id":`) || !strings.Contains(body, `"sequence":1`) {
		t.Errorf("the body is %q", body)
	}
	if body := bodyFor(f.withScopes("webhooks:read", "sites:read")); body != nil {
		t.Errorf("a key that may not read assets sees %v", body)
	}
	if body := bodyFor(f.withScopes("webhooks:read", "assets:read")); body == nil {
		t.Error("a key that may read assets does not see the body")
	}
	f.Must(t, 200, "PATCH", pathOf(endpoint), fields{"payload": "thin"})
	if body, _ := bodyFor(f).(string); strings.Contains(body, "object") || !strings.Contains(body, `"collection":"assets"`) {
		t.Errorf("thin, the body is %q", body)
	}
}

// What was sent stays what it was when the endpoint wants its events otherwise: its signature fits it.
func TestADeliveryShowsWhatWasSentThen(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL})
	id := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON["id"].(string)
	sent := string(receiver.last(t).body)
	f.Must(t, 200, "PATCH", pathOf(endpoint), fields{"payload": "thin", "format": "cloudevents"})
	shown := f.Must(t, 200, "GET", "/v1/webhook-deliveries/"+id, nil).JSON["attempts"].([]any)[0].(fields)
	if body := shown["request"].(fields)["body"]; body != sent {
		t.Errorf("it sent %s, and is shown to have sent %v", sent, body)
	}
}

func TestAnEventIsDeliveredOnceMore(t *testing.T) {
	f := newFixture(t)
	endpoint := f.createEndpoint(t)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	list, _ := f.List(t, pathOf(endpoint)+"/deliveries")
	former := list[0]
	answer := f.Must(t, 201, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil, "Idempotency-Key", "once")
	again := answer.JSON
	if again["id"] == former["id"] || again["event_id"] != former["event_id"] || again["cause"] != "redelivery" ||
		again["state"] != "pending" || again["record_id"] != former["record_id"] ||
		answer.Header.Get("Location") != "/v1/webhook-deliveries/"+again["id"].(string) {
		t.Errorf("%s %s", answer.Header.Get("Location"), answer.Body)
	}
	if same := f.Must(t, 201, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil, "Idempotency-Key",
		"once").JSON; same["id"] != again["id"] {
		t.Error("one Idempotency-Key makes two")
	}
	if _, err := f.ownerConn(t).Exec(t.Context(), "DELETE FROM event WHERE id = $1", former["event_id"]); err != nil {
		t.Fatal(err)
	}
	gone := f.Must(t, 409, "POST", "/v1/webhook-deliveries/"+again["id"].(string)+"/redeliver", nil)
	if gone.JSON["code"] != "event_gone" || gone.JSON["field"] != "event_id" {
		t.Errorf("of an event that was purged: %s", gone.Body)
	}
	f.Must(t, 200, "GET", "/v1/webhook-deliveries/"+again["id"].(string), nil)
	f.Must(t, 204, "DELETE", pathOf(endpoint), nil)
	f.Must(t, 404, "GET", "/v1/webhook-deliveries/"+again["id"].(string), nil)
	f.Must(t, 404, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil)
}
