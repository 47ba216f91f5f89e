package main

import (
	"os"
	"os/exec"
	"strings"
	"net/http"
	"runtime"
	"net/http/httptest"
	"testing"
	"time"

	"ams.internal/libs/principal"
	"github.com/jackc/pgx/v5"
)

type sink struct{ h http.Header; n int }
func (s *sink) Header() http.Header { return s.h }
func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }
func (s *sink) WriteHeader(int) {}

func TestZZ(t *testing.T) {
	w := serve(t)
	network := newNetwork(t, w.Client, "road")
	owner, err := pgx.Connect(t.Context(), w.database.OwnerURL)
	if err != nil { t.Fatal(err) }
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), "SET statement_timeout=0"); err != nil { t.Fatal(err) }
	began := time.Now()
	_, err = owner.Exec(t.Context(), `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('segments', $3::int))
		INSERT INTO segment (organization_id, id, position, created_at, updated_at, created_by, updated_by, network_id, name, segment_code, status, geometry, bbox, length_m, length_computed, lanes, install_year, condition_rating)
		SELECT $1::uuid, gen_random_uuid(), first_position + i, at, at, '{"type":"service","id":"bench","name":"bench"}', '{"type":"service","id":"bench","name":"bench"}',
			$2::uuid, 'Rue ' || i, 'S-' || i, 'in_service', ('{"type":"LineString","coordinates":[' || line.positions || ']}')::json,
			jsonb_build_array(g.lon, g.lat, g.lon + g.dx * 7, g.lat + g.dy * 7), 100, true, 2, 1950 + i % 70, 1 + i % 5
		FROM stamp, generate_series(0, $3::int - 1) i,
			LATERAL (SELECT round(-79.64 + i % 500 * 0.001, 6) AS lon, round(43.50 + i / 500 * 0.000875, 6) AS lat, CASE i % 2 WHEN 0 THEN 0.0002 ELSE 0 END AS dx, CASE i % 2 WHEN 1 THEN 0.000125 ELSE 0 END AS dy) g,
			LATERAL (SELECT string_agg('[' || g.lon + s * g.dx || ',' || g.lat + s * g.dy || ']', ',') AS positions FROM generate_series(0, 7) s) line`, w.Principal.OrganizationID, network, 200000)
	if err != nil { t.Fatal(err) }
	t.Log("fill", time.Since(began))
	for _, q := range []string{"VACUUM (ANALYZE) segment"} {
		if _, err := owner.Exec(t.Context(), q); err != nil { t.Fatal(err) }
	}
	db, err := pgx.Connect(t.Context(), w.database.URL)
	if err != nil { t.Fatal(err) }
	defer db.Close(t.Context())
	db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", w.Principal.OrganizationID)



	for _, sql := range []string{"SELECT " + networks.Derived["segment_count"] + ", " + networks.Derived["length_km"]+ ", " + networks.Derived["lane_km"]+ ", " + networks.Derived["replacement_cost"] + " FROM network t WHERE t.organization_id = current_organization()"} {
		db.Exec(t.Context(), "SET jit=off")
		rows, err := db.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS) "+sql, pgx.QueryExecModeExec)
		if err != nil { t.Fatal(err) }
		lines, _ := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, l := range lines { t.Log(l) }
	}
	strings.Contains("", ""); os.Environ(); exec.Command(""); 
	s := time.Now()
	w.Must(t, 200, "GET", "/v1/infrastructure/networks", nil)
	t.Log("networks", time.Since(s))
	s = time.Now()
	w.summary(t, network, "")
	t.Log("summary", time.Since(s))
	r := httptest.NewRequest("GET", "/v1/infrastructure/segments", nil)
	r.Header.Set("Accept", "application/geo+json")
	r.Header.Set(principal.Header, w.Signer.Sign(w.Principal))
	out := &sink{h: http.Header{}}
	var before, after runtime.MemStats
	runtime.GC(); runtime.ReadMemStats(&before)
	s = time.Now()
	w.Handler.ServeHTTP(out, r)
	runtime.ReadMemStats(&after)
	t.Log("export", time.Since(s), out.n, "bytes; heap in use", after.HeapInuse>>20, "sys", after.Sys>>20, "allocated", (after.TotalAlloc-before.TotalAlloc)>>20)
}
