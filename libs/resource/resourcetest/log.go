package resourcetest

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
)

// Log gives the log of a service under test. It shows errors in the output of the test that makes the request, and those of no request in
// that of t; what is logged about a request of a Client is shown by the Client as well, beside the 5xx that it caused.
func Log(t testing.TB) *slog.Logger { return slog.New(handler{errorsTo(t)}) }

func errorsTo(t testing.TB) slog.Handler {
	return slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})
}

// handler writes to the requestLog of the context, and to the handler in it what is of no request that still runs.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	if r, ok := ctx.Value(requestLogKey{}).(*requestLog); ok && r.add(ctx, record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

func (h handler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attributes)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// requestLog is what was logged while one request was handled.
type requestLog struct {
	t testing.TB // that makes it

	mu    sync.Mutex
	lines bytes.Buffer
	ended bool
}

type requestLogKey struct{}

// add keeps a line, and shows an error in the output of the test. It says whether the request still runs: later its test may be over.
func (r *requestLog) add(ctx context.Context, record slog.Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	_ = slog.NewTextHandler(&r.lines, nil).Handle(ctx, record) // a buffer takes everything
	if test := errorsTo(r.t); test.Enabled(ctx, record.Level) {
		_ = test.Handle(ctx, record)
	}
	return true
}

func (r *requestLog) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

func (r *requestLog) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines.String()
}
