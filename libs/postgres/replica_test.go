package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

// replicaRead is what a read saw, and where.
type replicaRead struct {
	standby bool
	sites   int
}

func readFromReplica(t testing.TB, ctx context.Context, db *postgres.DB) (got replicaRead) {
	t.Helper()
	err := db.FromReplica(ctx, func(ctx context.Context) error {
		return db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT pg_is_in_recovery(), count(*) FROM site").Scan(&got.standby, &got.sites)
		})
	})
	if err != nil {
		t.Errorf("the caller notices: %v", err)
	}
	return got
}

func TestWhatReadsMuchGoesToAStandbyThatHasEverything(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t, "assets", schema)
	db := pair.Open(t, pair.URL("&replica_hosts="+pair.Standby.Address, pair.Primary))
	ctx := in(t, uuid.NewString())
	add := func(name string) {
		t.Helper()
		if _, err := addSite(ctx, db, name); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"One", "Two", "Three", "Four", "Five"} {
		add(name)
		if got := readFromReplica(t, ctx, db); got != (replicaRead{true, i + 1}) {
			t.Fatalf("right after write %d: %+v", i+1, got)
		}
	}
	t.Run("each snapshot too", func(t *testing.T) {
		var got replicaRead
		if err := db.FromReplica(ctx, func(ctx context.Context) error {
			return db.Snapshot(ctx, func(batch *pgx.Batch) {
				batch.Queue("SELECT pg_is_in_recovery(), count(*) FROM site").QueryRow(func(row pgx.Row) error {
					return row.Scan(&got.standby, &got.sites)
				})
			})
		}); err != nil || got != (replicaRead{true, 5}) {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("what is not declared never does, nor a Write, nor what is inside one", func(t *testing.T) {
		var plain, written, inside bool
		where := func(into *bool) func(ctx context.Context, tx pgx.Tx) error {
			return func(ctx context.Context, tx pgx.Tx) error {
				return tx.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(into)
			}
		}
		if err := db.Read(ctx, where(&plain)); err != nil {
			t.Fatal(err)
		}
		if err := db.FromReplica(ctx, func(ctx context.Context) error { return db.Write(ctx, where(&written)) }); err != nil {
			t.Fatal(err)
		}
		if err := db.Write(ctx, func(ctx context.Context, _ pgx.Tx) error {
			return db.FromReplica(ctx, func(ctx context.Context) error { return db.Read(ctx, where(&inside)) })
		}); err != nil {
			t.Fatal(err)
		}
		if plain || written || inside {
			t.Errorf("at the standby: plain %t, Write %t, inside a Write %t", plain, written, inside)
		}
	})
	t.Run("an organization sees its own there", func(t *testing.T) {
		if got := readFromReplica(t, in(t, uuid.NewString()), db); got != (replicaRead{true, 0}) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a read that the standby cancels is read from the primary, before something was sent", func(t *testing.T) {
		for _, sent := range []bool{false, true} {
			tries, standby := 0, true
			err := db.FromReplica(ctx, func(outer context.Context) error {
				tries++
				return db.Read(outer, func(ctx context.Context, tx pgx.Tx) error {
					if err := tx.QueryRow(ctx, "SELECT pg_is_in_recovery() FROM site LIMIT 1").Scan(&standby); err != nil {
						return err
					}
					if sent {
						postgres.Sent(outer)
					}
					if standby { // what the snapshot there sees is removed at the primary, and the standby follows at once
						pair.Primary.Exec(t, "UPDATE assets.site SET name = name || ' 2'")
						pair.Primary.Exec(t, "VACUUM assets.site")
						return tx.QueryRow(ctx, "SELECT pg_sleep(20)").Scan(nil)
					}
					return nil
				})
			})
			switch {
			case !sent && (err != nil || tries != 2 || standby):
				t.Errorf("%d tries, the last at the standby: %t, %v", tries, standby, err)
			case sent && (err == nil || tries != 1):
				t.Errorf("after something was sent: %d tries, %v", tries, err)
			}
		}
	})
	t.Run("a standby that does not replay is not used, and is again when it does", func(t *testing.T) {
		pair.Standby.Exec(t, "SELECT pg_wal_replay_pause()")
		testwait.For(t, 10*time.Second, "replay is paused", func() bool { return paused(t, pair.Standby) })
		add("Six")
		for range 2 {
			if got := readFromReplica(t, ctx, db); got != (replicaRead{false, 6}) {
				t.Errorf("%+v, want all six from the primary", got)
			}
		}
		pair.Standby.Exec(t, "SELECT pg_wal_replay_resume()")
		testwait.For(t, 30*time.Second, "the standby is used again", func() bool { return readFromReplica(t, ctx, db).standby })
	})
	t.Run("a promoted one is not used", func(t *testing.T) {
		pair.Standby.Promote(t)
		add("Seven")
		if got := readFromReplica(t, ctx, db); got != (replicaRead{false, 7}) {
			t.Errorf("%+v, want all seven from the primary", got)
		}
	})
	t.Run("one that is away is not missed", func(t *testing.T) {
		pair.Standby.Kill(t)
		other := pair.Open(t, pair.URL("&replica_hosts="+pair.Standby.Address, pair.Primary))
		if got := readFromReplica(t, ctx, other); got != (replicaRead{false, 7}) {
			t.Errorf("%+v, want all seven from the primary", got)
		}
	})
}

func paused(t testing.TB, n *postgrestest.Node) (is bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), n.AdminURL)
	if err != nil {
		return false
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test looks again
	return conn.QueryRow(t.Context(), "SELECT pg_get_wal_replay_pause_state() = 'paused'").Scan(&is) == nil && is
}
