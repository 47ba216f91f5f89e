package stack

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Halt sends processes a signal that ends them (SIGKILL, or SIGTERM to let them finish), waits until they have ended, and
// keeps them away until Resume. It knows them by their names in Description.PIDs.
func (s *Stack) Halt(signal syscall.Signal, names ...string) error {
	return s.each(names, func(p *process) error {
		p.halt()
		c := p.current()
		c.signal(signal)
		select {
		case <-c.exited:
		case <-time.After(drain):
			p.kill()
		}
		<-p.stopped
		return nil
	})
}

// Resume starts what Halt ended, and waits until it is ready.
func (s *Stack) Resume(ctx context.Context, names ...string) error {
	return s.each(names, func(p *process) error {
		p.revive()
		for {
			err := p.start(ctx)
			if err == nil {
				break
			}
			p.kill()
			select { // what it left behind may need a moment to go: PostgreSQL's shared memory does
			case <-ctx.Done():
				close(p.stopped) // nobody watches it
				return err
			case <-time.After(firstPause):
			}
		}
		go s.supervise(p)
		return s.describe()
	})
}

func (s *Stack) each(names []string, do func(*process) error) error {
	var working sync.WaitGroup
	errs := make(chan error, len(names))
	for _, name := range names {
		p := s.find(name)
		if p == nil {
			return fmt.Errorf("this stack has no process %s", name)
		}
		working.Go(func() { errs <- do(p) })
	}
	working.Wait()
	for range names {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) find(name string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tier := range s.tiers {
		for _, p := range tier {
			if p.name == name {
				return p
			}
		}
	}
	return nil
}
