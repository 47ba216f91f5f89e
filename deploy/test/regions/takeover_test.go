package regions

import "testing"

// When nobody of a service is left in a region, the next region takes over at once, in both directions, and gives back.
func TestTheNearestRegionTakesOverAndGivesBack(t *testing.T) {
	inCanada, inStates := callers(t)
	for _, gone := range []struct {
		region, other string
		here          caller
	}{{canada, states, inCanada}, {states, canada, inStates}} {
		resume := halt(t, gone.region, "assets")
		for i := range 20 {
			got := gone.here.must(t, 200, "GET", "/v1/sites?per_page=1", nil)
			if got.served != gone.other {
				t.Fatalf("request %d without assets in %s was processed in %s", i, gone.region, got.served)
			}
		}
		gone.here.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name() + gone.region})
		gone.here.do(t, "GET", "/v1/sites", nil, "X-Region", gone.region).says(t, 503, gone.region, "region_unavailable")
		if got := gone.here.must(t, 200, "GET", "/v1/users", nil); got.served != gone.region {
			t.Errorf("another service of %s was processed in %s", gone.region, got.served)
		}
		resume()
		await(t, gone.region+" processes its own again", func() bool {
			got := gone.here.must(t, 200, "GET", "/v1/sites?per_page=1", nil)
			return got.served == gone.region
		})
	}
}
