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

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/discovery"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

const (
	// poll is how long an event of another instance's transaction may wait before the leader looks: it hears of its own
	// process's commits only.
	poll = 250 * time.Millisecond
	// gather is the pause after a batch that took all there was: single writes in quick succession share the next one.
	gather = 25 * time.Millisecond
	// firstPause and longestPause bound the pauses while the webhooks service is away; each is twice the one before.
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// refusedPause bounds them while it answers and takes none of what it is sent. New events may be taken: they wake the relay.
	refusedPause = time.Second
	// farewell is how long what runs may go on after the process was told to end.
	farewell = 1500 * time.Millisecond
)

// Relay hands the events of one service, of all organizations, to the webhooks service, in the order of their positions. Every
// instance of the service runs one; the one that holds the lock of the service's schema works, and the others wait for it.
// An event leaves the outbox when the webhooks service has acknowledged it, and not before: whatever is killed, it
// is sent again, and known there by its id.
type Relay struct {
	Service   string // whose events: "assets"
	DB        *postgres.DB
	Directory *discovery.Directory
	Signer    *principal.Signer
	Log       *slog.Logger

	client *http.Client
	wake   chan struct{}
	state  atomic.Pointer[waiting] // nil while another instance leads
	away   bool                    // the last batch was not taken: said once
}

// NewRelay makes a relay, which Run sets to work.
func NewRelay(service string, db *postgres.DB, directory *discovery.Directory, signer *principal.Signer, log *slog.Logger) *Relay {
	return &Relay{
		Service: service, DB: db, Directory: directory, Signer: signer, Log: log, wake: make(chan struct{}, 1),
		client: &http.Client{
			Timeout:       deadline,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// No spans: the events of one batch belong to many traces, and carry them with them.
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second, DisableCompression: true,
			},
		},
	}
}

// Run works until ctx ends. What it is at is finished then, and what was committed until then handed on, within 1.5 s.
func (r *Relay) Run(ctx context.Context) {
	running.add(r)
	defer running.remove(r)
	defer r.observe()()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })()
	for ctx.Err() == nil {
		switch err := r.serve(ctx, work); {
		case ctx.Err() != nil:
		case errors.Is(err, errLost):
			r.Log.WarnContext(ctx, "the relay's connection to the database is lost; it is made anew, or another instance takes over", "error", err)
		case err != nil: // readiness tells of a database that is away
			r.Log.DebugContext(ctx, "the relay cannot ask for its lock", "error", err)
		}
		r.sleep(ctx, elect, nil)
	}
}

// serve holds one connection: it waits until the lock can be had, and works until the connection is lost or ctx ends.
func (r *Relay) serve(ctx, work context.Context) error {
	conn, err := r.DB.Connect(ctx)
	if err != nil {
		return err
	}
	defer closeConnection(conn)
	for {
		leads, err := lock(ctx, conn)
		switch {
		case err != nil:
			return err
		case leads:
			r.Log.InfoContext(ctx, "this instance hands on the events of its service")
			r.state.Store(&waiting{})
			defer r.state.Store(nil)
			return r.lead(ctx, work, conn)
		}
		if r.sleep(ctx, elect, nil); ctx.Err() != nil {
			return nil
		}
	}
}

// lead hands on batch after batch.
func (r *Relay) lead(ctx, work context.Context, conn *pgx.Conn) error {
	pause, counted := time.Duration(0), time.Time{}
	for {
		last := ctx.Err() != nil
		if time.Since(counted) > countEvery {
			if err := r.count(work, conn); err != nil {
				return err
			}
			counted = time.Now()
		}
		sent, received, err := r.tryHandOn(work, conn)
		if errors.Is(err, errLost) || last {
			return err
		}
		r.tell(ctx, sent, err)
		switch {
		case errors.Is(err, errRefused) && received > 0: // what was refused must not hold up the others
			pause = 0
			r.sleep(ctx, gather, nil)
		case errors.Is(err, errRefused):
			pause = min(refusedPause, max(firstPause, 2*pause))
			r.sleep(ctx, pause, r.wake)
		case err != nil:
			pause = min(longestPause, max(firstPause, 2*pause))
			r.sleep(ctx, pause, nil)
		case sent.full():
			pause = 0
		case len(sent) > 0:
			pause = 0
			r.sleep(ctx, gather, nil)
		default:
			r.sleep(ctx, poll, r.wake)
		}
	}
}

// tryHandOn is handOn as a piece of work that shows where it fails.
func (r *Relay) tryHandOn(ctx context.Context, conn *pgx.Conn) (sent batch, received int, err error) {
	_ = telemetry.Work(ctx, "hand on events", func(ctx context.Context) error {
		sent, received, err = r.handOn(ctx, conn)
		return err
	})
	return sent, received, err
}

// tell logs when the webhooks service goes away, and when it is back.
func (r *Relay) tell(ctx context.Context, sent batch, err error) {
	switch {
	case err != nil && !r.away:
		r.away = true
		r.Log.WarnContext(ctx, "events are not taken by the webhooks service; they wait and are sent again", "events", len(sent), "error", err)
	case err == nil && len(sent) > 0 && r.away:
		r.away = false
		r.Log.InfoContext(ctx, "events are taken by the webhooks service again")
	}
}

// sleep ends after pause, with ctx, or when woken.
func (r *Relay) sleep(ctx context.Context, pause time.Duration, woken <-chan struct{}) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	case <-ctx.Done():
	}
}

// relays are those of this process; there is one in each of our programs.
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

// wakeRelays is called when events were committed. One call too many does no harm.
func wakeRelays() {
	running.mu.RLock()
	defer running.mu.RUnlock()
	for one := range running.all {
		select {
		case one.wake <- struct{}{}:
		default: // it has not looked yet since it was woken last
		}
	}
}
