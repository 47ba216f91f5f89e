package transport

import (
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzhttp"

	"ams.internal/libs/fault"
	"ams.internal/libs/throughput"
)

const (
	// contentIdle is how long a sender of content may send nothing.
	contentIdle = 15 * time.Second
	// A sender who asked whether to send (Expect: 100-continue), and is refused in the middle, may still be sending. net/http closes the
	// connection on them at once, and they lose the refusal: what they send is read for so long.
	contentLinger = 5 * time.Second
	// A sender of fewer than minContentRate bytes a second over contentWindow is dropped: each holds a connection and a buffer.
	minContentRate = 64 << 10
	contentWindow  = 30 * time.Second
)

// A contentReader reads a body at the pace of its sender, and ends one who is too slow. A body that ends early, or is larger than the most,
// is an error and never a clean end.
type contentReader struct {
	source     io.Reader
	connection *http.ResponseController
	throughput throughput.Minimum
	left       int64
	op         *Operation
	failed     error
	begun      bool // the sender was told to send
	ended      bool
}

// limitThroughput lets an operation of content read the body at its sender's rate, down to minContentRate.
func (op *Operation) limitThroughput(next http.Handler) http.Handler {
	if op.Content == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content := &contentReader{source: r.Body, connection: http.NewResponseController(w), op: op, left: op.MaxBody,
			throughput: throughput.Minimum{BytesPerSecond: minContentRate, Window: contentWindow}}
		r.Body = struct {
			io.Reader
			io.Closer
		}{content, r.Body}
		next.ServeHTTP(w, r)
		if r.Header.Get("Expect") != "" {
			content.linger()
		}
	})
}

// linger reads what the sender of a body still sends who has been refused.
func (c *contentReader) linger() {
	if !c.begun || c.ended || c.failed != nil {
		return
	}
	_ = c.connection.Flush()
	_ = c.connection.SetReadDeadline(time.Now().Add(contentLinger))
	_, _ = io.Copy(io.Discard, c.source) // until they see the refusal, and end
}

// Read implements io.Reader.
func (c *contentReader) Read(piece []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	c.begun = true
	begin := time.Now()
	_ = c.connection.SetReadDeadline(begin.Add(contentIdle)) // a recorder in a test has none
	n, err := c.source.Read(piece)
	if c.left -= int64(n); c.left < 0 {
		c.failed = tooLarge(c.op)
		return 0, c.failed
	}
	switch {
	case errors.Is(err, io.EOF):
		c.ended = true
		_ = c.connection.SetReadDeadline(time.Time{})
		return n, io.EOF
	case err != nil:
		c.failed = fault.Invalid("body_incomplete", "The body did not arrive whole: send it without a pause of %d seconds.",
			int(contentIdle.Seconds())).WithCause(err)
		return n, c.failed
	}
	if slow := c.throughput.Took(n, time.Since(begin)); slow != nil {
		c.failed = fault.Invalid("body_incomplete", "The body came too slowly: a sender must keep %d KiB a second. Uploads at /v1/uploads can "+
			"be resumed.", minContentRate>>10).WithCause(slow)
		return n, c.failed
	}
	return n, nil
}

// byContentType serves an operation of content beside one of JSON, at the same path.
func byContentType(content *Operation, ofContent, ofJSON http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && mediaType == content.Content {
			ofContent.ServeHTTP(w, r)
		} else {
			ofJSON.ServeHTTP(w, r)
		}
	})
}

// Content is bytes of any length that are sent as they come from where they are kept: neither spooled nor compressed.
type Content struct {
	Length int64 // -1: not known; then what breaks off has no end of its own (chunked)
	// Open gives the bytes. It is called once the response is about to be sent, and not for a HEAD. Its error is the response's.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// sendContent sends bytes to a caller who keeps the pace. What ends early is cut off with its connection.
func (api *API) sendContent(ctx context.Context, out *sender, response *Response) error {
	body, err := response.Content.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()                 // it was read, or is given up
	out.w.Header().Set(gzhttp.HeaderNoCompression, "1") // it says how long it is, and a part of it can be asked for
	if response.Content.Length < 0 {
		return api.send(ctx, out, response, body)
	}
	out.w.Header().Set("Content-Length", strconv.FormatInt(response.Content.Length, 10))
	return api.send(ctx, out, response, &exactly{body, response.Content.Length})
}

// exactly fails where there are fewer bytes than were promised.
type exactly struct {
	source io.Reader
	left   int64
}

func (e *exactly) Read(piece []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.source.Read(piece[:min(int64(len(piece)), e.left)])
	if e.left -= int64(n); errors.Is(err, io.EOF) && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// HasStoredResponse reports whether a response is stored for the request's Idempotency-Key: then an operation of content reads the body to
// compare it, and need not store it.
func (api *API) HasStoredResponse(ctx context.Context, r *Request) (bool, error) {
	key := r.Header.Get(idempotencyKey)
	if key == "" {
		return false, nil
	}
	var found bool
	err := api.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := stored(ctx, tx, key, []byte{})
		var refused *fault.Error
		if found = err == nil; errors.As(err, &refused) { // that it is of other bytes is found out when these were read; one in use is neither
			found = refused.Code == "idempotency_key_reused"
			err = nil
		}
		return err
	})
	return found, err
}

// Once does what an operation of content writes, in one transaction with the claim and the stored response of the request's
// Idempotency-Key. The fingerprint is of everything that makes the request another one: metadata, and length and digest of the bytes.
func (api *API) Once(ctx context.Context, r *Request, fingerprint []byte,
	do func(ctx context.Context, tx pgx.Tx) (*Response, error)) (response *Response, err error) {
	key := r.Header.Get(idempotencyKey)
	if len(key) > 255 {
		return nil, fault.InvalidFields(fault.Field{Field: idempotencyKey, Message: "must have at most 255 characters"})
	}
	err = api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var claimed time.Time
		if key != "" {
			var found any
			if claimed, found, err = claim(ctx, tx, key, fingerprint); err != nil {
				return err
			}
			if found != nil {
				response = found.(*Response)
				return nil
			}
		}
		if response, err = do(ctx, tx); err != nil || key == "" {
			return err
		}
		return store(ctx, tx, key, claimed, response)
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// bytesSchema describes bytes for those who generate clients: most know them by this format.
var bytesSchema = map[string]any{"type": "string", "format": "binary"}

// describeBody describes what the operation takes.
func (op *Operation) describeBody() map[string]any {
	content := map[string]any{}
	if op.Body != nil {
		content[ApplicationJSON] = map[string]any{"schema": op.Body}
		if op.Method == http.MethodPatch && !strings.HasSuffix(op.Path, "/bulk") {
			content[MergePatch] = map[string]any{"schema": op.Body}
		}
	}
	switch {
	case op.Form != nil:
		content[op.Content] = map[string]any{"schema": map[string]any{"type": "object", "properties": op.Form}}
	case op.Content != "":
		content[op.Content] = map[string]any{"schema": bytesSchema}
	}
	if len(content) == 0 {
		return nil
	}
	return map[string]any{"required": true, "content": content}
}

// Bytes is the schema of a part of a form that is a file.
func Bytes(description string) any {
	return map[string]any{"type": "string", "format": "binary", "description": description}
}

// addContent adds, to the description of an operation of JSON, what the one of content beside it takes.
func addContent(described, other map[string]any) {
	of := func(d map[string]any) map[string]any {
		body, _ := d["requestBody"].(map[string]any)
		content, _ := body["content"].(map[string]any)
		return content
	}
	maps.Copy(of(described), of(other))
}
