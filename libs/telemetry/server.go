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

// Handler gives every request a span that continues its caller's trace, and times it
// (http.server.request.duration). A request of a trace that is not sampled pays
// about a microsecond; where it fails, its span is recorded all the same.
//
// Spans and figures are named after r.Pattern, which http.ServeMux sets; who routes by other means sets it
// on the request that is passed to next.
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

// serverOptions is made once: options built per request would be most of what an unrecorded request pays.
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

	begin, answer := time.Now(), &answer{ResponseWriter: w, sampled: span.IsRecording()}
	finished := false
	defer func() { // also when next panics: the edge above turns that into a 500
		switch {
		case !finished:
			answer.status = http.StatusInternalServerError
		case answer.status == 0:
			answer.status = http.StatusOK
		}
		s := series{method(r.Method), r.Pattern, answer.status}
		h.duration.Record(ctx, time.Since(begin).Seconds(), h.attributes.Record(s)...)
		switch {
		case answer.sampled:
			answer.describe(span, s)
		case answer.failed():
			Failed(caller, Failure{
				Name: s.name(), Kind: trace.SpanKindServer, Begin: begin, Span: span.SpanContext(),
				Reason: http.StatusText(s.status), Attributes: answer.facts(s),
			})
		}
		span.End()
	}()
	h.next.ServeHTTP(answer, r)
	finished = true
}

func (s series) name() string {
	if s.route == "" {
		return s.method
	}
	return s.route
}

// Recorded says whether the request that w answers has a span that somebody will see: its trace is sampled, or it has
// failed. Only then is it worth describing.
func Recorded(w http.ResponseWriter) bool {
	a := answerOf(w)
	return a != nil && (a.sampled || a.failed())
}

// Describe says more about the request that w answers, where it is Recorded. Never a key, a query or a path as it was sent:
// people put keys into both.
func Describe(w http.ResponseWriter, about ...attribute.KeyValue) {
	if a := answerOf(w); a != nil {
		a.about = append(a.about, about...)
	}
}

// DescribePrincipal is Describe with what is known of the caller: ids, no names.
func DescribePrincipal(w http.ResponseWriter, p principal.Principal) {
	if p.OrganizationID != "" {
		Describe(w, attribute.String("ams.organization_id", p.OrganizationID))
	}
	if name := actorName(p.Actor.Type); name != "" {
		Describe(w, attribute.String("ams."+name, p.Actor.ID))
	}
}

func answerOf(w http.ResponseWriter) *answer {
	for {
		switch each := w.(type) {
		case *answer:
			return each
		case interface{ Unwrap() http.ResponseWriter }:
			w = each.Unwrap()
		default:
			return nil
		}
	}
}

// method keeps made-up methods from making a new series each.
func method(given string) string {
	switch given {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return given
	}
	return "_OTHER"
}

// answer remembers the status, and what is said of the request. http.ResponseController reaches through it.
type answer struct {
	http.ResponseWriter
	status  int
	sampled bool
	about   []attribute.KeyValue
}

func (a *answer) failed() bool { return a.status >= http.StatusInternalServerError }

// facts are the attributes of the request's span.
func (a *answer) facts(s series) []attribute.KeyValue {
	all := append(s.attributes(), a.about...)
	if id := a.Header().Get("X-Request-Id"); id != "" { // as answered: what the caller sent may be anything
		all = append(all, attribute.String("ams.request_id", id))
	}
	return all
}

func (a *answer) describe(span trace.Span, s series) {
	span.SetName(s.name())
	span.SetAttributes(a.facts(s)...)
	if a.failed() {
		span.SetStatus(codes.Error, http.StatusText(s.status))
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// ReadFrom keeps the copying of a body inside net/http, which does it without a buffer of ours.
func (a *answer) ReadFrom(source io.Reader) (int64, error) {
	return io.Copy(a.ResponseWriter, source)
}

// Unwrap is what http.ResponseController looks for.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
