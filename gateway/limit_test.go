package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// hammer sends n requests, at once as many as workers, to the gateways in turn, and counts the statuses.
func hammer(t testing.TB, n, workers int, key string, gateways ...*running) map[int]int {
	t.Helper()
	var mu sync.Mutex
	var sent atomic.Int64
	statuses := map[int]int{}
	var work sync.WaitGroup
	for range workers {
		work.Go(func() {
			for {
				i := sent.Add(1)
				if i > int64(n) {
					return
				}
				a, err := try("GET", gateways[int(i)%len(gateways)].url+"/v1/assets", key)
				if err != nil {
					t.Errorf("request: %v", err)
					return
				}
				mu.Lock()
				statuses[a.StatusCode]++
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return statuses
}

func TestTheLimitIsExactOverTwoGateways(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	many := func(c *Config) { c.KeyInFlight = 1000 }
	g1, g2 := w.start(many), w.start(many)
	withinOneMinute(20 * time.Second)
	for _, limit := range []int{1, 60} {
		key, _ := w.key(newKey{rateLimit: limit})
		statuses := hammer(t, 400, 64, key, g1, g2)
		if statuses[200] != limit || statuses[429] != 400-limit {
			t.Errorf("of 400 requests at a limit of %d: %v", limit, statuses)
		}
	}
}

func TestTheHeadersCountDownAndNameOneInstant(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	organization := newID()
	key, id := w.key(newKey{rateLimit: 3, organization: organization})
	withinOneMinute(10 * time.Second)
	paths := []string{"/v1/assets", "/v1/nothing", "/v1/projects"} // one limit for all paths, also for those that are refused
	for i, path := range paths {
		a := call(t, "GET", g.url+path, key)
		assertHeaders(t, a)
		if got := a.Header.Get("X-RateLimit-Limit") + " " + a.Header.Get("X-RateLimit-Remaining"); got != fmt.Sprintf("3 %d", 2-i) {
			t.Errorf("%s: %s", path, got)
		}
	}
	var resets []string
	for range 5 { // being refused prolongs nothing
		a := call(t, "GET", g.url+"/v1/assets", key)
		assertError(t, a, 429, "rate_limited")
		reset, _ := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64)
		retry, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		if at := time.Now().Add(time.Duration(retry) * time.Second); at.Unix() < reset || at.Unix() > reset+1 {
			t.Errorf("Retry-After %d leads to %d, Reset is %d", retry, at.Unix(), reset)
		}
		resets = append(resets, a.Header.Get("X-RateLimit-Reset"))
	}
	if resets[0] != resets[4] {
		t.Errorf("the window moved: %v", resets)
	}

	// The counter has the window in its name, lies in one slot per organization, and ends by itself.
	store := redis.NewClient(&redis.Options{Addr: w.redis.address})
	defer func() { _ = store.Close() }()
	reset, _ := strconv.ParseInt(resets[0], 10, 64)
	counter := fmt.Sprintf("ams:limit:{%s}:%s:%d", organization, id, reset-60)
	if life := store.TTL(context.Background(), counter).Val(); life <= 0 || life > 2*time.Minute {
		t.Errorf("%s lives %s", counter, life)
	}
	for _, name := range store.Keys(context.Background(), "*").Val() {
		if store.TTL(context.Background(), name).Val() < 0 {
			t.Errorf("%s never ends", name)
		}
	}
}

func TestWhoHasNoKeyIsCountedByAddress(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start(func(c *Config) { c.AddressLimit = 4; c.TrustedProxies = []string{"127.0.0.0/8"} })
	withinOneMinute(10 * time.Second)
	from := func(address, path string) *fullResponse {
		return call(t, "GET", g.url+path, "", "X-Forwarded-For", address)
	}
	for i := range 3 {
		if a := from("198.51.100.1", "/v1/assets"); a.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(3-i) {
			t.Errorf("remaining %s", a.Header.Get("X-RateLimit-Remaining"))
		}
	}
	if a := from("9.9.9.9, 198.51.100.1", "/docs"); a.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Error("what anybody wrote to the left of a proxy's entry was believed")
	}
	assertError(t, from("198.51.100.1", "/docs"), 429, "rate_limited")
	assertError(t, from("198.51.100.1", "/v1/assets"), 401, "key_missing") // the error still says what is wrong
	if a := from("198.51.100.2", "/docs"); a.StatusCode != 200 {
		t.Errorf("another address got %d", a.StatusCode)
	}
	if a := from("2001:db8::1", "/docs"); a.Header.Get("X-RateLimit-Remaining") != "3" {
		t.Error("IPv6")
	}
	if a := from("2001:db8::2", "/docs"); a.Header.Get("X-RateLimit-Remaining") != "2" {
		t.Error("a subscriber's other IPv6 address is counted as a new caller")
	}
}

func TestPreflightNeedsNoKeyAndCountsNowhere(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start(func(c *Config) { c.Origins = []string{"https://maps.example.ca"} })
	none := w.start()
	withinOneMinute(10 * time.Second)
	preflight := func(g *running, origin string) *fullResponse {
		return call(t, "OPTIONS", g.url+"/v1/assets", "", "Origin", origin, "Access-Control-Request-Method", "GET",
			"Access-Control-Request-Headers", "authorization")
	}
	before := call(t, "GET", g.url+"/docs", "").Header.Get("X-RateLimit-Remaining")
	a := preflight(g, "https://maps.example.ca")
	assertHeaders(t, a)
	if a.StatusCode != 204 || a.Header.Get("Access-Control-Allow-Origin") != "https://maps.example.ca" ||
		!strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	if a := preflight(g, "https://evil.example"); a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("any origin is allowed")
	}
	if a := preflight(none, "https://maps.example.ca"); a.StatusCode != 204 || a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("an origin is allowed although none is configured")
	}
	first, _ := strconv.Atoi(before)
	if after := call(t, "GET", g.url+"/docs", "").Header.Get("X-RateLimit-Remaining"); after != strconv.Itoa(first-1) {
		t.Errorf("remaining went from %s to %s", before, after)
	}
	key, _ := w.key(newKey{})
	a = call(t, "GET", g.url+"/v1/assets", key, "Origin", "https://maps.example.ca")
	for _, name := range []string{"X-RateLimit-Remaining", "Retry-After", "X-Request-Id", "ETag"} {
		if !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("%s is not exposed to pages", name)
		}
	}
	if a := call(t, "GET", g.url+"/v1/assets", "", "Origin", "https://maps.example.ca"); a.StatusCode != 401 ||
		a.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Error("a page cannot read why it was refused")
	}
}

