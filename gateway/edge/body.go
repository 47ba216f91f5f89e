package edge

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"ams.internal/libs/fault"
)

const (
	bodyIdleTimeout = 15 * time.Second // between two pieces of a body
	bodyTimeout     = 2 * time.Minute  // of a body as a whole
)

// bodyError is why a caller's body could not be passed on.
type bodyError struct{ refusal *fault.Error }

// Error implements error.
func (e *bodyError) Error() string { return e.refusal.Error() }

func tooLarge(maxBody int64) *fault.Error {
	return fault.Invalid("body_too_large", "The body is larger than %d MB, which is the most; send it in parts.", maxBody>>20)
}

// inboundBody passes a body on while it arrives. It ends a sender who is too slow or sends too much.
type inboundBody struct {
	source     io.ReadCloser
	connection *http.ResponseController
	max, left  int64
	until      time.Time
	failed     atomic.Pointer[bodyError]
	broken     chan struct{} // closed when failed is set
}

func newInboundBody(c *call, maxBody int64) *inboundBody {
	return &inboundBody{source: c.r.Body, connection: http.NewResponseController(c.ResponseWriter), max: maxBody, left: maxBody,
		until: time.Now().Add(bodyTimeout), broken: make(chan struct{})}
}

// Read implements io.Reader.
func (b *inboundBody) Read(piece []byte) (int, error) {
	deadline := time.Now().Add(bodyIdleTimeout)
	if deadline.After(b.until) {
		deadline = b.until
	}
	_ = b.connection.SetReadDeadline(deadline) // a recorder in a test has none
	n, err := b.source.Read(piece)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.fail(tooLarge(b.max))
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		_ = b.connection.SetReadDeadline(time.Time{}) // else the deadline would end a slow response
		return n, io.EOF
	}
	refusal := fault.Invalid("body_incomplete", "The body did not arrive whole and in time.")
	return n, b.fail(refusal.WithHeader("Connection", "close").WithCause(err))
}

// Close does nothing: an attempt that failed closes its body, and the next attempt still needs it. The server
// closes it with the request.
func (b *inboundBody) Close() error { return nil }

func (b *inboundBody) fail(refusal *fault.Error) error {
	failure := &bodyError{refusal}
	if b.failed.CompareAndSwap(nil, failure) {
		close(b.broken)
	}
	return failure
}
