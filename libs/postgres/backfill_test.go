package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

// changing is a schema in the course of its releases: things, then what they weigh, filled in, then required.
func changing(files ...string) fstest.MapFS {
	all := fstest.MapFS{
		"0001_thing.sql": {Data: []byte("-- +goose Up\nCREATE TABLE thing (organization_id uuid, id integer, pounds integer NOT NULL, " +
			"PRIMARY KEY (organization_id, id));\nSELECT isolate('thing');")},
		"0002_weight.sql": {Data: []byte("-- expand\n-- +goose Up\nALTER TABLE thing ADD COLUMN grams integer, ADD COLUMN times integer NOT " +
			"NULL DEFAULT 0,\n" +
			"ADD CONSTRAINT thing_grams CHECK (grams IS NOT NULL) NOT VALID;\nALTER TABLE thing DROP CONSTRAINT thing_grams;")},
		"backfill_weight.sql": {Data: []byte("-- backfill of thing\nUPDATE thing SET grams = pounds * 454, times = times + 1 FROM batch\n" +
			"WHERE thing.organization_id = batch.organization_id AND thing.id = batch.id AND grams IS NULL;\n")},
		"0003_required.sql": {Data: []byte("-- contract since 0.2.0 after backfill_weight.sql\n-- +goose Up\n" +
			"ALTER TABLE thing ALTER COLUMN grams SET NOT NULL;")},
		"0004_more.sql": {Data: []byte("-- expand\n-- +goose Up\nCREATE TABLE more (x integer);")},
	}
	chosen := fstest.MapFS{}
	for _, name := range files {
		chosen[name] = all[name]
	}
	return chosen
}

func migrateThings(t *testing.T, database *postgrestest.Database, files fstest.MapFS) (out string, err error) {
	t.Helper()
	var buffer bytes.Buffer
	err = postgres.Migrate(t.Context(), database.OwnerURL, "things", files, &buffer)
	return buffer.String(), err
}

// withThings is a database of the first release with rows of two organizations.
func withThings(t *testing.T, rows int) (*postgrestest.Database, *pgx.Conn) {
	t.Helper()
	database := postgrestest.New(t, "things", changing("0001_thing.sql"))
	owner := asOwner(t, database)
	if _, err := owner.Exec(t.Context(), "INSERT INTO thing SELECT md5((n % 2)::text)::uuid, n, n FROM generate_series(1, $1) n",
		rows); err != nil {
		t.Fatal(err)
	}
	return database, owner
}

func TestAContractingFileWaitsForItsBackfill(t *testing.T) {
	t.Parallel()
	database, owner := withThings(t, 3000)
	files := changing("0001_thing.sql", "0002_weight.sql", "backfill_weight.sql", "0003_required.sql")
	for range 2 {
		out, err := migrateThings(t, database, files)
		if err != nil || !strings.Contains(out, "things: 0003_required.sql is left for a later run, which needs backfill_weight.sql: it has "+
			"done 0 of about") {
			t.Fatalf("it said %q, %v", out, err)
		}
	}
	status, err := postgres.MigrationStatus(t.Context(), database.OwnerURL)
	if err != nil || len(status) != 1 || status[0].Version != 2 || len(status[0].Pending) != 1 ||
		status[0].Pending[0].File != "0003_required.sql" ||
		status[0].Pending[0].Kind != "contract" || status[0].Pending[0].Reason != "it waits for backfill_weight.sql" ||
		len(status[0].Backfills) != 1 || status[0].Backfills[0].FinishedAt != nil {
		shown, _ := json.Marshal(status)
		t.Errorf("the status is %s, %v", shown, err)
	}
	more := changing("0001_thing.sql", "0002_weight.sql", "backfill_weight.sql", "0003_required.sql", "0004_more.sql")
	if _, err := migrateThings(t, database, more); err == nil || !strings.Contains(err.Error(),
		"0004_more.sql cannot run before 0003_required.sql, which needs backfill_weight.sql") {
		t.Errorf("what comes behind it: %v", err)
	}
	if err := database.Open(t).Backfill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, err := migrateThings(t, database, more); err != nil || !strings.Contains(out, "0003_required.sql") || !strings.Contains(out,
		"0004_more.sql") {
		t.Errorf("after the backfill it said %q, %v", out, err)
	}
	var wrong int
	if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM thing WHERE grams <> pounds * 454 OR times <> 1").Scan(&wrong); err != nil ||
		wrong != 0 {
		t.Errorf("%d rows are not filled in once, %v", wrong, err)
	}
	status, err = postgres.MigrationStatus(t.Context(), database.OwnerURL)
	if err != nil || status[0].Version != 4 || len(status[0].Pending) != 0 || status[0].Backfills[0].Changed != 3000 ||
		status[0].Backfills[0].FinishedAt == nil {
		t.Errorf("at last the status is %+v, %v", status, err)
	}
}

