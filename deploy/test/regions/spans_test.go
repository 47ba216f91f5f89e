package regions

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"

	tracespb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"ams.internal/libs/testwait"
)

// collector takes the spans of all processes and remembers which program in which region served a part of which trace.
type collector struct {
	address string
	mu      sync.Mutex
	served  map[string][]part // by trace id
}

// part is a request that a program processed.
type part struct{ program, region string }

func collect() (*collector, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &collector{address: "http://" + listener.Addr().String(), served: map[string][]part{}}
	go func() { _ = http.Serve(listener, c) }() // ends with the tests
	return c, nil
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/x-protobuf")
	report := &tracespb.ExportTraceServiceRequest{}
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, report) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, process := range report.GetResourceSpans() {
		var by part
		for _, attribute := range process.GetResource().GetAttributes() {
			switch attribute.GetKey() {
			case "service.name":
				by.program = attribute.GetValue().GetStringValue()
			case "cloud.region":
				by.region = attribute.GetValue().GetStringValue()
			}
		}
		for _, scope := range process.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				if span.GetKind() == v1.Span_SPAN_KIND_SERVER {
					id := hex.EncodeToString(span.GetTraceId())
					c.served[id] = append(c.served[id], by)
				}
			}
		}
	}
}

// parts are those of a trace that have been reported so far.
func (c *collector) parts(trace string) []part {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.served[trace])
}

// trace is a new trace: its id, and the header that makes a request belong to it.
func trace() (id, traceparent string) {
	random := make([]byte, 16)
	rand.Read(random)
	id = hex.EncodeToString(random)
	return id, "00-" + id + "-00f067aa0ba902b7-01"
}

// whoServed gives everybody who served a part of a trace. A process reports its spans in the order in which they end, so
// once every process has reported a part of a later trace, nothing of the earlier one is missing.
func whoServed(t *testing.T, earlier string, key string) []part {
	t.Helper()
	later, traceparent := trace()
	var requested []part
	for _, region := range []string{canada, states} {
		for path, program := range programs {
			got := caller{gateway(region), key}.do(t, "GET", path, nil, "X-Region", region, "Traceparent", traceparent)
			if got.status == http.StatusOK { // else there is no process
				requested = append(requested, part{program, region})
			}
		}
	}
	testwait.For(t, timeout, "every process reports", func() bool {
		reported := spans.parts(later)
		return !slices.ContainsFunc(requested, func(p part) bool { return !slices.Contains(reported, p) })
	})
	return spans.parts(earlier)
}

// programs are those behind the REST API, by a path of each.
var programs = map[string]string{
	"/v1/sites": "assets", "/v1/users": "users", "/v1/work-orders": "workorders", "/v1/los/measures": "los",
	"/v1/infrastructure/networks": "infrastructure", "/v1/projects": "projects", "/v1/planning/scenarios": "planning",
	"/v1/accounting/classes": "accounting", "/v1/requests": "requests", "/v1/meters": "meters",
	"/v1/forms/templates": "forms", "/v1/webhook-endpoints": "webhooks", "/v1/me": "gateway",
}

// in is how many of the parts a program had in a region; the empty program is any.
func in(parts []part, region, program string) int {
	count := 0
	for _, p := range parts {
		if p.region == region && (program == "" || p.program == program) {
			count++
		}
	}
	return count
}
