package main

import "time"

const (
	// breakerFailures is how many failures in a row, over all of an endpoint's deliveries, open its breaker.
	breakerFailures = 5
	minBreak        = 30 * time.Second
	maxBreak        = 15 * time.Minute
	// disabledAfter is how long an endpoint may be without a success before it is disabled.
	disabledAfter = 5 * 24 * time.Hour
)

// endpointHealth is how an endpoint has been answering.
type endpointHealth struct {
	consecutiveFailures int
	blockedUntil        *time.Time // the breaker is open until then; from then on, one delivery at a time is tried
	blockedStep         int        // how often in a row it has opened; 0: it is closed
	failingSince        *time.Time // the first attempt without success after the last success
	lastSuccessAt       *time.Time
	lastAttemptAt       *time.Time
	refused             bool // it answered 410
}

// after is the standing once an attempt has ended at a time.
func (s endpointHealth) after(o outcome, at time.Time) endpointHealth {
	s.lastAttemptAt = &at
	if o == succeeded {
		return endpointHealth{lastAttemptAt: &at, lastSuccessAt: &at}
	}
	if s.failingSince == nil {
		s.failingSince = &at
	}
	if o == throttled {
		return s
	}
	s.refused = s.refused || o == refused
	s.consecutiveFailures++
	if s.consecutiveFailures < breakerFailures || s.open(at) {
		return s // what was under way when it opened does not open it further
	}
	until := at.Add(min(minBreak<<min(s.blockedStep, 10), maxBreak))
	s.blockedStep++
	s.blockedUntil = &until
	return s
}

// open says whether nothing may be sent at a time.
func (s endpointHealth) open(at time.Time) bool {
	return s.blockedUntil != nil && at.Before(*s.blockedUntil)
}

// failing says whether the breaker has opened since the last success.
func (s endpointHealth) failing() bool { return s.blockedStep > 0 }

// shouldDisable says why an endpoint of this standing is to be disabled; "" when it is not.
func (s endpointHealth) shouldDisable() string {
	switch {
	case s.refused:
		return "It answered 410: it wants no more deliveries."
	case s.failingSince != nil && s.lastAttemptAt != nil && s.lastAttemptAt.Sub(*s.failingSince) >= disabledAfter:
		return "No delivery has succeeded for five days."
	}
	return ""
}
