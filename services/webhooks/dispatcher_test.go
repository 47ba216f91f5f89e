package webhooks

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

	"ams.internal/libs/testwait"
)

func TestEveryEventIsDeliveredInTheOrderOfItsRecord(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, nil)
	const records, versions = 40, 10
	var ids []string
	for range records {
		ids = append(ids, newID())
	}
	for version := range versions {
		var batch []map[string]any
		for _, id := range ids {
			batch = append(batch, f.event(id, version+1))
		}
		f.relay(t, batch...)
	}
	expectOrder(t, r.waitForCalls(t, records*versions), records*versions)
	testwait.For(t, testTimeout, "every delivery is written down", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered' AND attempts = 1`) == records*versions
	})
	if got := queryOne[string](t, f,
		`SELECT (SELECT count(*) FROM lane) || ' ' || (SELECT count(*) FROM attempt WHERE response_status = 200)`); got !=
		fmt.Sprint("0 ", records*versions) {
		t.Errorf("ordering keys and attempts: %s", got)
	}
}

// A delivery that fails holds up its record and no other. It is retried by the schedule, and what waited behind it comes in order.
func TestAFailureHoldsUpItsRecordOnly(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	sick, well := newID(), newID()
	failures := atomic.Int64{}
	failures.Store(2)
	r := newReceiver(t, func(c call, w http.ResponseWriter, _ *http.Request) {
		if c.record == sick && failures.Add(-1) >= 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	f.subscribe(t, r, nil)
	f.relay(t, f.event(sick, 1), f.event(sick, 2), f.event(well, 1), f.event(well, 2))
	r.waitForCalls(t, 3) // both of the other record, and the failure
	testwait.For(t, testTimeout, "the failure is written down", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM attempt WHERE response_status = 500`) == 1
	})
	if wait := queryOne[float64](t, f,
		`SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 FROM delivery WHERE failures = 1`); wait < 5 || wait > 6 {
		t.Errorf("tried again after %v s", wait)
	}
	f.advance(6 * time.Second)
	r.waitForCalls(t, 4)
	testwait.For(t, testTimeout, "the second failure is written down", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM attempt WHERE response_status = 500`) == 2
	})
	f.advance(36 * time.Second)
	var order string
	for _, c := range r.waitForCalls(t, 6) {
		if c.record == sick {
			order += fmt.Sprint(c.version, "/", c.attempt, " ")
		}
	}
	if order != "1/1 1/2 1/3 2/1 " {
		t.Errorf("versions and attempts of the record: %s", order)
	}
}

// After the fourth failure of a delivery its successors are delivered, and it is retried until the schedule ends.
func TestTheFourthFailureLetsSuccessorsPass(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	record := newID()
	r := newReceiver(t, func(c call, w http.ResponseWriter, _ *http.Request) {
		if c.version == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	f.subscribe(t, r, nil)
	f.relay(t, f.event(record, 1), f.event(record, 2), f.event(record, 3))
	for attempt := 1; attempt <= len(retryDelays)+1; attempt++ {
		testwait.For(t, testTimeout, fmt.Sprintf("attempt %d is written down", attempt), func() bool {
			return queryOne[int](t, f, `SELECT coalesce(max(attempts), 0) FROM delivery WHERE state <> 'delivered'`) == attempt
		})
		successors := queryOne[int](t, f,
			`SELECT count(*) FROM attempt a JOIN delivery d ON d.id = a.delivery_id JOIN event e ON e.id = d.event_id WHERE e.version > 1`)
		if attempt < blockingFailures && successors != 0 {
			t.Fatalf("a successor passed after %d failures", attempt)
		}
		if attempt == blockingFailures {
			testwait.For(t, testTimeout, "the successors have passed", func() bool {
				return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 2
			})
		}
		if attempt <= len(retryDelays) {
			f.advance(retryDelays[attempt-1]*12/10 + time.Second)
		}
	}
	if got := queryOne[string](t, f,
		`SELECT state || ' ' || failures || ' ' || last_status || ' ' || last_error FROM delivery WHERE state <> 'delivered'`); got !=
		"failed 11 502 The receiver answered 502." {
		t.Errorf("at the end: %s", got)
	}
}

func TestAReceiverMayThrottleUs(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		header string
		pause  time.Duration
	}{
		"429 with seconds": {429, "120", 2 * time.Minute}, "503 with seconds": {503, "600", 10 * time.Minute},
		"429 without":  {429, "", defaultPause},
		"429 for ever": {429, "999999999", maxPause},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.service.startDispatcher(t)
			var taken atomic.Int64
			r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
				if taken.Add(1) == 1 {
					if answer.header != "" {
						w.Header().Set("Retry-After", answer.header)
					}
					w.WriteHeader(answer.status)
				}
			})
			f.subscribe(t, r, nil)
			f.relay(t, f.event(newID(), 1))
			r.waitForCalls(t, 1)
			testwait.For(t, testTimeout, "the answer is written down", func() bool {
				return queryOne[int](t, f, `SELECT count(*) FROM attempt`) == 1
			})
			if got := queryOne[string](t, f,
				`SELECT failures || ' ' || attempts || ' ' || state || ' ' || round(extract(epoch FROM next_attempt_at - last_attempt_at))
				FROM delivery`); got != fmt.Sprintf("0 1 pending %d", int(answer.pause.Seconds())) {
				t.Errorf("failures, attempts, state, pause: %s", got)
			}
			f.advance(answer.pause + time.Second)
			r.waitForCalls(t, 2)
		})
	}
}

