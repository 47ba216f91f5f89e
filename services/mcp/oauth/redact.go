package oauth

import (
	"context"
	"fmt"
	"log/slog"

	"ams.internal/libs/apikey"
)

// redact removes keys, codes and tokens from a text.
func redact(text string) string { return apikey.Redact(text) }

// redacted returns a logger that never writes a key, code or token. An error of another host may contain one.
func redacted(log *slog.Logger) *slog.Logger { return slog.New(redacting{log.Handler()}) }

type redacting struct{ slog.Handler }

// Handle implements slog.Handler.
func (h redacting) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, redact(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = redactAttr(a)
	}
	return redacting{h.Handler.WithAttrs(clean)}
}

// WithGroup implements slog.Handler.
func (h redacting) WithGroup(name string) slog.Handler { return redacting{h.Handler.WithGroup(name)} }

func redactAttr(a slog.Attr) slog.Attr {
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, redact(value.String()))
	case slog.KindGroup:
		var inside []any
		for _, each := range value.Group() {
			inside = append(inside, redactAttr(each))
		}
		return slog.Group(a.Key, inside...)
	case slog.KindAny:
		text := fmt.Sprint(value.Any())
		if clean := redact(text); clean != text {
			return slog.String(a.Key, clean)
		}
	}
	return a
}
