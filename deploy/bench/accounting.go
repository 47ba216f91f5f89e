package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// measureAccounting closes a year of as many capital assets as there are rows, while another organization asks for one of its own, beside
// an insert of as many rows.
func (b *bench) measureAccounting(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	large, err := b.newLedger(ctx, db, b.rows)
	if err != nil {
		return err
	}
	beside, err := b.newLedger(ctx, db, 1)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "VACUUM (ANALYZE) capital_asset, capital_asset_year, layer"); err != nil {
		return err
	}
	over := time.Now().Add(time.Duration(b.seconds) * time.Second)
	quiet, err := beside.readUntil(ctx, func() bool { return time.Now().After(over) })
	if err != nil {
		return err
	}
	pid := b.description.PIDs["accounting-1"]
	if err := resetPeak(pid); err != nil {
		return err
	}
	idle := memory(pid, "VmRSS")
	done := make(chan time.Time, 1)
	var failed error
	began := time.Now()
	go func() {
		failed = large.close(ctx)
		done <- time.Now()
	}()
	var ended time.Time
	busy, err := beside.readUntil(ctx, func() bool {
		select {
		case ended = <-done:
			return true
		default:
			return false
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	took := ended.Sub(began)
	peak := memory(pid, "VmHWM")
	insert, err := insertAsMany(ctx, db, large.organization)
	if err != nil {
		return err
	}
	b.logf("accounting: a year of %d capital assets is closed in %.1f s with %.0f MB, %.0f when idle; "+
		"an insert of as many rows takes %.1f s; another organization waits %.1f ms, %.1f before (p95 of %d and %d)",
		b.rows, took.Seconds(), peak, idle, insert.Seconds(), milliseconds(busy, 0.95), milliseconds(quiet, 0.95), len(busy), len(quiet))
	b.report.atMost(fmt.Sprintf("close of %d capital assets ÷ an insert of as many rows", b.rows), took.Seconds()/insert.Seconds(), "times", 5)
	b.report.atMost(fmt.Sprintf("memory of accounting during a close of %d capital assets", b.rows), peak, "MB", 64)
	b.report.atMost("another organization's p95 during a close ÷ before", milliseconds(busy, 0.95)/milliseconds(quiet, 0.95), "times", 2)
	return nil
}

// bookkeeper is an organization with a ledger.
type bookkeeper struct {
	organization string
	client       *ams.Client
	asset        string // path of one of its capital assets
}

// newLedger makes an organization with so many capital assets that were in service when the last year was closed.
func (b *bench) newLedger(ctx context.Context, db *pgx.Conn, assets int) (l *bookkeeper, err error) {
	l = &bookkeeper{}
	var key string
	if l.organization, key, err = b.neighbour(ctx); err != nil {
		return nil, err
	}
	l.client = ams.NewClient(b.description.BaseURL, key)
	var class struct{ ID string }
	for _, made := range []struct {
		path string
		body map[string]any
		into any
	}{
		{"fiscal-years", map[string]any{"fiscal_year": 2023}, nil}, {"fiscal-years", map[string]any{"fiscal_year": 2024}, nil},
		{"classes", map[string]any{"name": "Conduites", "category": "water", "useful_life_years": 40}, &class},
	} {
		if err := l.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/accounting/" + made.path, Body: made.body},
			made.into); err != nil {
			return nil, err
		}
	}
	if _, err := db.Exec(ctx, "SET search_path = accounting; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
		return nil, err
	}
	for _, sql := range []string{
		`INSERT INTO capital_asset (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, number, class_id,
			acquisition, useful_life_years, residual_value, state, in_service_on)
			SELECT organization_id, new_id(), n, now(), now(), created_by, updated_by, 'Conduite ' || n, 'TCA-' || n, id, 'purchased', 40, 0,
				'in_service', '2015-04-01'
			FROM class, generate_series(1, $2::integer) n WHERE organization_id = $1`,
		`INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, cost_opening, cost_closing,
			accumulated_closing, last, units_left, life_years, in_service_on)
			SELECT organization_id, 2023, id, 1, class_id, false, 1000.01 * (1 + position % 97), 1000.01 * (1 + position % 97), 100.55, true, 60,
				40, in_service_on
			FROM capital_asset WHERE organization_id = $1 AND position <= $2`,
		`INSERT INTO layer SELECT organization_id, 2023, id, 1, false, 1000.01 * (1 + position % 97), 100.55, 0, 60, 0, 0, 0 FROM capital_asset
			WHERE organization_id = $1 AND position <= $2`,
	} {
		if _, err := db.Exec(ctx, sql, l.organization, assets); err != nil {
			return nil, fmt.Errorf("%.40s: %w", sql, err)
		}
	}
	if _, err := db.Exec(ctx, "UPDATE fiscal_year SET state = 'closed' WHERE organization_id = $1 AND fiscal_year = 2023",
		l.organization); err != nil {
		return nil, err
	}
	var id string
	if err := db.QueryRow(ctx, "SELECT id::text FROM capital_asset WHERE organization_id = $1 AND position = 1",
		l.organization).Scan(&id); err != nil {
		return nil, err
	}
	l.asset = "/v1/accounting/capital-assets/" + id
	return l, nil
}

// readUntil reads one capital asset again and again until something is done, and gives how long it waited, sorted.
func (l *bookkeeper) readUntil(ctx context.Context, done func() bool) (waited []time.Duration, err error) {
	for !done() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(70 * time.Millisecond): // a key may ask a thousand times a minute
		}
		began := time.Now()
		if err := l.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: l.asset}, nil); err != nil {
			return nil, err
		}
		waited = append(waited, time.Since(began))
	}
	slices.Sort(waited)
	return waited, nil
}

