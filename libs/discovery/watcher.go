package discovery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-kit/kit/sd"
	"github.com/hashicorp/consul/api"
)

const (
	maxBlockingWait  = 10 * time.Second                // how long Consul may hold a query that has nothing new
	responseTimeout  = 2 * time.Second                 // for a response, besides the time that Consul may hold the query
	maxRetryDelay    = time.Second                     // after an error
	maxReturn        = responseTimeout + maxRetryDelay // until the next query, after Consul was away or said nothing
	fullReadInterval = time.Minute                     // between reads that ignore the index, so that a missed change does not last
	emptyListGrace   = 10 * time.Second                // before an empty list is applied: a restarted Consul has no entries for a moment
	minQueryInterval = 100 * time.Millisecond          // between two queries, so that a catalogue that changes all the time costs little CPU
)

// watcher reads the healthy instances of one service in one datacenter by blocking queries. It replaces go-kit's own Consul
// instancer, which keeps its wait index over a restart of Consul, pauses for minutes, leaks its query and publishes an empty
// list from a catalogue that was wiped.
type watcher struct {
	directory   *Directory
	key         watchKey
	subscribers int // guarded by directory.mu

	ctx    context.Context
	cancel context.CancelFunc
	ready  chan struct{} // closed after Consul's first response or error

	mu           sync.Mutex
	instances    []string // sorted; nil before the first response
	synced       bool     // Consul has responded at least once
	channels     map[chan<- sd.Event]struct{}
	lastResponse time.Time // of Consul; before the first one: the start of the watcher
}

func newWatcher(d *Directory, p watchKey) *watcher {
	w := &watcher{directory: d, key: p, channels: map[chan<- sd.Event]struct{}{}, ready: make(chan struct{}), lastResponse: time.Now()}
	w.ctx, w.cancel = context.WithCancel(d.ctx)
	return w
}

// run queries Consul until the watcher ends.
func (w *watcher) run() {
	var (
		index      uint64
		delay      time.Duration
		emptySince time.Time // the first of a series of empty responses
		lastFull   time.Time
		failing    bool
		readyOnce  sync.Once
	)
	defer w.cancel()
	for w.ctx.Err() == nil {
		if time.Since(lastFull) >= fullReadInterval {
			index = 0
		}
		if index == 0 {
			lastFull = time.Now()
		}
		wait := maxBlockingWait
		if left := time.Until(emptySince.Add(emptyListGrace)); left > 0 { // query again when the empty list may be applied
			wait = max(10*time.Millisecond, min(maxBlockingWait, left))
		}
		instances, next, err := w.query(index, wait)
		if w.ctx.Err() != nil {
			return
		}
		if err != nil {
			readyOnce.Do(func() { close(w.ready) })
			if !failing {
				w.directory.log.Warn("Consul does not say who serves; the last known instances stay in use",
					"about_service", w.key.service, "datacenter", w.key.datacenter, "error", err)
			}
			failing, index = true, 0
			delay = min(maxRetryDelay, max(50*time.Millisecond, 2*delay))
			w.sleep(delay/2 + rand.N(delay/2))
			continue
		}
		if failing {
			w.directory.log.Info("Consul says again who serves", "about_service", w.key.service, "datacenter", w.key.datacenter)
		}
		failing, delay = false, 0
		if next < index { // Consul was restored or restarted: the former index has no meaning now
			next = 0
		}
		index = next

		if len(instances) > 0 {
			emptySince = time.Time{}
		} else if emptySince.IsZero() {
			emptySince = time.Now()
		}
		w.apply(instances, !emptySince.IsZero() && time.Since(emptySince) < emptyListGrace)
		readyOnce.Do(func() { close(w.ready) })
		w.sleep(minQueryInterval)
	}
}

