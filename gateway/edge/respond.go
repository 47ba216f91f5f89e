package edge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
)

// streamIdleTimeout is the longest silence of a service in the middle of a response.
const streamIdleTimeout = 60 * time.Second

// buffers are what bodies are copied through.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// statuses is what callers of the REST API may see. Clients are written against this list.
var statuses = map[int]bool{
	200: true, 201: true, 204: true, 304: true, 400: true, 403: true, 404: true, 409: true, 429: true, 500: true, 503: true,
}

// dropped are the headers of a service's response that end at the gateway: those of one connection, and those that
// the gateway writes itself on every response.
var dropped = map[string]bool{
	"Connection": true, "Proxy-Connection": true, "Keep-Alive": true, "Proxy-Authenticate": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "X-Request-Id": true, "X-Served-Region": true, "Server": true, "X-Powered-By": true,
	"X-Ratelimit-Limit": true, "X-Ratelimit-Remaining": true, "X-Ratelimit-Reset": true,
	"Ratelimit": true, "Ratelimit-Policy": true, "Ratelimit-Limit": true, "Ratelimit-Remaining": true, "Ratelimit-Reset": true,
}

// statusHungUp stands in the access log for a caller who hung up before the response.
const statusHungUp = 499

// responder writes responses.
type responder struct {
	log     *slog.Logger
	outages *sync.Map // whatIsOut → *fault.Outage
}

// whatIsOut is what fails in an outage: what is behind a route, in the region that the caller pinned.
type whatIsOut struct{ prefix, region string }

func newResponder(log *slog.Logger) responder { return responder{log, &sync.Map{}} }

// outage of what a request is sent to.
func (w responder) outage(c *call) *fault.Outage {
	what := whatIsOut{c.route.prefix, c.region}
	noted, found := w.outages.Load(what)
	if !found {
		noted, _ = w.outages.LoadOrStore(what, new(fault.Outage))
	}
	return noted.(*fault.Outage)
}

// respond writes a response, a service's or our own, without holding it.
func (w responder) respond(ctx context.Context, c *call, response *http.Response) error {
	defer func() { _ = response.Body.Close() }()
	fromService := response.Request != nil // else it is our own
	if c.route.keyed() && fromService {
		if err := w.acceptable(ctx, c, response); err != nil {
			return err
		}
	}
	if fromService && response.StatusCode < http.StatusInternalServerError {
		w.outage(c).Succeeded()
	}
	header := c.Header()
	for name, values := range response.Header {
		switch {
		case dropped[name], strings.HasPrefix(name, "X-Ams-"):
		case c.route.keyed() && fromService && (name == "Set-Cookie" || strings.HasPrefix(name, "Access-Control-")):
		case name == "Vary": // ours is there already
			transport.VaryBy(header, values...)
		default:
			header[name] = values
		}
	}
	if links := header["Link"]; c.forced != "" && len(links) > 0 {
		header["Link"] = pinned(links, c.forced)
	}
	for _, list := range response.Header["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			delete(header, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)))
		}
	}
	if c.route.own != "" && response.ContentLength > 0 {
		header.Set("Content-Length", strconv.FormatInt(response.ContentLength, 10))
	}
	c.WriteHeader(response.StatusCode)
	w.copy(c, response)
	return nil
}

// withQuery finds the targets of a Link header that have a query.
var withQuery = regexp.MustCompile(`(<[^>]*\?[^>]*)>`)

// pinned puts the region that the request's query names into the links to pages, which a service makes without it.
func pinned(links []string, region string) []string {
	pinned := make([]string, len(links))
	for i, link := range links {
		pinned[i] = withQuery.ReplaceAllString(link, "${1}&"+regionParameter+"="+url.QueryEscape(region)+">")
	}
	return pinned
}

// refuse responds with the error of the chain.
func (w responder) refuse(ctx context.Context, c *call, err error) {
	refusal := fault.From(err)
	if ctx.Err() != nil && refusal.Kind != fault.KindInvalid && c.status == 0 { // who sent half a body may still be there
		c.status = statusHungUp
		return
	}
	if refusal.Status() >= http.StatusInternalServerError {
		w.log.WarnContext(c.named(ctx), "request failed", "error", keys.Redact(refusal.Error()))
	}
	c.refuse(w.outage(c).Failed(refusal, time.Now()))
}

// acceptable holds a service's response against the closed vocabulary. What falls out of it is our mistake, and is shown
// as one.
func (w responder) acceptable(ctx context.Context, c *call, response *http.Response) error {
	code := response.StatusCode
	known := statuses[code] || code == http.StatusPartialContent && c.transfer.inParts()
	if known && (code < http.StatusBadRequest || c.r.Method == http.MethodHead || isJSON(response.Header)) {
		return nil
	}
	w.log.ErrorContext(c.named(ctx), "a service answered outside the API's vocabulary",
		"about_service", c.route.service, "status", code, "content_type", response.Header.Get("Content-Type"))
	switch {
	case code == http.StatusNotFound:
		return unknownPath(c)
	case code == http.StatusServiceUnavailable:
		return fault.Unavailable("service_unavailable", "The service behind %s is not available right now; try again in a moment.",
			c.route.prefix)
	}
	return errors.New("unexpected response of a service")
}

func isJSON(header http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (mediaType == transport.ApplicationJSON || mediaType == transport.Problem)
}

// copy passes a body on. Where its length is not known every piece is sent at once. A response that breaks off is
// broken off for the caller too: it must never look whole.
func (w responder) copy(c *call, response *http.Response) {
	buffer := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buffer)
	streaming := response.ContentLength < 0
	watch := idleWatch{call: c}
	defer watch.end()
	for {
		n, err := response.Body.Read(buffer[:])
		if n > 0 {
			if _, failed := c.Write(buffer[:n]); failed != nil {
				panic(http.ErrAbortHandler) // the caller hung up
			}
			if streaming {
				watch.flush()
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			if c.r.Context().Err() == nil {
				w.log.WarnContext(c.named(c.r.Context()), "an answer broke off", "about_service", c.route.service, "error", err)
			}
			panic(http.ErrAbortHandler)
		}
		watch.more()
	}
}

// idleWatch ends a response in which nothing moves any more. A response that is read in one go pays nothing for it.
// A caller who does not read is ended by the connection (see listener.go).
type idleWatch struct {
	call       *call
	silence    *time.Timer
	connection *http.ResponseController
}

// more notes that a piece has passed and another is awaited.
func (w *idleWatch) more() {
	switch {
	case w.silence != nil:
		w.silence.Reset(streamIdleTimeout)
	case w.call.cancel != nil:
		w.silence = time.AfterFunc(streamIdleTimeout, w.call.cancel)
	}
}

func (w *idleWatch) flush() {
	if w.connection == nil {
		w.connection = http.NewResponseController(w.call.ResponseWriter)
	}
	_ = w.connection.Flush()
}

func (w *idleWatch) end() {
	if w.silence != nil {
		w.silence.Stop()
	}
}
