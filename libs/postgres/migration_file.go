package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Kinds of files that change a schema (ADR 98). A file says its kind in its first line; the first file of a schema, which makes it, has
// none.
const (
	Expand   = "expand"   // adds what the release before does not know and does not mind
	Backfill = "backfill" // fills in what was added, in batches, while everybody works
	Contract = "contract" // drops what the release before does not use any more
)

// MigrationFile is what the first line of a file says.
type MigrationFile struct {
	Kind  string
	Since string // of contract: the first release that does not use what is dropped
	After string // of contract: the backfill that must have finished, or empty
	Table string // of backfill: whose rows it goes through
	Text  string // what comes behind the line
}

var (
	contractLine = regexp.MustCompile(`^-- contract since (\d+\.\d+\.\d+)(?: after backfill_([a-z0-9_]+)\.sql)?$`)
	backfillLine = regexp.MustCompile(`^-- backfill of ([a-z_]+)$`)
	backfillName = regexp.MustCompile(`^backfill_([a-z0-9_]+)\.sql$`)
)

// ReadMigrationFile reads what a file says of itself.
func ReadMigrationFile(name, content string) (file MigrationFile, err error) {
	line, rest, _ := strings.Cut(content, "\n")
	line = strings.TrimSpace(line)
	file.Text = rest
	contract, backfill := contractLine.FindStringSubmatch(line), backfillLine.FindStringSubmatch(line)
	isBackfill := backfillName.MatchString(path.Base(name))
	switch {
	case isBackfill && backfill == nil:
		return file, fmt.Errorf(`%s: the first line of a backfill must be "-- backfill of <table>"; it is %q`, name, line)
	case isBackfill:
		file.Kind, file.Table = Backfill, backfill[1]
	case backfill != nil:
		return file, fmt.Errorf("%s: a backfill is no numbered migration: call the file backfill_<name>.sql", name)
	case contract != nil:
		file.Kind, file.Since, file.After = Contract, contract[1], contract[2]
	case line == "-- "+Expand:
		file.Kind = Expand
	case strings.HasPrefix(line, "-- "+Contract+" "), line == "-- "+Contract:
		return file, fmt.Errorf(`%s: the first line of a contracting file must be "-- contract since <version>", with `+
			`" after backfill_<name>.sql" where one must `+
			`have finished; it is %q`, name, line)
	}
	return file, nil
}

// backfillFile is a file backfill_<name>.sql.
type backfillFile struct{ name, table, statement string }

// readBackfills reads the backfills beside numbered migrations, of which there may be none.
func readBackfills(migrations fs.FS) (found []backfillFile, err error) {
	names, err := fs.Glob(migrations, "backfill_*.sql")
	for _, name := range names {
		content, readErr := fs.ReadFile(migrations, name)
		file, parseErr := ReadMigrationFile(name, string(content))
		if err := errors.Join(readErr, parseErr); err != nil {
			return nil, err
		}
		called := backfillName.FindStringSubmatch(name)
		statement := strings.TrimSuffix(strings.TrimSpace(file.Text), ";")
		found = append(found, backfillFile{called[1], file.Table, statement})
	}
	return found, err
}
