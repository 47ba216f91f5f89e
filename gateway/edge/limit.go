package edge

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/trace"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// limit counts the request, by its key and the key's organization or, where it has no valid key, by the caller's address. Then it
// refuses what authentication found wrong, and what is over a limit.
func limit(limiter *ratelimit.Limiter, addressLimit int, metrics *metrics, watch *heldBack) step {
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
			counting, span := telemetry.StartStep(ctx, "limit", trace.SpanKindInternal)
			var made decision
			var err error
			switch {
			case c.bearer != "":
				c.window = limiter.Count(counting, c.bearer, c.bearerLimit)
				made, err = decide(c, "key")
			case c.key == nil:
				c.window = limiter.Count(counting, caller.Identity(c.client), addressLimit)
				made, err = decide(c, "address")
			case c.refusal != nil: // who holds a key that may not be used takes nothing from its organization
				c.window = limiter.CountKey(counting, c.key)
				made, err = decide(c, "key")
			default:
				made, err = admit(counting, c, limiter)
				watch.count(c.key.Organization, made)
			}
			span.End("", nil)
			metrics.decided(ctx, made)
			if err != nil {
				return nil, err
			}
			response, err := next(ctx, c)
			if c.key != nil && err == nil && response.StatusCode == http.StatusTooManyRequests {
				watch.refusedBehind(c.key.Organization)
			}
			return response, err
		}
	}
}

// decide gives the decision on a request that was counted and takes no place.
func decide(c *call, identity string) (decision, error) {
	switch {
	case c.refusal != nil:
		return decision{"allowed", identity}, c.refusal
	case c.window.Over():
		return decision{"over_limit", identity}, ratelimit.OverLimit(c.window)
	}
	return decision{"allowed", identity}, nil
}

// admit counts a request with a key and takes a place for it.
func admit(ctx context.Context, c *call, limiter *ratelimit.Limiter) (decision, error) {
	c.kind = kindOf(c)
	window, made := limiter.Admit(ctx, c.key, c.kind)
	c.window, c.held, c.overOrganization = window, made == ratelimit.Admitted, made == ratelimit.OverOrganization
	if c.held {
		return decisions[made], nil
	}
	return decisions[made], limiter.Refusal(c.key, window, made)
}

// decisions are those of the limiter as figures tell them.
var decisions = map[ratelimit.Decision]decision{
	ratelimit.Admitted:         {"allowed", "key"},
	ratelimit.OverKey:          {"over_limit", "key"},
	ratelimit.OverOrganization: {"over_limit", "organization"},
	ratelimit.FullKey:          {"in_flight", "key"},
	ratelimit.FullOrganization: {"in_flight", "organization"},
	ratelimit.FullStreams:      {"streams", "organization"},
	ratelimit.FullLongPolls:    {"long_polls", "organization"},
	ratelimit.FullUploads:      {"uploads", "key"},
	ratelimit.FullDownloads:    {"downloads", "key"},
}
