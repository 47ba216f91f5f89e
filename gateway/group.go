package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// slow is how long a round may be under way before another begins beside it: one that hangs must not hold up all, and one
// that does not hang gathers more callers by itself.
const slow = 20 * time.Millisecond

// group lets callers that ask at the same time share one round trip. While a round is under way, whoever arrives waits for
// the next, so a question is always asked after its caller arrived, and an answer is never kept. When the round is slow,
// others begin beside it, up to most.
type group[Question comparable, Answer any] struct {
	ask      func(ctx context.Context, questions []Question, times []int) ([]Answer, error) // times: how many callers asked each
	most     int                                                                            // rounds under way at once
	timeout  time.Duration                                                                  // of one round
	patience time.Duration                                                                  // of one caller, who may wait for a round to end first

	rounds atomic.Int64 // begun so far

	mu      sync.Mutex
	running int
	began   time.Time // the oldest round that runs
	next    *round[Question, Answer]
}

// round is one round trip: its questions, and when done is closed, its answers.
type round[Question comparable, Answer any] struct {
	ctx       context.Context // the first caller's, for the trace; its end does not end the round
	places    map[Question]int
	questions []Question
	times     []int
	done      chan struct{}
	answers   []Answer
	err       error
}

// do asks, together with others. turn counts from 0 the callers that asked the same question in the same round.
func (g *group[Question, Answer]) do(ctx context.Context, question Question) (answer Answer, turn, times int, err error) {
	g.mu.Lock()
	r := g.next
	if r == nil {
		r = &round[Question, Answer]{ctx: context.WithoutCancel(ctx), places: map[Question]int{}, done: make(chan struct{})}
		g.next = r
	}
	place, asked := r.places[question]
	if !asked {
		place = len(r.questions)
		r.places[question] = place
		r.questions = append(r.questions, question)
		r.times = append(r.times, 0)
	}
	turn = r.times[place]
	r.times[place]++
	lead := g.running == 0 || g.running < g.most && time.Since(g.began) > slow
	if lead {
		g.running++
		g.begin() // from here on nobody joins
	}
	g.mu.Unlock()

	if lead {
		g.run(r)
	} else {
		patience := time.NewTimer(g.patience)
		defer patience.Stop()
		select {
		case <-r.done:
		case <-patience.C:
			return answer, 0, 0, context.DeadlineExceeded
		case <-ctx.Done():
			return answer, 0, 0, ctx.Err()
		}
	}
	if r.err != nil {
		return answer, 0, 0, r.err
	}
	return r.answers[place], turn, r.times[place], nil
}

// run asks a round that nobody can join any more, then sees to it that those who waited have theirs.
func (g *group[Question, Answer]) run(r *round[Question, Answer]) {
	g.finish(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == nil {
		g.running--
		return
	}
	waiting := g.next
	g.begin()
	go g.run(waiting)
}

// begin closes the round that is to run.
func (g *group[Question, Answer]) begin() {
	g.next = nil
	if g.running == 1 {
		g.began = time.Now()
	}
}

func (g *group[Question, Answer]) finish(r *round[Question, Answer]) {
	defer close(r.done)
	g.rounds.Add(1)
	ctx, cancel := context.WithTimeout(r.ctx, g.timeout)
	defer cancel()
	r.answers, r.err = g.ask(ctx, r.questions, r.times)
}
