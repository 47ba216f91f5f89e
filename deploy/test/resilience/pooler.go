package main

import (
	"context"
	"maps"
	"syscall"
)

// poolerKilled: killed as a crash does, and started again.
func poolerKilled() scenario {
	return databaseScenario(scenario{
		name:    "the pooler, kill -9, and back",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "pgbouncer") },
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "pgbouncer") },
	})
}

// poolerFrozen: it is stopped where it is. Its connections stand, and nothing is answered.
func poolerFrozen() scenario {
	signal := func(signal syscall.Signal) func(context.Context, *run) error {
		return func(_ context.Context, r *run) error {
			return syscall.Kill(r.stack.Description().PIDs["pgbouncer"], signal)
		}
	}
	return databaseScenario(scenario{name: "the pooler, frozen", inject: signal(syscall.SIGSTOP), restore: signal(syscall.SIGCONT)})
}

// behindPooler is what happens to PostgreSQL where a pooler stands before it.
func behindPooler(of scenario) scenario {
	of.name += ", behind the pooler"
	return of
}

// programs are the processes of the stack but for the pooler, which may be started again.
func (r *run) programs() map[string]int {
	all := maps.Clone(r.stack.Description().PIDs)
	delete(all, "pgbouncer")
	return all
}
