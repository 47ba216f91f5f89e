// Package ratelimit counts requests per identity and minute: in Redis, for all gateways together, and by itself while Redis is
// unavailable. It also knows how many requests of a key are in progress on this gateway.
package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/gateway/batch"
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
	batcher      *batch.Batcher[string, tally]
	log          *slog.Logger
	unavailable  atomic.Bool // Redis
	countedAlone metric.Int64Counter

	mu       sync.Mutex
	window   int64          // the window that counts is of
	counts   map[string]int // the last count known here, from Redis or our own
	inFlight map[string]int // requests in flight
}

// New gives a limiter that counts in the Redis at address: host:port, several with commas for a cluster, or a redis:// URL. A
// request waits for Redis no longer than timeout. New does not wait for Redis.
func New(address string, timeout time.Duration, maxInFlight int, log *slog.Logger) (*Limiter, error) {
	counters, err := newCounters(address, timeout)
	if err != nil {
		return nil, err
	}
	l := &Limiter{maxInFlight: maxInFlight, log: log, counts: map[string]int{}, inFlight: map[string]int{}}
	l.batcher = &batch.Batcher[string, tally]{Run: counters.increment, MaxRunning: 1, Timeout: timeout, CallerTimeout: timeout}
	l.countedAlone, err = otel.Meter("ams.internal/gateway").Int64Counter("ams.gateway.limit.alone",
		metric.WithDescription("Requests that were counted by this gateway alone because Redis was away."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return l, nil
}

// MaxInFlight is how many requests of one key may be in progress on this gateway.
func (l *Limiter) MaxInFlight() int { return l.maxInFlight }

// Count counts one request. It never fails.
func (l *Limiter) Count(ctx context.Context, identity string, limit int) Window {
	t, place, callers, err := l.batcher.Do(ctx, identity)
	if err != nil {
		return l.countAlone(ctx, identity, limit, err)
	}
	if l.unavailable.CompareAndSwap(true, false) {
		l.log.Info("Redis is back; limits are counted for all gateways together again")
	}
	l.remember(identity, t)
	return Window{Limit: limit, Count: t.count - callers + place + 1, Reset: t.reset, Left: t.left}
}

// countAlone counts on from the last count that came from Redis.
func (l *Limiter) countAlone(ctx context.Context, identity string, limit int, cause error) Window {
	if ctx.Err() == nil {
		l.countedAlone.Add(ctx, 1)
		if !l.unavailable.Swap(true) {
			l.log.Warn("Redis is away; each gateway counts limits by itself until it is back", "error", cause)
		}
	}
	t := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t.reset)
	l.counts[identity]++
	return Window{Limit: limit, Count: l.counts[identity], Reset: t.reset, Left: t.left}
}

// Peek gives the window without counting.
func (l *Limiter) Peek(identity string, limit int) Window {
	t := localWindow(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t.reset)
	return Window{Limit: limit, Count: l.counts[identity], Reset: t.reset, Left: t.left}
}

func (l *Limiter) remember(identity string, t tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t.reset)
	if l.window == t.reset {
		l.counts[identity] = max(t.count, l.counts[identity])
	}
}

// advance forgets the counts of the last minute when a new one has begun.
func (l *Limiter) advance(reset int64) {
	if reset > l.window {
		l.window = reset
		clear(l.counts)
	}
}

// Acquire takes one of the places of a key's requests in progress; false where all are taken. Release gives it back.
func (l *Limiter) Acquire(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight[key] >= l.maxInFlight {
		return false
	}
	l.inFlight[key]++
	return true
}

// Release gives back the place that Acquire took.
func (l *Limiter) Release(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight[key]--; l.inFlight[key] <= 0 {
		delete(l.inFlight, key)
	}
}
