package regions

import (
	"maps"
	"os/exec"
	"testing"
	"time"
)

// cut drops every packet between two addresses, in both directions, until mend is called or the test is over. The empty
// address is any.
func cut(t testing.TB, one, other string) (mend func()) {
	t.Helper()
	rules := [][]string{{"-s", one}, {"-d", one}}
	if other != "" {
		rules = [][]string{{"-s", one, "-d", other}, {"-s", other, "-d", one}}
	}
	change := func(how string) {
		t.Helper()
		for _, rule := range rules {
			arguments := append(append([]string{"-w", how, "INPUT"}, rule...), "-j", "DROP")
			if out, err := exec.Command("iptables", arguments...).CombinedOutput(); err != nil {
				t.Fatalf("iptables %v: %v %s", arguments, err, out)
			}
		}
	}
	change("-A")
	down := true
	mend = func() {
		if down {
			down = false
			change("-D")
		}
	}
	t.Cleanup(mend)
	return mend
}

// The whole region is out of reach: packets to it vanish, connections to it hang.
func TestARegionIsCutOff(t *testing.T) {
	inCanada, inStates := callers(t)
	paths := []string{"/v1/sites", "/v1/users", "/v1/work-orders", "/v1/me"}
	for _, path := range paths { // so that there are connections that nobody has closed
		inCanada.must(t, 200, "GET", path, nil, "X-Region", states)
	}
	before := product.Description().PIDs
	mend := cut(t, statesHost, "")

	var longest time.Duration
	timed := func(c caller, method, path string, body any, header ...string) response {
		begin := time.Now()
		got := c.do(t, method, path, body, header...)
		longest = max(longest, time.Since(begin))
		return got
	}
	site := inCanada.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name()}).object["id"].(string)
	for i := range 25 {
		for _, path := range paths {
			if got := timed(inCanada, "GET", path, nil); got.status != 200 || got.served != canada {
				t.Fatalf("round %d, %s: %d in %s: %s", i, path, got.status, got.served, got.body)
			}
		}
		if got := timed(inCanada, "POST", "/v1/work-orders", map[string]any{"title": "While cut off", "site_id": site}); got.status != 201 {
			t.Fatalf("round %d: %d %s", i, got.status, got.body)
		}
	}
	t.Logf("not pinned: %s at most", longest.Round(time.Millisecond))
	longest = 0
	for _, path := range paths {
		for range 3 {
			timed(inCanada, "GET", path, nil, "X-Region", states).says(t, 503)
		}
		t.Logf("%s pinned to the region that is cut off: %s at most", path, longest.Round(time.Millisecond))
		longest = 0
	}
	inCanada.do(t, "GET", "/v1/sites", nil, "X-Region", states).says(t, 503, states, "region_unavailable")
	inCanada.do(t, "GET", "/v1/sites", nil, "X-Region", "mars").says(t, 400, states) // it is still a region
	mend()

	awaitStreak(t)
	if got := inStates.must(t, 200, "GET", "/v1/sites/"+site, nil); got.served != states {
		t.Errorf("processed in %s", got.served)
	}
	if after := product.Description().PIDs; !maps.Equal(before, after) {
		t.Errorf("something was started again: %v, then %v", before, after)
	}
}

// Only the Consul servers do not hear of each other: what they last said of the other region stays in use, and no request
// waits for them, also not one that a program gets which has been started meanwhile.
func TestNoRequestWaitsForConsulOfAnotherRegion(t *testing.T) {
	inCanada, inStates := callers(t)
	mend := cut(t, statesHost, canadaConsul)
	resume := halt(t, canada, "workorders")
	resume()
	site := inStates.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name()}).object["id"].(string)
	var longest time.Duration
	for i := range 20 {
		for region, c := range map[string]caller{canada: inCanada, states: inStates} {
			begin := time.Now()
			for _, pin := range []string{canada, states} {
				if got := c.do(t, "GET", "/v1/sites?per_page=1", nil, "X-Region", pin); got.status != 200 || got.served != pin {
					t.Fatalf("round %d, pinned to %s at %s: %d in %s: %s", i, pin, region, got.status, got.served, got.body)
				}
			}
			if got := c.do(t, "POST", "/v1/work-orders", map[string]any{"title": "Without Consul's way", "site_id": site}); got.status != 201 {
				t.Fatalf("round %d at %s: %d %s", i, region, got.status, got.body)
			}
			longest = max(longest, time.Since(begin))
		}
	}
	t.Logf("three requests: %s at most", longest.Round(time.Millisecond))
	mend()
}
