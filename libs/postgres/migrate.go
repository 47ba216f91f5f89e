package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var baseMigrations embed.FS

// migrateConnectTimeout is how long a busy server may take to let a migration in: no caller waits for it.
const migrateConnectTimeout = 15 * time.Second

// Migrate brings schema up to date as the owning role: first the base migrations of every service's schema (recorded in the
// table migration_base), then the service's own (recorded in migration). service holds *.sql files in its root or in a folder
// "migrations"; nil is fine. Last come the indexes of a file indexes.sql beside them, while others write. Several processes may
// migrate at once; one does the work. Each migration that ran is written to out, one line each. A schema that is
// newer than the program's migrations is refused.
//
// A migration waits two seconds for a lock, as everybody queues behind it, and is tried again for a minute; out gets whom it waits for.
// Backfills (files backfill_*.sql) are begun, and DB.Backfill of the service's processes carries them out; a contracting file that
// needs one waits for a later run. What was not carried out is in the table migration_pending.
func Migrate(ctx context.Context, ownerURL, schema string, service fs.FS, out io.Writer) error {
	if err := migrate(ctx, ownerURL, schema, "migration_base", BaseMigrations(), out); err != nil {
		return err
	}
	if service == nil {
		return nil
	}
	if info, err := fs.Stat(service, "migrations"); err == nil && info.IsDir() {
		if service, err = fs.Sub(service, "migrations"); err != nil {
			return fmt.Errorf("postgres: read the migrations of %s: %w", schema, err)
		}
	}
	return migrate(ctx, ownerURL, schema, "migration", service, out)
}

// BaseMigrations are the files that every schema starts from.
func BaseMigrations() fs.FS {
	base, err := fs.Sub(baseMigrations, "migrations")
	if err != nil { // the path is a constant
		panic(err)
	}
	return base
}

func migrate(ctx context.Context, ownerURL, schema, table string, migrations fs.FS, out io.Writer) error {
	config, err := sessionConfig(ownerURL)
	if err != nil {
		return fmt.Errorf("postgres: the owner's database address cannot be used: %w", err)
	}
	config.ConnectTimeout = migrateConnectTimeout
	config.RuntimeParams["search_path"] = searchPath(schema)
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(migrateLockTimeout.Milliseconds(), 10)
	config.RuntimeParams["application_name"] = "ams_migrate_" + schema
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()

	// One lock per schema, tried once a second: schemas that are migrated at the same time must not wait for each other.
	name := fnv.New32a()
	name.Write([]byte(schema))
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(int64(name.Sum32())), lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("postgres: migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations,
		goose.WithTableName(table), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("postgres: read the migrations of %s: %w", schema, err)
	}
	waits := lockWaits{db, config.RuntimeParams["application_name"], schema, out}
	run := &migration{db: db, provider: provider, files: migrations, schema: schema, table: table, waits: waits, out: out}
	err = run.up(ctx)
	if err == nil {
		err = refuseNewer(ctx, db, schema, table, provider.ListSources())
	}
	if err == nil {
		err = keepFromService(ctx, db, schema, table)
	}
	if err == nil {
		err = waits.retry(ctx, func() error { return makeIndexes(ctx, db, locker, schema, migrations, out) })
	}
	if err == nil {
		err = run.beginBackfills(ctx, "")
	}
	err = errors.Join(err, run.recordPending(context.WithoutCancel(ctx), err))
	if err != nil {
		return fmt.Errorf("postgres: migrate %s: %w", schema, err)
	}
	return nil
}

// refuseNewer refuses a schema with a migration that this version does not know: it was made by a later one, and what else that changed is
// not known here. The version before a migration may go on serving on it, and be gone back to without migrating.
func refuseNewer(ctx context.Context, db *sql.DB, schema, table string, known []*goose.Source) error {
	var latest int64
	for _, source := range known {
		latest = max(latest, source.Version)
	}
	var newest int64
	if err := db.QueryRowContext(ctx,
		"SELECT coalesce(max(version_id), 0) FROM "+pgx.Identifier{schema, table}.Sanitize()+" WHERE is_applied").Scan(&newest); err != nil {
		return err
	}
	if newest > latest {
		return fmt.Errorf("the schema is newer than this program: it has migration %d (%s), and this version ends with %d. "+
			"To go back by one version, start the programs of that version without migrating; the schema stays as it is", newest, table, latest)
	}
	return nil
}

// keepFromService takes the right to write the record of migrations from the service's role, which has it to all tables that the owner
// makes. It may go on reading it.
func keepFromService(ctx context.Context, db *sql.DB, schema, table string) error {
	role, record := pgx.Identifier{Role(schema)}.Sanitize(), pgx.Identifier{schema, table}.Sanitize()
	var writes bool
	if err := db.QueryRowContext(ctx, "SELECT coalesce((SELECT has_table_privilege(oid, $2::regclass, 'INSERT, UPDATE, DELETE, TRUNCATE') "+
		"FROM pg_roles WHERE rolname = $1), false)", Role(schema), record).Scan(&writes); err != nil || !writes {
		return err
	}
	_, err := db.ExecContext(ctx, "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON "+record+" FROM "+role)
	return err
}

// searchPath puts temporary objects last, so that none can hide a table of ours.
func searchPath(schema string) string { return pgx.Identifier{schema}.Sanitize() + ", pg_temp" }
