package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3/lock"
)

// indexesFile has the indexes of a schema that are made while others write, one statement a line. It stands beside the numbered migrations,
// in whose transactions an index locks its table until it is made.
const indexesFile = "indexes.sql"

// indexStatement is a line of indexesFile: what it is called, its table, and the rest.
var indexStatement = regexp.MustCompile(`^CREATE INDEX ([a-z_]+) ON ([a-z_]+) (\(.+\).*);$`)

// wantedIndex is an index of indexesFile.
type wantedIndex struct{ name, table, rest string }

// readIndexes reads indexesFile, which need not be there.
func readIndexes(migrations fs.FS) (wanted []wantedIndex, err error) {
	content, err := fs.ReadFile(migrations, indexesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		found := indexStatement.FindStringSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("%s: a line must be CREATE INDEX name ON table (columns); it is %q", indexesFile, line)
		}
		wanted = append(wanted, wantedIndex{found[1], found[2], found[3]})
	}
	return wanted, err
}

// makeIndexes makes those of indexesFile that are missing, and anew those that an earlier run has left unfinished. Nobody waits for it.
func makeIndexes(ctx context.Context, db *sql.DB, locker lock.SessionLocker, schema string, migrations fs.FS, out io.Writer) (err error) {
	wanted, err := readIndexes(migrations)
	if err != nil || len(wanted) == 0 {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	// An index that is made while others write waits for their transactions, and nobody queues behind it.
	if _, err := conn.ExecContext(ctx, "SET lock_timeout = 0"); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "RESET lock_timeout") }()
	for _, index := range wanted {
		begin := time.Now()
		made, err := index.make(ctx, conn)
		if err != nil {
			return fmt.Errorf("%s: make the index %s: %w", indexesFile, index.name, err)
		}
		if made {
			fmt.Fprintf(out, "%s: %s %s (%s)\n", schema, indexesFile, index.name, time.Since(begin).Round(time.Millisecond))
		}
	}
	return nil
}

// make makes the index unless it is there. A table that is split (docs/operations/partition.sql) gets it part by part: of such a table
// PostgreSQL makes none beside the work of others.
func (x wantedIndex) make(ctx context.Context, conn *sql.Conn) (made bool, err error) {
	var split, exists, valid bool
	err = conn.QueryRowContext(ctx, `SELECT c.relkind = 'p', i.indexrelid IS NOT NULL, coalesce(i.indisvalid, false)
		FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indexrelid = to_regclass($2)
		WHERE c.oid = to_regclass($1)`, x.table, x.name).Scan(&split, &exists, &valid)
	if err != nil || valid {
		return false, err
	}
	if split {
		return true, x.makeOfParts(ctx, conn)
	}
	if exists {
		if _, err := conn.ExecContext(ctx, "DROP INDEX CONCURRENTLY "+x.name); err != nil {
			return false, err
		}
	}
	_, err = conn.ExecContext(ctx, "CREATE INDEX CONCURRENTLY "+x.name+" ON "+x.table+" "+x.rest)
	return true, err
}

// makeOfParts makes the index of each part, and with the last of them the whole table's is there.
func (x wantedIndex) makeOfParts(ctx context.Context, conn *sql.Conn) error {
	if err := briefly(ctx, conn, "CREATE INDEX IF NOT EXISTS "+x.name+" ON ONLY "+x.table+" "+x.rest); err != nil {
		return err
	}
	var parts string
	err := conn.QueryRowContext(ctx, `SELECT coalesce(string_agg(c.relname, ' ' ORDER BY c.relname), '')
		FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid WHERE h.inhparent = to_regclass($1)`, x.table).Scan(&parts)
	if err != nil {
		return err
	}
	for _, part := range strings.Fields(parts) {
		of := wantedIndex{x.name + strings.TrimPrefix(part, x.table), part, x.rest}
		if _, err := of.make(ctx, conn); err != nil {
			return fmt.Errorf("of the part %s: %w", part, err)
		}
		if err := briefly(ctx, conn, "ALTER INDEX "+x.name+" ATTACH PARTITION "+of.name); err != nil {
			return err
		}
	}
	return nil
}

// briefly runs a statement that takes a moment once it has its lock. Others wait behind whoever waits for a lock, so it gives up before a
// long report ends, and is tried again.
func briefly(ctx context.Context, conn *sql.Conn, statement string) error {
	limit := strconv.FormatInt(migrateLockTimeout.Milliseconds(), 10)
	_, err := conn.ExecContext(ctx, "BEGIN; SET LOCAL lock_timeout = "+limit+"; "+statement+"; COMMIT")
	if err != nil {
		_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(fmt.Errorf("%s: %w", statement, err), rollback)
	}
	return nil
}
