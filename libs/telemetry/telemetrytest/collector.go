// Package telemetrytest is a collector for tests: it takes what programs export over OTLP/HTTP, and keeps it.
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

// Collector keeps what it is sent. URL is what AMS_OTLP_ENDPOINT is set to.
type Collector struct {
	URL string

	mu    sync.Mutex
	spans []Span
	// figures by program and name: a report holds everything since the start, so the last is kept.
	figures map[string]map[string]*metrics.Metric
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
	c := &Collector{figures: map[string]map[string]*metrics.Metric{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.take(r.URL.Path, body)
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

func (c *Collector) take(path string, body []byte) error {
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
			if c.figures[program] == nil {
				c.figures[program] = map[string]*metrics.Metric{}
			}
			for _, scope := range from.GetScopeMetrics() {
				for _, figure := range scope.GetMetrics() {
					c.figures[program][figure.GetName()] = figure
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

// Everything is all that came, as text, to look for what must not be there.
func (c *Collector) Everything() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Point is one series of a figure: the value of a counter or gauge, or the number and the sum of what a histogram holds.
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
	for program, figures := range c.figures {
		program, _, _ = strings.Cut(program, " ")
		for name, figure := range figures {
			all = append(all, points(Point{Program: program, Name: name, Unit: figure.GetUnit()}, figure)...)
		}
	}
	return all
}

func points(of Point, figure *metrics.Metric) (all []Point) {
	number := func(kind string, given []*metrics.NumberDataPoint) {
		for _, point := range given {
			p := of
			p.Kind, p.Attributes, p.Value = kind, attributes(point.GetAttributes()), point.GetAsDouble()+float64(point.GetAsInt())
			all = append(all, p)
		}
	}
	switch {
	case figure.GetSum() != nil && figure.GetSum().GetIsMonotonic():
		number("counter", figure.GetSum().GetDataPoints())
	case figure.GetSum() != nil:
		number("gauge", figure.GetSum().GetDataPoints())
	case figure.GetGauge() != nil:
		number("gauge", figure.GetGauge().GetDataPoints())
	case figure.GetHistogram() != nil:
		for _, point := range figure.GetHistogram().GetDataPoints() {
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
