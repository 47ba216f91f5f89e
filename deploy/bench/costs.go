package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// cost is what one unit of work uses of one thing: the inputs of docs/scale.md, by the names that they have there.
type cost struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

const (
	// whole is a record with what a city fills in of one.
	whole = `{"name":"Pompe de circulation nº 12","external_id":null,` +
		`"serial_number":"SN-120845","category":"hvac","uniformat_code":"D3020","status":"in_service",` +
		`"location":"Salle mécanique 2","manufacturer":"Armstrong","model":"4380","install_date":"2011-08-15","expected_useful_life_years":25,` +
		`"replacement_cost":48500.00,"deferred_maintenance_cost":3200.00,"acquisition_cost":36200.00,"acquisition_date":"2011-07-01",` +
		`"condition_rating":3,` + `"consequence_of_failure":4,"tags":["gaz"]}`
	// bulkCalls is how many calls of bulkRows each of the two bulk measures makes in a round.
	bulkCalls = 10
)

// measureCosts measures what one unit of each kind of work uses: processor time of each program, write-ahead log, bytes that stay.
// The time is taken until its events have been published, less what the idle stack uses meanwhile.
func (b *bench) measureCosts(ctx context.Context) error {
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	m := &meter{b: b, db: db}
	if err := m.takeIdle(ctx); err != nil {
		return err
	}
	if err := b.costsOfRequests(ctx, m); err != nil {
		return err
	}
	if err := b.costsOfChanges(ctx, m); err != nil {
		return err
	}
	if err := b.costsOfRows(ctx, m); err != nil {
		return err
	}
	return b.costsOfLimits(ctx)
}

func (b *bench) costsOfRequests(ctx context.Context, m *meter) error {
	for _, r := range []struct{ name, path string }{{"get", "/v1/assets/" + b.Asset}, {"list", "/v1/assets?building_id=" + b.building(ctx)}} {
		client := ams.NewClient(b.description.BaseURL, b.Keys[0])
		response, err := client.Open(ctx, ams.Request{Method: http.MethodGet, Path: r.path})
		if err != nil {
			return err
		}
		size, err := io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return err
		}
		used, err := m.spend(ctx, func() (int, error) { return b.send(r.name, 16, b.keyed(request{method: http.MethodGet, path: r.path})) })
		if err != nil {
			return err
		}
		b.report.costs(r.name, used.cpu, "gateway", "assets", "postgres", "redis")
		b.report.cost(r.name+"_answer", float64(size), "bytes")
	}
	return nil
}

// costsOfChanges measures single changes, and bulk calls without and with an endpoint that takes each event: the difference is
// what a delivery costs.
func (b *bench) costsOfChanges(ctx context.Context, m *meter) error {
	created, err := m.spend(ctx, func() (int, error) {
		return b.send("create", 8, b.keyed(request{method: http.MethodPost, path: "/v1/assets", body: whole}))
	})
	if err != nil {
		return err
	}
	b.report.costs("create", created.cpu, "gateway", "assets", "webhooks", "postgres", "redis")
	b.report.cost("create_wal", created.wal, "bytes")
	patches, err := b.patches(ctx, m.db)
	if err != nil {
		return err
	}
	patched, err := m.spend(ctx, func() (int, error) { return b.send("patch", 8, patches) })
	if err != nil {
		return err
	}
	b.report.costs("patch", patched.cpu, "gateway", "assets", "webhooks", "postgres", "redis")
	b.report.cost("patch_wal", patched.wal, "bytes")

	bulk, err := m.spend(ctx, func() (int, error) { return b.bulk(ctx) })
	if err != nil {
		return err
	}
	b.report.costs("bulk_row", bulk.cpu, "gateway", "assets", "webhooks", "postgres")
	b.report.cost("bulk_row_wal", bulk.wal, "bytes")
	delivered, err := b.delivered(ctx, m)
	if err != nil {
		return err
	}
	for _, program := range []string{"webhooks", "postgres"} {
		b.report.cost("delivery_"+program, max(0, delivered.cpu[program]-bulk.cpu[program]), "µs")
	}
	b.report.cost("delivery_wal", max(0, delivered.wal-bulk.wal), "bytes")
	return nil
}

