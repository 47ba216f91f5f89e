package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/parquet"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/spool"
)

// writeDeadline is the time for a caller to accept the next part of a response.
const writeDeadline = 60 * time.Second

// Media types that a whole collection is streamed in.
const (
	CSV     = "text/csv"
	NDJSON  = "application/x-ndjson"
	GeoJSON = "application/geo+json" // RFC 7946
	Parquet = parquet.MediaType
)

// StreamTypes are all media types of streams. The gateway counts a request that prefers one (Negotiate) as a stream.
var StreamTypes = []string{CSV, NDJSON, GeoJSON, Parquet}

// Response is the response of an operation: a whole body, or a stream of any length.
type Response struct {
	Status      int // 200 when left out
	Header      http.Header
	ContentType string // application/json when left out
	Body        []byte
	Spooled     *spool.Spool // in place of Body: a large one, whole
	Content     *Content     // in place of Body: bytes as they are kept

	// Stream writes a body of any length. It never waits for the caller: what it writes is spooled, and is sent from there. It runs
	// in a goroutine of its own; its context ends when the caller leaves.
	Stream func(ctx context.Context, w io.Writer) error
}

// SetHeader sets a header of the response; an empty value sets none.
func (r *Response) SetHeader(name, value string) {
	if value == "" {
		return
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
}

// Attach makes the response a file for those who save it, named after what is in it and the day where the organization is:
// assets-2026-11-22.csv.
func (r *Response) Attach(ctx context.Context, name, extension string) {
	r.SetHeader("Content-Disposition", `attachment; filename="`+name+"-"+principal.From(ctx).Calendar().Today()+"."+extension+`"`)
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
		if name == "Vary" || name == "Link" { // what the response varies by, and leads to, also whatever it is
			values = append(header[name], values...)
		}
		header[name] = values
	}
	if response.Status == 0 {
		response.Status = http.StatusOK
	}
	switch {
	case response.ContentType != "":
		header.Set("Content-Type", response.ContentType)
	case response.Body != nil || response.Spooled != nil:
		header.Set("Content-Type", ApplicationJSON)
	}
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "private, no-cache")
	}
	setRequestID(ctx, header)
	controller := http.NewResponseController(w)
	_ = controller.SetWriteDeadline(time.Now().Add(writeDeadline)) // a recorder in a test has none
	out := &sender{w: w, controller: controller, status: response.Status, throughput: api.throughput}
	switch {
	case response.Content != nil:
		return api.sendContent(ctx, out, response)
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

// VaryBy says, in one line, that a response would be another one with other values of headers of the request.
func VaryBy(header http.Header, names ...string) {
	var all []string
	for _, list := range append(header["Vary"], names...) {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	header.Set("Vary", strings.Join(all, ", "))
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
	WriteFault(w, acceptedBy(ctx), &e)
}

// problem is the body of an error in the form of RFC 9457: that of every other error with the members of a problem before it. Its code is
// more exact than any type would be.
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`
	*fault.Error
}

func newProblem(e *fault.Error) problem {
	instance := "#" + e.Request // of the request's own URL
	if e.Request == "" {
		instance = ""
	} else if schema.IsUUID(e.Request) {
		instance = "urn:uuid:" + e.Request
	}
	return problem{Type: "about:blank", Title: http.StatusText(e.Status()), Status: e.Status(), Detail: e.Message,
		Instance: instance, Error: e}
}

// WriteFault writes the body, status and headers of an error, for the gateway and every service. accept are the lines of the request's
// Accept: who prefers application/problem+json to application/json gets that. Who asked in OData, so that its version is a header already,
// gets the error in that form.
func WriteFault(w http.ResponseWriter, accept []string, e *fault.Error) {
	header := w.Header()
	for name, values := range e.Header {
		header[name] = values
	}
	if e.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds())))))
	}
	var shown any = e
	mediaType := Negotiate(accept, Problem)
	if mediaType == Problem {
		shown = newProblem(e)
	}
	if header.Get(odata.VersionHeader) != "" {
		shown, mediaType = odata.Fault(e), odata.Form{}.ContentType()
	}
	header.Set("Content-Type", mediaType)
	VaryBy(header, "Accept")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	body := bytes.NewBuffer(nil)
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false) // the body is JSON, and is never shown as a page
	if err := encoder.Encode(shown); err != nil {
		body = bytes.NewBufferString(`{"error":"Something went wrong on our side.","code":"internal"}`)
	}
	header.Set("Content-Length", strconv.Itoa(body.Len())) // it is whole although the rest of a request may still be arriving
	w.WriteHeader(e.Status())
	_, _ = w.Write(body.Bytes()) // fails only where the caller has hung up
}
