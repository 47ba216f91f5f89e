package webhooks

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestTheBreakerOpensLongerEachTimeAndClosesWithASuccess(t *testing.T) {
	at := time.Date(2026, 5, 12, 8, 0, 0, 0, time.UTC)
	var s endpointHealth
	for range breakerFailures - 1 {
		if s = s.after(failed, at); s.open(at) || s.failing() {
			t.Fatalf("open after %d failures", s.consecutiveFailures)
		}
	}
	var breaks []string
	for range 8 {
		s = s.after(failed, at)
		breaks = append(breaks, s.blockedUntil.Sub(at).String())
		if again := s.after(failed, at.Add(time.Second)); !again.blockedUntil.Equal(*s.blockedUntil) {
			t.Error("what was under way opened it further")
		}
		at = *s.blockedUntil
		if s.open(at) {
			t.Error("not half open when the time is up")
		}
	}
	if got := strings.Join(breaks, " "); got != "30s 1m0s 2m0s 4m0s 8m0s 15m0s 15m0s 15m0s" {
		t.Errorf("breaks: %s", got)
	}
	if after := s.after(throttled, at); after.consecutiveFailures != s.consecutiveFailures || after.open(at) {
		t.Error("being throttled counts as a failure")
	}
	if s = s.after(succeeded, at); s.failing() || s.consecutiveFailures != 0 || s.failingSince != nil ||
		s.open(at) || !s.lastSuccessAt.Equal(at) {
		t.Errorf("after a success: %+v", s)
	}
}

// Five failures in a row open the breaker: nothing more is sent, and the record says so. Then one delivery is tried at a
// time; after the first success everything is delivered.
func TestAnEndpointFailsAndRecovers(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	var well atomic.Bool
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	id := f.subscribe(t, r, nil)
	var batch []map[string]any
	for range 100 {
		batch = append(batch, f.event(newID(), 1))
	}
	f.relay(t, batch...)
	testwait.For(t, testTimeout, "the endpoint is failing", func() bool { return f.getEndpoint(t, id)["failing_since"] != nil })
	testwait.For(t, testTimeout, "nobody works on it", func() bool {
		return queryOne[bool](t, f, `SELECT worker IS NULL AND blocked_until = wake_at FROM dispatch`)
	})
	calls := len(r.received())
	if calls > 2*maxConcurrentCalls {
		t.Errorf("%d calls to an endpoint that fails", calls)
	}
	f.relay(t, f.event(newID(), 1)) // what comes meanwhile waits
	for n := 1; n <= 2; n++ {
		f.advance(maxBreak)
		r.waitForCalls(t, calls+n)
		testwait.For(t, testTimeout, "it is blocked again", func() bool {
			return queryOne[bool](t, f, `SELECT worker IS NULL AND blocked_step = $1 FROM dispatch`, n+1)
		})
		if got := len(r.received()); got != calls+n {
			t.Fatalf("%d calls when one was to be tried", got-calls)
		}
	}
	well.Store(true)
	f.advance(maxBreak)
	testwait.For(t, testTimeout, "everything is delivered", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 101
	})
	testwait.For(t, testTimeout, "the record says so", func() bool { return f.getEndpoint(t, id)["failing_since"] == nil })
	if got := f.emitted(t); got != "webhook_endpoint.failing webhook_endpoint.recovered" {
		t.Errorf("emitted: %s", got)
	}
	if e := f.getEndpoint(t, id); e["status"] != active || e["consecutive_failures"] != 0.0 ||
		e["last_success_at"] == nil || e["version"] != 3.0 {
		t.Errorf("%v", e)
	}
}

func TestAnEndpointThatAnswers410IsDisabledAtOnce(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	var well atomic.Bool
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	id := f.subscribe(t, r, nil)
	record := newID()
	f.relay(t, f.event(record, 1), f.event(record, 2))
	testwait.For(t, testTimeout, "it is disabled", func() bool { return f.getEndpoint(t, id)["status"] == disabled })
	if e := f.getEndpoint(t, id); !strings.Contains(e["disabled_reason"].(string), "410") || e["disabled_at"] == nil {
		t.Errorf("%v", e)
	}
	if got := f.fieldHistory(t, id, "status"); got != "active disabled" {
		t.Errorf("history of its status: %s", got)
	}
	if got := f.emitted(t); got != "webhook_endpoint.disabled" {
		t.Errorf("emitted: %s", got)
	}
	f.relay(t, f.event(record, 3))
	f.advance(time.Hour)
	well.Store(true)
	if got := queryOne[string](t, f, `SELECT held || ' ' || coalesce(wake_at::text, 'never') FROM dispatch`); got != "true never" {
		t.Errorf("held, wakes: %s", got)
	}
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/resume", nil)
	calls := r.waitForCalls(t, 4)
	if len(calls) != 4 || calls[1].version != 1 || calls[2].version != 2 || calls[3].version != 3 {
		t.Errorf("%d calls", len(calls))
	}
}

func TestAnEndpointWithoutSuccessForFiveDaysIsDisabled(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	id := f.subscribe(t, r, nil)
	for range 8 {
		f.relay(t, f.event(newID(), 1))
	}
	testwait.For(t, testTimeout, "it is failing", func() bool { return f.getEndpoint(t, id)["failing_since"] != nil })
	for day := 1; day <= 5; day++ {
		attempts := queryOne[int](t, f, `SELECT count(*) FROM attempt`)
		if status := f.getEndpoint(t, id)["status"]; status != active {
			t.Fatalf("on day %d it is %v", day, status)
		}
		f.advance(24*time.Hour + time.Minute)
		testwait.For(t, testTimeout, "it was tried once more", func() bool {
			return queryOne[int](t, f, `SELECT count(*) FROM attempt`) > attempts
		})
	}
	testwait.For(t, testTimeout, "it is disabled", func() bool { return f.getEndpoint(t, id)["status"] == disabled })
	if got := f.emitted(t); got != "webhook_endpoint.failing webhook_endpoint.disabled" {
		t.Errorf("emitted: %s", got)
	}
	if got := f.fieldHistory(t, id, "status"); got != "active disabled" {
		t.Errorf("history of its status: %s", got)
	}
}
