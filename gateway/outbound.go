package main

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
	"ams.internal/libs/principal"
)

// outbound is a request as services see it; each attempt sends the same one to another address.
type outbound struct {
	request    *http.Request
	body       *inboundBody // nil: the request has none
	repeatable bool         // reads, and has no body
	instance   string       // the address that was tried last
}

// outbound makes the request that goes to a service of region: without what was meant for the gateway, and with what the
// gateway vouches for.
func (g *gateway) outbound(ctx context.Context, c *call, region string) *outbound {
	header := passOn(c.r.Header, c.route.open || c.route.own != "")
	if p, needed := c.principal(region); needed {
		header[principal.Header] = []string{g.signer.Sign(p)}
	}
	if c.route.own != "" {
		header["X-Region"] = []string{region}
	}
	header["X-Request-Id"] = []string{c.id}
	header["X-Forwarded-For"] = []string{c.client.String()}
	if c.route.open { // who makes links for people must know how they came in
		header["X-Forwarded-Host"] = []string{c.r.Host}
		header["X-Forwarded-Proto"] = []string{g.scheme(c.r)}
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))

	out := &outbound{}
	request := &http.Request{
		Method: c.r.Method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		URL: &url.URL{Scheme: "http", Path: c.r.URL.Path, RawPath: c.r.URL.RawPath, RawQuery: c.query},
	}
	if c.r.ContentLength != 0 {
		out.body = newInboundBody(c, g.config.MaxBody)
		request.Body, request.ContentLength = out.body, c.r.ContentLength
	}
	out.request = request.WithContext(ctx)
	out.repeatable = out.body == nil && readsOnly(c.r.Method)
	return out
}

// principal is what the gateway vouches for to a service of region. Of callers of open services it knows no more than that they
// pinned the region; of what it hands to another gateway, which looks for itself, where it came from.
func (c *call) principal(region string) (p principal.Principal, needed bool) {
	p = principal.Principal{Region: region, Pinned: c.region != "", RequestID: c.id, Address: c.client.String()}
	switch {
	case c.route.own != "":
		p.Actor = principal.Actor{Type: "service", ID: gatewayService, Name: "Gateway"}
	case c.route.open:
		return p, p.Pinned
	default:
		p.OrganizationID, p.Currency, p.Actor, p.Origin = c.key.organization, c.key.currency, c.key.actor(), c.origin
		p.Scopes, p.Features = c.key.scopes, c.key.features
	}
	return p, true
}

// to is the request to one instance.
func (o *outbound) to(address string) *http.Request {
	request := *o.request
	target := *o.request.URL
	target.Host, o.instance = address, address
	request.URL, request.Host = &target, address
	return &request
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

// Headers that are not passed on: those of one connection, those that say who and where the caller is (the gateway says
// that), and those that are meant for the gateway.
var kept = map[string]bool{
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
		case kept[name], strings.HasPrefix(name, "X-Ams-"), strings.HasPrefix(name, "X-Forwarded-"):
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

// scheme is how the caller reached us; the configuration knows best, because TLS may end before us.
func (g *gateway) scheme(r *http.Request) string {
	if r.TLS != nil || strings.HasPrefix(g.config.BaseURL, "https://") {
		return "https"
	}
	return "http"
}
