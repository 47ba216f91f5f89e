package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// TestTheOrganizationIsAnArgument asks the server which statements it was given: each that names the organization of its transaction has it
// as an argument, behind its own, however it was sent. It goes past a pooler, through which none is prepared by name.
func TestTheOrganizationIsAnArgument(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL = database.Session
	db := database.OpenSingle(t)
	organization := uuid.NewString()
	ctx := in(t, organization)
	if _, err := addSite(ctx, db, "École"); err != nil {
		t.Fatal(err)
	}
	count := func(way string) string {
		return "SELECT count(*) FROM site WHERE organization_id = current_organization() AND name <> $1 " +
			"AND current_organization() IS NOT NULL -- " + way
	}
	var counts [5]int
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, count("row"), "other").Scan(&counts[0]); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, count("exec"), "other"); err != nil {
			return err
		}
		later := &pgx.Batch{}
		later.Queue(count("later"), "other")
		if err := postgres.Later(ctx, tx, later); err != nil {
			return err
		}
		if err := postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, count("savepoint"), "other").Scan(&counts[1])
		}); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(count("sent"), "other").QueryRow(func(row pgx.Row) error { return row.Scan(&counts[2]) })
		return tx.SendBatch(ctx, batch).Close()
	}); err != nil {
		t.Fatal(err)
	}
	for i, send := range []func(context.Context, func(*pgx.Batch)) error{
		func(ctx context.Context, fill func(*pgx.Batch)) error { return db.Batch(ctx, fill) }, db.Snapshot,
	} {
		if err := send(ctx, func(batch *pgx.Batch) {
			batch.Queue(count([]string{"batch", "snapshot"}[i]), "other").QueryRow(func(row pgx.Row) error { return row.Scan(&counts[3+i]) })
		}); err != nil {
			t.Fatal(err)
		}
	}
	if counts != [5]int{1, 1, 1, 1, 1} {
		t.Errorf("the rows of the organization, by each way: %v, want one", counts)
	}
	for _, way := range []string{"row", "exec", "later", "savepoint", "sent", "batch", "snapshot"} {
		var types string
		const want = "SELECT count(*) FROM site WHERE organization_id = $2::uuid AND name <> $1 AND $2::uuid IS NOT NULL -- "
		if err := db.Pool().QueryRow(t.Context(), "SELECT parameter_types::text FROM pg_prepared_statements WHERE statement = $1", want+way).
			Scan(&types); err != nil || types != "{text,uuid}" {
			t.Errorf("%s: the server has no such statement with the argument: %q, %v", way, types, err)
		}
	}
}

// TestNothingElseBecomesAnArgument: what does not name the organization is sent as it is, also in one text with other statements,
// which can have no arguments.
func TestNothingElseBecomesAnArgument(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).OpenSingle(t)
	organization := uuid.NewString()
	var got string
	if err := db.Read(in(t, organization), func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL ams.test = 'a'; SELECT current_organization()"); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT current_setting('ams.test')").Scan(&got)
	}); err != nil || got != "a" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestOnlyTheFunctionBecomesAnArgument: a text, a quoted name, a comment and a longer name that have the same letters stay as they are.
func TestOnlyTheFunctionBecomesAnArgument(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT current_organization()":                                          "SELECT $3::uuid",
		"current_organization()":                                                 "$3::uuid",
		"SELECT current_organization(), current_organization()::text":            "SELECT $3::uuid, $3::uuid::text",
		"SELECT 'lock '||current_organization()||' of '||current_organization()": "SELECT 'lock '||$3::uuid||' of '||$3::uuid",
		"SELECT 'current_organization()', current_organization()":                "SELECT 'current_organization()', $3::uuid",
		"SELECT 'it''s current_organization()', current_organization()":          "SELECT 'it''s current_organization()', $3::uuid",
		`SELECT current_organization() AS "current_organization()"`:              `SELECT $3::uuid AS "current_organization()"`,
		"SELECT 1 -- the caller's\nWHERE a = current_organization()":             "SELECT 1 -- the caller's\nWHERE a = $3::uuid",
		"SELECT current_organization() -- current_organization()":                "SELECT $3::uuid -- current_organization()",
		"SELECT /* it's current_organization() */ current_organization()":        "SELECT /* it's current_organization() */ $3::uuid",
		"SELECT former_current_organization(), assets.current_organization()":    "",
		"SELECT 'current_organization()'":                                        "",
		"SELECT $1, $2":                                                          "",
		"SELECT 'open current_organization()":                                    "",
		"":                                                                       "",
	} {
		got, bound := postgres.WithArgument(sql, "$3::uuid")
		if bound != (want != "") || bound && got != want || !bound && got != sql {
			t.Errorf("%s: got %s, %v", sql, got, bound)
		}
	}
}

