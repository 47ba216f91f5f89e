package telemetry

import (
	"io"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Handler gives every request a span that continues its caller's trace, and times it
// (http.server.request.duration). A request of a trace that is not recorded pays
// about a microsecond.
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
	return &handler{next: next, tracer: otel.Tracer(name), duration: duration}
}

type handler struct {
	next       http.Handler
	tracer     trace.Tracer
	duration   metric.Float64Histogram
	attributes sync.Map // series → metric.MeasurementOption; as many as routes × statuses
}

type series struct {
	method, route string
	status        int
}

// serverOptions is made once: options built per request would be most of what an unrecorded request pays.
var serverOptions = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if len(r.Header["Traceparent"]) > 0 {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := h.tracer.Start(ctx, r.Method, serverOptions...)
	r = r.WithContext(ctx)
	recording, counting := span.IsRecording(), exporting.Load()
	if !recording && !counting {
		defer span.End()
		h.next.ServeHTTP(w, r)
		return
	}

	begin, answer := time.Now(), &answer{ResponseWriter: w}
	finished := false
	defer func() { // also when next panics: the edge above turns that into a 500
		status := answer.status
		switch {
		case !finished:
			status = http.StatusInternalServerError
		case status == 0:
			status = http.StatusOK
		}
		if counting {
			h.duration.Record(ctx, time.Since(begin).Seconds(), h.option(series{method(r.Method), r.Pattern, status}))
		}
		if recording {
			describe(span, r, status)
		}
		span.End()
	}()
	h.next.ServeHTTP(answer, r)
	finished = true
}

func describe(span trace.Span, r *http.Request, status int) {
	if r.Pattern != "" {
		span.SetName(r.Pattern)
	}
	span.SetAttributes( // never the query: keys have been seen there
		attribute.String("http.request.method", method(r.Method)),
		attribute.String("http.route", r.Pattern),
		attribute.String("url.path", r.URL.Path),
		attribute.Int("http.response.status_code", status),
	)
	if id := r.Header.Get("X-Request-Id"); id != "" {
		span.SetAttributes(attribute.String("ams.request_id", id))
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(status))
	}
}

func (h *handler) option(s series) metric.MeasurementOption {
	if known, found := h.attributes.Load(s); found {
		return known.(metric.MeasurementOption)
	}
	option := metric.WithAttributeSet(attribute.NewSet(
		attribute.String("http.request.method", s.method),
		attribute.String("http.route", s.route),
		attribute.Int("http.response.status_code", s.status)))
	h.attributes.Store(s, option)
	return option
}

// method keeps made-up methods from making a new series each.
func method(given string) string {
	switch given {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return given
	}
	return "_OTHER"
}

// answer remembers the status. http.ResponseController reaches through it.
type answer struct {
	http.ResponseWriter
	status int
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
