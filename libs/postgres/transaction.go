package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	marker "ams.internal/libs/transaction"
)

const (
	beginSnapshot = "begin isolation level repeatable read read only"
	beginWrite    = "begin isolation level read committed read write"
	setCaller     = "select set_config('ams.organization_id', $1, true), set_config('ams.currency', $2, true), " +
		"set_config('ams.time_zone', $3, true), set_config('ams.today', $4, true)"
	// What a transaction begins with also asks whether the organization is being moved (moving.go).
	beginReading = setCaller + ", " + toRead
	beginWriting = setCaller + ", " + toWrite

	// rollbackTimeout bounds the rollback of a transaction whose own context may have ended.
	rollbackTimeout = time.Second
)

// ErrNoOrganization is the error of a transaction without a principal in its context.
var ErrNoOrganization = errors.New("postgres: the context has no principal with an organization")

// errUnreplicated is the cause of a write whose commit nobody may rely on.
var errUnreplicated = errors.New("the commit was cancelled while it waited for the synchronous standby; a failover may undo it")

var currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)

// Read runs fn in one read-only snapshot of the caller's organization. Inside a Write it joins that transaction, and sees its
// writes.
func (db *DB) Read(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	return db.transact(ctx, beginSnapshot, beginReading, false, fn)
}

// Write runs fn in one transaction of the caller's organization: it commits when fn returns nil and rolls back otherwise. A
// Write inside a Write joins it: the outermost commits. Nothing is retried.
func (db *DB) Write(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	return db.transact(ctx, beginWrite, beginWriting, true, fn)
}

// Batch sends the statements that fill queues in one round trip, as one transaction of the caller's organization;
// each statement has its own snapshot. Results go to the callbacks of Queue(…).Query, QueryRow and Exec. The first
// error is returned and undoes the whole batch. Inside a Read or Write it is part of that transaction.
func (db *DB) Batch(ctx context.Context, fill func(batch *pgx.Batch), settings ...Setting) error {
	return db.pipeline(ctx, false, fill, settings...)
}

// Setting is a setting of Postgres for one batch. It is sent with the organization, without another round trip. Both parts are
// written into the statement: they are constants of the program, never input of a caller.
type Setting struct{ Name, Value string }

// Snapshot is Batch with one read-only snapshot for all its statements, for lists whose total must agree with their rows. It
// costs one round trip too.
func (db *DB) Snapshot(ctx context.Context, fill func(batch *pgx.Batch)) error {
	return db.pipeline(ctx, true, fill)
}

// Savepoint runs fn in a savepoint: a failure undoes the work of fn only, and tx remains usable.
func Savepoint(ctx context.Context, tx pgx.Tx, fn func(ctx context.Context, tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error {
		running := current(ctx)
		if running == nil {
			return fn(ctx, nested)
		}
		inner := *running
		inner.tx = nested
		return fn(context.WithValue(ctx, contextKey{}, &inner), nested)
	})
}

// AfterCommit calls fn after the transaction of ctx has committed: the outermost Write. fn is not called when that rolls back,
// nor without a transaction in ctx; it is called when only a savepoint was rolled back. fn must be quick, and cannot fail.
func AfterCommit(ctx context.Context, fn func()) {
	if running := current(ctx); running != nil {
		*running.committed = append(*running.committed, fn)
	}
}

// Runs says whether the transaction of ctx is in this database.
func (db *DB) Runs(ctx context.Context) bool {
	running := current(ctx)
	if running == nil {
		return false
	}
	of, err := db.in(ctx)
	return err == nil && of.place() == running.caller.cell.place()
}

// place is what two pools of the same service in the same cell have in common.
func (c *cell) place() string {
	return fmt.Sprintf("%s@%s:%d/%s", c.session.User, c.session.Host, c.session.Port, c.session.Database)
}

// transaction is the running transaction of a context.
type transaction struct {
	tx        pgx.Tx
	caller    caller
	writes    bool
	committed *[]func() // of AfterCommit; shared with the savepoints
}

type contextKey struct{}

func current(ctx context.Context) *transaction {
	running, _ := ctx.Value(contextKey{}).(*transaction)
	return running
}

// caller is what the database knows of the principal, and the day that it is for the organization. They are validated: a transaction that
// cannot be begun is a mistake of a program.
type caller struct {
	organization, currency, timeZone, today string
	cell                                    *cell
}

func (db *DB) callerFrom(ctx context.Context) (caller, error) {
	p := principal.From(ctx)
	if p.OrganizationID == "" {
		return caller{}, ErrNoOrganization
	}
	organization, err := uuid.Parse(p.OrganizationID)
	if err != nil {
		return caller{}, fmt.Errorf("postgres: the principal's organization: %w", err)
	}
	currency := p.Currency
	if currency == "" {
		currency = "CAD"
	}
	if !currencyPattern.MatchString(currency) {
		return caller{}, fmt.Errorf("postgres: the principal's currency %q is no ISO 4217 code", currency)
	}
	in, err := db.in(ctx)
	if err != nil {
		return caller{}, err
	}
	days := p.Calendar()
	return caller{organization: organization.String(), currency: currency, timeZone: days.ZoneName(), today: days.Today(), cell: in}, nil
}

