// Package pace detects senders and readers that are so slow that the connection and buffers held for them cost too much.
package pace

import (
	"fmt"
	"time"
)

// Pace is what somebody must keep: Least bytes a second over each Window. Only the time that was spent on them counts: where there was
// nothing to send, or nobody took what they sent, they were not slow. A Pace is for one body.
type Pace struct {
	Least  int // bytes a second
	Window time.Duration

	bytes int
	spent time.Duration
}

// TooSlow is the error of who does not keep a pace.
type TooSlow struct {
	Rate  float64 // bytes a second in the last window
	Least int     // those that it must be
}

// Error implements error.
func (e *TooSlow) Error() string {
	return fmt.Sprintf("%.0f bytes a second, where %d are the least", e.Rate, e.Least)
}

// Took counts a piece and the time that it took, and gives a *TooSlow at the end of a window that had too few bytes.
func (p *Pace) Took(bytes int, spent time.Duration) error {
	p.bytes, p.spent = p.bytes+bytes, p.spent+spent
	if p.spent < p.Window {
		return nil
	}
	rate := float64(p.bytes) / p.spent.Seconds()
	if p.bytes, p.spent = 0, 0; rate < float64(p.Least) {
		return &TooSlow{rate, p.Least}
	}
	return nil
}
