package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker"
)

// windowLength is the length of a window. countScript has it too.
const windowLength = time.Minute

// tally is Redis' reply: the count of an identity in the current window.
type tally struct {
	count int
	reset int64
	left  time.Duration
}

// countScript adds to the counter of the current minute. It is atomic, the clock is Redis' own (one for all gateways), the
// counter's name has the window in it and the counter always has a life time. The whole name lies in the slot
// of KEYS[1], because of its hash tag.
var countScript = redis.NewScript(`
local time = redis.call('TIME')
local second = tonumber(time[1])
local reset = second - second % 60 + 60
local counter = KEYS[1] .. ':' .. (reset - 60)
local count = redis.call('INCRBY', counter, ARGV[1])
if count == tonumber(ARGV[1]) then
  redis.call('EXPIRE', counter, 120)
end
return {count, reset, (reset - second) * 1000000 - tonumber(time[2])}
`)

// counters are the counts of all gateways, in Redis.
type counters struct {
	client  redis.UniversalClient
	breaker *gobreaker.CircuitBreaker
}

func newCounters(address string, timeout time.Duration) (*counters, error) {
	options := &redis.UniversalOptions{Addrs: strings.Split(address, ",")}
	if strings.Contains(address, "://") {
		parsed, err := redis.ParseURL(address)
		if err != nil {
			return nil, fmt.Errorf("the Redis address cannot be used: %w", err)
		}
		options = &redis.UniversalOptions{Addrs: []string{parsed.Addr}, Username: parsed.Username, Password: parsed.Password, DB: parsed.DB,
			TLSConfig: parsed.TLSConfig}
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = timeout, timeout, timeout, timeout
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1 // a repeated increment would count twice
	options.PoolSize = 8
	options.Protocol = 2
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	redis.SetLogger(quiet{})
	return &counters{client: redis.NewUniversalClient(options), breaker: gobreaker.NewCircuitBreaker(gobreaker.Settings{
		Name: "redis", Timeout: time.Second,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 3 },
	})}, nil
}

// quiet drops what the Redis client writes about each failed connection: the limiter says once that Redis is away.
type quiet struct{}

// Printf implements the client's logger.
func (quiet) Printf(ctx context.Context, format string, args ...any) {
	slog.DebugContext(ctx, "redis: "+fmt.Sprintf(format, args...))
}

// increment counts a batch of identities in one round trip, each by the number of its callers.
func (c *counters) increment(ctx context.Context, identities []string, callers []int) ([]tally, error) {
	tallies, err := c.breaker.Execute(func() (any, error) { return c.run(ctx, identities, callers) })
	if err != nil {
		return nil, err
	}
	return tallies.([]tally), nil
}

func (c *counters) run(ctx context.Context, identities []string, callers []int) ([]tally, error) {
	pipe := c.client.Pipeline()
	commands := make([]*redis.Cmd, len(identities))
	for i, identity := range identities {
		commands[i] = countScript.EvalSha(ctx, pipe, []string{counterName(identity)}, callers[i])
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	tallies := make([]tally, len(identities))
	for i, command := range commands {
		if redis.HasErrorPrefix(command.Err(), "NOSCRIPT") { // a Redis that was restarted
			command = countScript.Eval(ctx, c.client, []string{counterName(identities[i])}, callers[i])
		}
		if command.Err() != nil {
			return nil, command.Err()
		}
		var err error
		if tallies[i], err = readTally(command); err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

func readTally(command *redis.Cmd) (tally, error) {
	values, err := command.Int64Slice()
	if err != nil {
		return tally{}, err
	}
	if len(values) != 3 {
		return tally{}, errors.New("the counting script returned something else")
	}
	return tally{count: int(values[0]), reset: values[1], left: time.Duration(values[2]) * time.Microsecond}, nil
}

func counterName(identity string) string { return "ams:limit:{" + identity + "}" }

// localWindow is the current minute by our own clock, with nothing counted.
func localWindow(now time.Time) tally {
	end := now.Truncate(windowLength).Add(windowLength)
	return tally{reset: end.Unix(), left: end.Sub(now)}
}
