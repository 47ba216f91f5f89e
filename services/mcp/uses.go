package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// usesInterval is how often it is written which connections were used: one statement, however many there were.
const usesInterval = 10 * time.Second

// uses keeps when each connection was used last. A request only adds to memory.
type uses struct {
	pool *pgxpool.Pool
	log  *slog.Logger

	mu   sync.Mutex
	last map[[2]string]time.Time // by organization and grant
}

func newUses(pool *pgxpool.Pool, log *slog.Logger) *uses {
	return &uses{pool: pool, log: log, last: map[[2]string]time.Time{}}
}

func (u *uses) note(organization, grant string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last[[2]string{organization, grant}] = at
}

// follow writes now and then until ctx ends, and once more then.
func (u *uses) follow(ctx context.Context) {
	ticker := time.NewTicker(usesInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			u.flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			u.flush(last)
			return
		}
	}
}

func (u *uses) flush(ctx context.Context) {
	u.mu.Lock()
	used := u.last
	u.last = map[[2]string]time.Time{}
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
		u.keep(used)
	}
}

// keep adds what could not be written to what was noted since.
func (u *uses) keep(used map[[2]string]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for of, at := range used {
		if at.After(u.last[of]) {
			u.last[of] = at
		}
	}
}
