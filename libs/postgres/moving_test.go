package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// owner connects as the one who moves organizations.
func owner(t *testing.T, database *postgrestest.Database) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

const setState = `INSERT INTO organization_move (organization, state) VALUES ($1, $2) ON CONFLICT (organization) DO UPDATE
	SET state = excluded.state`

// ways are the ways into a database, each reading or writing.
func ways(db *postgres.DB) map[string]func(ctx context.Context) error {
	count := func(ctx context.Context, tx pgx.Tx) error {
		var n int
		return tx.QueryRow(ctx, "SELECT count(*) FROM site").Scan(&n)
	}
	read := func(batch *pgx.Batch) {
		batch.Queue("SELECT count(*) FROM site").QueryRow(func(row pgx.Row) error { return row.Scan(new(int)) })
	}
	return map[string]func(ctx context.Context) error{
		"Read":             func(ctx context.Context) error { return db.Read(ctx, count) },
		"Snapshot":         func(ctx context.Context) error { return db.Snapshot(ctx, read) },
		"Batch that reads": func(ctx context.Context) error { return db.Batch(ctx, read) },
		"Batch that writes": func(ctx context.Context) error {
			return db.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue("INSERT INTO counter (organization_id, name, value) VALUES (current_organization(), 'batch', 1) ON CONFLICT DO NOTHING")
			})
		},
		"Write that writes": func(ctx context.Context) error {
			_, err := addSite(ctx, db, uuid.NewString())
			return err
		},
		"Write that reads": func(ctx context.Context) error { return db.Write(ctx, count) },
	}
}

func TestAMoveLetsThroughWhatItsStateSays(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db, mover := database.Open(t), owner(t, database)
	moved, other := uuid.NewString(), uuid.NewString()
	const all, reads, none = "all", "reads", "none"
	for _, c := range []struct{ state, through string }{
		{"moving", all}, {"leaving", reads}, {"reading", reads}, {"absent", none},
	} {
		run(t, mover, setState, moved, c.state)
		for way, call := range ways(db) {
			err := call(in(t, moved))
			allowed := c.through == all || c.through == reads && way != "Batch that writes" && way != "Write that writes" &&
				way != "Write that reads"
			if allowed && err != nil {
				t.Errorf("%s: %s failed: %v", c.state, way, err)
			}
			if !allowed {
				wantMoving(t, c.state+": "+way, err)
			}
			if err := call(in(t, other)); err != nil {
				t.Errorf("%s: %s of another organization failed: %v", c.state, way, err)
			}
		}
	}
	run(t, mover, setState, moved, "suspended")
	for way, call := range ways(db) {
		known := new(fault.Error)
		if err := call(in(t, moved)); !errors.As(err, &known) || known.Status() != 403 || known.Code != "organization_suspended" {
			t.Errorf("suspended: %s was not refused with 403 organization_suspended: %v", way, err)
		}
		if err := call(in(t, other)); err != nil {
			t.Errorf("suspended: %s of another organization failed: %v", way, err)
		}
	}
	run(t, mover, "DELETE FROM organization_move")
	for way, call := range ways(db) {
		if err := call(in(t, moved)); err != nil {
			t.Errorf("after the move: %s failed: %v", way, err)
		}
	}
}

func wantMoving(t *testing.T, what string, err error) {
	t.Helper()
	known := new(fault.Error)
	if !errors.As(err, &known) || known.Status() != 503 || known.Code != "organization_moving" || known.RetryAfter != 2*time.Second {
		t.Errorf("%s was not refused with 503 organization_moving: %v", what, err)
	}
	if !postgres.IsMoving(err) {
		t.Errorf("%s: IsMoving does not know %v", what, err)
	}
}

// Whoever moves an organization pauses its writes by a lock alone, so that they go on when he is killed.
func TestWritesPauseWhileTheMoverHoldsTheLockAndGoOnWhenItIsKilled(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db, watcher, mover := database.Open(t), owner(t, database), owner(t, database)
	moved := uuid.NewString()
	run(t, watcher, setState, moved, "moving")
	run(t, mover, "SELECT pg_advisory_lock(moving_lock($1))", moved)
	for way, call := range ways(db) {
		err := call(in(t, moved))
		if way == "Read" || way == "Snapshot" || way == "Batch that reads" {
			if err != nil {
				t.Errorf("%s failed: %v", way, err)
			}
		} else {
			wantMoving(t, way, err)
		}
	}
	var pid int
	if err := mover.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	run(t, watcher, "SELECT pg_terminate_backend($1, 10000)", pid)
	for way, call := range ways(db) {
		if err := call(in(t, moved)); err != nil {
			t.Errorf("after the mover was killed: %s failed: %v", way, err)
		}
	}
}

