package edge

import (
	"net/http"
	"testing"
	"time"

	"ams.internal/gateway/ratelimit"
)

// Every response has these headers: all their numbers are one text, and their values one array.
func TestTheCommonHeadersCostOneAllocation(t *testing.T) {
	header, values := http.Header{}, new(headerValues)
	w := limited{ratelimit.Window{Limit: 600, Count: 700, Reset: 1795000000}, byOrganization, 1500 * time.Millisecond}
	set := func() { values.set(header, "id", w, "ca-central-1") }
	set()
	for name, want := range map[string]string{"X-Request-Id": "id", "X-Served-Region": "ca-central-1", "X-RateLimit-Limit": "600",
		"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795000000", "RateLimit": `"organization";r=0;t=2`,
		"RateLimit-Policy": `"organization";q=600;w=60`} {
		if got := header[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, set); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
