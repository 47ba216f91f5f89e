package edge

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
)

// Retry-After grows with the time for which what is behind a route fails, in the region that the caller pinned.
func TestRetryAfterGrowsWithTheOutageOfARoute(t *testing.T) {
	assets, users := findRoute("/v1/assets"), findRoute("/v1/users")
	away := fault.Unavailable("service_unavailable", "The service is away.")
	for _, c := range []struct {
		name      string
		of        *route
		region    string
		lasts     time.Duration
		recovered bool
		want      string
	}{
		{"begins now", assets, "", 0, false, "1"},
		{"lasts 18 seconds", assets, "", 18 * time.Second, false, "5"},
		{"lasts 90 seconds", assets, "", 90 * time.Second, false, "23"},
		{"is over", assets, "", 18 * time.Second, true, "1"},
		{"is of another route", users, "", 18 * time.Second, false, "1"},
		{"is of a region that others pinned", assets, "us-east-1", 18 * time.Second, false, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newResponder(slog.New(slog.DiscardHandler))
			to := func(of *route, region string) (*call, *httptest.ResponseRecorder) {
				recorder := httptest.NewRecorder()
				return &call{ResponseWriter: recorder, headers: &commonHeaders{}, r: httptest.NewRequest("GET", of.prefix, nil), route: of,
					region: region, window: ratelimit.Window{Limit: 1}}, recorder
			}
			first, _ := to(c.of, c.region)
			w.outage(first).Failed(away, time.Now().Add(-c.lasts))
			if c.recovered {
				answered, _ := to(c.of, c.region)
				response := &http.Response{StatusCode: 200, Request: answered.r, Body: io.NopCloser(strings.NewReader("")), Header: http.Header{}}
				if err := w.respond(t.Context(), answered, response); err != nil {
					t.Fatal(err)
				}
			}
			refused, recorder := to(assets, "")
			w.refuse(t.Context(), refused, away)
			if got := recorder.Header().Get("Retry-After"); recorder.Code != 503 || got != c.want {
				t.Errorf("%d with Retry-After %q, want %s", recorder.Code, got, c.want)
			}
		})
	}
}
