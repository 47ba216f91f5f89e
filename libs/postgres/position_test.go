package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

const advisoryLocks = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

func TestPositionsGrowWithTimeAcrossConcurrentWriters(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL += "&pool_max_conns=16"
	db := database.Open(t)
	organizations := []string{uuid.NewString(), uuid.NewString()}
	var expected atomic.Int64
	var group errgroup.Group
	for writer := range 16 {
		group.Go(func() error {
			for range 40 {
				count := 1 + rand.IntN(3)
				err := db.Write(in(t, organizations[writer%2]), func(ctx context.Context, tx pgx.Tx) error {
					_, err := tx.Exec(ctx, `INSERT INTO site (organization_id, id, position, name, created_at)
						SELECT current_organization(), gen_random_uuid(), first_position + i, gen_random_uuid(), at
						FROM reserve_positions('sites', $1) CROSS JOIN generate_series(0, $1 - 1) AS i`, count)
					if err == nil && rand.IntN(4) == 0 {
						return errRolledBack
					}
					return err
				})
				switch {
				case err == nil:
					expected.Add(int64(count))
				case !errors.Is(err, errRolledBack):
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	var rows, positions, backwards, locks int64
	err = owner.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT position), count(*) FILTER (WHERE created_at < previous)
		FROM (SELECT position, created_at, lag(created_at) OVER (ORDER BY position) AS previous FROM site) t`).Scan(&rows, &positions, &backwards)
	if err != nil {
		t.Fatal(err)
	}
	if rows != expected.Load() || positions != rows || backwards != 0 {
		t.Errorf("%d rows of %d with %d positions, %d of them out of order of time", rows, expected.Load(), positions, backwards)
	}
	if err := owner.QueryRow(t.Context(), advisoryLocks).Scan(&locks); err != nil || locks != 0 {
		t.Errorf("%d locks are still held (%v)", locks, err)
	}
}

var errRolledBack = errors.New("rolled back on purpose")

func TestAReservationThatIsCancelledReleasesTheLock(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	if _, err := addSite(ctx, db, "One"); err != nil {
		t.Fatal(err)
	}
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	const lock = "(hashtextextended('assets.sites', 0))"
	if _, err := owner.Exec(t.Context(), "SELECT pg_advisory_lock"+lock); err != nil {
		t.Fatal(err)
	}
	err = db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '100ms'; SELECT reserve_positions('sites', 1)")
		return err
	})
	wantUnavailable(t, err)
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT reserve_positions('sites', 0)")
		return err
	}); err == nil {
		t.Error("zero positions were given")
	}
	if _, err := owner.Exec(t.Context(), "SELECT pg_advisory_unlock"+lock); err != nil {
		t.Fatal(err)
	}
	if _, err := addSite(ctx, db, "Two"); err != nil {
		t.Fatal(err)
	}
	var locks int
	if err := owner.QueryRow(t.Context(), advisoryLocks).Scan(&locks); err != nil || locks != 0 {
		t.Errorf("%d locks are still held (%v)", locks, err)
	}
}

// TestTheLedgerIsExact: whatever inserts, deletes, roll-backs and folds run at once, in every snapshot the ledger's
// sum is the number of rows, in total and per block.
func TestTheLedgerIsExact(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL += "&pool_max_conns=12"
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	other := in(t, uuid.NewString())
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var folds, checks atomic.Int64
	begin := time.Now()
	// goesOn until enough was tried: on a busy machine that takes longer.
	goesOn := func() bool {
		enough := folds.Load() > 0 && checks.Load() >= 10
		return time.Since(begin) < 1500*time.Millisecond || !enough && time.Since(begin) < time.Minute
	}
	var group errgroup.Group
	for writer := range 6 {
		random := rand.New(rand.NewPCG(seed, uint64(writer)))
		group.Go(func() error {
			for goesOn() {
				ctx := ctx
				if random.IntN(4) == 0 {
					ctx = other
				}
				if err := change(ctx, db, random); err != nil && !errors.Is(err, errRolledBack) {
					return err
				}
			}
			return nil
		})
	}
	for range 2 {
		group.Go(func() error {
			for goesOn() {
				err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					var saved int64
					err := tx.QueryRow(ctx, "SELECT fold_ledger('sites')").Scan(&saved)
					folds.Add(saved)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for goesOn() {
			checks.Add(1)
			if err := exact(ctx, db); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, ctx := range []context.Context{ctx, other} {
		if err := exact(ctx, db); err != nil {
			t.Error(err)
		}
	}
	if folds.Load() == 0 || checks.Load() < 10 {
		t.Errorf("the test did too little: %d rows folded, %d checks", folds.Load(), checks.Load())
	}
}

// change inserts or deletes some rows with their deltas, and rolls back now and then.
func change(ctx context.Context, db *postgres.DB, random *rand.Rand) error {
	return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		statement := `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('sites', $1)),
			added AS (INSERT INTO site (organization_id, id, position, name, created_at)
				SELECT current_organization(), gen_random_uuid(), first_position + i, gen_random_uuid(), at
				FROM stamp CROSS JOIN generate_series(0, $1 - 1) AS i RETURNING position)
			INSERT INTO ledger SELECT current_organization(), 'sites', position / 1024, count(*) FROM added GROUP BY 3`
		count := 1 + random.IntN(300)
		if random.IntN(3) == 0 {
			statement = `WITH gone AS (DELETE FROM site WHERE id IN (
				SELECT id FROM site ORDER BY random() LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING position)
			INSERT INTO ledger SELECT current_organization(), 'sites', position / 1024, -count(*) FROM gone GROUP BY 3`
		}
		if _, err := tx.Exec(ctx, statement, count); err != nil {
			return err
		}
		if random.IntN(5) == 0 {
			return errRolledBack
		}
		return nil
	})
}

// exact compares ledger and rows in one snapshot.
func exact(ctx context.Context, db *postgres.DB) error {
	var total, rows, wrong int64
	err := db.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT ((SELECT coalesce(sum(live), 0) FROM ledger_total) + coalesce(sum(live), 0))::bigint
			FROM ledger WHERE collection = 'sites' AND NOT folded`).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		batch.Queue("SELECT count(*) FROM site").QueryRow(func(row pgx.Row) error { return row.Scan(&rows) })
		batch.Queue(`SELECT count(*) FROM
			(SELECT block, sum(live) AS live FROM ledger GROUP BY block) l
			FULL JOIN (SELECT position / 1024 AS block, count(*) AS live FROM site GROUP BY 1) s USING (block)
			WHERE coalesce(l.live, 0) <> coalesce(s.live, 0)`).QueryRow(func(row pgx.Row) error { return row.Scan(&wrong) })
	})
	if err != nil {
		return err
	}
	if total != rows || wrong != 0 {
		return fmt.Errorf("the ledger says %d, there are %d rows; %d blocks are wrong", total, rows, wrong)
	}
	return nil
}
