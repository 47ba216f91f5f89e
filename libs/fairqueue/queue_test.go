package fairqueue

import (
	"context"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// queue is a Queue with a log of whom it let in.
type queue struct {
	*Queue
	t       *testing.T
	entered chan string
}

func newQueue(t *testing.T, size int) *queue {
	return &queue{New(size), t, make(chan string, 1000)}
}

// wait queues requests of an organization, one behind the other.
func (q *queue) wait(organization string, requests int) {
	q.t.Helper()
	for range requests {
		before := q.asked(organization)
		go func() {
			if _, err := q.Enter(q.t.Context(), organization); err == nil {
				q.entered <- organization
			}
		}()
		testwait.For(q.t, 10*time.Second, "the request is in the queue", func() bool { return q.asked(organization) > before })
	}
}

// asked is how many requests of an organization have or wait for a place.
func (q *queue) asked(organization string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held[organization] + len(q.waiting[organization])
}

// next gives the organizations that were let in next, sorted.
func (q *queue) next(requests int) []string {
	q.t.Helper()
	var in []string
	for range requests {
		select {
		case organization := <-q.entered:
			in = append(in, organization)
		case <-time.After(10 * time.Second):
			q.t.Fatalf("only %v were let in", in)
		}
	}
	slices.Sort(in)
	return in
}

func (q *queue) nobody() {
	q.t.Helper()
	select {
	case organization := <-q.entered:
		q.t.Fatalf("%s was let in", organization)
	default:
	}
}

func TestAnOrganizationAloneHasAllPlacesButOne(t *testing.T) {
	q := newQueue(t, 8)
	q.wait("a", 20)
	q.next(7)
	q.nobody()
	q.wait("b", 1)
	if got := q.next(1); got[0] != "b" {
		t.Fatalf("%s was let in", got)
	}
}

func TestWhileOthersWaitAnOrganizationHasHalfOfThePlaces(t *testing.T) {
	q := newQueue(t, 8)
	q.wait("a", 20)
	q.next(7)
	q.wait("b", 8)
	q.next(1)
	for range 7 { // as many as "a" has: the first three go to "b", then each has its turn
		q.Leave("a")
		q.next(1)
		q.mu.Lock()
		if a, b := q.held["a"], q.held["b"]; a+b != 8 || a > 4 && b > 4 {
			t.Errorf("a has %d, b %d", a, b)
		}
		q.mu.Unlock()
	}
	if a, b := q.asked("a"), q.asked("b"); a != 13 || b != 8 {
		t.Fatalf("a asks for %d, b for %d", a, b)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held["a"] != 4 || q.held["b"] != 4 {
		t.Errorf("a has %d and b %d of 8, want 4 each", q.held["a"], q.held["b"])
	}
}

func TestAfterOthersAskedAnOrganizationHasHalfForAWhile(t *testing.T) {
	q := newQueue(t, 8)
	q.wait("a", 3)
	q.next(3)
	q.wait("b", 1)
	q.next(1)
	q.Leave("b")
	q.wait("a", 2)
	q.next(1)
	q.nobody()
	q.mu.Lock()
	q.other.at = q.other.at.Add(-lately)
	q.admit()
	q.mu.Unlock()
	q.next(1)
}

func TestOrganizationsHaveTheirTurnsHoweverManyRequestsTheyHave(t *testing.T) {
	q := newQueue(t, 2)
	q.wait("held", 1)
	q.next(1)
	q.wait("a", 50)
	q.next(1)
	for _, organization := range []string{"b", "c", "d"} {
		q.wait(organization, 1)
	}
	var turns []string
	last := "a"
	for range 5 {
		q.Leave(last)
		last = q.next(1)[0]
		turns = append(turns, last)
	}
	if want := []string{"a", "b", "c", "d", "a"}; !slices.Equal(turns, want) {
		t.Errorf("turns: %v, want %v", turns, want)
	}
}

func TestWhoeverGivesUpLeavesTheQueue(t *testing.T) {
	q := newQueue(t, 2)
	q.wait("a", 1)
	q.next(1)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if own, err := q.Enter(over, "a"); err == nil || !own {
		t.Errorf("a: %v, %v; want its own excess", own, err)
	}
	q.wait("b", 1)
	q.next(1)
	if own, err := q.Enter(over, "c"); err == nil || own {
		t.Errorf("c: %v, %v; want that others are in its way", own, err)
	}
	q.Leave("a")
	q.Leave("b")
	if q.free != 2 || len(q.held)+len(q.waiting)+len(q.turns) != 0 {
		t.Errorf("something is left: %+v", q.Queue)
	}
	q.wait("c", 1)
	q.next(1)
}

func TestAnOrganizationHasAsManyAsTheQueueGivesOne(t *testing.T) {
	q := &queue{New(8).AtMost(2), t, make(chan string, 1000)}
	q.wait("a", 20)
	q.next(2)
	q.nobody()
	q.wait("b", 3)
	if got := q.next(2); !slices.Equal(got, []string{"b", "b"}) {
		t.Errorf("%v were let in", got)
	}
	q.Leave("a")
	if got := q.next(1); got[0] != "a" {
		t.Errorf("%v was let in", got)
	}
	q.nobody()
}

// A request that need not wait costs nothing.
func TestEnteringAtOnceAllocatesNothing(t *testing.T) {
	a := New(8)
	ctx := t.Context()
	if allocated := testing.AllocsPerRun(100, func() {
		if _, err := a.Enter(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		a.Leave("a")
	}); allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
}
