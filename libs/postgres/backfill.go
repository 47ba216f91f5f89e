package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	minBackfillRows = 10
	maxBackfillRows = 5000
	// backfillBatch is about how long a batch may take: whoever writes one of its rows waits as long.
	backfillBatch = 100 * time.Millisecond
	// backfillRest is the least time between two batches. A batch is followed by as much time as it took.
	backfillRest = 5 * time.Millisecond
)

// Backfill carries out what migrations have left to be filled in, in the cell of ctx, until nothing is left or another process does it.
// Each batch is a
// transaction of its own; a process that is killed leaves the rest to the next one, from where it was. Every process of a service may
// run it at any time.
func (db *DB) Backfill(ctx context.Context) error {
	for rows := 500; ; {
		var name string
		err := db.Pool().QueryRow(ctx, "SELECT name FROM backfill WHERE finished_at IS NULL ORDER BY begun_at, name LIMIT 1").Scan(&name)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		var state string
		begin := time.Now()
		if err == nil {
			err = db.Pool().QueryRow(ctx, "SELECT state FROM backfill_batch($1, $2)", name, rows).Scan(&state)
		}
		took := time.Since(begin)
		var refused *pgconn.PgError
		switch {
		case errors.As(err, &refused) && (refused.Code == LockNotAvailable || refused.Code == DeadlockDetected):
			rows, took = max(rows/2, minBackfillRows), 500*time.Millisecond+rand.N(time.Second)
		case err != nil:
			return fmt.Errorf("postgres: backfill %s: %w", name, err)
		case state == "elsewhere":
			return nil
		case took > backfillBatch:
			rows = max(rows/2, minBackfillRows)
		case took < backfillBatch/2:
			rows = min(rows*2, maxBackfillRows)
		}
		select {
		case <-time.After(max(took, backfillRest)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
