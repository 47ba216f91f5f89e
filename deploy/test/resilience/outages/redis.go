package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"ams.internal/deploy/devstack/testtools"
)

// redisStopped: each gateway counts by itself.
func redisStopped() row {
	return row{
		name:    "Redis, stopped",
		promise: "nothing fails; limits are counted per gateway; at least 95 % of the throughput",
		take: func(_ context.Context, r *run) error {
			r.redis.cut()
			return r.ground.Halt(syscall.SIGKILL, "redis")
		},
		during: func(ctx context.Context, r *run) error { return r.stillLimited(ctx) },
		back: func(ctx context.Context, r *run) error {
			return errors.Join(r.ground.Resume(ctx, "redis"), r.redis.mend())
		},
		judge: func(r *run) { r.noneFailed(r.samples, "") },
		then: func(ctx context.Context, r *run) error {
			return r.compareWithoutRedis(ctx, "with Redis away", func() error { return r.ground.Halt(syscall.SIGKILL, "redis") },
				func() error { return r.ground.Resume(ctx, "redis") })
		},
	}
}

func redisStalled() row {
	return row{
		name:    "Redis, stalled",
		promise: "nothing fails; limits are counted per gateway; at least 95 % of the throughput",
		take:    func(_ context.Context, r *run) error { return r.redis.stall() },
		during:  func(ctx context.Context, r *run) error { return r.stillLimited(ctx) },
		back: func(ctx context.Context, r *run) error {
			r.redis.clear(ctx)
			return nil
		},
		judge: func(r *run) { r.noneFailed(r.samples, "") },
		then: func(ctx context.Context, r *run) error {
			pid := r.ground.Description().PIDs["redis"]
			return r.compareWithoutRedis(ctx, "with Redis stalled", func() error { return syscall.Kill(pid, syscall.SIGSTOP) },
				func() error { return syscall.Kill(pid, syscall.SIGCONT) })
		},
	}
}

// redisEmptied: the counts of the minute are gone, and the script that counts with them.
func redisEmptied() row {
	return row{
		name:    "Redis, emptied",
		promise: "nothing fails",
		take: func(ctx context.Context, r *run) error {
			return r.tellRedis(ctx, "FLUSHALL", "SCRIPT FLUSH")
		},
		back:  func(context.Context, *run) error { return nil },
		judge: func(r *run) { r.noneFailed(r.samples, "") },
	}
}

// compareWithoutRedis measures at a gateway that reaches Redis without a line between, which would make Redis slower than it is.
func (r *run) compareWithoutRedis(ctx context.Context, what string, take, back func() error) error {
	address, err := testtools.FreeAddress()
	if err != nil {
		return err
	}
	d := r.stack.Description()
	gateway, err := r.another("gateway", "AMS_LISTEN="+address, "AMS_OPERATOR_LISTEN=127.0.0.1:0", "AMS_OPERATOR_TOKEN="+d.OperatorToken,
		"AMS_BASE_URL="+d.BaseURL, "AMS_REDIS_ADDR="+r.ground.Description().RedisAddr)
	if err != nil {
		return err
	}
	defer end(gateway)
	callers := newBalancer(ctx, []string{"http://" + address})
	if err := callers.ready(ctx); err != nil {
		return err
	}
	return r.compareThroughput(ctx, callers, what, take, back)
}

func (w *world) tellRedis(ctx context.Context, commands ...string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.ground.Description().RedisAddr)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	answers := bufio.NewReader(connection)
	for _, command := range commands {
		if _, err := connection.Write([]byte(command + "\r\n")); err != nil {
			return err
		}
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.HasPrefix(answer, "+OK") {
			return fmt.Errorf("Redis answers %q to %s (%w)", answer, command, err)
		}
	}
	return nil
}

// stillLimited uses up a key that may be used five times a minute, at each gateway.
func (r *run) stillLimited(ctx context.Context) error {
	const limit = 5
	keys, err := r.tenants[0].administrator.Keys(ctx, 1, limit)
	if err != nil {
		return err
	}
	for gateway := range r.balancer.gateways {
		passed, limited := 0, 0
		for range 3 * limit {
			switch a := r.balancer.at(ctx, gateway, call{method: http.MethodGet, path: "/v1/me", key: keys[0]}); {
			case a.err != nil:
				return a.err
			case a.status == http.StatusOK:
				passed++
			case a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "":
				limited++
			default:
				return unexpected("/v1/me", a.status, string(a.body))
			}
		}
		// A minute may end between two of them.
		r.promise(limited > 0 && passed <= 2*limit, "a key with a limit of %d a minute was let pass %d times and limited %d times at %s", limit, passed, limited, r.balancer.gateways[gateway])
	}
	return nil
}
