package main

import (
	"context"
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ams.internal/libs/localport"
)

// redisServer is a real Redis.
type redisServer struct {
	t       testing.TB
	address string
	command *exec.Cmd
}

func startRedis(t testing.TB) *redisServer {
	t.Helper()
	r := &redisServer{t: t, address: localport.ForTest(t)}
	t.Cleanup(r.stop)
	r.start()
	return r
}

func (r *redisServer) start() {
	r.t.Helper()
	_, port, _ := net.SplitHostPort(r.address)
	r.command = exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	r.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.command.Start(); err != nil {
		r.t.Fatalf("redis-server (Debian package redis-server): %v", err)
	}
	probe := redis.NewClient(&redis.Options{Addr: r.address, MaxRetries: -1})
	defer func() { _ = probe.Close() }()
	for deadline := time.Now().Add(10 * time.Second); probe.Ping(context.Background()).Err() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatal("redis-server does not respond")
		}
	}
}

func (r *redisServer) stop() {
	if r.command != nil {
		_ = r.command.Process.Kill()
		_ = r.command.Wait()
		r.command = nil
	}
}
