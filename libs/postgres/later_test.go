package postgres_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// later counts under a name, with the next statement or the commit. A name that is counted already is a unique violation.
func later(ctx context.Context, tx pgx.Tx, name string) error {
	batch := &pgx.Batch{}
	batch.Queue("INSERT INTO counter (organization_id, name, value) VALUES (current_organization(), $1, 1)", name)
	return postgres.Later(ctx, tx, batch)
}

func TestStatementsThatMayWaitAreSentWithTheNextOrTheCommit(t *testing.T) {
	t.Parallel()
	address, asked := postgrestest.CountRoundTrips(t, postgrestest.New(t, "library", nil).URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	names := func(ctx context.Context, tx pgx.Tx) ([]string, error) {
		rows, err := tx.Query(ctx, "SELECT name FROM counter ORDER BY name")
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}
	mine := errors.New("mine")
	for _, c := range []struct {
		name  string
		write func(ctx context.Context, tx pgx.Tx) error
		trips int64  // 0: not counted, because after an error statements are prepared again
		state string // of the error
		want  []string
	}{
		{"alone", func(ctx context.Context, tx pgx.Tx) error { return later(ctx, tx, "a") }, 1, "", []string{"a"}},
		{"before another, which sees it", func(ctx context.Context, tx pgx.Tx) error {
			if err := later(ctx, tx, "a"); err != nil {
				return err
			}
			if got, err := names(ctx, tx); err != nil || !slices.Equal(got, []string{"a"}) {
				t.Errorf("the next statement sees %v, %v", got, err)
			}
			return later(ctx, tx, "b")
		}, 2, "", []string{"a", "b"}},
		{"one that fails with the commit", func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(later(ctx, tx, "a"), later(ctx, tx, "b"), later(ctx, tx, "a"))
		}, 0, postgres.UniqueViolation, nil},
		{"one that fails with the next", func(ctx context.Context, tx pgx.Tx) error {
			if err := errors.Join(later(ctx, tx, "a"), later(ctx, tx, "a")); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "SELECT $1::text", "")
			return err
		}, 0, postgres.UniqueViolation, nil},
		{"in a savepoint without other statements", func(ctx context.Context, tx pgx.Tx) error {
			return postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return later(ctx, tx, "a") })
		}, 1, "", []string{"a"}},
		{"in a savepoint that is undone", func(ctx context.Context, tx pgx.Tx) error {
			err := postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return errors.Join(later(ctx, tx, "a"), mine) })
			if !errors.Is(err, mine) {
				return err
			}
			return later(ctx, tx, "b")
		}, 1, "", []string{"b"}},
		{"in a savepoint, where one fails", func(ctx context.Context, tx pgx.Tx) error {
			if err := later(ctx, tx, "a"); err != nil {
				return err
			}
			if _, err := names(ctx, tx); err != nil {
				return err
			}
			var nested error
			err := postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error {
				if nested = later(ctx, tx, "a"); nested == nil {
					_, nested = names(ctx, tx)
				}
				return nested
			})
			wantState(t, err, postgres.UniqueViolation)
			return later(ctx, tx, "b")
		}, 0, "", []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var trips int64
			for range 2 { // the first time, statements are prepared
				ctx := in(t, uuid.NewString())
				asked.Store(0)
				err := db.Write(ctx, c.write)
				trips = asked.Load()
				if c.state == "" && err != nil {
					t.Fatal(err)
				}
				if c.state != "" {
					wantState(t, err, c.state)
				}
				if err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
					got, err := names(ctx, tx)
					if !slices.Equal(got, c.want) {
						t.Errorf("there is %v, want %v", got, c.want)
					}
					return err
				}); err != nil {
					t.Error(err)
				}
			}
			if c.trips != 0 && trips != c.trips {
				t.Errorf("%d round trips, want %d", trips, c.trips)
			}
		})
	}
}

func TestAQueryAlongIsReadWithTheNextStatement(t *testing.T) {
	t.Parallel()
	address, asked := postgrestest.CountRoundTrips(t, postgrestest.New(t, "library", nil).URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	ctx := in(t, uuid.NewString())
	for _, failing := range []bool{false, true} {
		for range 2 { // the first time, statements are prepared
			asked.Store(0)
			var found []string
			err = db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				collect := func(rows pgx.Rows) (err error) {
					if found, err = pgx.CollectRows(rows, pgx.RowTo[string]); failing {
						err = errors.New("mine")
					}
					return err
				}
				return postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error {
					if err := postgres.Along(ctx, tx, collect, "SELECT n::text FROM generate_series(1, $1::int) n", 3); err != nil || found != nil {
						t.Errorf("before a statement it has read %v, %v", found, err)
					}
					_, err := tx.Exec(ctx, "SELECT $1::text", "")
					return err
				})
			})
			if (err != nil) != failing || !slices.Equal(found, []string{"1", "2", "3"}) {
				t.Errorf("failing %v: it has read %v, %v", failing, found, err)
			}
		}
		if got := asked.Load(); !failing && got != 2 { // the statement with what is before it, and the commit
			t.Errorf("the database is asked %d times", got)
		}
	}
}
