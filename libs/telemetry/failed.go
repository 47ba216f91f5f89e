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

// failures makes the spans of what failed in traces that are not sampled; nil while nothing is exported. It is a provider
// beside the process's own, with the same queue behind it, so that what succeeds does not pay for it (ADR 0020).
var failures atomic.Pointer[sdk.TracerProvider]

// Failure is something that went wrong, and has ended.
type Failure struct {
	Name       string
	Kind       trace.SpanKind
	Begin      time.Time
	Span       trace.SpanContext // the identity under which others were told of it; the zero value: nobody was
	Reason     string            // a few fixed words: never text that a caller, a receiver or the database has written
	Attributes []attribute.KeyValue
}

// Failed records the span of what went wrong and has ended just now, whether its trace is sampled or not. parent is the
// context that it was done for.
func Failed(parent context.Context, f Failure) {
	provider := failures.Load()
	if provider == nil {
		return
	}
	if f.Span.IsValid() {
		parent = context.WithValue(parent, identityKey{}, f.Span)
	}
	_, span := provider.Tracer(name).Start(parent, f.Name, trace.WithSpanKind(f.Kind), trace.WithTimestamp(f.Begin), trace.WithAttributes(f.Attributes...))
	if !trace.SpanContextFromContext(parent).IsSampled() {
		span.SetAttributes(attribute.Bool("ams.failed_only", true)) // its trace has no spans of what went well
	}
	span.SetStatus(codes.Error, f.Reason)
	span.End()
}

type identityKey struct{}

// identities gives spans the identity that the context names, else a new one.
type identities struct{}

// NewIDs implements sdk.IDGenerator, for a span without a parent.
func (i identities) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if given, found := ctx.Value(identityKey{}).(trace.SpanContext); found {
		return given.TraceID(), given.SpanID()
	}
	return newTraceID(), newSpanID()
}

// NewSpanID implements sdk.IDGenerator.
func (i identities) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if given, found := ctx.Value(identityKey{}).(trace.SpanContext); found {
		return given.SpanID()
	}
	return newSpanID()
}

func newTraceID() (id trace.TraceID) {
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64()|1) // #nosec G404 -- a name, no secret; never zero
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())   // #nosec G404
	return id
}

func newSpanID() (id trace.SpanID) {
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1) // #nosec G404
	return id
}
