package webhooks

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// endpointKey identifies an endpoint across organizations.
type endpointKey struct{ organizationID, endpointID string }

// dispatcher delivers events to endpoints. Every process has one, which runs in each cell. At any time, one process at most delivers to an
// endpoint.
type dispatcher struct {
	db       *postgres.DB
	log      *slog.Logger
	sender   *sender
	sealer   *sealer
	plans    *plans
	registry *resource.Registry
	metrics  *metrics
	now      func() time.Time

	cells map[string]*turnsOfCell
}

// turnsOfCell is what the dispatcher has in one cell.
type turnsOfCell struct {
	notified chan struct{} // this process has queued deliveries
	current  atomic.Pointer[worker]
}

// in gives what the dispatcher has in the cell of ctx.
func (d *dispatcher) in(ctx context.Context) *turnsOfCell {
	return d.cells[principal.From(ctx).CellName()]
}

// run delivers in the cell of ctx until that ends. It starts a new worker whenever the database ends the worker's session.
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

// runSession runs a worker on a database session of its own, until ctx or the session ends.
func (d *dispatcher) runSession(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, leaseRefreshTimeout)
	defer cancel()
	conn, err := d.db.Connect(starting)
	if err != nil {
		return err
	}
	defer postgres.Disconnect(conn)
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	w := &worker{dispatcher: d, turnsOfCell: d.in(ctx), alive: alive, holders: map[endpointKey]*leaseHolder{}}
	if w.number, err = acquireNumber(starting, conn); err != nil {
		return err
	}
	w.markRefreshed()
	w.current.Store(w)
	defer w.current.CompareAndSwap(w, nil)

	err = w.watchSession(ctx, conn)
	if ctx.Err() != nil {
		w.shutDown(conn)
	}
	end()
	w.work.Wait()
	return err
}

// acquireNumber gives the worker a number and takes the advisory lock of that number. The lock ends with the session.
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

// notify tells this process that deliveries were queued for endpoints. Other processes notice when they refresh their leases.
func (d *dispatcher) notify(ctx context.Context, endpoints []endpointKey) {
	if len(endpoints) == 0 {
		return
	}
	in := d.in(ctx)
	if w := in.current.Load(); w != nil {
		w.mu.Lock()
		for _, key := range endpoints {
			if h := w.holders[key]; h != nil {
				h.notify()
			}
		}
		w.mu.Unlock()
	}
	select {
	case in.notified <- struct{}{}:
	default:
	}
}
