package postgrestest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// onCitus makes a database on every node of the Citus cluster whose coordinator admin names, migrates it and distributes it: a cluster
// has no templates to copy. The nodes take the same user and password, and are those of the database that admin names. "make
// verify-citus" asks for it.
func onCitus(ctx context.Context, t testing.TB, admin, name, schema string, migrations fs.FS) error {
	_, here, _, _ := runtime.Caller(0)
	script, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../../docs/operations/distribute.sql"))
	if err != nil {
		return err
	}
	workers, err := workers(ctx, admin)
	if err != nil {
		return fmt.Errorf("the workers of AMS_TEST_CITUS_URL: %w", err)
	}
	roles := map[string]string{schema: password}
	for _, node := range workers {
		if err := as(ctx, node.address, func(conn *pgx.Conn) error {
			return each(ctx, conn, "SET citus.enable_create_database_propagation = off",
				"CREATE DATABASE "+quoted(name)+" ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8' TEMPLATE template0")
		}); err != nil {
			return err
		}
		t.Cleanup(func() { dropOn(t, node.address, name) })
		if err := as(ctx, address(node.address, name, ""),
			func(conn *pgx.Conn) error { return each(ctx, conn, "CREATE EXTENSION citus") }); err != nil {
			return err
		}
	}
	if err := postgres.Bootstrap(ctx, admin, postgres.Setup{Database: name, OwnerPassword: password, Services: roles}); err != nil {
		return err
	}
	if err := as(ctx, address(admin, name, ""), func(conn *pgx.Conn) error {
		statements := []string{"CREATE EXTENSION citus"}
		for _, node := range workers {
			statements = append(statements, fmt.Sprintf("SELECT citus_add_node('%s', %d)", node.host, node.port))
		}
		for _, role := range []string{postgres.Owner, postgres.Role(schema)} {
			statements = append(statements, fmt.Sprintf("INSERT INTO pg_dist_authinfo VALUES (0, '%s', 'password=%s')", role, password))
		}
		return each(ctx, conn, statements...)
	}); err != nil {
		return err
	}
	owner, err := postgres.WithSchema(address(admin, name, postgres.Owner), schema)
	if err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, owner, schema, migrations, io.Discard); err != nil {
		return err
	}
	return as(ctx, owner, func(conn *pgx.Conn) error { return each(ctx, conn, "BEGIN", string(script), "COMMIT") })
}

type worker struct {
	host    string
	port    int
	address string // of the same database as the coordinator's
}

// workers reads where the cluster has its workers; none is a cluster of one node.
func workers(ctx context.Context, admin string) (found []worker, err error) {
	err = as(ctx, admin, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' AND groupid <> 0 ORDER BY 1, 2")
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w worker, err error) {
			return w, row.Scan(&w.host, &w.port)
		})
		return err
	})
	for i := range found {
		found[i].address = onHost(admin, found[i].host, found[i].port)
	}
	return found, err
}

func each(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%.80s: %w", statement, err)
		}
	}
	return nil
}
