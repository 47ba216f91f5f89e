package main

import (
	"sync"
	"time"
)

// tries counts what failed within one window of time, by whoever tried. It is of this process alone: what it slows down
// could not be guessed in any number of tries; it keeps guessing from costing us much.
type tries struct {
	most   int
	window time.Duration

	mu     sync.Mutex
	until  time.Time
	failed map[string]int
}

// wait is how long who must wait before the next try; 0: not at all.
func (t *tries) wait(who string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if left := time.Until(t.until); left > 0 && t.failed[who] >= t.most {
		return left
	}
	return 0
}

// fail notes a try that failed.
func (t *tries) fail(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Until(t.until) <= 0 || t.failed == nil {
		t.until, t.failed = time.Now().Add(t.window), map[string]int{}
	}
	t.failed[who]++
}
