package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// schema is a small migration in the form of a service's.
var schema = fstest.MapFS{"migrations/0001_site.sql": {Data: []byte(`
-- +goose Up
CREATE TABLE site (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    position        bigint NOT NULL,
    external_id     text COLLATE "C",
    name            text COLLATE "und-x-icu" NOT NULL,
    floors          integer CHECK (floors >= 0),
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('site');
CREATE UNIQUE INDEX site_position ON site (organization_id, position);
CREATE UNIQUE INDEX site_name_key ON site (organization_id, unique_key(name));
CREATE TABLE building (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    site_id         uuid NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT building_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id)
);
SELECT isolate('building');
`)}}

// in gives a context with a principal of an organization.
func in(t testing.TB, organization string) context.Context {
	return principal.Into(t.Context(), principal.Principal{OrganizationID: organization, Currency: "CAD"})
}

func addSite(ctx context.Context, db *postgres.DB, name string) (id string, err error) {
	id = uuid.Must(uuid.NewV7()).String()
	return id, db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO site (organization_id, id, position, name)
			SELECT current_organization(), $1, first_position, $2 FROM reserve_positions('sites', 1)`, id, name)
		return err
	})
}

func countSites(t testing.TB, ctx context.Context, db *postgres.DB) (count int) {
	t.Helper()
	err := db.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT count(*) FROM site").QueryRow(func(row pgx.Row) error { return row.Scan(&count) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func TestAQueryWithoutWhereSeesItsOwnOrganizationOnly(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	ours, theirs := in(t, uuid.NewString()), in(t, uuid.NewString())
	for _, name := range []string{"One", "Two"} {
		if _, err := addSite(ours, db, name); err != nil {
			t.Fatal(err)
		}
	}
	id, err := addSite(theirs, db, "One") // the same name in another organization is free
	if err != nil {
		t.Fatal(err)
	}
	if got := countSites(t, ours, db); got != 2 {
		t.Errorf("our organization sees %d sites, want its 2", got)
	}
	if got := countSites(t, theirs, db); got != 1 {
		t.Errorf("the other organization sees %d sites, want its 1", got)
	}
	err = db.Write(ours, func(ctx context.Context, tx pgx.Tx) error {
		for _, statement := range []string{"UPDATE site SET name = 'taken' WHERE id = $1", "DELETE FROM site WHERE id = $1"} {
			done, err := tx.Exec(ctx, statement, id)
			if err != nil {
				return err
			}
			if done.RowsAffected() != 0 {
				t.Errorf("%s reached a row of another organization", statement)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(ours, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO site (organization_id, id, position, name) VALUES ($1, $2, 9, 'x')", uuid.NewString(),
			uuid.NewString())
		return err
	})
	wantState(t, err, postgres.InsufficientPrivilege)
}

func TestWithoutAnOrganizationNothingIsSeenAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	if _, err := addSite(in(t, uuid.NewString()), db, "One"); err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, pgx.Tx) error { return nil }
	for name, err := range map[string]error{
		"Read":     db.Read(t.Context(), nothing),
		"Write":    db.Write(t.Context(), nothing),
		"Batch":    db.Batch(t.Context(), func(*pgx.Batch) {}),
		"Snapshot": db.Snapshot(t.Context(), func(*pgx.Batch) {}),
	} {
		if !errors.Is(err, postgres.ErrNoOrganization) {
			t.Errorf("%s without a principal: %v, want ErrNoOrganization", name, err)
		}
	}
	var count int
	if err := db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM site").Scan(&count); err != nil || count != 0 {
		t.Errorf("a query without an organization saw %d rows (%v), want none", count, err)
	}
	_, err := db.Pool().Exec(t.Context(), "INSERT INTO site (organization_id, id, position, name) VALUES ($1, $1, 1, 'x')", uuid.NewString())
	wantState(t, err, postgres.InsufficientPrivilege)
}

func TestAServiceRoleStaysInItsSchemaAndUnderRowSecurity(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db := database.Open(t)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	for _, statement := range []string{"CREATE SCHEMA users", "CREATE TABLE users.person (name text)",
		"CREATE TABLE assets.later (organization_id uuid)"} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"SELECT * FROM users.person",
		"ALTER TABLE site DISABLE ROW LEVEL SECURITY",
		"ALTER TABLE site NO FORCE ROW LEVEL SECURITY",
		"DROP POLICY organization_isolation ON site",
		"CREATE POLICY open ON site USING (true)",
		"SET ROLE ams_owner",
		"ALTER ROLE CURRENT_USER BYPASSRLS",
		"CREATE TABLE mine (x int)",
		"CREATE TABLE public.mine (x int)",
		"TRUNCATE site",
		"UPDATE history SET action = 'x'",
		"DELETE FROM history",
		"SELECT isolate('site')",
		"SET row_security = off; SELECT * FROM site",
	} {
		_, err := db.Pool().Exec(t.Context(), statement)
		wantState(t, err, postgres.InsufficientPrivilege)
	}
	if _, err := db.Pool().Exec(t.Context(), "SELECT * FROM later"); err != nil {
		t.Errorf("a table that a later migration makes cannot be read: %v", err)
	}
}

func TestTheOrganizationDoesNotOutliveItsTransaction(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	database.URL += "&pool_max_conns=1" // every transaction gets the same connection
	db := database.Open(t)
	ctx := in(t, uuid.NewString())
	query := func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, "SELECT 1"); return err }
	queue := func(batch *pgx.Batch) { batch.Queue("SELECT 1") }
	broken := func(batch *pgx.Batch) {
		batch.Queue("SELECT 1")
		batch.Queue("SELECT 1/$1::int", 0)
		batch.Queue("SELECT 2")
	}
	for name, run := range map[string]func() error{
		"Read":            func() error { return db.Read(ctx, query) },
		"Write":           func() error { return db.Write(ctx, query) },
		"Batch":           func() error { return db.Batch(ctx, queue) },
		"Snapshot":        func() error { return db.Snapshot(ctx, queue) },
		"failed Batch":    func() error { wantState(t, db.Batch(ctx, broken), postgres.DivisionByZero); return nil },
		"failed Snapshot": func() error { wantState(t, db.Snapshot(ctx, broken), postgres.DivisionByZero); return nil },
	} {
		var before, after uint32
		var organization string
		if err := db.Pool().QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&before); err != nil {
			t.Fatal(err)
		}
		if err := run(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err := db.Pool().QueryRow(t.Context(),
			"SELECT pg_backend_pid(), coalesce(current_setting('ams.organization_id', true), '')").Scan(&after, &organization)
		if err != nil {
			t.Fatal(err)
		}
		if organization != "" {
			t.Errorf("after %s the connection still has organization %s", name, organization)
		}
		if after != before {
			t.Errorf("after %s the connection was closed", name)
		}
	}
}

func wantState(t testing.TB, err error, state string) {
	t.Helper()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != state {
		t.Errorf("got %v, want an error of state %s", err, state)
	}
}

func TestAnAddressThatCannotBeUsedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	if _, err := postgres.Open(t.Context(), "postgres://host:notaport/x"); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Errorf("got %v", err)
	}
}
