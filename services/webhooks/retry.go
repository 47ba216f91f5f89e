package webhooks

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryDelays are the delays after each failure of a delivery: about three days altogether. After the last the delivery has failed.
var retryDelays = []time.Duration{
	5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is the largest share by which a delay is lengthened, so that deliveries that failed together are not retried together.
	jitter = 0.2
	// blockingFailures is how often a delivery may fail before it no longer holds up later deliveries about its record.
	blockingFailures = 4
	// defaultPause is for a receiver that throttles us without Retry-After.
	defaultPause = 30 * time.Second
	// maxPause limits Retry-After.
	maxPause = time.Hour
)

// retryDelay gives the delay after the nth failure, and whether the delivery is retried at all.
func retryDelay(failures int) (time.Duration, bool) {
	if failures < 1 || failures > len(retryDelays) {
		return 0, false
	}
	delay := retryDelays[failures-1]
	return delay + time.Duration(rand.Float64()*jitter*float64(delay)), true // #nosec G404 -- to spread load, not to keep a secret
}

// parseRetryAfter reads Retry-After: seconds, or a date.
func parseRetryAfter(header string, now time.Time) time.Duration {
	pause := defaultPause
	if seconds, err := strconv.ParseInt(strings.TrimSpace(header), 10, 32); err == nil {
		pause = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		pause = date.Sub(now)
	}
	return min(max(pause, time.Second), maxPause)
}
