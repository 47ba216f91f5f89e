package edge

import (
	"context"
	"errors"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/principal"
)

// outbound is a request as services see it; each attempt sends the same one to another address.
type outbound struct {
	request    *http.Request
	body       *inboundBody // nil: the request has none
	repeatable bool         // reads, and has no body
	upload     bool
}

// requestBuilder makes the requests that services are sent.
type requestBuilder struct {
	signer  *principal.Signer
	https   bool // callers reach us by https, whatever is between
	maxBody int64
}

func newRequestBuilder(signer *principal.Signer, baseURL string, maxBody int64) requestBuilder {
	return requestBuilder{signer: signer, https: strings.HasPrefix(baseURL, "https://"), maxBody: maxBody}
}

// build makes the request that goes to a service of region: without what was meant for the gateway, and with what the
// gateway vouches for.
func (b requestBuilder) build(ctx context.Context, c *call, region string) *outbound {
	header := passOn(c.r.Header, c.route.open || c.route.own != "")
	if ranges := c.r.Header["Range"]; ranges != nil && c.transfer.inParts() {
		header["Range"] = ranges
	}
	if p, needed := vouched(c, region); needed {
		header[principal.Header] = []string{b.signer.Sign(p)}
	}
	if c.route.own != "" {
		header["X-Region"] = []string{region}
	}
	if c.odata != nil && c.odata.setURL != "" {
		header[odata.Header] = []string{c.odata.setURL}
	}
	header["X-Request-Id"] = []string{c.id}
	header["X-Forwarded-For"] = []string{c.client.String()}
	if c.route.open { // who makes links for people must know how they came in
		header["X-Forwarded-Host"] = []string{c.r.Host}
		header["X-Forwarded-Proto"] = []string{b.scheme(c.r)}
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))

	out := &outbound{}
	request := &http.Request{
		Method: c.r.Method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		URL: &url.URL{Scheme: "http", Path: c.r.URL.Path, RawPath: c.r.URL.RawPath, RawQuery: c.query},
	}
	if c.r.ContentLength != 0 {
		if out.body = c.body; out.body == nil {
			out.body = newInboundBody(c, b.maxBody)
		}
		request.Body, request.ContentLength = out.body, c.r.ContentLength
	}
	if out.upload = c.body != nil; out.upload {
		if expected := c.r.Header["Expect"]; expected != nil { // the sender is told to begin when the service reads
			header["Expect"] = expected
		}
	}
	out.request = request
	out.repeatable = out.body == nil && readsOnly(c.r.Method)
	return out
}

// vouched is what the gateway vouches for to a service of region. Of callers of open services it knows no more than that they
// pinned the region; of what it hands to another gateway, which identifies the caller itself, where it came from.
func vouched(c *call, region string) (p principal.Principal, needed bool) {
	p = principal.Principal{Region: region, Pinned: c.region != "", RequestID: c.id, Address: c.client.String()}
	switch {
	case c.route.own != "":
		p.Actor = principal.Actor{Type: "service", ID: gatewayService, Name: "Gateway"}
	case c.route.open:
		return p, p.Pinned
	default:
		p.OrganizationID, p.Cell, p.Currency, p.Actor, p.Origin = c.key.Organization, c.key.Cell, c.key.Currency, c.key.Actor(), c.origin
		p.Scopes, p.Features, p.StorageLimit = c.key.Scopes, c.key.Features, c.key.Ceilings.StorageBytes
		c.key.Settings.Into(&p)
	}
	return p, true
}

// to is the request to one instance.
func (o *outbound) to(ctx context.Context, address string) *http.Request {
	request := o.request.WithContext(ctx)
	target := *o.request.URL
	target.Host = address
	request.URL, request.Host = &target, address
	return request
}

// refusal is the 400 where an attempt failed because of the body that the caller sent, or did not send.
func (o *outbound) refusal(err error) *fault.Error {
	var body *bodyError
	switch {
	case errors.As(err, &body):
		return body.refusal
	case o.body != nil:
		// The transport may report what followed from it: a caller who stops in the middle ends the request's context
		// a moment before the body knows.
		if errors.Is(err, context.Canceled) {
			select {
			case <-o.body.broken:
			case <-time.After(100 * time.Millisecond):
			}
		}
		if failed := o.body.failed.Load(); failed != nil {
			return failed.refusal
		}
	}
	return nil
}

// stripped are the headers that are not passed on: those of one connection, those that say who and where the caller is (the
// gateway says that), and those that are meant for the gateway.
var stripped = map[string]bool{
	"Connection": true, "Proxy-Connection": true, "Keep-Alive": true, "Proxy-Authenticate": true, "Proxy-Authorization": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Expect": true,
	"Forwarded": true, "X-Real-Ip": true, "True-Client-Ip": true, "X-Client-Ip": true, "Via": true, "X-Request-Id": true,
	"X-Region": true, "Import-Id": true, "Traceparent": true, "Tracestate": true, "Baggage": true, "Range": true,
	"X-Http-Method-Override": true, "X-Http-Method": true, "X-Method-Override": true, "X-Original-Url": true, "X-Rewrite-Url": true,
}

// passOn copies the headers that go on to a service. Open services know their callers by Authorization and cookies;
// all others never see either.
func passOn(header http.Header, open bool) http.Header {
	out := make(http.Header, len(header)+5)
	for name, values := range header {
		switch {
		case stripped[name], strings.HasPrefix(name, "X-Ams-"), strings.HasPrefix(name, "X-Forwarded-"):
		case !open && (name == "Authorization" || name == "Cookie"):
		default:
			out[name] = values
		}
	}
	for _, list := range header["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			delete(out, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)))
		}
	}
	if _, given := out["User-Agent"]; !given {
		out["User-Agent"] = nil // else the transport would write its own
	}
	return out
}

// scheme is how the caller reached us. TLS may end before us.
func (b requestBuilder) scheme(r *http.Request) string {
	if r.TLS != nil || b.https {
		return "https"
	}
	return "http"
}
