package main

import "sync"

// feedWaiters wakes those who wait for events, in this process: the inbox tells that an organization has new ones.
type feedWaiters struct {
	ended chan struct{} // closed when the process begins to end

	mu      sync.Mutex
	waiting map[string]chan struct{} // by organization; closed with the next arrival
}

func newFeedWaiters() *feedWaiters {
	return &feedWaiters{ended: make(chan struct{}), waiting: map[string]chan struct{}{}}
}

// nextEvents gives what is closed when the organization's next events have been committed.
func (a *feedWaiters) nextEvents(organizationID string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[organizationID] == nil {
		a.waiting[organizationID] = make(chan struct{})
	}
	return a.waiting[organizationID]
}

// notify says that events of an organization have been committed.
func (a *feedWaiters) notify(organizationID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.waiting[organizationID]; waiting != nil {
		close(waiting)
		delete(a.waiting, organizationID)
	}
}

// release answers all who wait, because the process is about to end. Whoever comes later does not wait.
func (a *feedWaiters) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.ended:
	default:
		close(a.ended)
	}
}
