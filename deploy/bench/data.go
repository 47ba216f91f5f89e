package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// fill writes the assets straight into the tables, as the bulk endpoint would leave them: positions without gaps, the ledger
// that totals come from, and numbered tags. Through the API it would take minutes without measuring anything.
func (b *bench) fill(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	if _, err := db.Exec(ctx, "SET search_path = assets; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
		return err
	}
	if err := fillOrganization(ctx, db, b.Organization, b.rows); err != nil {
		return err
	}
	for range 100 {
		var other string
		if err := db.QueryRow(ctx, "SELECT gen_random_uuid()::text").Scan(&other); err != nil {
			return err
		}
		if err := fillOrganization(ctx, db, other, b.rows/1000); err != nil {
			return err
		}
	}
	if _, err := db.Exec(ctx, "VACUUM (ANALYZE) asset, ledger, ledger_total, site, building"); err != nil {
		return err
	}
	return db.QueryRow(ctx, "SELECT id::text FROM asset WHERE organization_id = $1 ORDER BY position OFFSET $2 LIMIT 1", b.Organization,
		b.rows/2).Scan(&b.Asset)
}

// fillOrganization writes count assets in 20 sites of 10 buildings each.
func fillOrganization(ctx context.Context, db *pgx.Conn, organization string, count int) error {
	for _, statement := range []string{
		`WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('sites', 20))
		INSERT INTO site (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, code, site_type, status, country)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1, at, at, '{"type":"service","id":"bench","name":"bench"}',
			'{"type":"service","id":"bench","name":"bench"}',
			'Site ' || i, 'SITE-' || i, 'campus', 'active', 'CA' FROM stamp, generate_series(1, 20) i`,
		`WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('buildings', 200))
		INSERT INTO building (organization_id, id, position, created_at, updated_at, created_by, updated_by, site_id, name, code, building_type,
			status, heritage_designated)
		SELECT $1::uuid, gen_random_uuid(), first_position + n - 1, at, at, created_by, updated_by, id, 'Building ' || n, 'BLD-' || n,
			'administration', 'active', false
		FROM stamp, (SELECT *, row_number() OVER () AS n FROM site, generate_series(1, 10) WHERE organization_id = $1::uuid) s`,
		`WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('assets', $2::int)),
		places AS MATERIALIZED (SELECT array_agg(id) AS buildings, array_agg(site_id) AS sites FROM building WHERE organization_id = $1::uuid)
		INSERT INTO asset (organization_id, id, position, external_id, tags, created_at, updated_at, created_by, updated_by,
			name, asset_tag, serial_number, category, uniformat_code, site_id, building_id, location, status, manufacturer, model,
			install_date, install_year, expected_useful_life_years, replacement_cost, deferred_maintenance_cost, planned_renewal_year,
			acquisition_cost, acquisition_date, amortization_method, condition_rating, condition_assessed_on, consequence_of_failure)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1, 'bench-' || i, '["bench"]', at, at,
			'{"type":"service","id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","name":"bench"}',
				'{"type":"service","id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","name":"bench"}',
			(ARRAY['Aréna','Pompe de circulation','Chaudière','Toiture','Ventilateur','Boiler','Pump'])[1 + i % 7] || ' ' ||
				(ARRAY['Hôtel de Ville','Riverdale','Saint-Joseph','Maurice-Richard','Notre-Dame','Old City Hall','École Sainte-Anne','Parc Lafontaine',
				'Queen Street','Bibliothèque','Vieux-Port','Centre-Ville','Northgate','Mont-Royal','Lakeshore','Garage','Caserne 12','Usine','Dufferin',
					'Complexe'])[1 + i % 20]
				|| ' ' || i, 'A-' || lpad(i::text, greatest(6, length(i::text)), '0'), 'SN-' || i,
					(ARRAY['hvac','plumbing','electrical','shell'])[1 + i % 4],
			(ARRAY['D3020','D2010','D5010','B2010'])[1 + i % 4], sites[1 + i % 200], buildings[1 + i % 200], 'Salle ' || i % 50,
			(ARRAY['in_service','in_service','in_service','in_service','out_of_service','planned'])[1 + i % 6],
				(ARRAY['Armstrong','Grundfos','Trane','Carrier','Otis','Viessmann','Simplex','Daikin','Lennox','Greenheck','Taco'])[1 + i % 11],
			'M-' || i % 4380,
			date '1990-01-01' + i % 12000, extract(year FROM date '1990-01-01' + i % 12000)::int, 15 + i % 20, 1000 + i % 50000, i % 700,
				2026 + i % 25, 800 + i % 40000, date '1990-01-01' + i % 12000, 'straight_line', 1 + i % 5, date '2024-05-01', 1 + i % 4
		FROM stamp, places, generate_series(1, $2::int) i`,
		`INSERT INTO counter (organization_id, name, value) VALUES ($1::uuid, 'assets.asset_tag', $2::int)`,
	} {
		args := []any{organization, count}
		if !strings.Contains(statement, "$2") {
			args = args[:1]
		}
		if _, err := db.Exec(ctx, statement, args...); err != nil {
			return fmt.Errorf("writing the rows to measure with: %w", err)
		}
	}
	for table, collection := range map[string]string{"asset": "assets", "site": "sites", "building": "buildings"} {
		if _, err := db.Exec(ctx, `INSERT INTO ledger (organization_id, collection, block, live)
			SELECT organization_id, $2, position / 1024, count(*) FROM `+table+` WHERE organization_id = $1 GROUP BY 1, 3`, organization,
			collection); err != nil {
			return fmt.Errorf("writing the ledger: %w", err)
		}
		if _, err := db.Exec(ctx, `WITH caller AS MATERIALIZED (SELECT set_config('ams.organization_id', $1::text, false))
			SELECT fold_ledger($2) FROM caller`, organization, collection); err != nil {
			return fmt.Errorf("folding the ledger: %w", err)
		}
	}
	return nil
}
