package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// maxAttempts is how often instances of one region are tried for one request; where there are many, each is tried twice.
const maxAttempts = 6

// sender sends requests to the instances of services.
type sender struct {
	upstreams *upstreams
	requests  requestBuilder
	metrics   *metrics
	log       *slog.Logger
}

// send tries instances until one responds: the own region's, then the nearest other's that has any; only those of
// the pinned region where one is pinned, also for what a gateway serves itself. A request that never reached an
// instance is tried on another one. One that may have reached an instance is tried again only if it reads and has no body.
func (s *sender) send(ctx context.Context, c *call) (response *http.Response, err error) {
	if c.body != nil {
		ctx, c.cancel = context.WithTimeout(ctx, uploadTimeout+storedTimeout)
	} else {
		ctx, c.cancel = context.WithCancel(ctx)
	}
	ctx, to := beginForwarding(ctx, c.route.servedBy())
	defer func() { to.end(ctx, err) }()
	r := race{sender: s, ctx: ctx, call: c, to: to, way: way{
		regions:  s.upstreams.nearest(c.region),
		upstream: func(region string) *upstream { return s.upstreams.find(to.service, region) },
		build:    func(region string) *outbound { return s.requests.build(ctx, c, region) },
	}}
	response, err = r.run()
	var nobody *nobodyError
	switch {
	case err == nil || !errors.Is(err, errNoInstance) && !errors.As(err, &nobody):
		return response, err
	case c.region != "":
		return nil, regionUnavailable(c, err)
	}
	return nil, fault.Unavailable("service_unavailable",
		"The service behind %s cannot be reached right now; nothing was done. Try again in a moment.", c.route.prefix).WithCause(err)
}

// final gives the refusal after an attempt that must be the last one; nil where another instance may be tried.
func (s *sender) final(ctx context.Context, c *call, a *attempt, to *forwarding) error {
	out, err := a.out, a.err
	if refusal := out.refusal(err); refusal != nil {
		return refusal
	}
	if ctx.Err() != nil { // nobody wants this response any more, or not in this way: see sendWaiting
		return fault.Unavailable("service_unavailable", "The request was ended before its answer began.").WithCause(err)
	}
	if neverReached(err) || out.repeatable && !timedOut(err) {
		return nil
	}
	s.log.WarnContext(c.named(ctx), "connection to an instance broke", "about_service", to.service, "region", a.region, "instance",
		a.address, "error", err)
	return fault.Unavailable("service_unavailable",
		"The connection to the service behind %s broke before its answer. A write may or may not have been done: look before you send it again.",
		c.route.prefix).WithCause(err)
}

// forwarding is a request's way to a service, for its trace.
type forwarding struct {
	step                      telemetry.Step
	service, region, instance string // the last that was tried
	tries                     int
}

func beginForwarding(ctx context.Context, service string) (context.Context, *forwarding) {
	to := &forwarding{service: service}
	ctx, to.step = telemetry.StartStep(ctx, "forward", trace.SpanKindClient)
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
