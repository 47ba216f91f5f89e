package webhooks

import "time"

const (
	// breakerFailures is how many failures in a row, over all of an endpoint's deliveries, open its circuit breaker.
	breakerFailures = 5
	minBreak        = 30 * time.Second
	maxBreak        = 15 * time.Minute
	// disabledAfter is how long an endpoint may be without a success before it is disabled.
	disabledAfter = 5 * 24 * time.Hour
)

// endpointHealth is what an endpoint's attempts so far have come to. It has the endpoint's circuit breaker.
type endpointHealth struct {
	consecutiveFailures int
	blockedUntil        *time.Time // the breaker is open until then; from then on it is half open: one delivery at a time
	blockedStep         int        // how often in a row the breaker has opened; 0: it is closed
	failingSince        *time.Time // the first attempt without success after the last success
	lastSuccessAt       *time.Time
	lastAttemptAt       *time.Time
	refused             bool // it answered 410
}

// after gives the health after an attempt that ended at a time.
func (h endpointHealth) after(o outcome, at time.Time) endpointHealth {
	h.lastAttemptAt = &at
	if o == succeeded {
		return endpointHealth{lastAttemptAt: &at, lastSuccessAt: &at}
	}
	if h.failingSince == nil {
		h.failingSince = &at
	}
	if o == throttled {
		return h
	}
	h.refused = h.refused || o == refused
	h.consecutiveFailures++
	if h.consecutiveFailures < breakerFailures || h.open(at) {
		return h // a call that was under way when the breaker opened does not open it further
	}
	until := at.Add(min(minBreak<<min(h.blockedStep, 10), maxBreak))
	h.blockedStep++
	h.blockedUntil = &until
	return h
}

// open says whether the breaker is open at a time: nothing may be sent.
func (h endpointHealth) open(at time.Time) bool {
	return h.blockedUntil != nil && at.Before(*h.blockedUntil)
}

// failing says whether the breaker has opened since the last success.
func (h endpointHealth) failing() bool { return h.blockedStep > 0 }

// shouldDisable gives the reason why the endpoint is to be disabled; "" when it is not.
func (h endpointHealth) shouldDisable() string {
	switch {
	case h.refused:
		return "It answered 410: it wants no more deliveries."
	case h.failingSince != nil && h.lastAttemptAt != nil && h.lastAttemptAt.Sub(*h.failingSince) >= disabledAfter:
		return "No delivery has succeeded for five days."
	}
	return ""
}
