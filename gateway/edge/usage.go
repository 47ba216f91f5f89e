package edge

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
)

// usageInterval is how often what was counted is written: one statement, however many keys there were.
const usageInterval = 10 * time.Second

// usage counts the requests of each key per day, and knows its last use. A request only adds to memory. What was counted is
// written to the database in batches; what could not be written stays for the next batch.
type usage struct {
	pool     postgres.Pool
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

func newUsage(pool postgres.Pool, log *slog.Logger) *usage {
	return &usage{pool: pool, log: log, interval: usageInterval, days: map[keyDay]*dayUse{}}
}

// record counts a request that has its response.
func (u *usage) record(k *keys.Key, client netip.Addr, status int, at time.Time) {
	day := keyDay{k.Organization, k.ID, at.UTC().Format(time.DateOnly)}
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

// run writes in intervals until ctx ends, and once more then.
func (u *usage) run(ctx context.Context) {
	ticker := time.NewTicker(u.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			u.write(context.WithoutCancel(ctx)) // cut off half-way, it might have been written, and would be written again
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			u.write(last)
			return
		}
	}
}

const recordUse = `SELECT record_use($1::uuid[], $2::uuid[], $3::date[], $4::bigint[], $5::bigint[], $6::bigint[],
	$7::timestamptz[], $8::text[])`

func (u *usage) write(ctx context.Context) {
	u.mu.Lock()
	days := u.days
	u.days = map[keyDay]*dayUse{}
	u.mu.Unlock()
	if len(days) == 0 {
		return
	}
	var organizations, ids, dates, addresses, times []string
	var requests, errors, limited []int64
	for day, use := range days {
		organizations, ids, dates = append(organizations, day.organization), append(ids, day.key), append(dates, day.day)
		requests, errors, limited = append(requests, use.requests), append(errors, use.errors), append(limited, use.limited)
		times, addresses = append(times, keys.Timestamp(use.at)), append(addresses, use.client.String())
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = telemetry.Work(ctx, "write the use of keys", func(ctx context.Context) error {
		_, err := u.pool.Exec(ctx, recordUse, organizations, ids, dates, requests, errors, limited, times, addresses)
		if err != nil {
			u.log.WarnContext(ctx, "the use of keys could not be written; it is kept for the next time", "error", err)
			u.restore(days)
		}
		return err
	})
}

// restore adds what could not be written to what was counted since.
func (u *usage) restore(days map[keyDay]*dayUse) {
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
