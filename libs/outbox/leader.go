package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// elect is how often an instance that does not lead asks for the lock. It asks rather than waits: a statement that waits
// holds a snapshot, which keeps Postgres from clearing away dead rows.
const elect = 500 * time.Millisecond

// errLost says that the connection that holds the lock is gone, and the lock with it.
var errLost = errors.New("outbox: the connection that holds the relay's lock is lost")

// lock asks for the lock of the relay of this schema. It belongs to the session: it ends with the connection, however that
// ends.
func lock(ctx context.Context, conn *pgx.Conn) (leads bool, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' outbox relay', 0))").Scan(&leads)
	return leads, err
}

// whileLeading runs fn, whose context ends at once when the connection that holds the lock is lost: another instance may lead
// from that moment on. fn must not use the connection.
func whileLeading(ctx context.Context, conn *pgx.Conn, fn func(ctx context.Context) error) error {
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	watching, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for watching.Err() == nil {
			// Nothing is listened to. A read that waits is what hears of the server's goodbye, or of the connection's end.
			if err := conn.PgConn().WaitForNotification(watching); err != nil && watching.Err() == nil {
				lose(fmt.Errorf("%w: %w", errLost, err))
				return
			}
		}
	}()
	err := fn(ctx)
	stop()
	<-stopped // the connection is ours again
	if cause := context.Cause(ctx); errors.Is(cause, errLost) {
		return cause
	}
	return err
}

// lost makes an error of a statement on the connection the loss of it: what cannot be asked there, cannot be done.
func lost(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", errLost, doing, err)
}

func closeConnection(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server lets go of the lock either way
}
