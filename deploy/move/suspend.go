package move

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrSuspended says that an organization is suspended, and so does not move.
var ErrSuspended = errors.New("the organization is suspended: resume it, then move it")

const (
	suspended = "suspended"
	deleting  = "deleting" // ADR 104
)

// ErrDeleting says that an organization is not resumed any more.
var ErrDeleting = errors.New("the deletion of the organization has begun and cannot be called off: run amsctl organizations delete " +
	"again, which finishes it")

// Suspend marks organizations in the database of their cell, in all schemas together: nothing of them is read, written or done by itself
// from the next transaction on.
func Suspend(ctx context.Context, cell Cell, organizations []string) error {
	return mark(ctx, cell, organizations, suspended)
}

// Resume takes the marks of Suspend away. Where there is none, nothing is changed.
func Resume(ctx context.Context, cell Cell, organizations []string) error {
	return mark(ctx, cell, organizations, "")
}

// mark sets the state, unless the organization is on the move. The mover's lock holds off moves that begin meanwhile.
func mark(ctx context.Context, cell Cell, organizations []string, state string) error {
	p, err := connect(ctx, cell)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.readTables(ctx); err != nil {
		return err
	}
	if err := p.tryLock(ctx, organizations); err != nil {
		return err
	}
	states, err := p.states(ctx, organizations)
	if err != nil {
		return err
	}
	for _, found := range states {
		if found == deleting {
			return ErrDeleting
		}
		if found != suspended {
			return fmt.Errorf("a move of the organization has not ended (the cell %s says %s): run amsctl organizations move again, "+
				"then this command", cell.Name, found)
		}
	}
	return p.setState(ctx, p.work, organizations, state)
}

// states gives the states that organizations have in any schema, each once.
func (p *place) states(ctx context.Context, organizations []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	var each []string
	for _, schema := range p.schemas() {
		each = append(each, "SELECT state FROM "+pgx.Identifier{schema, "organization_move"}.Sanitize()+" WHERE organization = ANY ($1)")
	}
	rows, err := p.work.Query(ctx, strings.Join(each, " UNION "), organizations)
	if err != nil {
		return nil, fmt.Errorf("read the state of the organization in the cell %s: %w", p.name, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
