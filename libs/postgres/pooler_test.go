package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

func open(t *testing.T, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// settingsOf is what a transaction finds set, by name.
func settingsOf(t *testing.T, db *postgres.DB) map[string]string {
	t.Helper()
	found := map[string]string{}
	testwait.ForSuccess(t, time.Minute, "the database is used", func() error { return shortest(in(t, uuid.NewString()), db) })
	if err := db.Read(in(t, uuid.NewString()), func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT name, setting FROM pg_settings
			WHERE name IN ('TimeZone', 'DateStyle', 'statement_timeout', 'lock_timeout',
			'jit', 'idle_in_transaction_session_timeout', 'search_path', 'application_name')`)
		if err != nil {
			return err
		}
		var name, setting string
		_, err = pgx.ForEachRow(rows, []any{&name, &setting}, func() error {
			found[name] = setting
			return nil
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSettingsAreTheSameThroughAPooler(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	pooler := postgrestest.StartPooler(t, database.Session, "default_pool_size = 1")
	pooled, named := open(t, pooler.URL), open(t, pooler.URL+"&application_name=somebody")
	want := map[string]string{"TimeZone": "UTC", "DateStyle": "ISO, YMD", "statement_timeout": "10000", "lock_timeout": "5000", "jit": "off",
		"idle_in_transaction_session_timeout": "15000", "search_path": "assets, pg_temp", "application_name": "ams_assets"}
	for range 3 { // both are given the one connection that there is
		for db, application := range map[*postgres.DB]string{open(t, database.Session): "ams_assets", pooled: "ams_assets", named: "somebody"} {
			want["application_name"] = application
			got := settingsOf(t, db)
			for name, value := range want {
				if got[name] != value {
					t.Errorf("%s is %q, want %q", name, got[name], value)
				}
			}
		}
	}
	conn, err := pooled.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Disconnect(conn)
	var timeout, application string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('lock_timeout'), current_setting('application_name')").Scan(&timeout,
		&application); err != nil || timeout != "5s" || application != "ams_assets" {
		t.Errorf("a session past the pooler has lock_timeout %s and application_name %s: %v", timeout, application, err)
	}
}

func TestARoleWithoutItsSettingsIsRefused(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	err := open(t, database.OwnerURL).Ping(t.Context()) // Bootstrap gives the owner none
	wantUnavailable(t, err)
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.RetryAfter != fault.LongestRetry ||
		!strings.Contains(errors.Unwrap(refused).Error(), "amsctl database prepare") {
		t.Errorf("the error does not say what to do: %v", err)
	}
}

func TestASessionGoesPastThePooler(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	pooler := postgrestest.StartPooler(t, database.Session)
	db := open(t, pooler.URL)
	conn, err := db.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Disconnect(conn)
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock(7)"); err != nil {
		t.Fatal(err)
	}
	ctx := in(t, uuid.NewString())
	testwait.ForSuccess(t, time.Minute, "the pooler is used", func() error { return shortest(ctx, db) })
	pooler.Kill()
	wantUnavailable(t, shortest(ctx, db))
	var held bool
	if err := conn.QueryRow(t.Context(), "SELECT pg_advisory_unlock(7)").Scan(&held); err != nil || !held {
		t.Errorf("the lock was held: %t, %v", held, err)
	}
	pooler.Start()
	testwait.ForSuccess(t, time.Minute, "the pooler is back, and used", func() error { return shortest(ctx, db) })
}

// shortest is a transaction of one statement.
func shortest(ctx context.Context, db *postgres.DB) error {
	return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT $1::int", 1)
		return err
	})
}

func TestAPoolerCostsNoRoundTrip(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	pooler := postgrestest.StartPooler(t, database.Session)
	trips := func(address string) int64 {
		through, asked := postgrestest.CountRoundTrips(t, address)
		db := open(t, through)
		ctx := in(t, uuid.NewString())
		for _, name := range []string{"One", "Two"} { // the first time, statements are described
			asked.Store(0)
			if _, err := addSite(ctx, db, name); err != nil {
				t.Fatal(err)
			}
			if countSites(t, ctx, db) == 0 {
				t.Error("there is no site")
			}
		}
		return asked.Load()
	}
	if direct, pooled := trips(database.Session), trips(pooler.URL); pooled != direct {
		t.Errorf("%d round trips through a pooler, %d without", pooled, direct)
	}
}

func TestAPoolerOrAServerBehindItThatHangsIsUnavailable(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	server, err := url.Parse(database.Session)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newStallingProxy(t, server.Host)
	server.Host = proxy.address
	pooler := postgrestest.StartPooler(t, server.String(), "query_wait_timeout = 60")
	db := open(t, pooler.URL)
	ctx, cancel := context.WithTimeout(in(t, uuid.NewString()), time.Minute)
	defer cancel()
	for _, c := range []struct {
		name         string
		hang, resume func()
	}{
		{"the pooler", pooler.Hang, pooler.Resume},
		{"the server behind it", proxy.stall, proxy.resume},
	} {
		t.Run(c.name, func(t *testing.T) {
			testwait.ForSuccess(t, time.Minute, "the database responds", func() error { return shortest(ctx, db) })
			var once sync.Once
			err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				once.Do(c.hang)
				_, err := tx.Exec(ctx, "SELECT 1")
				return err
			})
			wantUnavailable(t, err)
			wantUnavailable(t, shortest(ctx, db)) // one that begins while it hangs
			if ctx.Err() != nil {
				t.Error("it was waited for until the caller had no more time")
			}
			c.resume()
		})
	}
	testwait.ForSuccess(t, time.Minute, "the database responds", func() error { return shortest(ctx, db) })
}

func TestAPoolerWhoseConnectionsAreAllInUseIsNotTakenForOneThatHangs(t *testing.T) {
	database := postgrestest.New(t, "assets", schema)
	for _, c := range []struct {
		name, patience string
		refuses        bool
	}{
		{"and who waits is refused", "query_wait_timeout = 0.7", true},
		{"and who waits may wait long", "query_wait_timeout = 60", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pooler := postgrestest.StartPooler(t, database.Session, "default_pool_size = 1", c.patience)
			slow, others := open(t, pooler.URL), open(t, pooler.URL)
			ctx := in(t, uuid.NewString())
			testwait.ForSuccess(t, time.Minute, "the pooler is used", func() error { return shortest(ctx, others) })
			running, slept := make(chan struct{}), make(chan error, 1)
			go func() {
				slept <- slow.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, "SELECT 1"); err != nil {
						return err
					}
					close(running)
					_, err := tx.Exec(ctx, "SELECT pg_sleep(4)") // longer than a check may take
					return err
				})
			}()
			select {
			case <-running:
			case err := <-slept:
				t.Fatal(err)
			}
			if c.refuses {
				wantUnavailable(t, shortest(ctx, others))
			}
			for range 3 { // they wait, are looked after, and must not end what runs
				_ = shortest(ctx, others)
			}
			if err := <-slept; err != nil {
				t.Errorf("the slow statement was ended: %v", err)
			}
			testwait.ForSuccess(t, time.Minute, "there is a connection again", func() error { return shortest(ctx, others) })
		})
	}
}

// An organization whose requests wait for a server that is gone is not told to send fewer: the pooler takes them
// in, and has nobody to give.
func TestAServerThatIsGoneBehindAPoolerIsUnavailableForEverybody(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	server, err := url.Parse(database.Session)
	if err != nil {
		t.Fatal(err)
	}
	proxy := startProxy(t, server.String())
	pooler := postgrestest.StartPooler(t, proxy.url, "query_wait_timeout = 5", "server_login_retry = 1")
	db := open(t, pooler.URL+"&pool_max_conns=2")
	ctx := in(t, uuid.NewString())
	testwait.ForSuccess(t, time.Minute, "the pooler is used", func() error { return shortest(ctx, db) })
	proxy.set(refusing)
	var callers sync.WaitGroup
	for range 12 {
		callers.Go(func() { wantUnavailable(t, shortest(ctx, db)) })
	}
	callers.Wait()
	proxy.set(passing)
	testwait.ForSuccess(t, time.Minute, "the server is back", func() error { return shortest(ctx, db) })
}

// An organization whose requests wait for each other is told 429 only where that is the cause: neither the pooler nor the server is away,
// hangs, or did so a moment ago.
func TestWhoWaitsBehindAPoolerIsToldToSendFewerOnlyIfAllAnswer(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	server, err := url.Parse(database.Session)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newStallingProxy(t, server.Host)
	server.Host = proxy.address
	pooler := postgrestest.StartPooler(t, server.String(), "query_wait_timeout = 60")
	db := open(t, pooler.URL+"&pool_max_conns=2") // of which an organization has one
	ctx := in(t, uuid.NewString())
	testwait.ForSuccess(t, time.Minute, "the pooler is used", func() error { return shortest(ctx, db) })
	holding, let, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = db.Write(ctx, func(context.Context, pgx.Tx) error {
			close(holding)
			<-let
			return nil
		})
	}()
	defer func() { close(let); <-ended }()
	<-holding
	wantTooMany := func() {
		t.Helper()
		testwait.ForSuccess(t, time.Minute, "all answer, and the organization is told to send fewer", func() error {
			if err := shortest(ctx, db); fault.From(err).Kind != fault.KindRateLimited {
				return errors.Join(errors.New("not a 429"), err)
			}
			return nil
		})
	}
	wantTooMany()

	pooler.Kill()
	wantUnavailable(t, shortest(ctx, db))
	pooler.Start()
	wantTooMany()

	proxy.stall()
	wantUnavailable(t, shortest(ctx, db))
	proxy.resume()
	wantUnavailable(t, shortest(ctx, db)) // who waited for those who hung
	wantTooMany()

	another := in(t, uuid.NewString())
	testwait.ForSuccess(t, time.Minute, "another organization is served", func() error { return shortest(another, db) })
	if err := db.Write(another, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT pg_terminate_backend(pg_backend_pid())")
		return err
	}); err == nil {
		t.Error("a connection was ended, and the transaction was not")
	}
	wantUnavailable(t, shortest(ctx, db)) // connections of the pooler break
	wantTooMany()
}

func TestACallerWhoGivesUpAReservationThroughAPoolerLeavesNoLock(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db := open(t, postgrestest.StartPooler(t, database.Session).URL)
	ctx := in(t, uuid.NewString())
	add := func(name string) func() error {
		return func() error {
			_, err := addSite(ctx, db, name)
			return err
		}
	}
	testwait.ForSuccess(t, time.Minute, "the pooler is used", add("One"))
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	const lock = "(hashtextextended('assets.sites', 0))"
	if _, err := owner.Exec(t.Context(), "SELECT pg_advisory_lock"+lock); err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := addSite(impatient, db, "Two"); err == nil {
		t.Error("a position was given while somebody else had the lock")
	}
	if _, err := owner.Exec(t.Context(), "SELECT pg_advisory_unlock"+lock); err != nil {
		t.Fatal(err)
	}
	testwait.ForSuccess(t, time.Minute, "another one is given", add("Three"))
	testwait.ForSuccess(t, time.Minute, "nobody has the lock", func() error {
		var locks int
		if err := owner.QueryRow(t.Context(), advisoryLocks).Scan(&locks); err != nil || locks != 0 {
			return errors.Join(err, errors.New("locks are held"))
		}
		return nil
	})
}

func TestAnAddressThatNamesServersBehindAPoolerIsChecked(t *testing.T) {
	t.Parallel()
	const address = "postgres://somebody:secret@127.0.0.1:1/ams?sslmode=disable"
	for parameter, want := range map[string]string{
		"":                                  "",
		"&session_hosts=one:5432":           "",
		"&session_hosts=one:5432,two:5433":  "",
		"&session_hosts=[::1]:5432":         "",
		"&session_hosts=":                   "must be host:port",
		"&session_hosts=one":                "must be host:port",
		"&session_hosts=one:5432,,two:5432": "must be host:port",
		"&session_hosts=one:port":           "cannot be used",
	} {
		db, err := postgres.Open(t.Context(), address+parameter)
		if err == nil {
			db.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameter, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error has the password", parameter)
		}
	}
	if _, err := postgres.Open(t.Context(), "postgres://somebody:secret@127.0.0.1:%/ams?session_hosts=one:5432"); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("an address that cannot be read: %v", err)
	}
}
