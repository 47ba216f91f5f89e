package postgres_test

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

func TestMigratingTwiceDoesNothing(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	var out bytes.Buffer
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", schema, &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Errorf("the second run said %q", out.String())
	}
	more := fstest.MapFS{"migrations/0001_site.sql": schema["migrations/0001_site.sql"],
		"migrations/0002_more.sql": {Data: []byte("-- +goose Up\nCREATE TABLE more (x int);")}}
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", more, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "0002_more.sql") {
		t.Errorf("a new migration was not named: %q", out.String())
	}
}

func TestASchemaThatIsNewerThanTheProgramIsRefused(t *testing.T) {
	t.Parallel()
	later := fstest.MapFS{"0001_site.sql": {Data: []byte("-- +goose Up\nCREATE TABLE site (x int);")},
		"0002_later.sql": {Data: []byte("-- +goose Up\nCREATE TABLE later (x int);")}}
	database := postgrestest.New(t, "assets", later)
	earlier := fstest.MapFS{"0001_site.sql": later["0001_site.sql"]}
	err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", earlier, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(),
		"migrate assets: the schema is newer than this program: it has migration 2 (migration), and this version ends with 1") {
		t.Errorf("got %v", err)
	}
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", later, &bytes.Buffer{}); err != nil {
		t.Errorf("the later version: %v", err)
	}
}

// A service that is taken over cannot make the next release believe that a migration has run.
func TestAServiceCannotWriteWhichMigrationsHaveRun(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	db := database.Open(t)
	for _, table := range []string{"migration_base", "migration"} {
		var version int
		if err := db.Pool().QueryRow(t.Context(), "SELECT max(version_id) FROM "+table).Scan(&version); err != nil || version == 0 {
			t.Errorf("%s cannot be read: %d, %v", table, version, err)
		}
		for _, statement := range []string{"INSERT INTO " + table + " (version_id, is_applied) VALUES (99, true)",
			"UPDATE " + table + " SET version_id = 99", "DELETE FROM " + table, "TRUNCATE " + table} {
			if _, err := db.Pool().Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %v, want that it is denied", statement, err)
			}
		}
	}
}

func TestAMigrationThatFailsIsNamedAndUndone(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", nil)
	broken := fstest.MapFS{"0001_half.sql": {Data: []byte("-- +goose Up\nCREATE TABLE half (x int);\nSELECT 1/0;")}}
	err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", broken, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "0001_half.sql") {
		t.Errorf("got %v, want the file's name", err)
	}
	if _, err := database.Open(t).Pool().Exec(t.Context(), "SELECT * FROM half"); err == nil {
		t.Error("half a migration is left")
	}
}

// TestBootstrapByAnAdministratorWhoIsNoSuperuser: managed databases give no superuser.
func TestBootstrapByAnAdministratorWhoIsNoSuperuser(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", nil)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	made := strings.Replace(database.Name, "test_", "test_made_", 1)
	t.Cleanup(func() {
		admin, err := pgx.Connect(context.Background(), database.AdminURL)
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close(context.Background())
		for _, statement := range []string{"DROP DATABASE IF EXISTS " + made + " WITH (FORCE)", "DROP OWNED BY made_admin",
			"DROP ROLE made_admin"} {
			if _, err := admin.Exec(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
	if _, err := admin.Exec(t.Context(), "CREATE ROLE made_admin LOGIN CREATEROLE CREATEDB PASSWORD 'made'"); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	address.User, address.Path = url.UserPassword("made_admin", "made"), "/postgres"
	// Passwords as postgrestest gives them: roles belong to the whole server.
	password, _ := mustParse(t, database.URL).User.Password()
	setup := postgres.Setup{Database: made, OwnerPassword: password,
		Services: map[string]string{"assets": password, "bootstrapped": "it's a \\ \"password\""}}
	for range 2 { // again, and nothing changes
		if err := postgres.Bootstrap(t.Context(), address.String(), setup); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // the role of this test only; its database goes first (cleanups run last in, first out)
		admin, err := pgx.Connect(context.Background(), database.AdminURL)
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close(context.Background())
		for _, statement := range []string{"DROP DATABASE IF EXISTS " + made + " WITH (FORCE)", "DROP ROLE ams_bootstrapped"} {
			if _, err := admin.Exec(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
	var limited bool // a program that takes ever more connections leaves some to the others
	if err := admin.QueryRow(t.Context(), `SELECT rolconnlimit BETWEEN 1 AND current_setting('max_connections')::int - 1 FROM pg_roles
		WHERE rolname = 'ams_bootstrapped'`).Scan(&limited); err != nil || !limited {
		t.Errorf("a role may take all connections: %v", err)
	}
	owner := mustParse(t, database.OwnerURL)
	owner.Path = "/" + made
	for service := range setup.Services {
		if err := postgres.Migrate(t.Context(), owner.String(), service, nil, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	address.User, address.Path = url.UserPassword("ams_bootstrapped", setup.Services["bootstrapped"]), "/"+made
	db, err := postgres.Open(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Pool().Exec(t.Context(), "SELECT * FROM ledger"); err != nil {
		t.Errorf("the service cannot read its own schema: %v", err)
	}
	_, err = db.Pool().Exec(t.Context(), "SELECT * FROM assets.ledger")
	wantState(t, err, postgres.InsufficientPrivilege)
	var powers int
	err = db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM pg_roles r WHERE r.rolname = current_user
		AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb
			OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) OR pg_has_role(r.oid, 'ams_owner', 'MEMBER'))`).Scan(&powers)
	if err != nil || powers != 0 {
		t.Errorf("the service's role has powers it must not have (%v)", err)
	}
}

func mustParse(t testing.TB, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
