package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Exporting says whether spans and figures have somewhere to go. What is measured for them alone need not be
// measured otherwise.
func Exporting() bool { return exporting.Load() }

// Step is a part of a request that is worth a span of its own. It is recorded when its trace is sampled, and otherwise when
// it fails; one that is not recorded costs no allocation.
type Step struct {
	span   trace.Span // nil: the trace is not sampled
	parent context.Context
	name   string
	kind   trace.SpanKind
	begin  time.Time
}

// Begin begins a step of what ctx belongs to. The context it gives is for what is done inside. End it.
func Begin(ctx context.Context, step string, kind trace.SpanKind) (context.Context, Step) {
	switch {
	case !exporting.Load():
		return ctx, Step{}
	case !trace.SpanContextFromContext(ctx).IsSampled():
		return ctx, Step{parent: ctx, name: step, kind: kind, begin: time.Now()}
	}
	inside, span := otel.Tracer(name).Start(ctx, step, trace.WithSpanKind(kind))
	return inside, Step{span: span}
}

// End ends the step. reason says, in a few fixed words, why it failed; it is empty where it did not. about is asked only
// when the step is recorded, and may be nil.
func (s Step) End(reason string, about func() []attribute.KeyValue) {
	var attributes []attribute.KeyValue
	switch {
	case s.span == nil && (reason == "" || s.parent == nil):
		return
	case about != nil:
		attributes = about()
	}
	if s.span == nil {
		Failed(s.parent, Failure{Name: s.name, Kind: s.kind, Begin: s.begin, Reason: reason, Attributes: attributes})
		return
	}
	s.span.SetAttributes(attributes...)
	if reason != "" {
		s.span.SetStatus(codes.Error, reason)
	}
	s.span.End()
}

// Work does a piece of background work, which is nobody's request. It is a trace of its own that is recorded when it fails,
// with what failed inside; work that goes well is done again and again, and would bury the requests.
func Work(ctx context.Context, work string, do func(ctx context.Context) error) error {
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: newTraceID(), SpanID: newSpanID()})
	begin := time.Now()
	err := do(trace.ContextWithSpanContext(ctx, own))
	if err != nil && !errors.Is(err, context.Canceled) {
		Failed(ctx, Failure{Name: work, Kind: trace.SpanKindInternal, Begin: begin, Span: own, Reason: "failed: the log line with this span_id says why"})
	}
	return err
}
