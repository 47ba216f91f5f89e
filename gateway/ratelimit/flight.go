package ratelimit

import (
	"context"
	"time"

	"ams.internal/gateway/keys"
)

const (
	// reportInterval is how often a gateway reports an organization's requests in progress while it has any. What was not
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

// flight is an organization's requests in progress on this gateway.
type flight struct {
	running  numbers
	waiting  numbers // those that ask for a place right now
	reported bool    // Redis may have something of it
}

// decide says whether there is a place for one more request, given those that other gateways have in progress.
func (f *flight) decide(kind Kind, others numbers, ceilings keys.Ceilings) Decision {
	switch {
	case f.running.requests+others.requests >= ceilings.RequestsInFlight:
		return FullOrganization
	case kind == Stream && f.running.streams+others.streams >= ceilings.Streams:
		return FullStreams
	case kind == LongPoll && f.running.longPolls+others.longPolls >= ceilings.LongPolls:
		return FullLongPolls
	}
	return Admitted
}

// flightOf gives an organization's requests in progress. The caller holds the lock.
func (l *Limiter) flightOf(organization string) *flight {
	f := l.flights[organization]
	if f == nil {
		f = &flight{}
		l.flights[organization] = f
	}
	return f
}

// flying gives what is reported of an organization together with a count.
func (l *Limiter) flying(organization string) (running, waiting numbers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flightOf(organization)
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

// report reports what every organization has in progress, and forgets those that have nothing.
func (l *Limiter) report(ctx context.Context) {
	l.mu.Lock()
	var reports []report
	for organization, f := range l.flights {
		switch {
		case f.running != numbers{} || f.reported:
			reports = append(reports, report{organization, f.running})
			f.reported = f.running != numbers{}
		case f.waiting == numbers{}:
			delete(l.flights, organization)
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
			l.flightOf(failed.organization).reported = true
		}
		l.mu.Unlock()
	}
}

// report is what an organization has in progress on this gateway.
type report struct {
	organization string
	running      numbers
}
