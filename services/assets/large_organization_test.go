package assets

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// A plan that is kept is made for an organization of average size. Here nearly all have one asset, and one has thousands.
func TestWhatAChangeReadsDoesNotGrowWithTheOrganization(t *testing.T) {
	database := postgrestest.New(t, "assets", migrations)
	database.URL = database.Session // a pooler keeps connections open, and what they read is counted when they end
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	exec := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("ALTER DATABASE " + pgx.Identifier{database.Name}.Sanitize() + " SET plan_cache_mode = force_generic_plan")
	var large *resourcetest.Client
	var path string
	served := func(name string, calls func(t *testing.T, client *resourcetest.Client)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			client, _ := serveFrom(t, database)
			if large != nil {
				client.Principal = large.Principal
			}
			calls(t, client)
		})
		// The server has counted what a connection read when that has ended.
		for open := 1; open > 0; time.Sleep(10 * time.Millisecond) {
			if err := admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()
				AND backend_type = 'client backend'`, database.Name).Scan(&open); err != nil {
				t.Fatal(err)
			}
		}
	}
	served("fill", func(t *testing.T, client *resourcetest.Client) {
		for range 200 {
			client.Other().Create(t, "/v1/assets", fields{"name": "Porte", "condition_rating": 2, "replacement_cost": 5})
		}
		large = client.Other()
		for range 5 {
			var data []fields
			for range 1000 {
				data = append(data, fields{"name": "Porte", "condition_rating": 2, "replacement_cost": 5})
			}
			large.Must(t, http.StatusOK, "POST", "/v1/assets/bulk", fields{"data": data})
		}
		path = fmt.Sprint("/v1/assets/", large.Create(t, "/v1/assets", fields{"name": "Pompe"})["id"])
	})
	exec("VACUUM ANALYZE assets.asset")
	exec("VACUUM ANALYZE assets.condition_assessment")

	read := func() (rows int64) {
		t.Helper()
		if err := admin.QueryRow(t.Context(), `SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_user_tables
			WHERE schemaname = 'assets' AND relname IN ('asset', 'condition_assessment')`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	for _, c := range []struct {
		name string
		call func(t *testing.T, client *resourcetest.Client, n int)
	}{
		{"a create that is rated", func(t *testing.T, client *resourcetest.Client, n int) {
			client.Create(t, "/v1/assets", fields{"name": "Porte", "condition_rating": n, "replacement_cost": 5})
		}},
		{"a change of a name", func(t *testing.T, client *resourcetest.Client, n int) {
			client.Must(t, http.StatusOK, "PATCH", path, fields{"name": fmt.Sprint("Pompe ", n)})
		}},
		{"a change of a rating and a cost", func(t *testing.T, client *resourcetest.Client, n int) {
			client.Must(t, http.StatusOK, "PATCH", path, fields{"condition_rating": n, "replacement_cost": 10 + n})
		}},
		{"an assessment", func(t *testing.T, client *resourcetest.Client, n int) {
			client.Create(t, path+"/condition-assessments", fields{"assessed_on": "2024-05-01", "condition_rating": n})
		}},
		{"a bulk call", func(t *testing.T, client *resourcetest.Client, n int) {
			data := []fields{{"external_id": "P1", "name": "Porte", "condition_rating": n},
				{"external_id": "P2", "name": "Porte", "replacement_cost": n}}
			client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update", fields{"data": data})
		}},
	} {
		before := read()
		served(c.name, func(t *testing.T, client *resourcetest.Client) {
			for n := 1; n <= 5; n++ {
				c.call(t, client, n)
			}
		})
		if rows := read() - before; rows > 500 {
			t.Errorf("%s: five of them read %d rows of 5,000", c.name, rows)
		}
	}
}
