package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
)

const (
	// leaseRefreshInterval is how long a worker may not hear of what another process has queued, or of one that is gone.
	leaseRefreshInterval = 200 * time.Millisecond
	// leaseRefreshTimeout is how long the database may take to answer a poll before the worker stops.
	leaseRefreshTimeout = 2 * time.Second
	// staleAfter is how long after the last answered poll nothing more is sent: a process that was stopped for a while finds out by
	// itself. The database ends its session after abandoned, so that nobody else begins before.
	staleAfter         = 3 * time.Second
	sessionIdleTimeout = 6 * time.Second
	// maxLeases bounds the memory of a process.
	maxLeases = 1000
	maxClaims = 100
	// shutdownGrace is how long calls that are under way when the process ends may take.
	shutdownGrace = 1500 * time.Millisecond
)

// endpointKey names an endpoint among those of all organizations.
type endpointKey struct{ organizationID, endpointID string }

// dispatcher delivers. Each process has one; at any time one of them works on an endpoint.
type dispatcher struct {
	db       *postgres.DB
	log      *slog.Logger
	sender   *sender
	sealer   *sealer
	plans    *plans
	registry *resource.Registry
	metrics  *metrics
	now      func() time.Time

	notified chan struct{} // something was queued in this process
	current  atomic.Pointer[worker]
}

// worker is a dispatcher's turn: from taking the session lock until that session ends.
type worker struct {
	*dispatcher
	number      int
	refreshedAt atomic.Pointer[time.Time] // when the session was last known to live
	alive       context.Context           // ends when the session has ended, and with it every call

	mu      sync.Mutex
	holders map[endpointKey]*leaseHolder
	work    sync.WaitGroup
}

// notify tells the owners in this process at once that something was queued; the others find it by polling.
func (d *dispatcher) notify(endpoints []endpointKey) {
	if len(endpoints) == 0 {
		return
	}
	if w := d.current.Load(); w != nil {
		w.mu.Lock()
		for _, key := range endpoints {
			if o := w.holders[key]; o != nil {
				o.notify()
			}
		}
		w.mu.Unlock()
	}
	select {
	case d.notified <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends, through whatever happens to the database.
func (d *dispatcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := d.runSession(ctx)
		if ctx.Err() != nil {
			return
		}
		d.log.WarnContext(ctx, "deliveries stopped: the session that holds this worker's lock has ended; it begins again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(leaseRefreshInterval):
		}
	}
}

// runSession takes a lock of its own and delivers until ctx or the session ends.
func (d *dispatcher) runSession(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, leaseRefreshTimeout)
	defer cancel()
	conn, err := d.db.Connect(starting)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // its session is over either way
	}()
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	w := &worker{dispatcher: d, alive: alive, holders: map[endpointKey]*leaseHolder{}}
	if w.number, err = acquireNumber(starting, conn); err != nil {
		return err
	}
	w.markRefreshed()
	d.current.Store(w)
	defer d.current.CompareAndSwap(w, nil)

	err = w.watchSession(ctx, conn)
	if ctx.Err() != nil {
		w.shutDown(conn)
	}
	end()
	w.work.Wait()
	return err
}

// acquireNumber takes a number and its lock, which lives as long as the session.
func acquireNumber(ctx context.Context, conn *pgx.Conn) (number int, err error) {
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET idle_session_timeout = %d", sessionIdleTimeout.Milliseconds())); err != nil {
		return 0, err
	}
	var locked bool
	if err := conn.QueryRow(ctx, "SELECT nextval('worker_number')::integer").Scan(&number); err != nil {
		return 0, err
	}
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(worker_class(), $1)", number).Scan(&locked); err != nil {
		return 0, err
	}
	if !locked {
		return 0, fmt.Errorf("the lock of worker %d is held by somebody else", number)
	}
	return number, nil
}

