package service

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	checkInterval = time.Second     // between two checks of a condition
	checkTimeout  = 2 * time.Second // of one check
	tolerance     = 3 * time.Second // a condition that passed this recently still counts: one slow response is no outage
)

// condition is something that must hold for the process to serve.
type condition struct {
	name       string
	check      func(ctx context.Context) error
	cell       string    // of the database that it is about; empty for all else
	lastPassed time.Time // the time of the last successful check
	passing    atomic.Bool
}

// readiness says whether the process can serve. The checks run in the background; a probe reads their last result.
type readiness struct {
	conditions []*condition
	missing    atomic.Pointer[string] // what is missing: nil when nothing is
	draining   atomic.Bool
}

func newReadiness(conditions []*condition) *readiness {
	r := &readiness{conditions: conditions}
	starting := "the process is starting"
	r.missing.Store(&starting)
	return r
}

// watch runs the checks until ctx ends. It calls first once, when all conditions pass for the first time, and changed whenever
// that changes afterwards.
func (r *readiness) watch(ctx context.Context, changed func(missing string), first func()) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		before, now := r.missing.Load(), r.check(ctx)
		if ctx.Err() != nil {
			return
		}
		if now == "" {
			r.missing.Store(nil)
		} else {
			r.missing.Store(&now)
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

// check gives the first condition that fails, in the words that /readyz shows; empty where all pass. Of the databases of several cells one
// is enough: the organizations of the others are to be served.
func (r *readiness) check(ctx context.Context) string {
	var checks sync.WaitGroup
	for _, c := range r.conditions {
		checks.Go(func() {
			limited, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			err := c.check(limited)
			if err == nil {
				c.lastPassed = time.Now()
			}
			c.passing.Store(err == nil || time.Since(c.lastPassed) <= tolerance)
		})
	}
	checks.Wait()
	anyDatabase := slices.ContainsFunc(r.conditions, func(c *condition) bool { return c.cell != "" && c.passing.Load() })
	for _, c := range r.conditions {
		if !c.passing.Load() && (c.cell == "" || !anyDatabase) {
			return "the " + c.name + " does not answer"
		}
	}
	return ""
}

// registerMetrics reports each condition of a service, 1 while it passes and 0 while it fails, until unregister is called.
func (r *readiness) registerMetrics(service string) (unregister func()) {
	meter := otel.Meter("ams.internal/libs/service")
	gauge, err := meter.Int64ObservableGauge("ams.ready",
		metric.WithDescription("Whether a condition of the service's readiness holds: 1 or 0."))
	if err != nil { // only a malformed name
		panic(err)
	}
	attributes := make([]metric.ObserveOption, len(r.conditions))
	for i, c := range r.conditions {
		known := []attribute.KeyValue{attribute.String("service", service), attribute.String("condition", c.name)}
		if c.cell != "" {
			known = append(known, attribute.String("cell", c.cell))
		}
		attributes[i] = metric.WithAttributeSet(attribute.NewSet(known...))
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for i, c := range r.conditions {
			passing := int64(0)
			if c.passing.Load() {
				passing = 1
			}
			o.ObserveInt64(gauge, passing, attributes[i])
		}
		return nil
	}, gauge)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() } // fails only where the meter provider has ended
}

// The bodies of the probes' responses, made once: probes come every second.
var (
	alive = []byte(`{"status":"alive"}` + "\n")
	ready = []byte(`{"status":"ready"}` + "\n")
)

// probes serves /livez and /readyz, and passes all other requests to next.
func (r *readiness) probes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/livez":
			respond(w, http.StatusOK, alive)
		case "/readyz":
			switch missing := r.missing.Load(); {
			case r.draining.Load():
				respond(w, http.StatusServiceUnavailable, notReady("the process is shutting down"))
			case missing != nil:
				respond(w, http.StatusServiceUnavailable, notReady(*missing))
			default:
				respond(w, http.StatusOK, ready)
			}
		default:
			if r.draining.Load() {
				w.Header().Set("Connection", "close") // the caller's next request goes to another instance
			}
			next.ServeHTTP(w, request)
		}
	})
}

func notReady(why string) []byte {
	return []byte(`{"error":` + strconv.Quote("This process is not ready: "+why+".") + `,"code":"not_ready"}` + "\n")
}

func respond(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only where the probe has hung up
}
