package ratelimit

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTimeoutFollowsWhatRedisNeeded(t *testing.T) {
	const ms = time.Millisecond
	p := newAdaptiveTimeout(50 * ms)
	expect := func(when string, want time.Duration) {
		t.Helper()
		if got := p.next(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	notes := func(n int, took time.Duration, err error) {
		for range n {
			p.note(took, err)
		}
	}
	expect("at first", 50*ms)
	notes(300, ms, nil)
	expect("a fast Redis", 50*ms)
	notes(2, 80*ms, nil)
	expect("2 slow calls of 256", 50*ms)
	notes(1, 30*ms, nil)
	expect("3 slow calls of 256", 120*ms)
	notes(3, 100*ms, context.DeadlineExceeded)
	expect("after calls that timed out", 400*ms)
	notes(10, time.Second, nil)
	expect("a very slow Redis", 500*ms)
	notes(400, ms, errors.New("connection refused"))
	expect("a call that failed at once says nothing", 500*ms)
	notes(256, ms, nil)
	expect("it has recovered", 50*ms)
	p = newAdaptiveTimeout(2 * time.Second)
	notes(10, 3*time.Second, nil)
	expect("a least that is above the most", 2*time.Second)
}
