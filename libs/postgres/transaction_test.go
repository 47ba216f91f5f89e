package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

func TestAWriteThatFailsLeavesNoTrace(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	mine := errors.New("mine")
	err := db.Write(ctx, func(ctx context.Context, _ pgx.Tx) error {
		if _, err := addSite(ctx, db, "One"); err != nil { // joins
			return err
		}
		if got := countSites(t, ctx, db); got != 1 { // joins too
			t.Errorf("a Batch inside the Write sees %d sites, want the one just written", got)
		}
		return mine
	})
	if !errors.Is(err, mine) {
		t.Fatalf("got %v", err)
	}
	if got := countSites(t, ctx, db); got != 0 {
		t.Errorf("%d sites are left, want none", got)
	}
}

func TestASavepointUndoesItsOwnWorkOnly(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := addSite(ctx, db, "One"); err != nil {
			return err
		}
		err := postgres.Savepoint(ctx, tx, func(ctx context.Context, _ pgx.Tx) error {
			if _, err := addSite(ctx, db, "Two"); err != nil {
				return err
			}
			_, err := addSite(ctx, db, "one")
			return err
		})
		wantState(t, err, postgres.UniqueViolation)
		_, err = addSite(ctx, db, "Three")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := countSites(t, ctx, db); got != 2 {
		t.Errorf("%d sites are left, want One and Three", got)
	}
}

func TestTransactionsThatMustNotJoinAreRefused(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	nothing := func(context.Context, pgx.Tx) error { return nil }
	err := db.Read(in(t, uuid.NewString()), func(ctx context.Context, tx pgx.Tx) error {
		if db.Write(ctx, nothing) == nil {
			t.Error("a Write inside a Read was let through")
		}
		_, err := tx.Exec(ctx, "DELETE FROM site")
		return err
	})
	wantState(t, err, postgres.ReadOnlySQLTransaction)
	err = db.Write(in(t, uuid.NewString()), func(ctx context.Context, _ pgx.Tx) error {
		return db.Write(principal.Into(ctx, principal.Principal{OrganizationID: uuid.NewString()}), nothing)
	})
	if err == nil {
		t.Error("a Write of another organization joined")
	}
}

func TestAPanicInAWriteIsRolledBack(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL += "&pool_max_conns=1"
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(ctx, func(ctx context.Context, _ pgx.Tx) error {
			_, _ = addSite(ctx, db, "One")
			panic("mine")
		})
	}()
	if got := countSites(t, ctx, db); got != 0 {
		t.Errorf("%d sites are left, want none", got)
	}
}

func TestASnapshotIsOneMomentForAllItsStatements(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	var before, after int
	count := func(batch *pgx.Batch, into *int) {
		batch.Queue("SELECT count(*) FROM site").QueryRow(func(row pgx.Row) error { return row.Scan(into) })
	}
	done := make(chan error, 1)
	go func() { // writes while the snapshot below sleeps
		time.Sleep(150 * time.Millisecond)
		_, err := addSite(ctx, db, "One")
		done <- err
	}()
	err := db.Snapshot(ctx, func(batch *pgx.Batch) {
		count(batch, &before)
		batch.Queue("SELECT pg_sleep(0.5)")
		count(batch, &after)
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if before != 0 || after != 0 {
		t.Errorf("the snapshot saw %d, then %d sites; want 0 both times", before, after)
	}
	if got := countSites(t, ctx, db); got != 1 {
		t.Errorf("afterwards there are %d sites, want 1", got)
	}
}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	counting := startProxy(t, database.URL)
	database.URL = counting.url + "&pool_max_conns=1"
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	one := func(batch *pgx.Batch) { batch.Queue("SELECT id FROM site WHERE id = $1", uuid.New()) }
	three := func(batch *pgx.Batch) {
		batch.Queue("SELECT sum(live) FROM ledger WHERE collection = $1", "sites")
		batch.Queue("SELECT id FROM site ORDER BY position LIMIT $1", 25)
		batch.Queue("SELECT 1")
	}
	for _, test := range []struct {
		name string
		want int64
		run  func() error
	}{
		{"a get in a Batch", 1, func() error { return db.Batch(ctx, one) }},
		{"a list in a Batch", 1, func() error { return db.Batch(ctx, three) }},
		{"a list in a Snapshot", 1, func() error { return db.Snapshot(ctx, three) }},
		{"an empty Write", 0, func() error {
			return db.Write(ctx, func(context.Context, pgx.Tx) error { return nil })
		}},
		{"a Write with one statement: with begin and its settings, commit", 2, func() error {
			return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return deleteOne(ctx, tx) })
		}},
		{"a Write with a savepoint: release with the next statement", 3, func() error {
			return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				if err := postgres.Savepoint(ctx, tx, deleteOne); err != nil {
					return err
				}
				return deleteOne(ctx, tx)
			})
		}},
	} {
		for range 2 { // the first call prepares the statements
			counting.roundTrips.Store(0)
			if err := test.run(); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		if got := counting.roundTrips.Load(); got != test.want {
			t.Errorf("%s: %d round trips, want %d", test.name, got, test.want)
		}
	}
}