func TestOneKeyCannotTakeAllPlaces(t *testing.T) {
	w := newFixture(t)
	hold, entered := make(chan struct{}), make(chan struct{}, 10)
	w.serve("assets", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "slow" {
			entered <- struct{}{}
			<-hold
		}
		echo(w, r)
	})
	g := w.start(func(c *Config) { c.KeyInFlight = 2 })
	key, _ := w.key(newKey{})
	other, _ := w.key(newKey{})
	var slow sync.WaitGroup
	for range 2 {
		slow.Go(func() { call(t, "GET", g.url+"/v1/assets?slow", key) })
		<-entered
	}
	assertError(t, call(t, "GET", g.url+"/v1/assets", key), 429, "too_many_in_flight")
	if a := call(t, "GET", g.url+"/v1/assets", other); a.StatusCode != 200 {
		t.Errorf("another key got %d", a.StatusCode)
	}
	close(hold)
	slow.Wait()
	for range 5 {
		if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != 200 {
			t.Errorf("after the slow ones have their responses: %d", a.StatusCode)
		}
	}
}

func TestRedisUnavailableAndRecovered(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start(func(c *Config) { c.RedisTimeout = 50 * time.Millisecond })
	withinOneMinute(20 * time.Second)
	key, _ := w.key(newKey{rateLimit: 10})
	for range 4 {
		call(t, "GET", g.url+"/v1/assets", key)
	}
	w.redis.stop()
	begin := time.Now()
	a := call(t, "GET", g.url+"/v1/assets", key)
	if took := time.Since(begin); a.StatusCode != 200 || took > time.Second {
		t.Errorf("the first request without Redis: %d after %s", a.StatusCode, took)
	}
	assertHeaders(t, a)
	statuses := hammer(t, 30, 4, key, g)
	if statuses[200] < 1 || statuses[200] > 5 || statuses[200]+statuses[429] != 30 {
		t.Errorf("4 of 10 were used, and one more; of 30 further requests without Redis: %v", statuses)
	}
	if warnings := strings.Count(g.logs.String(), "Redis is away"); warnings != 1 {
		t.Errorf("%d warnings", warnings)
	}
	other, _ := w.key(newKey{rateLimit: 1000})
	begin = time.Now()
	hammer(t, 100, 4, other, g)
	if each := time.Since(begin) / 25; each > 40*time.Millisecond {
		t.Errorf("a request takes %s while Redis is down: the breaker is not open", each)
	}

	w.redis.start()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(g.logs.String(), "Redis is back"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Redis is back and not used")
		}
		call(t, "GET", g.url+"/v1/assets", other)
	}
}

