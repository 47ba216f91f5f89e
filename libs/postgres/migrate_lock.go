package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// migrateLockTimeout is how long a migration waits for a lock: everybody else queues behind it.
	migrateLockTimeout = 2 * time.Second
	// migrateRetries is how long a migration is tried again that does not get its lock.
	migrateRetries = time.Minute
	// blockersPoll is how often the sessions that a migration waits for are looked up.
	blockersPoll = 300 * time.Millisecond
)

// blockersOf are the sessions that sessions of an application name wait for. Of a query only its first word is taken: the rest has values.
const blockersOf = `SELECT DISTINCT b.pid, coalesce(nullif(b.application_name, ''), b.usename, 'a program without a name'),
	coalesce(extract(epoch FROM clock_timestamp() - b.xact_start)::bigint, -1),
	coalesce(upper(substring(b.query FROM '^[\s(]*([a-zA-Z]+)')), '')
	FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) blocking (pid) JOIN pg_stat_activity b ON b.pid = blocking.pid
	WHERE w.application_name = $1 AND w.datname = current_database() AND b.application_name <> $1`

// lockWaits tries again what did not get its lock, and reports whom it waits for.
type lockWaits struct {
	db          *sql.DB
	application string
	schema      string
	out         io.Writer
}

// retry does something that changes the schema, once more with a pause while it does not get its lock, for a minute. What it does must be
// whole or not at all, or go on where it was.
func (l lockWaits) retry(ctx context.Context, do func() error) error {
	deadline := time.Now().Add(migrateRetries)
	for {
		err := l.observed(ctx, do)
		if !isLockRefusal(err) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: no lock was to be had within %s; nothing of this file is done: run the migrations again when those that it "+
				"waited for have ended",
				err, migrateRetries)
		}
		fmt.Fprintf(l.out, "%s: no lock within %s; it is tried again\n", l.schema, migrateLockTimeout)
		select { // those that queued behind it are served meanwhile
		case <-time.After(500*time.Millisecond + rand.N(1500*time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// observed does something, and reports meanwhile whom it waits for, each session once.
func (l lockWaits) observed(ctx context.Context, do func() error) error {
	ctx, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(blockersPoll)
		defer ticker.Stop()
		for reported := map[int]bool{}; ; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				l.report(ctx, reported)
			}
		}
	}()
	defer func() { end(); <-ended }()
	return do()
}

func (l lockWaits) report(ctx context.Context, reported map[int]bool) {
	rows, err := l.db.QueryContext(ctx, blockersOf, l.application)
	if err != nil {
		return // it is reported for those who wait; that it cannot be is no failure of the migration
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var pid int
		var seconds int64
		var application, query string
		if rows.Scan(&pid, &application, &seconds, &query) != nil || reported[pid] {
			continue
		}
		reported[pid] = true
		age, last := "of unknown age", "a statement that this role may not see"
		if seconds >= 0 {
			age = "of " + (time.Duration(seconds) * time.Second).String()
		}
		if query != "" {
			last = query
		}
		fmt.Fprintf(l.out, "%s: waits for %s, process %d, a transaction %s, whose last statement is %s\n", l.schema, application, pid, age, last)
	}
	_ = rows.Err()
}

// isLockRefusal says whether a lock was not to be had in time, or would have been waited for by each other.
func isLockRefusal(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == LockNotAvailable || refused.Code == DeadlockDetected)
}