// watchSession polls until ctx ends, or until the session has: that it notices at once, not at the next poll.
func (w *worker) watchSession(ctx context.Context, conn *pgx.Conn) error {
	for ctx.Err() == nil {
		if err := w.refreshLeases(ctx, conn); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, leaseRefreshInterval)
		listening := make(chan struct{})
		go func() {
			select {
			case <-w.notified:
				cancel()
			case <-listening:
			}
		}()
		_, err := conn.WaitForNotification(waiting) // none is ever sent: this returns when the time is up or the session is
		close(listening)
		ended := waiting.Err() == nil
		cancel()
		if ended || conn.IsClosed() {
			return errors.Join(errors.New("the database ended the session"), err)
		}
	}
	return ctx.Err()
}

// refreshLeases asks what was knocked at, lets go of what this worker no longer owns, and takes on what nobody works on.
func (w *worker) refreshLeases(ctx context.Context, conn *pgx.Conn) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRefreshTimeout)
	defer cancel()
	w.mu.Lock()
	before, room := len(w.holders), max(0, maxLeases-len(w.holders))
	former := make(map[endpointKey]*leaseHolder, before)
	for key, o := range w.holders {
		former[key] = o
	}
	w.mu.Unlock()

	knocks, claimed := map[endpointKey]int64{}, []endpointKey{}
	batch := &pgx.Batch{}
	batch.Queue("SELECT organization_id::text, endpoint_id::text, knock FROM owned_endpoints($1)", w.number).Query(func(rows pgx.Rows) error {
		var key endpointKey
		var knock int64
		_, err := pgx.ForEachRow(rows, []any{&key.organizationID, &key.endpointID, &knock}, func() error {
			knocks[key] = knock
			return nil
		})
		return err
	})
	batch.Queue("SELECT organization_id::text, endpoint_id::text FROM claim_endpoints($1, $2, $3)", w.number, w.now(), min(room, maxClaims)).Query(func(rows pgx.Rows) error {
		var key endpointKey
		_, err := pgx.ForEachRow(rows, []any{&key.organizationID, &key.endpointID}, func() error {
			claimed = append(claimed, key)
			return nil
		})
		return err
	})
	if err := conn.SendBatch(limited, batch).Close(); err != nil {
		return err
	}
	w.markRefreshed()
	for key, o := range former {
		if knock, mine := knocks[key]; !mine {
			o.revoke()
		} else {
			o.sawNotifications(knock)
		}
	}
	for key := range knocks {
		if former[key] == nil { // its owner here has stumbled, or has just given it back: then the new one finds that out
			claimed = append(claimed, key)
		}
	}
	for _, key := range claimed {
		w.startHolder(key)
	}
	return nil
}

func (w *worker) markRefreshed() {
	now := time.Now()
	w.refreshedAt.Store(&now)
}

// maySend says whether this worker still is who it believes to be.
func (w *worker) maySend() bool {
	return w.alive.Err() == nil && time.Since(*w.refreshedAt.Load()) < staleAfter
}

// startHolder begins to work on an endpoint, when the last owner here has put it down.
func (w *worker) startHolder(key endpointKey) {
	o := newLeaseHolder(w, key)
	w.mu.Lock()
	former := w.holders[key]
	w.holders[key] = o
	w.mu.Unlock()
	w.work.Go(func() {
		if former != nil {
			<-former.ended
		}
		defer w.removeHolder(o)
		o.run()
	})
}

func (w *worker) removeHolder(o *leaseHolder) {
	w.mu.Lock()
	if w.holders[o.key] == o {
		delete(w.holders, o.key)
	}
	w.mu.Unlock()
	close(o.ended)
}

// shutDown ends a worker in an orderly way: nothing new is begun, what is under way has a moment, and others are told that
// they may go on.
func (w *worker) shutDown(conn *pgx.Conn) {
	w.mu.Lock()
	for _, o := range w.holders {
		o.stop()
	}
	w.mu.Unlock()
	done := make(chan struct{})
	go func() {
		w.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(shutdownGrace):
	}
	letting, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Exec(letting, "SELECT pg_advisory_unlock(worker_class(), $1)", w.number) // else the end of the session does it
}
