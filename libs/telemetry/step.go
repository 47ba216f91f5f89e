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

// Exporting says whether spans and metrics are exported. Measurements for them alone are needed only then.
func Exporting() bool { return exporting.Load() }

// Step is a part of a request with a span of its own. It is recorded when its trace is sampled, and otherwise when it fails. A
// step that is not recorded costs no allocation.
type Step struct {
	span   trace.Span // nil: the trace is not sampled
	parent context.Context
	name   string
	kind   trace.SpanKind
	begin  time.Time
}

// StartStep starts a step of the request of ctx. The context that it returns is for operations inside the step. The caller ends
// the step.
func StartStep(ctx context.Context, step string, kind trace.SpanKind) (context.Context, Step) {
	switch {
	case !exporting.Load():
		return ctx, Step{}
	case !trace.SpanContextFromContext(ctx).IsSampled():
		return ctx, Step{parent: ctx, name: step, kind: kind, begin: time.Now()}
	}
	inside, span := otel.Tracer(name).Start(ctx, step, trace.WithSpanKind(kind))
	return inside, Step{span: span}
}

// End ends the step. reason says, in a few fixed words, why it failed; it is empty where it did not. about is called only when
// the step is recorded, and may be nil.
func (s Step) End(reason string, about func() []attribute.KeyValue) {
	var attributes []attribute.KeyValue
	switch {
	case s.span == nil && (reason == "" || s.parent == nil):
		return
	case about != nil:
		attributes = about()
	}
	if s.span == nil {
		RecordFailure(s.parent, Failure{Name: s.name, Kind: s.kind, Begin: s.begin, Reason: reason, Attributes: attributes})
		return
	}
	s.span.SetAttributes(attributes...)
	if reason != "" {
		s.span.SetStatus(codes.Error, reason)
	}
	s.span.End()
}

// Work runs background work, which belongs to no request. It has a trace of its own, which is recorded only when the work
// fails, with the steps that failed: spans of frequent successful work would hide the requests.
func Work(ctx context.Context, work string, do func(ctx context.Context) error) error {
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: newTraceID(), SpanID: newSpanID()})
	begin := time.Now()
	err := do(trace.ContextWithSpanContext(ctx, own))
	if err != nil && !errors.Is(err, context.Canceled) {
		RecordFailure(ctx, Failure{Name: work, Kind: trace.SpanKindInternal, Begin: begin, Span: own,
			Reason: "failed: the log line with this span_id says why"})
	}
	return err
}
