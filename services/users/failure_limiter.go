package users

import (
	"sync"
	"time"
)

// failureLimiter limits failed attempts per client in a fixed window. It counts in this process only. That is enough, because the
// tokens that it protects cannot be guessed in any number of attempts: it limits what guessing costs us.
type failureLimiter struct {
	max    int
	window time.Duration

	mu        sync.Mutex
	windowEnd time.Time
	failures  map[string]int
}

// wait gives how long a client must wait before the next attempt; 0: it need not.
func (t *failureLimiter) wait(client string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if left := time.Until(t.windowEnd); left > 0 && t.failures[client] >= t.max {
		return left
	}
	return 0
}

// fail counts a failed attempt.
func (t *failureLimiter) fail(client string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Until(t.windowEnd) <= 0 || t.failures == nil {
		t.windowEnd, t.failures = time.Now().Add(t.window), map[string]int{}
	}
	t.failures[client]++
}
