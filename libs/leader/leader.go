// Package leader chooses one of all instances of a service for a piece of work that only one may do at a time: by a lock of the
// database, which ends with the connection that holds it. All elections of a process at one database share a connection.
package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrConnectionLost says that the connection that holds the lock is closed, and the lock released with it.
var ErrConnectionLost = errors.New("leader: the connection that holds the lock is lost")

// Key is the number of the lock whose name is $1, in SQL. Each schema has its own.
var Key = keyOf("$1::text")

func keyOf(name string) string { return "hashtextextended(current_schema() || ' ' || " + name + ", 0)" }

// Held says in SQL whether some session has the lock of a name, an expression of type text: who looks for work need not connect for what
// another does.
func Held(name string) string {
	return `EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
		AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
		AND (l.classid::bigint << 32 | l.objid::bigint) = ` + keyOf(name) + ")"
}

// Try tries to take the lock of that name. The lock belongs to the session: it ends with the connection, however that ends.
func Try(ctx context.Context, conn *pgx.Conn, name string) (leads bool, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+Key+")", name).Scan(&leads)
	return leads, err
}

// While runs fn, whose context ends at once when the connection that holds the lock is lost: another instance may lead from that
// moment on. fn must not use the connection.
func While(ctx context.Context, conn *pgx.Conn, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for watching.Err() == nil {
			// No channel is listened to. The blocking read is what notices the end of the connection.
			if err := conn.PgConn().WaitForNotification(watching); err != nil && watching.Err() == nil {
				cancel(fmt.Errorf("%w: %w", ErrConnectionLost, err))
				return
			}
		}
	}()
	err := fn(ctx)
	stop()
	<-stopped // the connection may be used again
	if cause := context.Cause(ctx); errors.Is(cause, ErrConnectionLost) {
		return cause
	}
	return err
}

// Sleep ends after delay, with ctx, or when woken.
func Sleep(ctx context.Context, delay time.Duration, woken <-chan struct{}) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	case <-ctx.Done():
	}
}
