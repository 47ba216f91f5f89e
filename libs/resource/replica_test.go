package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

func TestStreamsAndReportsMayBeReadFromAStandbyAndListsNeverAre(t *testing.T) {
	pair := postgrestest.NewPair(t, "library", library(t))
	db := pair.Open(t, pair.URL("&replica_hosts="+pair.Standby.Address, pair.Primary))
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := newRegistry(api, db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	type where struct {
		Standby bool `json:"standby"`
	}
	for path, declared := range map[string]bool{"/v1/report": true, "/v1/figure": false} {
		transport.Get(api, transport.Operation{Path: path, FromReplica: declared, ID: "get_" + path[4:], Scope: "books:read",
			Summary: "Say where it is read"}, func(ctx context.Context, _ struct{}) (found where, err error) {
			err = db.Snapshot(ctx, func(batch *pgx.Batch) {
				batch.Queue("SELECT pg_is_in_recovery()").QueryRow(func(row pgx.Row) error { return row.Scan(&found.Standby) })
			})
			return found, err
		})
	}
	client := resourcetest.NewClient(api.Handler(), signer)
	atStandby := func(path string) bool {
		return client.Must(t, http.StatusOK, http.MethodGet, path, nil).JSON["standby"] == true
	}
	if !atStandby("/v1/report") || atStandby("/v1/figure") {
		t.Error("an operation that says FromReplica is not read from the standby, or one that does not is")
	}

	read := func() int64 { return scans(t, pair.Standby) }
	exported := func() int {
		answer := client.Must(t, http.StatusOK, http.MethodGet, "/v1/shelves", nil, "Accept", "application/x-ndjson")
		return strings.Count(string(answer.Body), "\n")
	}
	for i := range 3 {
		client.Create(t, "/v1/shelves", map[string]any{"name": fmt.Sprint("Shelf ", i)})
		if got := exported(); got != i+1 {
			t.Fatalf("right after create %d the export has %d", i+1, got)
		}
	}
	testwait.For(t, 20*time.Second, "the standby has read shelves", func() bool { return read() > 0 })
	before := read()
	if rows, _ := client.List(t, "/v1/shelves"); len(rows) != 3 {
		t.Errorf("the list has %d", len(rows))
	}
	time.Sleep(1500 * time.Millisecond) // the server counts with a delay of a second at most
	if after := read(); after != before {
		t.Errorf("a list was read from the standby: %d scans, and %d before", after, before)
	}

	pair.Standby.Exec(t, "SELECT pg_wal_replay_pause()")
	client.Create(t, "/v1/shelves", map[string]any{"name": "Shelf 3"})
	if got := exported(); got != 4 {
		t.Errorf("while the standby does not replay, the export has %d", got)
	}
	if atStandby("/v1/report") {
		t.Error("while the standby does not replay, the report is read from it")
	}
	pair.Standby.Kill(t)
	if got := exported(); got != 4 {
		t.Errorf("while the standby is away, the export has %d", got)
	}
}

// scans is how often a server has read the table of shelves.
func scans(t testing.TB, n *postgrestest.Node) (count int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), n.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // nothing is owed to anybody
	if err := conn.QueryRow(t.Context(),
		"SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'shelf'").Scan(&count); err != nil {
		t.Fatal(err)
	}
	return count
}
