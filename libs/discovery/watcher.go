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
	blockFor    = 10 * time.Second       // how long Consul may hold a query that has nothing new
	answerIn    = 2 * time.Second        // what an answer may take, on top of that where Consul holds it
	retryAtMost = time.Second            // the longest pause after an error
	fullRead    = time.Minute            // how often everything is read anew, whatever the index says: one missed change must not last
	grace       = 10 * time.Second       // how long an empty list must stay empty before it is believed: a restarted Consul has forgotten everybody for a moment
	atMostEvery = 100 * time.Millisecond // pause between two answers of Consul: a catalogue that changes all the time must not keep a core busy
)

// watcher follows the healthy instances of one service in one datacenter. It is written because
// go-kit's own Consul instancer keeps its wait index over a restart of Consul, pauses for minutes, leaks its query and publishes an empty list
// from a wiped catalogue.
type watcher struct {
	directory *Directory
	pair      pair
	users     int // guarded by directory.mu

	alive context.Context
	end   context.CancelFunc
	ready chan struct{} // closed when Consul has answered, or failed, for the first time

	mu        sync.Mutex
	instances []string // sorted; nil before the first answer
	known     bool     // Consul has answered at least once
	channels  map[chan<- sd.Event]struct{}
	answered  time.Time // when Consul last answered; before the first answer: when the watch began
}

func newWatcher(d *Directory, p pair) *watcher {
	w := &watcher{directory: d, pair: p, channels: map[chan<- sd.Event]struct{}{}, ready: make(chan struct{}), answered: time.Now()}
	w.alive, w.end = context.WithCancel(d.alive)
	return w
}

// run asks until the watcher ends.
func (w *watcher) run() {
	var (
		index      uint64
		pause      time.Duration
		emptySince time.Time // when Consul first said "nobody" in a row of such answers
		lastFull   time.Time
		failing    bool
		first      sync.Once
	)
	defer w.end()
	for w.alive.Err() == nil {
		if time.Since(lastFull) >= fullRead {
			index = 0
		}
		if index == 0 {
			lastFull = time.Now()
		}
		wait := blockFor
		if left := time.Until(emptySince.Add(grace)); left > 0 { // ask again when the list can be believed
			wait = max(10*time.Millisecond, min(blockFor, left))
		}
		instances, next, err := w.ask(index, wait)
		if w.alive.Err() != nil {
			return
		}
		if err != nil {
			first.Do(func() { close(w.ready) })
			if !failing {
				w.directory.log.Warn("Consul does not answer; the last known instances stay in use",
					"service", w.pair.service, "datacenter", w.pair.datacenter, "error", err)
			}
			failing, index = true, 0
			pause = min(retryAtMost, max(50*time.Millisecond, 2*pause))
			w.sleep(pause/2 + rand.N(pause/2))
			continue
		}
		if failing {
			w.directory.log.Info("Consul answers again", "service", w.pair.service, "datacenter", w.pair.datacenter)
		}
		failing, pause = false, 0
		if next < index { // Consul was restored or restarted: what it counted before means nothing now
			next = 0
		}
		index = next

		if len(instances) > 0 {
			emptySince = time.Time{}
		} else if emptySince.IsZero() {
			emptySince = time.Now()
		}
		w.learn(instances, !emptySince.IsZero() && time.Since(emptySince) < grace)
		first.Do(func() { close(w.ready) })
		w.sleep(atMostEvery)
	}
}

// ask is one query: at once when index is 0, else when something changed or wait is over.
func (w *watcher) ask(index uint64, wait time.Duration) ([]string, uint64, error) {
	deadline := answerIn // a Consul that has just started holds early callers for seven seconds: better ask again
	if index > 0 {
		deadline += wait + wait/16 // a sixteenth is what Consul adds of its own
	}
	ctx, cancel := context.WithTimeout(w.alive, deadline)
	defer cancel()
	options := &api.QueryOptions{
		Datacenter: w.pair.datacenter,
		AllowStale: true, // a server without a leader still knows the instances
		WaitIndex:  index,
		WaitTime:   wait,
	}
	entries, meta, err := w.directory.watching.Health().Service(w.pair.service, "", true, options.WithContext(ctx))
	if err != nil {
		return nil, 0, fmt.Errorf("instances of %s in %s: %w", w.pair.service, w.pair.datacenter, err)
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

// learn takes over what Consul said, and tells the users where it differs. Within the grace an empty list does
// not replace one that has instances.
func (w *watcher) learn(instances []string, doubted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = time.Now()
	if doubted && len(w.instances) > 0 {
		return
	}
	if w.known && slices.Equal(w.instances, instances) {
		return
	}
	w.instances, w.known = instances, true
	for channel := range w.channels {
		w.send(channel)
	}
}

// send tells one user. Users take what they are sent (that is sd.Instancer's contract); one that does not may
// hold up the watcher, but not beyond its end.
func (w *watcher) send(channel chan<- sd.Event) {
	select {
	case channel <- sd.Event{Instances: slices.Clone(w.instances)}:
	case <-w.alive.Done():
	}
}

func (w *watcher) register(channel chan<- sd.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.channels[channel] = struct{}{}
	if w.known {
		w.send(channel)
	}
}

func (w *watcher) deregister(channel chan<- sd.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.channels, channel)
}

// list is what is known now. The caller must not alter it.
func (w *watcher) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.instances
}

func (w *watcher) told() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known
}

func (w *watcher) age() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.answered)
}

func (w *watcher) sleep(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.alive.Done():
	}
}

// subscription is one user's sd.Instancer on a shared watcher.
type subscription struct {
	watcher *watcher
	stop    sync.Once
	mu      sync.Mutex
	mine    []chan<- sd.Event
}

var _ sd.Instancer = (*subscription)(nil)

// Register implements sd.Instancer: the channel gets what is known, at once if anything is, and then every change.
func (s *subscription) Register(channel chan<- sd.Event) {
	s.mu.Lock()
	s.mine = append(s.mine, channel)
	s.mu.Unlock()
	s.watcher.register(channel)
}

// Deregister implements sd.Instancer.
func (s *subscription) Deregister(channel chan<- sd.Event) { s.watcher.deregister(channel) }

// Stop implements sd.Instancer. The watcher, its goroutine and its query end with its last user.
func (s *subscription) Stop() {
	s.stop.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, channel := range s.mine {
			s.watcher.deregister(channel)
		}
		s.watcher.directory.release(s.watcher)
	})
}
