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
	// maxConcurrentCalls is how many lanes of an endpoint are delivered at the same time.
	maxConcurrentCalls = 16
	// resultBatchWindow is how long a result waits for others, so that one transaction keeps them together.
	resultBatchWindow = 3 * time.Millisecond
	// idleTimeout is how long an owner stays with an endpoint that has nothing to do.
	idleTimeout = 3 * time.Second
	// paceWindow is how far ahead calls are taken on under a rate limit.
	paceWindow = 100 * time.Millisecond
	// throttlePause is the pause between calls once a receiver has sent us away several times in a row: its lanes are paused one by
	// one, and there may be many. Shorter than lingering, so that the endpoint is kept meanwhile.
	throttlePause = 2 * time.Second
	// databaseRetryDelay is the pause after the database has failed us.
	databaseRetryDelay = 250 * time.Millisecond
)

// leaseHolder works on one endpoint, alone among all processes: it keeps the order of its lanes, the number of calls at once, the
// rate and the breaker without asking anybody.
type leaseHolder struct {
	*worker
	key           endpointKey
	ctx           context.Context
	end           context.CancelFunc
	ended         chan struct{}
	notified      chan struct{} // something was queued
	notifications atomic.Int64  // knocks that were heard
	stopping      atomic.Bool   // the process ends: begin nothing new

	running         map[string]bool // lanes that a call is under way in, or whose result is not kept yet
	results         chan result
	unrecorded      []result  // that the database has not taken yet
	nextCallAt      time.Time // when the rate limit allows the next call
	throttledInARow int       // how often in a row the receiver has sent us away
	throttledUntil  time.Time // nothing is sent before
	calls           sync.WaitGroup
}

// job is a delivery that is due.
type job struct {
	deliveryID, orderingKey string
	attempts                int
	failures                int
	cause                   cause
	message                 message
	target                  target
	notBefore               time.Time // under a rate limit
}

// result is a job that was done.
type result struct {
	deliveryID, orderingKey string
	failures                int
	cause                   cause
	eventAt                 time.Time
	attempt                 attempt
	notSent                 bool // it was not sent
}

func newLeaseHolder(w *worker, key endpointKey) *leaseHolder {
	ctx, end := context.WithCancel(asService(w.alive, key.organizationID))
	return &leaseHolder{
		worker: w, key: key, ctx: ctx, end: end, ended: make(chan struct{}), notified: make(chan struct{}, 1),
		running: map[string]bool{}, results: make(chan result, maxConcurrentCalls),
	}
}

// notify makes the owner look for new deliveries.
func (o *leaseHolder) notify() {
	select {
	case o.notified <- struct{}{}:
	default:
	}
}

func (o *leaseHolder) sawNotifications(times int64) {
	if o.notifications.Swap(times) != times {
		o.notify()
	}
}

// revoke ends everything at once: somebody else owns the endpoint.
func (o *leaseHolder) revoke() { o.end() }

// stop ends the owner when the calls that are under way have ended.
func (o *leaseHolder) stop() {
	o.stopping.Store(true)
	o.notify()
}

// errLeaseLost says that the endpoint is not this worker's.
var errLeaseLost = errors.New("another worker owns the endpoint")

// run works until there is nothing to do for a while, or until the endpoint is lost.
func (o *leaseHolder) run() {
	defer func() {
		if reason := recover(); reason != nil {
			o.log.ErrorContext(o.ctx, "work on an endpoint panicked; it begins again", "endpoint", o.key.endpointID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
		}
		o.end()
		o.calls.Wait()
	}()
	idleSince := time.Now()
	for {
		leave := len(o.running) == 0 && len(o.unrecorded) == 0 && (o.stopping.Load() || time.Since(idleSince) >= idleTimeout)
		t, err := o.tryPoll(leave)
		switch {
		case errors.Is(err, errLeaseLost), o.ctx.Err() != nil:
			return
		case err != nil:
			o.wait(databaseRetryDelay)
			continue
		}
		for _, j := range t.jobs {
			o.startCall(j)
		}
		if t.released {
			return
		}
		if t.needsReconcile {
			if err := o.reconcileEndpoint(); err != nil && o.ctx.Err() == nil {
				o.log.WarnContext(o.ctx, "how an endpoint fares could not be written; it is tried again", "endpoint", o.key.endpointID, "error", err)
				o.wait(databaseRetryDelay)
			}
			continue
		}
		pause := t.nextPollIn
		if len(o.running) > 0 {
			idleSince = time.Now()
		} else if !leave {
			pause = min(pause, max(idleTimeout-time.Since(idleSince), 0))
		}
		o.wait(pause)
	}
}

// tryPoll takes a turn, and tells where it fails.
func (o *leaseHolder) tryPoll(leave bool) (t *poll, err error) {
	_ = telemetry.Work(o.ctx, "turn of deliveries", func(ctx context.Context) error {
		if t, err = o.poll(ctx, leave); err != nil && !errors.Is(err, errLeaseLost) && ctx.Err() == nil {
			o.log.WarnContext(ctx, "a turn of deliveries failed; it is repeated", "endpoint", o.key.endpointID, "error", err)
			return err
		}
		return nil // lost or given up: somebody else goes on
	})
	return t, err
}

// startCall makes a call in the background.
func (o *leaseHolder) startCall(j job) {
	o.running[j.orderingKey] = true
	o.calls.Go(func() {
		r := result{deliveryID: j.deliveryID, orderingKey: j.orderingKey, failures: j.failures, cause: j.cause, eventAt: j.message.at}
		if pause := j.notBefore.Sub(o.now()); pause > 0 {
			select {
			case <-time.After(pause):
			case <-o.ctx.Done():
			}
		}
		if r.notSent = !o.maySend() || o.ctx.Err() != nil; !r.notSent {
			r.attempt = o.call(j)
			r.notSent = o.ctx.Err() != nil && r.attempt.responseStatus == 0 // given up by us: it says nothing about the receiver
		}
		o.results <- r // has room for every lane
	})
}

// call makes a call. A message that makes us stumble fails like any other; it must not end the process, nor the next one's.
func (o *leaseHolder) call(j job) (a attempt) {
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
func (o *leaseHolder) wait(pause time.Duration) {
	timer := time.NewTimer(max(pause, time.Millisecond))
	defer timer.Stop()
	select {
	case <-o.ctx.Done():
	case <-timer.C:
	case <-o.notified:
	case r := <-o.results:
		o.recordResult(r)
		gathered := time.NewTimer(resultBatchWindow)
		defer gathered.Stop()
		for waiting := len(o.running) - len(o.unrecorded); waiting > 0; waiting-- {
			select {
			case r := <-o.results:
				o.recordResult(r)
			case <-gathered.C:
				return
			}
		}
	}
}

// recordResult takes note of what a call came to. One that was not made leaves its lane as it was.
func (o *leaseHolder) recordResult(r result) {
	if r.notSent {
		delete(o.running, r.orderingKey)
		return
	}
	o.unrecorded = append(o.unrecorded, r)
	if outcome, _ := r.attempt.outcome(); outcome != throttled {
		o.throttledInARow = 0
	} else if o.throttledInARow++; o.throttledInARow >= breakerFailures {
		o.throttledUntil = o.now().Add(throttlePause)
	}
}
