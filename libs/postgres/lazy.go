package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// lazyTx is a transaction whose begin, savepoints and releases wait for the next statement, and are sent with it in one round trip. A
// transaction without statements sends nothing. A statement that the database cannot even parse, or a value that cannot be sent to it,
// breaks the whole transaction, also in a savepoint: both are mistakes of a program.
type lazyTx struct {
	*session
	savepoint string // of a nested one
	closed    bool
}

// session is what a transaction has in common with those nested in it.
type session struct {
	conn         *pgx.Conn
	texts        texts
	organization any // an argument of statements
	waiting      []statement
	sent         bool // something was sent: the database has a transaction
	savepoints   int
}

type statement struct {
	sql   string
	args  []any
	later bool                      // one that a caller gave to Later: it must be sent, also where only the commit follows
	read  func(rows pgx.Rows) error // of one that a caller gave to Along
}

// errNotLazy is the error of parts of pgx.Tx that nobody needs.
var errNotLazy = errors.New("postgres: a transaction of this package cannot do this")

func newLazyTx(conn *pgx.Conn, organization string, begin ...statement) *lazyTx {
	return &lazyTx{session: &session{conn: conn, texts: textsOf(conn), organization: organization, waiting: begin}}
}

// send sends what waits and further statements. The caller closes the results, of which those of what waited were read.
func (s *session) send(ctx context.Context, next *pgx.Batch) (pgx.BatchResults, error) {
	batch, waiting := &pgx.Batch{}, s.waiting
	for _, w := range waiting {
		batch.Queue(w.sql, w.args...)
	}
	batch.QueuedQueries = append(batch.QueuedQueries, next.QueuedQueries...)
	results := s.conn.SendBatch(ctx, batch)
	for _, w := range waiting {
		if err := w.take(results); err != nil { // nothing was carried out: a statement cannot be parsed
			_ = results.Close() // the same error
			return nil, err
		}
		s.waiting, s.sent = s.waiting[1:], true
	}
	return results, nil
}

