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

// writeDeadline is how long the next piece of an answer may take to be accepted by the caller.
const writeDeadline = 60 * time.Second

// Response is what an operation answers: a whole body, or a stream of any length.
type Response struct {
	Status      int // 200 when left out
	Header      http.Header
	ContentType string // application/json when left out
	Body        []byte
	Stream      func(ctx context.Context, w io.Writer) error
}

// SetHeader sets a header of the answer.
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

func (api *API) writeResponse(ctx context.Context, w http.ResponseWriter, answer any) error {
	response := answer.(*Response)
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
			header.Set("Content-Length", strconv.Itoa(len(response.Body))) // compression takes it away again
		}
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body) // who hung up does not read the error either
		return nil
	}
	stream := &streamWriter{ResponseWriter: w, controller: controller, status: response.Status}
	switch err := response.Stream(ctx, stream); {
	case err == nil:
		stream.start()
		return nil
	case !stream.started: // nothing was sent: it can still be answered with the error
		for name := range response.Header {
			header.Del(name)
		}
		return err
	default:
		if ctx.Err() == nil {
			api.Log.ErrorContext(ctx, "stream broke off", "error", err)
		}
		panic(http.ErrAbortHandler) // the caller sees a broken body, never a short one that looks whole
	}
}

// streamWriter gives every piece its own deadline and sends it at once.
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

// writeError answers with the error's status and body. What the caller cannot act on is logged whole, and
// shown as nothing.
func (api *API) writeError(ctx context.Context, err error, w http.ResponseWriter) {
	e := *fault.From(err)
	gone := errors.Is(ctx.Err(), context.Canceled)
	if gone && e.Kind == fault.KindInternal { // who listens with half an ear must not take silence for success
		e = *fault.Unavailable("cancelled", "The request was given up before it was answered.")
	}
	e.Request = principal.From(ctx).RequestID
	if e.Status() >= http.StatusInternalServerError && !gone {
		api.Log.ErrorContext(ctx, "request failed", "error", e.Error())
	}
	setRequestID(ctx, w.Header())
	WriteFault(w, &e)
}

// WriteFault writes the body, status and headers of an error. The gateway and every service answer through it.
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
	encoder.SetEscapeHTML(false) // it is read by people, as JSON, never as a page
	if err := encoder.Encode(e); err != nil {
		body = bytes.NewBufferString(`{"error":"Something went wrong on our side.","code":"internal"}`)
	}
	w.WriteHeader(e.Status())
	_, _ = w.Write(body.Bytes()) // who hung up does not read the error either
}
