package main

import (
	"context"
	"errors"
	"maps"
	"syscall"
	"time"
)

const databaseAway = "503 within 2 s; serving within 5 s after it is back, no program restarted; nothing acknowledged is lost"

// postgresStopped: killed as a crash does, and refused meanwhile.
func postgresStopped() row {
	return databaseRow(row{
		name: "PostgreSQL, kill -9, and back",
		take: func(_ context.Context, r *run) error {
			r.postgres.cut()
			return r.ground.Halt(syscall.SIGKILL, "postgres")
		},
		back: func(ctx context.Context, r *run) error {
			return errors.Join(r.ground.Resume(ctx, "postgres"), r.postgres.mend())
		},
	})
}

// postgresStalled: connections stand, and nothing is answered.
func postgresStalled() row {
	return databaseRow(row{
		name: "PostgreSQL, stalled",
		take: func(_ context.Context, r *run) error { return r.postgres.stall() },
		back: func(ctx context.Context, r *run) error {
			r.postgres.clear(ctx)
			return nil
		},
	})
}

// postgresRestarted: as for an update of its own.
func postgresRestarted() row {
	return databaseRow(row{
		name: "PostgreSQL, restarted",
		take: func(_ context.Context, r *run) error { return r.ground.Halt(syscall.SIGINT, "postgres") },
		back: func(ctx context.Context, r *run) error { return r.ground.Resume(ctx, "postgres") },
	})
}

// databaseRow adds what is promised of all of them.
func databaseRow(of row) row {
	var before map[string]int
	take := of.take
	of.promise, of.refuses = databaseAway, true
	of.take = func(ctx context.Context, r *run) error {
		before = r.stack.Description().PIDs
		return take(ctx, r)
	}
	of.judge = func(r *run) {
		r.only503(r.samples)
		after := r.stack.Description().PIDs
		r.promise(maps.Equal(before, after), "programs were started again: %v became %v", before, after)
		// What began a moment before it was given back may be answered a moment later.
		away := r.samples.where(func(s sample) bool { return s.begin.After(r.gone) && s.end().Before(r.returned) })
		r.promise(len(away) > 0 && len(away.failures()) == len(away), "%d of %d requests were answered without a database", len(away)-len(away.failures()), len(away))
		failed := r.samples.failures()
		r.measure("503 after %s, longest %s", failed.quantile(0.5), failed.longest())
		r.bound(failed.longest() < 2*time.Second+grace, "a 503 took %s; it may take 2 s", failed.longest())
		r.measureReturn()
		r.bound(r.serving.Sub(r.whole) < 5*time.Second, "it served %s after the database was back; 5 s were promised", r.serving.Sub(r.whole))
	}
	return of
}

// grace is for the caller itself, which shares the machine with the stack.
const grace = 100 * time.Millisecond
