package fault

import (
	"sync"
	"sync/atomic"
	"time"
)

// LongestRetry is the most that Retry-After asks to wait, and what it asks where the cause will not pass by itself.
const LongestRetry = time.Minute

// Outage notes since when what failed on our side has failed without a success between, and makes the response honest about it: Retry-After
// is a quarter of the time that it lasts by now, and what has failed for LongestRetry is not called a matter of a moment. The zero value
// is ready.
type Outage struct {
	lasts atomic.Bool

	mu          sync.Mutex
	since, last time.Time
}

// Succeeded ends the outage.
func (o *Outage) Succeeded() { o.lasts.Store(false) }

// Failed notes a failure at a time, and gives the error to respond with. Errors that the caller can act on are no failures, and are given
// back as they are. Failures far apart are not one outage: nobody knows what was between them.
func (o *Outage) Failed(e *Error, now time.Time) *Error {
	if e.Kind != KindUnavailable && e.Kind != KindInternal {
		return e
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.lasts.Swap(true) || now.Sub(o.last) > 2*LongestRetry {
		o.since = now
	}
	o.last = now
	lasted := now.Sub(o.since)
	copied := *e
	switch {
	case e.Kind == KindUnavailable:
		copied.RetryAfter = max(e.RetryAfter, min(lasted/4, LongestRetry))
	case lasted >= LongestRetry:
		copied.Message = lastingMessage
	}
	return &copied
}

const lastingMessage = "Something is wrong on our side that does not pass by itself: trying again soon does not help. " +
	"Quote the request id when you ask for help."

// Lasting is a 500 whose cause does not pass by itself, such as a missing table.
func Lasting(cause error) *Error {
	return New(KindInternal, "internal", lastingMessage).WithCause(cause)
}