// costsOfRows measures what a row takes that is only there.
func (b *bench) costsOfRows(ctx context.Context, m *meter) error {
	var row, index, ledger float64
	err := m.db.QueryRow(ctx, `SELECT pg_table_size('assets.asset') / rows, pg_indexes_size('assets.asset') / rows
		FROM (SELECT count(*)::float8 AS rows FROM assets.asset) counted`).Scan(&row, &index)
	if err != nil {
		return fmt.Errorf("the size of a row: %w", err)
	}
	// Among many organizations a small one's records are in blocks of their own: a row of the ledger for each.
	if _, err := m.db.Exec(ctx, `CREATE TEMPORARY TABLE alone (LIKE assets.ledger INCLUDING INDEXES);
		INSERT INTO alone SELECT gen_random_uuid(), 'assets', block, 1, true, block FROM generate_series(1, 100000) block`); err != nil {
		return err
	}
	if err := m.db.QueryRow(ctx, "SELECT pg_total_relation_size('alone') / 100000.0::float8").Scan(&ledger); err != nil {
		return fmt.Errorf("the size of the ledger: %w", err)
	}
	b.report.cost("row", row, "bytes")
	b.report.cost("row_indexes", index, "bytes")
	b.report.cost("ledger_row", ledger, "bytes")
	var terms float64
	if err := m.db.QueryRow(ctx, `SELECT sum(pg_column_size(b.*) + 4)::float8 / (SELECT count(*) FROM assets.asset WHERE organization_id = $1)
		FROM assets.term_block b
		WHERE b.organization_id = $1 AND b.collection = 'assets'`, b.Organization).Scan(&terms); err != nil {
		return fmt.Errorf("the size of terms: %w", err)
	}
	b.report.cost("row_terms", terms, "bytes")
	for _, written := range []struct{ name, table, kind string }{
		{"create_history", "assets.history", "action = 'created'"}, {"patch_history", "assets.history", "action = 'updated'"},
		{"create_event", "webhooks.event", "type = 'asset.created'"}, {"patch_event", "webhooks.event", "type = 'asset.updated'"},
		{"delivery_kept", "webhooks.delivery", "true"}, {"attempt_kept", "webhooks.attempt", "true"},
	} {
		var size float64 // of the row with its header and pointer, and its share of the indexes
		if err := m.db.QueryRow(ctx,
			fmt.Sprintf(`SELECT avg(pg_column_size(t.*) + 4) FILTER (WHERE %s) + (SELECT sum(pg_indexes_size(r.relid)) FROM
			(SELECT '%s'::regclass AS relid UNION SELECT p.relid FROM pg_partition_tree('%[2]s') p) r) / count(*)::float8 FROM %[2]s t`,
				written.kind, written.table)).Scan(&size); err != nil {
			return fmt.Errorf("the size of a row of %s: %w", written.table, err)
		}
		b.report.cost(written.name, size, "bytes")
	}
	return nil
}

// costsOfLimits measures in Redis what a counter takes and how often it is called for a request.
func (b *bench) costsOfLimits(context.Context) error {
	query := func(words ...string) (string, error) {
		host, port, err := net.SplitHostPort(b.description.RedisAddr)
		if err != nil {
			return "", err
		}
		out, err := exec.Command("redis-cli", append([]string{"-h", host, "-p", port}, words...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commands := func() (float64, error) {
		info, err := query("INFO", "stats")
		_, rest, found := strings.Cut(info, "total_commands_processed:")
		if err != nil || !found {
			return 0, fmt.Errorf("Redis says nothing about its commands: %w", err)
		}
		return strconv.ParseFloat(strings.Fields(rest)[0], 64)
	}
	before, err := commands()
	if err != nil {
		return err
	}
	requests, err := b.send("get", 16, b.keyed(request{method: http.MethodGet, path: "/v1/assets/" + b.Asset}))
	if err != nil {
		return err
	}
	after, err := commands()
	if err != nil {
		return err
	}
	b.report.cost("redis_commands", (after-before)/float64(requests), "a request")
	counters, err := query("--scan", "--pattern", "ams:limit:*")
	if err != nil {
		return err
	}
	for _, counter := range strings.Fields(counters) {
		size, err := query("MEMORY", "USAGE", counter)
		if err != nil {
			return err
		}
		if size == "" { // it has run out since it was listed
			continue
		}
		value, err := strconv.ParseFloat(size, 64)
		b.report.cost("counter", value, "bytes")
		return err
	}
	return errors.New("Redis has no counter")
}

// send makes requests for as long as a run takes, and says how many got a response.
func (b *bench) send(name string, callers int, requests []request) (int, error) {
	f, err := load{name: "cost of a " + name, url: b.description.BaseURL, requests: requests, callers: callers,
		seconds: b.seconds}.run(b.folder)
	if err == nil && f.Failures > 0 {
		err = fmt.Errorf("%s: %d of %d failed", f.Name, f.Failures, f.Requests)
	}
	return f.Requests, err
}

// patches change one field of one record for each key, to and fro.
func (b *bench) patches(ctx context.Context, db *pgx.Conn) ([]request, error) {
	rows, err := db.Query(ctx, "SELECT id::text FROM assets.asset WHERE organization_id = $1 ORDER BY position LIMIT $2", b.Organization,
		len(b.Keys))
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	var all []request
	for _, place := range []string{"Salle 1", "Salle 2"} {
		for i, id := range ids {
			all = append(all, b.keyed(request{method: http.MethodPatch, path: "/v1/assets/" + id, body: `{"location":"` + place + `"}`})[i])
		}
	}
	return all, err
}

// bulk makes records, a thousand a call, one call after the other.
func (b *bench) bulk(ctx context.Context) (int, error) {
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	body := `{"data":[` + strings.Repeat(whole+",", bulkRows-1) + whole + `]}`
	calls := bulkCalls * b.rounds
	for range calls {
		if err := client.Request(ctx,
			ams.Request{Method: http.MethodPost, Path: "/v1/assets/bulk", Body: json.RawMessage(body)}, nil); err != nil {
			return 0, err
		}
	}
	return calls * bulkRows, nil
}

// delivered is bulk with an endpoint that is sent each event.
func (b *bench) delivered(ctx context.Context, m *meter) (spent, error) {
	r, err := newReceiver()
	if err != nil {
		return spent{}, err
	}
	defer r.close()
	endpoint, err := b.subscribe(ctx, b.Keys[0], r.url(0), "asset.*")
	if err != nil {
		return spent{}, err
	}
	used, err := m.spend(ctx, func() (int, error) {
		made, err := b.bulk(ctx)
		if err != nil {
			return 0, err
		}
		if arrived := len(r.await(made, time.Minute)); arrived < made {
			return 0, fmt.Errorf("%d of %d events were delivered", arrived, made)
		}
		return made, nil
	})
	return used, errors.Join(err, b.unsubscribe(ctx, endpoint))
}
