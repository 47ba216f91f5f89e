package fault_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/fault"
)

// noon is when outages begin.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestALastingOutageDoesNotPromiseASecond(t *testing.T) {
	var outage fault.Outage
	away := fault.Unavailable("service_unavailable", "The service is away.")
	for _, c := range []struct{ after, want time.Duration }{
		{0, time.Second}, {2 * time.Second, time.Second}, {20 * time.Second, 5 * time.Second}, {2 * time.Minute, 30 * time.Second},
		{4 * time.Minute, time.Minute}, {6 * time.Minute, time.Minute}, {time.Hour, time.Second}, // an hour without a word: another outage
	} {
		if got := outage.Failed(away, noon.Add(c.after)).RetryAfter; got != c.want {
			t.Errorf("after %v: %v, want %v", c.after, got, c.want)
		}
	}
	outage.Succeeded()
	if got := outage.Failed(away, noon.Add(time.Hour+time.Minute)).RetryAfter; got != time.Second || away.RetryAfter != time.Second {
		t.Errorf("after a success: %v", got)
	}
}

func TestAnErrorThatStaysIsNotCalledAMatterOfAMoment(t *testing.T) {
	var outage fault.Outage
	broken, missing := fault.From(errors.New("the inside")), fault.NotFound("site", "1")
	if got := outage.Failed(broken, noon); !strings.Contains(got.Message, "safe to try again") {
		t.Error(got.Message)
	}
	if got := outage.Failed(missing, noon.Add(time.Minute)); got != missing {
		t.Errorf("what the caller can act on: %v", got)
	}
	got := outage.Failed(broken, noon.Add(fault.LongestRetry))
	if got.Message != fault.Lasting(nil).Message || got.Code != "internal" || got.Status() != 500 || got.RetryAfter != 0 ||
		got.Unwrap() == nil {
		t.Errorf("%+v", got)
	}
}
