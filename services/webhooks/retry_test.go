package webhooks

import (
	"slices"
	"testing"
	"time"
)

func TestRetriesComeAfterLongerAndLongerTimes(t *testing.T) {
	if _, more := retryDelay(len(retryDelays) + 1); more || len(retryDelays) != 10 {
		t.Error("there are ten retries")
	}
	for n, want := range retryDelays {
		var got []time.Duration
		for range 200 {
			delay, more := retryDelay(n + 1)
			if !more || delay < want || delay > want+want/5 {
				t.Fatalf("after failure %d: %v", n+1, delay)
			}
			got = append(got, delay)
		}
		if slices.Min(got) == slices.Max(got) {
			t.Error("no jitter")
		}
	}
}

func TestWhatAResponseMeansAndHowLongAThrottledDeliveryWaits(t *testing.T) {
	now := time.Date(2026, 5, 12, 8, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": defaultPause, "7": 7 * time.Second, " 7 ": 7 * time.Second, "0": time.Second, "-5": time.Second, "soon": defaultPause,
		"86400":                         maxPause,
		"Tue, 12 May 2026 08:02:00 GMT": 2 * time.Minute, "Tue, 12 May 2026 07:00:00 GMT": time.Second,
	} {
		if got := parseRetryAfter(header, now); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	for name, row := range map[string]struct {
		a    attempt
		want outcome
	}{
		"200": {attempt{responseStatus: 200}, succeeded}, "299": {attempt{responseStatus: 299}, succeeded},
		"304": {attempt{responseStatus: 304}, failed},
		"400": {attempt{responseStatus: 400}, failed}, "410": {attempt{responseStatus: 410}, refused},
		"429": {attempt{responseStatus: 429}, throttled},
		"503": {attempt{responseStatus: 503}, failed}, "503 with Retry-After": {attempt{responseStatus: 503,
			responseHeaders: map[string]string{"Retry-After": "5"}}, throttled},
		"500 with Retry-After": {attempt{responseStatus: 500, responseHeaders: map[string]string{"Retry-After": "5"}}, failed},
		"no answer":            {attempt{failure: "x"}, failed},
	} {
		if got, _ := row.a.outcome(); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
