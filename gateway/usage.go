package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"ams.internal/libs/telemetry"
)

// usageInterval is how often what was counted is written: one statement, however many keys there were.
const usageInterval = 10 * time.Second

// usage keeps the last use of each key and its requests per day. A request only adds to memory; the database is told
// in batches, and what it could not be told is kept for the next one.
type usage struct {
	pool     *pgxpool.Pool
	log      *slog.Logger
	interval time.Duration

	mu   sync.Mutex
	days map[keyDay]*dayUse
}

type keyDay struct{ organization, key, day string }

type dayUse struct {
	requests, errors, limited int64
	at                        time.Time
	client                    netip.Addr
}

func newUsage(pool *pgxpool.Pool, log *slog.Logger) *usage {
	return &usage{pool: pool, log: log, interval: usageInterval, days: map[keyDay]*dayUse{}}
}

// note counts a request that was answered.
func (u *usage) note(k *key, client netip.Addr, status int, at time.Time) {
	day := keyDay{k.organization, k.id, at.UTC().Format(time.DateOnly)}
	u.mu.Lock()
	defer u.mu.Unlock()
	use := u.days[day]
	if use == nil {
		use = &dayUse{}
		u.days[day] = use
	}
	use.requests++
	switch {
	case status == http.StatusTooManyRequests:
		use.limited++
	case status >= http.StatusBadRequest:
		use.errors++
	}
	use.at, use.client = at, client
}

// follow writes now and then until ctx ends, and once more then.
func (u *usage) follow(ctx context.Context) {
	ticker := time.NewTicker(u.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			u.flush(context.WithoutCancel(ctx)) // cut off half-way, nobody would know whether it was written, and it would be written again
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			u.flush(last)
			return
		}
	}
}

const recordUse = `SELECT record_use($1::uuid[], $2::uuid[], $3::date[], $4::bigint[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::text[])`

func (u *usage) flush(ctx context.Context) {
	u.mu.Lock()
	days := u.days
	u.days = map[keyDay]*dayUse{}
	u.mu.Unlock()
	if len(days) == 0 {
		return
	}
	var organizations, keys, dates, addresses, times []string
	var requests, errors, limited []int64
	for day, use := range days {
		organizations, keys, dates = append(organizations, day.organization), append(keys, day.key), append(dates, day.day)
		requests, errors, limited = append(requests, use.requests), append(errors, use.errors), append(limited, use.limited)
		times, addresses = append(times, timestamp(use.at)), append(addresses, use.client.String())
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = telemetry.Work(ctx, "write the use of keys", func(ctx context.Context) error {
		_, err := u.pool.Exec(ctx, recordUse, organizations, keys, dates, requests, errors, limited, times, addresses)
		if err != nil {
			u.log.WarnContext(ctx, "the use of keys could not be written; it is kept for the next time", "error", err)
			u.keep(days)
		}
		return err
	})
}

// keep adds what could not be written to what was counted since.
func (u *usage) keep(days map[keyDay]*dayUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for day, use := range days {
		since := u.days[day]
		if since == nil {
			u.days[day] = use
			continue
		}
		since.requests += use.requests
		since.errors += use.errors
		since.limited += use.limited
	}
}
