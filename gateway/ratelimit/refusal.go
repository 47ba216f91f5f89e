package ratelimit

import (
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// OverLimit refuses a request that is over the limit of its key or address.
func OverLimit(w Window) *fault.Error {
	e := fault.New(fault.KindRateLimited, "rate_limited", "More than %d requests in this minute; wait until X-RateLimit-Reset.", w.Limit)
	e.RetryAfter = w.Left
	return e
}

// Refusal is what the caller of a request is told that was not admitted.
func (l *Limiter) Refusal(k *keys.Key, w Window, made Decision) *fault.Error {
	switch made {
	case OverOrganization:
		e := fault.New(fault.KindRateLimited, "organization_rate_limited", "Your organization has made more than %d requests in this minute "+
			"over all its keys; wait until X-RateLimit-Reset, or ask for fewer, larger pages.", w.Limit)
		e.RetryAfter = w.Left
		return e
	case FullKey:
		return allTaken("too_many_in_flight",
			"This key has %d requests in progress, which is the most at once; wait for one to be answered.", l.maxInFlight)
	case FullOrganization:
		return allTaken("too_many_in_flight", "Your organization has %d requests in progress over all its keys, which is the most at once; "+
			"wait for one to be answered.", k.Ceilings.RequestsInFlight)
	case FullStreams:
		return allTaken("too_many_streams", "Your organization is reading %d streams over all its keys, which is the most at once; "+
			"wait until one has ended.", k.Ceilings.Streams)
	case FullLongPolls:
		return allTaken("too_many_long_polls", "Your organization has %d requests that wait for events over all its keys, which is the most "+
			"at once; wait for one to be answered, or ask without wait.", k.Ceilings.LongPolls)
	case FullUploads:
		return allTaken("too_many_uploads", "This key has %d uploads in progress, which is the most at once; wait for one to end.", MaxUploads)
	case FullDownloads:
		return allTaken("too_many_downloads",
			"This key has %d downloads in progress, which is the most at once; wait for one to end.", MaxDownloads)
	}
	return OverLimit(w)
}

func allTaken(code, format string, limit int) *fault.Error {
	e := fault.New(fault.KindRateLimited, code, format, limit)
	e.RetryAfter = time.Second
	return e
}
