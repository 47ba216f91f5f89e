package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker/v2"

	"ams.internal/gateway/keys"
)

// WindowLength is the length of a window. The scripts have it too.
const WindowLength = time.Minute

// item is what the callers of a batch have in common: what they are counted by.
type item struct {
	counter      string // without its window
	limit        int
	organization string // empty: nothing is counted for one
	perMinute    int    // requests of the organization
	places       places
}

// tally is Redis' reply about an item.
type tally struct {
	count        int // of the counter
	reset        int64
	left         time.Duration
	organization int     // counted for the organization
	others       numbers // what other gateways have in progress for the organization
}

// forCaller gives the windows of one caller of the item: place counts from 0. Those within the limit come first, and they alone
// are counted for the organization.
func (t tally) forCaller(what item, place, callers int) windows {
	window := func(limit, count int) Window { return Window{Limit: limit, Count: count, Reset: t.reset, Left: t.left} }
	counted := windows{key: window(what.limit, t.count-callers+place+1)}
	if what.organization != "" && !counted.key.Over() {
		within := min(callers, what.limit-t.count+callers)
		counted.organization = window(what.perMinute, t.organization-within+place+1)
	}
	return counted
}

// counting is how the scripts begin. They are atomic, the clock is Redis' own (one for all gateways), a counter's name has the
// window in it and a counter always has a life time. All names of a call lie in one slot, because of their hash tag.
const counting = `
local time = redis.call('TIME')
local second = tonumber(time[1])
local reset = second - second % 60 + 60
local function add(name, number)
  local counter = name .. ':' .. (reset - 60)
  local count = redis.call('INCRBY', counter, number)
  if count == number then
    redis.call('EXPIRE', counter, 120)
  end
  return count
end
`

// countScript adds to the counter of the current minute.
var countScript = redis.NewScript(counting + `
local count = add(KEYS[1], tonumber(ARGV[1]))
return {count, reset, (reset - second) * 1000000 - tonumber(time[2]), 0, 0, 0, 0}
`)

// admitScript adds to the counters of a key and of its organization: to the latter as many as are within the key's limit. It
// gives what the other gateways have in progress for the organization, and keeps what this one has: with those that will get one
// of the places that are left.
var admitScript = redis.NewScript(counting + `
local callers = tonumber(ARGV[1])
local count = add(KEYS[1], callers)
local within = math.max(0, math.min(callers, tonumber(ARGV[2]) - count + callers))
local counted = add(KEYS[2], within)

local others = {0, 0, 0}
local all = redis.call('HGETALL', KEYS[3])
for i = 1, #all, 2 do
  if all[i] ~= ARGV[3] then
    local at, requests, streams, polls = string.match(all[i + 1], '^(%d+) (%d+) (%d+) (%d+)$')
    if at and second - tonumber(at) <= 5 then
      others = {others[1] + requests, others[2] + streams, others[3] + polls}
    else
      redis.call('HDEL', KEYS[3], all[i])
    end
  end
end
local own = {}
for i = 1, 3 do
  local running = tonumber(ARGV[3 + i])
  local left = math.max(0, tonumber(ARGV[9 + i]) - others[i] - running)
  own[i] = running + math.min(tonumber(ARGV[6 + i]), left)
end
redis.call('HSET', KEYS[3], ARGV[3], table.concat({time[1], own[1], own[2], own[3]}, ' '))
redis.call('EXPIRE', KEYS[3], 10)
return {count, reset, (reset - second) * 1000000 - tonumber(time[2]), counted, others[1], others[2], others[3]}
`)

// reportScript keeps what this gateway has in progress for an organization.
var reportScript = redis.NewScript(`
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], table.concat({redis.call('TIME')[1], ARGV[2], ARGV[3], ARGV[4]}, ' '))
  redis.call('EXPIRE', KEYS[1], 10)
end
return 0
`)

// takeBackScript takes one from a counter that is there.
var takeBackScript = redis.NewScript(`
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then
  redis.call('DECR', KEYS[1])
end
return 0
`)

// counters are the counts of all gateways, in Redis.
type counters struct {
	client  redis.UniversalClient
	breaker *gobreaker.CircuitBreaker[any]
	timeout *adaptiveTimeout
	gateway string // a name for this process, among the gateways
	flying  func(name string) (running, waiting numbers)
}

func newCounters(
	address string, timeout time.Duration, flying func(name string) (running, waiting numbers),
) (*counters, error) {
	callTimeout := newAdaptiveTimeout(timeout)
	options := &redis.UniversalOptions{Addrs: strings.Split(address, ",")}
	if strings.Contains(address, "://") {
		parsed, err := redis.ParseURL(address)
		if err != nil {
			return nil, fmt.Errorf("the Redis address cannot be used: %w", err)
		}
		options = &redis.UniversalOptions{Addrs: []string{parsed.Addr}, Username: parsed.Username, Password: parsed.Password, DB: parsed.DB,
			TLSConfig: parsed.TLSConfig}
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = callTimeout.max, callTimeout.max, callTimeout.max
	options.PoolTimeout = callTimeout.max
	options.ContextTimeoutEnabled = true
	options.DialerRetries = 1 // a Redis that refuses connections is away at once
	options.MaxRetries = -1   // a repeated increment would count twice
	options.PoolSize = 8
	options.Protocol = 2
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	redis.SetLogger(quiet{})
	return &counters{
		client: redis.NewUniversalClient(options), timeout: callTimeout, gateway: uuid.NewString(), flying: flying,
		breaker: gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
			Name: "redis", Timeout: time.Second,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 3 },
		}),
	}, nil
}

