package main

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// meter takes what the whole stack uses for a piece of work.
type meter struct {
	b    *bench
	db   *pgx.Conn
	idle map[string]float64 // µs of processor a second, without requests
}

// spent is what one unit of the work used: processor time in µs, and bytes of write-ahead log.
type spent struct {
	cpu map[string]float64
	wal float64
}

func (m *meter) takeIdle(ctx context.Context) error {
	seconds := float64(m.b.seconds)
	used, err := m.spend(ctx, func() (int, error) {
		time.Sleep(time.Duration(m.b.seconds) * time.Second)
		return 1, nil
	})
	m.idle = used.cpu
	for name := range m.idle {
		m.idle[name] /= seconds
	}
	return err
}

func (m *meter) spend(ctx context.Context, work func() (int, error)) (spent, error) {
	programs := m.b.processors()
	programs["webhooks"] = group{pid: m.b.description.PIDs["webhooks-1"]}
	sum := spent{cpu: map[string]float64{}}
	began := time.Now()
	add := func(sign float64) error {
		for name, pids := range programs {
			sum.cpu[name] += sign * float64(pids.cpu().Microseconds())
		}
		var wal float64
		err := m.db.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8").Scan(&wal)
		sum.wal += sign * wal
		return err
	}
	if err := add(-1); err != nil {
		return sum, err
	}
	units, err := work()
	if err := errors.Join(err, m.handedOn(ctx), add(1)); err != nil {
		return sum, err
	}
	for name := range sum.cpu {
		sum.cpu[name] = max(0, sum.cpu[name]-m.idle[name]*time.Since(began).Seconds()) / float64(units)
	}
	sum.wal /= float64(units)
	return sum, nil
}

// handedOn waits until the webhooks service has every event.
func (m *meter) handedOn(ctx context.Context) error {
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var waiting bool
		if err := m.db.QueryRow(ctx, "SELECT EXISTS (SELECT FROM assets.outbox)").Scan(&waiting); err != nil || !waiting {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("the events of the assets service are not handed on")
		}
	}
}
