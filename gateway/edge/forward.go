package edge

import (
	"context"
	"errors"
	"net/http"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// forwarder is the end of the chain.
type forwarder struct {
	region   string
	maxBody  int64
	local    *local
	sender   *sender
	draining context.Context
}

// maxBodyOf is how many bytes the body of a request may have.
func (f *forwarder) maxBodyOf(c *call) int64 {
	if c.transfer == upload {
		return maxUpload
	}
	return f.maxBody
}

// forward responds with what the gateway has itself, and sends everything else to the service that the route names.
func (f *forwarder) forward(ctx context.Context, c *call) (*http.Response, error) {
	switch {
	case !c.route.known():
		return nil, unknownPath(c, f.local.paths()...)
	case c.r.Method == http.MethodConnect || c.r.Method == http.MethodTrace || c.route.own != "" && !readsOnly(c.r.Method):
		return nil, fault.Invalid("method_not_allowed", "%s does not take %s; it takes %s.", c.r.URL.Path, keys.Quote(c.r.Method),
			c.route.allowed()).
			WithHeader("Allow", c.route.allowed())
	case c.route.keyed() && holdsKey(c.query):
		return nil, fault.Invalid("key_in_query", "There is an API key in the query. Queries end up in logs: take it out, and replace that key.")
	case c.route.own != "" && (c.region == "" || c.region == f.region):
		return f.local.respond(c)
	case c.handed: // by a gateway that takes this one for one of the pinned region
		return nil, regionUnavailable(c, errors.New("this gateway is registered in a region that is not its own"))
	case c.r.ContentLength > f.maxBodyOf(c):
		return nil, tooLarge(f.maxBodyOf(c))
	}
	var err error
	if c.origin, err = origin(c.r.Header); err != nil && c.route.keyed() {
		return nil, err
	}
	if c.route.waits {
		return sendWaiting(ctx, f.draining, f.sender, c)
	}
	return f.sender.send(ctx, c)
}
