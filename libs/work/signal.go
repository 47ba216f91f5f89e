package work

import (
	"context"
	"sync"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// Signal wakes the queues of this process when something has become due.
type Signal struct{ cells sync.Map } // chan struct{} by cell

// AfterCommit wakes the queue of the cell of ctx once the transaction of ctx is committed.
func (s *Signal) AfterCommit(ctx context.Context) {
	woken := s.in(ctx)
	postgres.AfterCommit(ctx, func() { wake(woken) })
}

// in gives the channel by which the queue of the cell of ctx is woken.
func (s *Signal) in(ctx context.Context) chan struct{} {
	woken, _ := s.cells.LoadOrStore(principal.From(ctx).CellName(), make(chan struct{}, 1))
	return woken.(chan struct{})
}

func wake(woken chan struct{}) {
	select {
	case woken <- struct{}{}:
	default: // it was woken already
	}
}
