package accounting

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// movements are the columns of a row of the schedule that say what moved in a year. What opens and closes it stands beside them.
var movements = []string{
	"cost_additions", "cost_contributed", "cost_betterments", "cost_retirement_costs", "cost_from_work_in_progress",
	"cost_transfers", "cost_write_downs", "cost_disposals", "cost_adjustments", "work_additions", "work_to_service",
	"work_write_downs", "accumulated_amortization", "accumulated_disposals", "accumulated_transfers",
	"accumulated_adjustments", "proceeds", "gain_loss", "gain_loss_adjustments",
}

// closingColumns are what a capital asset closes a year with, beside its amounts. disposed is the last: see rowsSQL.
var closingColumns = []string{"quantity", "life_years", "life_months", "residual_value", "in_service_on", "disposed"}

// figures are table expressions of the years of a ledger: layers_Y and rows_Y are what the tables layer and capital_asset_year have of a
// closed year, and what a close would write of one that is not. They charge what the package ledger charges.
//
// The years that are not closed follow from each other; expressions of those before are among them.
func (all years) figures(y *year) string {
	if y.state == "closed" {
		return fmt.Sprintf("WITH layers_%[1]d AS (SELECT * FROM layer WHERE organization_id = current_organization() AND fiscal_year = %[1]d), "+
			"rows_%[1]d AS (SELECT * FROM capital_asset_year WHERE organization_id = current_organization() AND fiscal_year = %[1]d)", y.number)
	}
	var parts []string
	for _, each := range all.notClosed() {
		if each.number > y.number {
			break
		}
		before := each.number - 1
		layers, rows := fmt.Sprintf("layers_%d", before), fmt.Sprintf("rows_%d", before)
		if before <= all.lastClosed() {
			layers = fmt.Sprintf("(SELECT * FROM layer WHERE organization_id = current_organization() AND fiscal_year = %d)", before)
			rows = fmt.Sprintf("(SELECT * FROM capital_asset_year WHERE organization_id = current_organization() AND fiscal_year = %d)", before)
		}
		parts = append(parts, each.layersSQL(layers, rows), each.sumsSQL(), each.rowsSQL(rows))
	}
	return "WITH " + strings.Join(parts, ",\n")
}

// overAll is for statements that go over all capital assets: they may take longer than the ten seconds of others, and join whole tables.
// PostgreSQL does not know how much our table expressions give, and would look up each row in the other.
func overAll(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue("SELECT set_config('statement_timeout', '5min', true), set_config('enable_nestloop', 'off', true), set_config('work_mem', " +
		"'32MB', true)")
	return postgres.Later(ctx, tx, batch)
}

// days is how many a year has.
func (y *year) days() int { return int(y.last.Sub(y.first).Hours()/24) + 1 }

// layersSQL charges the layers of a year, also those whose cost is written down to nothing; what has gone has neither cost nor units left:
// of capital assets that have entries in it what is left of it, of the others a whole year.
func (y *year) layersSQL(layersBefore, rowsBefore string) string {
	return fmt.Sprintf(`layers_%[1]d AS (
		SELECT l.capital_asset_id, l.number, true AS posted, l.cost, l.accumulated, l.residual, l.units_left, l.units_due, l.charged,
			charge(l.cost, l.accumulated, l.residual, l.units_due, l.units_left) AS charge, l.obligation_id
		FROM layer l WHERE l.organization_id = current_organization() AND l.fiscal_year = %[1]d AND l.posted
		UNION ALL
		SELECT b.capital_asset_id, b.number, false, b.cost,
			b.accumulated + b.charge, b.residual, b.units_left - least(b.units_due, b.units_left), u.units, 0,
			charge(b.cost, b.accumulated + b.charge, b.residual, u.units, b.units_left - least(b.units_due, b.units_left)), b.obligation_id
		FROM %[2]s b
		JOIN %[3]s p ON p.capital_asset_id = b.capital_asset_id AND p.last AND NOT p.disposed AND p.removed = 0
		JOIN class k ON k.organization_id = current_organization() AND k.id = p.class_id
		CROSS JOIN LATERAL (SELECT CASE WHEN k.method = 'none' THEN 0 WHEN k.convention = 'half_year' THEN 2 WHEN k.convention IN ('month',
			'month_inclusive') THEN 12
			WHEN k.convention = 'day' THEN %[4]d WHEN k.convention = 'day_365' THEN 365 ELSE 1 END AS units) u
		WHERE (b.cost > 0 OR b.units_left > 0) AND NOT EXISTS (SELECT FROM capital_asset_year n
			WHERE n.organization_id = current_organization() AND n.fiscal_year = %[1]d AND n.capital_asset_id = b.capital_asset_id AND n.posted))`,
		y.number, layersBefore, rowsBefore, y.days())
}

// sumsSQL are the layers of a year by capital asset, with the units that are left of the first that has some.
func (y *year) sumsSQL() string {
	return fmt.Sprintf(`sums_%[1]d AS (SELECT capital_asset_id, sum(charge) AS charge, sum(accumulated + charge) AS accumulated,
			(array_agg(units_left - least(units_due, units_left) ORDER BY number) FILTER (WHERE units_left > units_due))[1] AS units_left
		FROM layers_%[1]d GROUP BY capital_asset_id)`, y.number)
}

