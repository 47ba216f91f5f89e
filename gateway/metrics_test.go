package gateway

import (
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/telemetry/telemetrytest"
)

// observed is for a gateway that reports to a collector, and samples nothing.
func observed(collector *telemetrytest.Collector) func(*Config) {
	return func(c *Config) { c.OTLPEndpoint, c.AddressLimit = collector.URL, 1 }
}

func TestAttemptsLookUpsAndDecisionsAreCounted(t *testing.T) {
	collector := telemetrytest.Start(t)
	w := newFixture(t)
	w.serve("assets", func(_ http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	w.serve("projects", echo)
	w.services["users"] = []string{"127.0.0.1:1"} // nobody listens there
	g := w.start(observed(collector))
	key, _ := w.key(newKey{})
	call(t, "GET", g.url+"/v1/projects", key)
	assertError(t, call(t, "POST", g.url+"/v1/assets", key), 503, "service_unavailable")
	assertError(t, call(t, "GET", g.url+"/v1/users", key), 503, "service_unavailable")
	call(t, "GET", g.url+"/docs", "")
	assertError(t, call(t, "GET", g.url+"/docs", ""), 429, "rate_limited")
	w.exec("ALTER FUNCTION find_keys RENAME TO found_no_more")
	assertError(t, call(t, "GET", g.url+"/v1/projects", key), 503, "plan_unconfirmed")
	g.stop()

	counted := map[string]float64{}
	for _, p := range collector.Points() {
		switch p.Name {
		case "ams.gateway.forward.attempts":
			counted[p.Attributes["service"]+" "+p.Attributes["region"]+" "+p.Attributes["outcome"]] = p.Value
		case "ams.gateway.limit.decisions":
			counted[p.Attributes["decision"]+" "+p.Attributes["identity"]] = p.Value
		case "ams.gateway.key.lookup.duration":
			counted["looked up "+p.Attributes["outcome"]] = float64(p.Count)
		case "ams.gateway.key.lookup.callers":
			counted["callers"] = p.Value
		}
	}
	for what, want := range map[string]float64{
		"projects ca-central-1 answered": 1, "assets ca-central-1 broken": 1,
		"users ca-central-1 unreachable": 3, "users ca-central-1 breaker_open": 3, // the breaker opens after 3 of 6 attempts
		"allowed key": 3, "allowed address": 1, "over_limit address": 1, "looked up ok": 3, "looked up failed": 1, "callers": 4,
	} {
		if counted[what] != want {
			t.Errorf("%s: %v, want %v (%v)", what, counted[what], want, counted)
		}
	}
}

// Nothing is sampled: what fails in the gateway itself is a trace with the step that failed.
func TestFailuresOfTheGatewayItselfAreRecorded(t *testing.T) {
	collector := telemetrytest.Start(t)
	w := newFixture(t)
	w.serve("projects", echo)
	w.services["users"] = []string{"127.0.0.1:1"}
	g := w.start(observed(collector), func(c *Config) { c.AddressLimit = 1000 })
	key, keyID := w.key(newKey{})
	call(t, "GET", g.url+"/v1/projects", key)
	unavailable := call(t, "GET", g.url+"/v1/users/private?q=private", key, "x-region", "ca-central-1")
	assertError(t, unavailable, 503, "region_unavailable")
	w.exec("ALTER FUNCTION find_keys RENAME TO found_no_more")
	unknown := call(t, "GET", g.url+"/v1/projects", key)
	assertError(t, unknown, 503, "plan_unconfirmed")
	g.stop()

	byParent := map[string]map[string]telemetrytest.Span{}
	for _, span := range collector.Spans() {
		parent := telemetrytest.ID(span.GetParentSpanId())
		if byParent[parent] == nil {
			byParent[parent] = map[string]telemetrytest.Span{}
		}
		byParent[parent][span.GetName()] = span
	}
	of := func(route string, a *fullResponse) telemetrytest.Span {
		t.Helper()
		span := byParent[""][route]
		if span.Span == nil || telemetrytest.Value(span.GetAttributes(), "ams.request_id") != a.Header.Get("X-Request-Id") {
			t.Fatalf("%s is not recorded: %v", route, collector.Spans())
		}
		return span
	}
	edge := of("/v1/users", unavailable)
	for name, want := range map[string]string{"ams.key_id": keyID, "ams.served_region": "ca-central-1", "ams.pinned_region": "ca-central-1",
		"http.response.status_code": "503"} {
		if got := telemetrytest.Value(edge.GetAttributes(), name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	forward := byParent[telemetrytest.ID(edge.GetSpanId())]["forward"]
	if forward.Span == nil || telemetrytest.Value(forward.GetAttributes(), "ams.service") != "users" ||
		telemetrytest.Value(forward.GetAttributes(), "ams.attempts") != "6" ||
		telemetrytest.Value(forward.GetAttributes(), "server.address") != "127.0.0.1:1" {
		t.Errorf("forwarding: %v", forward)
	}
	edge = of("/v1/projects", unknown)
	below := byParent[telemetrytest.ID(edge.GetSpanId())]
	if below["look up key"].Span == nil || telemetrytest.Value(below["SELECT"].GetAttributes(), "db.response.status_code") != "42883" {
		t.Errorf("looking up the key: %v", below)
	}
	for _, secret := range []string{key, key[9:], "private", testToken} {
		if strings.Contains(collector.Raw(), secret) {
			t.Errorf("%s is in what was reported", secret)
		}
	}
}

// Every line of the gateway about a request says whose it is, once.
func TestLogLinesSayWhoseRequestItIs(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(_ http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	g := w.start()
	key, id := w.key(newKey{})
	a := call(t, "POST", g.url+"/v1/assets", key)
	assertError(t, a, 503, "service_unavailable")
	g.stop()
	about := 0
	for line := range strings.Lines(g.logs.String()) {
		if !strings.Contains(line, a.Header.Get("X-Request-Id")) {
			continue
		}
		about++
		for _, field := range []string{`"key_id":"` + id + `"`, `"organization_id":`, `"trace_id":`, `"span_id":`, `"request_id":`} {
			if strings.Count(line, field) != 1 {
				t.Errorf("%s is not there once: %s", field, line)
			}
		}
		if strings.Contains(line, key) {
			t.Errorf("the key is in %s", line)
		}
	}
	if about != 3 { // the connection broke, the request failed, the access log
		t.Errorf("%d lines are about the request:\n%s", about, g.logs)
	}
}
