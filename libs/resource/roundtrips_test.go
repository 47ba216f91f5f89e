package resource_test

import (
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// serveCounted is a service of books and shelves, and how often it asks its database.
func serveCounted(t *testing.T) (*resourcetest.Client, *atomic.Int64) {
	files, err := fs.Sub(migrations, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	address, asked := postgrestest.CountRoundTrips(t, postgrestest.New(t, "library", files).URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, slog.New(slog.NewTextHandler(t.Output(), nil)))
	registry := newRegistry(api, db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	return resourcetest.NewClient(api.Handler(), signer), asked
}

func TestWritingAsksTheDatabaseSeldom(t *testing.T) {
	client, asked := serveCounted(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "A"})["id"]
	path := "/v1/books/" + client.Create(t, "/v1/books", map[string]any{"title": "a"})["id"].(string)
	rows := map[string]any{"data": []any{map[string]any{"title": "a"}, map[string]any{"title": "b"}}}
	for _, c := range []struct {
		name, method, path string
		body               map[string]any
		status             int
		want               int64
	}{
		{"a create: the row with its number; history, event and commit", "POST", "/v1/books", map[string]any{"title": "b"}, 201, 2},
		{"a create with a reference: it is looked up", "POST", "/v1/books", map[string]any{"title": "c", "shelf_id": shelf}, 201, 3},
		{"a bulk call", "POST", "/v1/books/bulk", rows, 200, 2},
		{"a change: read with a lock, written, committed", "PATCH", path, map[string]any{"title": "d"}, 200, 3},
		{"a change to what it is", "PATCH", path, map[string]any{"title": "d"}, 200, 2},
		{"a create with a custom field", "POST", "/v1/books", bookWith("e", map[string]any{"floor": 1}), 201, 2},
		{"a create with a declared custom field", "POST", "/v1/books", bookWith("e", map[string]any{"room": 1}), 201, 2},
		{"a bulk call with declared custom fields", "POST", "/v1/books/bulk", rowsWith(map[string]any{"room": 1}), 200, 2},
	} {
		if strings.Contains(c.name, "declared") {
			client.Must(t, 200, "PUT", "/v1/books/custom-fields?key=room", map[string]any{"type": "number", "required": true})
		}
		for range 3 { // the first time, statements are prepared
			asked.Store(0)
			client.Must(t, c.status, c.method, c.path, c.body)
			if c.name[:8] == "a change" && c.want == 3 {
				c.body = map[string]any{"title": c.body["title"].(string) + "d"}
			}
		}
		if got := asked.Load(); got != c.want {
			t.Errorf("%s: the database is asked %d times, want %d", c.name, got, c.want)
		}
	}
}

// rowsWith is the body of a bulk call with two books that have these custom fields.
func rowsWith(customFields map[string]any) map[string]any {
	return map[string]any{"data": []any{bookWith("a", customFields), bookWith("b", customFields)}}
}

func TestReadingAsksTheDatabaseOnce(t *testing.T) {
	client, asked := serveCounted(t)
	book := client.Create(t, "/v1/books", makeBook(t, client, 1))
	client.Create(t, "/v1/books", makeBook(t, client, 2))
	path := "/v1/books/" + book["id"].(string)
	for _, c := range []struct {
		name, path string
		header     []string
		status     int
		want       int64
	}{
		{"a record", path, nil, 200, 1},
		{"a record that has not changed", path, []string{"If-None-Match", `"1"`}, 304, 1},
		{"a record with what it refers to", path + "?expand=shelf", nil, 200, 2},
		{"a first page with its total", "/v1/books", nil, 200, 1},
		{"a later page", "/v1/books?page=2&per_page=1&sort=-created_at", nil, 200, 1},
		{"a page behind the last", "/v1/books?page=7", nil, 200, 2},
		{"a filtered page", "/v1/books?weight_min=0.1&class=D&sort=title", nil, 200, 1},
		{"a page filtered by fields of few values", "/v1/books?state=new&pages_min=5&sort=title", nil, 200, 3}, // facets, rows, commit
		{"a record's history", path + "/history", nil, 200, 1},
		{"a query that is refused", "/v1/books?page=0", nil, 400, 0},
	} {
		for range 2 { // the first time, statements are prepared
			asked.Store(0)
			client.Must(t, c.status, "GET", c.path, nil, c.header...)
		}
		if got := asked.Load(); got != c.want {
			t.Errorf("%s: the database is asked %d times, want %d", c.name, got, c.want)
		}
	}
}
