package service

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	checkEvery = time.Second     // a condition is asked at most this often
	checkIn    = 2 * time.Second // and has this long to answer
	tolerance  = 3 * time.Second // a condition that held this recently still counts: one slow answer is no outage
)

// condition is something that must hold for the process to serve.
type condition struct {
	name  string
	check func(ctx context.Context) error
	held  time.Time // when it last did
	holds atomic.Bool
}

// readiness knows whether the process can serve. The background asks; probes read a flag.
type readiness struct {
	conditions []*condition
	away       atomic.Pointer[string] // what is missing: nil when nothing is
	draining   atomic.Bool
}

func newReadiness(conditions []*condition) *readiness {
	r := &readiness{conditions: conditions}
	starting := "the process is starting"
	r.away.Store(&starting)
	return r
}

// watch asks until ctx ends. first is called once, when everything holds for the first time.
func (r *readiness) watch(ctx context.Context, changed func(away string), first func()) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		before, now := r.away.Load(), r.ask(ctx)
		if ctx.Err() != nil {
			return
		}
		if now == "" {
			r.away.Store(nil)
		} else {
			r.away.Store(&now)
		}
		switch {
		case first == nil:
			if (before == nil) != (now == "") {
				changed(now)
			}
		case now == "":
			first()
			first = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// ask says what is missing, in the words that /readyz shows.
func (r *readiness) ask(ctx context.Context) string {
	missing := ""
	for _, c := range r.conditions {
		limited, cancel := context.WithTimeout(ctx, checkIn)
		err := c.check(limited)
		cancel()
		if err == nil {
			c.held = time.Now()
		}
		c.holds.Store(err == nil || time.Since(c.held) <= tolerance)
		if !c.holds.Load() && missing == "" {
			missing = "the " + c.name + " does not answer"
		}
	}
	return missing
}

// observe reports each condition, 1 while it holds and 0 while it does not, until the returned function is called.
func (r *readiness) observe() (end func()) {
	meter := otel.Meter("ams.internal/libs/service")
	figure, err := meter.Int64ObservableGauge("ams.ready",
		metric.WithDescription("Whether a condition of this process's readiness holds: 1 or 0."))
	if err != nil { // only a malformed name
		panic(err)
	}
	of := make([]metric.ObserveOption, len(r.conditions))
	for i, c := range r.conditions {
		of[i] = metric.WithAttributeSet(attribute.NewSet(attribute.String("condition", c.name)))
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for i, c := range r.conditions {
			holds := int64(0)
			if c.holds.Load() {
				holds = 1
			}
			o.ObserveInt64(figure, holds, of[i])
		}
		return nil
	}, figure)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() } // fails only where the meter provider has ended
}

// What the probes answer, made once: machines ask every second.
var (
	alive = []byte(`{"status":"alive"}` + "\n")
	ready = []byte(`{"status":"ready"}` + "\n")
)

// probes answers /livez and /readyz, and passes everything else on.
func (r *readiness) probes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/livez":
			answer(w, http.StatusOK, alive)
		case "/readyz":
			switch away := r.away.Load(); {
			case r.draining.Load():
				answer(w, http.StatusServiceUnavailable, notReady("the process is shutting down"))
			case away != nil:
				answer(w, http.StatusServiceUnavailable, notReady(*away))
			default:
				answer(w, http.StatusOK, ready)
			}
		default:
			if r.draining.Load() {
				w.Header().Set("Connection", "close") // the caller shall go elsewhere next time
			}
			next.ServeHTTP(w, request)
		}
	})
}

func notReady(why string) []byte {
	return []byte(`{"error":` + strconv.Quote("This process is not ready: "+why+".") + `,"code":"not_ready"}` + "\n")
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a prober that went away
}
