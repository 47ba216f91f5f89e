package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/telemetry/telemetrytest"
)

// The process has one tracer provider, so every test starts its own and none runs in parallel.

func TestACallerAServerAndTheServerItCallsAreOneTrace(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "gateway", Version: "1", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 1})

	inner := http.NewServeMux()
	inner.HandleFunc("GET /v1/sites/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "site") })
	upstream := httptest.NewServer(telemetry.Handler(inner))
	defer upstream.Close()
	client := &http.Client{Transport: telemetry.Transport(nil)}
	outer := http.NewServeMux()
	outer.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
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
		defer func() { _ = response.Body.Close() }()
		_, _ = io.Copy(w, response.Body)
	})
	edge := httptest.NewServer(telemetry.Handler(outer))
	defer edge.Close()

	const caller, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, edge.URL+"/v1/sites/7?key=ams_secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("traceparent", "00-"+caller+"-"+parent+"-01")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "site" {
		t.Fatalf("%q, %v", body, err)
	}
	_ = response.Body.Close()
	finish()

	spans := collector.Spans()
	if len(spans) != 3 {
		t.Fatalf("%d spans, want server, client, server", len(spans))
	}
	byParent := map[string]telemetrytest.Span{}
	for _, span := range spans {
		if got := telemetrytest.ID(span.GetTraceId()); got != caller {
			t.Errorf("span %s is of trace %s", span.GetName(), got)
		}
		byParent[telemetrytest.ID(span.GetParentSpanId())] = span
	}
	at := parent
	for i, want := range []struct {
		name string
		kind v1.Span_SpanKind
	}{{"/v1/", v1.Span_SPAN_KIND_SERVER}, {"GET", v1.Span_SPAN_KIND_CLIENT}, {"GET /v1/sites/{id}", v1.Span_SPAN_KIND_SERVER}} {
		span := byParent[at]
		if span.Span == nil || span.GetName() != want.name || span.GetKind() != want.kind {
			t.Fatalf("span %d below %s is %v, want %s", i, at, span, want.name)
		}
		at = telemetrytest.ID(span.GetSpanId())
	}
	if strings.Contains(collector.Raw(), "ams_secret") {
		t.Error("a key in the query reached the collector")
	}
	if !strings.Contains(collector.Raw(), "http.server.request.duration") {
		t.Error("the duration was not reported")
	}
}

func TestACallerThatIsNotRecordedIsFollowedAndNotRecorded(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 1})
	var seen string
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("traceparent") }))
	defer upstream.Close()
	handler := telemetry.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, upstream.URL, nil)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := telemetry.Transport(nil).RoundTrip(request)
		if err != nil {
			t.Error(err)
			return
		}
		_ = response.Body.Close()
		if len(request.Header) != 0 {
			t.Error("the transport altered the request it was given")
		}
	}))
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	finish()
	if !strings.HasPrefix(seen, "00-4bf92f3577b34da6a3ce929d0e0e4736-") || !strings.HasSuffix(seen, "-00") {
		t.Errorf("upstream saw traceparent %q", seen)
	}
	if n := len(collector.Spans()); n != 0 {
		t.Errorf("%d spans were recorded", n)
	}
}

func TestACollectorThatHangsOrIsDownCostsNoRequestAnything(t *testing.T) {
	hang := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer hanging.Close()
	defer close(hang)
	for name, endpoint := range map[string]string{"hangs": hanging.URL, "is down": "http://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			shutdown, err := telemetry.Start(t.Context(), telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: endpoint, Ratio: 1})
			if err != nil {
				t.Fatal(err)
			}
			handler := telemetry.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
			begin := time.Now()
			for range 20_000 { // more than the queue holds
				recorder := httptest.NewRecorder()
				if handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil)); recorder.Code != http.StatusNoContent {
					t.Fatalf("status %d", recorder.Code)
				}
			}
			if elapsed := time.Since(begin); elapsed > 5*time.Minute { // one that waited for the collector would wait for ever
				t.Errorf("20,000 requests took %v", elapsed)
			}
			limited, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			begin = time.Now()
			_ = shutdown(limited) // its error says that not everything was exported
			if elapsed := time.Since(begin); elapsed > time.Minute {
				t.Errorf("shutdown took %v", elapsed)
			}
		})
	}
}

