package outbox

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

const (
	// minPoll and maxPoll bound the time between two queries that find nothing: it doubles. Every commit wakes the leader, also in
	// another process. A process that ended between the two, or a program of an earlier release, did not: its events are found within
	// maxPoll.
	minPoll, maxPoll = 250 * time.Millisecond, 2 * time.Second
	// batchDelay is the delay after a batch that emptied the outbox, so that single writes in quick succession share the next one.
	batchDelay = 25 * time.Millisecond
	// minBackoff and maxBackoff bound the exponential backoff while the webhooks service is down.
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	// maxUnacknowledgedBackoff bounds it while that service responds and acknowledges nothing. It may acknowledge new events: they
	// wake the relay.
	maxUnacknowledgedBackoff = time.Second
	// livenessTimeout is how long the webhooks service may take for a batch until it is asked whether it lives.
	livenessTimeout = time.Second
	// shutdownGrace is the time for the batch that is being published when the process shuts down.
	shutdownGrace = 1500 * time.Millisecond
	// databaseTimeout is the time for one statement, which may wait for a connection of the pool and runs for 10 s at most.
	databaseTimeout = 15 * time.Second
)

// Relay publishes the events of one service, of all organizations of a cell, to the webhooks service, in the order of their positions.
// Every instance of the service runs one in each cell. The one that holds the lock of the service's schema leads; the others wait for the
// lock. An event is deleted from the outbox when the webhooks service has acknowledged it, and not before. After a crash it is
// sent again; the webhooks service recognises it by its id.
type Relay struct {
	Service   string // whose events: "assets"
	DB        *postgres.DB
	Directory *discovery.Directory
	Signer    *principal.Signer
	Log       *slog.Logger

	client  *http.Client
	cell    string // that of Run's context
	wake    chan struct{}
	backlog atomic.Pointer[backlog] // nil while another instance leads
	failing bool                    // the last batch failed; logged once
}

// NewRelay makes a relay. Run starts it.
func NewRelay(service string, db *postgres.DB, directory *discovery.Directory, signer *principal.Signer, log *slog.Logger) *Relay {
	return &Relay{
		Service: service, DB: db, Directory: directory, Signer: signer, Log: log, wake: make(chan struct{}, 1),
		client: &http.Client{
			Timeout:       postTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// No spans: the events of one batch belong to many traces, and carry their ids.
			Transport: directory.Transport(&http.Transport{
				DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second, DisableCompression: true,
			}, livenessTimeout),
		},
	}
}

// Run works in the cell of ctx until ctx ends. It then finishes the batch that is being published and publishes what was committed
// until then, within 1.5 s.
func (r *Relay) Run(ctx context.Context) {
	r.cell = principal.From(ctx).CellName()
	running.add(r)
	defer running.remove(r)
	defer r.registerMetrics()()
	election := leader.Election{Name: "outbox relay", Work: "hands on the events of its service", DB: r.DB, Log: r.Log,
		Wake: r.wake, Grace: shutdownGrace}
	election.Run(ctx, func(held context.Context, lock *leader.Lock) error {
		r.backlog.Store(&backlog{})
		defer r.backlog.Store(nil)
		return r.lead(ctx, held, lock)
	})
}

// lead publishes batch after batch while the lock is held, the last one after ctx has ended.
func (r *Relay) lead(ctx, held context.Context, lock *leader.Lock) error {
	delay, idle, counted := time.Duration(0), minPoll, time.Time{}
	for {
		last := ctx.Err() != nil
		if time.Since(counted) > countInterval {
			counted = time.Now()
			r.countBacklog(held)
		}
		sent, received, err := r.tracedPublish(held, lock)
		if held.Err() != nil || errors.Is(err, leader.ErrConnectionLost) || last {
			return err
		}
		r.logOutcome(ctx, sent, err)
		if len(sent) > 0 {
			idle = minPoll
		}
		switch {
		case errors.Is(err, errNotAcknowledged) && received > 0: // an event that is not acknowledged must not hold up the others
			delay = 0
			pause(ctx, held, batchDelay, nil)
		case errors.Is(err, errNotAcknowledged):
			delay = min(maxUnacknowledgedBackoff, max(minBackoff, 2*delay))
			pause(ctx, held, delay, r.wake)
		case err != nil:
			delay = min(maxBackoff, max(minBackoff, 2*delay))
			pause(ctx, held, delay, nil)
		case sent.full():
			delay = 0
		case len(sent) > 0:
			delay = 0
			pause(ctx, held, batchDelay, nil)
		default:
			pause(ctx, held, idle, r.wake)
			idle = min(maxPoll, 2*idle)
		}
	}
}

// pause ends after delay, when woken, and with either context.
func pause(ctx, held context.Context, delay time.Duration, woken <-chan struct{}) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(held, end)()
	leader.Sleep(ctx, delay, woken)
}

// tracedPublish is publish with a trace of its own that is recorded when it fails.
func (r *Relay) tracedPublish(ctx context.Context, lock *leader.Lock) (sent batch, received int, err error) {
	_ = telemetry.Work(ctx, "hand on events", func(ctx context.Context) error {
		sent, received, err = r.publish(ctx, lock)
		return err
	})
	return sent, received, err
}

// logOutcome logs the first batch that fails, and the first that succeeds afterwards.
func (r *Relay) logOutcome(ctx context.Context, sent batch, err error) {
	switch {
	case err != nil && !r.failing:
		r.failing = true
		message := "events are not taken by the webhooks service; they wait and are sent again"
		if len(sent) == 0 {
			message = "events cannot be read from the outbox; they wait"
		}
		r.Log.WarnContext(ctx, message, "events", len(sent), "error", err)
	case err == nil && len(sent) > 0 && r.failing:
		r.failing = false
		r.Log.InfoContext(ctx, "events are taken by the webhooks service again")
	}
}

// relays are the relays of this process; each of our programs has one in each cell.
type relays struct {
	mu  sync.RWMutex
	all map[*Relay]struct{}
}

var running = relays{all: map[*Relay]struct{}{}}

func (r *relays) add(one *Relay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[one] = struct{}{}
}

func (r *relays) remove(one *Relay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, one)
}

// wakeRelays is called after events were committed by the transaction of ctx. An additional call does no harm.
func wakeRelays(ctx context.Context) {
	cell := principal.From(ctx).CellName()
	running.mu.RLock()
	defer running.mu.RUnlock()
	for one := range running.all {
		if one.cell != cell || !one.DB.Runs(ctx) {
			continue
		}
		select {
		case one.wake <- struct{}{}:
		default: // it was woken already and has not polled since
		}
	}
}
