package gateway

import (
	"context"
	"io"
	"net"
	"os/exec"
	"sync/atomic"
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

// slowRedis passes on what is said to a Redis, and what that replies after a delay.
type slowRedis struct {
	address string
	delay   atomic.Int64 // of each piece of a reply, as time.Duration
}

func slowed(t testing.TB, redis string) *slowRedis {
	t.Helper()
	listener, err := net.Listen("tcp", localport.ForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &slowRedis{address: listener.Addr().String()}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go s.pass(in, redis)
		}
	}()
	return s
}

func (s *slowRedis) pass(in net.Conn, redis string) {
	defer func() { _ = in.Close() }()
	out, err := net.Dial("tcp", redis)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
	piece := make([]byte, 64<<10)
	for {
		n, err := out.Read(piece)
		time.Sleep(time.Duration(s.delay.Load()))
		if _, failed := in.Write(piece[:n]); err != nil || failed != nil {
			return
		}
	}
}