func TestAnEndpointThatIsNotAURLIsRefused(t *testing.T) {
	for _, endpoint := range []string{"collector:4318", "ftp://collector", "http://"} {
		if _, err := telemetry.Start(t.Context(), telemetry.Config{Endpoint: endpoint}); err == nil {
			t.Errorf("%q was accepted", endpoint)
		}
	}
}

func TestLogLinesNameTheTraceAndTheRequest(t *testing.T) {
	begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1"})
	var out bytes.Buffer
	log := telemetry.Logger(&out, slog.LevelInfo).With("service", "assets")
	ctx, span := otel.Tracer("test").Start(t.Context(), "work")
	defer span.End()
	log.InfoContext(principal.Into(ctx, principal.Principal{RequestID: "from-principal", OrganizationID: "org",
		Actor: principal.Actor{Type: "api_key", ID: "key", Name: "secret name"}}), "one")
	log.InfoContext(telemetry.WithRequestID(ctx, "from-edge"), "two")
	log.Info("three")
	log.Debug("never")

	var lines []map[string]any
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var parsed map[string]any
		if err := json.Unmarshal([]byte(line), &parsed); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, parsed)
	}
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), &out)
	}
	trace := trace.SpanContextFromContext(ctx)
	for i, want := range []any{"from-principal", "from-edge", nil} {
		if lines[i]["request_id"] != want || lines[i]["service"] != "assets" {
			t.Errorf("line %d is %v", i, lines[i])
		}
	}
	if lines[0]["trace_id"] != trace.TraceID().String() || lines[0]["span_id"] != trace.SpanID().String() || lines[2]["trace_id"] != nil {
		t.Errorf("traces are not named: %v", lines)
	}
	if lines[0]["organization_id"] != "org" || lines[0]["key_id"] != "key" || lines[1]["organization_id"] != nil ||
		strings.Contains(out.String(), "secret name") {
		t.Errorf("whose request it is: %v", lines)
	}
}

func TestAPanicIsReportedAndPassedOn(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 1})
	func() {
		defer func() {
			if reason := recover(); reason != http.ErrAbortHandler { //nolint:errorlint // a panic's value
				t.Errorf("the panic became %v", reason)
			}
		}()
		telemetry.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	finish()
	spans := collector.Spans()
	if len(spans) != 1 || spans[0].GetStatus().GetCode() != v1.Status_STATUS_CODE_ERROR {
		t.Errorf("spans = %v", spans)
	}
}

func TestDeadlinesAndFlushesReachTheConnection(t *testing.T) {
	collector := telemetrytest.Start(t)
	begin(t, telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: 1})
	server := httptest.NewServer(telemetry.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		controller := http.NewResponseController(w)
		if err := errors.Join(controller.SetReadDeadline(time.Now().Add(time.Second)),
			controller.SetWriteDeadline(time.Now().Add(time.Second)), controller.Flush()); err != nil {
			t.Error(err)
		}
	})))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}

func BenchmarkHandler(b *testing.B) {
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	w := httptest.NewRecorder()
	measure := func(endpoint, traceparent string, wrap func(http.Handler) http.Handler) func(b *testing.B) {
		return func(b *testing.B) {
			shutdown, err := telemetry.Start(b.Context(), telemetry.Config{Service: "assets", Endpoint: endpoint, Ratio: 0})
			if err != nil {
				b.Fatal(err)
			}
			handler := wrap(next)
			r := httptest.NewRequest(http.MethodGet, "/v1/sites", nil)
			if traceparent != "" {
				r.Header.Set("traceparent", traceparent)
			}
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(w, r)
			}
			limited, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			_ = shutdown(limited) // nobody listens
		}
	}
	bare := func(h http.Handler) http.Handler { return h }
	const down = "http://127.0.0.1:1"
	b.Run("bare", measure("", "", bare))
	b.Run("no collector", measure("", "", telemetry.Handler))
	b.Run("unsampled root", measure(down, "", telemetry.Handler))
	b.Run("unsampled child", measure(down, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", telemetry.Handler))
	b.Run("sampled child", measure(down, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", telemetry.Handler))
}

// begin starts telemetry. The returned function flushes and ends it; it is called at the test's end at the latest.
func begin(t *testing.T, c telemetry.Config) (finish func()) {
	t.Helper()
	shutdown, err := telemetry.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	finish = sync.OnceFunc(func() {
		limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := shutdown(limited); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	t.Cleanup(finish)
	return finish
}