// No write comes through once the mover has the lock, from whatever transactions were under way, and none after it has let go of it,
// because the organization leaves then.
func TestNothingIsWrittenOnceAnOrganizationLeaves(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	mover := owner(t, database)
	for round := range 5 {
		moved := uuid.NewString()
		writing, end := context.WithTimeout(t.Context(), time.Minute)
		var written, refused atomic.Int64
		var writers errgroup.Group
		for range 8 {
			db := database.Open(t)
			writers.Go(func() error {
				for writing.Err() == nil {
					_, err := addSite(in(t, moved), db, uuid.NewString())
					switch {
					case err == nil:
						written.Add(1)
					case postgres.IsMoving(err):
						refused.Add(1)
					default:
						return err
					}
				}
				return nil
			})
		}
		count := func() (n int64) {
			if err := mover.QueryRow(t.Context(), "SELECT count(*) FROM site WHERE organization_id = $1", moved).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		waitFor := func(what string, done func() bool) {
			for begin := time.Now(); !done(); time.Sleep(time.Millisecond) {
				if time.Since(begin) > 30*time.Second {
					t.Fatal("waited too long for", what)
				}
			}
		}
		waitFor("writes", func() bool { return written.Load() > 20 })
		run(t, mover, setState, moved, "moving")
		old := transactions(t, mover)
		waitFor("transactions that began before", func() bool { return old.minus(transactions(t, mover)) })
		waitFor("more writes", func() bool { return written.Load() > 40 })
		run(t, mover, "SELECT pg_advisory_lock(moving_lock($1))", moved)
		paused := count()
		waitFor("refused writes", func() bool { return refused.Load() > 10 })
		run(t, mover, setState, moved, "leaving")
		run(t, mover, "SELECT pg_advisory_unlock(moving_lock($1))", moved)
		more := refused.Load() + 20
		waitFor("more refused writes", func() bool { return refused.Load() > more })
		end()
		if err := writers.Wait(); err != nil {
			t.Fatal(err)
		}
		if after := count(); after != paused || after != written.Load() {
			t.Errorf("round %d: %d sites when writes paused, %d at the end, %d acknowledged", round, paused, after, written.Load())
		}
	}
}

// running are the transactions of a database by their virtual numbers.
type running map[string]bool

func transactions(t *testing.T, conn *pgx.Conn) running {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT l.virtualxid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND a.pid <> pg_backend_pid()`)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := running{}
	for _, id := range ids {
		found[id] = true
	}
	return found
}

// minus says whether none of r is among those that run now.
func (r running) minus(now running) bool {
	for id := range r {
		if now[id] {
			return false
		}
	}
	return true
}

// A trigger that a move makes notes the key of each row of its organization that is written, as it was and as it is.
func TestWrittenRowsAreNotedWithTheirKeys(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db, mover := database.Open(t), owner(t, database)
	moved, other := uuid.NewString(), uuid.NewString()
	key := `jsonb_build_object(''organization_id'', ($1).organization_id, ''id'', ($1).id)`
	run(t, mover, fmt.Sprintf(`CREATE TRIGGER moving_written AFTER INSERT OR UPDATE ON site FOR EACH ROW WHEN (NEW.organization_id = '%s')
		EXECUTE FUNCTION note_moved_row('site', '%s')`, moved, key))
	run(t, mover, fmt.Sprintf(`CREATE TRIGGER moving_deleted AFTER DELETE ON site FOR EACH ROW WHEN (OLD.organization_id = '%s')
		EXECUTE FUNCTION note_moved_row('site', '%s')`, moved, key))
	id, err := addSite(in(t, moved), db, "One")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := addSite(in(t, other), db, "Other"); err != nil {
		t.Fatal(err)
	}
	changed := uuid.NewString()
	for _, sql := range []string{"UPDATE site SET floors = 2 WHERE id = '" + id + "'", "UPDATE site SET id = '" + changed + "'",
		"DELETE FROM site"} {
		if err := db.Write(in(t, moved), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := mover.Query(t.Context(), "SELECT name || ' ' || (key ->> 'id') FROM moved_row WHERE organization = $1 ORDER BY number", moved)
	if err != nil {
		t.Fatal(err)
	}
	noted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	// Insert, update, the key of an update and its former one, delete.
	want := []string{"site " + id, "site " + id, "site " + changed, "site " + id, "site " + changed}
	if fmt.Sprint(noted) != fmt.Sprint(want) {
		t.Errorf("noted: %v, want %v", noted, want)
	}
	var all int
	if err := mover.QueryRow(t.Context(), "SELECT count(*) FROM moved_row").Scan(&all); err != nil || all != len(want) {
		t.Errorf("%d rows are noted, of the other organization too: %v", all, err)
	}
}
