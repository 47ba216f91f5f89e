package main

import (
	"context"
	"errors"
	"maps"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

const databaseDown = "503 within 2 s; serving within 5 s after it is back, no program restarted; nothing acknowledged is lost"

// postgresStopped: killed as a crash does, and refused meanwhile.
func postgresStopped() scenario {
	return databaseScenario(scenario{
		name: "PostgreSQL, kill -9, and back",
		inject: func(_ context.Context, r *run) error {
			r.postgres.cut()
			return r.infrastructure.Halt(syscall.SIGKILL, "postgres")
		},
		restore: func(ctx context.Context, r *run) error {
			return errors.Join(r.infrastructure.Resume(ctx, "postgres"), r.postgres.mend())
		},
	})
}

// postgresStalled: connections stand, and no response comes.
func postgresStalled() scenario {
	return databaseScenario(scenario{
		name:   "PostgreSQL, stalled",
		inject: func(_ context.Context, r *run) error { return r.postgres.stall() },
		restore: func(ctx context.Context, r *run) error {
			r.postgres.clear(ctx)
			return nil
		},
	})
}

// postgresRestarted: as for an update of its own.
func postgresRestarted() scenario {
	return databaseScenario(scenario{
		name:    "PostgreSQL, restarted",
		inject:  func(_ context.Context, r *run) error { return r.infrastructure.Halt(syscall.SIGINT, "postgres") },
		restore: func(ctx context.Context, r *run) error { return r.infrastructure.Resume(ctx, "postgres") },
	})
}

// databaseScenario adds what is promised of all of them.
func databaseScenario(of scenario) scenario {
	var before map[string]int
	inject := of.inject
	of.promise, of.refuses = databaseDown, true
	of.inject = func(ctx context.Context, r *run) error {
		before = r.programs()
		return inject(ctx, r)
	}
	of.evaluate = func(r *run) {
		r.only503(r.samples)
		after := r.programs()
		r.promise(maps.Equal(before, after), "programs were started again: %v became %v", before, after)
		// What began a moment before it was restored may get its response a moment later.
		down := r.samples.Where(func(s load.Sample) bool { return s.Begin.After(r.down) && s.End().Before(r.restoring) })
		r.promise(len(down) > 0 && len(down.Failures()) == len(down), "%d of %d requests were answered without a database",
			len(down)-len(down.Failures()), len(down))
		failed := r.samples.Failures()
		r.measure("503 after %s, longest %s", failed.Quantile(0.5), failed.Max())
		r.bound(failed.Max() < 2*time.Second+grace, "a 503 took %s; it may take 2 s", failed.Max())
		r.measureReturn()
		r.bound(r.serving.Sub(r.restored) < 5*time.Second, "it served %s after the database was back; 5 s were promised",
			r.serving.Sub(r.restored))
	}
	return of
}

// grace is for the caller itself, which shares the machine with the stack.
const grace = 100 * time.Millisecond
