package regions

import (
	"testing"

	"ams.internal/libs/testwait"
)

// When nobody of a service is left in a region, the next region takes over at once, in both directions, and gives back.
func TestTheNearestRegionTakesOverAndGivesBack(t *testing.T) {
	inCanada, inStates := callers(t)
	for _, down := range []struct {
		region, other string
		here          caller
	}{{canada, states, inCanada}, {states, canada, inStates}} {
		resume := halt(t, down.region, "assets")
		for i := range 20 {
			got := down.here.must(t, 200, "GET", "/v1/sites?per_page=1", nil)
			if got.served != down.other {
				t.Fatalf("request %d without assets in %s was processed in %s", i, down.region, got.served)
			}
		}
		down.here.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name() + down.region})
		down.here.do(t, "GET", "/v1/sites", nil, "X-Region", down.region).says(t, 503, down.region, "region_unavailable")
		if got := down.here.must(t, 200, "GET", "/v1/users", nil); got.served != down.region {
			t.Errorf("another service of %s was processed in %s", down.region, got.served)
		}
		resume()
		testwait.For(t, timeout, down.region+" processes its own again", func() bool {
			got := down.here.must(t, 200, "GET", "/v1/sites?per_page=1", nil)
			return got.served == down.region
		})
	}
}
