package main

import "time"

// outcomeColumns is what becomes of deliveries after an attempt each, as columns.
type outcomeColumns struct {
	ids, orderingKeys, states []string
	attempts, failures        []int
	detached                  []bool // leaves the lane of its record, which goes on without it
	nextAts, finishedAts      []*time.Time
	endedAts                  []time.Time
	statuses                  []*int
	errors                    []*string
}

// outcomesOf decides what becomes of deliveries, and how their endpoint stands afterwards.
func outcomesOf(results []result, s *endpointHealth) outcomeColumns {
	var f outcomeColumns
	for i := range results {
		r := &results[i]
		ended := r.attempt.at.Add(r.attempt.duration)
		outcome, pause := r.attempt.outcome()
		*s = s.after(outcome, ended)

		state, failures, next, finished := "pending", r.failures, (*time.Time)(nil), (*time.Time)(nil)
		switch outcome {
		case succeeded:
			state, finished = "delivered", &ended
		case throttled:
			again := ended.Add(pause)
			next = &again
		default:
			failures++
			if delay, more := retryDelay(failures); more {
				again := ended.Add(delay)
				next = &again
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
		f.ids, f.orderingKeys, f.states = append(f.ids, r.deliveryID), append(f.orderingKeys, r.orderingKey), append(f.states, state)
		f.attempts, f.failures = append(f.attempts, r.attempt.number), append(f.failures, failures)
		f.detached = append(f.detached, state == "pending" && failures >= blockingFailures)
		f.nextAts, f.finishedAts, f.endedAts = append(f.nextAts, next), append(f.finishedAts, finished), append(f.endedAts, ended)
		f.statuses, f.errors = append(f.statuses, status), append(f.errors, failure)
	}
	return f
}
