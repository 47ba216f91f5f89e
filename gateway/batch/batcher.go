// Package batch lets callers that need the same query at the same time share one round trip.
package batch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// slow is how long a batch may run before another begins beside it. One that hangs must not hold up all callers; one that does
// not hang gathers more callers by itself.
const slow = 20 * time.Millisecond

// Batcher collects the items of callers into batches. While a batch runs, new callers wait for the next one. So an item is
// always processed after its caller arrived, and a result is never reused. When a batch is slow, others begin beside it, up to
// MaxRunning.
type Batcher[Item comparable, Result any] struct {
	// Run processes a batch and gives a result for each item. callers has, for each item, how many callers wait for it.
	Run           func(ctx context.Context, items []Item, callers []int) ([]Result, error)
	MaxRunning    int           // batches at once
	Timeout       time.Duration // of one batch
	CallerTimeout time.Duration // of one caller, who may wait for a batch to end first

	started atomic.Int64 // batches, in all

	mu      sync.Mutex
	running int
	oldest  time.Time // when the oldest running batch began
	next    *batch[Item, Result]
}

// batch is one round trip: its items and, when done is closed, their results.
type batch[Item comparable, Result any] struct {
	ctx     context.Context // the first caller's, for the trace; its end does not end the batch
	places  map[Item]int
	items   []Item
	callers []int
	done    chan struct{}
	results []Result
	err     error
}

// Do gives the result for item. place counts, from 0, the callers with the same item in the same batch; callers says how many
// there were.
func (b *Batcher[Item, Result]) Do(ctx context.Context, item Item) (result Result, place, callers int, err error) {
	b.mu.Lock()
	joined := b.next
	if joined == nil {
		joined = &batch[Item, Result]{ctx: context.WithoutCancel(ctx), places: map[Item]int{}, done: make(chan struct{})}
		b.next = joined
	}
	index, present := joined.places[item]
	if !present {
		index = len(joined.items)
		joined.places[item] = index
		joined.items = append(joined.items, item)
		joined.callers = append(joined.callers, 0)
	}
	place = joined.callers[index]
	joined.callers[index]++
	lead := b.running == 0 || b.running < b.MaxRunning && time.Since(b.oldest) > slow
	if lead {
		b.running++
		b.begin() // from here on nobody joins
	}
	b.mu.Unlock()

	if lead {
		b.run(joined)
	} else {
		timeout := time.NewTimer(b.CallerTimeout)
		defer timeout.Stop()
		select {
		case <-joined.done:
		case <-timeout.C:
			return result, 0, 0, context.DeadlineExceeded
		case <-ctx.Done():
			return result, 0, 0, ctx.Err()
		}
	}
	if joined.err != nil {
		return result, 0, 0, joined.err
	}
	return joined.results[index], place, joined.callers[index], nil
}

// run processes a batch that nobody can join any more, then begins the next one for the callers that wait.
func (b *Batcher[Item, Result]) run(closed *batch[Item, Result]) {
	b.process(closed)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.running--
		return
	}
	waiting := b.next
	b.begin()
	go b.run(waiting)
}

// begin closes the batch that is to run.
func (b *Batcher[Item, Result]) begin() {
	b.next = nil
	if b.running == 1 {
		b.oldest = time.Now()
	}
}

func (b *Batcher[Item, Result]) process(closed *batch[Item, Result]) {
	defer close(closed.done)
	b.started.Add(1)
	ctx, cancel := context.WithTimeout(closed.ctx, b.Timeout)
	defer cancel()
	closed.results, closed.err = b.Run(ctx, closed.items, closed.callers)
}
