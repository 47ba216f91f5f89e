package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/fault"
)

// admission decides whose turn it is to use a connection of the pool. Requests wait by organization, and organizations have
// their turns one after the other, so an organization that has many waiting delays itself. While others ask for connections, and for a
// second after they did, an organization has at most half of them. When nobody else does, it may have all but one, which lets the
// next organization in at once.
//
// The idea is that of fair queuing (J. Nagle, RFC 970), as Kubernetes' API priority and fairness uses it: queues by flow, served
// in turn.
type admission struct {
	size int // connections

	mu      sync.Mutex
	free    int
	held    map[string]int        // connections by organization
	waiting map[string][]*waiting // by organization, the longest waiting first
	turns   []string              // the organizations that have some waiting, in the order of their turns

	latest, other asked // the organization that asked last, and the one that did before it
}

// asked is when an organization last asked for a connection.
type asked struct {
	organization string
	at           time.Time
}

// lately is how long an organization that has asked counts as one that asks.
const lately = time.Second

// waiting is a request that waits for a connection.
type waiting struct{ admitted chan struct{} }

func newAdmission(size int) *admission {
	return &admission{size: size, free: size, held: map[string]int{}, waiting: map[string][]*waiting{}}
}

// enter waits for the organization's turn until ctx ends, and says then whether the organization's own requests were what it waited
// for. leave gives the place back.
func (a *admission) enter(ctx context.Context, organization string) (ownExcess bool, err error) {
	a.mu.Lock()
	if organization != a.latest.organization {
		a.other = a.latest
	}
	a.latest = asked{organization, time.Now()}
	if a.free > 0 && len(a.turns) == 0 && a.mayHaveMore(organization) {
		a.free--
		a.held[organization]++
		a.mu.Unlock()
		return false, nil
	}
	w := &waiting{admitted: make(chan struct{})}
	if len(a.waiting[organization]) == 0 {
		a.turns = append(a.turns, organization)
	}
	a.waiting[organization] = append(a.waiting[organization], w)
	a.admit()
	a.mu.Unlock()
	select {
	case <-w.admitted:
		return false, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.admit() // the others may have gone quiet meanwhile
	select {
	case <-w.admitted:
		return false, nil
	default:
	}
	ownExcess = a.held[organization] > 0
	a.forget(organization, w)
	a.admit() // the others may have one more when nobody of this organization waits
	return ownExcess, ctx.Err()
}

// leave gives back what enter has given.
func (a *admission) leave(organization string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free++
	if a.held[organization]--; a.held[organization] == 0 {
		delete(a.held, organization)
	}
	a.admit()
}

// admit gives connections to those whose turn it is.
func (a *admission) admit() {
	for a.free > 0 {
		turn := slices.IndexFunc(a.turns, a.mayHaveMore)
		if turn < 0 {
			return
		}
		organization := a.turns[turn]
		w := a.waiting[organization][0]
		a.forget(organization, w)
		if len(a.waiting[organization]) > 0 { // its next turn comes after everybody else's
			a.turns = append(slices.Delete(a.turns, turn, turn+1), organization)
		}
		a.free--
		a.held[organization]++
		close(w.admitted)
	}
}

// mayHaveMore says whether an organization may have one connection more.
func (a *admission) mayHaveMore(organization string) bool {
	most, last := a.size-1, a.latest
	if last.organization == organization {
		last = a.other
	}
	if len(a.turns) > 1 || time.Since(last.at) < lately {
		most = a.size / 2
	}
	return a.held[organization] < max(1, most)
}

// forget takes one that waits away.
func (a *admission) forget(organization string, w *waiting) {
	left := slices.DeleteFunc(a.waiting[organization], func(other *waiting) bool { return other == w })
	if a.waiting[organization] = left; len(left) > 0 {
		return
	}
	delete(a.waiting, organization)
	a.turns = slices.DeleteFunc(a.turns, func(other string) bool { return other == organization })
}

// tooManyInFlight is the refusal of an organization whose own requests keep it waiting.
func tooManyInFlight() *fault.Error {
	e := fault.New(fault.KindRateLimited, "too_many_in_flight",
		"Your organization's other requests are still being worked on; wait for some of them to be answered, and send fewer at once.")
	e.RetryAfter = time.Second
	return e
}

// heldBack counts the refusals of tooManyInFlight.
var heldBack = func() metric.Int64Counter {
	counter, err := otel.Meter("ams.internal/libs/postgres").Int64Counter("ams.postgres.held_back", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were refused because their organization's own requests had all connections that it may have."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return counter
}()
