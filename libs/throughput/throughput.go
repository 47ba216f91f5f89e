// Package throughput finds senders and readers that are too slow to be worth the connection and the buffers that are held for them.
package throughput

import (
	"fmt"
	"time"
)

// Minimum is the throughput that the sender or reader of one body must have: BytesPerSecond over each Window. Only the time that was spent
// on them counts: they are not slow when there is nothing to send, or when nobody takes what they send.
type Minimum struct {
	BytesPerSecond int
	Window         time.Duration

	bytes int
	spent time.Duration
}

// TooSlow is the error of a sender or reader below the minimum.
type TooSlow struct {
	Rate    float64 // of the last window, in bytes a second
	Minimum int     // that it must be
}

// Error implements error.
func (e *TooSlow) Error() string {
	return fmt.Sprintf("%.0f bytes a second, where %d are the least", e.Rate, e.Minimum)
}

// Took adds a piece and the time that it took, and gives a *TooSlow at the end of a window that had too few bytes.
func (m *Minimum) Took(bytes int, spent time.Duration) error {
	m.bytes, m.spent = m.bytes+bytes, m.spent+spent
	if m.spent < m.Window {
		return nil
	}
	rate := float64(m.bytes) / m.spent.Seconds()
	if m.bytes, m.spent = 0, 0; rate < float64(m.BytesPerSecond) {
		return &TooSlow{rate, m.BytesPerSecond}
	}
	return nil
}
