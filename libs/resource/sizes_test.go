package resource_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// statement runs a statement as the owner of the schema.
func statement(t *testing.T, database *postgrestest.Database, sql string, args ...any) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	if _, err := connection.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// A caller who reads nothing of an export holds no connection of the service's.
func TestAnExportDoesNotHoldItsTransactionForItsCaller(t *testing.T) {
	client, database := serve(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "one"})
	ids := fill(t, client, 300, func(int) map[string]any { return map[string]any{"title": "x", "shelf_id": shelf["id"]} })
	statement(t, database, `UPDATE book SET custom_fields = jsonb_build_object('text', repeat('x', 100000))`)
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	all := postgrestest.Database{OwnerURL: database.AdminURL} // who sees the transactions of all roles
	for _, path := range []string{"/v1/books", "/v1/books?expand=shelf"} {
		connection, err := net.Dial("tcp", served.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n%s: %s\r\n\r\n", path, principal.Header,
			client.Signer.Sign(client.Principal))
		from := bufio.NewReader(connection)
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		testwait.For(t, 30*time.Second, "the transaction has ended", func() bool {
			return owner(t, &all, `SELECT count(*)::text FROM pg_stat_activity
				WHERE datname = current_database() AND usename = 'ams_library' AND xact_start IS NOT NULL`)[0] == "0"
		})
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		n := 0
		for ; lines.Scan(); n++ {
			if !strings.Contains(lines.Text(), ids[n]) {
				t.Fatalf("%s: line %d is not of %s", path, n, ids[n])
			}
		}
		response.Body.Close()
		connection.Close()
		if n != len(ids) || lines.Err() != nil {
			t.Errorf("%s: %d lines, %v", path, n, lines.Err())
		}
	}
}
