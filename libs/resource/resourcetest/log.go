package resourcetest

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
)

// Log gives the log of a service under test. It shows errors in the output of the test; what is logged about a request of a Client
// is shown by the Client as well, beside the 5xx that it caused.
func Log(t testing.TB) *slog.Logger {
	return slog.New(handler{slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})})
}

// handler writes to the handler in it, and to the requestLog of the context.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	if r, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		r.add(ctx, record)
	}
	return h.Handler.Handle(ctx, record)
}

func (h handler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attributes)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// requestLog is what was logged while one request was handled.
type requestLog struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

type requestLogKey struct{}

func (r *requestLog) add(ctx context.Context, record slog.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = slog.NewTextHandler(&r.lines, nil).Handle(ctx, record) // a buffer takes everything
}

func (r *requestLog) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines.String()
}
