//go:build night

// Package alerts tests alerts and dashboard on the running product, with a real collector and a real Prometheus.
package alerts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ams.internal/deploy/ops/monitoring"
	"ams.internal/libs/testwait"
)

// quiet are panels whose emptiness is good news.
var quiet = []string{"Conditions of readiness that do not hold", "Share answered with 5xx, by service and route"}

// What the alerts and the dashboard use is what the programs, Consul, the collector and Prometheus really report, and
// an alert fires when its cause is there, and ends with it.
func TestWhatIsWatchedIsReported(t *testing.T) {
	f := newFixture(t)
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"programs in use report", f.use},
		{"no alert fires without a cause", f.awaitCalm},
		{"Redis away raises its alert", f.stallRedis},
		{"a service away raises its alert", f.takeAService},
		{"the dashboard is full", f.fillDashboard},
		{"every metric that is asked for exists", f.compareMetrics},
		{"what the runbook asks is answered", f.queryAsTheRunbook},
	} {
		if !t.Run(step.name, step.test) {
			return // what follows would only wait
		}
	}
}

// use does what makes every program report: reads and writes of each kind, a key over its limit, an event that is delivered.
func (f *fixture) use(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter,
		_ *http.Request) {
		response.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	if status, body := f.call(t, "POST", "/v1/webhook-endpoints",
		fmt.Sprintf(`{"url": %q, "event_types": ["site.*"]}`, receiver.URL)); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	f.maintain(t)
	number := 0
	testwait.For(t, timeout, "metrics of deliveries and of every route", func() bool {
		number++
		if status, body := f.call(t, "POST", "/v1/sites", fmt.Sprintf(`{"name": "Site %d"}`, number)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		for _, path := range []string{"/v1/assets?q=pump", "/v1/users", "/v1/work-orders", "/v1/los/measures", "/v1/infrastructure/networks",
			"/v1/projects", "/v1/requests", "/v1/meters", "/v1/forms/templates", "/v1/planning/scenarios", "/v1/accounting/classes"} {
			if status, body := f.call(t, "GET", path, ""); status != http.StatusOK {
				t.Fatalf("%s: %d %s", path, status, body)
			}
		}
		return f.value(t,
			`sum(rate(ams_webhook_deliveries_total{outcome="delivered"}[1m])) * sum(rate(ams_webhook_delivery_lag_seconds_count[1m]))`) > 0
	})
}

// maintain lets work have an effect, a plan make work, and a stranger come to a link.
func (f *fixture) maintain(t *testing.T) {
	create := func(path, body string) (id string) {
		status, text := f.call(t, "POST", path, body)
		if status != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	boiler := create("/v1/assets", `{"name": "Boiler"}`)
	found := create("/v1/deficiencies", fmt.Sprintf(`{"title": "It leaks", "asset_id": %q}`, boiler))
	create("/v1/work-orders",
		fmt.Sprintf(`{"title": "Seal the boiler", "effects": [{"kind": "close_deficiency", "payload": {"deficiency_id": %q}}]}`, found))
	job := create("/v1/maintenance/job-plans", `{"name": "Inspection", "type": "inspection"}`)
	create("/v1/maintenance/pm-plans",
		fmt.Sprintf(`{"name": "Boilers", "job_plan_id": %q, "basis": "fixed", "starts_on": "2020-01-01", "status": "active",
		"trigger": {"rrule": "FREQ=DAILY"}, "targets": [{"target_type": "asset", "target_id": %q}]}`, job, boiler))
	if status, body := f.call(t, "GET", "/r/aaaaaaaaaaaaaaaaaaaaaaaaaa", ""); status != http.StatusNotFound {
		t.Fatalf("a link that is not there: %d %s", status, body)
	}
}

// awaitCalm waits until what was true for a moment at the start is over: from then on nothing that wakes somebody may fire.
func (f *fixture) awaitCalm(t *testing.T) {
	for _, name := range []string{"TargetMissing", "NothingReported", "ConsulUnhealthy", "ServiceAway", "ProgramSilent", "KeyLookupsFail"} {
		testwait.For(t, timeout, "the end of "+name, func() bool { return f.firing(t, name, "") == nil })
	}
}

// stallRedis holds Redis up until the gateways have said that they count alone, and the alert has.
func (f *fixture) stallRedis(t *testing.T) {
	f.signal(t, "redis", syscall.SIGSTOP)
	defer f.signal(t, "redis", syscall.SIGCONT)
	testwait.For(t, timeout, "RedisAway", func() bool {
		f.call(t, "GET", "/v1/me", "")
		return f.firing(t, "RedisAway", "") != nil
	})
}

// fillDashboard makes the queries that Grafana would make.
func (f *fixture) fillDashboard(t *testing.T) {
	panels, err := monitoring.Panels()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range panels {
		for _, each := range p.Targets {
			if slices.Contains(quiet, p.Title) {
				f.query(t, each.Query()) // must succeed; the result may be empty
				continue
			}
			testwait.For(t, timeout, p.Title+": "+each.Expr, func() bool {
				f.call(t, "GET", "/v1/assets", "")
				return len(f.query(t, each.Query())) > 0
			})
		}
	}
}

// takeAService holds up all instances of one service, as if their machines were down, and lets them go on.
func (f *fixture) takeAService(t *testing.T) {
	if alert := f.firing(t, "ServiceAway", "los"); alert != nil {
		t.Fatalf("it fires before its cause: %v", alert)
	}
	f.signal(t, "los", syscall.SIGSTOP)
	resumed := false
	resume := func() {
		if !resumed {
			resumed = true
			f.signal(t, "los", syscall.SIGCONT)
		}
	}
	defer resume()
	var alert *alert
	testwait.For(t, timeout, "ServiceAway", func() bool { alert = f.firing(t, "ServiceAway", "los"); return alert != nil })
	if !strings.Contains(alert.Annotations["description"], "0 instances of los") {
		t.Errorf("the description does not have the value: %s", alert.Annotations["description"])
	}
	testwait.For(t, timeout, "RouteAway", func() bool {
		for range 3 {
			f.call(t, "GET", "/v1/los/measures", "")
		}
		return f.firing(t, "RouteAway", "") != nil
	})
	if other := f.firing(t, "ServiceAway", "assets"); other != nil {
		t.Errorf("a service that is there is called away: %v", other)
	}
	resume()
	testwait.For(t, timeout, "the end of ServiceAway", func() bool { return f.firing(t, "ServiceAway", "los") == nil })
}

// sample is one series of a result.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

func (f *fixture) query(t *testing.T, expression string) []sample {
	t.Helper()
	var response struct{ Result []sample }
	if err := f.get("/api/v1/query", url.Values{"query": {expression}}, &response); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return response.Result
}

// value is that of an expression with one series; 0 where there is none.
func (f *fixture) value(t *testing.T, expression string) (number float64) {
	t.Helper()
	for _, each := range f.query(t, expression) {
		if _, err := fmt.Sscan(each.Value[1].(string), &number); err != nil {
			t.Fatal(err)
		}
	}
	return number
}

type alert struct {
	State               string
	Labels, Annotations map[string]string
}

// firing gives the alert of a name that fires, for a service where one is named.
func (f *fixture) firing(t *testing.T, name, service string) *alert {
	t.Helper()
	var state struct{ Alerts []alert }
	if err := f.get("/api/v1/alerts", nil, &state); err != nil {
		t.Fatal(err)
	}
	for _, each := range state.Alerts {
		if each.Labels["alertname"] == name && each.State == "firing" && (service == "" || each.Labels["service"] == service) {
			return &each
		}
	}
	return nil
}
