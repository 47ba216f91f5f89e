package edge

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// limit counts the request, by its key or, where it has no valid one, by the caller's address. Then it refuses what
// authentication found wrong, and what is over the limit.
func limit(limiter *ratelimit.Limiter, addressLimit int, metrics *metrics) step {
	return func(next handler) handler {
		return func(ctx context.Context, c *call) (*http.Response, error) {
			switch {
			case c.refusal != nil && c.refusal.Kind == fault.KindUnavailable: // the key is unknown: its address is not charged
				return nil, c.refusal
			case c.handed && c.refusal != nil: // counted where it came in, as the next
				return nil, c.refusal
			case c.handed:
				return next(ctx, c)
			}
			identity, kind, allowed := addressIdentity(c.client), "address", addressLimit
			if c.key != nil {
				identity, kind, allowed = c.key.ID, "key", c.key.RateLimit
			}
			counting, span := telemetry.StartStep(ctx, "limit", trace.SpanKindInternal)
			c.window = limiter.Count(counting, identity, allowed)
			span.End("", nil)
			decided, err := decide(c, limiter)
			metrics.decided(ctx, decided, kind)
			if err != nil {
				return nil, err
			}
			return next(ctx, c)
		}
	}
}

// decide says what becomes of a request that was counted. It takes one of the key's places for it.
func decide(c *call, limiter *ratelimit.Limiter) (decided string, err error) {
	if c.refusal != nil {
		return "allowed", c.refusal
	}
	if c.window.Over() {
		e := fault.New(fault.KindRateLimited, "rate_limited", "More than %d requests in this minute; wait until X-RateLimit-Reset.", c.window.Limit)
		e.RetryAfter = c.window.Left
		return "over_limit", e
	}
	if c.key != nil {
		if c.held = limiter.Acquire(c.key.ID); !c.held {
			e := fault.New(fault.KindRateLimited, "too_many_in_flight",
				"This key has %d requests in progress, which is the most at once; wait for one to be answered.", limiter.MaxInFlight())
			e.RetryAfter = time.Second
			return "in_flight", e
		}
	}
	return "allowed", nil
}
