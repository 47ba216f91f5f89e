package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
)

// migration brings one record of a schema's migrations up to date.
type migration struct {
	db       *sql.DB
	provider *goose.Provider
	files    fs.FS
	schema   string
	table    string // the record: migration or migration_base
	waits    lockWaits
	out      io.Writer
}

// source is a file that has not run.
type source struct {
	*goose.Source
	MigrationFile
}

// pending are the files that have not run, in their order.
func (m *migration) pending(ctx context.Context) (found []source, err error) {
	current, err := m.provider.GetDBVersion(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range m.provider.ListSources() {
		if s.Version <= current {
			continue
		}
		content, err := fs.ReadFile(m.files, s.Path)
		if err != nil {
			return nil, err
		}
		file, err := ReadMigrationFile(s.Path, string(content))
		if err != nil {
			return nil, err
		}
		found = append(found, source{s, file})
	}
	return found, nil
}

// up carries out what has not run, up to a file that needs a backfill which has not finished.
func (m *migration) up(ctx context.Context) error {
	for {
		pending, err := m.pending(ctx)
		if err != nil {
			return err
		}
		var waits string
		first := -1
		for i, file := range pending {
			if file.After == "" {
				continue
			}
			if i == 0 { // what makes the column of the backfill has run
				if err := m.beginBackfills(ctx, file.After); err != nil {
					return err
				}
			}
			if waits, err = m.unfinished(ctx, file.After); err != nil {
				return err
			}
			if waits != "" {
				first = i
				break
			}
		}
		switch {
		case first < 0:
			return m.waits.retry(ctx, func() error { return m.report(m.provider.Up(ctx)) })
		case first > 0:
			until := pending[first-1].Version
			if err := m.waits.retry(ctx, func() error { return m.report(m.provider.UpTo(ctx, until)) }); err != nil {
				return err
			}
			continue
		}
		if i := slices.IndexFunc(pending, func(s source) bool { return s.Kind != Contract }); i >= 0 {
			return fmt.Errorf("%s cannot run before %s, %s: start the programs of the release before, which carry it out, and migrate when "+
				`"amsctl migrations status" shows that it has finished`, pending[i].Path, pending[0].Path, waits)
		}
		fmt.Fprintf(m.out, "%s: %s is left for a later run, %s, which the programs carry out while they serve; "+
			"migrate again when \"amsctl migrations status\" shows that it has finished\n", m.schema, pending[0].Path, waits)
		return nil
	}
}

// report writes what has run, and names the file that failed.
func (m *migration) report(results []*goose.MigrationResult, err error) error {
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		results, err = partial.Applied, fmt.Errorf("%s: %w", partial.Failed.Source.Path, partial.Err)
	}
	for _, result := range results {
		fmt.Fprintf(m.out, "%s: %s (%s)\n", m.schema, result.Source.Path, result.Duration)
	}
	return err
}

// unfinished says in half a sentence how far a backfill is, or nothing when it has finished.
func (m *migration) unfinished(ctx context.Context, name string) (string, error) {
	var done, about int64
	var finished, exists bool
	if err := m.db.QueryRowContext(ctx, "SELECT to_regclass('backfill') IS NOT NULL").Scan(&exists); err != nil {
		return "", err
	}
	err := sql.ErrNoRows
	if exists {
		err = m.db.QueryRowContext(ctx, "SELECT rows_done, rows_about, finished_at IS NOT NULL FROM backfill WHERE name = $1", name).
			Scan(&done, &about, &finished)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Sprintf("which needs backfill_%s.sql: it has not begun", name), nil
	case err != nil || finished:
		return "", err
	}
	return fmt.Sprintf("which needs backfill_%s.sql: it has done %d of about %d rows", name, done, about), nil
}

// beginBackfills records the backfills of the files, or the one that is named, unless they are recorded: DB.Backfill carries them out.
// Of a table without rows there is nothing to do.
func (m *migration) beginBackfills(ctx context.Context, only string) error {
	backfills, err := readBackfills(m.files)
	if err != nil {
		return err
	}
	for _, b := range backfills {
		if only != "" && b.name != only {
			continue
		}
		var empty, begun bool
		if err := m.db.QueryRowContext(ctx, "SELECT NOT EXISTS (SELECT FROM "+b.table+"), EXISTS (SELECT FROM backfill WHERE name = $1)", b.name).
			Scan(&empty, &begun); err != nil {
			return fmt.Errorf("backfill_%s.sql: %w", b.name, err)
		}
		if begun {
			continue
		}
		if _, err := m.db.ExecContext(ctx, `INSERT INTO backfill (name, of_table, statement, rows_about, finished_at)
			SELECT $1, $2, $3, coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint, CASE WHEN $4 THEN now() END
			FROM pg_class c WHERE c.relkind = 'r' AND (c.oid = to_regclass($2) OR c.oid IN (SELECT relid FROM pg_partition_tree(to_regclass($2))))
			ON CONFLICT (name) DO NOTHING`, b.name, b.table, b.statement, empty); err != nil {
			return fmt.Errorf("backfill_%s.sql: %w", b.name, err)
		}
		if !empty {
			fmt.Fprintf(m.out, "%s: backfill_%s.sql is begun; the programs carry it out while they serve\n", m.schema, b.name)
		}
	}
	return nil
}

// recordPending records what has not run, for those who look up how the schema is.
func (m *migration) recordPending(ctx context.Context, failure error) error {
	var exists bool
	if err := m.db.QueryRowContext(ctx, "SELECT to_regclass('migration_pending') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return err
	}
	pending, err := m.pending(ctx)
	if err != nil {
		return err
	}
	files := []string{}
	for i, file := range pending {
		reason := "it comes after the one before"
		if i == 0 && failure != nil {
			reason = "the last run has failed: " + failure.Error()
		} else if waits, err := m.unfinished(ctx, file.After); file.After != "" && err == nil && waits != "" {
			reason = "it waits for backfill_" + file.After + ".sql"
		}
		if _, err := m.db.ExecContext(ctx, `INSERT INTO migration_pending (record, file, kind, reason) VALUES ($1, $2, $3, $4)
			ON CONFLICT (record, file) DO UPDATE SET reason = EXCLUDED.reason`, m.table, file.Path, file.Kind, reason); err != nil {
			return err
		}
		files = append(files, file.Path)
	}
	_, err = m.db.ExecContext(ctx, "DELETE FROM migration_pending WHERE record = $1 AND NOT file = ANY ($2)", m.table, files)
	return err
}
