package main

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryDelays are how long after each failure a delivery is tried again: about three days altogether. When they are used up it has failed.
var retryDelays = []time.Duration{
	5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is the share by which a delay is lengthened at most, so that what failed together does not come back together.
	jitter = 0.2
	// blockingFailures is how often a delivery may fail before it stops holding up what comes after it about the same record.
	blockingFailures = 4
	// defaultPause is for a receiver that says "too many" and not for how long.
	defaultPause = 30 * time.Second
	// maxPause is how long a receiver may send us away at once; then it is asked again.
	maxPause = time.Hour
)

// retryDelay is the delay after the nth failure, and whether there is another try at all.
func retryDelay(failures int) (time.Duration, bool) {
	if failures < 1 || failures > len(retryDelays) {
		return 0, false
	}
	delay := retryDelays[failures-1]
	return delay + time.Duration(rand.Float64()*jitter*float64(delay)), true // #nosec G404 -- to spread load, not to keep a secret
}

// outcome is what an attempt means for its delivery.
type outcome int

const (
	succeeded outcome = iota
	failed
	throttled // "not now": 429, or 503 with Retry-After; it counts as no failure
	refused   // 410: the receiver wants nothing more, ever
)

// outcome says what the receiver's answer means, and for how long it sends us away.
func (a *attempt) outcome() (outcome, time.Duration) {
	switch status := a.responseStatus; {
	case status >= 200 && status < 300:
		return succeeded, 0
	case status == http.StatusGone:
		return refused, 0
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && a.responseHeaders["Retry-After"] != "":
		return throttled, parseRetryAfter(a.responseHeaders["Retry-After"], a.at.Add(a.duration))
	}
	return failed, 0
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
