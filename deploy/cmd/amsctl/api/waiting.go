package api

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

func backoff(attempt int) time.Duration {
	full := min(30*time.Second, 500*time.Millisecond<<min(attempt, 10))
	return full/2 + time.Duration(rand.Int64N(int64(full/2)))
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, 2*time.Minute)
}

// noteWindow remembers when the next call may be made: at once while the window has calls left.
func (c *Client) noteWindow(header http.Header, refused bool) {
	if !refused && header.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	wait := retryAfter(header)
	if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		now := time.Now()
		if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
			now = theirs // their clock set the reset
		}
		wait = max(wait, time.Unix(reset, 0).Sub(now))
	}
	if refused {
		wait = max(wait, time.Second)
	}
	c.resumeAt = time.Now().Add(min(wait, 2*time.Minute))
}

func (c *Client) waitForWindow(ctx context.Context) error {
	wait := time.Until(c.resumeAt)
	if wait <= 0 {
		return nil
	}
	c.resumeAt = time.Time{}
	c.notice("the key's rate limit is used up; waiting %s for the next window", wait.Round(time.Second))
	return c.sleep(ctx, wait)
}

func (c *Client) notice(format string, args ...any) {
	if c.Notice != nil {
		c.Notice(fmt.Sprintf(format, args...))
	}
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
