package parquet

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"ams.internal/libs/fault"
)

// A file in the making holds some 15 MB, and 25 MB of a million rows. So a process makes a few at once, and whoever comes next waits a little: a file is
// made as fast as the database gives its rows, whatever the speed of its reader.
const (
	atOnce = 8
	wait   = 20 * time.Second
)

var turns = semaphore.NewWeighted(atOnce)

// Turn waits until a file may be made, which ends with done.
func Turn(ctx context.Context) (done func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := turns.Acquire(waiting, 1); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault.Unavailable("too_many_files", "Many Parquet files are being made at the moment. Try again, or ask for text/csv or application/x-ndjson.")
	}
	return func() { turns.Release(1) }, nil
}