// rowsSQL are the rows of the schedule of a year. A pool leaves whose class says so, once it is amortized. What was disposed of stays while
// it has work in progress. The capital asset is joined so that the join is left out where nobody reads service category and department.
func (y *year) rowsSQL(rowsBefore string) string {
	zeros := strings.Repeat("0::numeric, ", len(movements)) // of the type of the columns: it is not converted for each row
	return fmt.Sprintf(`rows_%[1]d AS (
		SELECT r.capital_asset_id, r.part, r.class_id,
			a.service_category, a.department, r.posted, r.cost_opening, r.work_opening, r.accumulated_opening,
			r.cost_closing - c.removed AS cost_closing, r.work_closing, c.accumulated - c.removed AS accumulated_closing, r.%[3]s, coalesce(s.charge,
			0) AS charge, c.removed, r.last, CASE WHEN c.removed > 0 THEN 0 ELSE coalesce(s.units_left, 0) END AS units_left, r.%[4]s
		FROM (
			SELECT y.capital_asset_id, y.part, y.class_id, true AS posted, y.cost_opening, y.work_opening, y.accumulated_opening, y.cost_closing,
				y.work_closing, y.accumulated_closing, y.%[5]s, y.last, y.%[6]s
			FROM capital_asset_year y
			WHERE y.organization_id = current_organization() AND y.fiscal_year = %[1]d AND y.posted
			UNION ALL
			SELECT p.capital_asset_id, 1, p.class_id, false, p.cost_closing, p.work_closing, p.accumulated_closing, p.cost_closing, p.work_closing,
				p.accumulated_closing, %[7]strue, p.%[8]s OR p.removed > 0
			FROM %[2]s p
			WHERE p.last AND (NOT p.disposed AND p.removed = 0 OR p.work_closing <> 0) AND NOT EXISTS (SELECT FROM capital_asset_year n
				WHERE n.organization_id = current_organization() AND n.fiscal_year = %[1]d AND n.capital_asset_id = p.capital_asset_id AND n.posted)) r
		LEFT JOIN capital_asset a ON a.organization_id = current_organization() AND a.id = r.capital_asset_id
		JOIN class k ON k.organization_id = current_organization() AND k.id = r.class_id
		LEFT JOIN sums_%[1]d s ON r.last AND s.capital_asset_id = r.capital_asset_id
		CROSS JOIN LATERAL (SELECT t.accumulated, CASE WHEN k.remove_when_amortized AND k.method <> 'none' AND r.last AND NOT r.disposed
			AND r.cost_closing > 0
				AND t.accumulated = r.cost_closing THEN r.cost_closing ELSE 0 END AS removed
			FROM (SELECT CASE WHEN r.last THEN coalesce(s.accumulated, 0) ELSE r.accumulated_closing END AS accumulated) t) c)`,
		y.number, rowsBefore, strings.Join(movements, ", r."), strings.Join(closingColumns, ", r."), strings.Join(movements, ", y."),
		strings.Join(closingColumns, ", y."), zeros, strings.Join(closingColumns, ", p."))
}

// writeSQL writes the figures of a year, which is the first that is not closed, and gives the pools that have left. It is one statement:
// its parts see what was there before.
func (y *year) writeSQL() string {
	columns := strings.Join(slices.Concat(movements, closingColumns), ", ")
	return fmt.Sprintf(`, new_layers AS (INSERT INTO layer (organization_id, fiscal_year, capital_asset_id, number, posted, cost, accumulated,
		residual, units_left, units_due, charged, charge, obligation_id)
			SELECT current_organization(), %[1]d, capital_asset_id, number, false, cost, accumulated, residual, units_left, units_due, charged,
				charge, obligation_id FROM layers_%[1]d WHERE NOT posted),
		charged AS (UPDATE layer l SET charge = n.charge FROM layers_%[1]d n
			WHERE l.organization_id = current_organization() AND l.fiscal_year = %[1]d AND l.capital_asset_id = n.capital_asset_id
				AND l.number = n.number AND n.posted AND n.charge <> 0),
		new_rows AS (INSERT INTO capital_asset_year (organization_id, fiscal_year,
			capital_asset_id, part, class_id, service_category, department, posted, cost_opening, work_opening,
				accumulated_opening, cost_closing, work_closing, accumulated_closing, charge, removed, last, units_left, %[2]s)
			SELECT current_organization(), %[1]d, capital_asset_id, part, class_id, service_category, department, false, cost_opening, work_opening,
				accumulated_opening, cost_closing, work_closing, accumulated_closing, charge, removed, last, units_left, %[2]s FROM rows_%[1]d
					WHERE NOT posted),
		concluded AS (UPDATE capital_asset_year y SET cost_closing = n.cost_closing, accumulated_closing = n.accumulated_closing,
			charge = n.charge, removed = n.removed, units_left = n.units_left, service_category = n.service_category, department = n.department
			FROM rows_%[1]d n WHERE y.organization_id = current_organization() AND y.fiscal_year = %[1]d AND y.capital_asset_id = n.capital_asset_id
				AND y.part = n.part AND n.posted)
		SELECT capital_asset_id::text FROM rows_%[1]d WHERE removed > 0`, y.number, columns)
}
