package ratelimit

import (
	"errors"
	"sync"
	"time"
)

// maxRedisTimeout is how long a call to Redis may take, however slow Redis was lately.
const maxRedisTimeout = 500 * time.Millisecond

// adaptiveTimeout is how long a call to Redis may take: four times the 99th percentile of the last 256 calls. So a Redis that is slow under
// load keeps counting for all gateways together.
type adaptiveTimeout struct {
	min, max time.Duration

	mu    sync.Mutex
	calls [256]time.Duration // the last ones, in a ring
	made  int                // calls, in all
}

func newAdaptiveTimeout(minimum time.Duration) *adaptiveTimeout {
	return &adaptiveTimeout{min: minimum, max: max(minimum, maxRedisTimeout)}
}

// next is how long the next call may take.
func (t *adaptiveTimeout) next() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.calls[:min(t.made, len(t.calls))]
	// The 99th percentile of 200 calls or more is the third longest, of 100 or more the second, of fewer the longest.
	var longest [3]time.Duration
	for _, took := range known {
		switch {
		case took > longest[0]:
			longest = [3]time.Duration{took, longest[0], longest[1]}
		case took > longest[1]:
			longest[1], longest[2] = took, longest[1]
		case took > longest[2]:
			longest[2] = took
		}
	}
	return min(max(4*longest[len(known)/100], t.min), t.max)
}

// note records how long a call took. One that failed at once says nothing; one that timed out needed what was waited, at least.
func (t *adaptiveTimeout) note(took time.Duration, err error) {
	var slow interface{ Timeout() bool }
	if err != nil && !(errors.As(err, &slow) && slow.Timeout()) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[t.made%len(t.calls)] = took
	t.made++
}