// At /mcp a key that is good is counted as a key is, and a token that the service took before by itself: others at the address, who have
// none, do not use up what they may send.
func TestWhoHasAGoodKeyAtMCPIsNotCountedByAddress(t *testing.T) {
	w := newFixture(t)
	var gone atomic.Bool
	w.serve("mcp", func(out http.ResponseWriter, r *http.Request) {
		if value := r.Header.Get("Authorization"); value == "Bearer stranger" || value == "Bearer token" && gone.Load() {
			out.WriteHeader(http.StatusUnauthorized)
			return
		}
		echo(out, r)
	})
	g := w.start(func(c *Config) { c.AddressLimit = 4; c.TrustedProxies = []string{"127.0.0.0/8"} })
	good, _ := w.key(newKey{rateLimit: 2}) // of what it calls at /v1
	revoked, _ := w.key(newKey{state: "revoked"})
	withinOneMinute(10 * time.Second)
	from := func(address, bearer string) *fullResponse {
		return call(t, "POST", g.url+"/mcp", bearer, "X-Forwarded-For", address)
	}
	if a := from("198.51.100.1", "token"); a.StatusCode != 200 || a.Header.Get("RateLimit-Policy") != `"address";q=4;w=60` {
		t.Errorf("a token for the first time: %d %v", a.StatusCode, a.Header)
	}
	for range 4 {
		from("198.51.100.1", revoked)
		from("198.51.100.1", "stranger")
	}
	assertError(t, from("198.51.100.1", revoked), 429, "rate_limited")
	assertError(t, from("198.51.100.1", "another"), 429, "rate_limited")
	for i := range 4 {
		a := from("198.51.100.1", good)
		if a.StatusCode != 200 || a.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(3-i) ||
			a.Header.Get("RateLimit-Policy") != `"key";q=4;w=60` {
			t.Errorf("a good key: %d %s %v", a.StatusCode, a.body, a.Header)
		}
	}
	assertError(t, from("198.51.100.2", good), 429, "rate_limited") // wherever it calls from
	for range 3 {
		if a := from("198.51.100.1", "token"); a.StatusCode != 200 {
			t.Errorf("a token that was taken: %d %s", a.StatusCode, a.body)
		}
	}
	gone.Store(true)
	if a := from("198.51.100.1", "token"); a.StatusCode != 401 {
		t.Errorf("a token that is refused: %d", a.StatusCode)
	}
	assertError(t, from("198.51.100.1", "token"), 429, "rate_limited") // a stranger's again
}
