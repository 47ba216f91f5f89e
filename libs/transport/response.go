package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// writeDeadline is the time for a caller to accept the next part of a response.
const writeDeadline = 60 * time.Second

// Response is the response of an operation: a whole body, or a stream of any length.
type Response struct {
	Status      int // 200 when left out
	Header      http.Header
	ContentType string // application/json when left out
	Body        []byte
	Stream      func(ctx context.Context, w io.Writer) error
}

// SetHeader sets a header of the response.
func (r *Response) SetHeader(name, value string) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
}

// JSON makes a response of a value.
func JSON(status int, value any) (*Response, error) {
	body, err := json.Marshal(value)
	return &Response{Status: status, Body: body}, err
}

func (api *API) writeResponse(ctx context.Context, w http.ResponseWriter, result any) error {
	response := result.(*Response)
	header := w.Header()
	for name, values := range response.Header {
		header[name] = values
	}
	if response.Status == 0 {
		response.Status = http.StatusOK
	}
	switch {
	case response.ContentType != "":
		header.Set("Content-Type", response.ContentType)
	case response.Body != nil:
		header.Set("Content-Type", "application/json")
	}
	header.Set("Cache-Control", "private, no-cache")
	setRequestID(ctx, header)
	controller := http.NewResponseController(w)
	_ = controller.SetWriteDeadline(time.Now().Add(writeDeadline)) // a recorder in a test has none
	if response.Stream == nil {
		if response.Body != nil {
			header.Set("Content-Length", strconv.Itoa(len(response.Body))) // compression removes it
		}
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body) // fails only where the caller has hung up
		return nil
	}
	stream := &streamWriter{ResponseWriter: w, controller: controller, status: response.Status}
	switch err := response.Stream(ctx, stream); {
	case err == nil:
		stream.start()
		return nil
	case !stream.started: // nothing was sent: the response can still be the error
		for name := range response.Header {
			header.Del(name)
		}
		return err
	default:
		if ctx.Err() == nil {
			api.Log.ErrorContext(ctx, "stream broke off", "error", err)
		}
		panic(http.ErrAbortHandler) // the caller gets an incomplete body, never a short one that looks complete
	}
}

// streamWriter gives every part its own deadline and flushes it.
type streamWriter struct {
	http.ResponseWriter
	controller *http.ResponseController
	status     int
	started    bool
}

func (s *streamWriter) start() {
	if !s.started {
		s.started = true
		s.WriteHeader(s.status)
	}
}

func (s *streamWriter) Write(piece []byte) (int, error) {
	s.start()
	_ = s.controller.SetWriteDeadline(time.Now().Add(writeDeadline))
	n, err := s.ResponseWriter.Write(piece)
	if err != nil {
		return n, err
	}
	if err := s.controller.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return n, err
	}
	return n, nil
}

func setRequestID(ctx context.Context, header http.Header) {
	if id := principal.From(ctx).RequestID; id != "" {
		header.Set("X-Request-Id", id)
	}
}

// writeError writes the error's status and body. An internal error is logged whole, and the caller sees nothing of it.
func (api *API) writeError(ctx context.Context, err error, w http.ResponseWriter) {
	e := *fault.From(err)
	cancelled := errors.Is(ctx.Err(), context.Canceled)
	if cancelled && e.Kind == fault.KindInternal { // a caller that still reads must not get a 500 for its own cancellation
		e = *fault.Unavailable("cancelled", "The request was given up before it was answered.")
	}
	e.Request = principal.From(ctx).RequestID
	if e.Status() >= http.StatusInternalServerError && !cancelled {
		api.Log.ErrorContext(ctx, "request failed", "error", e.Error())
	}
	setRequestID(ctx, w.Header())
	WriteFault(w, &e)
}

// WriteFault writes the body, status and headers of an error, for the gateway and every service.
func WriteFault(w http.ResponseWriter, e *fault.Error) {
	header := w.Header()
	for name, values := range e.Header {
		header[name] = values
	}
	if e.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds())))))
	}
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	body := bytes.NewBuffer(nil)
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false) // the body is JSON, and is never shown as a page
	if err := encoder.Encode(e); err != nil {
		body = bytes.NewBufferString(`{"error":"Something went wrong on our side.","code":"internal"}`)
	}
	w.WriteHeader(e.Status())
	_, _ = w.Write(body.Bytes()) // fails only where the caller has hung up
}
