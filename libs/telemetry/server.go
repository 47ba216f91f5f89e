package telemetry

import (
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/principal"
)

// Handler gives every request a span that continues its caller's trace, and measures it (http.server.request.duration). A
// request of a trace that is not sampled costs about a microsecond; where it fails, its span is recorded nevertheless.
//
// Spans and metrics are named after r.Pattern, which http.ServeMux sets. Another router sets it on the request that is passed
// to next.
func Handler(next http.Handler) http.Handler {
	duration, err := otel.Meter(name).Float64Histogram("http.server.request.duration",
		metric.WithUnit("s"),
		metric.WithDescription("How long requests took, from their first byte to the end of their handler."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil { // only a malformed name or bucket list, which stand above
		panic(err)
	}
	return &handler{next: next, tracer: otel.Tracer(name), duration: duration, attributes: NewAttributes(series.attributes)}
}

type handler struct {
	next       http.Handler
	tracer     trace.Tracer
	duration   metric.Float64Histogram
	attributes *Attributes[series] // as many as routes × statuses
}

type series struct {
	method, route string
	status        int
}

func (s series) attributes() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("http.request.method", s.method),
		attribute.String("http.route", s.route),
		attribute.Int("http.response.status_code", s.status),
	}
}

// serverOptions is made once: options made per request would be most of the cost of an unrecorded request.
var serverOptions = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller := r.Context()
	if len(r.Header["Traceparent"]) > 0 {
		caller = propagation.TraceContext{}.Extract(caller, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := h.tracer.Start(caller, method(r.Method), serverOptions...)
	r = r.WithContext(ctx)
	if !span.IsRecording() && !exporting.Load() {
		defer span.End()
		h.next.ServeHTTP(w, r)
		return
	}

	begin, recorder := time.Now(), &recorder{ResponseWriter: w, sampled: span.IsRecording()}
	finished := false
	defer func() { // also when next panics: the caller of this handler turns that into a 500
		switch {
		case !finished:
			recorder.status = http.StatusInternalServerError
		case recorder.status == 0:
			recorder.status = http.StatusOK
		}
		s := series{method(r.Method), r.Pattern, recorder.status}
		h.duration.Record(ctx, time.Since(begin).Seconds(), h.attributes.Record(s)...)
		switch {
		case recorder.sampled:
			recorder.describe(span, s)
		case recorder.failed():
			RecordFailure(caller, Failure{
				Name: s.name(), Kind: trace.SpanKindServer, Begin: begin, Span: span.SpanContext(),
				Reason: http.StatusText(s.status), Attributes: recorder.attributes(s),
			})
		}
		span.End()
	}()
	h.next.ServeHTTP(recorder, r)
	finished = true
}

func (s series) name() string {
	if s.route == "" {
		return s.method
	}
	return s.route
}

// IsRecorded says whether the request of w has a span that is exported: its trace is sampled, or it has failed. Only then is
// Describe worth its cost.
func IsRecorded(w http.ResponseWriter) bool {
	a := recorderOf(w)
	return a != nil && (a.sampled || a.failed())
}

// AddAttributes adds attributes to the span of w's request, where it is Recorded. They must never contain a key, nor a query or a
// path as sent: callers put keys into both.
func AddAttributes(w http.ResponseWriter, described ...attribute.KeyValue) {
	if a := recorderOf(w); a != nil {
		a.described = append(a.described, described...)
	}
}

// AddPrincipal is Describe with the ids of the caller, without names.
func AddPrincipal(w http.ResponseWriter, p principal.Principal) {
	if p.OrganizationID != "" {
		AddAttributes(w, attribute.String("ams.organization_id", p.OrganizationID))
	}
	if name := actorName(p.Actor.Type); name != "" {
		AddAttributes(w, attribute.String("ams."+name, p.Actor.ID))
	}
}

func recorderOf(w http.ResponseWriter) *recorder {
	for {
		switch each := w.(type) {
		case *recorder:
			return each
		case interface{ Unwrap() http.ResponseWriter }:
			w = each.Unwrap()
		default:
			return nil
		}
	}
}

// method maps unknown methods to one value, so that none makes a new series.
func method(given string) string {
	switch given {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return given
	}
	return "_OTHER"
}

// recorder records the status and the attributes of a request. http.ResponseController unwraps it.
type recorder struct {
	http.ResponseWriter
	status    int
	sampled   bool
	described []attribute.KeyValue
}

func (a *recorder) failed() bool { return a.status >= http.StatusInternalServerError }

// attributes are the attributes of the request's span.
func (a *recorder) attributes(s series) []attribute.KeyValue {
	all := append(s.attributes(), a.described...)
	if id := a.Header().Get("X-Request-Id"); id != "" { // of the response: the caller's own header may contain anything
		all = append(all, attribute.String("ams.request_id", id))
	}
	return all
}

func (a *recorder) describe(span trace.Span, s series) {
	span.SetName(s.name())
	span.SetAttributes(a.attributes(s)...)
	if a.failed() {
		span.SetStatus(codes.Error, http.StatusText(s.status))
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *recorder) WriteHeader(status int) {
	if a.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// ReadFrom lets net/http copy a body without a buffer of ours.
func (a *recorder) ReadFrom(source io.Reader) (int64, error) {
	return io.Copy(a.ResponseWriter, source)
}

// Unwrap is called by http.ResponseController.
func (a *recorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }
