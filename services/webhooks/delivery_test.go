package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestATestIsSentAtOnceAndShowsTheReceiversAnswer(t *testing.T) {
	f := serveFront(t)
	receiver := newReceiver(t)
	receiver.answer = func(w http.ResponseWriter) {
		w.Header().Set("X-Receiver", "yes")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte(strings.Repeat("é", 20_000)))
	}
	endpoint := f.endpoint(t, fields{"url": receiver.URL, "headers": fields{"X-Token": "hush"}})
	answer := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil)
	attempt := answer.JSON["attempts"].([]any)[0].(fields)
	request, response := attempt["request"].(fields), attempt["response"].(fields)
	if answer.JSON["state"] != "failed" || answer.JSON["cause"] != "test" || answer.JSON["event_type"] != testType || answer.JSON["attempt_count"] != 1.0 ||
		answer.JSON["next_attempt_at"] != nil || answer.JSON["last_status"] != 418.0 || answer.JSON["sequence"] != nil || answer.JSON["record_id"] != endpoint["id"] {
		t.Errorf("the test: %.600s", answer.Body)
	}
	if response["status"] != 418.0 || response["headers"].(fields)["X-Receiver"] != "yes" || len(response["body"].(string)) < 16_000 || len(response["body"].(string)) > 17_000 ||
		!strings.Contains(attempt["error"].(string), "418") {
		t.Errorf("what came back: %.600s", answer.Body)
	}
	headers := request["headers"].(fields)
	if headers["X-Token"] != masked || headers["Webhook-Delivery-Id"] != answer.JSON["id"] || headers["Webhook-Attempt"] != "1" || request["body"] != receiver.bodies[0] {
		t.Errorf("what was sent: %v, received %s", request, receiver.bodies[0])
	}
	if got := receiver.calls[0]; got.Get("X-Token") != "hush" || got.Get("Webhook-Id") != answer.JSON["event_id"] || got.Get("Webhook-Event-Type") != testType {
		t.Errorf("received: %v", got)
	}
	receiver.answer = nil
	f.Must(t, 200, "POST", pathOf(endpoint)+"/pause", nil)
	if shown := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON; shown["state"] != "delivered" || shown["last_error"] != nil {
		t.Errorf("the test of a paused endpoint: %v", shown)
	}
	receiver.Close()
	away := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON
	if attempt := away["attempts"].([]any)[0].(fields); away["state"] != "failed" || attempt["response"] != nil || attempt["error"] == "" || away["last_status"] != nil {
		t.Errorf("nobody is there: %v", away)
	}
	list, pagination := f.List(t, pathOf(endpoint)+"/deliveries")
	if len(list) != 3 || pagination["total"] != 3.0 || list[0]["id"] != away["id"] {
		t.Errorf("the tests are listed as %v %v", list, pagination)
	}
	if feed := f.Must(t, 200, "GET", "/v1/events", nil).JSON; len(feed["data"].([]any)) != 0 {
		t.Error("tests are in the feed")
	}
	if got := f.Must(t, 200, "GET", pathOf(endpoint), nil).JSON; got["consecutive_failures"] != 0.0 || got["last_attempt_at"] != nil {
		t.Errorf("a test counts for the endpoint's standing: %v", got)
	}
}

func TestDeliveriesAreListedNewestFirstAndFiltered(t *testing.T) {
	f := serveFront(t)
	endpoint := f.endpoint(t, fields{"event_types": []string{"asset.*", "site.*"}})
	record := uuid.NewString()
	for range 3 {
		f.arrive(t, incomingEvent{Type: "asset.updated", RecordID: record}, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "site.created", Collection: "sites"}, incomingEvent{Type: "user.created", Collection: "users"})
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
	middle := all[4]["created_at"].(string)
	for query, want := range map[string]int{
		"state=pending": 9, "state=delivered": 0, "state=pending,failed": 9, "event_type=asset.updated": 3, "event_type=asset.*": 6, "event_type=site.created,asset.created": 6,
		"event_type=webhook.test": 0, "event_type=*": 9, "record_id=" + record: 3, "record_id=" + uuid.NewString(): 0, "record_id=" + record + "&event_type=asset.created": 0,
		"created_from=2999-01-01T00:00:00Z": 0, "created_to=2999-01-01T00:00:00Z": 9, "created_from=" + middle + "&created_to=" + middle: 3,
	} {
		if found, of := f.List(t, path+"?"+query); len(found) != want || of["total"] != float64(want) {
			t.Errorf("%s finds %d of %v, want %d", query, len(found), of["total"], want)
		}
	}
}

