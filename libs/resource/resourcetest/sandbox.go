package resourcetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// Sandbox gives a client of the sandbox of the client's organization.
func (c *Client) Sandbox() *Client {
	sandbox := *c
	sandbox.Principal.OrganizationID = principal.SandboxOf(c.Principal.OrganizationID)
	return sandbox.join()
}

// Empty empties the client's sandbox as the gateway does, and gives how many rows were deleted, apart from those that went with others.
func (c *Client) Empty(t testing.TB) (deleted int) {
	t.Helper()
	gateway := *c
	gateway.Principal.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	for done := false; !done; {
		response := gateway.Must(t, 200, "POST", "/internal/empty", map[string]any{}).JSON
		deleted += int(response["deleted"].(float64))
		done = response["done"].(bool)
	}
	return deleted
}

// Rows counts the rows of each table that keeps organizations apart: table → organization → rows.
func Rows(t testing.TB, database *postgrestest.Database) map[string]map[string]int {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	found, err := conn.Query(ctx, `SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relrowsecurity AND NOT c.relispartition`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	rows := map[string]map[string]int{}
	for _, table := range tables {
		rows[table] = map[string]int{}
		var organization string
		var count int
		found, err := conn.Query(ctx, `SELECT organization_id::text, count(*) FROM `+table+` GROUP BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pgx.ForEachRow(found, []any{&organization, &count}, func() error {
			rows[table][organization] = count
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}
