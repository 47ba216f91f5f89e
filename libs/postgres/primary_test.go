package postgres_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

const readWrite = "&target_session_attrs=read-write"

// want503 says whether an error is the refusal of a database that cannot be used right now.
func want503(t testing.TB, err error) {
	t.Helper()
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.KindUnavailable || refused.Code != "database_unavailable" {
		t.Errorf("got %v, want a 503 database_unavailable", err)
	}
}

func TestAServiceFollowsThePrimaryWithoutARestart(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t, "assets", schema)
	pair.Primary.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	pair.Primary.Exec(t, "SELECT pg_reload_conf()")
	db := pair.Open(t, pair.URL(readWrite, pair.Standby, pair.Primary)) // the standby is asked first, and is passed over
	ctx := in(t, uuid.NewString())
	for _, name := range []string{"One", "Two", "Three"} {
		if _, err := addSite(ctx, db, name); err != nil {
			t.Fatal(err)
		}
	}
	leader, err := db.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Disconnect(leader)
	pair.Primary.Kill(t)
	_, err = addSite(ctx, db, "Four")
	want503(t, err)
	if leader.Ping(t.Context()) == nil {
		t.Error("a session of a primary that was killed goes on")
	}
	pair.Standby.Promote(t)
	pair.Standby.Exec(t, "ALTER SYSTEM RESET synchronous_standby_names") // as Patroni does: it has no standby now
	pair.Standby.Exec(t, "SELECT pg_reload_conf()")
	testwait.ForSuccess(t, 20*time.Second, "a write to the new primary", func() error {
		_, err := addSite(ctx, db, "Five")
		return err
	})
	if got := countSites(t, ctx, db); got != 4 {
		t.Errorf("%d sites, want the three that were acknowledged and the new one", got)
	}
	again, err := db.Connect(t.Context())
	if err != nil {
		t.Fatalf("a session of the new primary: %v", err)
	}
	defer postgres.Disconnect(again)
	if _, err := again.Exec(t.Context(), "SELECT pg_advisory_lock(1); SET transaction_read_only = off"); err != nil {
		t.Errorf("the new session cannot write: %v", err)
	}
	// Longer than what the liveness check waits before it looks at the server.
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT pg_sleep(1)")
		return err
	}); err != nil {
		t.Errorf("a long transaction at the new primary: %v", err)
	}
	if err := postgres.Migrate(t.Context(), pair.OwnerURL(readWrite+"&replica_hosts=h:1", pair.Primary, pair.Standby), "assets", schema,
		io.Discard); err != nil {
		t.Errorf("migrations do not find the primary: %v", err)
	}
}

// A pooler keeps connections whose server has become a standby.
func TestAWriteToAStandbyIsRefusedAndItsConnectionClosed(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t, "assets", schema)
	db := pair.Open(t, pair.URL("", pair.Standby))
	ctx := in(t, uuid.NewString())
	for name, write := range map[string]func() error{
		"Write": func() error { _, err := addSite(ctx, db, "One"); return err },
		"a Write alone": func() error {
			return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, "SELECT 1").Scan(new(int)) })
		},
		"Batch": func() error {
			return db.Batch(ctx, func(batch *pgx.Batch) { batch.Queue("UPDATE site SET name = 'x'") })
		},
		"the pool": func() error {
			_, err := db.Pool().Exec(t.Context(), "UPDATE site SET name = 'x'")
			return postgres.Fault(err, nil)
		},
	} {
		if err := db.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		want503(t, write())
		testwait.For(t, 5*time.Second, name+" keeps its connection", func() bool { return db.Connections() == 0 })
	}
	pair.Standby.Promote(t)
	if _, err := addSite(ctx, db, "Two"); err != nil {
		t.Errorf("after the promotion: %v", err)
	}
}

// PostgreSQL ends the wait of a commit for the synchronous standby with a warning and a success when the statement is cancelled.
func TestACommitThatTheStandbyDoesNotHaveIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t, "assets", schema)
	db := pair.Open(t, pair.URL("", pair.Primary))
	ctx := in(t, uuid.NewString())
	pair.Primary.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	pair.Primary.Exec(t, "SELECT pg_reload_conf()")
	testwait.For(t, 10*time.Second, "the setting is in force", func() bool {
		var value string
		return db.Pool().QueryRow(t.Context(), "SHOW synchronous_standby_names").Scan(&value) == nil && value == "nobody"
	})
	for _, write := range []func() error{
		func() error { _, err := addSite(ctx, db, "One"); return err },
		func() error {
			return db.Batch(ctx, func(batch *pgx.Batch) { batch.Queue("UPDATE site SET name = 'other' WHERE name = 'One'") })
		},
	} {
		result := make(chan error, 1)
		go func() { result <- write() }()
		admin, err := pgx.Connect(t.Context(), pair.Primary.AdminURL)
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
		testwait.For(t, 10*time.Second, "the commit waits for the standby", func() bool {
			var cancelled int
			err := admin.QueryRow(t.Context(),
				"SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&cancelled)
			return err == nil && cancelled > 0
		})
		want503(t, <-result)
	}
}