// quiet drops what the Redis client writes about each failed connection: the limiter says once that Redis is away.
type quiet struct{}

// Printf implements the client's logger.
func (quiet) Printf(ctx context.Context, format string, args ...any) {
	slog.DebugContext(ctx, "redis: "+fmt.Sprintf(format, args...))
}

// call makes a round trip, no longer than Redis lately needed. While Redis is away it fails at once. A caller who goes does not end
// it: that would look as if Redis had failed.
func (c *counters) call(ctx context.Context, roundTrip func(ctx context.Context) error) error {
	_, err := c.breaker.Execute(func() (any, error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout.next())
		defer cancel()
		began := time.Now()
		err := roundTrip(limited)
		c.timeout.note(time.Since(began), err)
		return nil, err
	})
	return err
}

// increment counts a batch of items in one round trip, each by the number of its callers.
func (c *counters) increment(ctx context.Context, items []item, callers []int) (tallies []tally, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		tallies, err = c.run(ctx, items, callers)
		return err
	})
	return tallies, err
}

func (c *counters) run(ctx context.Context, items []item, callers []int) ([]tally, error) {
	scripts := make([]scriptCall, len(items))
	for i, what := range items {
		scripts[i] = scriptCall{countScript, []string{what.counter}, []any{callers[i]}}
		if what.organization != "" {
			scripts[i] = c.admit(what, callers[i])
		}
	}
	commands := c.pipeline(ctx, scripts)
	tallies := make([]tally, len(items))
	for i, command := range commands {
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

func (c *counters) admit(what item, callers int) scriptCall {
	running, waiting := c.flying(what.places.name)
	limit := what.places.limit
	return scriptCall{admitScript, []string{what.counter, counterOf(what.organization), flightsOf(what.places.name)}, []any{
		callers, what.limit, c.gateway, running.requests, running.streams, running.longPolls,
		waiting.requests, waiting.streams, waiting.longPolls, limit.requests, limit.streams, limit.longPolls,
	}}
}

// report keeps what this gateway has in progress, in one round trip.
func (c *counters) report(ctx context.Context, reports []report) error {
	scripts := make([]scriptCall, len(reports))
	for i, of := range reports {
		scripts[i] = scriptCall{reportScript, []string{flightsOf(of.name)},
			[]any{c.gateway, of.running.requests, of.running.streams, of.running.longPolls}}
	}
	return c.call(ctx, func(ctx context.Context) error {
		for _, command := range c.pipeline(ctx, scripts) {
			if command.Err() != nil {
				return command.Err()
			}
		}
		return nil
	})
}

// takeBack takes one from a counter of the window that ends at reset.
func (c *counters) takeBack(ctx context.Context, counter string, reset int64) error {
	return c.call(ctx, func(ctx context.Context) error {
		return takeBackScript.Run(ctx, c.client, []string{inWindow(counter, reset)}).Err()
	})
}

// read gives the count of the window that ends at reset.
func (c *counters) read(ctx context.Context, counter string, reset int64) (count int, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		count, err = c.client.Get(ctx, inWindow(counter, reset)).Int()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	return count, err
}

// scriptCall is one call of a script.
type scriptCall struct {
	script    *redis.Script
	keys      []string
	arguments []any
}

// pipeline calls scripts in one round trip. Each command has its own error.
func (c *counters) pipeline(ctx context.Context, calls []scriptCall) []*redis.Cmd {
	pipe := c.client.Pipeline()
	commands := make([]*redis.Cmd, len(calls))
	for i, call := range calls {
		commands[i] = call.script.EvalSha(ctx, pipe, call.keys, call.arguments...)
	}
	_, _ = pipe.Exec(ctx)
	for i, call := range calls {
		if redis.HasErrorPrefix(commands[i].Err(), "NOSCRIPT") { // a Redis that was restarted
			commands[i] = call.script.Eval(ctx, c.client, call.keys, call.arguments...)
		}
	}
	return commands
}

func readTally(command *redis.Cmd) (tally, error) {
	values, err := command.Int64Slice()
	if err != nil {
		return tally{}, err
	}
	if len(values) != 7 {
		return tally{}, errors.New("the counting script returned something else")
	}
	return tally{
		count: int(values[0]), reset: values[1], left: time.Duration(values[2]) * time.Microsecond, organization: int(values[3]),
		others: numbers{int(values[4]), int(values[5]), int(values[6])},
	}, nil
}

// counterOf is the counter of an identity or an organization, without its window.
func counterOf(identity string) string { return "ams:limit:{" + identity + "}" }

// counterOfKey is that of a key: beside its organization's.
func counterOfKey(k *keys.Key) string { return counterOf(k.Organization) + ":" + k.ID }

// flightsOf has what each gateway has in progress of some places.
func flightsOf(places string) string { return "ams:flight:" + places }

// inWindow is the name of a counter in the window that ends at reset.
func inWindow(counter string, reset int64) string {
	return counter + ":" + strconv.FormatInt(reset-int64(WindowLength.Seconds()), 10)
}
