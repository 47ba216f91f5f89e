package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/transport"
)

// IndicatorsRequest is a request for the indicators of a period.
type IndicatorsRequest struct {
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: work in any of them. Both empty: the whole organization."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// WorkIndicators are the indicators of the work in a period.
type WorkIndicators struct {
	Completed           int      `json:"completed" doc:"Work orders that were completed in the period."`
	CompletedOnTimePct  *float64 `json:"completed_on_time_pct" unit:"percent" doc:"Of those that had a due date, how many were completed by it; null where none had one."`
	MedianResponseHours *float64 `json:"median_response_hours" unit:"hour" doc:"Median of response_hours of the work orders that were first turned to in the period; null where there are none."`
}

// mountIndicators serves the los service, which computes measures from these.
func (o orders) mountIndicators() {
	completed := "t.status IN ('completed', 'closed') AND t.completed_at" + within("t.completed_at")
	sql := "SELECT count(*) FILTER (WHERE " + completed + "), " +
		"round(100.0 * count(*) FILTER (WHERE " + completed +
		" AND " + indicators.DayOf("t.completed_at") + " <= t.due_date) / nullif(count(*) FILTER (WHERE " + completed +
		" AND t.due_date IS NOT NULL), 0), 2), " +
		"round((percentile_cont(0.5) WITHIN GROUP (ORDER BY " + hoursSinceCreation(responded) + ") FILTER (WHERE " + responded +
		within(responded) + "))::numeric, 2) " +
		"FROM work_order t WHERE t.organization_id = current_organization() AND (t.completed_at" + within("t.completed_at") +
		" OR t.started_at" + within("t.started_at") + ")" +
		" AND (cardinality($3::text[]) + cardinality($4::text[]) = 0 OR t.site_id = ANY($3::text[]::uuid[]) OR t.building_id = " +
		"ANY($4::text[]::uuid[]))"
	transport.Internal(o.registry.API, "/work-orders/figures",
		func(ctx context.Context, in IndicatorsRequest) (found WorkIndicators, err error) {
			err = o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(sql, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs).QueryRow(func(row pgx.Row) error {
					return row.Scan(&found.Completed, &found.CompletedOnTimePct, &found.MedianResponseHours)
				})
			})
			return found, err
		})
}

// within is the condition that a time is in the days from $1 to $2, in the organization's time zone. It is appended to the expression of
// the time.
func within(at string) string {
	return " >= " + indicators.StartOf("$1::date") + " AND " + at + " < " + indicators.StartOf("$2::date + 1")
}
