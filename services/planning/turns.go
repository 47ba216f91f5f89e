package planning

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"ams.internal/libs/work"
)

// turns is what an instance has few of for jobs: places, and room in memory. A run that has had its time stands back when another
// organization waits for either, and is gone on with in the organization's next turn.
type turns struct {
	places  chan struct{}
	room    *semaphore.Weighted // elements that are calculated with at once
	length  time.Duration
	refused atomic.Int64 // when somebody's job found no place, in Unix nanoseconds
	crowded atomic.Int64 // jobs that wait for room
}

const (
	jobPlaces  = 2                // as many as an instance has processors as a rule
	turnLength = 10 * time.Second // a part of a run that has begun is calculated to its end
)

func newTurns() *turns {
	return &turns{places: make(chan struct{}, jobPlaces), room: semaphore.NewWeighted(maxElements), length: turnLength}
}

// Enter takes a place, where there is one.
func (t *turns) Enter(work.Item) bool {
	select {
	case t.places <- struct{}{}:
		return true
	default:
		t.refused.Store(time.Now().UnixNano())
		return false
	}
}

// Leave gives a place back.
func (t *turns) Leave(work.Item) { <-t.places }

// take waits until so many elements fit into memory beside those of other jobs. free gives the room back.
func (t *turns) take(ctx context.Context, elements int) (free func(), err error) {
	room := int64(min(elements, maxElements))
	t.crowded.Add(1)
	defer t.crowded.Add(-1)
	if err := t.room.Acquire(ctx, room); err != nil {
		return func() {}, err
	}
	return func() { t.room.Release(room) }, nil
}

// over says whether who began then is to stand back.
func (t *turns) over(began time.Time) bool {
	return time.Since(began) >= t.length && (t.crowded.Load() > 0 || time.Since(time.Unix(0, t.refused.Load())) < 2*pollInterval)
}

// errTurnOver ends work that is gone on with in the organization's next turn.
var errTurnOver = errors.New("others have their turn")
