package main

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// call is one request on its way through the chain: what each step found out, and the answer's writer. Every answer
// leaves through WriteHeader, so every answer carries the request id, the figures of the limit and the region.
type call struct {
	http.ResponseWriter
	gateway *gateway
	r       *http.Request
	begin   time.Time
	id      string     // X-Request-Id
	client  netip.Addr // who calls, not the proxy before us
	route   *route
	query   string       // the query without what is meant for the gateway
	forced  string       // the region asked for in the query
	region  string       // the region the caller pinned; empty: any
	served  string       // the region that processed the request
	origin  string       // what the request is part of: "api" or "import"
	key     *key         // nil where no valid key was given or none is needed
	refusal *fault.Error // what authentication found wrong; the limit counts the request before it is refused
	window  window       // what the limit counted
	held    bool         // counted among the key's requests in flight
	handed  bool         // by a gateway of another region, which has counted it
	cancel  context.CancelFunc

	status  int
	written int64
	values  common
}

type callKey struct{}

// callFrom gives the call that a request's context belongs to.
func callFrom(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// Unwrap is for http.ResponseController.
func (c *call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// named is ctx for the log: a line says which request it is about and, once the key is known, whose that is.
func (c *call) named(ctx context.Context) context.Context {
	p := principal.Principal{RequestID: c.id}
	if c.key != nil {
		p.OrganizationID, p.Actor = c.key.organization, c.key.actor()
	}
	return principal.Into(ctx, p)
}

// describe says on the request's span what only the gateway knows.
func (c *call) describe() {
	w := c.ResponseWriter
	telemetry.Describe(w, attribute.String("ams.served_region", c.served))
	if c.region != "" && slices.Contains(c.gateway.fleet.regions(), c.region) { // else it is any text
		telemetry.Describe(w, attribute.String("ams.pinned_region", c.region))
	}
	if c.key != nil {
		telemetry.DescribePrincipal(w, principal.Principal{OrganizationID: c.key.organization, Actor: c.key.actor()})
	}
}

// WriteHeader begins the answer.
func (c *call) WriteHeader(status int) {
	if status < http.StatusOK { // 100 and 103 are not the answer yet
		c.ResponseWriter.WriteHeader(status)
		return
	}
	if c.status != 0 {
		return
	}
	c.status = status
	if c.window.limit == 0 {
		c.window = c.gateway.limiter.peek(addressIdentity(c.client), c.gateway.config.AddressLimit)
	}
	if c.served == "" {
		c.served = c.gateway.config.Region
	}
	header := c.Header()
	c.values.set(header, c.id, c.window, c.served)
	c.allowOrigin(header)
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

// refuse answers with an error.
func (c *call) refuse(err error) {
	e := *fault.From(err)
	e.Request = c.id
	if c.status == 0 {
		transport.WriteFault(c, &e)
	}
}

// common are the values of the headers that every answer has, in one place so that they need no allocation each.
type common [5]string

func (v *common) set(header http.Header, id string, w window, region string) {
	*v = common{id, strconv.Itoa(w.limit), strconv.Itoa(w.remaining()), strconv.FormatInt(w.reset, 10), region}
	header["X-Request-Id"] = v[0:1:1]
	header["X-RateLimit-Limit"] = v[1:2:2] // spelled as documented, which is not Go's canonical form
	header["X-RateLimit-Remaining"] = v[2:3:3]
	header["X-RateLimit-Reset"] = v[3:4:4]
	header["X-Served-Region"] = v[4:5:5]
}

// uncounted sets the headers of an answer to a request that no limit counts.
func (g *gateway) uncounted(header http.Header, r *http.Request) {
	client := clientAddress(r.RemoteAddr, r.Header, g.trusted)
	new(common).set(header, requestID(r.Header), g.limiter.peek(addressIdentity(client), g.config.AddressLimit), g.config.Region)
}