func TestABodyIsShownToThoseWhoMayReadTheRecord(t *testing.T) {
	f := serveFront(t)
	receiver := newReceiver(t)
	endpoint := f.endpoint(t, fields{"url": receiver.URL})
	f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil)
	f.arrive(t, incomingEvent{Type: "asset.created"})
	list, _ := f.List(t, pathOf(endpoint)+"/deliveries?event_type=asset.created")
	path := "/v1/webhook-deliveries/" + list[0]["id"].(string)
	if _, err := f.owner(t).Exec(t.Context(), `INSERT INTO attempt (organization_id, delivery_id, number, at, duration_ms, request_headers)
		VALUES ($1, $2, 1, now(), 5, '{}'), ($1, $2, 2, now(), 7, '{}')`, f.Principal.OrganizationID, list[0]["id"]); err != nil {
		t.Fatal(err)
	}
	bodyFor := func(key *front) any {
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
	if body := bodyFor(f.with("webhooks:read", "sites:read")); body != nil {
		t.Errorf("a key that may not read assets sees %v", body)
	}
	if body := bodyFor(f.with("webhooks:read", "assets:read")); body == nil {
		t.Error("a key that may read assets does not see the body")
	}
	f.Must(t, 200, "PATCH", pathOf(endpoint), fields{"payload": "thin"})
	if body, _ := bodyFor(f).(string); strings.Contains(body, "object") || !strings.Contains(body, `"collection":"assets"`) {
		t.Errorf("thin, the body is %q", body)
	}
}

func TestAnEventIsDeliveredOnceMore(t *testing.T) {
	f := serveFront(t)
	endpoint := f.endpoint(t)
	f.arrive(t, incomingEvent{Type: "asset.created"})
	list, _ := f.List(t, pathOf(endpoint)+"/deliveries")
	former := list[0]
	answer := f.Must(t, 201, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil, "Idempotency-Key", "once")
	again := answer.JSON
	if again["id"] == former["id"] || again["event_id"] != former["event_id"] || again["cause"] != "redelivery" || again["state"] != "pending" || again["record_id"] != former["record_id"] ||
		answer.Header.Get("Location") != "/v1/webhook-deliveries/"+again["id"].(string) {
		t.Errorf("%s %s", answer.Header.Get("Location"), answer.Body)
	}
	if same := f.Must(t, 201, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil, "Idempotency-Key", "once").JSON; same["id"] != again["id"] {
		t.Error("one Idempotency-Key makes two")
	}
	if _, err := f.owner(t).Exec(t.Context(), "DELETE FROM event WHERE id = $1", former["event_id"]); err != nil {
		t.Fatal(err)
	}
	gone := f.Must(t, 409, "POST", "/v1/webhook-deliveries/"+again["id"].(string)+"/redeliver", nil)
	if gone.JSON["code"] != "event_gone" || gone.JSON["field"] != "event_id" {
		t.Errorf("of an event that is not kept: %s", gone.Body)
	}
	f.Must(t, 200, "GET", "/v1/webhook-deliveries/"+again["id"].(string), nil)
	f.Must(t, 204, "DELETE", pathOf(endpoint), nil)
	f.Must(t, 404, "GET", "/v1/webhook-deliveries/"+again["id"].(string), nil)
	f.Must(t, 404, "POST", "/v1/webhook-deliveries/"+former["id"].(string)+"/redeliver", nil)
}

