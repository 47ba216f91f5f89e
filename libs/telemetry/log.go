package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/principal"
)

// Logger writes JSON lines. A line with a request's context has its trace_id, span_id and request_id, and organization_id and
// key_id of the caller (user_id where a person acts).
func Logger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

type requestIDKey struct{}

// WithRequestID gives a context whose log lines have the request's id. It is needed only before there is a principal (at the
// gateway's edge): a principal carries the id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id of the request that ctx belongs to; empty where there is none.
func RequestID(ctx context.Context) string {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		return id
	}
	return principal.From(ctx).RequestID
}

// logHandler adds the ids of the context to every record.
type logHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	if id := RequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	p := principal.From(ctx)
	if p.OrganizationID != "" {
		record.AddAttrs(slog.String("organization_id", p.OrganizationID))
	}
	if name := actorName(p.Actor.Type); name != "" {
		record.AddAttrs(slog.String(name, p.Actor.ID))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}

// actorName is the name of an actor's id in logs and spans; empty for our own services, which act for all organizations.
func actorName(kind string) string {
	switch kind {
	case "api_key":
		return "key_id"
	case "user":
		return "user_id"
	}
	return ""
}