// join gives the running transaction, nil where there is none, or an error where it must not be joined.
func join(ctx context.Context, as caller, writes bool) (*transaction, error) {
	running := current(ctx)
	switch {
	case running == nil:
		return nil, nil
	case running.caller.organization != as.organization || running.caller.cell != as.cell:
		return nil, errors.New("postgres: a transaction of another organization, or in another database, is running")
	case writes && !running.writes:
		return nil, errors.New("postgres: a Write inside a Read would be refused by the database")
	}
	return running, nil
}

func (db *DB) transact(ctx context.Context, begin, enter string, writes bool, fn func(ctx context.Context, tx pgx.Tx) error) error {
	as, err := db.callerFrom(ctx)
	if err != nil {
		return err
	}
	running, err := join(ctx, as, writes)
	if err != nil {
		return err
	}
	if running != nil {
		return fn(ctx, running.tx)
	}
	at := as.cell
	if standby := at.replicaFor(ctx); standby != nil && !writes {
		at = standby
	}
	ctx, done := at.withLiveness(ctx)
	defer done()
	conn, release, err := at.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	first := []statement{{sql: begin}, {sql: enter, args: []any{as.organization, as.currency, as.timeZone, as.today}}}
	if left, limited := timeLeft(ctx); limited {
		first = append(first, statement{sql: "SELECT set_config('statement_timeout', $1, true)", args: []any{left}})
	}
	tx := newLazyTx(conn.Conn(), as.organization, first...)
	committed := false
	defer func() {
		if !committed {
			rollback(ctx, tx)
		}
	}()
	var after []func()
	carried := context.WithValue(marker.Mark(ctx), contextKey{}, &transaction{tx: tx, caller: as, writes: writes, committed: &after})
	if err := fn(carried, tx); err != nil {
		return unavailable(causeOf(ctx, err))
	}
	if err := tx.Commit(ctx); err != nil {
		return unavailable(fmt.Errorf("commit: %w", causeOf(ctx, err)))
	}
	committed = true
	if writes && wasUnreplicated(conn.Conn()) {
		return unavailable(errUnreplicated)
	}
	at.liveness.recordResponse()
	for _, fn := range after {
		fn()
	}
	return nil
}

// rollback ends a transaction even when the request's context has ended, so that the connection can be reused. After a rollback
// that fails, the pool closes the connection.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}

func (db *DB) pipeline(ctx context.Context, snapshot bool, fill func(batch *pgx.Batch), settings ...Setting) error {
	as, err := db.callerFrom(ctx)
	if err != nil {
		return err
	}
	running, err := join(ctx, as, false)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	if running != nil {
		fill(batch)
		return unavailable(running.tx.SendBatch(ctx, batch).Close())
	}
	at := as.cell
	if standby := at.replicaFor(ctx); standby != nil && snapshot {
		at = standby
	}
	ctx, done := at.withLiveness(ctx)
	defer done()
	conn, release, err := at.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Without an explicit begin, the statements of one pipeline are one transaction until its end (Sync),
	// so a setting that is local to the transaction holds for all of them.
	if snapshot {
		batch.Queue(beginSnapshot)
	}
	begin := setCaller
	for _, setting := range settings {
		begin += fmt.Sprintf(", set_config('%s', '%s', true)", setting.Name, setting.Value)
	}
	readOnly := false // because the organization is being moved
	if snapshot {
		batch.Queue(begin+", "+toRead, as.organization, as.currency, as.timeZone, as.today)
	} else {
		batch.Queue(begin+", "+toReadOrWrite, as.organization, as.currency, as.timeZone, as.today).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				values := rows.RawValues()
				readOnly = string(values[len(values)-1]) == "t"
			}
			return rows.Err()
		})
	}
	settled := batch.Len()
	fill(batch)
	textsOf(conn.Conn()).bindAll(batch.QueuedQueries[settled:], as.organization)
	if snapshot {
		batch.Queue("commit")
	}
	err = conn.SendBatch(ctx, batch).Close()
	if err == nil {
		at.liveness.recordResponse()
		if wasUnreplicated(conn.Conn()) {
			err = errUnreplicated
		}
	}
	if err != nil && !conn.Conn().IsClosed() && conn.Conn().PgConn().TxStatus() != 'I' {
		// The commit was skipped with everything else after the error.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		_, _ = conn.Exec(ending, "rollback")
	}
	if readOnly && isReadOnly(err) {
		return moving(err)
	}
	return unavailable(causeOf(ctx, err))
}
