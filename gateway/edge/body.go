package edge

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/throughput"
)

const (
	bodyIdleTimeout = 15 * time.Second // between two pieces of a body
	bodyTimeout     = 2 * time.Minute  // of a body as a whole; see uploadTimeout

	// A sender whose upload got its response early may still be sending, and would lose the response if the connection were closed at once
	// (RFC 9112, section 9.6). What they send is read until they stop, for so long at most.
	lingerTimeout = 30 * time.Second
	lingerSilence = 5 * time.Second
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

	// Of an upload, which is call.body.
	rate      *throughput.Minimum // that its sender must keep; nil: none
	waits     bool                // the sender begins when told to (Expect: 100-continue)
	begun     atomic.Bool         // it was read, so the sender was told to
	ended     atomic.Bool         // it was read to its end
	responded atomic.Bool         // nobody wants more of it
}

func newInboundBody(c *call, maxBody int64) *inboundBody {
	return &inboundBody{source: c.r.Body, connection: http.NewResponseController(c.ResponseWriter), max: maxBody, left: maxBody,
		until: time.Now().Add(bodyTimeout), broken: make(chan struct{})}
}

// newUploadBody is a body of content. The response to it may begin before its end: without full duplex, net/http would
// first wait for more of it.
func newUploadBody(c *call) *inboundBody {
	b := newInboundBody(c, maxUpload)
	b.until = time.Now().Add(uploadTimeout)
	b.rate = &throughput.Minimum{BytesPerSecond: minUploadRate, Window: uploadWindow}
	b.waits = c.r.Header.Get("Expect") != ""
	_ = b.connection.EnableFullDuplex() // a recorder in a test has none
	return b
}

// Read implements io.Reader.
func (b *inboundBody) Read(piece []byte) (int, error) {
	if b.responded.Load() {
		return 0, errResponded
	}
	b.begun.Store(true)
	begin := time.Now()
	deadline := begin.Add(bodyIdleTimeout)
	if deadline.After(b.until) {
		deadline = b.until
	}
	_ = b.connection.SetReadDeadline(deadline) // a recorder in a test has none
	n, err := b.source.Read(piece)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.fail(tooLarge(b.max))
	}
	switch {
	case errors.Is(err, io.EOF):
		b.ended.Store(true)
		_ = b.connection.SetReadDeadline(time.Time{}) // else the deadline would end a slow response
		return n, io.EOF
	case err != nil:
		return n, b.fail(incomplete().WithCause(err))
	case b.rate == nil:
		return n, nil
	}
	if slow := b.rate.Took(n, time.Since(begin)); slow != nil {
		return n, b.fail(incomplete().WithCause(slow))
	}
	return n, nil
}

// incomplete is the refusal of a body that ended early or came too slowly.
func incomplete() *fault.Error {
	return fault.Invalid("body_incomplete", "The body did not arrive whole and in time.").WithHeader("Connection", "close")
}

var errResponded = errors.New("the request was answered before the end of its body")

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

// unfinished reports whether more of an upload may arrive.
func (b *inboundBody) unfinished() bool { return b != nil && !b.ended.Load() }

// stop has nobody wait for more of an upload.
func (b *inboundBody) stop() {
	if b.unfinished() {
		b.responded.Store(true)
		_ = b.connection.SetReadDeadline(time.Now())
	}
}

// linger reads what the sender of an upload still sends after the response, so that the response reaches them.
func (b *inboundBody) linger() {
	defer b.stop()
	if !b.unfinished() || b.failed.Load() != nil || b.waits && !b.begun.Load() {
		return
	}
	b.responded.Store(true)
	_ = b.connection.Flush()
	piece := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(piece)
	for until := time.Now().Add(lingerTimeout); time.Now().Before(until); {
		_ = b.connection.SetReadDeadline(time.Now().Add(lingerSilence))
		if _, err := b.source.Read(piece[:]); err != nil {
			return
		}
	}
}
