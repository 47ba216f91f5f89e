package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// staysAsItIs are schemas that no restoration touches: who was removed since does not come back, and what was sent to others was sent.
var staysAsItIs = []string{"users", "webhooks"}

// Restoration replaces an organization's rows by those of a server that was restored to a moment. All of it is one transaction in the
// organization's cell: when it is killed, the rows are as before. The organization must be suspended, so nobody writes meanwhile.
type Restoration struct {
	Cell         Cell   // in which the organization lives
	From         string // the owner's address of the restored server
	Organization string
	Services     []string // whose schemas must all be in both databases

	Report func(Step)         // what was done, or nil
	At     func(phase string) // is called where a phase begins, for tests; or nil
}

// TableChange is how many rows an organization has in a table, and how many it had at the moment.
type TableChange struct {
	Table string `json:"table"`
	Now   int64  `json:"rows_now"`
	Then  int64  `json:"rows_then"`
}

// Preview counts the rows of both servers, of the tables that have any.
func (r *Restoration) Preview(ctx context.Context) (changes []TableChange, err error) {
	m, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	defer m.source.close()
	defer m.target.close()
	for i, t := range m.source.tables {
		change := TableChange{Table: t.schema + "." + t.name}
		if change.Then, err = m.source.count(ctx, m.source.work, t, m.Organizations); err != nil {
			return nil, err
		}
		if change.Now, err = m.target.count(ctx, m.target.work, m.target.tables[i], m.Organizations); err != nil {
			return nil, err
		}
		if change.Now+change.Then > 0 {
			changes = append(changes, change)
		}
	}
	if !slices.ContainsFunc(changes, func(c TableChange) bool { return c.Then > 0 }) {
		return nil, errors.New("the restored server has no rows of the organization: is it that of the organization's cell, and was there an " +
			"organization at that moment?")
	}
	return changes, nil
}

// Run replaces the rows, and compares them before the commit. It says how many there are now.
func (r *Restoration) Run(ctx context.Context) (rows int64, err error) {
	m, err := r.open(ctx)
	if err != nil {
		return 0, err
	}
	defer m.source.close()
	defer m.target.close()
	states, err := m.target.states(ctx, m.Organizations)
	if err == nil && !slices.Equal(states, []string{suspended}) {
		err = errors.New("the organization is not suspended in its cell: suspend it, then restore it")
	}
	if err != nil {
		return 0, err
	}
	// Its positions and numbers go on behind those of both.
	if err := m.raiseSequences(ctx); err != nil {
		return 0, err
	}
	snapshot, err := m.source.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, fmt.Errorf("read the restored server: %w", err)
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) error { return r.replace(ctx, m, tx) })
	if err != nil {
		return 0, fmt.Errorf("nothing was changed: %w", diskFull(r.Cell.Name, err))
	}
	return m.result.Rows, nil
}

// replace deletes the rows of the organization and inserts those of the restored server, in one transaction.
func (r *Restoration) replace(ctx context.Context, m *Move, tx pgx.Tx) error {
	m.phase("delete")
	for _, t := range m.target.tables {
		deleted, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE organization_id IN (%s)", t, list(m.Organizations)))
		if err != nil {
			return fmt.Errorf("delete from %s: %w", t, err)
		}
		if deleted.RowsAffected() > 0 {
			m.report("delete", t.String(), deleted.RowsAffected())
		}
	}
	m.phase("copy")
	filled, err := m.source.filled(ctx, m.source.work, m.Organizations)
	if err != nil {
		return err
	}
	for i, t := range filled {
		rows, err := m.insert(ctx, tx, t, i)
		if err == nil {
			_, err = tx.Exec(ctx, fmt.Sprintf("DROP TABLE pg_temp.incoming_%d", i)) // which would stay until the commit
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", t, err)
		}
		m.result.Rows += rows
		m.report("copy", t.String(), rows)
	}
	m.phase("compare")
	if err := m.compareAll(ctx); err != nil {
		return err
	}
	m.phase("commit")
	return nil
}

// open connects both servers and refuses what cannot be restored.
func (r *Restoration) open(ctx context.Context) (opened *Move, err error) {
	m := &Move{Cells: []Cell{r.Cell}, To: r.Cell.Name, Organizations: []string{r.Organization}, Services: r.Services, Report: r.Report,
		At: r.At}
	if err := m.check(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, p := range []*place{m.source, m.target} {
				if p != nil {
					p.close()
				}
			}
		}
	}()
	if m.target, err = connect(ctx, r.Cell); err != nil {
		return nil, err
	}
	if m.source, err = connect(ctx, Cell{"restored", r.From}); err != nil {
		return nil, err
	}
	for _, p := range []*place{m.target, m.source} {
		if err := p.readTables(ctx); err != nil {
			return nil, err
		}
	}
	if err := m.target.tryLock(ctx, m.Organizations); err != nil {
		return nil, err
	}
	if err := m.source.tryLock(ctx, m.Organizations); err != nil {
		return nil, fmt.Errorf("--from is the database in which the organization lives, or another command uses the restored server: %w", err)
	}
	var recovering bool
	if err := m.source.work.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&recovering); err != nil {
		return nil, fmt.Errorf("read the restored server: %w", err)
	}
	if recovering {
		return nil, errors.New("the restored server is in recovery still: wait until it is promoted (recovery_target_action=promote)")
	}
	states, err := m.source.states(ctx, m.Organizations)
	if err != nil {
		return nil, err
	}
	if slices.Contains(states, "absent") || slices.Contains(states, "reading") {
		return nil, fmt.Errorf("the organization did not live in the restored server at that moment (it says %s): restore the server of the "+
			"cell that it lived in",
			strings.Join(states, ", "))
	}
	if err := m.sameTables(ctx); err != nil {
		return nil, err
	}
	for _, p := range []*place{m.source, m.target} {
		p.tables = slices.DeleteFunc(p.tables, func(t table) bool { return slices.Contains(staysAsItIs, t.schema) })
	}
	return m, nil
}