// close closes the year, and waits until it is.
func (l *bookkeeper) close(ctx context.Context) error {
	const path = "/v1/accounting/fiscal-years/2024/close"
	var job struct {
		State    string
		Problems []any
	}
	err := l.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: path, Body: map[string]any{}}, nil)
	for err == nil && job.State != "done" {
		if job.State == "failed" {
			return fmt.Errorf("the close failed: %v", job.Problems)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		err = l.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path}, &job)
	}
	return err
}

// insertAsMany inserts as many rows as the close has: layers, rows of the schedule and entries, with no more indexes
// and checks than those have.
func insertAsMany(ctx context.Context, db *pgx.Conn, organization string) (time.Duration, error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // nothing of it is kept
	began := time.Now()
	for _, sql := range []string{
		`INSERT INTO layer SELECT organization_id, 2099, capital_asset_id, number, posted, cost, accumulated, residual, units_left, units_due,
			charged, charge
			FROM layer WHERE organization_id = $1 AND fiscal_year = 2024`,
		`INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, cost_opening, cost_closing,
			accumulated_opening, accumulated_closing, charge, last, units_left, life_years, in_service_on)
			SELECT organization_id, 2099, capital_asset_id, part, class_id, posted, cost_opening, cost_closing, accumulated_opening,
				accumulated_closing, charge, last, units_left, life_years, in_service_on
			FROM capital_asset_year WHERE organization_id = $1 AND fiscal_year = 2024`,
		`INSERT INTO transaction (organization_id, id, position, created_at, updated_at, created_by, updated_by, number, capital_asset_id, type,
			effective_on, fiscal_year, layer, amount, cost_change, accumulated_change, close_id)
			SELECT organization_id, new_id(), position + 10000000, created_at, updated_at, created_by, updated_by,
				'T-' || (position + 10000000), capital_asset_id, type, effective_on, 2099, layer, amount, cost_change,
				accumulated_change, close_id FROM transaction WHERE organization_id = $1 AND fiscal_year = 2024`,
	} {
		if _, err := tx.Exec(ctx, sql, organization); err != nil {
			return 0, fmt.Errorf("%.40s: %w", sql, err)
		}
	}
	return time.Since(began), nil
}
