package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// failureProvider makes the spans of failures in traces that are not sampled; nil while nothing is exported. It is a second
// provider with the same queue as the process's own, so that requests that succeed have no cost from it (ADR 0020).
var failureProvider atomic.Pointer[sdk.TracerProvider]

// Failure is an operation that failed, and has ended.
type Failure struct {
	Name       string
	Kind       trace.SpanKind
	Begin      time.Time
	Span       trace.SpanContext // the ids that were propagated to others; the zero value: none were
	Reason     string            // a few fixed words: never text from a caller, a receiver or the database
	Attributes []attribute.KeyValue
}

// RecordFailure records the span of a failure that ends now, whether its trace is sampled or not. parent is the context of the
// operation that it is part of.
func RecordFailure(parent context.Context, f Failure) {
	provider := failureProvider.Load()
	if provider == nil {
		return
	}
	if f.Span.IsValid() {
		parent = context.WithValue(parent, identityKey{}, f.Span)
	}
	_, span := provider.Tracer(name).Start(parent, f.Name, trace.WithSpanKind(f.Kind), trace.WithTimestamp(f.Begin),
		trace.WithAttributes(f.Attributes...))
	if !trace.SpanContextFromContext(parent).IsSampled() {
		span.SetAttributes(attribute.Bool("ams.failed_only", true)) // its trace has no spans of successful operations
	}
	span.SetStatus(codes.Error, f.Reason)
	span.End()
}

type identityKey struct{}

// idGenerator gives a span the ids that are in its context, else new ones.
type idGenerator struct{}

// NewIDs implements sdk.IDGenerator, for a span without a parent.
func (i idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if given, found := ctx.Value(identityKey{}).(trace.SpanContext); found {
		return given.TraceID(), given.SpanID()
	}
	return newTraceID(), newSpanID()
}

// NewSpanID implements sdk.IDGenerator.
func (i idGenerator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if given, found := ctx.Value(identityKey{}).(trace.SpanContext); found {
		return given.SpanID()
	}
	return newSpanID()
}

func newTraceID() (id trace.TraceID) {
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64()|1) // #nosec G404 -- an id, no secret; never zero
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())   // #nosec G404
	return id
}

func newSpanID() (id trace.SpanID) {
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1) // #nosec G404
	return id
}
