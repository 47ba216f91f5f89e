package ams

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// longestWait bounds what a response may make a call wait before it asks again.
const longestWait = 2 * time.Minute

// backoff is the pause before the next attempt: twice as long each time, half of it at random.
func backoff(attempt int) time.Duration {
	full := min(30*time.Second, 500*time.Millisecond<<min(attempt, 10))
	return full/2 + rand.N(full/2)
}

func (c *Client) giveUpAfter() time.Duration {
	if c.GiveUpAfter == 0 {
		return time.Minute
	}
	return c.GiveUpAfter
}

// retryAfter reads Retry-After, in seconds or as the date that a proxy may give; 0 where there is none.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return min(max(0, time.Duration(seconds)*time.Second), longestWait)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(theirNow(header))), longestWait)
	}
	return 0
}

// theirNow is the time by the clock that set the others in a response.
func theirNow(header http.Header) time.Time {
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		return theirs
	}
	return time.Now()
}

// window is when the next call may be made: all goroutines of a client wait for it.
type window struct {
	mu       sync.Mutex
	resumeAt time.Time // by our clock
}

// noteWindow remembers when the next call may be made: at once while the window has calls left.
func (c *Client) noteWindow(header http.Header, refused bool) {
	if !refused && header.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	wait := retryAfter(header)
	if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil && wait == 0 {
		wait = time.Unix(reset, 0).Sub(theirNow(header))
	}
	if refused {
		wait = max(wait, time.Second)
	}
	at := time.Now().Add(min(wait, longestWait))
	c.window.mu.Lock()
	defer c.window.mu.Unlock()
	if at.After(c.window.resumeAt) {
		c.window.resumeAt = at
	}
}

// waitForWindow waits until the rate limit lets the next call through, and up to half a second longer, so that not all who wait
// come at once.
func (c *Client) waitForWindow(ctx context.Context) error {
	c.window.mu.Lock()
	wait := time.Until(c.window.resumeAt)
	c.window.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	c.notice("the key's rate limit is used up; waiting %s for the next window", wait.Round(time.Second))
	if err := c.wait(ctx, wait+rand.N(500*time.Millisecond)); err != nil {
		return err
	}
	c.window.mu.Lock()
	defer c.window.mu.Unlock()
	c.window.resumeAt = time.Time{}
	return nil
}

func (c *Client) notice(format string, args ...any) {
	if c.Notice != nil {
		c.Notice(fmt.Sprintf(format, args...))
	}
}

func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.sleep != nil {
		return c.sleep(ctx, d)
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
