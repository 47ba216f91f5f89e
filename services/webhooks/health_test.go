package main

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
	if away := s.after(throttled, at); away.consecutiveFailures != s.consecutiveFailures || away.open(at) {
		t.Error("being sent away counts as a failure")
	}
	if s = s.after(succeeded, at); s.failing() || s.consecutiveFailures != 0 || s.failingSince != nil || s.open(at) || !s.lastSuccessAt.Equal(at) {
		t.Errorf("after a success: %+v", s)
	}
}

func TestRetriesComeAfterLongerAndLongerTimes(t *testing.T) {
	if _, more := retryDelay(len(retryDelays) + 1); more || len(retryDelays) != 10 {
		t.Error("there are ten retries")
	}
	for n, want := range retryDelays {
		var got []time.Duration
		for range 200 {
			delay, more := retryDelay(n + 1)
			if !more || delay < want || delay > want+want/5 {
				t.Fatalf("after failure %d: %v", n+1, delay)
			}
			got = append(got, delay)
		}
		if slices.Min(got) == slices.Max(got) {
			t.Error("no jitter")
		}
	}
}

func TestHowLongAReceiverSendsUsAway(t *testing.T) {
	now := time.Date(2026, 5, 12, 8, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": defaultPause, "7": 7 * time.Second, " 7 ": 7 * time.Second, "0": time.Second, "-5": time.Second, "soon": defaultPause, "86400": maxPause,
		"Tue, 12 May 2026 08:02:00 GMT": 2 * time.Minute, "Tue, 12 May 2026 07:00:00 GMT": time.Second,
	} {
		if got := parseRetryAfter(header, now); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	for name, row := range map[string]struct {
		a    attempt
		want outcome
	}{
		"200": {attempt{responseStatus: 200}, succeeded}, "299": {attempt{responseStatus: 299}, succeeded}, "304": {attempt{responseStatus: 304}, failed},
		"400": {attempt{responseStatus: 400}, failed}, "410": {attempt{responseStatus: 410}, refused}, "429": {attempt{responseStatus: 429}, throttled},
		"503": {attempt{responseStatus: 503}, failed}, "503 with Retry-After": {attempt{responseStatus: 503, responseHeaders: map[string]string{"Retry-After": "5"}}, throttled},
		"500 with Retry-After": {attempt{responseStatus: 500, responseHeaders: map[string]string{"Retry-After": "5"}}, failed}, "no answer": {attempt{failure: "x"}, failed},
	} {
		if got, _ := row.a.outcome(); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Five failures in a row open the breaker: nothing more is sent, and the record says so. Then one delivery is tried at a
// time; the first success lets everything go.
func TestAnEndpointFailsAndRecovers(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	var well atomic.Bool
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	id := w.subscribe(t, r, nil)
	var batch []map[string]any
	for range 100 {
		batch = append(batch, w.event(newID(), 1))
	}
	w.relay(t, batch...)
	eventually(t, "the endpoint is failing", func() bool { return w.endpoint(t, id)["failing_since"] != nil })
	eventually(t, "nobody works on it", func() bool { return one[bool](t, w, `SELECT worker IS NULL AND blocked_until = wake_at FROM dispatch`) })
	calls := len(r.got())
	if calls > 2*maxConcurrentCalls {
		t.Errorf("%d calls to an endpoint that fails", calls)
	}
	w.relay(t, w.event(newID(), 1)) // what comes meanwhile waits
	for n := 1; n <= 2; n++ {
		w.pass(maxBreak)
		r.awaits(t, calls+n)
		eventually(t, "it is blocked again", func() bool { return one[bool](t, w, `SELECT worker IS NULL AND blocked_step = $1 FROM dispatch`, n+1) })
		if got := len(r.got()); got != calls+n {
			t.Fatalf("%d calls when one was to be tried", got-calls)
		}
	}
	well.Store(true)
	w.pass(maxBreak)
	eventually(t, "everything is delivered", func() bool { return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 101 })
	eventually(t, "the record says so", func() bool { return w.endpoint(t, id)["failing_since"] == nil })
	if got := w.told(t); got != "webhook_endpoint.failing webhook_endpoint.recovered" {
		t.Errorf("told: %s", got)
	}
	if e := w.endpoint(t, id); e["status"] != active || e["consecutive_failures"] != 0.0 || e["last_success_at"] == nil || e["version"] != 3.0 {
		t.Errorf("%v", e)
	}
}

func TestAnEndpointThatAnswers410IsDisabledAtOnce(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	var well atomic.Bool
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	id := w.subscribe(t, r, nil)
	record := newID()
	w.relay(t, w.event(record, 1), w.event(record, 2))
	eventually(t, "it is disabled", func() bool { return w.endpoint(t, id)["status"] == disabled })
	if e := w.endpoint(t, id); !strings.Contains(e["disabled_reason"].(string), "410") || e["disabled_at"] == nil {
		t.Errorf("%v", e)
	}
	if got := w.audited(t, id, "status"); got != "active disabled" {
		t.Errorf("history of its status: %s", got)
	}
	if got := w.told(t); got != "webhook_endpoint.disabled" {
		t.Errorf("told: %s", got)
	}
	w.relay(t, w.event(record, 3))
	w.pass(time.Hour)
	well.Store(true)
	if got := one[string](t, w, `SELECT held || ' ' || coalesce(wake_at::text, 'never') FROM dispatch`); got != "true never" {
		t.Errorf("held, wakes: %s", got)
	}
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/resume", nil)
	calls := r.awaits(t, 4)
	if len(calls) != 4 || calls[1].version != 1 || calls[2].version != 2 || calls[3].version != 3 {
		t.Errorf("%d calls", len(calls))
	}
}

func TestAnEndpointWithoutSuccessForFiveDaysIsDisabled(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	id := w.subscribe(t, r, nil)
	for range 8 {
		w.relay(t, w.event(newID(), 1))
	}
	eventually(t, "it is failing", func() bool { return w.endpoint(t, id)["failing_since"] != nil })
	for day := 1; day <= 5; day++ {
		attempts := one[int](t, w, `SELECT count(*) FROM attempt`)
		if status := w.endpoint(t, id)["status"]; status != active {
			t.Fatalf("on day %d it is %v", day, status)
		}
		w.pass(24*time.Hour + time.Minute)
		eventually(t, "it was tried once more", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt`) > attempts })
	}
	eventually(t, "it is disabled", func() bool { return w.endpoint(t, id)["status"] == disabled })
	if got := w.told(t); got != "webhook_endpoint.failing webhook_endpoint.disabled" {
		t.Errorf("told: %s", got)
	}
	if got := w.audited(t, id, "status"); got != "active disabled" {
		t.Errorf("history of its status: %s", got)
	}
}

// Deliveries stop with the plan and go on with it; what happens meanwhile is recorded. A gateway that is away changes nothing.
func TestDeliveriesStopAndGoOnWithThePlan(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	r := newSubscriber(t, nil)
	w.subscribe(t, r, nil)
	record := newID()
	w.relay(t, w.event(record, 1))
	r.awaits(t, 1)

	w.gateway.lapsed.Store(true)
	asked := w.gateway.asked.Load()
	w.pass(planTTL)
	eventually(t, "the gateway is asked again", func() bool { w.here.ring(); return w.gateway.asked.Load() > asked })
	eventually(t, "the endpoint is suspended", func() bool {
		w.here.ring()
		return one[bool](t, w, `SELECT coalesce(suspended_until = wake_at AND worker IS NULL, false) FROM dispatch`)
	})
	w.relay(t, w.event(record, 2))
	w.pass(2 * planTTL)
	w.gateway.away.Store(true) // it said no last, and that counts
	w.pass(2 * planTTL)
	w.relay(t, w.event(record, 3))
	if got := one[string](t, w, `SELECT count(*) || ' ' || (SELECT count(*) FROM event) FROM delivery WHERE state = 'pending'`); got != "2 3" {
		t.Errorf("waiting, recorded: %s", got)
	}
	if len(r.got()) != 1 {
		t.Error("delivered without a plan")
	}
	w.gateway.lapsed.Store(false)
	w.gateway.away.Store(false)
	eventually(t, "what waited is delivered", func() bool { w.pass(planTTL); return len(r.got()) == 3 })
	w.gateway.away.Store(true)
	w.pass(10 * planTTL)
	w.relay(t, w.event(record, 4))
	expectOrder(t, r.awaits(t, 4), 4)
}
