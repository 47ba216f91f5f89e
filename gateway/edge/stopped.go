package edge

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"ams.internal/libs/fault"
)

const (
	beatEvery    = 100 * time.Millisecond
	stoppedAfter = 2 * time.Second        // without a beat: the process did not run
	refusesFor   = 500 * time.Millisecond // after it goes on; what waited has been read by then
)

// stopped notices that this gateway did not run for a while: it was stopped, or its machine was. What callers sent meanwhile comes in one
// moment when it goes on, much of it from callers who have given up. Sent on to the services, it would keep those of the other
// gateways waiting, so it is refused.
type stopped struct {
	started time.Time
	beat    atomic.Int64 // when it last ran, after started; 0: nobody looks
	refuse  atomic.Int64 // until when it refuses
}

func newStopped() *stopped { return &stopped{started: time.Now()} }

// run looks until ctx ends.
func (s *stopped) run(ctx context.Context) {
	defer s.beat.Store(0)
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		s.justNow(time.Since(s.started))
		s.beat.Store(int64(time.Since(s.started)))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// justNow says whether the process has gone on just before now, a time after started.
func (s *stopped) justNow(now time.Duration) bool {
	if beat := s.beat.Load(); beat != 0 && now-time.Duration(beat) > stoppedAfter {
		s.refuse.Store(int64(now + refusesFor))
	}
	return now < time.Duration(s.refuse.Load())
}

// step refuses what waited.
func (s *stopped) step(next handler) handler {
	return func(ctx context.Context, c *call) (*http.Response, error) {
		if s.justNow(time.Since(s.started)) {
			return nil, fault.Unavailable("service_unavailable",
				"This gateway did not run for a moment, and takes nothing that waited for it; try again now.")
		}
		return next(ctx, c)
	}
}
