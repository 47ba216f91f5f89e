package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// neighbourhood is a square kilometre of the city that fillSegments builds.
const neighbourhood = "/v1/infrastructure/segments?bbox=-79.40,43.60,-79.3875,43.609"

// segments is how many there are: as many as -rows says, at most 200,000.
func (b *bench) segments() int { return min(b.rows, 200_000) }

// measureSegments measures how the segments in a box are found, against reading them all, and how all of them are exported
// as GeoJSON.
func (b *bench) measureSegments(ctx context.Context) error {
	if err := b.fillSegments(ctx); err != nil {
		return err
	}
	indexed, err := b.sameSQL(ctx, "FROM segment ", neighbourhood, b.readSegment)
	if err != nil {
		return err
	}
	// The same statements when nothing but reading all rows is left to PostgreSQL, by one process as the other is.
	const pipeline = "\\startpipeline\n"
	scanned := strings.Replace(indexed, pipeline, pipeline+
		"SELECT set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true), set_config('enable_bitmapscan', "+
		"'off', true), set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true);\n", 1)
	if scanned == indexed {
		return errors.New("the statements of a box are not in a pipeline")
	}
	cpu := map[string]group{
		"gateway": b.processors()["gateway"], "infrastructure": {pid: b.description.PIDs["infrastructure-1"]},
		"postgres": b.processors()["postgres"],
	}
	const name = "list 25 segments, of a neighbourhood"
	results, err := medians(b.rounds,
		load{name: name, url: b.description.BaseURL, requests: b.keyed(request{method: http.MethodGet, path: neighbourhood}), callers: 1,
			seconds: b.seconds, cpu: cpu}.in(b.folder),
		func() (metrics, error) { return b.pgbench("infrastructure", "pgbench: "+name, indexed, 1) },
		func() (metrics, error) {
			return b.pgbench("infrastructure", "pgbench: "+name+", reading all rows", scanned, 1)
		})
	if err != nil {
		return err
	}
	b.report.add(results...)
	b.report.noFailures(results[0])
	b.report.atLeast(fmt.Sprintf("segments of a neighbourhood among %d ÷ reading all rows", b.segments()),
		results[1].PerSecond/results[2].PerSecond, "times", 100)
	b.logf("a neighbourhood: %.0f a second through the gateway, %.0f of PostgreSQL, %.1f reading all rows", results[0].PerSecond,
		results[1].PerSecond, results[2].PerSecond)
	return b.exportSegments(ctx)
}

// readSegment makes a request as a client does.
func (b *bench) readSegment(ctx context.Context, path string) error {
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	var list struct {
		Pagination struct{ Total int } `json:"pagination"`
	}
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path}, &list); err != nil {
		return err
	}
	if list.Pagination.Total == 0 {
		return fmt.Errorf("%s finds nothing", path)
	}
	return nil
}

// exportSegments streams all segments as GeoJSON and watches the memory of those who stream it.
func (b *bench) exportSegments(ctx context.Context) error {
	service, gateway := b.description.PIDs["infrastructure-1"], b.description.PIDs["gateway-1"]
	if err := errors.Join(resetPeak(service), resetPeak(gateway)); err != nil {
		return err
	}
	before, began := cpuOf(service), time.Now()
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	response, err := client.Open(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/infrastructure/segments", Accept: "application/geo+json",
		Timeout: time.Hour})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	features, mark := 0, []byte(`{"type":"Feature",`)
	var rest []byte
	for piece := make([]byte, 1<<20); ; {
		n, err := response.Body.Read(piece)
		rest = append(rest, piece[:n]...)
		features += bytes.Count(rest, mark)
		rest = append(rest[:0], rest[max(0, len(rest)-len(mark)+1):]...) // a mark may end in the next piece
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	elapsed := time.Since(began).Seconds()
	if features != b.segments() {
		return fmt.Errorf("the GeoJSON export has %d features of %d", features, b.segments())
	}
	b.report.add(metrics{Name: fmt.Sprintf("GeoJSON export, features of %d", features), Callers: 1, Requests: features,
		PerSecond: float64(features) / elapsed,
		CPU:       map[string]float64{"infrastructure": float64((cpuOf(service) - before).Microseconds()) / float64(features)}})
	b.report.atMost("memory of the service during the GeoJSON export", memory(service, "VmHWM"), "MB", 100)
	b.report.atMost("memory of the gateway during the GeoJSON export", memory(gateway, "VmHWM"), "MB", 100)
	b.logf("GeoJSON: %d segments in %.1f s", features, elapsed)
	return nil
}

