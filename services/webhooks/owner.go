package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ams.internal/libs/telemetry"
)

const (
	// lanesAtOnce is how many lanes of an endpoint are delivered at the same time.
	lanesAtOnce = 16
	// gathering is how long a result waits for others, so that one transaction keeps them together.
	gathering = 3 * time.Millisecond
	// lingering is how long an owner stays with an endpoint that has nothing to do.
	lingering = 3 * time.Second
	// paceWindow is how far ahead calls are taken on under a rate limit.
	paceWindow = 100 * time.Millisecond
	// quietFor is the pause between calls once a receiver has sent us away several times in a row: its lanes are paused one by
	// one, and there may be many. Shorter than lingering, so that the endpoint is kept meanwhile.
	quietFor = 2 * time.Second
	// troubled is the pause after the database has failed us.
	troubled = 250 * time.Millisecond
)

// owner works on one endpoint, alone among all processes: it keeps the order of its lanes, the number of calls at once, the
// rate and the breaker without asking anybody.
type owner struct {
	*worker
	key     endpointKey
	ctx     context.Context
	end     context.CancelFunc
	ended   chan struct{}
	rung    chan struct{} // something was queued
	known   atomic.Int64  // knocks that were heard
	leaving atomic.Bool   // the process ends: begin nothing new

	running map[string]bool // lanes that a call is under way in, or whose result is not kept yet
	results chan result
	kept    []result  // that the database has not taken yet
	paced   time.Time // when the rate limit allows the next call
	away    int       // how often in a row the receiver has sent us away
	quiet   time.Time // nothing is sent before
	calls   sync.WaitGroup
}

// job is a delivery that is due.
type job struct {
	deliveryID, lane string
	attempts         int
	failures         int
	cause            cause
	message          message
	target           target
	notBefore        time.Time // under a rate limit
}

// result is a job that was done.
type result struct {
	deliveryID, lane string
	failures         int
	cause            cause
	eventAt          time.Time
	attempt          attempt
	dropped          bool // it was not sent
}

func newOwner(w *worker, key endpointKey) *owner {
	ctx, end := context.WithCancel(asService(w.alive, key.organizationID))
	return &owner{
		worker: w, key: key, ctx: ctx, end: end, ended: make(chan struct{}), rung: make(chan struct{}, 1),
		running: map[string]bool{}, results: make(chan result, lanesAtOnce),
	}
}

// knock makes the owner look for new deliveries.
func (o *owner) knock() {
	select {
	case o.rung <- struct{}{}:
	default:
	}
}

func (o *owner) knocked(times int64) {
	if o.known.Swap(times) != times {
		o.knock()
	}
}

// lose ends everything at once: somebody else owns the endpoint.
func (o *owner) lose() { o.end() }

// stop ends the owner when the calls that are under way have ended.
func (o *owner) stop() {
	o.leaving.Store(true)
	o.knock()
}

// errLost says that the endpoint is not this worker's.
var errLost = errors.New("another worker owns the endpoint")

// run works until there is nothing to do for a while, or until the endpoint is lost.
func (o *owner) run() {
	defer func() {
		if reason := recover(); reason != nil {
			o.log.ErrorContext(o.ctx, "work on an endpoint panicked; it begins again", "endpoint", o.key.endpointID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
		}
		o.end()
		o.calls.Wait()
	}()
	idleSince := time.Now()
	for {
		leave := len(o.running) == 0 && len(o.kept) == 0 && (o.leaving.Load() || time.Since(idleSince) >= lingering)
		t, err := o.tryTurn(leave)
		switch {
		case errors.Is(err, errLost), o.ctx.Err() != nil:
			return
		case err != nil:
			o.wait(troubled)
			continue
		}
		for _, j := range t.jobs {
			o.start(j)
		}
		if t.released {
			return
		}
		if t.settle {
			if err := o.settle(); err != nil && o.ctx.Err() == nil {
				o.log.WarnContext(o.ctx, "how an endpoint fares could not be written; it is tried again", "endpoint", o.key.endpointID, "error", err)
				o.wait(troubled)
			}
			continue
		}
		pause := t.again
		if len(o.running) > 0 {
			idleSince = time.Now()
		} else if !leave {
			pause = min(pause, max(lingering-time.Since(idleSince), 0))
		}
		o.wait(pause)
	}
}

// tryTurn takes a turn, and tells where it fails.
func (o *owner) tryTurn(leave bool) (t *turn, err error) {
	_ = telemetry.Work(o.ctx, "turn of deliveries", func(ctx context.Context) error {
		if t, err = o.turn(ctx, leave); err != nil && !errors.Is(err, errLost) && ctx.Err() == nil {
			o.log.WarnContext(ctx, "a turn of deliveries failed; it is repeated", "endpoint", o.key.endpointID, "error", err)
			return err
		}
		return nil // lost or given up: somebody else goes on
	})
	return t, err
}

// start makes a call in the background.
func (o *owner) start(j job) {
	o.running[j.lane] = true
	o.calls.Go(func() {
		r := result{deliveryID: j.deliveryID, lane: j.lane, failures: j.failures, cause: j.cause, eventAt: j.message.at}
		if pause := j.notBefore.Sub(o.now()); pause > 0 {
			select {
			case <-time.After(pause):
			case <-o.ctx.Done():
			}
		}
		if r.dropped = !o.maySend() || o.ctx.Err() != nil; !r.dropped {
			r.attempt = o.call(j)
			r.dropped = o.ctx.Err() != nil && r.attempt.responseStatus == 0 // given up by us: it says nothing about the receiver
		}
		o.results <- r // has room for every lane
	})
}

// call makes a call. A message that makes us stumble fails like any other; it must not end the process, nor the next one's.
func (o *owner) call(j job) (a attempt) {
	began := o.now()
	defer func() {
		if reason := recover(); reason != nil {
			o.log.ErrorContext(o.ctx, "a delivery panicked", "delivery", j.deliveryID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			a = attempt{number: j.attempts + 1, at: began, failure: "The delivery could not be made, by a fault of ours."}
		}
	}()
	return o.sender.send(o.ctx, j.target, j.deliveryID, j.attempts+1, j.message)
}

// wait sleeps until there is a result, a knock, or until something is due, and gathers the results that come together.
func (o *owner) wait(pause time.Duration) {
	timer := time.NewTimer(max(pause, time.Millisecond))
	defer timer.Stop()
	select {
	case <-o.ctx.Done():
	case <-timer.C:
	case <-o.rung:
	case r := <-o.results:
		o.heed(r)
		gathered := time.NewTimer(gathering)
		defer gathered.Stop()
		for waiting := len(o.running) - len(o.kept); waiting > 0; waiting-- {
			select {
			case r := <-o.results:
				o.heed(r)
			case <-gathered.C:
				return
			}
		}
	}
}

// heed takes note of what a call came to. One that was not made leaves its lane as it was.
func (o *owner) heed(r result) {
	if r.dropped {
		delete(o.running, r.lane)
		return
	}
	o.kept = append(o.kept, r)
	if outcome, _ := r.attempt.outcome(); outcome != sentAway {
		o.away = 0
	} else if o.away++; o.away >= breakerFailures {
		o.quiet = o.now().Add(quietFor)
	}
}