// query is one query. It returns at once when index is 0, else when something changed or wait is over.
func (w *watcher) query(index uint64, wait time.Duration) ([]string, uint64, error) {
	deadline := responseTimeout // a Consul that has just started holds queries for seven seconds: a retry is faster
	if index > 0 {
		deadline += wait + wait/16 // a sixteenth is what Consul adds of its own
	}
	ctx, cancel := context.WithTimeout(w.ctx, deadline)
	defer cancel()
	options := &api.QueryOptions{
		Datacenter: w.key.datacenter,
		AllowStale: true, // a server without a leader still knows the instances
		WaitIndex:  index,
		WaitTime:   wait,
	}
	entries, meta, err := w.directory.blockingClient.Health().Service(w.key.service, "", true, options.WithContext(ctx))
	if err != nil {
		return nil, 0, fmt.Errorf("instances of %s in %s: %w", w.key.service, w.key.datacenter, explain(err))
	}
	if meta.ResultsFilteredByACLs { // it does not refuse what a token may not see, it leaves it out
		return nil, 0, fmt.Errorf("instances of %s in %s: Consul keeps some of them from the token of AMS_CONSUL_TOKEN", w.key.service,
			w.key.datacenter)
	}
	instances := make([]string, 0, len(entries))
	for _, entry := range entries {
		host := entry.Service.Address
		if host == "" {
			host = entry.Node.Address
		}
		instances = append(instances, net.JoinHostPort(host, strconv.Itoa(entry.Service.Port)))
	}
	slices.Sort(instances)
	return slices.Compact(instances), meta.LastIndex, nil
}

// apply takes over the list of a response, sends it to the subscribers where it differs, and has those looked after that left it. Within
// the grace an empty list does not replace one that has instances.
func (w *watcher) apply(instances []string, withinGrace bool) {
	former, changed := w.replace(instances, withinGrace)
	if !changed {
		return
	}
	for _, address := range former {
		if !slices.Contains(instances, address) {
			w.directory.listed(address, false)
		}
	}
	for _, address := range instances {
		w.directory.listed(address, true)
	}
}

func (w *watcher) replace(instances []string, withinGrace bool) (former []string, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastResponse = time.Now()
	if withinGrace && len(w.instances) > 0 {
		return nil, false
	}
	if w.synced && slices.Equal(w.instances, instances) {
		return nil, false
	}
	former, w.instances, w.synced = w.instances, instances, true
	for channel := range w.channels {
		w.send(channel)
	}
	return former, true
}

// send sends the list to one subscriber. A subscriber must receive (the contract of sd.Instancer); one that does not blocks
// the watcher, but not beyond the watcher's end.
func (w *watcher) send(channel chan<- sd.Event) {
	select {
	case channel <- sd.Event{Instances: slices.Clone(w.instances)}:
	case <-w.ctx.Done():
	}
}

func (w *watcher) register(channel chan<- sd.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.channels[channel] = struct{}{}
	if w.synced {
		w.send(channel)
	}
}

func (w *watcher) deregister(channel chan<- sd.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.channels, channel)
}

// list is the present list. The caller must not alter it.
func (w *watcher) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.instances
}

func (w *watcher) hasSynced() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.synced
}

func (w *watcher) age() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.lastResponse)
}

func (w *watcher) sleep(delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ctx.Done():
	}
}

// subscription is the sd.Instancer of one subscriber of a shared watcher.
type subscription struct {
	watcher  *watcher
	stopOnce sync.Once
	mu       sync.Mutex
	channels []chan<- sd.Event
}

var _ sd.Instancer = (*subscription)(nil)

// Register implements sd.Instancer: the channel gets the present list at once, if there is one, and then every change.
func (s *subscription) Register(channel chan<- sd.Event) {
	s.mu.Lock()
	s.channels = append(s.channels, channel)
	s.mu.Unlock()
	s.watcher.register(channel)
}

// Deregister implements sd.Instancer.
func (s *subscription) Deregister(channel chan<- sd.Event) { s.watcher.deregister(channel) }

// Stop implements sd.Instancer. The watcher, its goroutine and its query end with its last subscriber.
func (s *subscription) Stop() {
	s.stopOnce.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, channel := range s.channels {
			s.watcher.deregister(channel)
		}
		s.watcher.directory.unsubscribe(s.watcher)
	})
}
