package infrastructure

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/work"
)

// With the new year, deficiencies count whose action year it is. The deferred maintenance that segments show follows in the background;
// figures count them at once, from the deficiencies themselves.

// newYear brings the deferred maintenance of segments to the year, again and again: organizations begin their years at different times.
func (f family) newYear(organizations organizations) work.Sweep {
	return work.Sweep{Name: "deferred", DB: f.registry.DB, Log: f.registry.Log, Organizations: organizations,
		Start: 15 * time.Second, Interval: 20 * time.Minute,
		Do: func(ctx context.Context) error {
			return f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, newYearSQL)
				return err
			})
		}}
}

// newYearSQL shows what counts this year on the segments with a deficiency that is due in it.
var newYearSQL = `UPDATE segment t SET deferred_maintenance_cost = ` + deficiencies.Deferred("t", thisYear) + `
	WHERE t.organization_id = current_organization() AND t.deficiency_years IS NOT NULL
		AND t.id = ANY(ARRAY(SELECT due.segment_id FROM deficiency due
			WHERE due.organization_id = current_organization() AND due.action_year = ` + thisYear + `))
		AND t.deferred_maintenance_cost IS DISTINCT FROM ` + deficiencies.Deferred("t", thisYear)
