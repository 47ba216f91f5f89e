package ratelimit

import (
	"context"
	"time"

	"ams.internal/gateway/keys"
)

// Kind is what a request is for the ceilings of its organization.
type Kind int

// The kinds. Requests of the first three are among the requests in progress of their key and its organization. Uploads and downloads of
// documents last as long as the caller's network needs, for hours where it is slow, and would keep everything else out: they have places of
// their own, so many for each key.
const (
	Plain    Kind = iota
	Stream        // its response is a whole collection
	LongPoll      // its response waits for something to happen
	Upload        // its body is the content of a document
	Download      // its response is the content of documents
)

// What a key may have in progress on all gateways together.
const (
	MaxUploads   = 4
	MaxDownloads = 16
)

// transfers says whether requests of a kind carry content of documents.
func (kind Kind) transfers() bool { return kind == Upload || kind == Download }

// Decision is what becomes of a request with a key.
type Decision int

// The decisions. What is not admitted is refused.
const (
	Admitted         Decision = iota
	OverKey                   // more requests in this minute than the key may make
	OverOrganization          // more requests in this minute than the organization may make
	FullKey                   // the key has as many in progress, on this gateway, as it may
	FullOrganization          // the organization has as many in progress, on all gateways, as it may
	FullStreams               // as many of them streams
	FullLongPolls             // as many of them long polls
	FullUploads               // the key has as many uploads in progress, on all gateways, as it may
	FullDownloads             // as many downloads
)

// Admit counts one request of a key, for the key and for its organization, and takes one of their places for requests in
// progress, or of the key's for uploads or downloads; Release gives it back where the request was admitted. A request that is
// over its key's limit is not counted for the organization. The window is the key's, or the organization's where that is what
// refuses. Admit never fails.
func (l *Limiter) Admit(ctx context.Context, k *keys.Key, kind Kind) (Window, Decision) {
	of := placesOf(k, kind)
	expected := l.announce(k, kind, of)
	counted := l.charge(ctx, k, of)
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flightOf(of.name)
	if expected {
		f.waiting.add(kind, -1)
	}
	window, decision := counted.decide()
	if decision == Admitted && !kind.transfers() && l.inFlight[k.ID] >= l.maxInFlight {
		decision = FullKey
	}
	if decision == Admitted {
		decision = f.decide(kind, counted.others, of.limit)
	}
	if decision != Admitted {
		return window, decision
	}
	if !kind.transfers() {
		l.inFlight[k.ID]++
	}
	f.running.add(kind, 1)
	return window, Admitted
}

// Charge counts one request of a key that takes no place, as Admit does.
func (l *Limiter) Charge(ctx context.Context, k *keys.Key) (Window, Decision) {
	return l.charge(ctx, k, placesOf(k, Plain)).decide()
}

// charged is a request that was counted for its key and organization.
type charged struct {
	windows
	others numbers
}

func (l *Limiter) charge(ctx context.Context, k *keys.Key, of places) charged {
	what := item{counter: counterOfKey(k), limit: k.RateLimit, organization: k.Organization,
		perMinute: k.Ceilings.RequestsPerMinute, places: of}
	t, place, callers, err := l.countInRedis(ctx, what)
	if err != nil {
		return charged{windows: l.countAlone(ctx, what, err)}
	}
	l.remember(what, t)
	return charged{t.forCaller(what, place, callers), t.others}
}

// decide says whether one of the windows refuses the request, and gives that one.
func (w windows) decide() (Window, Decision) {
	switch {
	case w.key.Over():
		return w.key, OverKey
	case w.organization.Over():
		return w.organization, OverOrganization
	}
	return w.key, Admitted
}

// announce notes a request that is about to ask for a place, so that its place can be reported in the same round trip. One that
// will be refused by what is known here takes none. It says whether the request was noted.
func (l *Limiter) announce(k *keys.Key, kind Kind, of places) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(localWindow(time.Now()).Reset)
	if l.counts[counterOfKey(k)] >= k.RateLimit || !kind.transfers() && l.inFlight[k.ID] >= l.maxInFlight ||
		l.counts[counterOf(k.Organization)] >= k.Ceilings.RequestsPerMinute {
		return false
	}
	l.flightOf(of.name).waiting.add(kind, 1)
	return true
}

// Release gives back the places of a request that was admitted.
func (l *Limiter) Release(k *keys.Key, kind Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !kind.transfers() {
		if l.inFlight[k.ID]--; l.inFlight[k.ID] <= 0 {
			delete(l.inFlight, k.ID)
		}
	}
	l.flightOf(placesOf(k, kind).name).running.add(kind, -1)
}
