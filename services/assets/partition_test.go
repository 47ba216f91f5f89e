package assets

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

// organization is an organization whose rows are looked up.
const organization = "018f0000-0000-7000-8000-000000000001"

// split are the tables that grow with the records and their changes.
var split = []string{"asset", "condition_assessment", "outbox"}

// The steps of docs/scale.md towards partitions work: after the script, a database in use serves all its rows as before, and every
// rule of their resources applies.
func TestTablesSplitByOrganizationServeAsBefore(t *testing.T) {
	database := postgrestest.New(t, "assets", migrations)
	client, _ := serveFrom(t, database)
	before := client.Create(t, "/v1/assets", map[string]any{"name": "Pompe", "external_id": "there before"})
	rows := countRows(t, database)

	splitTables(t, database, 4)
	if got := countRows(t, database); got != rows {
		t.Fatalf("rows are %s, they were %s", got, rows)
	}
	same, _ := serveFrom(t, database)
	same.Principal = client.Principal
	if after := same.Must(t, 200, "GET", "/v1/assets/"+before["id"].(string), nil).JSON; after["external_id"] != "there before" ||
		after["asset_tag"] != before["asset_tag"] {
		t.Errorf("the asset is %v, it was %v", after, before)
	}
	assetsConform(t, same)
}

// One organization's rows are in one partition, a statement of the service reads no other, and partitions are accessible only through
// their table.
func TestAStatementVisitsThePartOfItsOrganizationOnly(t *testing.T) {
	database := postgrestest.New(t, "assets", migrations)
	splitTables(t, database, 4)
	ctx := t.Context()
	asService, err := pgx.Connect(ctx, database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer asService.Close(ctx)
	if _, err := asService.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
		t.Fatal(err)
	}
	for _, table := range split {
		rows, err := asService.Query(ctx, "EXPLAIN SELECT * FROM "+table+" WHERE organization_id = '"+organization+"'")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		for _, line := range lines {
			if strings.Contains(line, " on "+table+"_p") && !strings.Contains(line, "Index Scan on "+table+"_p0_") {
				parts++
			}
		}
		if parts != 1 {
			t.Errorf("%s: %d parts are visited:\n%s", table, parts, strings.Join(lines, "\n"))
		}
		if _, err := asService.Exec(ctx, fmt.Sprintf("SELECT FROM %s_p0", table)); err == nil {
			t.Errorf("the service reads %s_p0, which has no policies", table)
		}
	}
}

// What is in partitions by time is not copied into others.
func TestATableInPartitionsIsNotSplitAgain(t *testing.T) {
	database := postgrestest.New(t, "assets", migrations)
	script, err := os.ReadFile("../../docs/operations/partition.sql")
	if err != nil {
		t.Fatal(err)
	}
	as(t, database.OwnerURL, func(ctx context.Context, owner *pgx.Conn) error {
		if _, err := owner.Exec(ctx, string(script)); err != nil {
			return err
		}
		if _, err := owner.Exec(ctx, "SELECT pg_temp.partition_by_organization('history', 4)"); err == nil ||
			!strings.Contains(err.Error(), "history is in partitions already") {
			t.Errorf("it is split: %v", err)
		}
		return nil
	})
}

func splitTables(t *testing.T, database *postgrestest.Database, parts int) {
	t.Helper()
	script, err := os.ReadFile("../../docs/operations/partition.sql")
	if err != nil {
		t.Fatal(err)
	}
	as(t, database.OwnerURL, func(ctx context.Context, owner *pgx.Conn) error {
		if _, err := owner.Exec(ctx, string(script)); err != nil {
			return err
		}
		_, err := owner.Exec(ctx, "SELECT pg_temp.partition_by_organization(name, $2) FROM unnest($1::text[]) name", split, parts)
		return err
	})
}

func countRows(t *testing.T, database *postgrestest.Database) (counted string) {
	t.Helper()
	as(t, database.OwnerURL, func(ctx context.Context, owner *pgx.Conn) error {
		for _, table := range split {
			var rows int
			if err := owner.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&rows); err != nil {
				return err
			}
			counted += fmt.Sprintf("%s %d, ", table, rows)
		}
		return nil
	})
	return counted
}

func as(t *testing.T, url string, do func(context.Context, *pgx.Conn) error) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	if err := do(t.Context(), connection); err != nil {
		t.Fatal(err)
	}
}
