package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

// A service that has nothing to do leaves the server one connection, that of what polls.
func TestConnectionsThatNobodyUsesAreLetGoOf(t *testing.T) {
	database := postgrestest.New(t, "assets", schema)
	db := open(t, withParameters(database.Session, "pool_max_conn_idle_time=700ms&pool_health_check_period=1s"))
	db.CloseLivenessAfter(time.Second)
	watcher, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(context.Background())
	connections := func() (n int) {
		t.Helper()
		if err := watcher.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var busy sync.WaitGroup
	for range 4 {
		ctx := in(t, uuid.NewString())
		busy.Go(func() {
			if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "SELECT pg_sleep(3)") // longer than a liveness check waits
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	testwait.For(t, time.Minute, "four connections, and that of the liveness check", func() bool { return connections() >= 5 })
	busy.Wait()
	polling, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for polling.Err() == nil {
			_, _ = db.Pool().Exec(polling, "SELECT 1")
			time.Sleep(50 * time.Millisecond)
		}
	}()
	testwait.For(t, time.Minute, "one connection", func() bool { return connections() == 1 })
}

func TestAnAddressSaysHowLongIdleConnectionsStay(t *testing.T) {
	for parameters, want := range map[string][2]time.Duration{
		"": {20 * time.Second, 30 * time.Second}, // the interval is the longer one
		"pool_max_conn_idle_time=2m&pool_health_check_period=3m": {2 * time.Minute, 3 * time.Minute},
	} {
		db := open(t, withParameters("postgres://somebody:secret@127.0.0.1:1/ams?sslmode=disable", parameters))
		if idle, period := db.IdleTimes(); idle != want[0] || period != want[1] {
			t.Errorf("%q: %s and %s", parameters, idle, period)
		}
	}
}

func withParameters(address, parameters string) string { return address + "&" + parameters }
