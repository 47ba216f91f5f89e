package webhooks

import (
	"net/http"
	"time"
)

// outcome is what an attempt means for its delivery.
type outcome int

const (
	succeeded outcome = iota
	failed
	throttled // the receiver asks for a pause: 429, or 503 with Retry-After. This is no failure.
	refused   // 410: the receiver wants no more deliveries
)

// outcome gives what the receiver's response means, and of a throttled attempt the pause.
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

// outcomeColumns are the new values of deliveries after one attempt each, as the columns of an update.
type outcomeColumns struct {
	ids, orderingKeys, states []string
	attempts, failures        []int
	detached                  []bool // gets an ordering key of its own, and no longer holds up its record
	nextAts, finishedAts      []*time.Time
	endedAts                  []time.Time
	statuses                  []*int
	errors                    []*string
}

// outcomesOf gives the outcomes of results, and updates the health of their endpoint.
func outcomesOf(results []result, health *endpointHealth) outcomeColumns {
	var c outcomeColumns
	for i := range results {
		r := &results[i]
		ended := r.attempt.at.Add(r.attempt.duration)
		outcome, pause := r.attempt.outcome()
		*health = health.after(outcome, ended)

		state, failures, next, finished := "pending", r.failures, (*time.Time)(nil), (*time.Time)(nil)
		switch outcome {
		case succeeded:
			state, finished = "delivered", &ended
		case throttled:
			at := ended.Add(pause)
			next = &at
		default:
			failures++
			if delay, retried := retryDelay(failures); retried {
				at := ended.Add(delay)
				next = &at
			} else {
				state, finished = "failed", &ended
			}
		}
		var status *int
		if r.attempt.responseStatus != 0 {
			status = &r.attempt.responseStatus
		}
		var failure *string
		if r.attempt.failure != "" {
			failure = &r.attempt.failure
		}
		c.ids, c.orderingKeys, c.states = append(c.ids, r.deliveryID), append(c.orderingKeys, r.orderingKey), append(c.states, state)
		c.attempts, c.failures = append(c.attempts, r.attempt.number), append(c.failures, failures)
		c.detached = append(c.detached, state == "pending" && failures >= blockingFailures)
		c.nextAts, c.finishedAts, c.endedAts = append(c.nextAts, next), append(c.finishedAts, finished), append(c.endedAts, ended)
		c.statuses, c.errors = append(c.statuses, status), append(c.errors, failure)
	}
	return c
}
