package ratelimit

import (
	"context"
	"time"

	"ams.internal/gateway/keys"
)

const (
	// reportInterval is how often a gateway reports requests in progress while it has any. What was not
	// reported for 5 seconds counts no more (flightScripts): so the requests of a gateway that was killed lapse.
	reportInterval = time.Second
	maxReports     = 500 // in one round trip
)

// numbers are requests in progress.
type numbers struct{ requests, streams, longPolls int }

func (n *numbers) add(kind Kind, by int) {
	n.requests += by
	switch kind {
	case Stream:
		n.streams += by
	case LongPoll:
		n.longPolls += by
	}
}

// places are those for requests in progress that a request takes one of.
type places struct {
	name  string // whose they are: an organization's, or a key's for uploads or for downloads
	limit numbers
}

// placesOf gives the places for a key's requests of a kind. Those of an organization lie in one slot of Redis, because of the hash tag.
func placesOf(k *keys.Key, kind Kind) places {
	organization := "{" + k.Organization + "}"
	switch kind {
	case Upload:
		return places{organization + ":" + k.ID + ":uploads", numbers{requests: MaxUploads}}
	case Download:
		return places{organization + ":" + k.ID + ":downloads", numbers{requests: MaxDownloads}}
	}
	return places{organization, numbers{k.Ceilings.RequestsInFlight, k.Ceilings.Streams, k.Ceilings.LongPolls}}
}

// flight is what takes some places on this gateway.
type flight struct {
	running  numbers
	waiting  numbers // those that ask for a place right now
	reported bool    // Redis may have something of it
}

// decide says whether there is a place for one more request, given those that other gateways have in progress.
func (f *flight) decide(kind Kind, others, limit numbers) Decision {
	switch {
	case f.running.requests+others.requests >= limit.requests:
		return full[kind]
	case kind == Stream && f.running.streams+others.streams >= limit.streams:
		return FullStreams
	case kind == LongPoll && f.running.longPolls+others.longPolls >= limit.longPolls:
		return FullLongPolls
	}
	return Admitted
}

// full says what is decided where all places are taken.
var full = map[Kind]Decision{
	Plain: FullOrganization, Stream: FullOrganization, LongPoll: FullOrganization, Upload: FullUploads, Download: FullDownloads,
}

// flightOf gives what takes the places of a name. The caller holds the lock.
func (l *Limiter) flightOf(name string) *flight {
	f := l.flights[name]
	if f == nil {
		f = &flight{}
		l.flights[name] = f
	}
	return f
}

// flying gives what is reported of places together with a count.
func (l *Limiter) flying(name string) (running, waiting numbers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flightOf(name)
	f.reported = true
	return f.running, f.waiting
}

// Run reports requests in progress to the other gateways until ctx ends, and once more then: what runs must not lapse, and what
// has ended must not linger because no further request reports it.
func (l *Limiter) Run(ctx context.Context) {
	l.countedAlone.Add(ctx, 0) // reported from the start: a rate does not show the first event of a counter that appears with it
	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.report(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportInterval)
			defer cancel()
			l.report(last)
			return
		}
	}
}

// report reports what takes places, and forgets those of which none is taken.
func (l *Limiter) report(ctx context.Context) {
	l.mu.Lock()
	var reports []report
	for name, f := range l.flights {
		switch {
		case f.running != numbers{} || f.reported:
			reports = append(reports, report{name, f.running})
			f.reported = f.running != numbers{}
		case f.waiting == numbers{}:
			delete(l.flights, name)
		}
	}
	l.mu.Unlock()
	for len(reports) > 0 {
		some := reports[:min(maxReports, len(reports))]
		reports = reports[len(some):]
		if l.counters.report(ctx, some) == nil {
			continue
		}
		l.mu.Lock()
		for _, failed := range some { // it lapses by itself, unless Redis is back before
			l.flightOf(failed.name).reported = true
		}
		l.mu.Unlock()
	}
}

// report is how many places are taken on this gateway.
type report struct {
	name    string
	running numbers
}
