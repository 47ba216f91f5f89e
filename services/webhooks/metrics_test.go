package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/telemetry/telemetrytest"
)

// What waits for something else than us is not counted as waiting, and many waiting deliveries are counted up to a number.
func TestWaitingDeliveriesAreCounted(t *testing.T) {
	w := newWorld(t) // nobody delivers
	r := newSubscriber(t, nil)
	due := w.subscribe(t, r, nil)
	var others []string
	for _, path := range []string{"/blocked", "/suspended", "/paused"} {
		others = append(others, w.subscribe(t, r, map[string]any{"url": r.URL + path}))
	}
	db, err := postgres.Open(t.Context(), w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	counts := func(at time.Time) (waiting int, oldest *time.Time) {
		t.Helper()
		if err := db.Pool().QueryRow(t.Context(), "SELECT waiting, oldest FROM waiting_deliveries($1, $2)", at, maxCounted).Scan(&waiting, &oldest); err != nil {
			t.Fatal(err)
		}
		return waiting, oldest
	}
	if n, oldest := counts(w.now()); n != 0 || oldest != nil {
		t.Errorf("%d wait since %v before anything has happened", n, oldest)
	}
	before := w.now().Add(-time.Minute)
	record := newID()
	w.relay(t, w.event(record, 1), w.event(record, 2), w.event(newID(), 1))
	conn := w.owner(t)
	for statement, id := range map[string]string{
		"UPDATE dispatch SET blocked_until = now() + interval '1 hour' WHERE endpoint_id = $1":   others[0],
		"UPDATE dispatch SET suspended_until = now() + interval '1 hour' WHERE endpoint_id = $1": others[1],
	} {
		if _, err := conn.Exec(t.Context(), statement, id); err != nil {
			t.Fatal(err)
		}
	}
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+others[2]+"/pause", nil)
	after := w.now().Add(time.Second)
	if n, oldest := counts(after); n != 2 || oldest == nil || oldest.Before(before) || oldest.After(after) {
		t.Errorf("%d records wait since %v, of two", n, oldest)
	}
	if n, _ := counts(after.Add(2 * time.Hour)); n != 6 {
		t.Errorf("%d records wait when nothing is blocked or suspended any more, of six", n)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO lane SELECT organization_id, endpoint_id, lpad(to_hex(n), 32, '0')::uuid, now() - interval '1 hour'
		FROM dispatch, generate_series(1, 3000) n WHERE endpoint_id = $1`, due); err != nil {
		t.Fatal(err)
	}
	if n, oldest := counts(after); n != maxCounted || oldest == nil || time.Since(*oldest) < 50*time.Minute {
		t.Errorf("%d records wait since %v", n, oldest)
	}
}

// A delivery is a part of the request that made the change: where that is sampled, and where the delivery fails.
func TestADeliveryIsInTheTraceOfTheChange(t *testing.T) {
	collector := telemetrytest.Start(t)
	shutdown, err := telemetry.Start(t.Context(), telemetry.Config{Service: "webhooks", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 0})
	if err != nil {
		t.Fatal(err)
	}
	status := http.StatusNoContent
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	secret := newSecret()
	to := target{url: r.URL + "/token-in-the-path", secrets: []string{secret}}
	m := exampleMessage(examplePayload)
	const change = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"
	for number, each := range []struct {
		flags  string
		status int
	}{{"00", 204}, {"01", 204}, {"00", 500}, {"01", 500}} {
		m.traceparent, status = change+each.flags, each.status
		testSender(time.Now).send(t.Context(), to, "a", number, m)
	}
	given, cancel := context.WithCancel(t.Context()) // by us: it says nothing about the receiver
	cancel()
	testSender(time.Now).send(given, to, "a", 9, m)
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = shutdown(limited) // it asks once more for the figures of services that other tests have ended

	failed := map[string]bool{}
	for _, span := range collector.Spans() {
		if telemetrytest.ID(span.GetTraceId()) != "4bf92f3577b34da6a3ce929d0e0e4736" || telemetrytest.ID(span.GetParentSpanId()) != "00f067aa0ba902b7" || span.GetName() != "deliver" {
			t.Errorf("it is not below the change: %v", span)
		}
		failed[telemetrytest.Value(span.GetAttributes(), "ams.webhook.attempt")] = span.GetStatus().GetCode() == v1.Status_STATUS_CODE_ERROR
	}
	delete(failed, "9")
	if len(failed) != 3 || failed["1"] || !failed["2"] || !failed["3"] {
		t.Errorf("recorded: %v", failed)
	}
	for _, kept := range []string{secret, strings.TrimPrefix(secret, "whsec_"), "token-in-the-path", r.URL} {
		if strings.Contains(collector.Everything(), kept) {
			t.Errorf("%s is in a span", kept)
		}
	}
}
