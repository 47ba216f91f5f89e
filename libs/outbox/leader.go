package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// electionInterval is the time between two attempts of a follower to take the lock. The follower polls rather than waits: a
// statement that waits holds a snapshot, which keeps Postgres from removing dead rows.
const electionInterval = 500 * time.Millisecond

// errConnectionLost says that the connection that holds the lock is closed, and the lock released with it.
var errConnectionLost = errors.New("outbox: the connection that holds the relay's lock is lost")

// tryLock tries to take the relay lock of this schema. The lock belongs to the session: it ends with the connection, however
// that ends.
func tryLock(ctx context.Context, conn *pgx.Conn) (leads bool, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' outbox relay', 0))").Scan(&leads)
	return leads, err
}

// whileLeading runs fn, whose context ends at once when the connection that holds the lock is lost: another instance may lead
// from that moment on. fn must not use the connection.
func whileLeading(ctx context.Context, conn *pgx.Conn, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for watching.Err() == nil {
			// No channel is listened to. The blocking read is what notices the end of the connection.
			if err := conn.PgConn().WaitForNotification(watching); err != nil && watching.Err() == nil {
				cancel(fmt.Errorf("%w: %w", errConnectionLost, err))
				return
			}
		}
	}()
	err := fn(ctx)
	stop()
	<-stopped // the connection may be used again
	if cause := context.Cause(ctx); errors.Is(cause, errConnectionLost) {
		return cause
	}
	return err
}

// connectionLost marks an error of a statement on the lock's connection as the loss of that connection.
func connectionLost(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", errConnectionLost, doing, err)
}
