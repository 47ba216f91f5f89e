package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// load is requests at a fixed rate, whether answers come or not: callers do not wait for each other.
type load struct {
	balancer *balancer
	tenants  []*tenant

	mu      sync.Mutex
	samples samples
	asked   sync.WaitGroup
	stop    context.CancelFunc
	ended   chan struct{}
}

// begin sends so many requests a second until end is called.
func begin(b *balancer, tenants []*tenant, perSecond int) *load {
	ctx, stop := context.WithCancel(context.Background())
	l := &load{balancer: b, tenants: tenants, stop: stop, ended: make(chan struct{})}
	go l.run(ctx, perSecond)
	return l
}

func (l *load) run(ctx context.Context, perSecond int) {
	defer close(l.ended)
	began, sent := time.Now(), 0
	ticker := time.NewTicker(max(time.Second/time.Duration(perSecond), time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for due := int(time.Since(began).Seconds() * float64(perSecond)); sent < due; sent++ { // a tick that was missed is made up for
			t := l.tenants[rand.IntN(len(l.tenants))]
			l.asked.Go(func() { l.note(l.ask(t.anything())) })
		}
	}
}

// ask makes one request and says what became of it.
func (l *load) ask(r request) sample {
	began := time.Now()
	a := l.balancer.do(context.Background(), r.call)
	s := sample{begin: began, took: time.Since(began), service: r.service, kind: r.kind, gateway: a.gateway, status: a.status, code: a.code()}
	if a.header != nil {
		s.served = a.header.Get("X-Served-Region")
	}
	switch {
	case a.err != nil:
		s.status, s.problem = 0, a.err.Error()
	case s.failed():
	default:
		if err := r.done(a.body); err != nil {
			s.problem = err.Error()
		}
	}
	return s
}

func (l *load) note(s sample) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
}

// until waits until as many answers as are wanted have come in a row, of requests that began after a moment, without a failure.
// It gives the moment of the first of them, which is when the system served again.
func (l *load) until(ctx context.Context, after time.Time, wanted int) (time.Time, error) {
	for {
		if first, found := l.row(after, wanted); found {
			return first, nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (l *load) row(after time.Time, wanted int) (first time.Time, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	streak := 0
	for _, s := range l.samples { // in the order of their ends
		switch {
		case s.end().Before(after):
		case s.failed():
			streak = 0
		default:
			if streak++; streak == 1 {
				first = s.end()
			}
			if streak == wanted {
				return first, true
			}
		}
	}
	return first, false
}

// end sends nothing more, and gives what became of everything, once all answers have come.
func (l *load) end() samples {
	l.stop()
	<-l.ended
	l.asked.Wait()
	return l.samples
}