// take reads the result of the statement, which is the next one.
func (w statement) take(results pgx.BatchResults) error {
	if w.read == nil {
		_, err := results.Exec()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	return w.read(rows)
}

// flush sends what waits.
func (s *session) flush(ctx context.Context) error {
	if len(s.waiting) == 0 {
		return nil
	}
	results, err := s.send(ctx, &pgx.Batch{})
	if err != nil {
		return err
	}
	return results.Close()
}

// Later sends the statements of a batch together with the next statement of the transaction, or with its commit: in no round trip of
// their own. It is for statements whose results nobody needs; the callbacks of the batch are not called. A statement that fails makes the
// next one, or the commit, fail with its error, and undoes the transaction, or what is nested in the savepoint that tx is.
func Later(ctx context.Context, tx pgx.Tx, batch *pgx.Batch) error {
	t, ok := tx.(*lazyTx)
	if !ok { // of a pool, which others begin
		return tx.SendBatch(ctx, batch).Close()
	}
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.texts.bindAll(batch.QueuedQueries, t.organization)
	for _, q := range batch.QueuedQueries {
		t.waiting = append(t.waiting, statement{sql: q.SQL, args: q.Arguments, later: true})
	}
	return nil
}

// Along sends a query together with the next statement of the transaction, before it and in no round trip of its own. read is given its
// rows before that statement returns. It is not called where no statement follows.
func Along(ctx context.Context, tx pgx.Tx, read func(rows pgx.Rows) error, sql string, args ...any) error {
	t, ok := tx.(*lazyTx)
	if !ok { // of a pool, which others begin
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		return read(rows)
	}
	if t.closed {
		return pgx.ErrTxClosed
	}
	sql, args = t.texts.bind(sql, args, t.organization)
	t.waiting = append(t.waiting, statement{sql: sql, args: args, read: read})
	return nil
}

// alone says whether a statement cannot be sent with others: several in one text, which only a request of its own can have.
func alone(sql string, args []any) bool { return len(args) == 0 && strings.Contains(sql, ";") }

// keepsNoPlan says whether a statement is sent in a mode of its own, as with Once, which only a request of its own can have.
func keepsNoPlan(args []any) bool {
	if len(args) == 0 {
		return false
	}
	_, mode := args[0].(pgx.QueryExecMode)
	return mode
}

// prepare gives a statement as it is sent. What waits is sent before one that has to be alone.
func (t *lazyTx) prepare(ctx context.Context, sql string, args []any) (string, []any, error) {
	several := alone(sql, args)
	if several || keepsNoPlan(args) {
		if err := t.flush(ctx); err != nil {
			return "", nil, err
		}
	}
	if !several {
		sql, args = t.texts.bind(sql, args, t.organization)
	}
	return sql, args, nil
}

func queued(sql string, args []any) *pgx.Batch {
	batch := &pgx.Batch{}
	batch.Queue(sql, args...)
	return batch
}

func (t *lazyTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.closed {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	sql, args, err := t.prepare(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	if len(t.waiting) == 0 {
		t.sent = true
		return t.conn.Exec(ctx, sql, args...)
	}
	results, err := t.send(ctx, queued(sql, args))
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closing := results.Close(); err == nil {
		err = closing
	}
	return tag, err
}

func (t *lazyTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.closed {
		return failedRows{err: pgx.ErrTxClosed}, pgx.ErrTxClosed
	}
	sql, args, err := t.prepare(ctx, sql, args)
	if err != nil {
		return failedRows{err: err}, err
	}
	if len(t.waiting) == 0 {
		t.sent = true
		return t.conn.Query(ctx, sql, args...)
	}
	results, err := t.send(ctx, queued(sql, args))
	if err != nil {
		return failedRows{err: err}, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // the same error
		return failedRows{err: err}, err
	}
	return &batchRows{Rows: rows, results: results}, nil
}

func (t *lazyTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, _ := t.Query(ctx, sql, args...) // the rows have the error
	return row{rows}
}

func (t *lazyTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	if t.closed {
		return failedBatch{pgx.ErrTxClosed}
	}
	t.texts.bindAll(batch.QueuedQueries, t.organization)
	if len(t.waiting) == 0 {
		t.sent = true
		return t.conn.SendBatch(ctx, batch)
	}
	results, err := t.send(ctx, batch)
	if err != nil {
		return failedBatch{err}
	}
	return results
}

// Begin makes a savepoint.
func (t *lazyTx) Begin(context.Context) (pgx.Tx, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	t.savepoints++
	nested := &lazyTx{session: t.session, savepoint: fmt.Sprintf("sp_%d", t.savepoints)}
	t.waiting = append(t.waiting, statement{sql: "savepoint " + nested.savepoint})
	return nested, nil
}

// unsent is where in what waits the savepoint is; -1 when it was sent.
func (t *lazyTx) unsent() int {
	return slices.IndexFunc(t.waiting, func(w statement) bool { return w.sql == "savepoint "+t.savepoint })
}

func (t *lazyTx) Commit(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.closed = true
	if t.savepoint != "" {
		if at := t.unsent(); at >= 0 { // what is behind it is a part of the transaction around it
			t.waiting = slices.Delete(t.waiting, at, at+1)
		} else {
			t.waiting = append(t.waiting, statement{sql: "release savepoint " + t.savepoint})
		}
		return nil
	}
	if !slices.ContainsFunc(t.waiting, func(w statement) bool { return w.later }) {
		t.waiting = nil // releases: the commit does that
	}
	if !t.sent && len(t.waiting) == 0 {
		return nil
	}
	tag, err := t.commit(ctx)
	switch {
	case err != nil && t.conn.PgConn().TxStatus() == 'E': // a statement that waited has failed, and nothing is committed
		t.waiting, t.closed = nil, false
		return errors.Join(err, t.Rollback(ctx))
	case err != nil && t.conn.PgConn().TxStatus() != 'I':
		_ = t.conn.Close(ctx) // nobody knows what state it is in
	case err == nil && tag.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	}
	return err
}

// commit sends the commit, behind what waits.
func (t *lazyTx) commit(ctx context.Context) (pgconn.CommandTag, error) {
	if len(t.waiting) == 0 {
		return t.conn.Exec(ctx, "commit")
	}
	batch := &pgx.Batch{}
	batch.Queue("commit")
	results, err := t.send(ctx, batch)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	if closing := results.Close(); err == nil {
		err = closing
	}
	return tag, err
}

func (t *lazyTx) Rollback(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.closed = true
	if at := t.unsent(); t.savepoint != "" && at >= 0 {
		t.waiting = t.waiting[:at]
		return nil
	}
	t.waiting = nil // what was nested goes with this
	if t.savepoint != "" {
		_, err := t.conn.Exec(ctx, "rollback to savepoint "+t.savepoint)
		return err
	}
	if !t.sent {
		return nil
	}
	_, err := t.conn.Exec(ctx, "rollback")
	if err != nil {
		_ = t.conn.Close(ctx) // nobody knows what state it is in
	}
	return err
}

func (t *lazyTx) Conn() *pgx.Conn { return t.conn }

func (t *lazyTx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errNotLazy
}

func (t *lazyTx) LargeObjects() pgx.LargeObjects { panic(errNotLazy) }

func (t *lazyTx) Prepare(context.Context, string, string) (*pgconn.StatementDescription, error) {
	return nil, errNotLazy
}

// batchRows are rows of a statement that was sent with others before it.
type batchRows struct {
	pgx.Rows
	results pgx.BatchResults
	closed  bool
	err     error
}

func (r *batchRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *batchRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.Rows.Close()
	r.err = r.Rows.Err()
	if err := r.results.Close(); r.err == nil {
		r.err = err
	}
}

func (r *batchRows) Err() error {
	if r.closed {
		return r.err
	}
	return r.Rows.Err()
}

// row is the first of some rows.
type row struct{ rows pgx.Rows }

func (r row) Scan(into ...any) error {
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(into...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// failedRows are the rows of a statement that was not sent.
type failedRows struct {
	pgx.Rows
	err error
}

func (r failedRows) Next() bool                    { return false }
func (r failedRows) Close()                        {}
func (r failedRows) Err() error                    { return r.err }
func (r failedRows) CommandTag() pgconn.CommandTag { return pgconn.CommandTag{} }
func (r failedRows) Scan(...any) error             { return r.err }

// failedBatch is the results of a batch that was not sent.
type failedBatch struct{ err error }

func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return failedRows{err: b.err}, b.err }
func (b failedBatch) QueryRow() pgx.Row                { return row{failedRows{err: b.err}} }
func (b failedBatch) Close() error                     { return b.err }
func (b failedBatch) Tx() pgx.Tx                       { return nil }