func TestANewSchemaNeedsNoBackfill(t *testing.T) {
	t.Parallel()
	files := changing("0001_thing.sql", "0002_weight.sql", "backfill_weight.sql", "0003_required.sql", "0004_more.sql")
	database := postgrestest.New(t, "things", files)
	if out, err := migrateThings(t, database, files); err != nil || out != "" {
		t.Errorf("once more: %q, %v", out, err)
	}
}

func TestSeveralProcessesFillInEachRowOnce(t *testing.T) {
	t.Parallel()
	database, owner := withThings(t, 20_000)
	if _, err := migrateThings(t, database, changing("0001_thing.sql", "0002_weight.sql", "backfill_weight.sql")); err != nil {
		t.Fatal(err)
	}
	db := database.Open(t)
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			ctx, end := context.WithCancel(t.Context())
			go func() { time.Sleep(30 * time.Millisecond); end() }() // some are ended in the middle of a batch
			_ = db.Backfill(ctx)
		})
	}
	processes.Wait()
	testwait.For(t, time.Minute, "the backfill has finished", func() bool {
		var finished bool
		if err := db.Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := owner.QueryRow(t.Context(), "SELECT finished_at IS NOT NULL FROM backfill").Scan(&finished)
		return err == nil && finished
	})
	var wrong int
	if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM thing WHERE grams IS DISTINCT FROM pounds * 454 OR times <> "+
		"1").Scan(&wrong); err != nil || wrong != 0 {
		t.Errorf("%d rows are not filled in once, %v", wrong, err)
	}
}

// The release before goes on writing rows without the new column, anywhere in the order of keys.
func TestRowsThatAreWrittenMeanwhileAreFilledInToo(t *testing.T) {
	t.Parallel()
	database, owner := withThings(t, 100)
	if _, err := migrateThings(t, database, changing("0001_thing.sql", "0002_weight.sql", "backfill_weight.sql")); err != nil {
		t.Fatal(err)
	}
	db := database.Open(t)
	if _, err := db.Pool().Exec(t.Context(), "SELECT backfill_batch('weight', 40)"); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Exec(t.Context(), "INSERT INTO thing SELECT '00000000-0000-0000-0000-000000000000', n, n FROM generate_series(1, "+
		"10) n"); err != nil {
		t.Fatal(err)
	}
	if err := db.Backfill(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left, passes int
	if err := owner.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM thing WHERE grams IS NULL), pass FROM backfill").Scan(&left,
		&passes); err != nil || left != 0 {
		t.Errorf("%d rows are left after %d passes, %v", left, passes, err)
	}
}

func TestAServiceCannotWriteWhatIsFilledIn(t *testing.T) {
	t.Parallel()
	database, _ := withThings(t, 1)
	for _, statement := range []string{"INSERT INTO backfill (name, of_table, statement, rows_about) VALUES ('x', 'thing', 'DELETE FROM " +
		"thing', 0)",
		"UPDATE backfill SET statement = 'DELETE FROM thing'", "DELETE FROM migration_pending"} {
		if _, err := database.Open(t).Pool().Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v, want that it is denied", statement, err)
		}
	}
}

func TestAMigrationReportsWhomItWaitsForAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	database, _ := withThings(t, 1)
	export := asOwner(t, database)
	for _, statement := range []string{"SET application_name = 'export'", "BEGIN", "SELECT count(*) FROM thing WHERE pounds <> 4711"} {
		if _, err := export.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	out := &lines{}
	migrated := make(chan error, 1)
	go func() {
		migrated <- postgres.Migrate(t.Context(), database.OwnerURL, "things", changing("0001_thing.sql", "0002_weight.sql"), out)
	}()
	testwait.For(t, time.Minute, "it is tried again", func() bool { return strings.Contains(out.String(), "it is tried again") })
	if _, err := export.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if want := fmt.Sprintf("things: waits for export, process %d, a transaction of ", export.PgConn().PID()); !strings.Contains(text, want) ||
		!strings.Contains(text, "whose last statement is SELECT\n") || strings.Contains(text, "4711") || !strings.Contains(text,
		"0002_weight.sql (") {
		t.Errorf("it said %q", text)
	}
}

// lines is an output that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestAnIndexOfASplitTableIsMadeWhenItsLockIsFree(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "things", indexed(inTwoParts))
	dropIndex(t, database, inTwoParts)
	writer := asOwner(t, database)
	if _, err := writer.Exec(t.Context(), "BEGIN; LOCK TABLE thing IN ROW EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	out := &lines{}
	migrated := make(chan error, 1)
	go func() {
		migrated <- postgres.Migrate(t.Context(), database.OwnerURL, "things", indexed(inTwoParts), out)
	}()
	testwait.For(t, time.Minute, "it is tried again", func() bool { return strings.Contains(out.String(), "it is tried again") })
	if _, err := writer.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	if got := validIndexes(t, writer); got != "thing_by_natural_name thing_by_natural_name_p0 thing_by_natural_name_p1" {
		t.Errorf("there is %q; it said %q", got, out.String())
	}
}
