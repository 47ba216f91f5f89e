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

	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/localport"
)

// redisStopped: each gateway counts by itself.
func redisStopped() scenario {
	return scenario{
		name:    "Redis, stopped",
		promise: "nothing fails; limits are counted per gateway; at least 95 % of the throughput",
		inject: func(_ context.Context, r *run) error {
			r.redis.cut()
			return r.infrastructure.Halt(syscall.SIGKILL, "redis")
		},
		during: func(ctx context.Context, r *run) error { return r.stillLimited(ctx) },
		restore: func(ctx context.Context, r *run) error {
			return errors.Join(r.infrastructure.Resume(ctx, "redis"), r.redis.mend())
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
		after: func(ctx context.Context, r *run) error {
			return r.compareWithoutRedis(ctx, "with Redis away", func() error { return r.infrastructure.Halt(syscall.SIGKILL, "redis") },
				func() error { return r.infrastructure.Resume(ctx, "redis") })
		},
	}
}

func redisStalled() scenario {
	return scenario{
		name:    "Redis, stalled",
		promise: "nothing fails; limits are counted per gateway; at least 95 % of the throughput",
		inject:  func(_ context.Context, r *run) error { return r.redis.stall() },
		during:  func(ctx context.Context, r *run) error { return r.stillLimited(ctx) },
		restore: func(ctx context.Context, r *run) error {
			r.redis.clear(ctx)
			return nil
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
		after: func(ctx context.Context, r *run) error {
			pid := r.infrastructure.Description().PIDs["redis"]
			return r.compareWithoutRedis(ctx, "with Redis stalled", func() error { return syscall.Kill(pid, syscall.SIGSTOP) },
				func() error { return syscall.Kill(pid, syscall.SIGCONT) })
		},
	}
}

// redisEmptied: the counts of the minute are lost, and so is the script that counts with them.
func redisEmptied() scenario {
	return scenario{
		name:    "Redis, emptied",
		promise: "nothing fails",
		inject: func(ctx context.Context, r *run) error {
			return r.commandRedis(ctx, "FLUSHALL", "SCRIPT FLUSH")
		},
		restore:  func(context.Context, *run) error { return nil },
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
	}
}

// compareWithoutRedis measures at a gateway that reaches Redis without a line between, which would make Redis slower than it is.
func (r *run) compareWithoutRedis(ctx context.Context, what string, inject, restore func() error) error {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return err
	}
	d := r.stack.Description()
	gateway, err := r.another("gateway", "AMS_LISTEN="+address, "AMS_OPERATOR_LISTEN=127.0.0.1:0", "AMS_OPERATOR_TOKEN="+d.AdminToken,
		"AMS_BASE_URL="+d.BaseURL, "AMS_REDIS_ADDR="+r.infrastructure.Description().RedisAddr)
	if err != nil {
		return err
	}
	defer end(gateway)
	callers := load.NewBalancer(ctx, []string{"http://" + address})
	limited, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	if err := callers.AwaitReady(limited); err != nil {
		return err
	}
	return r.compareThroughput(ctx, callers, what, inject, restore)
}

func (f *fixture) commandRedis(ctx context.Context, commands ...string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", f.infrastructure.Description().RedisAddr)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	replies := bufio.NewReader(connection)
	for _, command := range commands {
		if _, err := connection.Write([]byte(command + "\r\n")); err != nil {
			return err
		}
		reply, err := replies.ReadString('\n')
		if err != nil || !strings.HasPrefix(reply, "+OK") {
			return fmt.Errorf("Redis answers %q to %s (%w)", reply, command, err)
		}
	}
	return nil
}

// stillLimited uses up a key that may be used five times a minute, at each gateway.
func (r *run) stillLimited(ctx context.Context) error {
	const limit = 5
	keys, err := r.organizations[0].MakeKeys(ctx, 1, limit)
	if err != nil {
		return err
	}
	for gateway := range r.balancer.Gateways {
		passed, limited := 0, 0
		for range 3 * limit {
			switch a := r.balancer.At(ctx, gateway, load.Call{Method: http.MethodGet, Path: "/v1/me", Key: keys[0]}); {
			case a.Err != nil:
				return a.Err
			case a.Status == http.StatusOK:
				passed++
			case a.Status == http.StatusTooManyRequests && a.Header.Get("Retry-After") != "":
				limited++
			default:
				return unexpected("/v1/me", a.Status, string(a.Body))
			}
		}
		// A minute may end between two of them.
		r.promise(limited > 0 && passed <= 2*limit, "a key with a limit of %d a minute was let pass %d times and limited %d times at %s", limit,
			passed, limited, r.balancer.Gateways[gateway])
	}
	return nil
}
