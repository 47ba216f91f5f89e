package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/sony/gobreaker"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// attempts is how many instances of one region are tried for one request.
const attempts = 6

// forward answers what the gateway knows itself, and hands everything else to the service that the route names.
func (g *gateway) forward(ctx context.Context, request any) (any, error) {
	c := request.(*call)
	switch {
	case !c.route.known():
		return nil, unknownPath(c)
	case c.r.Method == http.MethodConnect || c.r.Method == http.MethodTrace || c.route.own != "" && !readsOnly(c.r.Method):
		return nil, fault.Invalid("method_not_allowed", "%s does not take %s; it takes %s.", c.r.URL.Path, quote(c.r.Method), c.route.allowed()).
			WithHeader("Allow", c.route.allowed())
	case c.route.keyed() && holdsKey(c.query):
		return nil, fault.Invalid("key_in_query", "There is an API key in the query. Queries end up in logs: take it out, and replace that key.")
	case c.route.own != "" && (c.region == "" || c.region == g.config.Region):
		return g.answer(c)
	case c.handed: // by a gateway that takes this one for one of the pinned region
		return nil, regionUnavailable(c, errors.New("this gateway is registered in a region that is not its own"))
	case c.r.ContentLength > g.config.MaxBody:
		return nil, tooLarge(g.config.MaxBody)
	}
	var err error
	if c.origin, err = origin(c.r.Header); err != nil && c.route.keyed() {
		return nil, err
	}
	if c.route.waits {
		return g.sendWaiting(ctx, c)
	}
	return g.send(ctx, c)
}

// send tries instances until one has answered: the own region's, then the nearest other's that has any; only those of
// the pinned region where one is pinned, also for what a gateway answers itself. A request that never reached an
// instance is tried on another one. One that may have reached an instance is tried again only if it reads and has no body.
func (g *gateway) send(ctx context.Context, c *call) (answer *http.Response, err error) {
	ctx, c.cancel = context.WithCancel(ctx)
	ctx, to := beginForwarding(ctx, c.route.answeredBy())
	defer func() { to.end(ctx, err) }()
	table := g.fleet.table.Load()
	regions := table.regions
	if c.region != "" {
		regions = []string{c.region}
	}
	var cause error
	for _, region := range regions {
		pool := table.pools[poolName{to.service, region}]
		if pool == nil {
			continue
		}
		out := g.outbound(ctx, c, region)
		for range attempts {
			ask, err := pool.balancer.Endpoint()
			if err != nil { // nobody there
				break
			}
			response, err := ask(ctx, out)
			to.tried(region, out.instance)
			g.meters.attempted(ctx, to.service, region, err)
			if err == nil {
				c.served = region
				return response.(*http.Response), nil
			}
			cause = err
			if refusal := out.refusal(err); refusal != nil {
				return nil, refusal
			}
			if ctx.Err() != nil { // nobody wants this answer any more, or not in this way: see sendWaiting
				return nil, fault.Unavailable("service_unavailable", "The request was ended before its answer began.").Because(err)
			}
			if !neverReached(err) && !(out.repeatable && !timedOut(err)) {
				g.log.WarnContext(c.named(ctx), "connection to an instance broke", "service", to.service, "region", region, "error", err)
				return nil, fault.Unavailable("service_unavailable", "The connection to the service behind %s broke before its answer. A write may or may not have been done: look before you send it again.", c.route.prefix).Because(err)
			}
		}
	}
	if cause == nil {
		cause = errors.New("no instance is known")
	}
	if c.region != "" {
		return nil, regionUnavailable(c, cause)
	}
	return nil, fault.Unavailable("service_unavailable", "The service behind %s cannot be reached right now; nothing was done. Try again in a moment.", c.route.prefix).Because(cause)
}

// forwarding is a request's way to a service, for its trace.
type forwarding struct {
	step                      telemetry.Step
	service, region, instance string // the last that was tried
	tries                     int
}

func beginForwarding(ctx context.Context, service string) (context.Context, *forwarding) {
	to := &forwarding{service: service}
	ctx, to.step = telemetry.Begin(ctx, "forward", trace.SpanKindClient)
	return ctx, to
}

func (to *forwarding) tried(region, instance string) {
	to.region, to.instance = region, instance
	to.tries++
}

func (to *forwarding) end(ctx context.Context, err error) {
	reason := ""
	if err != nil && fault.From(err).Status() >= http.StatusInternalServerError && ctx.Err() == nil {
		reason = "no instance answered"
	}
	to.step.End(reason, func() []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("ams.service", to.service), attribute.String("ams.region", to.region),
			attribute.String("server.address", to.instance), attribute.Int("ams.attempts", to.tries)}
	})
}

func regionUnavailable(c *call, cause error) error {
	return fault.Unavailable("region_unavailable", "No healthy instance behind %s can be reached in the region %s, which the request is pinned to; try again in a moment, or without the pin.", c.route.prefix, c.region).Because(cause)
}

// neverReached says of an error that no instance has seen the request.
func neverReached(err error) bool {
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return true
	}
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// timedOut says that an instance was given the time that a request may take, and a second one would not do it in less. A
// connection that the network does not carry any more has ended before that.
func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout() && !errors.Is(err, syscall.ETIMEDOUT)
}

func unknownPath(c *call) error {
	return fault.New(fault.KindNotFound, "unknown_path", "There is no %s in this API; /openapi.json lists the paths.", quote(c.r.URL.Path))
}

// timestamp is how times are written for people and in JSON.
func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
