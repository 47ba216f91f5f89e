package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/fault"
)

const (
	// replayTimeout is how long a read waits for a standby to have what was committed before the read. A standby that keeps up takes
	// milliseconds.
	replayTimeout  = time.Second
	replayInterval = 10 * time.Millisecond
	// replicaPause is how long a standby that was unavailable or behind is not tried: each attempt costs time.
	replicaPause = 5 * time.Second
)

// replica is the standbys that FromReplica reads from.
type replica struct {
	standby *cell
	paused  atomic.Int64 // until then, as Unix nanoseconds
}

// reading is a call of FromReplica.
type reading struct {
	primary, standby *cell
	position         string // in the write-ahead log: what was committed when the call began
	sent             atomic.Bool
}

type readingKey struct{}

var (
	errBehind   = errors.New("the standby does not have yet what was committed before the read")
	errPromoted = errors.New("the standby is no standby any more")
)

// FromReplica runs read so that its transactions that only read (Read and Snapshot with its context) go to a standby, where the address has
// replica_hosts; each is one snapshot there. A standby that does not have, within a second, everything that was committed when FromReplica
// was called, is not used; so a result is never older than its request. When the standby is behind or unavailable, was promoted or had to
// cancel the read, read runs once more, on the primary, unless it has called Sent: so it must begin anew whenever it is called.
//
// It is for what reads much. What is quick, or looks at what somebody has just written, is read from the primary without asking twice.
func (db *DB) FromReplica(ctx context.Context, read func(ctx context.Context) error) error {
	in, err := db.in(ctx)
	switch {
	case err != nil:
		return err
	case current(ctx) != nil || ctx.Value(readingKey{}) != nil:
		return read(ctx)
	case in.replica == nil:
		db.countRead(ctx, "none")
		return read(ctx)
	case time.Now().UnixNano() < in.replica.paused.Load():
		db.countRead(ctx, "paused")
		return read(ctx)
	}
	position, err := in.flushed(ctx)
	if err != nil { // the primary itself says what is the matter
		return read(ctx)
	}
	r := &reading{primary: in, standby: in.replica.standby, position: position}
	if err = read(context.WithValue(ctx, readingKey{}, r)); err == nil {
		db.countRead(ctx, "standby")
		return nil
	}
	reason := in.replica.reasonOf(err)
	if reason == "" || ctx.Err() != nil {
		return err
	}
	db.countRead(ctx, reason)
	if reason == "behind" || reason == "away" {
		in.replica.paused.Store(time.Now().Add(replicaPause).UnixNano())
		slog.WarnContext(ctx, "a standby is not used", "reason", reason, "seconds", replicaPause.Seconds(), "error", err)
	}
	if r.sent.Load() {
		return err
	}
	return read(ctx)
}

// Sent says that a part of what is read with FromReplica is on its way to the caller: from now on a failure is a failure.
func Sent(ctx context.Context) {
	if r, ok := ctx.Value(readingKey{}).(*reading); ok {
		r.sent.Store(true)
	}
}

// replicaFor gives where a transaction that only reads goes; nil is the database itself.
func (c *cell) replicaFor(ctx context.Context) *cell {
	if r, ok := ctx.Value(readingKey{}).(*reading); ok && r.primary == c {
		return r.standby
	}
	return nil
}

func openReplica(ctx context.Context, cell, address, hosts string) (*replica, error) {
	all := strings.Split(hosts, ",")
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) // a pool takes the first that it can: processes share them out
	address, _, err := takeParameter(address, sessionHosts)                    // a standby is asked directly
	if err == nil {
		address, err = withHosts(address, strings.Join(all, ","))
	}
	if err != nil {
		return nil, fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	if address, err = withParameter(address, "target_session_attrs", "standby"); err != nil {
		return nil, fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	standby, err := openPool(ctx, cell, address, isStandby)
	if err != nil {
		return nil, err
	}
	return &replica{standby: standby}, nil
}

// newReads makes the counter of countRead.
func newReads() metric.Int64Counter {
	reads, err := otel.Meter(scope).Int64Counter("ams.replica.reads", metric.WithUnit("{read}"),
		metric.WithDescription("Reads that may go to a standby, by whether one answered, or why the primary did."))
	if err != nil { // only a malformed name, which stands above
		panic(err)
	}
	return reads
}

func (db *DB) countRead(ctx context.Context, outcome string) {
	db.reads.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

// isStandby says whether an idle connection is still one to a standby. The server tells its clients when it is promoted.
func isStandby(_ context.Context, conn *pgx.Conn) (bool, error) {
	return conn.PgConn().ParameterStatus("in_hot_standby") != "off", nil
}

// reasonOf says why the primary shall answer instead; nothing, where it would fail as well.
func (r *replica) reasonOf(err error) string {
	var refused *fault.Error
	var pgErr *pgconn.PgError
	database := errors.As(err, &pgErr)
	switch {
	case errors.Is(err, errBehind):
		return "behind"
	case errors.Is(err, errPromoted), r.standby.unavailable.Load(), errors.Is(err, errUnresponsive):
		return "away"
	case database && pgErr.Code == QueryCanceled: // by statement_timeout: it would take as long there
		return ""
	case database && classOf(pgErr.Code) == classDefinition: // a migration that is not there yet
		return "behind"
	case errors.As(err, &refused) && refused.Kind == fault.KindRateLimited:
		return ""
	case isUnavailable(err): // a conflict with what was replayed, a connection that broke
		return "canceled"
	}
	return ""
}

// flushed gives the position in the write-ahead log up to which everything is on the primary's disk, which is all that was committed.
func (c *cell) flushed(ctx context.Context) (position string, err error) {
	conn, release, err := c.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	watched, done := c.withLiveness(ctx)
	defer done()
	return position, causeOf(watched, conn.QueryRow(watched, "SELECT pg_current_wal_flush_lsn()::text").Scan(&position))
}

// awaitReplay waits until the standby that conn leads to has replayed what the read of ctx must see. The time of the last replayed
// transaction (pg_last_xact_replay_timestamp) would say nothing: it is old on a standby of an idle primary, and on one that has lost it.
func (c *cell) awaitReplay(ctx context.Context, conn *pgx.Conn) error {
	r, ok := ctx.Value(readingKey{}).(*reading)
	if !ok || r.standby != c {
		return nil
	}
	watched, done := c.withLiveness(ctx)
	defer done()
	for begin := time.Now(); ; time.Sleep(replayInterval) {
		var standby, has bool
		err := conn.QueryRow(watched, "SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)",
			r.position).Scan(&standby, &has)
		switch {
		case err != nil:
			return unavailable(causeOf(watched, err))
		case !standby:
			Disconnect(conn)
			return unavailable(errPromoted)
		case has:
			c.liveness.recordResponse()
			return nil
		case time.Since(begin) > replayTimeout:
			return unavailable(errBehind)
		}
	}
}
