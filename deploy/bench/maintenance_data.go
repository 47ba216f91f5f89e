package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// assetsMaintained is how many assets each of two organizations has, one of them with deficienciesOfAsset deficiencies on each;
// plansMaintained is how many plans the other has that are not due. Both are fewer when -rows says fewer.
func (b *bench) assetsMaintained() int { return min(b.rows, 200_000) }
func (b *bench) plansMaintained() int  { return min(b.rows, 100_000) }

// fillMaintenance makes two organizations with the same assets on one site each. The first has deficiencies, and plans for ten years; the
// other one many plans.
func (b *bench) fillMaintenance(ctx context.Context, db *pgx.Conn) (found, plain maintained, err error) {
	b.logf("Writing %d assets twice, %d deficiencies and %d plans", b.assetsMaintained(), deficienciesOfAsset*b.assetsMaintained(),
		b.plansMaintained())
	for _, of := range []*maintained{&found, &plain} {
		if of.id, of.key, err = b.neighbour(ctx); err != nil {
			return found, plain, err
		}
		of.client = ams.NewClient(b.description.BaseURL, of.key)
		var job struct{ ID string }
		if err := of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/maintenance/job-plans",
			Body: map[string]any{"name": "Inspection", "estimated_hours": 0.5, "type": "inspection"}}, &job); err != nil {
			return found, plain, err
		}
		of.jobPlan = job.ID
		if err := keepNoMonths(ctx, db, of.id); err != nil {
			return found, plain, err
		}
		n := b.assetsMaintained()
		if err := run(ctx, db, of,
			filled{"gateway", "UPDATE api_key SET rate_limit = 1000000000 WHERE organization_id = $1", 0},
			filled{"assets", sitesReportedSQL, 1}, filled{"assets", buildingsReportedSQL, max(10, n/50)},
			filled{"assets", systemsReportedSQL, max(10, n/10)}, filled{"assets", assetsReportedSQL, n}); err != nil {
			return found, plain, err
		}
	}
	// What keeps words and facets of deficiencies and plans is not measured here.
	err = run(ctx, db, &found,
		filled{"assets", "ALTER TABLE deficiency DISABLE TRIGGER USER; ALTER TABLE deficiency ENABLE TRIGGER deficiencies_added", 0},
		filled{"assets", deficienciesSQL, deficienciesOfAsset}, filled{"assets", "ALTER TABLE deficiency ENABLE TRIGGER USER", 0},
		filled{"assets", "VACUUM (ANALYZE) site, building, system, asset, deficiency", 0},
		filled{"workorders", "ALTER TABLE pm_plan DISABLE TRIGGER USER", 0}, filled{"workorders", plansSQL(found.jobPlan), plansOfTenYears})
	if err == nil {
		err = run(ctx, db, &plain, filled{"workorders", plansSQL(plain.jobPlan), b.plansMaintained()},
			filled{"workorders", "ALTER TABLE pm_plan ENABLE TRIGGER USER", 0}, filled{"workorders", "VACUUM (ANALYZE) pm_plan", 0})
	}
	return found, plain, err
}

// filled is a statement that writes rows; count 0: it takes none.
type filled struct {
	schema, sql string
	count       int
}

func run(ctx context.Context, db *pgx.Conn, of *maintained, steps ...filled) error {
	for _, step := range steps {
		if _, err := db.Exec(ctx, "SET search_path = "+step.schema+"; SET statement_timeout = 0; SET synchronous_commit = off"); err != nil {
			return err
		}
		var args []any
		switch {
		case step.count > 0:
			args = []any{of.id, step.count}
		case step.schema == "gateway":
			args = []any{of.id}
		}
		if _, err := db.Exec(ctx, step.sql, args...); err != nil {
			return fmt.Errorf("writing what maintenance is measured with: %w", err)
		}
	}
	return nil
}

// deficienciesSQL takes $1 the organization and $2 how many deficiencies each asset gets. Four of five count, half of them in a year to
// come. They are found the day before: where the organization is, today may not have begun.
const deficienciesSQL = `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('deficiencies', $2::int * (SELECT count(*) FROM asset
		WHERE organization_id = $1::uuid)::int))
	INSERT INTO deficiency (` + recordOf + `, asset_id, title, number, status, category, estimated_cost, cost_year, action_year,
		source, found_on)
	SELECT $1::uuid, gen_random_uuid(), first_position + n - 1, at, at, ` + benchActor + `, ` + benchActor + `, id, 'Fissure ' || n,
		'DEF-' || n, 'open',
		(ARRAY['deferred_maintenance','life_safety','code','environmental','accessibility'])[1 + n % 5], 100 + n % 900,
		extract(year FROM current_date)::int, CASE WHEN n % 2 = 0 THEN extract(year FROM current_date)::int + n % 8 END, 'manual',
			current_date - 1
	FROM stamp, (SELECT a.id, row_number() OVER (ORDER BY a.position, i) AS n FROM asset a, generate_series(1, $2::int) i
		WHERE a.organization_id = $1::uuid) a`

// plansSQL writes active monthly plans on an asset each that act next within two years. It takes $1 the organization and $2 how many.
func plansSQL(jobPlan string) string {
	return `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions('pm_plans', $2::int))
	INSERT INTO pm_plan (` + recordOf + `, name, status, job_plan_id, targets, work_order_per, basis, starts_on, due_by, lead_days,
		non_working_day, suppress_days, stack, catch_up, when_out_of_service, next_action_at, planned_from, target_count, target_sites)
	SELECT $1::uuid, gen_random_uuid(), first_position + i - 1, at, at, ` + benchActor + `, ` + benchActor + `, 'Plan ' || i, 'active',
		'` + jobPlan + `',
		jsonb_build_array(jsonb_build_object('target_type', 'asset', 'target_id', gen_random_uuid())), 'target', 'fixed', current_date - i % 365,
		'{"rrule": "FREQ=MONTHLY"}', 0, 'keep', 7, false, 'latest', 'skip', at + (24 + i % 17000) * interval '1 hour', current_date, 1,
		jsonb_build_object('019a3c5e-0000-7000-8000-' || lpad((i % 20)::text, 12, '0'), 1)
	FROM stamp, generate_series(1, $2::int) i`
}
