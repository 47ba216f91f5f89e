package webhooks

import "sync"

// feedWaiters wakes the long polls of the feed in this process when an organization has new events.
type feedWaiters struct {
	ended chan struct{} // closed when the process begins to end

	mu      sync.Mutex
	waiting map[string]chan struct{} // by organization; closed with its next events
}

func newFeedWaiters() *feedWaiters {
	return &feedWaiters{ended: make(chan struct{}), waiting: map[string]chan struct{}{}}
}

// nextEvents gives a channel that is closed when the organization's next events have been committed.
func (f *feedWaiters) nextEvents(organizationID string) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting[organizationID] == nil {
		f.waiting[organizationID] = make(chan struct{})
	}
	return f.waiting[organizationID]
}

// notify says that events of an organization have been committed.
func (f *feedWaiters) notify(organizationID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if waiting := f.waiting[organizationID]; waiting != nil {
		close(waiting)
		delete(f.waiting, organizationID)
	}
}

// release ends every long poll because the process ends. Later ones do not wait.
func (f *feedWaiters) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.ended:
	default:
		close(f.ended)
	}
}
