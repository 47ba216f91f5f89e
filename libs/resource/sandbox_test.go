package resource_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// Emptying a sandbox deletes every row of it and none of anybody else's, whatever the records have left behind: history, events,
// counted values, words, declared fields, kept answers. What is written afterwards begins anew.
func TestASandboxIsEmptiedAndNobodyElse(t *testing.T) {
	client, database := serve(t)
	sandbox, other := client.Sandbox(), client.Other().Sandbox()
	everybody := []*resourcetest.Client{client, client.Other(), sandbox, other}
	for _, each := range everybody {
		fill(t, each, 30, func(i int) map[string]any {
			return row{"title": fmt.Sprintf("Livre %02d", i), "genre": "novel", "custom_fields": row{"lot": float64(i)}}
		})
		each.Declare(t, "/v1/books/custom-fields?key=lot", "number")
		each.Create(t, "/v1/shelves", row{"name": "Oak"})
		each.Must(t, 201, "POST", "/v1/shelves", row{"name": "Pine"}, "Idempotency-Key", "once")
		rebuild(t, each)
	}
	before := resourcetest.Rows(t, database)
	for _, table := range []string{"book", "shelf", "history", "outbox", "facet", "term_run", "term_block", "custom_field", "custom_value",
		"ledger", "counter", "idempotency"} {
		if before[table][sandbox.Principal.OrganizationID] == 0 {
			t.Errorf("the test has nothing in %s", table)
		}
	}

	// Calls side by side, as of two gateways, delete what one would.
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() { sandbox.Empty(t) })
	}
	callers.Wait()
	after := resourcetest.Rows(t, database)
	for table, rows := range after {
		if n := rows[sandbox.Principal.OrganizationID]; n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
		delete(before[table], sandbox.Principal.OrganizationID)
		if !maps.Equal(before[table], rows) {
			t.Errorf("%s had %v of the others, and has %v", table, before[table], rows)
		}
	}
	if n := sandbox.Empty(t); n != 0 {
		t.Errorf("%d rows were left for another call", n)
	}

	if data, pagination := sandbox.List(t, "/v1/books"); len(data) != 0 || pagination["total"] != 0.0 {
		t.Errorf("the list has %v of %v", data, pagination)
	}
	sandbox.Create(t, "/v1/books", row{"title": "Livre 01"})
	if data, pagination := sandbox.List(t, "/v1/books?q=livre"); len(data) != 1 || pagination["total"] != 1.0 {
		t.Errorf("after that, a list finds %v of %v", data, pagination)
	}
	if _, pagination := client.List(t, "/v1/books?q=livre"); pagination["total"] != 30.0 {
		t.Errorf("a list of the organization itself finds %v", pagination)
	}
}

func TestOnlyServicesEmptyAndOnlySandboxes(t *testing.T) {
	client, database := serve(t)
	client.Create(t, "/v1/shelves", row{"name": "Oak"})
	asGateway(client).Must(t, 403, "POST", "/internal/empty", row{})
	client.Sandbox().Must(t, 403, "POST", "/internal/empty", row{})

	// The database holds it too, whatever a program says.
	db := database.Open(t)
	for organization, want := range map[string]bool{client.Principal.OrganizationID: false, client.Sandbox().Principal.OrganizationID: true} {
		ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: organization})
		err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT empty_sandbox(1000, '{}')`)
			return err
		})
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "is no sandbox") {
			t.Errorf("%s: %v", organization, err)
		}
		var known bool
		if err := db.Pool().QueryRow(t.Context(), `SELECT is_sandbox($1)`, organization).Scan(&known); err != nil || known != want ||
			principal.IsSandbox(organization) != want {
			t.Errorf("%s: a sandbox, says the database: %v, %v", organization, known, err)
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `SELECT empty_sandbox(1000, '{}')`); err == nil {
		t.Error("something was emptied without an organization")
	}
	if _, pagination := client.List(t, "/v1/shelves"); pagination["total"] != 1.0 {
		t.Errorf("the organization has %v", pagination)
	}
}
