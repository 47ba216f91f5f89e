package postgres_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// raised is a statement that fails with a message and without the fields that PostgreSQL adds: so Citus passes on what a shard has said.
func raised(condition, message string) string {
	return "DO $$ BEGIN RAISE " + condition + " USING MESSAGE = '" + message + "'; END $$"
}

func TestABrokenConstraintIsReportedWithItsFieldAndValue(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	site, err := addSite(ctx, db, "École")
	if err != nil {
		t.Fatal(err)
	}
	unknown := uuid.NewString()
	building := uuid.NewString()
	write(t, ctx, db, "INSERT INTO building (organization_id, id, site_id) VALUES (current_organization(), $1, $2)", building, site)

	const insert = "INSERT INTO site (organization_id, id, position, name, floors) VALUES (current_organization(), $1, 99, $2, $3)"
	describe := func(constraint string) (string, any) {
		return map[string]string{"site_name_key": "name", "building_site_id_fkey": "site_id"}[constraint],
			map[string]any{"site_name_key": " ÉCOLE ", "building_site_id_fkey": unknown}[constraint]
	}
	for _, test := range []struct {
		name      string
		statement string
		args      []any
		describe  func(string) (string, any)
		want      fault.Error
	}{
		{"a taken value, trimmed and in another case", insert, []any{uuid.New(), " ÉCOLE ", 1}, describe,
			fault.Error{Kind: fault.KindConflict, Code: "already_exists", Field: "name", Value: " ÉCOLE "}},
		{"a taken value in another Unicode form", insert, []any{uuid.New(), "E\u0301cole", 1}, describe,
			fault.Error{Kind: fault.KindConflict, Code: "already_exists", Field: "name", Value: " ÉCOLE "}},
		{"a duplicate value that is not described", insert, []any{uuid.New(), "école", 1}, nil,
			fault.Error{Kind: fault.KindConflict, Code: "already_exists", Field: "name"}},
		{"a reference to nothing", "INSERT INTO building (organization_id, id, site_id) VALUES (current_organization(), $1, $2)",
			[]any{uuid.New(), unknown}, describe,
			fault.Error{Kind: fault.KindNotFound, Code: "reference_not_found",
				Fields: []fault.Field{{Field: "site_id", Message: `there is no record "` + unknown + `" in this organization`, Missing: true}}}},
		{"a row that others refer to", "DELETE FROM site WHERE id = $1", []any{site}, describe,
			fault.Error{Kind: fault.KindConflict, Code: "in_use", Field: "site_id", Value: unknown}},
		{"a value that a check refuses", insert, []any{uuid.New(), "Two", -1}, nil,
			fault.Error{Kind: fault.KindInvalid, Code: "invalid_request",
				Fields: []fault.Field{{Field: "floors", Message: "is not an allowed value"}}}},
		{"a missing value", insert, []any{uuid.New(), nil, 1}, nil,
			fault.Error{Kind: fault.KindInvalid, Code: "invalid_request", Fields: []fault.Field{{Field: "name", Message: "must be given"}}}},
		{"a taken value, named in the message of a shard only",
			raised("unique_violation", `duplicate key value violates unique constraint "site_name_key_102008"`),
			nil, describe, fault.Error{Kind: fault.KindConflict, Code: "already_exists", Field: "name", Value: " ÉCOLE "}},
		{"a reference to nothing, in the message of a shard", raised("foreign_key_violation",
			`insert or update on table "building_102040" violates foreign key constraint "building_site_id_fkey_102040"`), nil, describe,
			fault.Error{Kind: fault.KindNotFound, Code: "reference_not_found",
				Fields: []fault.Field{{Field: "site_id", Message: `there is no record "` + unknown + `" in this organization`, Missing: true}}}},
		{"a row that others refer to, in the message of a shard", raised("foreign_key_violation",
			`update or delete on table "site_102008" violates foreign key constraint "building_site_id_fkey_102040" on table "building_102040"`),
			nil, describe, fault.Error{Kind: fault.KindConflict, Code: "in_use", Field: "site_id", Value: unknown}},
		{"a missing value, in the message of a shard", raised("not_null_violation",
			`null value in column "name" of relation "site_102008" violates not-null constraint`), nil, nil,
			fault.Error{Kind: fault.KindInvalid, Code: "invalid_request", Fields: []fault.Field{{Field: "name", Message: "must be given"}}}},
		{"text with NUL", insert, []any{uuid.New(), "a\x00b", 1}, nil, fault.Error{Kind: fault.KindInvalid, Code: "invalid_value"}},
		{"a number that does not fit", "SELECT ($1::text || '0')::int", []any{"2147483647"}, nil,
			fault.Error{Kind: fault.KindInvalid, Code: "invalid_value"}},
		{"a lock that another request holds for long", "DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$", nil, nil,
			fault.Error{Kind: fault.KindRateLimited, Code: "too_many_in_flight"}},
		{"a deadlock", "DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$", nil, nil,
			fault.Error{Kind: fault.KindUnavailable, Code: "database_unavailable"}},
		{"a missing table", "SELECT FROM no_such_table", nil, nil, fault.Error{Kind: fault.KindInternal, Code: "internal"}},
		{"a full disk", "DO $$ BEGIN RAISE SQLSTATE '53100'; END $$", nil, nil,
			fault.Error{Kind: fault.KindUnavailable, Code: "database_unavailable"}},
		{"too many connections", "DO $$ BEGIN RAISE SQLSTATE '53300'; END $$", nil, nil,
			fault.Error{Kind: fault.KindUnavailable, Code: "database_unavailable"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, test.statement, test.args...)
				return err
			})
			var got *fault.Error
			if !errors.As(postgres.Fault(err, test.describe), &got) {
				t.Fatalf("got %v, which is no fault", err)
			}
			shown := fault.Error{Kind: got.Kind, Code: got.Code, Field: got.Field, Value: got.Value, Fields: got.Fields}
			if !reflect.DeepEqual(shown, test.want) {
				t.Errorf("got %+v\nwant %+v", shown, test.want)
			}
			if lasts := strings.Contains(got.Message, "does not pass by itself"); lasts != (test.name == "a missing table" ||
				test.name == "a full disk") || lasts && got.RetryAfter == time.Second {
				t.Errorf("%s, and Retry-After of %v", got.Message, got.RetryAfter)
			}
			if got.Message == "" || got.Unwrap() == nil {
				t.Error("the fault has no sentence for the caller or no cause for the log")
			}
		})
	}
}

