package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestEveryEventIsDeliveredInTheOrderOfItsRecord(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	r := newSubscriber(t, nil)
	w.subscribe(t, r, nil)
	const records, versions = 40, 10
	var ids []string
	for range records {
		ids = append(ids, newID())
	}
	for version := range versions {
		var batch []map[string]any
		for _, id := range ids {
			batch = append(batch, w.event(id, version+1))
		}
		w.relay(t, batch...)
	}
	expectOrder(t, r.awaits(t, records*versions), records*versions)
	eventually(t, "every delivery is written down", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered' AND attempts = 1`) == records*versions
	})
	if got := one[string](t, w, `SELECT (SELECT count(*) FROM lane) || ' ' || (SELECT count(*) FROM attempt WHERE response_status = 200)`); got != fmt.Sprint("0 ", records*versions) {
		t.Errorf("lanes and attempts: %s", got)
	}
}

// expectOrder checks that n events came once each, and those of a record by version.
func expectOrder(t testing.TB, calls []call, n int) {
	t.Helper()
	last, seen := map[string]int{}, map[string]bool{}
	for _, c := range calls {
		if seen[c.id] {
			continue // received again after a kill: not again in the order
		}
		seen[c.id] = true
		if c.version != last[c.record]+1 {
			t.Errorf("version %d of a record came after version %d", c.version, last[c.record])
		}
		last[c.record] = max(last[c.record], c.version)
	}
	if len(seen) != n {
		t.Errorf("%d events received, %d sent", len(seen), n)
	}
}

// A delivery that fails holds up its record and nobody else's; it is tried again by the schedule, and what waited behind it
// comes in order.
func TestAFailureHoldsUpItsRecordOnly(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	sick, well := newID(), newID()
	failures := atomic.Int64{}
	failures.Store(2)
	r := newSubscriber(t, func(c call, w http.ResponseWriter, _ *http.Request) {
		if c.record == sick && failures.Add(-1) >= 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.subscribe(t, r, nil)
	w.relay(t, w.event(sick, 1), w.event(sick, 2), w.event(well, 1), w.event(well, 2))
	r.awaits(t, 3) // both of the other record, and the failure
	eventually(t, "the failure is written down", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt WHERE response_status = 500`) == 1 })
	if wait := one[float64](t, w, `SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 FROM delivery WHERE failures = 1`); wait < 5 || wait > 6 {
		t.Errorf("tried again after %v s", wait)
	}
	w.pass(6 * time.Second)
	r.awaits(t, 4)
	eventually(t, "the second failure is written down", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt WHERE response_status = 500`) == 2 })
	w.pass(36 * time.Second)
	var order string
	for _, c := range r.awaits(t, 6) {
		if c.record == sick {
			order += fmt.Sprint(c.version, "/", c.attempt, " ")
		}
	}
	if order != "1/1 1/2 1/3 2/1 " {
		t.Errorf("versions and attempts of the record: %s", order)
	}
}

// The fourth failure of a delivery lets its successors pass, and it goes on being tried until the schedule ends.
func TestTheFourthFailureLetsSuccessorsPass(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	record := newID()
	r := newSubscriber(t, func(c call, w http.ResponseWriter, _ *http.Request) {
		if c.version == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	w.subscribe(t, r, nil)
	w.relay(t, w.event(record, 1), w.event(record, 2), w.event(record, 3))
	for attempt := 1; attempt <= len(retryDelays)+1; attempt++ {
		eventually(t, fmt.Sprintf("attempt %d is written down", attempt), func() bool {
			return one[int](t, w, `SELECT coalesce(max(attempts), 0) FROM delivery WHERE state <> 'delivered'`) == attempt
		})
		successors := one[int](t, w, `SELECT count(*) FROM attempt a JOIN delivery d ON d.id = a.delivery_id JOIN event e ON e.id = d.event_id WHERE e.version > 1`)
		if attempt < blockingFailures && successors != 0 {
			t.Fatalf("a successor passed after %d failures", attempt)
		}
		if attempt == blockingFailures {
			eventually(t, "the successors have passed", func() bool {
				return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 2
			})
		}
		if attempt <= len(retryDelays) {
			w.pass(retryDelays[attempt-1]*12/10 + time.Second)
		}
	}
	if got := one[string](t, w, `SELECT state || ' ' || failures || ' ' || last_status || ' ' || last_error FROM delivery WHERE state <> 'delivered'`); got != "failed 11 502 The receiver answered 502." {
		t.Errorf("at the end: %s", got)
	}
}

func TestAReceiverMaySendUsAwayForAWhile(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		header string
		pause  time.Duration
	}{
		"429 with seconds": {429, "120", 2 * time.Minute}, "503 with seconds": {503, "600", 10 * time.Minute}, "429 without": {429, "", defaultPause},
		"429 for ever": {429, "999999999", maxPause},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.here.deliver(t)
			var taken atomic.Int64
			r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
				if taken.Add(1) == 1 {
					if answer.header != "" {
						w.Header().Set("Retry-After", answer.header)
					}
					w.WriteHeader(answer.status)
				}
			})
			w.subscribe(t, r, nil)
			w.relay(t, w.event(newID(), 1))
			r.awaits(t, 1)
			eventually(t, "the answer is written down", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt`) == 1 })
			if got := one[string](t, w, `SELECT failures || ' ' || attempts || ' ' || state || ' ' || round(extract(epoch FROM next_attempt_at - last_attempt_at)) FROM delivery`); got != fmt.Sprintf("0 1 pending %d", int(answer.pause.Seconds())) {
				t.Errorf("failures, attempts, state, pause: %s", got)
			}
			w.pass(answer.pause + time.Second)
			r.awaits(t, 2)
		})
	}
}

// A receiver that sends everything away is not run down: its lanes are paused one by one, slowly.
func TestAReceiverThatSendsAllAwayIsLeftInPeace(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	w.subscribe(t, r, nil)
	var batch []map[string]any
	for range 500 {
		batch = append(batch, w.event(newID(), 1))
	}
	w.relay(t, batch...)
	w.here.deliver(t)
	r.awaits(t, 2*maxConcurrentCalls+1) // it is asked again
	if took := r.got()[2*maxConcurrentCalls].at.Sub(r.got()[0].at); took < throttlePause {
		t.Errorf("%d calls within %v", 2*maxConcurrentCalls+1, took)
	}
	eventually(t, "every attempt is written down", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt`) >= 2*maxConcurrentCalls })
	if got := one[int](t, w, `SELECT sum(failures) + max(d.consecutive_failures) FROM delivery, dispatch d`); got != 0 {
		t.Errorf("%d failures", got)
	}
}

