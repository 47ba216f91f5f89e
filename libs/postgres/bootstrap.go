package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Owner is the role that owns every schema and runs migrations. Services never connect as it.
const Owner = "ams_owner"

// bootstrapLock is held while roles are created: roles belong to the whole server, and two runs at once would conflict.
const bootstrapLock = 0x616d73 // "ams"

// Setup is the database and the roles that Bootstrap makes.
type Setup struct {
	Database      string            // name of the database, "ams"
	OwnerPassword string            // of the role ams_owner
	Services      map[string]string // service name (also its schema; its role is "ams_" + name) → password
}

// changeAttempts are how often a statement is tried that meets another's change of the same role, and changePause is the time between two.
const (
	changeAttempts = 50
	changePause    = 20 * time.Millisecond
)

// Role is the login role of a service.
func Role(service string) string { return "ams_" + service }

// Bootstrap creates what is missing: the database, the owning role, and for each service a schema and a login role that owns
// nothing, cannot bypass row-level security, sees its own schema only, has the settings that services rely on and three quarters of the
// server's connections at most. It may be run again at any time, and sets passwords and settings each time. adminURL is a superuser, or a
// role with CREATEROLE and CREATEDB; its database is used for the first connection only.
func Bootstrap(ctx context.Context, adminURL string, setup Setup) error {
	config, err := sessionConfig(adminURL)
	if err != nil {
		return fmt.Errorf("postgres: the administrator's database address cannot be used: %w", err)
	}
	// Of several hosts a standby may be asked first; one that does not know a role or the database yet would end the search for the primary.
	config.RuntimeParams["synchronous_commit"] = "remote_apply"
	if err := onServer(ctx, config, setup); err != nil {
		return fmt.Errorf("postgres: make roles and database: %w", err)
	}
	inside := config.Copy()
	inside.Database = setup.Database
	if err := inDatabase(ctx, inside, setup); err != nil {
		return fmt.Errorf("postgres: make schemas in %s: %w", setup.Database, err)
	}
	return nil
}

// onServer makes the roles and the database.
func onServer(ctx context.Context, config *pgx.ConnConfig, setup Setup) error {
	return withConnection(ctx, config, func(run *script) {
		run.exec("SELECT pg_advisory_lock($1)", bootstrapLock) // released when the connection ends
		run.role(Owner, setup.OwnerPassword)
		for _, service := range slices.Sorted(maps.Keys(setup.Services)) {
			run.role(Role(service), setup.Services[service])
			run.format("ALTER ROLE %I SET search_path = %I, pg_temp", Role(service), service)
			run.settings(Role(service))
			// A program that takes ever more connections leaves a quarter to the others.
			limit := run.queryText("SELECT (current_setting('max_connections')::int * 3 / 4)::text")
			run.format("ALTER ROLE %I CONNECTION LIMIT "+limit, Role(service))
		}
		// Whoever moves an organization copies rows as they are, without triggers. Only a superuser may allow that.
		if run.queryBool("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") {
			run.format("GRANT SET ON PARAMETER session_replication_role TO %I", Owner)
			run.format("GRANT pg_read_all_stats TO %I", Owner) // migrations report whom they wait for
		}
		// A role that is no superuser must be a member of the owner to give it a database and to act as it.
		if !run.queryBool("SELECT pg_has_role(current_user, $1, 'MEMBER')", Owner) {
			run.format("GRANT %I TO CURRENT_USER", Owner)
		}
		if !run.queryBool("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", setup.Database) {
			// A column that people sort by names its ICU collation. All other text compares bytes, which is fastest.
			run.format("CREATE DATABASE %I OWNER %I ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8' TEMPLATE template0", setup.Database, Owner)
		}
	})
}

