package batch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A result is never older than its caller: who arrives while a batch runs waits for the next one.
func TestACallerWhoArrivesLateIsInTheNextBatch(t *testing.T) {
	var truth atomic.Int64
	entered, proceed := make(chan struct{}, 10), make(chan struct{})
	b := &Batcher[string, int64]{MaxRunning: 1, Timeout: time.Second, CallerTimeout: time.Second,
		Run: func(_ context.Context, items []string, _ []int) ([]int64, error) {
			results := make([]int64, len(items))
			for i := range results {
				results[i] = truth.Load()
			}
			entered <- struct{}{}
			<-proceed
			return results, nil
		}}
	early := make(chan int64, 1)
	go func() {
		result, _, _, _ := b.Do(t.Context(), "key")
		early <- result
	}()
	<-entered // the first batch has read the old truth
	truth.Store(1)
	var late sync.WaitGroup
	for range 50 {
		late.Go(func() {
			if result, _, _, err := b.Do(t.Context(), "key"); result != 1 || err != nil {
				t.Errorf("called after the change, got %d, %v", result, err)
			}
		})
	}
	for { // all have arrived
		b.mu.Lock()
		waiting := 0
		if b.next != nil {
			waiting = b.next.callers[0]
		}
		b.mu.Unlock()
		if waiting == 50 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	close(proceed)
	late.Wait()
	if result := <-early; result != 0 || b.started.Load() != 2 {
		t.Errorf("the early one got %d; %d batches for 51 callers", result, b.started.Load())
	}
}

func TestPlacesInABatchAreDifferent(t *testing.T) {
	b := &Batcher[string, int]{MaxRunning: 1, Timeout: time.Second, CallerTimeout: time.Second,
		Run: func(_ context.Context, items []string, callers []int) ([]int, error) {
			time.Sleep(time.Millisecond)
			return callers, nil
		}}
	var mu sync.Mutex
	var counted int
	var work sync.WaitGroup
	for range 200 {
		work.Go(func() {
			result, place, callers, err := b.Do(t.Context(), "key")
			if err != nil || place < 0 || place >= callers || result != callers {
				t.Errorf("place %d of %d, result %d, %v", place, callers, result, err)
			}
			mu.Lock()
			counted++
			mu.Unlock()
		})
	}
	work.Wait()
	if counted != 200 {
		t.Errorf("%d counted", counted)
	}
}

func TestABatchThatFailsFailsForAllAndNotForTheNext(t *testing.T) {
	broken := errors.New("broken")
	var fail atomic.Bool
	fail.Store(true)
	b := &Batcher[string, int]{MaxRunning: 2, Timeout: 20 * time.Millisecond, CallerTimeout: 50 * time.Millisecond,
		Run: func(_ context.Context, items []string, _ []int) ([]int, error) {
			if fail.Load() {
				return nil, broken
			}
			return make([]int, len(items)), nil
		}}
	if _, _, _, err := b.Do(t.Context(), "a"); !errors.Is(err, broken) {
		t.Error(err)
	}
	fail.Store(false)
	if _, _, _, err := b.Do(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func TestABatchThatHangsHoldsUpThoseWithItOnly(t *testing.T) {
	hanging := make(chan struct{})
	b := &Batcher[string, int]{MaxRunning: 2, Timeout: time.Minute, CallerTimeout: 5 * time.Second,
		Run: func(_ context.Context, items []string, _ []int) ([]int, error) {
			if items[0] == "hangs" {
				<-hanging
			}
			return make([]int, len(items)), nil
		}}
	var first sync.WaitGroup
	first.Go(func() {
		if _, _, _, err := b.Do(t.Context(), "hangs"); err != nil {
			t.Error(err)
		}
	})
	for b.started.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(2 * slow)
	for range 3 {
		if _, _, _, err := b.Do(t.Context(), "another"); err != nil {
			t.Error(err)
		}
	}
	close(hanging)
	first.Wait()
}
