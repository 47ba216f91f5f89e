package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// livenessInterval is how long a transaction waits for a connection and runs before a liveness check of the server, and between checks
	// from then on.
	livenessInterval = 400 * time.Millisecond
	// livenessTimeout is the time for one check. A server that hangs is a 503 within two seconds of the transaction's start.
	livenessTimeout = 1400 * time.Millisecond
	// livenessIdleTimeout is how long the connection of the checks stays that no check needs.
	livenessIdleTimeout = 30 * time.Second
)

// errUnresponsive is the cause of a transaction that was cancelled because the server responds to nothing at all.
var errUnresponsive = errors.New("the database takes connections and requests, and answers nothing")

// livenessCheck distinguishes a server that hangs from a slow statement. It has a connection of its own, because those of the
// pool may all be in use; past a pooler, because those of the pooler may be. The pooler itself is asked besides. All transactions share one
// check at a time.
type livenessCheck struct {
	slot     chan struct{}   // held by the check that runs
	config   *pgx.ConnConfig // of the server
	pooler   *pgx.ConnConfig // nil where there is none
	unused   time.Duration   // after which conn is closed
	conn     *pgx.Conn       // nil until the first check, and after a failure
	idle     *time.Timer     // closes conn; nil until the first check
	finished time.Time       // the end of the last check
	result   error           // of the last check

	lastResponse atomic.Int64 // of the server to any transaction, as Unix nanoseconds
	lastTrouble  atomic.Int64 // when last a check found something that hangs, a connection broke, or one was long waited for
}

func newLivenessCheck(config *pgx.ConnConfig) *livenessCheck {
	return &livenessCheck{slot: make(chan struct{}, 1), config: config, unused: livenessIdleTimeout}
}

// recordResponse records that the server has responded to a transaction.
func (c *livenessCheck) recordResponse() { c.lastResponse.Store(time.Now().UnixNano()) }

// run checks the server, and gives the error: errUnresponsive of one that hangs, and of one that refuses or is not there what it says. The
// result of another caller's check that ended after this call began counts for both. So does any response to a transaction: on an
// overloaded machine the check itself may time out.
func (c *livenessCheck) run(ctx context.Context) error {
	requested := time.Now()
	err := c.runSince(ctx, requested)
	if c.lastResponse.Load() > requested.UnixNano() {
		return nil
	}
	return err
}

func (c *livenessCheck) runSince(ctx context.Context, requested time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, livenessTimeout)
	defer cancel()
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return errUnresponsive
	}
	if !c.finished.After(requested) {
		result := c.ping(ctx)
		c.closeWhenIdle()
		if errors.Is(ctx.Err(), context.Canceled) { // its caller has gone: whoever waits makes a check of his own
			return nil
		}
		c.result, c.finished = result, time.Now()
		if errors.Is(result, errUnresponsive) {
			c.recordTrouble()
		}
	}
	return c.result
}

// recordTrouble records that transactions wait for the server or for a pooler, and not for each other.
func (c *livenessCheck) recordTrouble() { c.lastTrouble.Store(time.Now().UnixNano()) }

// isSound checks the server for somebody who has waited since begin: it responds now, and there was no trouble when he began or later. When
// a server or a pooler is back, whoever waits goes on waiting for those who were kept waiting, and for connections that are made anew.
func (c *livenessCheck) isSound(ctx context.Context, begin time.Time) bool {
	quiet := func() bool { return c.lastTrouble.Load() < begin.Add(-livenessInterval-livenessTimeout).UnixNano() }
	return quiet() && c.run(ctx) == nil && ctx.Err() == nil && quiet() // who is refused anyway need not wait for the check
}

func (c *livenessCheck) ping(ctx context.Context) error {
	if c.pooler != nil {
		if err := c.classify(poolerResponds(ctx, c.pooler)); err != nil {
			return err
		}
	}
	if c.conn != nil {
		if err := c.conn.Ping(ctx); err == nil || ctx.Err() != nil {
			return c.classify(err)
		}
		c.closeConn() // the server was restarted since the last check; there is time for a new connection
	}
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return c.classify(err)
	}
	c.conn = conn
	return c.classify(conn.Ping(ctx))
}

// classify gives errUnresponsive for a timeout only. A server that refuses connections is alive, and one that has stopped
// breaks every connection by itself.
func (c *livenessCheck) classify(err error) error {
	network := net.Error(nil)
	if err == nil || !pgconn.Timeout(err) && !errors.Is(err, context.DeadlineExceeded) && (!errors.As(err, &network) || !network.Timeout()) {
		return err
	}
	c.closeConn()
	return fmt.Errorf("%w: %w", errUnresponsive, err)
}

// closeWhenIdle has the connection closed unless another check uses it soon.
func (c *livenessCheck) closeWhenIdle() {
	if c.idle != nil {
		c.idle.Reset(c.unused)
		return
	}
	c.idle = time.AfterFunc(c.unused, func() {
		select {
		case c.slot <- struct{}{}:
			c.closeConn()
			<-c.slot
		default: // a check runs
		}
	})
}

func (c *livenessCheck) closeConn() {
	if c.conn == nil {
		return
	}
	conn := c.conn
	c.conn = nil
	go func() { // Close sends a message, which may block on a server that hangs
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
}

// close waits for a check that is running.
func (c *livenessCheck) close() {
	c.slot <- struct{}{}
	if c.idle != nil {
		c.idle.Stop()
	}
	c.closeConn()
	<-c.slot
}

// withLiveness gives a context for one transaction that is cancelled when the server hangs. The caller calls done after the
// transaction. causeOf gives the error of a transaction that was cancelled so.
func (c *cell) withLiveness(ctx context.Context) (watched context.Context, done func()) {
	watched, end := context.WithCancelCause(ctx)
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		if watched.Err() != nil {
			return
		}
		if err := c.liveness.run(watched); errors.Is(err, errUnresponsive) && watched.Err() == nil {
			end(err)
			return
		}
		timer.Reset(livenessInterval)
	})
	timer.Reset(livenessInterval)
	return watched, func() {
		timer.Stop()
		end(nil)
	}
}

// causeOf adds the cause to the error of a transaction that was cancelled because the server hangs. All other errors are
// returned unchanged.
func causeOf(watched context.Context, err error) error {
	if cause := context.Cause(watched); err != nil && errors.Is(cause, errUnresponsive) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
