package requests

import (
	"net"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// startRedis starts a Redis of the test's own, and gives its address and how it is ended.
func startRedis(t testing.TB) (address string, stop func()) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	command := exec.Command("redis-server", "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	if err := command.Start(); err != nil {
		t.Fatalf("redis-server (Debian package redis-server): %v", err)
	}
	stop = func() { _ = command.Process.Kill(); _ = command.Wait() }
	t.Cleanup(stop)
	address = "127.0.0.1:" + strconv.Itoa(port)
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close()
	testwait.ForSuccess(t, 20*time.Second, "Redis answers", func() error { return client.Ping(t.Context()).Err() })
	return address, stop
}

// Two instances count together; while Redis is away, each counts on from what it knows.
func TestInstancesCountTogether(t *testing.T) {
	address, stop := startRedis(t)
	clock := &clock{now: time.Now().Truncate(time.Hour).Add(time.Minute)} // no hour ends meanwhile
	instance := func() *counter {
		c, err := newCounter(address, time.Second, resourcetest.Log(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.redis.Close() })
		c.now = clock.time
		return c
	}
	one, two := instance(), instance()
	l := limit{"test", 6, time.Hour}
	taken := func(c *counter, who string, times int) (refused int) {
		for range times {
			if c.take(t.Context(), l, who) != nil {
				refused++
			}
		}
		return refused
	}
	if refused := taken(one, "a", 4) + taken(two, "a", 4); refused != 2 {
		t.Errorf("of 8 at two instances %d are refused, want 2", refused)
	}
	if refused := taken(one, "b", 6); refused != 0 {
		t.Errorf("somebody else is refused %d times", refused)
	}
	if taken(two, "c", 3) != 0 {
		t.Error("somebody is refused within the limit")
	}
	stop()
	if refused := taken(two, "c", 6); refused != 3 {
		t.Errorf("without Redis %d of 6 are refused after 3, want 3", refused)
	}
	clock.pass(time.Hour)
	if taken(one, "a", 6) != 0 {
		t.Error("the next hour begins with what was counted before")
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	clock := &clock{now: time.Now()}
	c := &counter{log: resourcetest.Log(t), now: clock.time, known: map[string]count{}}
	l := limit{"test", 1, time.Hour}
	for n := range maxKnown + 10 {
		if err := c.take(t.Context(), l, strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.known) > maxKnown {
		t.Errorf("%d counts are remembered", len(c.known))
	}
}
