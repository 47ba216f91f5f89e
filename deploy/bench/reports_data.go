package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// municipality is the organization that reports are measured with.
type municipality struct {
	Organization string `json:"organization"` // empty: not written
	Key          string `json:"key"`
	Site         string `json:"site"`
	Network      string `json:"network"`
	Assets       int    `json:"assets"`
}

// assetsReported and segmentsReported are how many the municipality has: 100,000 and 200,000, fewer when -rows says fewer.
func (b *bench) assetsReported() int   { return min(b.rows, 100_000) }
func (b *bench) segmentsReported() int { return 2 * b.assetsReported() }

// changesReported is how many changes each of assets and segments has had since the past day: together a tenth of the assets.
func (b *bench) changesReported() int { return b.assetsReported() / 20 }

const (
	// pastDays is how many days ago the past day of the reports is. Changes are of the twenty days before today, and as many of the year
	// before the past day.
	pastDays   = 30
	benchActor = `'{"type":"service","id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","name":"bench"}'`
	recordOf   = "organization_id, id, position, created_at, updated_at, created_by, updated_by"
)

// fillReports makes the municipality: 40 sites of 50 buildings, 5 systems in each; four of five assets in systems, most others in
// buildings; half of them assessed, some twice. 40 networks of all kinds; half of the segments inspected, a quarter rated without an
// inspection. All of it was entered in the last three years, the last fiftieth after the past day.
func (b *bench) fillReports(ctx context.Context) error {
	switch {
	case b.Municipality.Organization != "" && b.Municipality.Assets == b.assetsReported():
		return nil // a reused folder has it
	case b.Municipality.Organization != "":
		return fmt.Errorf("%s holds %d assets for reports, not %d: give another folder, or the same -rows", b.folder, b.Municipality.Assets,
			b.assetsReported())
	}
	b.logf("Writing %d assets and %d segments", b.assetsReported(), b.segmentsReported())
	city := municipality{Assets: b.assetsReported()}
	var err error
	if city.Organization, city.Key, err = b.neighbour(ctx); err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if err := keepNoMonths(ctx, db, city.Organization); err != nil {
		return err
	}
	n, parts, changes := b.assetsReported(), b.segmentsReported(), b.changesReported()
	for _, step := range []struct {
		schema, sql string
		count       int
	}{
		{"gateway", "UPDATE api_key SET rate_limit = 1000000000 WHERE organization_id = $1", 0},
		{"assets", sitesReportedSQL, 40}, {"assets", buildingsReportedSQL, max(40, n/50)}, {"assets", systemsReportedSQL, max(40, n/10)},
		{"assets", assetsReportedSQL, n}, {"assets", assessmentsReportedSQL, n * 6 / 10},
		{"assets", changesOfAssetsSQL, changes}, {"assets", formerCostsSQL, changes},
		{"assets", "VACUUM (ANALYZE) site, building, system, asset, condition_assessment, history, former_own_cost", 0},
		{"infrastructure", networksReportedSQL, 40}, {"infrastructure", segmentsReportedSQL, parts},
		{"infrastructure", inspectionsReportedSQL, parts * 6 / 10}, {"infrastructure", ratingsReportedSQL, parts / 4},
		{"infrastructure", changesOfSegmentsSQL, changes},
		{"infrastructure", "VACUUM (ANALYZE) network, segment, inspection, segment_rating, history", 0},
	} {
		if _, err := db.Exec(ctx, "SET search_path = "+step.schema+"; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
			return err
		}
		var args []any
		switch {
		case step.count > 0:
			args = []any{city.Organization, step.count}
		case step.schema == "gateway":
			args = []any{city.Organization}
		}
		if _, err := db.Exec(ctx, step.sql, args...); err != nil {
			return fmt.Errorf("writing what reports are measured with: %w", err)
		}
	}
	err = db.QueryRow(ctx, `SELECT (SELECT id::text FROM assets.site WHERE organization_id = $1 ORDER BY position LIMIT 1),
		(SELECT id::text FROM infrastructure.network WHERE organization_id = $1 ORDER BY position LIMIT 1)`,
		city.Organization).Scan(&city.Site, &city.Network)
	if err != nil {
		return err
	}
	b.Municipality = city
	return b.remember()
}

