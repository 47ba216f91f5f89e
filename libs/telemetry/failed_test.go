package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"ams.internal/libs/telemetry"
	"ams.internal/libs/telemetry/telemetrytest"
)

// Nothing is sampled. A request fails in a step of the second process. The spans of both processes and of the step are one trace.
func TestWhatFailsIsOneTraceWhereNothingIsSampled(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 0})
	inner := http.NewServeMux()
	inner.HandleFunc("GET /v1/sites/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, step := telemetry.StartStep(r.Context(), "SELECT", trace.SpanKindClient)
		reason := ""
		if r.PathValue("id") == "ill" {
			reason = "42501"
			w.Header().Set("X-Request-Id", "the-request")
			w.WriteHeader(http.StatusInternalServerError)
		}
		step.End(reason, func() []attribute.KeyValue {
			return []attribute.KeyValue{attribute.String("db.query.text", "SELECT 1")}
		})
		if telemetry.IsRecorded(w) {
			telemetry.AddAttributes(w, attribute.String("ams.organization_id", "org"))
		}
	})
	upstream := httptest.NewServer(telemetry.Handler(inner))
	defer upstream.Close()
	client := &http.Client{Transport: telemetry.Transport(nil)}
	outer := telemetry.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "/v1/sites"
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, upstream.URL+r.URL.Path, nil)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		_ = response.Body.Close()
		w.WriteHeader(response.StatusCode)
	}))
	for _, id := range []string{"well", "ill", "missing"} {
		outer.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/sites/"+id+"?key=ams_secret", nil))
	}
	finish()

	spans := map[string]*v1.Span{}
	for _, span := range collector.Spans() {
		spans[span.GetName()] = span.Span
	}
	edge, server, step := spans["/v1/sites"], spans["GET /v1/sites/{id}"], spans["SELECT"]
	if len(collector.Spans()) != 3 || edge == nil || server == nil || step == nil {
		t.Fatalf("spans: %v", collector.Spans())
	}
	if id := telemetrytest.ID; id(edge.GetTraceId()) != id(step.GetTraceId()) || len(edge.GetParentSpanId()) != 0 ||
		id(server.GetParentSpanId()) != id(edge.GetSpanId()) || id(step.GetParentSpanId()) != id(server.GetSpanId()) {
		t.Errorf("they are not one trace:\n%v\n%v\n%v", edge, server, step)
	}
	if edge.GetStartTimeUnixNano() > server.GetStartTimeUnixNano() || server.GetStartTimeUnixNano() > step.GetStartTimeUnixNano() ||
		step.GetEndTimeUnixNano() > server.GetEndTimeUnixNano() || server.GetEndTimeUnixNano() > edge.GetEndTimeUnixNano() {
		t.Errorf("one does not lie within the other:\n%v\n%v\n%v", edge, server, step)
	}
	for _, span := range []*v1.Span{edge, server, step} {
		if span.GetStatus().GetCode() != v1.Status_STATUS_CODE_ERROR || telemetrytest.Value(span.GetAttributes(), "ams.failed_only") != "true" {
			t.Errorf("it is not marked as failed: %v", span)
		}
	}
	if about := server.GetAttributes(); telemetrytest.Value(about, "ams.request_id") != "the-request" ||
		telemetrytest.Value(about, "ams.organization_id") != "org" ||
		telemetrytest.Value(about, "http.route") != "GET /v1/sites/{id}" ||
		telemetrytest.Value(step.GetAttributes(), "db.query.text") != "SELECT 1" {
		t.Errorf("%v\n%v", server, step)
	}
	if strings.Contains(collector.Raw(), "ams_secret") || strings.Contains(collector.Raw(), "sites/ill") {
		t.Error("what the caller wrote is in a span")
	}
}

func TestACallWithoutAResponseIsRecorded(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 0})
	telemetry.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://127.0.0.1:1/secret", nil)
		if err != nil {
			t.Error(err)
			return
		}
		if response, err := telemetry.Transport(nil).RoundTrip(request); err == nil {
			_ = response.Body.Close()
			t.Error("there was a response")
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	finish()
	spans := collector.Spans()
	if len(spans) != 1 || spans[0].GetKind() != v1.Span_SPAN_KIND_CLIENT ||
		telemetrytest.Value(spans[0].GetAttributes(), "server.address") != "127.0.0.1:1" {
		t.Errorf("spans: %v", spans)
	}
	if strings.Contains(collector.Raw(), "/secret") {
		t.Error("a path is in a span")
	}
}

// Work that succeeds has no span even where everything is sampled. Work that fails has a trace with the steps that failed.
func TestBackgroundWorkIsRecordedWhenItFails(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 1})
	for _, failure := range []error{nil, context.Canceled, errors.New("with somebody's data")} {
		err := telemetry.Work(t.Context(), "sweep", func(ctx context.Context) error {
			_, step := telemetry.StartStep(ctx, "DELETE", trace.SpanKindClient)
			if failure == nil || errors.Is(failure, context.Canceled) {
				step.End("", nil)
			} else {
				step.End("57014", nil)
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("%v became %v", failure, err)
		}
	}
	finish()
	spans := collector.Spans()
	if len(spans) != 2 || spans[0].GetName() != "DELETE" || spans[1].GetName() != "sweep" ||
		telemetrytest.ID(spans[0].GetParentSpanId()) != telemetrytest.ID(spans[1].GetSpanId()) {
		t.Errorf("spans: %v", spans)
	}
	if strings.Contains(collector.Raw(), "somebody's data") {
		t.Error("the text of an error is in a span")
	}
}

func TestAStepOfARequestThatIsNotSampledCostsNoAllocation(t *testing.T) {
	collector := telemetrytest.Start(t)
	begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 0})
	ctx := trace.ContextWithSpanContext(t.Context(),
		trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}))
	service := "assets"
	if n := testing.AllocsPerRun(100, func() {
		_, step := telemetry.StartStep(ctx, "forward", trace.SpanKindClient)
		step.End("", func() []attribute.KeyValue { return []attribute.KeyValue{attribute.String("service", service)} })
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
