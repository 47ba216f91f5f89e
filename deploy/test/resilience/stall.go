package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/load"
)

// stalls are the spans in which the machine itself stood still: PostgreSQL, with the simplest query past every proxy, took
// longer than it ever does. A stack that shares its machine with much else runs into its own time limits then, and says 503 as
// it should; that is no fault of a scenario.
type stalls struct {
	mu    sync.Mutex
	spans []span
	stop  context.CancelFunc
	ended chan struct{}
}

type span struct{ from, to time.Time }

// tooLong is a response time that only a machine that stands still explains.
const tooLong = 300 * time.Millisecond

// watchMachine queries until end is called.
func watchMachine(address string) *stalls {
	ctx, stop := context.WithCancel(context.Background())
	s := &stalls{stop: stop, ended: make(chan struct{})}
	go s.watch(ctx, address)
	return s
}

func (s *stalls) watch(ctx context.Context, address string) {
	defer close(s.ended)
	var db *pgx.Conn
	for ctx.Err() == nil {
		began := time.Now()
		time.Sleep(50 * time.Millisecond)
		var err error
		if db == nil {
			db, err = pgx.Connect(ctx, address)
		} else {
			err = db.Ping(ctx)
		}
		if err != nil { // it is down on purpose, or the watch is over
			db = nil
			continue
		}
		if now := time.Now(); now.Sub(began) > tooLong {
			s.mu.Lock()
			s.spans = append(s.spans, span{began, now})
			s.mu.Unlock()
		}
	}
}

// end gives the spans.
func (s *stalls) end() []span {
	s.stop()
	<-s.ended
	return s.spans
}

// limits are the refusals that say that something took too long.
var limits = []string{"database_unavailable", "plan_unconfirmed", "deadline"}

// excuse leaves out what was refused for being slow while the machine stood still, of those requests that were not
// to be refused, and says so.
func (r *run) excuse(spans []span, of func(load.Sample) bool) {
	excused := func(s load.Sample) bool {
		return of(s) && s.Status == 503 && slices.Contains(limits, s.Code) && slices.ContainsFunc(spans, func(stood span) bool {
			return s.Begin.Before(stood.to) && stood.from.Before(s.End())
		})
	}
	starved := r.samples.Where(excused)
	if len(starved) == 0 {
		return
	}
	r.samples = r.samples.Where(func(s load.Sample) bool { return !excused(s) })
	total := time.Duration(0)
	for _, stood := range spans {
		total += stood.to.Sub(stood.from)
	}
	r.measure("left out: %d refusals while the machine stood still, %s in all", len(starved), total.Round(100*time.Millisecond))
}
