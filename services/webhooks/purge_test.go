package webhooks

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// Events and deliveries with their attempts are deleted after thirty days, and the feed records up to where. What belonged to a
// deleted endpoint is deleted too.
func TestOldEventsAndDeliveriesArePurged(t *testing.T) {
	f := newFixture(t)
	var well atomic.Bool
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	id := f.subscribe(t, r, nil)
	f.service.startDispatcher(t)
	old := newID()
	f.relay(t, f.event(old, 1), f.event(old, 2))
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/test", nil)
	testwait.For(t, testTimeout, "it was tried", func() bool { return queryOne[int](t, f, `SELECT count(*) FROM attempt`) == 2 })
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	f.advance(29 * 24 * time.Hour)
	f.relay(t, f.event(old, 3))
	if err := f.service.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := queryOne[string](t, f, `SELECT (SELECT count(*) FROM event) || ' ' || (SELECT count(*) FROM delivery)`); got != "4 4" {
		t.Errorf("events, deliveries after 29 days: %s", got)
	}
	f.advance(2 * 24 * time.Hour)
	if err := f.service.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	const left = `SELECT (SELECT count(*) FROM event) || ' ' || (SELECT count(*) FROM delivery) || ' ' ||
		(SELECT count(*) FROM attempt) || ' ' || (SELECT purged_sequence FROM feed) || ' ' || (SELECT count(*) FROM dispatch)`
	if got := queryOne[string](t, f, left); got != "1 1 0 2 1" {
		t.Errorf("events, deliveries, attempts, purged up to, dispatches: %s", got)
	}
	// What still waits is delivered.
	well.Store(true)
	calls := len(r.received())
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/resume", nil)
	f.advance(0)
	if c := r.waitForCalls(t, calls+1)[calls]; c.version != 3 {
		t.Errorf("version %d came", c.version)
	}
	f.Must(t, 204, "DELETE", "/v1/webhook-endpoints/"+id, nil)
	if err := f.service.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := queryOne[string](t, f, left); got != "1 0 0 2 0" {
		t.Errorf("after the endpoint: %s", got)
	}
}
