package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

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
	e := fault.Unavailable("cell_unknown", "The data of this organization cannot be reached from here, which does not pass by itself: "+
		"somebody on our side has to correct the configuration, and trying again soon does not help.").
		WithCause(fmt.Errorf("postgres: the cell %q is in neither AMS_DATABASE_URL nor AMS_CELLS of this process", name))
	e.RetryAfter = fault.LongestRetry
	return nil, e
}

// lateTimeout is how long to wait for a cell that was unavailable lately, after the others have responded.
const lateTimeout = 100 * time.Millisecond

// Gather runs fn in all cells at once, or in that of ctx where it has one, and gives their results. fn reads in the cell of its context,
// and runs side by side with itself. The error is that of cells that did not respond: what they have is not among the results.
func Gather[T any](ctx context.Context, db *DB, fn func(ctx context.Context) (T, error)) ([]T, error) {
	var all []T
	err := queryCells(ctx, db, fn, func(_ string, value T) (enough bool) {
		all = append(all, value)
		return false
	})
	return all, err
}

// Find searches as Gather does for what only one cell has, and gives the cell that has it. A cell that does not respond matters only where
// no other has it: then its error is the result.
func Find[T any](ctx context.Context, db *DB, fn func(ctx context.Context) (value T, found bool, err error)) (T, string, bool, error) {
	type result struct {
		value T
		found bool
	}
	var found result
	var cell string
	err := queryCells(ctx, db, func(ctx context.Context) (r result, err error) {
		r.value, r.found, err = fn(ctx)
		return r, err
	}, func(name string, r result) (enough bool) {
		if r.found {
			found, cell = r, name
		}
		return r.found
	})
	if found.found {
		err = nil
	}
	return found.value, cell, found.found, err
}

// queryCells runs fn in all cells, or in that of ctx, and gives each result to take until that has enough.
func queryCells[T any](
	ctx context.Context, db *DB, fn func(ctx context.Context) (T, error), take func(cell string, value T) (enough bool),
) error {
	type result struct {
		cell  *cell
		value T
		err   error
	}
	cells := slices.Collect(maps.Values(db.cells))
	if principal.From(ctx).Cell != "" {
		one, err := db.in(ctx)
		if err != nil {
			return err
		}
		cells = []*cell{one}
	}
	ctx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	results := make(chan result, len(cells))
	waitingFor := map[*cell]bool{} // whether it responded lately
	for _, c := range cells {
		waitingFor[c] = !c.unavailable.Load()
		go func() {
			value, err := fn(InCell(ctx, c.name))
			results <- result{c, value, err}
		}()
	}
	var failed error
	var late <-chan time.Time
	for len(waitingFor) > 0 {
		if late == nil && len(cells) > 1 && !slices.Contains(slices.Collect(maps.Values(waitingFor)), true) {
			late = time.After(lateTimeout)
		}
		select {
		case r := <-results:
			delete(waitingFor, r.cell)
			if r.err != nil {
				failed = errors.Join(failed, unavailable(r.err))
			} else if take(r.cell.name, r.value) {
				return nil
			}
		case <-late:
			return errors.Join(failed, fault.Unavailable("database_unavailable", "A part of the data cannot be reached; try again after a pause."))
		}
	}
	return failed
}

// Poll runs fn on a connection of the pool, in the cell of ctx, for what asks again and again on behalf of no organization. Those of a
// cell wait for each other: a service that has nothing to do needs one connection. fn is short, and does not poll itself.
func (db *DB) Poll(ctx context.Context, fn func(conn *pgx.Conn) error) error {
	c, err := db.in(ctx)
	if err != nil {
		return err
	}
	select {
	case c.polling <- struct{}{}:
		defer func() { <-c.polling }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return fn(conn.Conn()) })
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
