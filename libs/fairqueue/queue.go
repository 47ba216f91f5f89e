// Package fairqueue hands out what a process has few of (connections, room for large bodies) to organizations in turn.
package fairqueue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/fault"
)

// Queue is who has the places and who waits for one. Requests wait by organization, and organizations have their turns one after the
// other, so an organization that has many waiting delays itself. While others ask for places, and for a second after they did, an
// organization has at most half of them. When nobody else does, it may have all but one, which lets the next organization in at once.
//
// The idea is that of fair queuing (J. Nagle, RFC 970), as Kubernetes' API priority and fairness uses it: queues by flow, served
// in turn.
type Queue struct {
	places int
	limit  int // of an organization, whoever else asks

	mu      sync.Mutex
	free    int
	held    map[string]int        // places by organization
	waiting map[string][]*waiting // by organization, the longest waiting first
	turns   []string              // the organizations that have some waiting, in the order of their turns

	latest, other demand // the organization that asked last, and the one that did before it
}

// demand is when an organization last asked for a place.
type demand struct {
	organization string
	at           time.Time
}

// lately is how long an organization that has asked counts as one that asks.
const lately = time.Second

// waiting is a request that waits for a place.
type waiting struct{ admitted chan struct{} }

// New makes a queue for so many places.
func New(places int) *Queue {
	heldBack.Add(context.Background(), 0) // a counter that appears with its first refusal shows no increase then
	return &Queue{places: places, limit: places, free: places, held: map[string]int{}, waiting: map[string][]*waiting{}}
}

// AtMost is the queue where no organization has more than so many places at once, also when nobody else asks for any: for what burdens
// others than those who ask for places.
func (q *Queue) AtMost(places int) *Queue {
	q.limit = places
	return q
}

// Enter waits for the organization's turn until ctx ends, and says then whether the organization's own requests were what it waited
// for. Leave gives the place back.
func (q *Queue) Enter(ctx context.Context, organization string) (ownExcess bool, err error) {
	q.mu.Lock()
	if organization != q.latest.organization {
		q.other = q.latest
	}
	q.latest = demand{organization, time.Now()}
	if q.free > 0 && len(q.turns) == 0 && q.mayHaveMore(organization) {
		q.free--
		q.held[organization]++
		q.mu.Unlock()
		return false, nil
	}
	w := &waiting{admitted: make(chan struct{})}
	if len(q.waiting[organization]) == 0 {
		q.turns = append(q.turns, organization)
	}
	q.waiting[organization] = append(q.waiting[organization], w)
	q.admit()
	q.mu.Unlock()
	select {
	case <-w.admitted:
		return false, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.admit() // the others may have gone quiet meanwhile
	select {
	case <-w.admitted:
		return false, nil
	default:
	}
	ownExcess = q.held[organization] > 0
	q.forget(organization, w)
	q.admit() // the others may have one more when nobody of this organization waits
	return ownExcess, ctx.Err()
}

// Leave gives back what Enter has given.
func (q *Queue) Leave(organization string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	if q.held[organization]--; q.held[organization] == 0 {
		delete(q.held, organization)
	}
	q.admit()
}

// InTurn works when it is the organization's turn, for which it waits at most so long. An organization whose own requests keep it waiting
// gets a 429, everybody else a 503 that says busy.
func (q *Queue) InTurn(ctx context.Context, organization string, limit time.Duration, busy string, work func() error) error {
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ownExcess, err := q.Enter(waiting, organization)
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the caller has hung up
		if err == nil {
			q.Leave(organization)
		}
		return ctx.Err()
	case err != nil && ownExcess:
		return TooManyInFlight(ctx).WithCause(err)
	case err != nil:
		return fault.Unavailable("busy", "%s", busy).WithCause(err)
	}
	defer q.Leave(organization)
	return work()
}

// InTurnOnly is InTurn where nothing can be away: whoever waits too long asked too often, or others did, and gets a 429.
func (q *Queue) InTurnOnly(ctx context.Context, organization string, limit time.Duration, busy string, work func() error) error {
	err := q.InTurn(ctx, organization, limit, busy, work)
	if refusal := new(fault.Error); errors.As(err, &refusal) && refusal.Code == "busy" {
		refusal.Kind = fault.KindRateLimited
	}
	return err
}

// admit gives places to those whose turn it is.
func (q *Queue) admit() {
	for q.free > 0 {
		turn := slices.IndexFunc(q.turns, q.mayHaveMore)
		if turn < 0 {
			return
		}
		organization := q.turns[turn]
		w := q.waiting[organization][0]
		q.forget(organization, w)
		if len(q.waiting[organization]) > 0 { // its next turn comes after everybody else's
			q.turns = append(slices.Delete(q.turns, turn, turn+1), organization)
		}
		q.free--
		q.held[organization]++
		close(w.admitted)
	}
}

// mayHaveMore says whether an organization may have one place more.
func (q *Queue) mayHaveMore(organization string) bool {
	limit, last := q.places-1, q.latest
	if last.organization == organization {
		last = q.other
	}
	if len(q.turns) > 1 || time.Since(last.at) < lately {
		limit = q.places / 2
	}
	return q.held[organization] < max(1, min(limit, q.limit))
}

// forget takes one that waits away.
func (q *Queue) forget(organization string, w *waiting) {
	left := slices.DeleteFunc(q.waiting[organization], func(other *waiting) bool { return other == w })
	if q.waiting[organization] = left; len(left) > 0 {
		return
	}
	delete(q.waiting, organization)
	q.turns = slices.DeleteFunc(q.turns, func(other string) bool { return other == organization })
}

// TooManyInFlight is the refusal of an organization whose own requests keep it waiting. It is counted.
func TooManyInFlight(ctx context.Context) *fault.Error {
	heldBack.Add(ctx, 1)
	e := fault.New(fault.KindRateLimited, "too_many_in_flight",
		"Your organization's other requests are still being worked on; wait for some of them to be answered, and send fewer at once.")
	e.RetryAfter = time.Second
	return e
}

// heldBack counts the refusals of TooManyInFlight.
var heldBack = func() metric.Int64Counter {
	counter, err := otel.Meter("ams.internal/libs/fairqueue").Int64Counter("ams.requests.held_back", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were refused because their organization's own requests had all places that it may have."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return counter
}()
