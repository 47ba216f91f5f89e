package webhooks

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestActionsRefuse(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t))
	now := time.Now().UTC()
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339) }
	for _, c := range []struct {
		name, path     string
		body           any
		field, message string
	}{
		{"an overlap below 0", "/secret/rotate", fields{"overlap_hours": -1}, "overlap_hours", "must be 0 or more"},
		{"an overlap of more than a week", "/secret/rotate", fields{"overlap_hours": 169}, "overlap_hours", "must be 168 or less"},
		{"half an hour of overlap", "/secret/rotate", fields{"overlap_hours": 0.5}, "overlap_hours", "must be a whole number"},
		{"an unknown field of a rotation", "/secret/rotate", fields{"seed": "whsec_mine"}, "seed", "is not a field"},
		{"a secret that is none", "/secret/rotate", fields{"secret": "whsec_mine"}, "secret", "must be whsec_"},
		{"a replay without a beginning", "/replay", fields{}, "since", "is required"},
		{"a replay of the future", "/replay", fields{"since": at(-time.Hour)}, "since", "is in the future"},
		{"a replay of what is not stored", "/replay", fields{"since": at(31 * 24 * time.Hour)}, "since", "more than 30 days ago"},
		{"a replay since no time", "/replay", fields{"since": "yesterday"}, "since", "must be a time"},
		{"a replay of an unknown type", "/replay", fields{"since": at(time.Hour), "event_types": []string{"asset.painted"}}, "event_types[0]",
			"is not an event type"},
		{"a replay of what the endpoint does not take", "/replay", fields{"since": at(time.Hour),
			"event_types": []string{"asset.*", "user.created"}}, "event_types[1]", "is nothing that this endpoint takes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := f.Must(t, 400, "POST", path+c.path, c.body)
			if got := messageOf(answer, c.field); !strings.Contains(got, c.message) {
				t.Errorf("of %s it says %q, want %q: %s", c.field, got, c.message, answer.Body)
			}
		})
	}
	f.Must(t, 400, "POST", path+"/pause?force=true", nil)
	f.Must(t, 201, "POST", path+"/replay", fields{"since": at(time.Hour)})
	second := f.Must(t, 409, "POST", path+"/replay", fields{"since": at(time.Hour)})
	if second.JSON["code"] != "replay_running" || second.JSON["existing_id"] == nil {
		t.Errorf("a second replay: %s", second.Body)
	}
	f.inTransaction(t, func(ctx context.Context, tx pgx.Tx) error {
		return disable(ctx, tx, f.service.dispatcher.registry, path[len(endpointsPath)+1:], "No delivery has succeeded for five days.",
			time.Now())
	})
	answer := f.Must(t, 409, "POST", path+"/pause", nil)
	if answer.JSON["field"] != "status" || answer.JSON["value"] != paused || answer.JSON["allowed"].([]any)[0] != active {
		t.Errorf("pausing what is disabled: %s", answer.Body)
	}
	reader := f.withScopes("webhooks:read")
	for _, action := range []string{"/pause", "/resume", "/test", "/replay", "/secret/rotate"} {
		var body any
		if action == "/replay" || action == "/secret/rotate" {
			body = fields{}
		}
		if answer := reader.Must(t, 403, "POST", path+action, body); answer.JSON["required_scope"] != "webhooks:write" {
			t.Errorf("%s by a key that may only read: %s", action, answer.Body)
		}
	}
}

func TestAnotherOrganizationsEndpointsAndDeliveriesAreNotThere(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t))
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	replay := f.Must(t, 201, "POST", path+"/replay", fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).JSON
	list, _ := f.List(t, path+"/deliveries")
	delivery := "/v1/webhook-deliveries/" + list[0]["id"].(string)
	other := f.otherOrganization()
	for _, request := range []struct {
		method, path string
		body         any
	}{
		{"GET", path, nil}, {"PATCH", path, fields{}}, {"DELETE", path, nil}, {"GET", path + "/deliveries", nil}, {"GET", path + "/replays", nil},
		{"GET", path + "/replays/" + replay["id"].(string), nil}, {"POST", path + "/pause", nil}, {"POST", path + "/resume", nil},
		{"POST", path + "/test", nil},
		{"POST", path + "/replay", fields{"since": time.Now().UTC().Format(time.RFC3339)}}, {"POST", path + "/secret/rotate", fields{}},
		{"GET", delivery, nil}, {"POST", delivery + "/redeliver", nil},
	} {
		other.Must(t, http.StatusNotFound, request.method, request.path, request.body)
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/replays/"+newID(), nil)
	f.Must(t, http.StatusBadRequest, "GET", "/v1/webhook-deliveries/nonsense", nil)
	f.Must(t, http.StatusBadRequest, "GET", path+"/deliveries?state=lost", nil)
	f.Must(t, http.StatusBadRequest, "GET", path+"/deliveries?event_type=asset.painted", nil)
}

