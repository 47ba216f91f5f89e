package webhooks

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// leaseRefreshInterval is how long a worker may take to notice what another process has queued, or that one has died.
	leaseRefreshInterval = 200 * time.Millisecond
	// leaseRefreshTimeout is how long the database may take to answer a refresh before the worker stops.
	leaseRefreshTimeout = 2 * time.Second
	// staleAfter is the age of the last refresh from which on a worker sends nothing: a process that was suspended stops by
	// itself. It is shorter than sessionIdleTimeout, after which the database ends the session and others may take the leases.
	staleAfter         = 3 * time.Second
	sessionIdleTimeout = 6 * time.Second
	// maxLeases bounds the memory of a process.
	maxLeases = 1000
	maxClaims = 100 // in one refresh
	// shutdownGrace is how long calls may still take when the process ends.
	shutdownGrace = 1500 * time.Millisecond
)

// worker delivers as long as its database session lives. The session holds the advisory lock of the worker's number. An
// endpoint is leased to the worker whose number its row of dispatch names; the lease ends when that lock is free.
type worker struct {
	*dispatcher
	*turnsOfCell
	number      int
	refreshedAt atomic.Pointer[time.Time] // when the session was last known to live
	alive       context.Context           // ends with the session, and every call with it

	mu      sync.Mutex
	holders map[endpointKey]*leaseHolder
	work    sync.WaitGroup
}

// watchSession refreshes the leases until ctx or the session ends. It notices the end of the session at once.
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
		_, err := conn.WaitForNotification(waiting) // none is ever sent: this returns at the timeout, or when the session ends
		close(listening)
		ended := waiting.Err() == nil
		cancel()
		if ended || conn.IsClosed() {
			return errors.Join(errors.New("the database ended the session"), err)
		}
	}
	return ctx.Err()
}

// refreshLeases reads which endpoints are leased to this worker, stops the holders of the others, and claims endpoints that
// are due and leased to nobody.
func (w *worker) refreshLeases(ctx context.Context, conn *pgx.Conn) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRefreshTimeout)
	defer cancel()
	w.mu.Lock()
	before, room := len(w.holders), max(0, maxLeases-len(w.holders))
	former := make(map[endpointKey]*leaseHolder, before)
	for key, h := range w.holders {
		former[key] = h
	}
	w.mu.Unlock()

	leased, claimed, err := w.queryLeases(limited, conn, min(room, maxClaims))
	if err != nil {
		return err
	}
	w.markRefreshed()
	for key, h := range former {
		if notifications, mine := leased[key]; !mine {
			h.revoke()
		} else {
			h.sawNotifications(notifications)
		}
	}
	for key := range leased {
		if former[key] == nil { // its holder has panicked, or has just released it; in the latter case the new holder notices
			claimed = append(claimed, key)
		}
	}
	for _, key := range claimed {
		w.startHolder(key)
	}
	return nil
}

// queryLeases gives the endpoints that are leased to this worker, each with its number of notifications, and claims others.
func (w *worker) queryLeases(ctx context.Context, conn *pgx.Conn, limit int) (map[endpointKey]int64, []endpointKey, error) {
	leased, claimed := map[endpointKey]int64{}, []endpointKey{}
	batch := &pgx.Batch{}
	batch.Queue("SELECT organization_id::text, endpoint_id::text, knock FROM owned_endpoints($1)", w.number).
		Query(func(rows pgx.Rows) error {
			var key endpointKey
			var notifications int64
			_, err := pgx.ForEachRow(rows, []any{&key.organizationID, &key.endpointID, &notifications}, func() error {
				leased[key] = notifications
				return nil
			})
			return err
		})
	batch.Queue("SELECT organization_id::text, endpoint_id::text FROM claim_endpoints($1, $2, $3)", w.number, w.now(), limit).
		Query(func(rows pgx.Rows) error {
			var key endpointKey
			_, err := pgx.ForEachRow(rows, []any{&key.organizationID, &key.endpointID}, func() error {
				claimed = append(claimed, key)
				return nil
			})
			return err
		})
	err := conn.SendBatch(ctx, batch).Close()
	return leased, claimed, err
}

func (w *worker) markRefreshed() {
	now := time.Now()
	w.refreshedAt.Store(&now)
}

// maySend says whether the leases are still this worker's.
func (w *worker) maySend() bool {
	return w.alive.Err() == nil && time.Since(*w.refreshedAt.Load()) < staleAfter
}

// startHolder starts to deliver to an endpoint, as soon as its former holder in this process has ended.
func (w *worker) startHolder(key endpointKey) {
	h := newLeaseHolder(w, key)
	w.mu.Lock()
	former := w.holders[key]
	w.holders[key] = h
	w.mu.Unlock()
	w.work.Go(func() {
		if former != nil {
			<-former.ended
		}
		defer w.removeHolder(h)
		h.run()
	})
}

func (w *worker) removeHolder(h *leaseHolder) {
	w.mu.Lock()
	if w.holders[h.key] == h {
		delete(w.holders, h.key)
	}
	w.mu.Unlock()
	close(h.ended)
}

// shutDown begins no new calls, gives those under way their grace, and frees the worker's lock so that others take over.
func (w *worker) shutDown(conn *pgx.Conn) {
	w.mu.Lock()
	for _, h := range w.holders {
		h.stop()
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
	unlocking, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Exec(unlocking, "SELECT pg_advisory_unlock(worker_class(), $1)", w.number) // else the end of the session frees it
}