func deleteOne(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "DELETE FROM site WHERE id = $1", uuid.New())
	return err
}

// What waits for the next statement is in the right order, whichever way savepoints end.
func TestSavepointsUndoWhatFailedInThem(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	fails := errors.New("fails")
	broken := func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1 / $1::int", 0)
		return err
	}
	add := func(name string) func(ctx context.Context, tx pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO site (organization_id, id, position, name)
				SELECT current_organization(), gen_random_uuid(), nextval('numbers'), $1`, name)
			return err
		}
	}
	then := func(steps ...func(ctx context.Context, tx pgx.Tx) error) func(ctx context.Context, tx pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			for _, step := range steps {
				if err := step(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		}
	}
	fail := func(context.Context, pgx.Tx) error { return fails }
	savepoint := func(fn func(ctx context.Context, tx pgx.Tx) error) func(ctx context.Context, tx pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error { return postgres.Savepoint(ctx, tx, fn) }
	}
	tried := func(fn func(ctx context.Context, tx pgx.Tx) error) func(ctx context.Context, tx pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			if err := postgres.Savepoint(ctx, tx, fn); err == nil {
				t.Error("what must fail did not")
			}
			return nil
		}
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "CREATE TEMPORARY SEQUENCE numbers; SELECT 1") // several in one text
		if err != nil {
			return err
		}
		return then(
			add("a"),
			tried(fail),                 // nothing was sent
			savepoint(add("b")),         // the release waits
			tried(then(add("x"), fail)), // behind it
			tried(broken),               // the transaction is broken until the savepoint
			tried(func(ctx context.Context, tx pgx.Tx) error {
				return tx.QueryRow(ctx, "SELECT 1 / $1::int", 0).Scan(new(int))
			}),
			tried(func(ctx context.Context, tx pgx.Tx) error {
				batch := &pgx.Batch{}
				batch.Queue("SELECT 1 / $1::int", 0)
				return tx.SendBatch(ctx, batch).Close()
			}),
			tried(savepoint(then(add("x"), broken))),                          // both are undone
			savepoint(then(tried(then(savepoint(add("x")), fail)), add("c"))), // the inner one waits for its release, and is undone with its outer
			savepoint(savepoint(add("d"))),
			savepoint(fine),
		)(ctx, tx)
	}); err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var empty string
		if err := tx.QueryRow(ctx, "SELECT name FROM site WHERE name = $1", "x").Scan(&empty); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("the first statement of a transaction finds nothing: %v", err)
		}
		rows, err := tx.Query(ctx, "SELECT name FROM site ORDER BY name")
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}); err != nil || !slices.Equal(names, []string{"a", "b", "c", "d"}) {
		t.Errorf("%v, %v", names, err)
	}
}

func fine(context.Context, pgx.Tx) error { return nil }

// A statement that cannot be parsed or sent did not begin the transaction, and what comes after it is not carried out without one.
func TestAfterAStatementThatCannotBeSentThereIsATransactionOrNone(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	for sql, value := range map[string]any{"SELECT no_column FROM site WHERE name = $1": "x", "SELECT $1::int": make(chan int)} {
		var after error
		_ = db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, sql, value); err == nil {
				t.Errorf("%s was carried out", sql)
			}
			var organization string
			after = tx.QueryRow(ctx, "SELECT current_organization()::text WHERE $1", true).Scan(&organization)
			return after
		})
		if after != nil && !strings.Contains(after.Error(), "conn closed") {
			t.Errorf("after %s: %v", sql, after)
		}
	}
	if got := countSites(t, ctx, db); got != 0 {
		t.Errorf("%d sites", got)
	}
}

func TestADatabaseThatIsDownIsA503AndRecovers(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	proxy := startProxy(t, database.URL)
	database.URL = proxy.url
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	if _, err := addSite(ctx, db, "One"); err != nil {
		t.Fatal(err)
	}
	for _, down := range []struct {
		name string
		how  mode
	}{{"refuses connections", refusing}, {"accepts and says nothing", silent}} {
		proxy.set(down.how)
		var group sync.WaitGroup
		for name, call := range map[string]func() error{
			"Ping":     func() error { return db.Ping(ctx) },
			"Batch":    func() error { return db.Batch(ctx, func(batch *pgx.Batch) { batch.Queue("SELECT 1") }) },
			"Snapshot": func() error { return db.Snapshot(ctx, func(batch *pgx.Batch) { batch.Queue("SELECT 1") }) },
			"Write":    func() error { _, err := addSite(ctx, db, "Two"); return err },
		} {
			group.Go(func() {
				began := time.Now()
				wantUnavailable(t, call())
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("a database that %s: %s took %s, want 2 s at most", down.name, name, took)
				}
			})
		}
		group.Wait()
		proxy.set(passing)
		if got := countSites(t, ctx, db); got != 1 {
			t.Errorf("after a database that %s, there are %d sites, want 1", down.name, got)
		}
	}
}

func TestConnectionsThatTheServerEndedAreReplaced(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	countSites(t, ctx, db)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	if _, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	if err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1")
		return err
	}); err != nil {
		wantUnavailable(t, err)
	}
	countSites(t, ctx, db) // fails the test if the pool did not recover
}

type mode int

const (
	passing  mode = iota
	refusing      // what a stopped server does
	silent        // what a server behind a broken network does
)

// proxy is a proxy of the server. It counts round trips: the times that the client writes after the server did.
type proxy struct {
	url        string
	roundTrips atomic.Int64

	mutex       sync.Mutex
	mode        mode
	connections []net.Conn
}

func startProxy(t testing.TB, address string) *proxy {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	server := parsed.Host
	parsed.Host = listener.Addr().String()
	p.url = parsed.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client, server)
		}
	}()
	t.Cleanup(func() { listener.Close(); p.set(refusing) })
	return p
}

// set changes the mode. Leaving the mode passing closes the connections, as a server that stops does.
func (p *proxy) set(m mode) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.mode = m
	for _, connection := range p.connections {
		connection.Close()
	}
	p.connections = nil
}

func (p *proxy) serve(client net.Conn, address string) {
	p.mutex.Lock()
	p.connections = append(p.connections, client)
	how := p.mode
	p.mutex.Unlock()
	if how == silent {
		return // left open
	}
	defer client.Close()
	if how == refusing {
		return
	}
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	var serverSpoke atomic.Bool
	serverSpoke.Store(true)
	go func() {
		defer client.Close()
		_, _ = io.Copy(writerFunc(func(data []byte) (int, error) { serverSpoke.Store(true); return client.Write(data) }), server)
	}()
	_, _ = io.Copy(writerFunc(func(data []byte) (int, error) {
		if serverSpoke.Swap(false) && !bytes.HasPrefix(data, []byte("X")) { // X: the client closes the connection
			p.roundTrips.Add(1)
		}
		return server.Write(data)
	}), client)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

func TestWhatFollowsACommitSeesItAndFollowsNothingElse(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "library", nil).Open(t)
	ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: uuid.NewString()})
	var seen []int64
	count := func(ctx context.Context, tx pgx.Tx, name string) error {
		_, err := tx.Exec(ctx, "INSERT INTO counter (organization_id, name, value) VALUES (current_organization(), $1, 1)", name)
		postgres.AfterCommit(ctx, func() {
			var n int64
			if err := db.Read(principal.Into(t.Context(), principal.From(ctx)), func(ctx context.Context, tx pgx.Tx) error {
				return tx.QueryRow(ctx, "SELECT count(*) FROM counter").Scan(&n)
			}); err != nil {
				t.Error(err)
			}
			seen = append(seen, n)
		})
		return err
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := count(ctx, tx, "outer"); err != nil {
			return err
		}
		if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return count(ctx, tx, "joined") }); err != nil {
			return err
		}
		return postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return count(ctx, tx, "nested") })
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []int64{3, 3, 3}) {
		t.Errorf("after the commit %v rows were seen, want 3 each time", seen)
	}
	given := errors.New("undone")
	if err := db.Write(ctx, func(ctx context.Context,
		tx pgx.Tx) error {
		return errors.Join(count(ctx, tx, "undone"), given)
	}); !errors.Is(err, given) || len(seen) != 3 {
		t.Errorf("called after a rollback: %v, %v", seen, err)
	}
	postgres.AfterCommit(ctx, func() { t.Error("called without a transaction") })
}

// One organization with more to do than there are connections is told so, and keeps nobody else waiting.
func TestAnOrganizationThatHasAllItMayHaveIsRefusedAndNobodyElse(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL += "&pool_max_conns=4"
	db := database.Open(t)
	busy := principal.Into(t.Context(), principal.Principal{OrganizationID: "0190d0c0-0000-7000-8000-00000000000a"})
	other := principal.Into(t.Context(), principal.Principal{OrganizationID: "0190d0c0-0000-7000-8000-00000000000b"})
	release := make(chan struct{})
	begun, ended := make(chan struct{}, 3), make(chan error, 3)
	for range 3 {
		go func() {
			ended <- db.Read(busy, func(context.Context, pgx.Tx) error {
				begun <- struct{}{}
				<-release
				return nil
			})
		}()
	}
	for range 3 {
		<-begun
	}
	nothing := func(context.Context, pgx.Tx) error { return nil }
	for range 5 {
		if err := db.Read(other, nothing); err != nil {
			t.Errorf("the other organization: %v", err)
		}
	}
	var refused *fault.Error
	if err := db.Read(busy, nothing); !errors.As(err, &refused) || refused.Code != "too_many_in_flight" || refused.Status() != 429 ||
		refused.RetryAfter <= 0 {
		t.Errorf("the busy organization: %v", err)
	}
	close(release)
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := db.Read(busy, nothing); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
