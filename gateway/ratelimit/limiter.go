// Package ratelimit counts requests per identity and minute, and those in progress of each organization: in Redis, for all gateways
// together, and by itself while Redis is unavailable. It also counts the requests of a key in progress on this gateway.
package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/gateway/batch"
	"ams.internal/gateway/keys"
)

// Window is what was counted for one identity in the current minute.
type Window struct {
	Limit int
	Count int           // requests in this window, this one included
	Reset int64         // Unix second at which the window ends
	Left  time.Duration // until then, by the clock that counted
}

// Over says whether more was counted than the limit allows.
func (w Window) Over() bool { return w.Count > w.Limit }

// Remaining is how many requests the limit still allows in this window.
func (w Window) Remaining() int { return max(0, w.Limit-w.Count) }

// Limiter counts requests.
type Limiter struct {
	maxInFlight  int // requests of one key at once, on this gateway
	counters     *counters
	batcher      *batch.Batcher[item, tally]
	log          *slog.Logger
	unavailable  atomic.Bool // Redis
	trying       atomic.Bool // whether it is back
	countedAlone metric.Int64Counter

	mu       sync.Mutex
	window   int64              // the window that counts is of
	counts   map[string]int     // by counter: the last count known here, from Redis or our own
	inFlight map[string]int     // by key: requests in flight
	flights  map[string]*flight // by the name of the places
}

// New gives a limiter that counts in the Redis at address: host:port, several with commas for a cluster, or a redis:// URL. A
// request waits for Redis as long as Redis lately needed, and at least timeout. New does not wait for Redis.
func New(address string, timeout time.Duration, maxInFlight int, log *slog.Logger) (*Limiter, error) {
	l := &Limiter{maxInFlight: maxInFlight, log: log, counts: map[string]int{}, inFlight: map[string]int{}, flights: map[string]*flight{}}
	var err error
	if l.counters, err = newCounters(address, timeout, l.flying); err != nil {
		return nil, err
	}
	maxTimeout := l.counters.timeout.max
	l.batcher = &batch.Batcher[item, tally]{Run: l.counters.increment, MaxRunning: 1, Timeout: maxTimeout, CallerTimeout: maxTimeout}
	l.countedAlone, err = otel.Meter("ams.internal/gateway").Int64Counter("ams.gateway.limit.alone",
		metric.WithDescription("Requests that were counted by this gateway alone because Redis was away."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return l, nil
}

// MaxInFlight is how many requests of one key may be in progress on this gateway.
func (l *Limiter) MaxInFlight() int { return l.maxInFlight }

// Count counts one request of an identity that is no key. It never fails.
func (l *Limiter) Count(ctx context.Context, identity string, limit int) Window {
	return l.count(ctx, item{counter: counterOf(identity), limit: limit})
}

// CountKey counts one request of a key, and not for its organization: for a request that is refused anyway.
func (l *Limiter) CountKey(ctx context.Context, k *keys.Key) Window {
	return l.count(ctx, item{counter: counterOfKey(k), limit: k.RateLimit})
}

func (l *Limiter) count(ctx context.Context, what item) Window {
	t, place, callers, err := l.countInRedis(ctx, what)
	if err != nil {
		return l.countAlone(ctx, what, err).key
	}
	l.remember(what, t)
	return t.forCaller(what, place, callers).key
}

// countInRedis has Redis count, together with those who count at the same time. While one request tries whether Redis is back, the others
// do not wait for it.
func (l *Limiter) countInRedis(ctx context.Context, what item) (t tally, place, callers int, err error) {
	if l.counters.breaker.State() == gobreaker.StateHalfOpen {
		if !l.trying.CompareAndSwap(false, true) {
			return tally{}, 0, 0, errStillUnavailable
		}
		defer l.trying.Store(false)
	}
	return l.batcher.Do(ctx, what)
}

var errStillUnavailable = errors.New("another request tries whether Redis is back")

// TakeBack takes back one request that Count counted in a window.
func (l *Limiter) TakeBack(ctx context.Context, identity string, in Window) {
	counter := counterOf(identity)
	l.mu.Lock()
	if l.window == in.Reset && l.counts[counter] > 0 {
		l.counts[counter]--
	}
	l.mu.Unlock()
	if err := l.counters.takeBack(ctx, counter, in.Reset); err != nil && ctx.Err() == nil {
		l.log.DebugContext(ctx, "a count could not be taken back", "error", err)
	}
}

// Peek gives the window as far as this gateway knows it, without counting.
func (l *Limiter) Peek(identity string, limit int) Window {
	return l.peek(counterOf(identity), limit)
}

// PeekOrganization gives the window of an organization over all gateways, without counting.
func (l *Limiter) PeekOrganization(ctx context.Context, organization string, limit int) Window {
	w := l.peek(counterOf(organization), limit)
	if count, err := l.counters.read(ctx, counterOf(organization), w.Reset); err == nil {
		w.Count = count
	}
	return w
}

func (l *Limiter) peek(counter string, limit int) Window {
	now := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(now.Reset)
	return Window{Limit: limit, Count: l.counts[counter], Reset: now.Reset, Left: now.Left}
}

// windows are those that a request was counted in.
type windows struct{ key, organization Window }

// countAlone counts on from the last count that came from Redis.
func (l *Limiter) countAlone(ctx context.Context, what item, cause error) windows {
	if ctx.Err() == nil {
		l.countedAlone.Add(ctx, 1)
		if !l.unavailable.Swap(true) {
			l.log.Warn("Redis is away; each gateway counts limits by itself until it is back", "error", cause)
		}
	}
	now := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(now.Reset)
	add := func(counter string, limit int) Window {
		l.counts[counter]++
		return Window{Limit: limit, Count: l.counts[counter], Reset: now.Reset, Left: now.Left}
	}
	counted := windows{key: add(what.counter, what.limit)}
	if what.organization != "" && !counted.key.Over() {
		counted.organization = add(counterOf(what.organization), what.perMinute)
	}
	return counted
}

// remember keeps what Redis counted, for the time when it is away.
func (l *Limiter) remember(what item, t tally) {
	if l.unavailable.CompareAndSwap(true, false) {
		l.log.Info("Redis is back; limits are counted for all gateways together again")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t.reset)
	if l.window != t.reset {
		return
	}
	l.counts[what.counter] = max(t.count, l.counts[what.counter])
	if what.organization != "" {
		counter := counterOf(what.organization)
		l.counts[counter] = max(t.organization, l.counts[counter])
	}
}

// advance forgets the counts of the last minute when a new one has begun.
func (l *Limiter) advance(reset int64) {
	if reset > l.window {
		l.window = reset
		clear(l.counts)
	}
}

// localWindow is the current minute by our own clock, with nothing counted.
func localWindow(now time.Time) Window {
	end := now.Truncate(WindowLength).Add(WindowLength)
	return Window{Reset: end.Unix(), Left: end.Sub(now)}
}
