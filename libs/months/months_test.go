package months_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/months"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

func TestAMonthIsDueSixDaysAfterItsEnd(t *testing.T) {
	for today, want := range map[string]string{
		"2026-11-05": "2026-09-30", "2026-11-06": "2026-10-31", "2026-11-30": "2026-10-31", "2026-12-06": "2026-11-30",
		"2027-01-05": "2026-11-30", "2027-01-06": "2026-12-31", "2028-03-06": "2028-02-29",
	} {
		if got := months.Due(today); got != want {
			t.Errorf("on %s the month to %s is due, want %s", today, got, want)
		}
	}
}

func TestWhichMonthsAreMissing(t *testing.T) {
	if got := months.Missing("2023-01-31", "2026-08-31", "2026-10-31"); !reflect.DeepEqual(got,
		[]months.Month{{"2026-09-30", true}, {"2026-10-31", true}}) {
		t.Errorf("after an outage: %v", got)
	}
	if got := months.Missing("2024-10-31", "2026-10-31", "2026-10-31"); got != nil {
		t.Errorf("with all there: %v", got)
	}
	if got := months.Missing("2024-10-31", "2026-09-30", "2026-11-30"); !reflect.DeepEqual(got,
		[]months.Month{{"2026-10-31", true}, {"2026-11-30", true}}) {
		t.Errorf("the first after the 24: %v", got)
	}
	if got := months.Missing("2024-10-31", "2026-07-31", "2026-09-30"); !reflect.DeepEqual(got,
		[]months.Month{{"2026-08-31", false}, {"2026-09-30", false}}) {
		t.Errorf("after a first run that was killed: %v", got)
	}
	first := months.Missing("", "", "2026-10-31")
	if len(first) != 25 || first[0] != (months.Month{"2024-10-31", false}) || first[24] != (months.Month{"2026-10-31", true}) ||
		first[23].Frozen {
		t.Errorf("the first run: %v", first)
	}
}

var table = fstest.MapFS{"0001_months.sql": {Data: []byte(`-- +goose Up
CREATE TABLE figures_month (organization_id uuid NOT NULL, month_end date NOT NULL, subject text NOT NULL, subject_of text NOT NULL,
	frozen boolean NOT NULL, PRIMARY KEY (organization_id, subject, subject_of, month_end));
SELECT isolate('figures_month');
`)}}

const perMonth = 50 // rows of a month

// keeper writes months of two organizations, in two statements; fail may end it between them.
func keeper(t *testing.T, db *postgres.DB, organizations []string, fail func() error) months.Keeper {
	t.Helper()
	return months.Keeper{
		DB: db, Log: resourcetest.Log(t),
		Organizations: func(context.Context) (all []principal.Principal, err error) {
			for _, id := range organizations {
				all = append(all,
					reference.Organization{ID: id, Currency: "CAD", TimeZone: "America/Toronto", FiscalYearEndMonth: 12}.Principal("assets"))
			}
			return all, nil
		},
		Write: func(ctx context.Context, tx pgx.Tx, month months.Month, _ any) error {
			insert := `INSERT INTO figures_month SELECT current_organization(), $1::date, $2, n::text, $3 FROM generate_series(1, $4) n`
			if _, err := tx.Exec(ctx, insert, month.End, "organization", month.Frozen, 1); err != nil {
				return err
			}
			if err := fail(); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, insert, month.End, "site", month.Frozen, perMonth-1)
			return err
		},
	}
}

func TestEveryMonthIsWrittenOnceWhateverIsKilled(t *testing.T) {
	database := postgrestest.New(t, "months", table)
	organizations := []string{"00000000-0000-7000-8000-000000000001", uuid.Must(uuid.NewV7()).String()}
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(context.WithoutCancel(t.Context())) }()

	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(t.Context())) }()

	broken := errors.New("killed in the middle")
	for range 20 { // three processes at a time, each killed in one way or another
		ctx, kill := context.WithTimeout(t.Context(), time.Duration(5+rand.IntN(60))*time.Millisecond)
		var all sync.WaitGroup
		for n := range 3 {
			db := database.Open(t)
			all.Go(func() {
				_, _ = keeper(t, db, organizations, func() error {
					if n == 0 && rand.IntN(4) == 0 {
						return broken
					}
					return nil
				}).WriteMissing(ctx)
			})
		}
		if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "+
			"AND usename LIKE 'ams_%' AND pid <> $1", owner.PgConn().PID()); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		kill()
		var halves int
		if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT FROM figures_month GROUP BY organization_id, month_end
			HAVING count(*) <> $1) half`, perMonth).Scan(&halves); err != nil || halves != 0 {
			t.Fatalf("%v: %d months are there in part", err, halves)
		}
	}
	last := keeper(t, database.Open(t), organizations, func() error { return nil })
	if _, err := last.WriteMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, err := last.WriteMissing(t.Context()); again != 0 || err != nil {
		t.Errorf("with all there, %d months are written, %v", again, err)
	}
	var count, frozen int
	if err := owner.QueryRow(t.Context(), `SELECT count(*),
		count(*) FILTER (WHERE frozen) FROM figures_month`).Scan(&count, &frozen); err != nil {
		t.Fatal(err)
	}
	if count != 2*25*perMonth || frozen != 2*perMonth {
		t.Errorf("%d rows of %d, %d of them frozen, want %d", count, 2*25*perMonth, frozen, 2*perMonth)
	}
}

// A month that is being made while a sandbox is emptied is there before its rows go; it would say afterwards what is no more. While they
// go, none is begun.
func TestMonthsAndEmptyingWaitForEachOther(t *testing.T) {
	database := postgrestest.New(t, "months", table)
	organization := "00000000-0000-7000-8000-000000000001"
	db, emptying := database.Open(t), database.Open(t)
	k := keeper(t, db, []string{organization}, func() error { return nil })
	begun, goOn := make(chan struct{}, 100), make(chan struct{})
	k.Prepare = func(context.Context, months.Month) (any, error) {
		begun <- struct{}{}
		<-goOn
		return nil, nil
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := k.WriteMissing(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-begun
	ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: organization})
	all.Go(func() {
		if err := emptying.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if err := months.BeforeEmptying(ctx, tx); err != nil {
				return err
			}
			var there int
			if err := tx.QueryRow(ctx, "SELECT count(*) FROM figures_month").Scan(&there); err != nil || there != perMonth {
				t.Errorf("%d rows of the month that was being made are there, %v", there, err)
			}
			written, err := k.WriteMissing(t.Context())
			if written != 0 || err != nil || len(begun) > 0 {
				t.Errorf("while the rows go, %d months are written, %v", written, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(t.Context())) }()
	testwait.For(t, 20*time.Second, "the emptying waits for the month", func() bool {
		var waiting int
		err := admin.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'").Scan(&waiting)
		return err == nil && waiting == 1
	})
	close(goOn)
	all.Wait()
}

func TestOneOrganizationDoesNotKeepTheOthersFromTheirMonths(t *testing.T) {
	database := postgrestest.New(t, "months", table)
	organizations := []string{"00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"}
	calls := 0
	written, err := keeper(t, database.Open(t), organizations, func() error {
		if calls++; calls == 1 {
			return errors.New("one that fails")
		}
		return nil
	}).WriteMissing(t.Context())
	if err == nil || written != 25 {
		t.Errorf("%d months are written, %v", written, err)
	}
}
