package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// SchemaStatus is how far the migrations of a schema are.
type SchemaStatus struct {
	Schema            string             `json:"schema"`
	Version           int64              `json:"version"`
	BaseVersion       int64              `json:"base_version"`
	Pending           []PendingMigration `json:"pending"` // what the last run has not carried out
	Backfills         []BackfillStatus   `json:"backfills"`
	UnfinishedIndexes []string           `json:"unfinished_indexes"` // the next run makes them anew
}

// PendingMigration is a file that has not run.
type PendingMigration struct {
	File   string    `json:"file"`
	Kind   string    `json:"kind"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// BackfillStatus is how far a backfill is. A pass that changed something is followed by another.
type BackfillStatus struct {
	Name       string     `json:"name"`
	Table      string     `json:"table"`
	Pass       int        `json:"pass"`
	RowsDone   int64      `json:"rows_done"` // of this pass
	RowsAbout  int64      `json:"rows_about"`
	Changed    int64      `json:"changed"`
	BegunAt    time.Time  `json:"begun_at"`
	BatchAt    *time.Time `json:"batch_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// MigrationStatus gives how far the migrations of every schema of a database are. The address is the owner's.
func MigrationStatus(ctx context.Context, ownerURL string) (found []SchemaStatus, err error) {
	config, err := sessionConfig(ownerURL)
	if err != nil {
		return nil, fmt.Errorf("postgres: the owner's database address cannot be used: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	schemas, err := rowsOf[string](ctx, conn, pgx.RowTo, `SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relname = 'migration_base' AND c.relkind = 'r' AND pg_has_role(c.relowner, 'MEMBER') ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	for _, schema := range schemas {
		if _, err := conn.Exec(ctx, "SET search_path = "+searchPath(schema)); err != nil {
			return nil, err
		}
		status := SchemaStatus{Schema: schema}
		if err := status.read(ctx, conn); err != nil {
			return nil, fmt.Errorf("postgres: status of %s: %w", schema, err)
		}
		found = append(found, status)
	}
	return found, nil
}

func (s *SchemaStatus) read(ctx context.Context, conn *pgx.Conn) (err error) {
	var recorded, own bool
	if err := conn.QueryRow(ctx, "SELECT (SELECT max(version_id) FROM migration_base WHERE is_applied), to_regclass('backfill') IS NOT NULL, "+
		"to_regclass('migration') IS NOT NULL").Scan(&s.BaseVersion, &recorded, &own); err != nil {
		return err
	}
	if own {
		if err := conn.QueryRow(ctx, "SELECT max(version_id) FROM migration WHERE is_applied").Scan(&s.Version); err != nil {
			return err
		}
	}
	s.Pending, s.Backfills = []PendingMigration{}, []BackfillStatus{}
	if recorded {
		if s.Pending, err = rowsOf[PendingMigration](ctx, conn, pgx.RowToStructByPos,
			"SELECT file, kind, reason, since FROM migration_pending ORDER BY record DESC, file"); err != nil {
			return err
		}
		if s.Backfills, err = rowsOf[BackfillStatus](ctx, conn, pgx.RowToStructByPos,
			`SELECT name, of_table, pass, rows_done, rows_about, changed,
			begun_at, batch_at, finished_at FROM backfill ORDER BY begun_at, name`); err != nil {
			return err
		}
	}
	s.UnfinishedIndexes, err = rowsOf[string](ctx, conn, pgx.RowTo,
		`SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE c.relnamespace = to_regnamespace($1) AND NOT i.indisvalid ORDER BY 1`, pgx.Identifier{s.Schema}.Sanitize())
	return err
}

// rowsOf reads all rows of a query; none is an empty list.
func rowsOf[T any](ctx context.Context, conn *pgx.Conn, read pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]T{}, rows, read)
}
