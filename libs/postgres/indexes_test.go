package postgres_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

// indexed is a schema with a table, whole or split into two parts, and an index beside its migrations.
func indexed(split string) fstest.MapFS {
	return fstest.MapFS{
		"0001_thing.sql": {Data: []byte("-- +goose Up\nCREATE TABLE thing (organization_id uuid NOT NULL, name text NOT NULL)" + split)},
		"indexes.sql":    {Data: []byte("-- Names.\nCREATE INDEX thing_by_natural_name ON thing (organization_id, name COLLATE \"natural\");\n")},
	}
}

const inTwoParts = " PARTITION BY HASH (organization_id);\n" +
	"CREATE TABLE thing_p0 PARTITION OF thing FOR VALUES WITH (MODULUS 2, REMAINDER 0);\n" +
	"CREATE TABLE thing_p1 PARTITION OF thing FOR VALUES WITH (MODULUS 2, REMAINDER 1);"

// asOwner connects as the owner of the schemas.
func asOwner(t *testing.T, database *postgrestest.Database) *pgx.Conn {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	return owner
}

// validIndexes names the indexes by names that are valid, in order.
func validIndexes(t *testing.T, owner *pgx.Conn) (names string) {
	t.Helper()
	if err := owner.QueryRow(t.Context(), `SELECT coalesce(string_agg(c.relname, ' ' ORDER BY c.relname), '')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname LIKE 'thing%' AND i.indisvalid`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestIndexesBesideMigrationsAreMadeOfWholeAndOfSplitTables(t *testing.T) {
	t.Parallel()
	for split, want := range map[string]string{
		";":        "thing_by_natural_name",
		inTwoParts: "thing_by_natural_name thing_by_natural_name_p0 thing_by_natural_name_p1",
	} {
		database := postgrestest.New(t, "things", indexed(split))
		owner := asOwner(t, database)
		if got := validIndexes(t, owner); got != want {
			t.Errorf("there is %q, want %q", got, want)
		}
		var out bytes.Buffer
		if err := postgres.Migrate(t.Context(), database.OwnerURL, "things", indexed(split), &out); err != nil || out.Len() != 0 {
			t.Errorf("once more: %v, %q", err, out.String())
		}
		for left, leave := range map[string]func(*testing.T, *postgrestest.Database, string){
			"nothing": dropIndex, "something unfinished": endWhileIndexing,
		} {
			leave(t, database, split)
			if err := postgres.Migrate(t.Context(), database.OwnerURL, "things", indexed(split), &out); err != nil {
				t.Fatal(err)
			}
			if got := validIndexes(t, owner); got != want || !strings.Contains(out.String(), "things: indexes.sql thing_by_natural_name (") {
				t.Errorf("after a run that left %s there is %q, want %q; it said %q", left, got, want, out.String())
			}
			out.Reset()
		}
	}
}

func dropIndex(t *testing.T, database *postgrestest.Database, _ string) {
	t.Helper()
	if _, err := asOwner(t, database).Exec(t.Context(), "DROP INDEX thing_by_natural_name"); err != nil {
		t.Fatal(err)
	}
}

// endWhileIndexing leaves what a run leaves that ends while it waits for somebody who writes: an index, or one part's, that no query uses.
func endWhileIndexing(t *testing.T, database *postgrestest.Database, split string) {
	t.Helper()
	dropIndex(t, database, split)
	writer, written := asOwner(t, database), "thing"
	if split == inTwoParts {
		written = "thing_p1"
	}
	if _, err := writer.Exec(t.Context(), "BEGIN; LOCK TABLE "+written+" IN ROW EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- postgres.Migrate(ctx, database.OwnerURL, "things", indexed(split), &bytes.Buffer{})
	}()
	testwait.For(t, time.Minute, "an index is unfinished", func() bool {
		var unfinished bool
		err := writer.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE c.relname LIKE 'thing%' AND c.relkind = 'i' AND NOT i.indisvalid)`).Scan(&unfinished)
		return err == nil && unfinished
	})
	end()
	if err := <-ended; err == nil {
		t.Error("the run was not ended")
	}
	// The server ends the session on its own: if the writer went before that, the index would be finished.
	observer := asOwner(t, database)
	testwait.For(t, time.Minute, "the run's session has ended", func() bool {
		var ended bool
		err := observer.QueryRow(t.Context(), `SELECT NOT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'ams_migrate_things')`).Scan(&ended)
		return err == nil && ended
	})
	if _, err := writer.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// An index is waited for by the migration alone: while it is made, and waits for somebody who writes, others write.
func TestNobodyWaitsForAnIndexBesideMigrations(t *testing.T) {
	t.Parallel()
	without := indexed(";")
	delete(without, "indexes.sql")
	database := postgrestest.New(t, "things", without)
	slow, other := asOwner(t, database), asOwner(t, database)
	const write = "INSERT INTO thing VALUES (gen_random_uuid(), 'a')"
	if _, err := slow.Exec(t.Context(), "BEGIN; "+write); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() {
		migrated <- postgres.Migrate(t.Context(), database.OwnerURL, "things", indexed(";"), &bytes.Buffer{})
	}()
	testwait.For(t, time.Minute, "the index is being made", func() bool {
		var waits bool
		err := other.QueryRow(t.Context(), "SELECT to_regclass('thing_by_natural_name') IS NOT NULL").Scan(&waits)
		return err == nil && waits
	})
	if _, err := other.Exec(t.Context(), "SET lock_timeout = '30s'; "+write); err != nil {
		t.Errorf("who writes meanwhile: %v", err)
	}
	if got := validIndexes(t, other); got != "" {
		t.Errorf("%s is there before it has seen all writes", got)
	}
	if _, err := slow.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
	if got := validIndexes(t, other); got != "thing_by_natural_name" {
		t.Errorf("there is %q", got)
	}
}

func TestALineThatIsNoIndexIsRefused(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "things", nil)
	for _, line := range []string{
		"DROP TABLE thing;", "CREATE INDEX thing_by_name ON thing (name)", "CREATE UNIQUE INDEX x ON thing (name);",
	} {
		wrong := indexed(";")
		wrong["indexes.sql"] = &fstest.MapFile{Data: []byte(line)}
		err := postgres.Migrate(t.Context(), database.OwnerURL, "things", wrong, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "indexes.sql: a line must be CREATE INDEX name ON table (columns); it is") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
