package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/sony/gobreaker"
	"go.opentelemetry.io/otel/codes"
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
	case c.route.own != "":
		return g.answer(c)
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
// the pinned region where one is pinned. A request that never reached an instance is tried on another one. One
// that may have reached an instance is tried again only if it reads and has no body.
func (g *gateway) send(ctx context.Context, c *call) (*http.Response, error) {
	ctx, c.cancel = context.WithCancel(ctx)
	ctx, span := g.span(ctx, c.route.service)
	defer span.End()
	table := g.fleet.table.Load()
	regions := table.regions
	if c.region != "" {
		regions = []string{c.region}
	}
	var cause error
	for _, region := range regions {
		pool := table.pools[poolName{c.route.service, region}]
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
			if err == nil {
				c.served = region
				return response.(*http.Response), nil
			}
			cause = err
			span.SetStatus(codes.Error, err.Error())
			if refusal := out.refusal(err); refusal != nil {
				return nil, refusal
			}
			if ctx.Err() != nil { // nobody wants this answer any more, or not in this way: see sendWaiting
				return nil, fault.Unavailable("service_unavailable", "The request was ended before its answer began.").Because(err)
			}
			if !neverReached(err) && !(out.repeatable && !timedOut(err)) {
				g.log.WarnContext(telemetry.WithRequestID(ctx, c.id), "connection to an instance broke", "service", c.route.service, "region", region, "error", err)
				return nil, fault.Unavailable("service_unavailable", "The connection to the service behind %s broke before its answer. A write may or may not have been done: look before you send it again.", c.route.prefix).Because(err)
			}
		}
	}
	if cause == nil {
		cause = errors.New("no instance is known")
	}
	if c.region != "" {
		return nil, fault.Unavailable("region_unavailable", "No healthy instance behind %s can be reached in the region %s, which the request is pinned to; try again in a moment, or without the pin.", c.route.prefix, c.region).Because(cause)
	}
	return nil, fault.Unavailable("service_unavailable", "The service behind %s cannot be reached right now; nothing was done. Try again in a moment.", c.route.prefix).Because(cause)
}

// neverReached says of an error that no instance has seen the request.
func neverReached(err error) bool {
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return true
	}
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// span is the gateway's part of a trace that is recorded; the others pass on without cost.
func (g *gateway) span(ctx context.Context, service string) (context.Context, trace.Span) {
	if parent := trace.SpanFromContext(ctx); !parent.IsRecording() {
		return ctx, noSpan
	}
	return g.tracer.Start(ctx, "forward "+service, trace.WithSpanKind(trace.SpanKindClient))
}

func unknownPath(c *call) error {
	return fault.New(fault.KindNotFound, "unknown_path", "There is no %s in this API; /openapi.json lists the paths.", quote(c.r.URL.Path))
}

var noSpan = trace.SpanFromContext(context.Background())

// timestamp is how times are written for people and in JSON.
func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
