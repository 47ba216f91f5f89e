package devstack

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"
)

// hold keeps a process down that would be started again otherwise.
type hold struct {
	noticed  chan struct{} // closed when whoever watches the process knows that it is down on purpose
	released chan struct{} // closed when it shall run again
	back     chan error    // what came of that
}

// Halt ends processes by a signal, waits until they have ended, and keeps them down until Resume: SIGKILL as a machine that
// loses power does, SIGTERM as an orderly stop. Names are those of stack.json ("assets-1"); see ProcessNames.
func (s *Stack) Halt(signal syscall.Signal, names ...string) error {
	chosen, err := s.processes(names)
	if err != nil {
		return err
	}
	var waiting sync.WaitGroup
	for _, p := range chosen {
		h := p.hold()
		waiting.Go(func() {
			p.end(signal, drain)
			select {
			case <-h.noticed:
			case <-p.stopped: // with the whole stack
			}
		})
	}
	waiting.Wait()
	return s.describe()
}

// Resume starts processes again that Halt has ended, and returns when all of them can be used.
func (s *Stack) Resume(ctx context.Context, names ...string) error {
	chosen, err := s.processes(names)
	if err != nil {
		return err
	}
	var coming []chan error
	for _, p := range chosen {
		h := p.release()
		if h == nil {
			return fmt.Errorf("%s was not halted", p.name)
		}
		coming = append(coming, h.back)
	}
	for _, back := range coming {
		select {
		case err := <-back:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// processes finds processes by their names, in that order.
func (s *Stack) processes(names []string) ([]*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*process
	all := slices.Concat(s.tiers[:]...)
	for _, name := range names {
		i := slices.IndexFunc(all, func(p *process) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no process %q in this stack", name)
		}
		found = append(found, all[i])
	}
	return found, nil
}

func (p *process) hold() *hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held = &hold{noticed: make(chan struct{}), released: make(chan struct{}), back: make(chan error, 1)}
	}
	return p.held
}

// release gives the hold that it ends, nil where there is none.
func (p *process) release() *hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.held
	if h != nil {
		close(h.released)
		p.held = nil
	}
	return h
}

func (p *process) holding() *hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// end sends a signal to the process and waits until it has ended; one that does not within grace is killed.
func (p *process) end(signal syscall.Signal, grace time.Duration) {
	c := p.current()
	if c == nil {
		return
	}
	p.send(c, signal)
	select {
	case <-c.exited:
	case <-time.After(grace):
		p.send(c, syscall.SIGKILL)
		<-c.exited
	}
}
