package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// InCell gives a context whose work is done in a cell, for work of no organization. A principal that is put into it later has that cell,
// unless it says another.
func InCell(ctx context.Context, cell string) context.Context {
	p := principal.From(ctx)
	p.Cell = cell
	return principal.Into(ctx, p)
}

// Cells are the names of the cells, sorted: of a database of OpenForAll the first cell alone.
func (db *DB) Cells() []string { return slices.Sorted(maps.Keys(db.cells)) }

// in gives the cell of a context.
func (db *DB) in(ctx context.Context) (*cell, error) {
	if db.every {
		return db.first, nil
	}
	name := principal.From(ctx).Cell
	if name == "" || name == principal.First {
		return db.first, nil
	}
	if known := db.cells[name]; known != nil {
		return known, nil
	}
	e := fault.Unavailable("cell_unknown", "The data of this organization cannot be reached from here, which does not pass by itself: somebody on "+
		"our side has to correct the configuration, and trying again soon does not help.").
		WithCause(fmt.Errorf("postgres: the cell %q is in neither AMS_DATABASE_URL nor AMS_CELLS of this process", name))
	e.RetryAfter = fault.LongestRetry
	return nil, e
}

// EachCell runs fn in all cells at once, each in a context of its cell, and returns when all have ended. Any error is the result, so that an
// answer which needs all cells is none where one is missing. fn runs side by side with itself.
func (db *DB) EachCell(ctx context.Context, fn func(ctx context.Context) error) error {
	if len(db.cells) == 1 {
		return fn(InCell(ctx, principal.First))
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, name := range db.Cells() {
		all.Go(func() error { return fn(InCell(ctx, name)) })
	}
	return all.Wait()
}

// Find looks in all cells at once for what only one of them has, and gives the cell that has it. fn looks in the cell of its context, and
// runs side by side with itself. A cell that does not answer matters only where no other has it: then its error is the result.
func Find[T any](ctx context.Context, db *DB, fn func(ctx context.Context) (T, bool, error)) (found T, cell string, ok bool, err error) {
	type answer struct {
		value T
		cell  string
		found bool
		err   error
	}
	names := db.Cells()
	ctx, cancel := context.WithCancel(ctx) // whoever has it ends the search in the others
	defer cancel()
	answers := make(chan answer, len(names))
	for _, name := range names {
		go func() {
			value, is, err := fn(InCell(ctx, name))
			answers <- answer{value, name, is, err}
		}()
	}
	for range names {
		a := <-answers
		if a.err == nil && a.found {
			return a.value, a.cell, true, nil
		}
		err = errors.Join(err, a.err)
	}
	return found, "", false, err
}

// Pool runs statements in the cell of their context, for data of no organization. They see no row of an isolated table.
type Pool struct{ db *DB }

// Pool gives the pools themselves.
func (db *DB) Pool() Pool { return Pool{db} }

// Query runs a query.
func (p Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c, err := p.db.in(ctx)
	if err != nil {
		return failedRows{err: err}, err
	}
	return c.pool.Query(ctx, sql, args...)
}

// QueryRow runs a query for one row.
func (p Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	c, err := p.db.in(ctx)
	if err != nil {
		return row{failedRows{err: err}}
	}
	return c.pool.QueryRow(ctx, sql, args...)
}

// Exec runs a statement.
func (p Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c, err := p.db.in(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return c.pool.Exec(ctx, sql, args...)
}

// Begin begins a transaction, for pgx.BeginFunc.
func (p Pool) Begin(ctx context.Context) (pgx.Tx, error) {
	c, err := p.db.in(ctx)
	if err != nil {
		return nil, err
	}
	return c.pool.Begin(ctx)
}

// Acquire gives a connection, which the caller releases.
func (p Pool) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	c, err := p.db.in(ctx)
	if err != nil {
		return nil, err
	}
	return c.pool.Acquire(ctx)
}
