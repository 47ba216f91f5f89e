package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// pulseEvery is how long a transaction runs before the server is asked whether it lives at all, and again from then on.
	pulseEvery = 400 * time.Millisecond
	// pulsePatience is how long that may take: a server that hangs is a 503 within two seconds of the transaction's start.
	pulsePatience = 1400 * time.Millisecond
)

// errNoPulse is why a transaction was given up: not because it was slow, but because the server answers nobody.
var errNoPulse = errors.New("the database takes connections and requests, and answers nothing")

// pulse tells a server that hangs from a statement that takes its time. Its connection is its own, for those of the pool may
// all be in use; however many transactions want to know, one question is asked.
type pulse struct {
	turn     chan struct{} // held by whoever asks
	config   *pgx.ConnConfig
	conn     *pgx.Conn // nil: none yet, or none any more
	answered time.Time // when the last question had come to its end
	outcome  error     // and what came of it

	heard atomic.Int64 // when a transaction was last answered, as Unix nanoseconds: a sign of life that costs nothing
}

func newPulse(config *pgx.ConnConfig) *pulse {
	config.Tracer = nil // it belongs to no request
	return &pulse{turn: make(chan struct{}, 1), config: config}
}

// hear notes that the server has answered.
func (p *pulse) hear() { p.heard.Store(time.Now().UnixNano()) }

// beat says whether the server lives. What another caller has learnt since this one began to want to know holds for both, and
// so does any answer that a transaction was given: on a machine that is busy beyond measure the question itself may take too long.
func (p *pulse) beat(ctx context.Context) error {
	wanted := time.Now()
	err := p.beatSince(ctx, wanted)
	if p.heard.Load() > wanted.UnixNano() {
		return nil
	}
	return err
}

func (p *pulse) beatSince(ctx context.Context, wanted time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, pulsePatience)
	defer cancel()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return errNoPulse
	}
	if !p.answered.After(wanted) {
		p.outcome = p.ask(ctx)
		p.answered = time.Now()
	}
	return p.outcome
}

func (p *pulse) ask(ctx context.Context) error {
	if p.conn != nil {
		if err := p.conn.Ping(ctx); err == nil || ctx.Err() != nil {
			return p.judge(err)
		}
		p.drop() // of a server that was restarted since; there is time for another one
	}
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		return p.judge(err)
	}
	p.conn = conn
	return p.judge(conn.Ping(ctx))
}

// judge: a server that refuses is alive, and one that is gone breaks every connection by itself. Only silence counts.
func (p *pulse) judge(err error) error {
	if err == nil || !pgconn.Timeout(err) && !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	p.drop()
	return fmt.Errorf("%w: %w", errNoPulse, err)
}

func (p *pulse) drop() {
	if p.conn == nil {
		return
	}
	conn := p.conn
	p.conn = nil
	go func() { // a goodbye to somebody who does not answer takes its time
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
}

// close waits for a question that is under way.
func (p *pulse) close() {
	p.turn <- struct{}{}
	p.drop()
	<-p.turn
}

// alive gives a context for one transaction, which ends when the server hangs. The caller calls done when the transaction is
// over; explain gives the error of a transaction that was ended so.
func (db *DB) alive(ctx context.Context) (guarded context.Context, done func()) {
	guarded, end := context.WithCancelCause(ctx)
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		if guarded.Err() != nil {
			return
		}
		if err := db.pulse.beat(guarded); err != nil && guarded.Err() == nil {
			end(err)
			return
		}
		timer.Reset(pulseEvery)
	})
	timer.Reset(pulseEvery)
	return guarded, func() {
		timer.Stop()
		end(nil)
	}
}

// explain gives the reason where a transaction was ended because the server hangs, and else the error as it is.
func explain(guarded context.Context, err error) error {
	if cause := context.Cause(guarded); err != nil && errors.Is(cause, errNoPulse) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
