package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// deleteBatch is how many rows are deleted at a time.
	deleteBatch = 5000
	// oldTransactions is how long transactions are waited for that may be reading what is to be deleted. Those of exports, which take
	// longer, go on in their snapshots.
	oldTransactions = 30 * time.Second
)

// leave ends a move where the organization does not live, which stays marked there: no write of a program that is late can come.
// What is under way reads on for as long as a request's principal is valid.
func (m *Move) leave(ctx context.Context, p *place) error {
	if err := p.setState(ctx, p.work, m.Organizations, "reading"); err != nil {
		return err
	}
	if err := p.stopNoting(ctx, m.Organizations); err != nil {
		return err
	}
	if err := pause(ctx, m.linger); err != nil {
		return err
	}
	if err := p.setState(ctx, p.work, m.Organizations, "absent"); err != nil {
		return err
	}
	old, err := p.transactions(ctx)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, oldTransactions)
	defer cancel()
	if err := p.waitFor(waiting, old); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if p.work.IsClosed() { // the time was over in the middle of a question
		return errors.New("the connection to the database is lost")
	}
	m.phase("delete")
	deleted, err := m.deleteRows(ctx, p)
	m.result.Deleted += deleted
	return err
}

// finishEarlier finishes a move that was killed after its switch.
func (m *Move) finishEarlier(ctx context.Context, places map[string]*place) (Result, error) {
	found := false
	for name, p := range places {
		marked, err := p.marked(ctx, m.Organizations)
		if err != nil {
			return Result{}, err
		}
		left, err := m.hasRows(ctx, p)
		if err != nil {
			return Result{}, err
		}
		if name == m.To && marked || name != m.To && marked && left {
			found = true
		}
	}
	if !found {
		return Result{}, ErrAlreadyInCell
	}
	if err := m.clear(ctx, m.target, false); err != nil {
		return Result{}, err
	}
	m.result.Finished = true
	for name, p := range places {
		if marked, err := p.marked(ctx, m.Organizations); err != nil || !marked || name == m.To {
			if err != nil {
				return Result{}, err
			}
			continue
		}
		m.result.From = name
		if err := m.leave(ctx, p); err != nil {
			return m.result, fmt.Errorf("the organization lives in the cell %s, but traces of the move are left in %s: run the command again: %w",
				m.To, name, err)
		}
	}
	return m.result, nil
}

// takeBack ends a move that has not switched.
func (m *Move) takeBack(ctx context.Context) error {
	for _, p := range []*place{m.source, m.target} {
		if err := p.renew(ctx, m.Cells); err != nil {
			return err
		}
	}
	if err := m.clear(ctx, m.source, false); err != nil {
		return err
	}
	return m.clear(ctx, m.target, true)
}

// renew has a connection work again. A statement that was interrupted has closed it.
func (p *place) renew(ctx context.Context, cells []Cell) error {
	if !p.work.IsClosed() {
		_, _ = p.work.Exec(ctx, "ROLLBACK; SET statement_timeout = 0")
		return nil
	}
	for _, cell := range cells {
		if cell.Name == p.name {
			again, err := connect(ctx, cell)
			if err != nil {
				return err
			}
			p.work, again.work = again.work, nil
			again.close()
		}
	}
	return nil
}

// clear has an organization live where it lives, or not where it does not, as if there had been no move.
func (m *Move) clear(ctx context.Context, p *place, absent bool) error {
	state := ""
	if absent {
		state = "absent"
	}
	if err := p.setState(ctx, p.work, m.Organizations, state); err != nil {
		return err
	}
	if err := p.stopNoting(ctx, m.Organizations); err != nil || !absent {
		return err
	}
	_, err := m.deleteRows(ctx, p)
	return err
}

// deleteRows deletes all rows of the organizations in batches.
func (m *Move) deleteRows(ctx context.Context, p *place) (deleted int64, err error) {
	filled, err := p.filled(ctx, p.work, m.Organizations)
	if err != nil {
		return 0, err
	}
	for _, t := range filled {
		for {
			tag, err := p.work.Exec(ctx, fmt.Sprintf("DELETE FROM %[1]s t WHERE t.organization_id IN (%[2]s) AND t.ctid = ANY (ARRAY("+
				"SELECT b.ctid FROM %[1]s b WHERE b.organization_id IN (%[2]s) LIMIT %[3]d))", t, list(m.Organizations), deleteBatch))
			if err != nil {
				return deleted, fmt.Errorf("delete from %s in the cell %s: %w", t, p.name, err)
			}
			if tag.RowsAffected() == 0 {
				break
			}
			deleted += tag.RowsAffected()
			m.report("delete", t.String(), tag.RowsAffected())
		}
	}
	return deleted, nil
}

// diskFull says what a full disk means.
func diskFull(cell string, err error) error {
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == "53100" {
		return fmt.Errorf("the cell %s lacks room: give it a larger disk, or choose another cell: %w", cell, err)
	}
	return err
}