// keepNoMonths says that all months of an organization are stored, so that none is written while something is measured.
func keepNoMonths(ctx context.Context, db *pgx.Conn, organization string) error {
	const columns = `(organization_id, subject, subject_of, month_end, frozen, counts, replacement_cost, deferred_maintenance_cost, need,
		fci_pct, rated, rated_value, risk_value`
	const values = ` VALUES ($1, 'organization', '', '9999-12-31', true, '{}', 0, 0, '{}', '{}', '{}', '{}', '{}'`
	for _, sql := range []string{
		"INSERT INTO assets.figures_month " + columns + ")" + values + ")",
		"INSERT INTO infrastructure.figures_month " + columns + ", length_km)" + values + ", 0)",
	} {
		if _, err := db.Exec(ctx, sql, organization); err != nil {
			return fmt.Errorf("saying that months are kept: %w", err)
		}
	}
	return nil
}

// Everything takes $1 the organization and $2 how many.
const (
	sitesReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('sites', $2::int))
		INSERT INTO site (` + recordOf + `, name, code, site_type, ward, status, country)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - interval '3 years', at - interval '3 years', ` + benchActor + `, ` + benchActor + `,
			'Site ' || i, 'SITE-' || i, 'campus', 'Ward ' || i % 8, 'active', 'CA' FROM stamp, generate_series(1, $2::int) i`

	buildingsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('buildings', $2::int)),
		place AS MATERIALIZED (SELECT array_agg(id ORDER BY position) AS sites FROM site WHERE organization_id = $1::uuid)
		INSERT INTO building (` + recordOf + `, site_id, name, code, building_type, status, heritage_designated, year_built, replacement_cost,
			replacement_cost_year)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - interval '3 years', at - interval '3 years', ` + benchActor + `, ` + benchActor + `, sites[1 + i % cardinality(sites)],
			'Building ' || i, 'BLD-' || i, (ARRAY['administration','arena','school','fire_hall','library','treatment'])[1 + i % 6],
			'active', false, 1950 + i % 70, CASE WHEN i % 4 = 0 THEN 2000000 + i * 1000 END, 2015 + i % 10
		FROM stamp, place, generate_series(1, $2::int) i`

	systemsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('systems', $2::int)),
		place AS MATERIALIZED (SELECT array_agg(id ORDER BY position) AS buildings, array_agg(site_id ORDER BY position) AS sites FROM building
			WHERE organization_id = $1::uuid)
		INSERT INTO system (` + recordOf + `, name, code, building_id, site_id, uniformat_code, category, status, install_year,
			expected_useful_life_years, replacement_cost, replacement_cost_year, deferred_maintenance_cost, planned_renewal_year)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - interval '3 years', at - interval '3 years', ` + benchActor + `, ` + benchActor + `,
			'System ' || i, 'SYS-' || i, buildings[1 + i % cardinality(buildings)],
				sites[1 + i % cardinality(buildings)], 'D30', 'hvac', 'in_service', 1970 + i % 50, 30,
			CASE WHEN i % 5 = 0 THEN 90000 + i END, 2020, CASE WHEN i % 7 = 0 THEN i % 9000 END, CASE WHEN i % 3 = 0 THEN 2024 + i % 20 END
		FROM stamp, place, generate_series(1, $2::int) i`

	// The last three of four assessments say costs; what an asset shows is what the last one said.
	assetsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('assets', $2::int)),
		place AS MATERIALIZED (SELECT s.*, row_number() OVER (ORDER BY s.position) AS n FROM system s WHERE s.organization_id = $1::uuid)
		INSERT INTO asset (` + recordOf + `, external_id, name, asset_tag, category, uniformat_code, site_id, building_id, system_id, status,
			install_date, install_year, expected_useful_life_years, replacement_cost, replacement_cost_year, deferred_maintenance_cost,
				planned_renewal_year, amortization_method, condition_rating, condition_assessed_on, condition_method, consequence_of_failure)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - since.entered, at - since.entered, ` + benchActor + `, ` + benchActor + `,
			'bench-' || i, 'Pompe ' || i, 'A-' || lpad(i::text, 6, '0'), (ARRAY['hvac','plumbing','electrical','shell'])[1 + i % 4],
			(ARRAY['D3020','D2010','D5010','B2010'])[1 + i % 4], s.site_id, CASE WHEN i % 20 > 0 THEN s.building_id END, CASE
				WHEN i % 5 > 0 THEN s.id END,
			(ARRAY['in_service','in_service','in_service','in_service','out_of_service','in_service','in_service','in_service','in_service',
				'planned'])[1 + i % 10], date '1985-01-01' + i % 14000, extract(year FROM date '1985-01-01' + i % 14000)::int, 15 + i % 20,
			CASE WHEN i % 10 > 0 THEN 1000 + i % 50000 END, CASE WHEN i % 10 > 0 THEN 1995 + i % 30 END,
			CASE WHEN i % 3 = 0 THEN i % 700 END, CASE WHEN i % 2 = 0 THEN 2024 + i % 25 END, 'straight_line', CASE WHEN i % 2 = 0 THEN 1
				+ i / 2 % 5 END, CASE WHEN i % 2 = 0 THEN current_date - 40 - i % 2000 END, CASE WHEN i % 2 = 0 THEN 'detailed' END, 1 + i % 5
		FROM stamp, generate_series(1, $2::int) i JOIN place s ON s.n = 1 + i % (SELECT count(*) FROM place),
			LATERAL (SELECT CASE WHEN i % 50 = 0 THEN interval '25 days' ELSE interval '3 years' - i % 900 * interval '1 day' END AS entered) since`

	assessmentsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('assessments', $2::int)),
		rated AS MATERIALIZED (SELECT a.*, row_number() OVER (ORDER BY a.position) AS n FROM asset a
			WHERE a.organization_id = $1::uuid AND a.condition_rating IS NOT NULL)
		INSERT INTO condition_assessment (` + recordOf + `, asset_id, assessed_on, condition_rating, method, replacement_cost,
			deferred_maintenance_cost)
		SELECT $1::uuid, gen_random_uuid(), first_position + row_number() OVER () - 1, r.created_at,
			r.created_at, ` + benchActor + `, ` + benchActor + `, r.id, r.condition_assessed_on - earlier * 1000, r.condition_rating, 'detailed',
			CASE WHEN r.n % 4 > 0 THEN r.replacement_cost END, CASE WHEN r.n % 4 > 0 THEN r.deferred_maintenance_cost END
		FROM stamp, rated r, generate_series(0, CASE WHEN r.n % 5 = 0 THEN 1 ELSE 0 END) earlier`

	// A nightly load that says another place, another renewal year, another rating, and other costs: a quarter of the changes each.
	changesOfAssetsSQL = `WITH changed AS (SELECT a.*, row_number() OVER (ORDER BY a.asset_tag COLLATE "C" DESC) AS i,
			lead(a.site_id) OVER w AS other_site, lead(a.building_id) OVER w AS other_building, lead(a.system_id) OVER w AS other_system
			FROM asset a WHERE a.organization_id = $1::uuid AND a.position % 5 = 0 WINDOW w AS (ORDER BY a.asset_tag COLLATE "C" DESC) LIMIT $2::int)
		INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, at, id)
		SELECT $1::uuid, 'assets', c.id, 2 + later, 'updated', CASE c.i % 4
			WHEN 0 THEN json_build_object('site_id', json_build_object('old', c.other_site, 'new', c.site_id), 'building_id',
				json_build_object('old', c.other_building, 'new', c.building_id), 'system_id',
					json_build_object('old', c.other_system, 'new', c.system_id))
			WHEN 1 THEN json_build_object('planned_renewal_year', json_build_object('old', 2020 + c.i % 20, 'new', c.planned_renewal_year))
			WHEN 2 THEN json_build_object('condition_rating',
				json_build_object('old', 1 + c.i % 5, 'new', c.condition_rating), 'condition_assessed_on',
				json_build_object('old', '2020-06-30', 'new', c.condition_assessed_on), 'risk_score', json_build_object('old', 4, 'new', c.risk_score))
			ELSE json_build_object('replacement_cost', json_build_object('old', 1000 + c.i, 'new', c.replacement_cost), 'replacement_cost_year',
				json_build_object('old', 2010, 'new', c.replacement_cost_year)) END, ` + benchActor + `, 'bench', '',
			clock_timestamp() - CASE later WHEN 1 THEN 1 + c.i % 20 ELSE 40 + c.i % 300 END * interval '1 day', gen_random_uuid()
		FROM changed c, generate_series(0, 1) later`

	formerCostsSQL = `INSERT INTO former_own_cost (organization_id, asset_id, until, own_replacement_cost, own_replacement_cost_year)
		SELECT h.organization_id, h.record_id, h.at, (h.changes #>> '{replacement_cost,old}')::numeric, 2010 FROM history h
		WHERE h.organization_id = $1::uuid AND h.collection = 'assets' AND h.changes -> 'replacement_cost' IS NOT NULL AND $2::int > 0`

	networksReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('networks', $2::int))
		INSERT INTO network (` + recordOf + `, name, asset_class)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - interval '3 years', at - interval '3 years', ` + benchActor + `, ` + benchActor + `,
			'Network ' || i, (ARRAY['road','sidewalk','bridge','culvert','water_main','sanitary_sewer','storm_sewer','trail'])[1 + i % 8]
		FROM stamp, generate_series(1, $2::int) i`

	segmentsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('segments', $2::int)),
		place AS MATERIALIZED (SELECT array_agg(id ORDER BY position) AS networks FROM network WHERE organization_id = $1::uuid)
		INSERT INTO segment (` + recordOf + `, network_id, name, segment_code, status, length_m, lanes, install_year, expected_useful_life_years,
			replacement_cost, replacement_cost_year, deferred_maintenance_cost, planned_renewal_year, condition_rating, condition_assessed_on,
				condition_method, consequence_of_failure)
		SELECT $1::uuid, gen_random_uuid(), first_position + i - 1,
			at - since.entered, at - since.entered, ` + benchActor + `, ` + benchActor + `, networks[1 + i % cardinality(networks)],
			'Rue ' || i, 'S-' || i, CASE WHEN i % 20 = 0 THEN 'planned' ELSE 'in_service' END, 50 + i % 200, 2,
			1950 + i % 70, 40 + i % 40, 100000 + i, 1995 + i % 30, CASE WHEN i % 6 = 0 THEN i % 5000 END, CASE WHEN i % 3 = 0 THEN 2024 + i % 30 END,
			CASE WHEN i % 4 < 3 THEN 1 + i % 5 END, CASE WHEN i % 4 < 3 THEN current_date - 40 - i % 2000 END,
			CASE WHEN i % 4 < 2 THEN 'visual' WHEN i % 4 = 2 THEN 'reported' END, 1 + i % 5
		FROM stamp, place, generate_series(1, $2::int) i,
			LATERAL (SELECT CASE WHEN i % 50 = 0 THEN interval '25 days' ELSE interval '3 years' - i % 900 * interval '1 day' END AS entered) since`

	inspectionsReportedSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('inspections', $2::int)),
		rated AS MATERIALIZED (SELECT s.*, row_number() OVER (ORDER BY s.position) AS n FROM segment s
			WHERE s.organization_id = $1::uuid AND s.condition_method = 'visual')
		INSERT INTO inspection (` + recordOf + `, segment_id, inspected_on, condition_rating, method)
		SELECT $1::uuid, gen_random_uuid(), first_position + row_number() OVER () - 1, r.created_at, r.created_at, ` + benchActor + `, ` +
		benchActor + `, r.id, r.condition_assessed_on - earlier * 1000, r.condition_rating, 'visual'
		FROM stamp, rated r, generate_series(0, CASE WHEN r.n % 5 = 0 THEN 1 ELSE 0 END) earlier`

	ratingsReportedSQL = `INSERT INTO segment_rating (organization_id, segment_id, stated_on, condition_rating, method, entered_at)
		SELECT s.organization_id, s.id, s.condition_assessed_on, s.condition_rating, s.condition_method, s.created_at
		FROM segment s WHERE s.organization_id = $1::uuid AND s.condition_method = 'reported' LIMIT $2::int`

	changesOfSegmentsSQL = `WITH changed AS (SELECT s.*, row_number() OVER (ORDER BY s.position DESC) AS i,
		lead(s.network_id) OVER (ORDER BY s.position DESC) AS other
			FROM segment s WHERE s.organization_id = $1::uuid AND s.position % 5 = 0 LIMIT $2::int)
		INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, at, id)
		SELECT $1::uuid, 'segments', c.id, 2 + later, 'updated', CASE c.i % 4
			WHEN 0 THEN json_build_object('network_id', json_build_object('old', c.other, 'new', c.network_id))
			WHEN 1 THEN json_build_object('planned_renewal_year', json_build_object('old', 2020 + c.i % 20, 'new', c.planned_renewal_year))
			WHEN 2 THEN json_build_object('condition_rating', json_build_object('old', 1 + c.i % 5, 'new', c.condition_rating),
				'condition_assessed_on', json_build_object('old', '2020-06-30', 'new', c.condition_assessed_on))
			ELSE json_build_object('replacement_cost', json_build_object('old', 1000 + c.i, 'new', c.replacement_cost), 'replacement_cost_year',
				json_build_object('old', 2010, 'new', c.replacement_cost_year)) END, ` + benchActor + `, 'bench', '',
			clock_timestamp() - CASE later WHEN 1 THEN 1 + c.i % 20 ELSE 40 + c.i % 300 END * interval '1 day', gen_random_uuid()
		FROM changed c, generate_series(0, 1) later`
)
