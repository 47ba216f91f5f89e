package load

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Generator makes requests at a fixed rate, whether responses come or not: callers do not wait for each other.
type Generator struct {
	balancer      *Balancer
	organizations []*Organization
	mix           Mix

	mu      sync.Mutex
	samples Samples
	running map[int]time.Time // when they began
	calls   sync.WaitGroup
	stop    context.CancelFunc
	ended   chan struct{}
}

// Start makes so many requests of a mix a second until End is called.
func Start(b *Balancer, organizations []*Organization, mix Mix, perSecond float64) *Generator {
	ctx, stop := context.WithCancel(context.Background())
	g := &Generator{balancer: b, organizations: organizations, mix: mix, stop: stop, ended: make(chan struct{}), running: map[int]time.Time{}}
	go g.run(ctx, perSecond)
	return g
}

func (g *Generator) run(ctx context.Context, perSecond float64) {
	defer close(g.ended)
	began, sent := time.Now(), 0
	ticker := time.NewTicker(max(time.Duration(float64(time.Second)/perSecond), time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for due := int(time.Since(began).Seconds() * perSecond); sent < due; sent++ { // a tick that was missed is made up for
			o := g.organizations[rand.IntN(len(g.organizations))]
			number := sent
			g.mu.Lock()
			g.running[number] = time.Now()
			g.mu.Unlock()
			g.calls.Go(func() {
				s := g.Call(o.next(g.mix))
				s.Cell = o.Cell
				g.Note(s)
				g.mu.Lock()
				delete(g.running, number)
				g.mu.Unlock()
			})
		}
	}
}

// Call makes one request and gives what became of it.
func (g *Generator) Call(r Request) Sample {
	began := time.Now()
	response := g.balancer.Do(context.Background(), r.Call)
	s := Sample{Begin: began, Took: time.Since(began), Service: r.Service, Kind: r.Kind,
		Gateway: response.Gateway, Status: response.Status, Code: response.Code()}
	if response.Header != nil {
		s.Served = response.Header.Get("X-Served-Region")
	}
	switch {
	case response.Err != nil:
		s.Status, s.Problem = 0, response.Err.Error()
	case s.Failed():
	default:
		if err := r.Done(response.Body); err != nil {
			s.Problem = err.Error()
		}
	}
	return s
}

// Note adds a sample to those that End gives.
func (g *Generator) Note(s Sample) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.samples = append(g.samples, s)
}

// Samples gives what became of those whose responses have come so far.
func (g *Generator) Samples() Samples {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.samples)
}

// Begun gives what became of those that began between two moments, once every response has come.
func (g *Generator) Begun(ctx context.Context, from, to time.Time) (Samples, error) {
	for g.runs(to) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return g.Samples().Between(from, to), nil
}

// runs says whether a request that began before a moment still runs.
func (g *Generator) runs(before time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, began := range g.running {
		if began.Before(before) {
			return true
		}
	}
	return false
}

// AwaitStreak waits until as many successes as are wanted have come in a row, of requests that ended after a moment, without a
// failure between them. It gives the moment of the first of them, which is when the product served again.
func (g *Generator) AwaitStreak(ctx context.Context, after time.Time, wanted int) (time.Time, error) {
	for {
		if first, found := g.streak(after, wanted); found {
			return first, nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (g *Generator) streak(after time.Time, wanted int) (first time.Time, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	successes := 0
	for _, s := range g.samples { // in the order of their ends
		switch {
		case s.End().Before(after):
		case s.Failed():
			successes = 0
		default:
			if successes++; successes == 1 {
				first = s.End()
			}
			if successes == wanted {
				return first, true
			}
		}
	}
	return first, false
}

// LastFailure describes the last request that failed.
func (g *Generator) LastFailure() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	failed := g.samples.Failures()
	if len(failed) == 0 {
		return "no response came at all"
	}
	return failed[len(failed)-1:].Example()
}

// End makes no more requests, and gives what became of all of them, once every response has come.
func (g *Generator) End() Samples {
	g.stop()
	<-g.ended
	g.calls.Wait()
	return g.samples
}
