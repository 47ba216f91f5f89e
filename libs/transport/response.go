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
	"ams.internal/libs/spool"
)

// writeDeadline is the time for a caller to accept the next part of a response.
const writeDeadline = 60 * time.Second

// Media types that a whole collection is streamed in.
const (
	CSV     = "text/csv"
	NDJSON  = "application/x-ndjson"
	GeoJSON = "application/geo+json" // RFC 7946
)

// StreamTypes are all media types of streams. The gateway counts a request that accepts one as a stream.
var StreamTypes = []string{CSV, NDJSON, GeoJSON}

// Response is the response of an operation: a whole body, or a stream of any length.
type Response struct {
	Status      int // 200 when left out
	Header      http.Header
	ContentType string // application/json when left out
	Body        []byte
	Spooled     *spool.Spool // in place of Body: a large one, whole

	// Stream writes a body of any length. It never waits for the caller: what it writes is spooled, and is sent from there. It runs
	// in a goroutine of its own; its context ends when the caller leaves.
	Stream func(ctx context.Context, w io.Writer) error
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
	case response.Body != nil || response.Spooled != nil:
		header.Set("Content-Type", "application/json")
	}
	header.Set("Cache-Control", "private, no-cache")
	setRequestID(ctx, header)
	controller := http.NewResponseController(w)
	_ = controller.SetWriteDeadline(time.Now().Add(writeDeadline)) // a recorder in a test has none
	out := &sender{w: w, controller: controller, status: response.Status, pace: api.pace}
	switch {
	case response.Stream != nil:
		body := spool.Run(ctx, response.Stream)
		defer body.Close()
		return api.send(ctx, out, response, body)
	case response.Spooled != nil:
		defer response.Spooled.Close()
		header.Set("Content-Length", strconv.FormatInt(response.Spooled.Len(), 10)) // compression removes it
		return api.send(ctx, out, response, response.Spooled)
	case response.Body != nil:
		header.Set("Content-Length", strconv.Itoa(len(response.Body)))
	}
	w.WriteHeader(response.Status)
	_, _ = w.Write(response.Body) // fails only where the caller has hung up
	return nil
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
