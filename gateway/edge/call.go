package edge

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// call is one request on its way through the chain: what each step found out, and the response's writer. Every response
// begins in WriteHeader, so every response carries the request id, the numbers of the limit and the region.
type call struct {
	http.ResponseWriter
	headers          *commonHeaders
	r                *http.Request
	begin            time.Time
	id               string     // X-Request-Id
	client           netip.Addr // who calls, not the proxy before us
	route            *route
	query            string           // the query without what is meant for the gateway
	forced           string           // the region that the query names
	region           string           // the region that the caller pinned, once it was checked; empty: any
	served           string           // the region that processed the request
	origin           string           // what the request is part of: "api" or "import"
	key              *keys.Key        // nil where no valid key was given or none is needed
	bearer           string           // what an open request is counted by whose key or token is known to be good; empty: its address
	bearerLimit      int              // of it, in a minute
	refusal          *fault.Error     // what authentication found wrong; the limit counts the request before it is refused
	window           ratelimit.Window // what the limit counted
	kind             ratelimit.Kind   // what it is for the ceilings of the organization
	overOrganization bool             // the window is the organization's
	held             bool             // counted among the requests in progress of the key and the organization
	handed           bool             // by a gateway of another region, which has counted it
	transfer         transfer
	odata            *inOData     // nil: a request that is none in OData
	body             *inboundBody // of an upload; nil: the request is none, or has no body
	cancel           context.CancelFunc

	status  int
	written int64
	values  headerValues
}

// Unwrap is for http.ResponseController.
func (c *call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// openService says whether a service is behind the route that has callers of its own kind, without keys.
func (c *call) openService() bool { return c.route != nil && c.route.open && c.route.service != "" }

// named is ctx for the log: a line says which request it is about and, once the key is known, whose that is.
func (c *call) named(ctx context.Context) context.Context {
	p := principal.Principal{RequestID: c.id}
	if c.key != nil {
		p.OrganizationID, p.Actor = c.key.Organization, c.key.Actor()
	}
	return principal.Into(ctx, p)
}

// describe puts on the request's span what only the gateway knows.
func (c *call) describe() {
	w := c.ResponseWriter
	telemetry.AddAttributes(w, attribute.String("ams.served_region", c.served))
	if c.region != "" {
		telemetry.AddAttributes(w, attribute.String("ams.pinned_region", c.region))
	}
	if c.key != nil {
		telemetry.AddPrincipal(w, principal.Principal{OrganizationID: c.key.Organization, Actor: c.key.Actor()})
	}
}

// WriteHeader begins the response.
func (c *call) WriteHeader(status int) {
	if status < http.StatusOK { // 100 and 103 are not the response yet
		c.ResponseWriter.WriteHeader(status)
		return
	}
	if c.status != 0 {
		return
	}
	c.status = status
	counted := limited{c.window, byKey, c.window.Left - time.Since(c.begin)}
	switch {
	case c.window.Limit == 0:
		c.window = c.headers.peek(c.client)
		counted = limited{c.window, byAddress, c.window.Left}
	case c.key == nil && c.bearer == "":
		counted.by = byAddress
	case c.overOrganization:
		counted.by = byOrganization
	}
	if c.served == "" {
		c.served = c.headers.region
	}
	header := c.Header()
	c.values.set(header, c.id, counted, c.served)
	if c.route != nil && c.route.prefix == uploadsPath {
		setTus(header)
	}
	if c.body.unfinished() { // what follows on this connection may be the rest of the body
		header.Set("Connection", "close")
	}
	if !c.openService() { // which pages may read the others is not the services' affair
		c.headers.origins.allow(c.r.Header, header)
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (c *call) Write(piece []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	n, err := c.ResponseWriter.Write(piece)
	c.written += int64(n)
	return n, err
}

// refuse responds with an error, where no response has begun.
func (c *call) refuse(err error) {
	e := *fault.From(err)
	e.Request = c.id
	if c.status == 0 {
		transport.WriteFault(c, c.r.Header["Accept"], &e)
	}
}
