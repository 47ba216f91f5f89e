package postgres_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// TestTheOrganizationIsAnArgument asks the server which statements it was given: each that names the organization of its transaction has it as
// an argument, behind its own, however it was sent.
func TestTheOrganizationIsAnArgument(t *testing.T) {
	db := postgrestest.New(t, "assets", schema).OpenSingle(t)
	organization := uuid.NewString()
	ctx := in(t, organization)
	if _, err := addSite(ctx, db, "École"); err != nil {
		t.Fatal(err)
	}
	count := func(way string) string {
		return "SELECT count(*) FROM site WHERE organization_id = current_organization() AND name <> $1 AND current_organization() IS NOT NULL -- " + way
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

// TestNothingElseBecomesAnArgument: what does not name the organization is sent as it is, also in one text with other statements, which can have
// no arguments.
func TestNothingElseBecomesAnArgument(t *testing.T) {
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
