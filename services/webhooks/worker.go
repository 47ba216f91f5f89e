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
	// pollEvery is how long a worker may not hear of what another process has queued, or of one that is gone.
	pollEvery = 200 * time.Millisecond
	// pollPatience is how long the database may take to answer a poll before the worker stops.
	pollPatience = 2 * time.Second
	// stale is how long after the last answered poll nothing more is sent: a process that was stopped for a while finds out by
	// itself. The database ends its session after abandoned, so that nobody else begins before.
	stale     = 3 * time.Second
	abandoned = 6 * time.Second
	// mostEndpointsOwned bounds the memory of a process.
	mostEndpointsOwned = 1000
	claimAtOnce        = 100
	// finishing is how long calls that are under way when the process ends may take.
	finishing = 1500 * time.Millisecond
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
	meters   *meters
	now      func() time.Time

	wakened chan struct{} // something was queued in this process
	current atomic.Pointer[worker]
}

// worker is a dispatcher's turn: from taking the session lock until that session ends.
type worker struct {
	*dispatcher
	number int
	polled atomic.Pointer[time.Time] // when the session was last known to live
	alive  context.Context           // ends when the session has ended, and with it every call

	mu    sync.Mutex
	owned map[endpointKey]*owner
	work  sync.WaitGroup
}

// knock tells the owners in this process at once that something was queued; the others find it by polling.
func (d *dispatcher) knock(endpoints []endpointKey) {
	if len(endpoints) == 0 {
		return
	}
	if w := d.current.Load(); w != nil {
		w.mu.Lock()
		for _, key := range endpoints {
			if o := w.owned[key]; o != nil {
				o.knock()
			}
		}
		w.mu.Unlock()
	}
	select {
	case d.wakened <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends, through whatever happens to the database.
func (d *dispatcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := d.once(ctx)
		if ctx.Err() != nil {
			return
		}
		d.log.WarnContext(ctx, "deliveries stopped: the session that holds this worker's lock has ended; it begins again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery):
		}
	}
}

// once takes a lock of its own and delivers until ctx or the session ends.
func (d *dispatcher) once(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, pollPatience)
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
	w := &worker{dispatcher: d, alive: alive, owned: map[endpointKey]*owner{}}
	if w.number, err = lockNumber(starting, conn); err != nil {
		return err
	}
	w.seen()
	d.current.Store(w)
	defer d.current.CompareAndSwap(w, nil)

	err = w.watch(ctx, conn)
	if ctx.Err() != nil {
		w.finish(conn)
	}
	end()
	w.work.Wait()
	return err
}

// lockNumber takes a number and its lock, which lives as long as the session.
func lockNumber(ctx context.Context, conn *pgx.Conn) (number int, err error) {
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET idle_session_timeout = %d", abandoned.Milliseconds())); err != nil {
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

// watch polls until ctx ends, or until the session has: that it notices at once, not at the next poll.
func (w *worker) watch(ctx context.Context, conn *pgx.Conn) error {
	for ctx.Err() == nil {
		if err := w.poll(ctx, conn); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, pollEvery)
		listening := make(chan struct{})
		go func() {
			select {
			case <-w.wakened:
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

// poll asks what was knocked at, lets go of what this worker no longer owns, and takes on what nobody works on.
func (w *worker) poll(ctx context.Context, conn *pgx.Conn) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollPatience)
	defer cancel()
	w.mu.Lock()
	before, room := len(w.owned), max(0, mostEndpointsOwned-len(w.owned))
	former := make(map[endpointKey]*owner, before)
	for key, o := range w.owned {
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
	batch.Queue("SELECT organization_id::text, endpoint_id::text FROM claim_endpoints($1, $2, $3)", w.number, w.now(), min(room, claimAtOnce)).Query(func(rows pgx.Rows) error {
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
	w.seen()
	for key, o := range former {
		if knock, mine := knocks[key]; !mine {
			o.lose()
		} else {
			o.knocked(knock)
		}
	}
	for key := range knocks {
		if former[key] == nil { // its owner here has stumbled, or has just given it back: then the new one finds that out
			claimed = append(claimed, key)
		}
	}
	for _, key := range claimed {
		w.own(key)
	}
	return nil
}

func (w *worker) seen() {
	now := time.Now()
	w.polled.Store(&now)
}

// maySend says whether this worker still is who it believes to be.
func (w *worker) maySend() bool {
	return w.alive.Err() == nil && time.Since(*w.polled.Load()) < stale
}

// own begins to work on an endpoint, when the last owner here has put it down.
func (w *worker) own(key endpointKey) {
	o := newOwner(w, key)
	w.mu.Lock()
	former := w.owned[key]
	w.owned[key] = o
	w.mu.Unlock()
	w.work.Go(func() {
		if former != nil {
			<-former.ended
		}
		defer w.disown(o)
		o.run()
	})
}

func (w *worker) disown(o *owner) {
	w.mu.Lock()
	if w.owned[o.key] == o {
		delete(w.owned, o.key)
	}
	w.mu.Unlock()
	close(o.ended)
}

// finish ends a worker in an orderly way: nothing new is begun, what is under way has a moment, and others are told that
// they may go on.
func (w *worker) finish(conn *pgx.Conn) {
	w.mu.Lock()
	for _, o := range w.owned {
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
	case <-time.After(finishing):
	}
	letting, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Exec(letting, "SELECT pg_advisory_unlock(worker_class(), $1)", w.number) // else the end of the session does it
}