// A redirect is no success and is not followed.
func TestARedirectIsAFailure(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	elsewhere := newSubscriber(t, nil)
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	w.subscribe(t, r, nil)
	w.relay(t, w.event(newID(), 1))
	eventually(t, "the answer is written down", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE failures = 1 AND last_status = 307`) == 1
	})
	if len(elsewhere.got()) != 0 {
		t.Error("the redirect was followed")
	}
}

// An endpoint that answers slowly keeps nobody else waiting.
func TestASlowEndpointDoesNotSlowAnother(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	release := make(chan struct{})
	slow := newSubscriber(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	quick := newSubscriber(t, nil)
	w.subscribe(t, slow, nil)
	w.subscribe(t, quick, nil)
	var batch []map[string]any
	for range 200 {
		batch = append(batch, w.event(newID(), 1))
	}
	w.relay(t, batch...)
	quick.awaits(t, len(batch))
	slow.awaits(t, maxConcurrentCalls)
	if got := len(slow.got()); got != maxConcurrentCalls {
		t.Errorf("%d calls at once to one endpoint", got)
	}
}

// What is queued in the very moment in which an owner gives its endpoint back is delivered nevertheless: each waits for the
// other's lock, and then sees what the other has written.
func TestWhatIsQueuedWhileAnOwnerLeavesIsDelivered(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, nil)
	w.subscribe(t, r, nil)
	w.here.deliver(t)
	w.relay(t, w.event(newID(), 1))
	r.awaits(t, 1)
	organization := w.Client.Principal.OrganizationID
	err := w.here.dispatcher.db.Write(asService(t.Context(), organization), func(ctx context.Context, tx pgx.Tx) error {
		states, err := lockFeeds(ctx, tx, []string{organization}, nil)
		if err != nil {
			return err
		}
		event := w.event(newID(), 2)
		payload, err := json.Marshal(event["payload"])
		if err != nil {
			return err
		}
		a := incomingEvent{ID: event["id"].(string), OrganizationID: organization, Type: "asset.updated", Collection: "assets", RecordID: event["record_id"].(string), Version: 2, At: time.Now(), Payload: payload}
		if err := a.validate(); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		states[organization].numberEvents(batch, organization, []incomingEvent{a}, w.now())
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		eventually(t, "the owner waits to leave", func() bool {
			return one[bool](t, w, `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')`)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.awaits(t, 2)
}

// The trace of the request that made the change reaches the receiver.
func TestTheTraceIsKeptWithTheEvent(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, nil)
	w.subscribe(t, r, nil)
	w.here.deliver(t)
	event := w.event(newID(), 1)
	event["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	w.relay(t, event)
	if got := r.awaits(t, 1)[0].header.Get("Traceparent"); !strings.HasPrefix(got, "00-4bf92f3577b34da6a3ce929d0e0e4736-") {
		t.Errorf("traceparent %q", got)
	}
}

func TestTheRateLimitIsKept(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	r := newSubscriber(t, nil)
	w.subscribe(t, r, map[string]any{"rate_limit": 20})
	var batch []map[string]any
	for range 60 {
		batch = append(batch, w.event(newID(), 1))
	}
	w.relay(t, batch...)
	calls := r.awaits(t, len(batch))
	for i := range calls {
		within := 0
		for _, c := range calls[i:] {
			if c.at.Sub(calls[i].at) < time.Second {
				within++
			}
		}
		if within > 20+4 { // what the network delays may come closer together than it was sent
			t.Fatalf("%d calls within a second", within)
		}
	}
}