// TestAStatementHasOneTextForAllOrganizations: prepared statements are found by it. It is made once, and what is kept has an end.
func TestAStatementHasOneTextForAllOrganizations(t *testing.T) {
	t.Parallel()
	texts := postgres.Texts{}
	args := make([]any, 1, 2)
	args[0] = "a"
	for _, organization := range []string{"first", "second"} {
		sql, all := texts.Bind("SELECT current_organization(), $1", args, organization)
		if sql != "SELECT $2::uuid, $1" || len(all) != 2 || all[1] != organization {
			t.Errorf("got %s with %v", sql, all)
		}
	}
	if spare := args[:2][1]; spare != nil {
		t.Errorf("the caller's arguments have got another behind them: %v", spare)
	}
	if sql, all := texts.Bind("SELECT current_organization()", nil, "first"); sql != "SELECT $1::uuid" || len(all) != 1 {
		t.Errorf("got %s with %v", sql, all)
	}
	for n := range 3 * postgres.MostTexts {
		texts.Bind(fmt.Sprintf("SELECT %d, current_organization()", n), nil, "first")
		if len(texts) > postgres.MostTexts {
			t.Fatalf("%d texts are kept", len(texts))
		}
	}
}

// TestTheArgumentIsNoWayAroundTheSetting: rows are those of the transaction's setting, whatever the argument says.
func TestTheArgumentIsNoWayAroundTheSetting(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ours, theirs := in(t, uuid.NewString()), in(t, uuid.NewString())
	for _, ctx := range []context.Context{ours, theirs} {
		if _, err := addSite(ctx, db, "École"); err != nil {
			t.Fatal(err)
		}
	}
	const sql = "SELECT count(*) FROM site WHERE organization_id = current_organization()"
	var mine, set, reset int
	if err := db.Write(ours, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, sql).Scan(&mine); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SELECT set_config('ams.organization_id', $1, true)", uuid.NewString()); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, sql).Scan(&set); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SELECT set_config('ams.organization_id', '', true)"); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sql).Scan(&reset)
	}); err != nil {
		t.Fatal(err)
	}
	if mine != 1 || set != 0 || reset != 0 {
		t.Errorf("%d rows with the setting, %d with another's, %d without: want 1, 0, 0", mine, set, reset)
	}
}

// BenchmarkTheOrganizationAsAnArgument measures what it takes to put it there, and a read of one row with the
// function and with the argument.
func BenchmarkTheOrganizationAsAnArgument(b *testing.B) {
	const condition = "organization_id = current_organization() AND id = $1"
	for name, sql := range map[string]string{
		"a statement without it":  "SELECT name FROM site WHERE organization_id = $2 AND id = $1",
		"a statement":             "SELECT name FROM site WHERE " + condition,
		"a statement of 25 kB":    "SELECT name FROM site WHERE " + condition + strings.Repeat(" OR "+condition, 440),
		"a new statement of 2 kB": "SELECT name FROM site WHERE " + condition + strings.Repeat(" OR "+condition, 36),
	} {
		b.Run(name, func(b *testing.B) {
			texts, args, organization := postgres.Texts{}, []any{"a"}, any("an organization")
			b.ReportAllocs()
			for b.Loop() {
				if strings.Contains(name, "new") {
					clear(texts)
				}
				texts.Bind(sql, args, organization)
			}
		})
	}
	db := postgrestest.New(b, "assets", schema).OpenSingle(b)
	ctx := in(b, uuid.NewString())
	id, err := addSite(ctx, db, "École")
	if err != nil {
		b.Fatal(err)
	}
	for name, sql := range map[string]string{
		"a row by the function": "SELECT name FROM site WHERE organization_id = current_organization () AND id = $1", // with a blank it stays
		"a row by the argument": "SELECT name FROM site WHERE organization_id = current_organization() AND id = $1",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := db.Batch(ctx, func(batch *pgx.Batch) {
					batch.Queue(sql, id).QueryRow(func(row pgx.Row) error { return row.Scan(new(string)) })
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
