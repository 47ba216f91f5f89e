package resource_test

import (
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// questions stands before the database and counts how often it is asked: the times that the service speaks after it
// was answered, however many statements travel together.
func questions(t *testing.T, database string) (throughHere string, asked *atomic.Int64) {
	t.Helper()
	parsed, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked = new(atomic.Int64)
	target := parsed.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				client.Close()
				continue
			}
			var speaking atomic.Bool // the service spoke last
			pump := func(to, from net.Conn, service bool) {
				defer to.Close()
				piece := make([]byte, 64<<10)
				for {
					n, err := from.Read(piece)
					if n > 0 && speaking.Swap(service) != service && service {
						asked.Add(1)
					}
					if _, failed := to.Write(piece[:n]); err != nil || failed != nil {
						return
					}
				}
			}
			go pump(server, client, true)
			go pump(client, server, false)
		}
	}()
	parsed.Host = listener.Addr().String()
	query := parsed.Query()
	query.Set("pool_max_conns", "1")
	parsed.RawQuery = query.Encode()
	return parsed.String(), asked
}

func TestReadingAsksTheDatabaseOnce(t *testing.T) {
	files, err := fs.Sub(migrations, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	address, asked := questions(t, postgrestest.New(t, "library", files).URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, slog.New(slog.NewTextHandler(t.Output(), nil)))
	registry := resource.NewRegistry(api, db, nil)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	client := resourcetest.NewClient(api.Handler(), signer)
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
		{"a filtered page", "/v1/books?state=new&pages_min=5&sort=title", nil, 200, 1},
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
