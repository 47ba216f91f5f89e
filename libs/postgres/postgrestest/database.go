// Package postgrestest gives every test a database of its own on a real server.
//
// The server is the one that AMS_TEST_DATABASE_URL names (a superuser or a role with CREATEROLE and CREATEDB; its roles
// ams_* get test passwords, so it must be a server for tests), else a private one that the first test starts
// and that stops by itself a minute after the last. A test that cannot have a database fails; it never skips. AMS_TEST_CITUS_URL names the
// coordinator of a Citus cluster in the place of it ("make verify-citus").
package postgrestest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// password is that of every role on the test server.
const password = "postgrestest"

// templateLock is held while a template is made, so that packages tested in parallel make it once.
const templateLock = 0x616d7374

// Database is one test's own database, migrated, and dropped when the test ends.
type Database struct {
	Name     string
	URL      string // as the service's role, which sees what a service sees; of a pooler with AMS_TEST_POOLER
	Session  string // the same past the pooler, for tests that hold a session
	OwnerURL string // as the owning role, which sees every organization
	AdminURL string // as the server's administrator, for tests that end connections
}

// New makes a database with the service's schema, migrated: libs' base migrations first, then those given (nil is fine).
func New(t testing.TB, schema string, migrations fs.FS) *Database {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	name := "test_" + schema + "_" + strings.ToLower(rand.Text()[:12])
	admin := os.Getenv("AMS_TEST_CITUS_URL")
	if admin != "" {
		t.Cleanup(func() { dropOn(t, admin, name) })
		if err := onCitus(ctx, t, admin, name, schema, migrations); err != nil {
			t.Fatalf("postgrestest: make a distributed database: %v", err)
		}
	} else {
		admin = copied(ctx, t, name, schema, migrations)
	}
	owner, err := postgres.WithSchema(address(admin, name, postgres.Owner), schema)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	direct := record(t, schema, address(admin, name, postgres.Role(schema)))
	database := &Database{Name: name, URL: direct, Session: direct, OwnerURL: owner, AdminURL: address(admin, name, "")}
	if os.Getenv("AMS_TEST_POOLER") != "" {
		// What is left over: how long somebody waits, on a machine that runs other tests, and how many connections the tests of turns need.
		database.URL = StartPooler(t, direct, "query_wait_timeout = 60", "default_pool_size = 50", "max_db_connections = 0").URL
	}
	return database
}

// copied copies a template, and gives the administrator's address of its server.
func copied(ctx context.Context, t testing.TB, name, schema string, migrations fs.FS) (admin string) {
	t.Helper()
	admin, err := server(ctx)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	template, err := template(ctx, admin, schema, migrations)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	// Copying files takes a third of what writing every page to the log does, which is what the server does unless told.
	err = as(ctx, admin, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s STRATEGY file_copy",
			quoted(name), quoted(postgres.Owner), quoted(template)))
		return err
	})
	if err != nil {
		t.Fatalf("postgrestest: make a database from %s: %v", template, err)
	}
	drops.Lock()
	drops.inUse++
	drops.Unlock()
	t.Cleanup(func() { dropLater(t, admin, name) })
	return admin
}

var drops struct {
	sync.Mutex
	inUse   int // databases of tests that run
	started []<-chan error
}

// dropLater drops a database whose test has ended, while others run: a DROP waits for a checkpoint. The last of them waits for all, so
// that a process leaves nothing behind.
func dropLater(t testing.TB, admin, name string) {
	dropped := make(chan error, 1)
	go func() { dropped <- drop(admin, name) }()
	drops.Lock()
	defer drops.Unlock()
	drops.inUse--
	drops.started = append(drops.started, dropped)
	if drops.inUse > 0 {
		return
	}
	for _, dropped := range drops.started {
		if err := <-dropped; err != nil {
			t.Errorf("postgrestest: %v", err)
		}
	}
	drops.started = nil
}

// dropOn drops a database when its test has ended.
func dropOn(t testing.TB, admin, name string) {
	if err := drop(admin, name); err != nil {
		t.Errorf("postgrestest: %v", err)
	}
}

func drop(admin, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := as(ctx, admin, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", quoted(name)))
		return err
	})
	if err != nil {
		return fmt.Errorf("drop %s: %w", name, err)
	}
	return nil
}

// Open opens the database as its service does, and closes it when the test ends.
func (d *Database) Open(t testing.TB) *postgres.DB {
	t.Helper()
	return open(t, d.URL)
}

// OpenSingle opens the database with one connection: whoever holds it while waiting for somebody else keeps all others out.
func (d *Database) OpenSingle(t testing.TB) *postgres.DB {
	t.Helper()
	single, err := url.Parse(d.URL)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	query := single.Query()
	query.Set("pool_max_conns", "1")
	single.RawQuery = query.Encode()
	return open(t, single.String())
}

func open(t testing.TB, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	t.Cleanup(db.Close)
	return db
}

var templates sync.Map // key of a template → its name, of those known to exist

// template gives the name of a migrated database to copy. The name has a fingerprint of the migrations, so a changed migration
// makes a new template. A template is renamed last: one that exists is complete.
func template(ctx context.Context, admin, schema string, migrations fs.FS) (string, error) {
	fingerprint, err := fingerprint(schema, migrations)
	if err != nil {
		return "", err
	}
	name := "template_" + schema + "_" + fingerprint
	if _, known := templates.Load(name); known {
		return name, nil
	}
	err = as(ctx, admin, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
			return err
		}
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
			return err
		}
		building := "making_" + strings.ToLower(rand.Text()[:12])
		if err := postgres.Bootstrap(ctx, admin, postgres.Setup{
			Database: building, OwnerPassword: password, Services: map[string]string{schema: password},
		}); err != nil {
			return err
		}
		if err := postgres.Migrate(ctx, address(admin, building, postgres.Owner), schema, migrations, io.Discard); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", quoted(building), quoted(name)))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make the template of %s: %w", schema, err)
	}
	templates.Store(name, true)
	return name, nil
}

// made says how Bootstrap and Migrate make a schema, beside what the files say. It is raised when that changes: tests of other checkouts,
// such as those of the last release, use the same server.
const made = 7

// fingerprint is a hash of the schema's name, of its migrations, and of how they are put into a database.
func fingerprint(schema string, migrations fs.FS) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, made, schema)
	for _, files := range []fs.FS{postgres.BaseMigrations(), migrations} {
		if files == nil {
			continue
		}
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".sql") {
				return err
			}
			content, err := fs.ReadFile(files, path)
			fmt.Fprintln(hash, path, len(content))
			hash.Write(content)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read the migrations of %s: %w", schema, err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// as runs fn on a new connection to address.
func as(ctx context.Context, address string, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return fn(conn)
}

// onHost is admin's address with another server.
func onHost(admin, host string, port int) string {
	parsed, err := url.Parse(admin)
	if err != nil { // admin was connected to: it parses
		panic(err)
	}
	parsed.Host = net.JoinHostPort(host, strconv.Itoa(port))
	return parsed.String()
}

// address is admin's with another database and, unless role is empty, another role.
func address(admin, database, role string) string {
	parsed, err := url.Parse(admin)
	if err != nil { // admin was connected to: it parses
		panic(err)
	}
	parsed.Path = "/" + database
	if role != "" {
		parsed.User = url.UserPassword(role, password)
	}
	return parsed.String()
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
