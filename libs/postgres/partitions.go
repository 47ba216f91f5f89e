package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// partitionTries is how often a change of partitions is tried that others' locks stand in the way of, within about a minute.
const partitionTries = 60

// PartitionChange is what was done to a table in partitions by time: one was made, one was dropped, or rows of the rest were deleted.
type PartitionChange struct {
	Change    string // made, dropped, deleted
	Partition string
	Rows      int64 // that were deleted from the rest
}

// KeepPartitions makes the partitions of the time to come in the cell of ctx, and drops those that are older than their table retains,
// until nothing is due or another process is at it. Each is a transaction of its own that waits for a lock for a tenth of a second at most,
// and is tried again: whoever reads or writes meanwhile waits no longer than that. done is called for each. Every process of a service may
// run it at any time.
func (db *DB) KeepPartitions(ctx context.Context, done func(PartitionChange)) error {
	for try := 1; ; {
		var change, partition *string
		var rows *int64
		err := db.Pool().QueryRow(ctx, "SELECT change, partition, deleted FROM keep_partitions()").Scan(&change, &partition, &rows)
		var refused *pgconn.PgError
		switch {
		case errors.As(err, &refused) && (refused.Code == LockNotAvailable || refused.Code == DeadlockDetected) && try < partitionTries:
			try++
			select {
			case <-time.After(500*time.Millisecond + rand.N(time.Second)):
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		case err != nil:
			return fmt.Errorf("postgres: keep partitions: %w", err)
		case change == nil:
			return nil
		}
		made := PartitionChange{Change: *change, Partition: *partition}
		if rows != nil {
			made.Rows = *rows
		}
		done(made)
		try = 1
	}
}
