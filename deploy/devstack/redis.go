package devstack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// redisProcess is a private Redis that keeps what it holds over restarts.
func redisProcess(folder, logs, address string) (*process, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("Redis is not installed: run deploy/install.sh, or give one in AMS_REDIS_ADDR")
	}
	data := filepath.Join(folder, "redis")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	return &process{
		name: "redis", program: program, environment: os.Environ(), directory: data, address: address,
		arguments:  []string{"--bind", "127.0.0.1", "--port", port, "--dir", data, "--appendonly", "yes", "--save", "", "--daemonize", "no"},
		ready:      func(ctx context.Context) error { return redisResponds(ctx, address) },
		stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGTERM,
		logPath: filepath.Join(logs, "redis.log"),
	}, nil
}

// hostOf gives the first host and port of what AMS_REDIS_ADDR may hold: host:port, several with commas, or a URL.
func hostOf(given string) string {
	if u, err := url.Parse(given); err == nil && u.Host != "" {
		return u.Host
	}
	first, _, _ := strings.Cut(given, ",")
	return first
}

// redisResponds says PING and expects PONG: one that is still loading its file replies something else.
func redisResponds(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if _, err := connection.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	reply, err := bufio.NewReader(connection).ReadString('\n')
	// A Redis from outside that wants a password is there as well; who is given the password is not our business.
	if err != nil || !strings.HasPrefix(reply, "+PONG") && !strings.HasPrefix(reply, "-NOAUTH") {
		return errors.Join(err, fmt.Errorf("Redis answered %q to PING", strings.TrimSpace(reply)))
	}
	return nil
}
