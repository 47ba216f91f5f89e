package ratelimit

import (
	"errors"
	"sync"
	"time"
)

// mostPatience is how long a call of Redis may take, however slow Redis was lately.
const mostPatience = 500 * time.Millisecond

// patience says how long a call of Redis may take: four times what 99 of the last 256 calls in a hundred needed. A Redis that is
// slow under load keeps counting for all gateways together.
type patience struct {
	least, most time.Duration

	mu    sync.Mutex
	calls [256]time.Duration // the last ones, in a ring
	made  int                // calls, in all
}

func newPatience(least time.Duration) *patience {
	return &patience{least: least, most: max(least, mostPatience)}
}

// timeout is how long the next call may take.
func (p *patience) timeout() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.calls[:min(p.made, len(p.calls))]
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
	return min(max(4*longest[len(known)/100], p.least), p.most)
}

// note keeps how long a call took. One that failed at once says nothing; one that timed out needed what was waited, at least.
func (p *patience) note(took time.Duration, err error) {
	var slow interface{ Timeout() bool }
	if err != nil && !(errors.As(err, &slow) && slow.Timeout()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[p.made%len(p.calls)] = took
	p.made++
}