func TestPauseAndResume(t *testing.T) {
	f := serveFront(t)
	path := pathOf(f.endpoint(t))
	for _, step := range []struct {
		action, status string
		version        float64
	}{{"/pause", paused, 2}, {"/pause", paused, 2}, {"/resume", active, 3}, {"/resume", active, 3}} {
		answer := f.Must(t, 200, "POST", path+step.action, nil)
		if answer.JSON["status"] != step.status || answer.JSON["version"] != step.version || answer.Header.Get("ETag") == "" {
			t.Errorf("%s: %s", step.action, answer.Body)
		}
	}
	// Whoever looks for the times of failure finds them told, and told to be over.
	owner := f.owner(t)
	id := path[len(endpointsPath)+1:]
	for _, change := range []string{"failing_since = now()", "status = 'disabled', disabled_at = now(), disabled_reason = 'It answered 410.'"} {
		if _, err := owner.Exec(t.Context(), "UPDATE webhook_endpoint SET "+change+" WHERE id = $1", id); err != nil {
			t.Fatal(err)
		}
	}
	got := f.Must(t, 200, "POST", path+"/resume", nil).JSON
	if got["status"] != active || got["failing_since"] != nil || got["disabled_at"] != nil || got["disabled_reason"] != nil {
		t.Errorf("resumed from disabled: %v", got)
	}
	var types []string
	rows, err := owner.Query(t.Context(), "SELECT type FROM outbox ORDER BY position")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		types = append(types, name)
	}
	if want := "webhook_endpoint.created webhook_endpoint.updated webhook_endpoint.updated webhook_endpoint.updated"; strings.Join(types, " ") != want {
		t.Errorf("told is %v", types)
	}
}

func TestAReplayIsAJobThatCanBeLookedAt(t *testing.T) {
	f := serveFront(t)
	endpoint := f.endpoint(t, fields{"event_types": []string{"asset.*", "site.*"}})
	path := pathOf(endpoint)
	f.arrive(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "site.created", Collection: "sites"}, incomingEvent{Type: "asset.updated"})
	since := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	answer := f.Must(t, 201, "POST", path+"/replay", fields{"since": since, "event_types": []string{"asset.*"}})
	made := answer.JSON
	if made["state"] != "pending" || made["queued"] != 0.0 || made["endpoint_id"] != endpoint["id"] || made["created_by"].(fields)["name"] != "conformance" ||
		answer.Header.Get("Location") != path+"/replays/"+made["id"].(string) {
		t.Errorf("%s", answer.Body)
	}
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := f.Must(t, 200, "GET", path+"/replays/"+made["id"].(string), nil).JSON
	if done["state"] != "done" || done["queued"] != 2.0 || done["finished_at"] == nil {
		t.Errorf("%v", done)
	}
	if _, of := f.List(t, path+"/deliveries?event_type=asset.*"); of["total"] != 4.0 {
		t.Errorf("%v deliveries of assets", of["total"])
	}
	f.Must(t, 201, "POST", path+"/replay", fields{"since": since})
	if list, of := f.List(t, path+"/replays"); of["total"] != 2.0 || list[1]["id"] != made["id"] {
		t.Errorf("%v %v", list, of)
	}
	// Of an organization in which nothing has happened yet.
	quiet := f.apart()
	empty := pathOf(quiet.endpoint(t))
	quiet.Must(t, 201, "POST", empty+"/replay", fields{"since": since})
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _ := quiet.List(t, empty+"/replays"); list[0]["state"] != "done" || list[0]["queued"] != 0.0 {
		t.Errorf("%v", list)
	}
}

// A replay repeats what the endpoint takes, and nothing else.
func TestAReplayDoesNotWiden(t *testing.T) {
	f := serveFront(t)
	path := pathOf(f.endpoint(t, fields{"event_types": []string{"asset.updated"}}))
	f.arrive(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "asset.updated"})
	f.Must(t, 201, "POST", path+"/replay", fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "event_types": []string{"asset.*"}})
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _ := f.List(t, path+"/deliveries")
	for _, delivery := range list {
		if delivery["event_type"] != "asset.updated" {
			t.Errorf("a replay sends %v", delivery["event_type"])
		}
	}
	if len(list) != 2 {
		t.Errorf("%d deliveries", len(list))
	}
}
