package migrations_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// go test ./deploy/test/migrations -v -run Proof -args -rows 1000000
var rows = flag.Int("rows", 200_000, "assets that the proof changes")

// fillsIn has the address of the database whose backfills this process carries out, in the place of tests: it is there to be killed.
const fillsIn = "AMS_TEST_FILLS_IN"

func TestMain(m *testing.M) {
	if address := os.Getenv(fillsIn); address != "" {
		db, err := postgres.Open(context.Background(), address)
		if err == nil {
			err = db.Backfill(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// reach is a change of the assets in all three kinds, of which one in ten is filled in. The trigger fills in what the release before
// writes, and
// stays as long as that may run; fills counts how often the backfill has done a row.
var reach = []struct{ name, file string }{
	{"9001_reach.sql", `-- expand
-- +goose Up
ALTER TABLE asset ADD COLUMN reach integer, ADD COLUMN fills integer DEFAULT 0;
-- +goose StatementBegin
CREATE FUNCTION fill_in_reach() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.reach := coalesce(NEW.reach, NEW.position * 3);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER reach_filled_in BEFORE INSERT OR UPDATE ON asset FOR EACH ROW EXECUTE FUNCTION fill_in_reach();
ALTER TABLE asset ADD CONSTRAINT asset_reach_known CHECK (reach IS NOT NULL OR condition_rating < 5) NOT VALID,
    ADD CONSTRAINT asset_fills_known CHECK (fills IS NOT NULL) NOT VALID;
`},
	{"backfill_reach.sql", `-- backfill of asset
UPDATE asset SET reach = position * 3, fills = fills + 1 FROM batch
WHERE asset.organization_id = batch.organization_id AND asset.id = batch.id AND asset.reach IS NULL AND asset.condition_rating = 5;
`},
	{"9002_reach_checked.sql", `-- contract since 0.1.0 after backfill_reach.sql
-- +goose Up
ALTER TABLE asset VALIDATE CONSTRAINT asset_reach_known, VALIDATE CONSTRAINT asset_fills_known;
ALTER TABLE asset ALTER COLUMN fills SET NOT NULL, DROP CONSTRAINT asset_fills_known;
`},
}

// changed are the assets' migrations with those of reach.
func changed(t *testing.T) fstest.MapFS {
	t.Helper()
	files, rule := fstest.MapFS{}, newFolder("0.1.0")
	names, err := filepath.Glob(root + "/services/assets/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		files[filepath.Base(name)] = &fstest.MapFile{Data: []byte(readText(t, name))}
	}
	rule.backfills["reach"] = true
	for _, step := range reach {
		for _, refusal := range rule.check(step.name, step.file) {
			t.Errorf("%s: %s", step.name, refusal)
		}
		files[step.name] = &fstest.MapFile{Data: []byte(step.file)}
	}
	files["indexes.sql"] = &fstest.MapFile{Data: []byte("CREATE INDEX asset_by_reach ON asset (organization_id, reach);\n")}
	return files
}

// organization is whose assets the proof changes.
const organization = "00000000-0000-4000-8000-000000000001"

// makeAssets is of the release before reach.
const makeAssets = `INSERT INTO asset (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, status,
		amortization_method, condition_rating, replacement_cost)
	SELECT $1::text::uuid, gen_random_uuid(), i, now(), now(), '{}', '{}', 'Asset ' || i, 'in_service', 'straight_line',
		CASE WHEN i % 10 = 0 THEN 5 ELSE i % 4 + 1 END, i % 9000
	FROM generate_series($2::bigint, $3::bigint) i`

func run(t *testing.T, conn *pgx.Conn, statement string, arguments ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement, arguments...); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// traffic is what readers and writers of the release before do, with the settings of a service.
type traffic struct {
	sync.Mutex
	count   int
	longest map[string]time.Duration // in each phase
	phase   string
	failed  []error
	end     context.CancelFunc
	workers sync.WaitGroup
}

func startTraffic(t *testing.T, database *postgrestest.Database) *traffic {
	ctx, end := context.WithCancel(t.Context())
	tr := &traffic{longest: map[string]time.Duration{}, end: end}
	for worker, statement := range []string{
		"SELECT name FROM asset WHERE organization_id = current_organization() AND position = $1",
		"SELECT count(name) FROM (SELECT name FROM asset WHERE organization_id = current_organization() AND position > $1 ORDER BY position " +
			"LIMIT 50) page",
		"UPDATE asset SET notes = 'seen', version = version + 1 WHERE organization_id = current_organization() AND position = $1",
		makeAssets,
	} {
		conn := connect(t, database.Session)
		run(t, conn, "SELECT set_config('ams.organization_id', $1, false)", organization)
		tr.workers.Go(func() {
			for n := int64(1); ctx.Err() == nil; n++ {
				arguments := []any{n * 7919 % int64(*rows)}
				if worker == 3 {
					arguments = []any{organization, int64(*rows) + n, int64(*rows) + n}
				}
				begin := time.Now()
				_, err := conn.Exec(context.WithoutCancel(ctx), statement, arguments...)
				tr.note(time.Since(begin), err)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return tr
}

func (tr *traffic) note(took time.Duration, err error) {
	tr.Lock()
	defer tr.Unlock()
	tr.count++
	tr.longest[tr.phase] = max(tr.longest[tr.phase], took)
	if err != nil && len(tr.failed) < 10 {
		tr.failed = append(tr.failed, fmt.Errorf("%s: %w", tr.phase, err))
	}
}

func (tr *traffic) enter(phase string) {
	tr.Lock()
	defer tr.Unlock()
	tr.phase = phase
}

// lines is an output that is read while it is written.
type lines struct {
	sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.Lock()
	defer l.Unlock()
	return l.text.String()
}

func TestProofThatNobodyNoticesAChangeOfTheSchema(t *testing.T) {
	database := postgrestest.New(t, "assets", os.DirFS(root+"/services/assets"))
	owner := connect(t, database.OwnerURL)
	run(t, owner, "SET synchronous_commit = off")
	begin := time.Now()
	run(t, owner, makeAssets, organization, 1, *rows)
	run(t, owner, "ANALYZE asset")
	t.Logf("%d assets made in %s", *rows, time.Since(begin).Round(time.Second))
	files := changed(t)
	tr := startTraffic(t, database)
	phase := func(name string, do func()) {
		tr.enter(name)
		begin := time.Now()
		do()
		tr.Lock()
		defer tr.Unlock()
		t.Logf("%s: %s, the longest statement of others %s", name, time.Since(begin).Round(time.Millisecond),
			tr.longest[name].Round(time.Millisecond))
	}
	phase("expand, behind an export", func() { expandBehindExport(t, database, files) })
	phase("backfill, killed and resumed", func() { fillInKilled(t, database, owner) })
	phase("contract", func() {
		out := migrated(t, database, files)
		if !strings.Contains(out, "9002_reach_checked.sql (") {
			t.Errorf("the contracting file has not run: %q", out)
		}
	})
	tr.end()
	tr.workers.Wait()
	for _, err := range tr.failed {
		t.Errorf("a statement of others has failed: %v", err)
	}
	var wrong, valid int
	if err := owner.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM asset WHERE reach <> position * 3 OR fills > 1
			OR reach IS NULL AND condition_rating = 5),
		(SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('asset_by_reach') AND indisvalid)`).
		Scan(&wrong, &valid); err != nil || wrong != 0 || valid != 1 {
		t.Errorf("%d assets are not filled in once, %d index, %v", wrong, valid, err)
	}
	t.Logf("%d statements of others, %d failed", tr.count, len(tr.failed))
}

func migrated(t *testing.T, database *postgrestest.Database, files fs.FS) string {
	t.Helper()
	out := &lines{}
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", files, out); err != nil {
		t.Fatalf("%v; it wrote %q", err, out.String())
	}
	return out.String()
}

// expandBehindExport migrates while a transaction that reads has the table, which ends when the migration has given up once.
func expandBehindExport(t *testing.T, database *postgrestest.Database, files fs.FS) {
	export := connect(t, database.OwnerURL)
	run(t, export, "SET application_name = 'export'")
	run(t, export, "BEGIN")
	run(t, export, "SELECT name FROM asset LIMIT 1")
	out, result := &lines{}, make(chan error, 1)
	go func() { result <- postgres.Migrate(t.Context(), database.OwnerURL, "assets", files, out) }()
	testwait.For(t, time.Minute, "the migration has given up once", func() bool { return strings.Contains(out.String(), "it is tried again") })
	run(t, export, "COMMIT")
	if err := <-result; err != nil {
		t.Fatalf("%v; it wrote %q", err, out.String())
	}
	for _, want := range []string{"assets: waits for export, process ", "whose last statement is SELECT", "9001_reach.sql (",
		"asset_by_reach (",
		"backfill_reach.sql is begun", "9002_reach_checked.sql is left for a later run"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the migrator wrote no %q, but %q", want, out.String())
		}
	}
}

// fillInKilled starts processes that fill in, kills the first, and waits until the others have finished.
func fillInKilled(t *testing.T, database *postgrestest.Database, owner *pgx.Conn) {
	first := fillIn(t, database)
	testwait.For(t, time.Minute, "a batch is done", func() bool { return rowsDone(t, owner) > 0 })
	if err := errors.Join(first.Process.Kill(), ignoreExit(first.Wait())); err != nil { // SIGKILL
		t.Fatal(err)
	}
	done := rowsDone(t, owner)
	if done == 0 || done >= int64(*rows) {
		t.Errorf("it was killed after %d rows, which is not in the middle", done)
	}
	second, third := fillIn(t, database), fillIn(t, database)
	testwait.For(t, 30*time.Minute, "the backfill has finished", func() bool {
		var finished bool
		if err := owner.QueryRow(t.Context(), "SELECT finished_at IS NOT NULL FROM backfill WHERE name = 'reach'").Scan(&finished); err != nil {
			t.Fatal(err)
		}
		return finished
	})
	if err := errors.Join(second.Wait(), third.Wait()); err != nil {
		t.Error(err)
	}
}

func fillIn(t *testing.T, database *postgrestest.Database) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0]) // #nosec G204 -- this test
	command.Env = append(os.Environ(), fillsIn+"="+database.Session)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return command
}

// ignoreExit is for a process that was killed.
func ignoreExit(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

func rowsDone(t *testing.T, owner *pgx.Conn) (done int64) {
	t.Helper()
	if err := owner.QueryRow(t.Context(), "SELECT rows_done FROM backfill WHERE name = 'reach'").Scan(&done); err != nil {
		t.Fatal(err)
	}
	return done
}