// fillSegments builds a city: a grid of streets over half a degree, each segment a line of eight positions a hundred metres
// long, written as the bulk endpoint would leave them.
func (b *bench) fillSegments(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	if _, err := db.Exec(ctx, "SET search_path = infrastructure; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
		return err
	}
	held := 0
	if err := db.QueryRow(ctx, "SELECT count(*) FROM segment WHERE organization_id = $1", b.Organization).Scan(&held); err != nil ||
		held == b.segments() {
		return err // a reused folder has them already
	}
	b.logf("Writing %d segments", b.segments())
	const by = `'{"type":"service","id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","name":"bench"}'`
	var network string
	if err := db.QueryRow(ctx, `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('networks', 1))
		INSERT INTO network (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, asset_class)
		SELECT $1::uuid, gen_random_uuid(), first_position, at, at, `+by+`, `+by+`, 'Streets', 'road'
			FROM stamp RETURNING id::text`, b.Organization).Scan(&network); err != nil {
		return fmt.Errorf("writing the network to measure with: %w", err)
	}
	if _, err := db.Exec(ctx, `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('segments', $3::int))
		INSERT INTO segment (organization_id, id, position, created_at, updated_at, created_by, updated_by, network_id, name, segment_code,
			status, geometry, bbox, length_m, measured_length_m, length_computed, lanes, install_year, expected_useful_life_years, replacement_cost,
			condition_rating)
		SELECT $1::uuid, gen_random_uuid(), first_position + i, at, at, `+by+`, `+by+`, $2::uuid, 'Rue ' || i, 'S-' || i, 'in_service',
			('{"type":"LineString","coordinates":[' || line.positions || ']}')::json, jsonb_build_array(p.x, p.y, p.x + p.dx * 7, p.y + p.dy * 7),
			100, 100, true, 2, 1950 + i % 70, 40, 100000, 1 + i % 5
		FROM stamp, generate_series(0, $3::int - 1) i,
			LATERAL (SELECT round(-79.64 + i % side.n * (0.5 / side.n), 6) AS x, round(43.45 + i / side.n * (0.4 / side.n), 6) AS y,
				CASE i % 2 WHEN 0 THEN 0.0002 ELSE 0 END AS dx, CASE i % 2 WHEN 1 THEN 0.000125 ELSE 0 END AS dy
				FROM (SELECT ceil(sqrt($3::int))::int AS n) side) p,
			LATERAL (SELECT string_agg('[' || p.x + s * p.dx || ',' || p.y + s * p.dy || ']', ',') AS positions FROM generate_series(0, 7) s) line`,
		b.Organization, network, b.segments()); err != nil {
		return fmt.Errorf("writing the segments to measure with: %w", err)
	}
	for table, collection := range map[string]string{"network": "networks", "segment": "segments"} {
		if _, err := db.Exec(ctx, `INSERT INTO ledger (organization_id, collection, block, live)
			SELECT organization_id, $2, position / 1024, count(*) FROM `+table+` WHERE organization_id = $1 GROUP BY 1, 3`, b.Organization,
			collection); err != nil {
			return fmt.Errorf("writing the ledger: %w", err)
		}
	}
	_, err = db.Exec(ctx, "VACUUM (ANALYZE) segment, network, ledger")
	return err
}
