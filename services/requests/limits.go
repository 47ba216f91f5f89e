package requests

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
)

// limits are how much strangers at one address may do, whomever they come to. All limits are counted before the database is asked anything.
type limits struct{ address, reads limit }

// linkLimit and organizationLimit are what an organization takes of strangers.
func linkLimit(of reference.PublicSettings) limit {
	return limit{"link", of.PublicRequestsPerLink, time.Hour}
}

func organizationLimit(of reference.PublicSettings) limit {
	return limit{"organization", of.PublicRequestsPerDay, 24 * time.Hour}
}

// limit is how often something may happen in a window of time.
type limit struct {
	name   string
	max    int
	window time.Duration
}

// counter counts what strangers do: in Redis for all instances together, and alone while Redis is away. What is known to be over a limit
// is refused without asking Redis.
type counter struct {
	redis            redis.UniversalClient
	timeout          time.Duration
	log              *slog.Logger
	now              func() time.Time
	unavailableUntil atomic.Int64 // Unix milliseconds until which Redis is left alone, after it did not respond

	mu    sync.Mutex
	known map[string]count // by name, who and window
}

type count struct {
	n    int
	ends time.Time
}

const (
	// maxKnown is how many counts are remembered here. Beyond that they are forgotten, and Redis alone knows them.
	maxKnown = 100_000
	// redisPause is how long Redis is left alone after it did not answer.
	redisPause = time.Second
)

// newCounter counts in the Redis at address. It does not wait for it.
func newCounter(address string, timeout time.Duration, log *slog.Logger) (*counter, error) {
	options := &redis.UniversalOptions{Addrs: strings.Split(address, ",")}
	if strings.Contains(address, "://") {
		parsed, err := redis.ParseURL(address)
		if err != nil {
			return nil, fmt.Errorf("AMS_REDIS_ADDR: %w", err)
		}
		options = &redis.UniversalOptions{Addrs: []string{parsed.Addr}, Username: parsed.Username, Password: parsed.Password, DB: parsed.DB,
			TLSConfig: parsed.TLSConfig}
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = timeout, timeout, timeout, timeout
	options.ContextTimeoutEnabled = true
	options.DialerRetries = 1 // a Redis that refuses connections is away at once
	options.MaxRetries = -1   // a repeated increment would count twice
	options.PoolSize = 8
	options.Protocol = 2
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	redis.SetLogger(quiet{})
	return &counter{redis: redis.NewUniversalClient(options), timeout: timeout, log: log, now: time.Now, known: map[string]count{}}, nil
}

// quiet drops what the Redis client writes about each failed connection: the counter says once that Redis is away.
type quiet struct{}

// Printf implements the client's logger.
func (quiet) Printf(ctx context.Context, format string, args ...any) {
	slog.DebugContext(ctx, "redis: "+fmt.Sprintf(format, args...))
}

// take counts one for who, and refuses what is over the limit: 429.
func (c *counter) take(ctx context.Context, l limit, who string) error {
	now := c.now()
	ends := now.Truncate(l.window).Add(l.window)
	key := counterName(l, who, now)
	n := c.alone(key, ends, now, 1, l.max)
	if n <= l.max {
		if together, err := c.together(ctx, key, l.window); err == nil {
			n = c.remember(key, together)
		}
	}
	if n <= l.max {
		return nil
	}
	return tooMany(ends.Sub(now))
}

// peek refuses who is known here to be over a limit, and counts nothing.
func (c *counter) peek(l limit, who string) error {
	now := c.now()
	ends := now.Truncate(l.window).Add(l.window)
	if n := c.alone(counterName(l, who, now), ends, now, 0, l.max); n < l.max {
		return nil
	}
	return tooMany(ends.Sub(now))
}

func counterName(l limit, who string, now time.Time) string {
	return fmt.Sprintf("ams:requests:%s:%s:%d", l.name, who, now.Truncate(l.window).Unix())
}

func tooMany(wait time.Duration) error {
	refusal := fault.New(fault.KindRateLimited, "too_many_requests", "There were too many requests from here; try again in %s.", spoken(wait))
	refusal.RetryAfter = wait
	return refusal
}

// alone adds to what is known here. What is over the maximum grows no further.
func (c *counter) alone(key string, ends, now time.Time, add, maximum int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		for key, known := range c.known {
			if !known.ends.After(now) {
				delete(c.known, key)
			}
		}
		if len(c.known) >= maxKnown {
			clear(c.known)
		}
	}
	known := c.known[key]
	if known.n <= maximum {
		known.n += add
	}
	known.ends = ends
	c.known[key] = known
	return known.n
}

// remember keeps what Redis counted, for the time when it is away.
func (c *counter) remember(key string, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[key]
	known.n = max(known.n, n)
	c.known[key] = known
	return known.n
}

// together counts in Redis. A counter's name has the window in it, so it is enough that it goes some time later.
func (c *counter) together(ctx context.Context, key string, window time.Duration) (int, error) {
	if c.redis == nil || c.now().UnixMilli() < c.unavailableUntil.Load() {
		return 0, errRedisUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var added *redis.IntCmd
	_, err := c.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		added = p.Incr(ctx, key)
		p.Expire(ctx, key, window+time.Minute)
		return nil
	})
	if err != nil {
		if c.unavailableUntil.Swap(c.now().Add(redisPause).UnixMilli()) == 0 {
			c.log.WarnContext(ctx, "Redis is away; each instance counts strangers' requests by itself until it is back", "error", err)
		}
		return 0, err
	}
	c.unavailableUntil.Store(0)
	return int(added.Val()), nil
}

var errRedisUnavailable = fmt.Errorf("redis is away")

// spoken says how long somebody has to wait.
func spoken(wait time.Duration) string {
	if minutes := int(math.Ceil(wait.Minutes())); minutes < 120 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%d hours", int(math.Ceil(wait.Hours())))
}
