package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An answer is never older than its question: who arrives while a round is under way waits for the next one.
func TestWhoArrivesLateIsAskedAnew(t *testing.T) {
	var truth atomic.Int64
	entered, proceed := make(chan struct{}, 10), make(chan struct{})
	g := &group[string, int64]{most: 1, timeout: time.Second, patience: time.Second, ask: func(_ context.Context, questions []string, _ []int) ([]int64, error) {
		answers := make([]int64, len(questions))
		for i := range answers {
			answers[i] = truth.Load()
		}
		entered <- struct{}{}
		<-proceed
		return answers, nil
	}}
	early := make(chan int64, 1)
	go func() {
		answer, _, _, _ := g.do(t.Context(), "key")
		early <- answer
	}()
	<-entered // the first round has read the old truth
	truth.Store(1)
	var late sync.WaitGroup
	for range 50 {
		late.Go(func() {
			if answer, _, _, err := g.do(t.Context(), "key"); answer != 1 || err != nil {
				t.Errorf("asked after the change, answered %d, %v", answer, err)
			}
		})
	}
	for { // all have arrived
		g.mu.Lock()
		waiting := 0
		if g.next != nil {
			waiting = g.next.times[0]
		}
		g.mu.Unlock()
		if waiting == 50 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	close(proceed)
	late.Wait()
	if answer := <-early; answer != 0 || g.rounds.Load() != 2 {
		t.Errorf("the early one got %d; %d rounds for 51 callers", answer, g.rounds.Load())
	}
}

func TestTurnsOfARoundAreDifferent(t *testing.T) {
	g := &group[string, int]{most: 1, timeout: time.Second, patience: time.Second, ask: func(_ context.Context, questions []string, times []int) ([]int, error) {
		time.Sleep(time.Millisecond)
		return times, nil
	}}
	var mu sync.Mutex
	var counted int
	var work sync.WaitGroup
	for range 200 {
		work.Go(func() {
			answer, turn, times, err := g.do(t.Context(), "key")
			if err != nil || turn < 0 || turn >= times || answer != times {
				t.Errorf("turn %d of %d, answer %d, %v", turn, times, answer, err)
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

func TestARoundThatFailsFailsForAllAndNotForTheNext(t *testing.T) {
	broken := errors.New("broken")
	var fail atomic.Bool
	fail.Store(true)
	g := &group[string, int]{most: 2, timeout: 20 * time.Millisecond, patience: 50 * time.Millisecond, ask: func(ctx context.Context, questions []string, _ []int) ([]int, error) {
		if fail.Load() {
			return nil, broken
		}
		return make([]int, len(questions)), nil
	}}
	if _, _, _, err := g.do(t.Context(), "a"); !errors.Is(err, broken) {
		t.Error(err)
	}
	fail.Store(false)
	if _, _, _, err := g.do(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func TestARoundThatHangsHoldsUpThoseWithItOnly(t *testing.T) {
	hanging := make(chan struct{})
	g := &group[string, int]{most: 2, timeout: time.Minute, patience: 5 * time.Second, ask: func(_ context.Context, questions []string, _ []int) ([]int, error) {
		if questions[0] == "hangs" {
			<-hanging
		}
		return make([]int, len(questions)), nil
	}}
	var first sync.WaitGroup
	first.Go(func() {
		if _, _, _, err := g.do(t.Context(), "hangs"); err != nil {
			t.Error(err)
		}
	})
	for g.rounds.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(2 * slow)
	for range 3 {
		if _, _, _, err := g.do(t.Context(), "answers"); err != nil {
			t.Error(err)
		}
	}
	close(hanging)
	first.Wait()
}