// inDatabase creates the schemas and grants the roles their rights there, as the owner.
func inDatabase(ctx context.Context, config *pgx.ConnConfig, setup Setup) error {
	return withConnection(ctx, config, func(run *script) {
		run.exec("SELECT pg_advisory_lock($1)", bootstrapLock)
		// Large objects are of no organization: no policy keeps them apart. Only a superuser may take them away.
		if run.queryBool("SELECT rolsuper AND has_function_privilege('public', 'lo_creat(integer)', 'EXECUTE') FROM pg_roles WHERE rolname " +
			"= current_user") {
			run.exec("REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_open(oid, integer), " +
				"lo_put(oid, bigint, bytea), lo_get(oid), lo_get(oid, bigint, integer), lo_unlink(oid) FROM PUBLIC")
		}
		run.format("SET ROLE %I", Owner)
		run.format("REVOKE ALL ON DATABASE %I FROM PUBLIC", setup.Database)
		run.exec("REVOKE ALL ON SCHEMA public FROM PUBLIC")
		for _, service := range slices.Sorted(maps.Keys(setup.Services)) {
			run.format("GRANT CONNECT ON DATABASE %I TO %I", setup.Database, Role(service))
			run.format("CREATE SCHEMA IF NOT EXISTS %I", service)
			run.format("GRANT USAGE ON SCHEMA %I TO %I", service, Role(service))
			run.format("ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I", service, Role(service))
			run.format("ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE, SELECT ON SEQUENCES TO %I", service, Role(service))
		}
	})
}

// script runs statements until the first error, and keeps it.
type script struct {
	ctx  context.Context
	conn *pgx.Conn
	err  error
}

func withConnection(ctx context.Context, config *pgx.ConnConfig, fn func(*script)) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	run := &script{ctx: ctx, conn: conn}
	fn(run)
	return run.err
}

// role creates a login role with nothing but its password, or resets an existing one to that.
func (s *script) role(name, password string) {
	if !s.queryBool("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name) {
		s.format("CREATE ROLE %I LOGIN NOCREATEDB NOCREATEROLE INHERIT PASSWORD %L", name, password)
	} else {
		s.format("ALTER ROLE %I LOGIN NOCREATEDB NOCREATEROLE PASSWORD %L", name, password)
	}
	// Only a superuser may remove these attributes, and only a superuser could have set them.
	if s.queryBool("SELECT rolsuper OR rolbypassrls OR rolreplication FROM pg_roles WHERE rolname = $1", name) {
		s.format("ALTER ROLE %I NOSUPERUSER NOBYPASSRLS NOREPLICATION", name)
	}
}

// settings gives a role the defaults of roleSettings, all in one transaction.
func (s *script) settings(role string) {
	var statement strings.Builder
	args := []any{role}
	for _, name := range slices.Sorted(maps.Keys(roleSettings)) {
		args = append(args, roleSettings[name])
		fmt.Fprintf(&statement, "ALTER ROLE %%1$I SET %s = %%%d$L; ", name, len(args))
	}
	s.format(statement.String(), args...)
}

func (s *script) exec(statement string, args ...any) {
	if s.err == nil {
		_, s.err = s.conn.Exec(s.ctx, statement, args...)
	}
}

// queryBool gives the boolean that a query returns.
func (s *script) queryBool(query string, args ...any) (result bool) {
	if s.err == nil {
		s.err = s.conn.QueryRow(s.ctx, query, args...).Scan(&result)
	}
	return result
}

// queryText gives the text that a query returns.
func (s *script) queryText(query string) (result string) {
	if s.err == nil {
		s.err = s.conn.QueryRow(s.ctx, query).Scan(&result)
	}
	return result
}

// change runs a statement, again where another session has changed the same role meanwhile. The lock of a script holds in the
// administrator's database only, and roles are those of the whole server.
func (s *script) change(statement string) (err error) {
	for range changeAttempts {
		var refused *pgconn.PgError
		if _, err = s.conn.Exec(s.ctx, statement); !errors.As(err, &refused) || refused.Message != "tuple concurrently updated" {
			return err
		}
		time.Sleep(changePause)
	}
	return err
}

// format runs a statement whose %I and %L the server quotes: utility statements take no arguments.
func (s *script) format(statement string, args ...any) {
	if s.err != nil {
		return
	}
	placeholders, texts := "", make([]any, len(args))
	for i := range args {
		placeholders += fmt.Sprintf(", $%d::text", i+2)
		texts[i] = args[i]
	}
	var quoted string
	if s.err = s.conn.QueryRow(s.ctx, "SELECT format($1"+placeholders+")", append([]any{statement}, texts...)...).Scan(&quoted); s.err == nil {
		s.err = s.change(quoted)
	}
	if s.err != nil {
		s.err = fmt.Errorf("%s: %w", statement, s.err) // without the arguments: one may be a password
	}
}
