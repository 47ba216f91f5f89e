package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

const (
	windowLength = time.Minute
	redisTimeout = 50 * time.Millisecond // what a Redis that is away may cost a request
)

// window is what was counted for one identity in the current minute.
type window struct {
	limit int
	count int           // requests in this window, this one included
	reset int64         // Unix second at which the window ends
	left  time.Duration // until then, by the clock that counted
}

func (w window) over() bool     { return w.count > w.limit }
func (w window) remaining() int { return max(0, w.limit-w.count) }

// limit counts the request, by its key or, where it has no valid one, by the caller's address; then it lets pass
// on what authentication refused, and refuses what is over the limit.
func (g *gateway) limit(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		switch {
		case c.refusal != nil && c.refusal.Kind == fault.KindUnavailable: // whose request it is could not be found out: its address is not to be charged for that
			return nil, c.refusal
		case c.handed && c.refusal != nil: // counted where it came in, as the next
			return nil, c.refusal
		case c.handed:
			return next(ctx, request)
		}
		identity, most := addressIdentity(c.client), g.config.AddressLimit
		if c.key != nil {
			identity, most = c.key.id, c.key.rateLimit
		}
		counting, step := telemetry.Begin(ctx, "limit", trace.SpanKindInternal)
		c.window = g.limiter.count(counting, identity, most)
		step.End("", nil)
		if c.refusal != nil {
			g.meters.decided(ctx, c, "allowed")
			return nil, c.refusal
		}
		if c.window.over() {
			g.meters.decided(ctx, c, "over_limit")
			e := fault.New(fault.KindTooMany, "rate_limited", "More than %d requests in this minute; wait until X-RateLimit-Reset.", most)
			e.RetryAfter = c.window.left
			return nil, e
		}
		if c.key != nil {
			if c.held = g.limiter.hold(c.key.id); !c.held {
				g.meters.decided(ctx, c, "in_flight")
				e := fault.New(fault.KindTooMany, "too_many_in_flight", "This key has %d requests in progress, which is the most at once; wait for one to be answered.", g.limiter.inFlight)
				e.RetryAfter = time.Second
				return nil, e
			}
		}
		g.meters.decided(ctx, c, "allowed")
		return next(ctx, request)
	}
}

// limiter counts requests per identity and minute: in Redis, for all gateways together, and by itself while Redis
// is away.
type limiter struct {
	inFlight int // requests of one key at once, on this gateway
	group    *group[string, tally]
	redis    redis.UniversalClient
	breaker  *gobreaker.CircuitBreaker
	log      *slog.Logger
	away     atomic.Bool
	alone    metric.Int64Counter

	mu      sync.Mutex
	window  int64          // the window that counted is of
	counted map[string]int // the last count known here, from Redis or our own
	held    map[string]int // requests in flight
}

func newLimiter(client redis.UniversalClient, inFlight int, timeout time.Duration, log *slog.Logger) *limiter {
	l := &limiter{inFlight: inFlight, redis: client, log: log, counted: map[string]int{}, held: map[string]int{}}
	l.group = &group[string, tally]{ask: l.ask, most: 1, timeout: timeout, patience: timeout}
	l.breaker = gobreaker.NewCircuitBreaker(gobreaker.Settings{
		Name: "redis", Timeout: time.Second,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 3 },
	})
	alone, err := otel.Meter("ams.internal/gateway").Int64Counter("ams.gateway.limit.alone",
		metric.WithDescription("Requests that were counted by this gateway alone because Redis was away."))
	if err != nil { // only a malformed name
		panic(err)
	}
	l.alone = alone
	return l
}

// count counts one request. It never fails.
func (l *limiter) count(ctx context.Context, identity string, limit int) window {
	t, turn, times, err := l.group.do(ctx, identity)
	if err != nil {
		return l.countAlone(ctx, identity, limit, err)
	}
	if l.away.CompareAndSwap(true, false) {
		l.log.Info("Redis is back; limits are counted for all gateways together again")
	}
	l.remember(identity, t)
	return window{limit: limit, count: t.count - times + turn + 1, reset: t.reset, left: t.left}
}

// countAlone counts on from the last count that Redis told.
func (l *limiter) countAlone(ctx context.Context, identity string, limit int, cause error) window {
	if ctx.Err() == nil {
		l.alone.Add(ctx, 1)
		if !l.away.Swap(true) {
			l.log.Warn("Redis is away; each gateway counts limits by itself until it is back", "error", cause)
		}
	}
	t := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(t.reset)
	l.counted[identity]++
	return window{limit: limit, count: l.counted[identity], reset: t.reset, left: t.left}
}

// peek tells the window without counting.
func (l *limiter) peek(identity string, limit int) window {
	t := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(t.reset)
	return window{limit: limit, count: l.counted[identity], reset: t.reset, left: t.left}
}

func (l *limiter) remember(identity string, t tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(t.reset)
	if l.window == t.reset {
		l.counted[identity] = max(t.count, l.counted[identity])
	}
}

// turn forgets the counts of the last minute when a new one has begun.
func (l *limiter) turn(reset int64) {
	if reset > l.window {
		l.window = reset
		clear(l.counted)
	}
}

// hold takes one of the key's places; false where it has them all. release gives it back.
func (l *limiter) hold(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[id] >= l.inFlight {
		return false
	}
	l.held[id]++
	return true
}

func (l *limiter) release(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[id]--; l.held[id] <= 0 {
		delete(l.held, id)
	}
}
