package webhooks

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
	// maxConcurrentCalls is how many calls to an endpoint are made at once, each for another ordering key.
	maxConcurrentCalls = 16
	// resultBatchWindow is how long a result waits for others, so that one transaction records them together.
	resultBatchWindow = 3 * time.Millisecond
	// idleTimeout is how long a lease is held while nothing is due.
	idleTimeout = 3 * time.Second
	// rateWindow is how far ahead deliveries are loaded under a rate limit.
	rateWindow = 100 * time.Millisecond
	// throttlePause is the pause between calls after a receiver has answered 429 several times in a row: deliveries are put off
	// one by one, and there may be many. It is shorter than idleTimeout, so that the lease is held meanwhile.
	throttlePause = 2 * time.Second
	// databaseRetryDelay is the pause after a failed transaction.
	databaseRetryDelay = 250 * time.Millisecond
)

// leaseHolder delivers to one endpoint. While it holds the lease no other process does, so it keeps order, concurrency, rate
// and breaker in memory.
type leaseHolder struct {
	*worker
	key           endpointKey
	ctx           context.Context
	end           context.CancelFunc
	ended         chan struct{}
	notified      chan struct{} // deliveries were queued
	notifications atomic.Int64  // how many were seen
	stopping      atomic.Bool   // the process ends: begin no calls

	running         map[string]bool // ordering keys with a call under way or an unrecorded result
	results         chan result
	unrecorded      []result  // not yet in the database
	nextCallAt      time.Time // when the rate limit allows the next call
	throttledInARow int
	throttledUntil  time.Time
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

// result is what came of a job.
type result struct {
	deliveryID, orderingKey string
	failures                int
	cause                   cause
	eventAt                 time.Time
	attempt                 attempt
	notSent                 bool
}

func newLeaseHolder(w *worker, key endpointKey) *leaseHolder {
	ctx, end := context.WithCancel(asService(w.alive, key.organizationID))
	return &leaseHolder{
		worker: w, key: key, ctx: ctx, end: end, ended: make(chan struct{}), notified: make(chan struct{}, 1),
		running: map[string]bool{}, results: make(chan result, maxConcurrentCalls),
	}
}

// notify says that deliveries were queued.
func (h *leaseHolder) notify() {
	select {
	case h.notified <- struct{}{}:
	default:
	}
}

// sawNotifications takes the count of notifications in the database, and notifies the holder when it has changed.
func (h *leaseHolder) sawNotifications(count int64) {
	if h.notifications.Swap(count) != count {
		h.notify()
	}
}

// revoke ends the holder and its calls at once: the lease is another worker's.
func (h *leaseHolder) revoke() { h.end() }

// stop ends the holder when the calls under way have ended.
func (h *leaseHolder) stop() {
	h.stopping.Store(true)
	h.notify()
}

// errLeaseLost says that the endpoint is not leased to this worker.
var errLeaseLost = errors.New("another worker has the endpoint's lease")

// run delivers until nothing has been due for idleTimeout, or until the lease is lost.
func (h *leaseHolder) run() {
	defer func() {
		if reason := recover(); reason != nil {
			h.log.ErrorContext(h.ctx, "work on an endpoint panicked; it begins again",
				"endpoint", h.key.endpointID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
		}
		h.end()
		h.calls.Wait()
	}()
	idleSince := time.Now()
	for {
		mayRelease := len(h.running) == 0 && len(h.unrecorded) == 0 && (h.stopping.Load() || time.Since(idleSince) >= idleTimeout)
		p, err := h.tryPoll(mayRelease)
		switch {
		case errors.Is(err, errLeaseLost), h.ctx.Err() != nil:
			return
		case err != nil:
			h.wait(databaseRetryDelay)
			continue
		}
		for _, j := range p.jobs {
			h.startCall(j)
		}
		if p.released {
			return
		}
		if p.needsReconcile {
			if err := h.reconcileEndpoint(); err != nil && h.ctx.Err() == nil {
				h.log.WarnContext(h.ctx, "an endpoint's status could not be written; it is tried again", "endpoint", h.key.endpointID, "error", err)
				h.wait(databaseRetryDelay)
			}
			continue
		}
		pause := p.nextPollIn
		if len(h.running) > 0 {
			idleSince = time.Now()
		} else if !mayRelease {
			pause = min(pause, max(idleTimeout-time.Since(idleSince), 0))
		}
		h.wait(pause)
	}
}

// tryPoll polls, and logs and traces a failure.
func (h *leaseHolder) tryPoll(mayRelease bool) (p *poll, err error) {
	_ = telemetry.Work(h.ctx, "turn of deliveries", func(ctx context.Context) error {
		if p, err = h.poll(ctx, mayRelease); err != nil && !errors.Is(err, errLeaseLost) && ctx.Err() == nil {
			h.log.WarnContext(ctx, "a poll for deliveries failed; it is repeated", "endpoint", h.key.endpointID, "error", err)
			return err
		}
		return nil // a lost lease or a shutdown is no failure: another process goes on
	})
	return p, err
}

// startCall makes a call in the background.
func (h *leaseHolder) startCall(j job) {
	h.running[j.orderingKey] = true
	h.calls.Go(func() {
		r := result{deliveryID: j.deliveryID, orderingKey: j.orderingKey, failures: j.failures, cause: j.cause, eventAt: j.message.at}
		if pause := j.notBefore.Sub(h.now()); pause > 0 {
			select {
			case <-time.After(pause):
			case <-h.ctx.Done():
			}
		}
		if r.notSent = !h.maySend() || h.ctx.Err() != nil; !r.notSent {
			r.attempt = h.call(j)
			r.notSent = h.ctx.Err() != nil && r.attempt.responseStatus == 0 // we canceled it: this says nothing about the receiver
		}
		h.results <- r // has room for every call
	})
}

// call makes a call. A panic counts as a failed attempt: it must end neither this process nor the next one that tries.
func (h *leaseHolder) call(j job) (a attempt) {
	began := h.now()
	defer func() {
		if reason := recover(); reason != nil {
			h.log.ErrorContext(h.ctx, "a delivery panicked", "delivery", j.deliveryID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			a = attempt{number: j.attempts + 1, at: began, failure: "The delivery could not be made, by a fault of ours."}
		}
	}()
	return h.sender.send(h.ctx, j.target, j.deliveryID, j.attempts+1, j.message)
}

// wait returns when there are results, after a notification, or after the pause. Results that come together are taken together.
func (h *leaseHolder) wait(pause time.Duration) {
	timer := time.NewTimer(max(pause, time.Millisecond))
	defer timer.Stop()
	select {
	case <-h.ctx.Done():
	case <-timer.C:
	case <-h.notified:
	case r := <-h.results:
		h.takeResult(r)
		window := time.NewTimer(resultBatchWindow)
		defer window.Stop()
		for missing := len(h.running) - len(h.unrecorded); missing > 0; missing-- {
			select {
			case r := <-h.results:
				h.takeResult(r)
			case <-window.C:
				return
			}
		}
	}
}

// takeResult keeps a result until the next poll records it. The delivery of a call that was not made stays as it was.
func (h *leaseHolder) takeResult(r result) {
	if r.notSent {
		delete(h.running, r.orderingKey)
		return
	}
	h.unrecorded = append(h.unrecorded, r)
	if outcome, _ := r.attempt.outcome(); outcome != throttled {
		h.throttledInARow = 0
	} else if h.throttledInARow++; h.throttledInARow >= breakerFailures {
		h.throttledUntil = h.now().Add(throttlePause)
	}
}
