package gateway

import (
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

func TestARedisThatIsSlowStillCountsForAllGateways(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	slow := slowed(t, w.redis.address)
	far := func(c *Config) { c.RedisAddr, c.RedisTimeout = slow.address, 50*time.Millisecond }
	g1, g2 := w.start(far), w.start(far)
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	back := func(g *running) int { return strings.Count(g.logs.String(), "Redis is back") }
	before := map[*running]int{g1: back(g1), g2: back(g2)} // on a busy machine it may have been away at the start
	slow.delay.Store(int64(100 * time.Millisecond))        // two times the least time-out
	for _, g := range []*running{g1, g2} {
		testwait.For(t, 30*time.Second, "the gateway takes the time that Redis needs", func() bool {
			call(t, "GET", g.url+"/v1/assets", key)
			return back(g) > before[g]
		})
	}
	var statuses map[int]int
	for range 5 { // a busy machine may make it slower than it has just been; a gateway counts by itself then, for once
		limited, _ := w.key(newKey{rateLimit: 20})
		withinOneMinute(30 * time.Second)
		if statuses = hammer(t, 60, 4, limited, g1, g2); statuses[200] == 20 {
			return
		}
	}
	t.Errorf("of 60 requests at a limit of 20: %v", statuses)
}
