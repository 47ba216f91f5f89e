package edge

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/edm"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// successesLogged is how many successful requests a second are written to the access log. Refusals and failures
// are always written.
const successesLogged = 20

const (
	maxURL    = 16 << 10 // bytes of path and query
	maxLogged = 1000     // of a path in the access log
)

// entry is the first and last to see a request: it gives it an id, finds its route, turns a panic into a 500, and
// writes the access log.
type entry struct {
	next      http.Handler
	headers   *commonHeaders
	addresses addresses
	limiter   *ratelimit.Limiter
	usage     *usage
	sets      *edm.Service
	baseURL   string // of the API
	log       *slog.Logger
	second    atomic.Int64 // the second that logged counts in
	logged    atomic.Int64
}

// ServeHTTP implements http.Handler.
func (e *entry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{ResponseWriter: w, headers: e.headers, r: r, begin: time.Now(), id: caller.RequestID(r.Header)}
	c.client, c.handed = e.addresses.of(r)
	defer e.finish(c)

	if c.refusal = unreadable(r); c.refusal != nil {
		c.route = unknownOpen
	} else {
		c.route = findRoute(r.URL.Path)
		c.query, c.forced = splitQuery(r.URL.RawQuery)
		if c.route == odataOwn {
			e.openOData(c)
			r = c.r
		}
	}
	if c.route.prefix == documentsPath || c.route.prefix == uploadsPath {
		c.transfer = transferOf(r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	if c.transfer == upload && r.ContentLength != 0 {
		c.body = newUploadBody(c)
	}
	r.Pattern = c.route.prefix
	c.r = r.WithContext(withCall(r.Context(), c))
	e.next.ServeHTTP(c, c.r)
}

// unreadable gives the refusal of a request that is not looked at any further; nil for all others.
func unreadable(r *http.Request) *fault.Error {
	if ambiguous(r.Context()) {
		return fault.Invalid("ambiguous_length", "A request has a Content-Length or a Transfer-Encoding, not both: send one of them. "+
			"This connection is closed.").WithHeader("Connection", "close")
	}
	if len(r.RequestURI) > maxURL {
		return fault.Invalid("url_too_long", "The URL has %d bytes, and %d are the most: ask in several requests, with fewer values each.",
			len(r.RequestURI), maxURL)
	}
	if !isClean(r.URL) {
		const problem = `it may have no empty, "." or ".." segments, no encoded slashes but in an external id, and no control characters`
		e := fault.Invalid("malformed_path", "The path is not a plain one: %s.", problem)
		e.Fields = []fault.Field{{Field: "path", Message: problem}}
		return e
	}
	return nil
}

// finish is deferred by ServeHTTP itself, so that it sees a panic.
func (e *entry) finish(c *call) {
	caught := recover()
	if aborted, isError := caught.(error); caught != nil && !(isError && errors.Is(aborted, http.ErrAbortHandler)) {
		e.log.ErrorContext(c.named(c.r.Context()), "panic", "panic", caught, "stack", string(debug.Stack()))
		if c.status == 0 {
			c.refuse(fmt.Errorf("panic: %v", caught))
			caught = nil
		}
	}
	if c.cancel != nil {
		c.cancel()
	}
	if c.held {
		e.limiter.Release(c.key, c.kind)
	}
	if c.key != nil && !c.handed {
		e.usage.record(c.key, c.client, c.status, c.begin)
	}
	e.access(c)
	if caught != nil || telemetry.IsRecorded(c.ResponseWriter) {
		c.describe()
	}
	if caught != nil {
		c.body.stop()
		panic(http.ErrAbortHandler) // the caller sees a broken response, never one that looks whole
	}
	c.body.linger()
}

// access writes one line. It never has the query or a header: keys have been seen in both.
func (e *entry) access(c *call) {
	if c.status < http.StatusBadRequest && !e.sampled() {
		return
	}
	level := slog.LevelInfo
	if c.status >= http.StatusInternalServerError {
		level = slog.LevelWarn
	}
	path, client := c.r.URL.Path, c.client.String()
	if c.route != nil && c.route.strangers { // a link's token and a receipt's number are in the path, and who they are is nobody's affair
		path, client = c.route.prefix+"/…", ""
	}
	attributes := []slog.Attr{
		slog.String("method", keys.Redact(c.r.Method)), slog.String("path", keys.Redact(path[:min(len(path), maxLogged)])),
		slog.Int("status", c.status),
		slog.Float64("ms", float64(time.Since(c.begin).Microseconds())/1000), slog.Int64("bytes", c.written),
		slog.String("client", client), slog.String("region", c.served),
	}
	e.log.LogAttrs(c.named(c.r.Context()), level, "request", attributes...)
}

func (e *entry) sampled() bool {
	now := time.Now().Unix()
	if e.second.Swap(now) != now {
		e.logged.Store(0)
	}
	return e.logged.Add(1) <= successesLogged
}
