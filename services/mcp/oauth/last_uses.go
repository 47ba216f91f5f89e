package oauth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ams.internal/libs/postgres"
)

// lastUsesInterval is how often the last uses are written, in one statement for all connections.
const lastUsesInterval = 10 * time.Second

// lastUses records when each connection was last used. A request only writes to memory.
type lastUses struct {
	pool postgres.Pool
	log  *slog.Logger

	mu      sync.Mutex
	pending map[[2]string]time.Time // by organization and grant
}

func newLastUses(pool postgres.Pool, log *slog.Logger) *lastUses {
	return &lastUses{pool: pool, log: log, pending: map[[2]string]time.Time{}}
}

func (u *lastUses) record(organization, grant string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending[[2]string{organization, grant}] = at
}

// run writes at every interval until ctx ends, and once more then.
func (u *lastUses) run(ctx context.Context) {
	ticker := time.NewTicker(lastUsesInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			u.flush(ctx)
		case <-ctx.Done():
			final, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			u.flush(final)
			return
		}
	}
}

func (u *lastUses) flush(ctx context.Context) {
	u.mu.Lock()
	used := u.pending
	u.pending = map[[2]string]time.Time{}
	u.mu.Unlock()
	if len(used) == 0 {
		return
	}
	var organizations, grants []string
	var times []time.Time
	for of, at := range used {
		organizations, grants, times = append(organizations, of[0]), append(grants, of[1]), append(times, at)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := u.pool.Exec(ctx, "SELECT record_use($1::uuid[], $2::uuid[], $3::timestamptz[])", organizations, grants, times); err != nil {
		u.log.Warn("the last use of connections could not be written; it is kept for the next time", "error", err)
		u.requeue(used)
	}
}

// requeue adds uses that could not be written, unless a later one was recorded since.
func (u *lastUses) requeue(used map[[2]string]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for of, at := range used {
		if at.After(u.pending[of]) {
			u.pending[of] = at
		}
	}
}
