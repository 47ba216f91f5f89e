package telemetry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Transport propagates the trace to the server, and gives each request of a sampled trace a client span that ends with the
// body of the response. A request without a response has a span in any trace. base nil means http.DefaultTransport.
func Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{base: base, tracer: otel.Tracer(name)}
}

type transport struct {
	base   http.RoundTripper
	tracer trace.Tracer
}

var clientOptions = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if parent := trace.SpanContextFromContext(ctx); parent.IsValid() && !parent.IsSampled() {
		return t.unsampled(ctx, r)
	}
	ctx, span := t.tracer.Start(ctx, method(r.Method), clientOptions...)
	response, err := t.base.RoundTrip(withTrace(ctx, r))
	if !span.IsRecording() {
		return response, err
	}
	span.SetAttributes(requestAttributes(r)...)
	if err != nil {
		span.SetStatus(codes.Error, noResponse)
		span.End()
		return response, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, http.StatusText(response.StatusCode))
	}
	if response.StatusCode == http.StatusSwitchingProtocols { // its body is a connection, which must stay writable
		span.End()
		return response, err
	}
	response.Body = &body{ReadCloser: response.Body, span: span}
	return response, nil
}

// noResponse is the status of a span without a response. The error itself is left out: it may repeat data of the request.
const noResponse = "no answer"

// unsampled propagates the trace, and records a span only where there is no response. A server that responds with an error
// records that itself.
func (t *transport) unsampled(ctx context.Context, r *http.Request) (*http.Response, error) {
	begin := time.Now()
	response, err := t.base.RoundTrip(withTrace(ctx, r))
	if err != nil && !errors.Is(err, context.Canceled) {
		RecordFailure(ctx, Failure{Name: method(r.Method), Kind: trace.SpanKindClient, Begin: begin, Reason: noResponse,
			Attributes: requestAttributes(r)})
	}
	return response, err
}

func requestAttributes(r *http.Request) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("http.request.method", method(r.Method)), attribute.String("server.address", r.URL.Host)}
}

// withTrace is r with the trace's headers: a RoundTripper must not alter the request it was given.
func withTrace(ctx context.Context, r *http.Request) *http.Request {
	r = r.WithContext(ctx)
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	return r
}

// body ends the span when the response has been read or closed.
type body struct {
	io.ReadCloser
	span trace.Span
	once sync.Once
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.end(nil)
	return b.ReadCloser.Close()
}

func (b *body) end(err error) {
	b.once.Do(func() {
		if err != nil && !errors.Is(err, io.EOF) {
			b.span.SetStatus(codes.Error, "the answer broke off")
		}
		b.span.End()
	})
}