func TestPauseAndResume(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t))
	for _, step := range []struct {
		action, status string
		version        float64
	}{{"/pause", paused, 2}, {"/pause", paused, 2}, {"/resume", active, 3}, {"/resume", active, 3}} {
		answer := f.Must(t, 200, "POST", path+step.action, nil)
		if answer.JSON["status"] != step.status || answer.JSON["version"] != step.version || answer.Header.Get("ETag") == "" {
			t.Errorf("%s: %s", step.action, answer.Body)
		}
	}
	conn := f.ownerConn(t)
	id := path[len(endpointsPath)+1:]
	for _, change := range []string{"failing_since = now()", "status = 'disabled', disabled_at = now(), disabled_reason = 'It answered " +
		"410.'"} {
		if _, err := conn.Exec(t.Context(), "UPDATE webhook_endpoint SET "+change+" WHERE id = $1", id); err != nil {
			t.Fatal(err)
		}
	}
	got := f.Must(t, 200, "POST", path+"/resume", nil).JSON
	if got["status"] != active || got["failing_since"] != nil || got["disabled_at"] != nil || got["disabled_reason"] != nil {
		t.Errorf("resumed from disabled: %v", got)
	}
	var types []string
	rows, err := conn.Query(t.Context(), "SELECT type FROM outbox ORDER BY position")
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
	if want := "webhook_endpoint.created webhook_endpoint.updated webhook_endpoint.updated webhook_endpoint.updated"; strings.Join(types,
		" ") != want {
		t.Errorf("emitted: %v", types)
	}
}

func TestATestIsSentAtOnceAndShowsTheReceiversAnswer(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Receiver", "yes")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte(strings.Repeat("é", 20_000)))
	})
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL, "headers": fields{"X-Token": "hush"}})
	answer := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil)
	attempt := answer.JSON["attempts"].([]any)[0].(fields)
	request, response := attempt["request"].(fields), attempt["response"].(fields)
	if answer.JSON["state"] != "failed" || answer.JSON["cause"] != "test" || answer.JSON["event_type"] != testType ||
		answer.JSON["attempt_count"] != 1.0 ||
		answer.JSON["next_attempt_at"] != nil || answer.JSON["last_status"] != 418.0 || answer.JSON["sequence"] != nil ||
		answer.JSON["record_id"] != endpoint["id"] {
		t.Errorf("the test: %.600s", answer.Body)
	}
	if response["status"] != 418.0 || response["headers"].(fields)["X-Receiver"] != "yes" || len(response["body"].(string)) < 16_000 ||
		len(response["body"].(string)) > 17_000 ||
		!strings.Contains(attempt["error"].(string), "418") {
		t.Errorf("what came back: %.600s", answer.Body)
	}
	headers, got := request["headers"].(fields), receiver.last(t)
	if headers["X-Token"] != masked || headers["Webhook-Delivery-Id"] != answer.JSON["id"] || headers["Webhook-Attempt"] != "1" ||
		request["body"] != string(got.body) {
		t.Errorf("what was sent: %v, received %s", request, got.body)
	}
	if got.header.Get("X-Token") != "hush" || got.id != answer.JSON["event_id"] || got.eventType != testType {
		t.Errorf("received: %v", got.header)
	}
	receiver.respondWith(nil)
	f.Must(t, 200, "POST", pathOf(endpoint)+"/pause", nil)
	if shown := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON; shown["state"] != "delivered" || shown["last_error"] != nil {
		t.Errorf("the test of a paused endpoint: %v", shown)
	}
	receiver.Close()
	failed := f.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON
	if attempt := failed["attempts"].([]any)[0].(fields); failed["state"] != "failed" || attempt["response"] != nil ||
		attempt["error"] == "" || failed["last_status"] != nil {
		t.Errorf("nobody is there: %v", failed)
	}
	list, pagination := f.List(t, pathOf(endpoint)+"/deliveries")
	if len(list) != 3 || pagination["total"] != 3.0 || list[0]["id"] != failed["id"] {
		t.Errorf("the tests are listed as %v %v", list, pagination)
	}
	if feed := f.Must(t, 200, "GET", "/v1/events", nil).JSON; len(feed["data"].([]any)) != 0 {
		t.Error("tests are in the feed")
	}
	if got := f.Must(t, 200, "GET", pathOf(endpoint), nil).JSON; got["consecutive_failures"] != 0.0 || got["last_attempt_at"] != nil {
		t.Errorf("a test counts for the endpoint's standing: %v", got)
	}
}

func TestATestHoldsNoConnectionWhileTheReceiverHangs(t *testing.T) {
	f := newFixture(t).singleConnection(t)
	release := make(chan struct{})
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		<-release
		w.WriteHeader(http.StatusAccepted)
	})
	path := pathOf(f.createEndpoint(t, fields{"url": r.URL}))
	answered := make(chan resourcetest.Response, 1)
	go func() { answered <- f.Do(t, "POST", path+"/test", nil, "Idempotency-Key", "once") }()
	r.waitForCalls(t, 1)
	f.Must(t, 200, "GET", path, nil) // by the only connection
	if meanwhile := f.Must(t, 409, "POST", path+"/test", nil, "Idempotency-Key", "once"); meanwhile.JSON["code"] != "idempotency_key_in_use" {
		t.Errorf("the same test meanwhile: %s", meanwhile.Body)
	}
	close(release)
	first := <-answered
	again := f.Must(t, 200, "POST", path+"/test", nil, "Idempotency-Key", "once")
	if first.Status != 200 || string(again.Body) != string(first.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%d %s and then %s", first.Status, first.Body, again.Body)
	}
	r.waitForCalls(t, 1)
	if calls := r.received(); len(calls) != 1 {
		t.Errorf("%d calls", len(calls))
	}
}
