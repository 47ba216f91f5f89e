package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"ams.internal/libs/spool"
	"ams.internal/libs/throughput"
	"ams.internal/libs/transaction"
)

// A caller who reads less than minSendRate bytes a second over sendWindow is dropped: each holds a connection and its file.
const (
	minSendRate = 20_000
	sendWindow  = 30 * time.Second
)

// pieces are the buffers from which bodies are sent.
var pieces = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// send sends a body from its spool. A body that breaks before its first byte is the error of the response; one that breaks later is
// cut off with its connection, so that it never looks whole.
func (api *API) send(ctx context.Context, out *sender, response *Response, body io.Reader) error {
	transaction.MustNotRun(ctx, "write to a caller")
	buffer := pieces.Get().(*[64 << 10]byte)
	defer pieces.Put(buffer)
	for {
		n, broken := body.Read(buffer[:])
		if n > 0 {
			if err := out.send(buffer[:n]); err != nil {
				if ctx.Err() == nil {
					api.Log.InfoContext(ctx, "a caller did not take the response", "error", err)
				}
				panic(http.ErrAbortHandler)
			}
		}
		switch {
		case broken == nil:
		case errors.Is(broken, io.EOF):
			out.start()
			return nil
		case !out.started: // nothing was sent: the response can still be the error
			for name := range response.Header {
				if name != "Vary" && name != "Link" { // the error varies and leads to the same
					out.w.Header().Del(name)
				}
			}
			out.w.Header().Del("Content-Length")
			return broken
		default:
			switch {
			case ctx.Err() != nil:
			case errors.Is(broken, spool.ErrFull):
				api.Log.InfoContext(ctx, "stream broke off", "error", broken)
			default:
				api.Log.ErrorContext(ctx, "stream broke off", "error", broken)
			}
			panic(http.ErrAbortHandler) // the caller gets an incomplete body, never a short one that looks complete
		}
	}
}

// sender gives every piece its own deadline, flushes it, and holds the caller to the pace.
type sender struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	status     int
	started    bool
	throughput throughput.Minimum
}

func (s *sender) start() {
	if !s.started {
		s.started = true
		s.w.WriteHeader(s.status)
	}
}

func (s *sender) send(piece []byte) error {
	s.start()
	begin := time.Now()
	_ = s.controller.SetWriteDeadline(begin.Add(s.throughput.Window)) // a recorder in a test has none
	if _, err := s.w.Write(piece); err != nil {
		return err
	}
	if err := s.controller.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if err := s.throughput.Took(len(piece), time.Since(begin)); err != nil {
		return fmt.Errorf("the caller was too slow: %w", err)
	}
	return nil
}
