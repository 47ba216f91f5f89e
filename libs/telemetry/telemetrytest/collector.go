// Package telemetrytest is a collector for tests: it receives and stores what programs export over OTLP/HTTP.
package telemetrytest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traceservice "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector stores what it receives. URL is the value for AMS_OTLP_ENDPOINT.
type Collector struct {
	URL string

	mu    sync.Mutex
	spans []Span
	// metrics by program and name. A report is cumulative, so the last one is stored.
	metrics map[string]map[string]*metrics.Metric
	raw     strings.Builder
}

// Span is a span with the name of the program that made it.
type Span struct {
	Program string
	*traces.Span
}

// Start starts a collector that ends with the test.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{metrics: map[string]map[string]*metrics.Metric{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.receive(r.URL.Path, body)
		}
		if err != nil { // of a program that was killed while it sent
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) receive(path string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch path {
	case "/v1/traces":
		request := &traceservice.ExportTraceServiceRequest{}
		if err := proto.Unmarshal(body, request); err != nil {
			return err
		}
		c.raw.WriteString(request.String())
		for _, from := range request.GetResourceSpans() {
			for _, scope := range from.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					c.spans = append(c.spans, Span{Value(from.GetResource().GetAttributes(), "service.name"), span})
				}
			}
		}
	case "/v1/metrics":
		request := &metricsservice.ExportMetricsServiceRequest{}
		if err := proto.Unmarshal(body, request); err != nil {
			return err
		}
		c.raw.WriteString(request.String())
		for _, from := range request.GetResourceMetrics() {
			about := from.GetResource().GetAttributes()
			program := Value(about, "service.name") + " " + Value(about, "service.instance.id")
			if c.metrics[program] == nil {
				c.metrics[program] = map[string]*metrics.Metric{}
			}
			for _, scope := range from.GetScopeMetrics() {
				for _, metric := range scope.GetMetrics() {
					c.metrics[program][metric.GetName()] = metric
				}
			}
		}
	}
	return nil
}

// Spans gives all spans so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Raw is all that was received, as text, for checks that something is absent.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Point is one series of a metric: the value of a counter or gauge, or the count and the sum of a histogram.
type Point struct {
	Program    string // service.name
	Name, Unit string
	Kind       string // counter, gauge, histogram
	Attributes map[string]string
	Value      float64
	Count      uint64
}

// Points gives the last state of every series of every program.
func (c *Collector) Points() (all []Point) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for program, byName := range c.metrics {
		program, _, _ = strings.Cut(program, " ")
		for name, metric := range byName {
			all = append(all, points(Point{Program: program, Name: name, Unit: metric.GetUnit()}, metric)...)
		}
	}
	return all
}

func points(of Point, metric *metrics.Metric) (all []Point) {
	number := func(kind string, given []*metrics.NumberDataPoint) {
		for _, point := range given {
			p := of
			p.Kind, p.Attributes, p.Value = kind, attributes(point.GetAttributes()), point.GetAsDouble()+float64(point.GetAsInt())
			all = append(all, p)
		}
	}
	switch {
	case metric.GetSum() != nil && metric.GetSum().GetIsMonotonic():
		number("counter", metric.GetSum().GetDataPoints())
	case metric.GetSum() != nil:
		number("gauge", metric.GetSum().GetDataPoints())
	case metric.GetGauge() != nil:
		number("gauge", metric.GetGauge().GetDataPoints())
	case metric.GetHistogram() != nil:
		for _, point := range metric.GetHistogram().GetDataPoints() {
			p := of
			p.Kind, p.Attributes, p.Value, p.Count = "histogram", attributes(point.GetAttributes()), point.GetSum(), point.GetCount()
			all = append(all, p)
		}
	}
	return all
}

func attributes(given []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, each := range given {
		all[each.GetKey()] = Value(given, each.GetKey())
	}
	return all
}

// Value is an attribute as text; empty where there is none.
func Value(attributes []*common.KeyValue, key string) string {
	for _, each := range attributes {
		if each.GetKey() != key {
			continue
		}
		switch value := each.GetValue(); value.GetValue().(type) {
		case *common.AnyValue_StringValue:
			return value.GetStringValue()
		default:
			text := value.String()
			return text[strings.Index(text, ":")+1:]
		}
	}
	return ""
}

// ID is the hexadecimal form of a trace's or span's id.
func ID(id []byte) string { return hex.EncodeToString(id) }
