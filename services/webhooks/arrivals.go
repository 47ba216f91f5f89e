package main

import "sync"

// arrivals wakes those who wait for events, in this process: the inbox tells that an organization has new ones.
type arrivals struct {
	ended chan struct{} // closed when the process begins to end

	mu      sync.Mutex
	waiting map[string]chan struct{} // by organization; closed with the next arrival
}

func newArrivals() *arrivals {
	return &arrivals{ended: make(chan struct{}), waiting: map[string]chan struct{}{}}
}

// next gives what is closed when the organization's next events have been committed.
func (a *arrivals) next(organizationID string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[organizationID] == nil {
		a.waiting[organizationID] = make(chan struct{})
	}
	return a.waiting[organizationID]
}

// tell says that events of an organization have been committed.
func (a *arrivals) tell(organizationID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.waiting[organizationID]; waiting != nil {
		close(waiting)
		delete(a.waiting, organizationID)
	}
}

// end answers all who wait, because the process is about to end. Whoever comes later does not wait.
func (a *arrivals) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.ended:
	default:
		close(a.ended)
	}
}