func TestAStatementThatRunsTooLongIsUnavailable(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	err := db.Read(in(t, uuid.NewString()), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '50ms'; SELECT pg_sleep(5)")
		return err
	})
	wantUnavailable(t, err)
}

// A statement whose caller has no time left is ended by the database, and the connection is used again.
func TestAStatementEndsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ctx := in(t, uuid.NewString())
	process := func() (pid int) {
		if err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid)
		}); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	before := process()
	for _, left := range []time.Duration{50 * time.Millisecond, -time.Minute} {
		begin := time.Now()
		err := db.Read(postgres.By(ctx, begin.Add(left)), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT pg_sleep(60)")
			return err
		})
		wantUnavailable(t, err)
		if took := time.Since(begin); took > 9*time.Second {
			t.Errorf("with %s left it took %s", left, took)
		}
	}
	if after := process(); after != before {
		t.Errorf("the connection was closed: %d is now %d", before, after)
	}
	if err := db.Read(postgres.By(ctx, time.Now().Add(time.Hour)), func(ctx context.Context, tx pgx.Tx) error {
		var limit string
		if err := tx.QueryRow(ctx, "SHOW statement_timeout").Scan(&limit); err != nil || limit != "10s" {
			t.Errorf("with an hour left: %s, %v", limit, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotTheDatabaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	mine, known := errors.New("mine"), fault.NotFound("site", "1")
	if got := postgres.Fault(mine, nil); !errors.Is(got, mine) {
		t.Errorf("got %v", got)
	}
	if got := postgres.Fault(known, nil); !errors.Is(got, known) {
		t.Errorf("got %v", got)
	}
	if got := postgres.Fault(nil, nil); got != nil {
		t.Errorf("got %v", got)
	}
}

func write(t testing.TB, ctx context.Context, db *postgres.DB, statement string, args ...any) {
	t.Helper()
	err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func wantUnavailable(t testing.TB, err error) {
	t.Helper()
	var got *fault.Error
	if !errors.As(err, &got) || got.Kind != fault.KindUnavailable || got.RetryAfter <= 0 {
		t.Errorf("got %v, want a 503 that says when to try again", err)
	}
}
