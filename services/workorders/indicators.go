package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/transport"
)

// mountIndicators serves the los service, which computes measures from these.
func (o orders) mountIndicators() {
	completed := "t.status IN ('completed', 'closed') AND t.completed_at" + within("t.completed_at")
	sql := "SELECT count(*) FILTER (WHERE " + completed + "), " +
		"round(100.0 * count(*) FILTER (WHERE " + completed +
		" AND " + indicators.DayOf("t.completed_at") + " <= t.due_date) / nullif(count(*) FILTER (WHERE " + completed +
		" AND t.due_date IS NOT NULL), 0), 2), " +
		"round((percentile_cont(0.5) WITHIN GROUP (ORDER BY " + hoursSinceRequest(responded) + ") FILTER (WHERE " + responded +
		within(responded) + "))::numeric, 2) " +
		"FROM work_order t WHERE t.organization_id = current_organization() AND (t.completed_at" + within("t.completed_at") +
		" OR t.started_at" + within("t.started_at") + ")" +
		" AND (cardinality($3::text[]) + cardinality($4::text[]) = 0 OR " + somewhere + ")"
	transport.Internal(o.registry.API, contract.Work,
		func(ctx context.Context, in contract.IndicatorsRequest) (found contract.WorkIndicators, err error) {
			err = o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(sql, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs).QueryRow(func(row pgx.Row) error {
					return row.Scan(&found.Completed, &found.CompletedOnTimePct, &found.MedianResponseHours)
				})
			})
			return found, err
		})
}

// mountServiceLevels serves the los service. A work order counts on the day of its complete_by, or of its respond_by where it has no other;
// one whose time is still running, or was stopped, does not count.
func (o orders) mountServiceLevels() {
	const at = "coalesce(t.complete_by, t.respond_by)"
	sql := "SELECT w.met, w.missed, round(100.0 * w.met / nullif(w.met + w.missed, 0), 2) " +
		"FROM (SELECT count(*) FILTER (WHERE t.sla_state = 'met') " +
		"AS met, count(*) FILTER (WHERE t.sla_state = 'missed') AS missed FROM work_order t WHERE t.organization_id = current_organization() " +
		"AND t.sla_state IN ('met', 'missed') AND t.status <> 'cancelled' AND " + at + within(at) +
		" AND (cardinality($3::text[]) + cardinality($4::text[]) = 0 OR " + somewhere + ")) w"
	transport.Internal(o.registry.API, contract.Levels,
		func(ctx context.Context, in contract.IndicatorsRequest) (found contract.ServiceLevels, err error) {
			err = o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(sql, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs).QueryRow(func(row pgx.Row) error {
					return row.Scan(&found.Met, &found.Missed, &found.MetPct)
				})
			})
			return found, err
		})
}

// somewhere is the condition that a work order t, or one of its targets, is on one of the sites $3 or in one of the buildings $4.
const somewhere = `(t.site_id = ANY($3::text[]::uuid[]) OR t.building_id = ANY($4::text[]::uuid[]) OR t.id = ANY(ARRAY(
	SELECT e.work_order_id FROM work_order_target e WHERE e.organization_id = current_organization()
		AND (e.site_id = ANY($3::text[]::uuid[]) OR e.building_id = ANY($4::text[]::uuid[])))))`

// within is the condition that a time is in the days from $1 to $2, in the organization's time zone. It is appended to the expression of
// the time.
func within(at string) string {
	return " >= " + indicators.StartOf("$1::date") + " AND " + at + " < " + indicators.StartOf("$2::date + 1")
}