// A receiver that throttles every call is called slowly: its deliveries are put off one by one.
func TestAReceiverThatThrottlesEveryCallIsCalledSlowly(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	f.subscribe(t, r, nil)
	var batch []map[string]any
	for range 500 {
		batch = append(batch, f.event(newID(), 1))
	}
	f.relay(t, batch...)
	f.service.startDispatcher(t)
	r.waitForCalls(t, 2*maxConcurrentCalls+1) // it is asked again
	if took := r.received()[2*maxConcurrentCalls].at.Sub(r.received()[0].at); took < throttlePause {
		t.Errorf("%d calls within %v", 2*maxConcurrentCalls+1, took)
	}
	testwait.For(t, testTimeout, "every attempt is written down", func() bool {
		return queryOne[int](t, f,
			`SELECT count(*) FROM attempt`) >= 2*maxConcurrentCalls
	})
	if got := queryOne[int](t, f, `SELECT sum(failures) + max(d.consecutive_failures) FROM delivery, dispatch d`); got != 0 {
		t.Errorf("%d failures", got)
	}
}

// A redirect is no success and is not followed.
func TestARedirectIsAFailure(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	elsewhere := newReceiver(t, nil)
	r := newReceiver(t, func(_ call, w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	f.subscribe(t, r, nil)
	f.relay(t, f.event(newID(), 1))
	testwait.For(t, testTimeout, "the answer is written down", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE failures = 1 AND last_status = 307`) == 1
	})
	if len(elsewhere.received()) != 0 {
		t.Error("the redirect was followed")
	}
}

// An endpoint that responds slowly does not delay others.
func TestASlowEndpointDoesNotSlowAnother(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	release := make(chan struct{})
	slow := newReceiver(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	quick := newReceiver(t, nil)
	f.subscribe(t, slow, nil)
	f.subscribe(t, quick, nil)
	var batch []map[string]any
	for range 200 {
		batch = append(batch, f.event(newID(), 1))
	}
	f.relay(t, batch...)
	quick.waitForCalls(t, len(batch))
	slow.waitForCalls(t, maxConcurrentCalls)
	if got := len(slow.received()); got != maxConcurrentCalls {
		t.Errorf("%d calls at once to one endpoint", got)
	}
}

// What is queued while a lease is released is delivered: each transaction waits for the other's lock, and then sees what the
// other has written.
func TestWhatIsQueuedWhileALeaseIsReleasedIsDelivered(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, nil)
	f.service.startDispatcher(t)
	f.relay(t, f.event(newID(), 1))
	r.waitForCalls(t, 1)
	organization := f.Client.Principal.OrganizationID
	err := f.service.dispatcher.db.Write(asService(t.Context(), organization), func(ctx context.Context, tx pgx.Tx) error {
		states, err := lockFeeds(ctx, tx, []string{organization}, nil)
		if err != nil {
			return err
		}
		event := f.event(newID(), 2)
		payload, err := json.Marshal(event["payload"])
		if err != nil {
			return err
		}
		a := incomingEvent{ID: event["id"].(string), OrganizationID: organization, Type: "asset.updated", Collection: "assets",
			RecordID: event["record_id"].(string), Version: 2, At: time.Now(), Payload: payload}
		if err := a.validate(); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		states[organization].numberEvents(batch, organization, []incomingEvent{a}, f.now())
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		testwait.For(t, testTimeout, "the lease holder waits to release its lease", func() bool {
			return queryOne[bool](t, f, `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')`)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.waitForCalls(t, 2)
}

// The trace of the request that made the change reaches the receiver.
func TestTheTraceIsStoredWithTheEvent(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, nil)
	f.service.startDispatcher(t)
	event := f.event(newID(), 1)
	event["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	f.relay(t, event)
	if got := r.waitForCalls(t, 1)[0].header.Get("Traceparent"); !strings.HasPrefix(got, "00-4bf92f3577b34da6a3ce929d0e0e4736-") {
		t.Errorf("traceparent %q", got)
	}
}

func TestTheRateLimitIsKept(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, map[string]any{"rate_limit": 20})
	var batch []map[string]any
	for range 60 {
		batch = append(batch, f.event(newID(), 1))
	}
	f.relay(t, batch...)
	calls := r.waitForCalls(t, len(batch))
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
