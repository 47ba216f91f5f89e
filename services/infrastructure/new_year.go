package infrastructure

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/principal"
)

// With the new year, deficiencies count whose action year it is. The deferred maintenance that segments show follows in the background;
// figures count them at once, from the deficiencies themselves.

// newYearStart is how long a process that was started has other things to do, and newYearAgain after how long it looks again: organizations
// begin their years at different times.
const newYearStart, newYearAgain = 15 * time.Second, 20 * time.Minute

// deferAll brings the deferred maintenance of segments to the year, again and again until ctx ends.
func (f family) deferAll(ctx context.Context, organizations organizations) {
	for next := newYearStart; ; next = newYearAgain {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
		if err := f.deferOnce(ctx, organizations); err != nil && ctx.Err() == nil {
			f.registry.Log.Warn("deferred maintenance not brought to the year; it is at the next attempt", "error", err)
		}
	}
}

func (f family) deferOnce(ctx context.Context, organizations organizations) error {
	all, err := organizations(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		err := f.registry.DB.Write(principal.Into(ctx, p), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, newYearSQL)
			return err
		})
		if err != nil {
			return fmt.Errorf("organization %s: %w", p.OrganizationID, err)
		}
	}
	return nil
}

// newYearSQL shows what counts this year on the segments with a deficiency that is due in it.
var newYearSQL = `UPDATE segment t SET deferred_maintenance_cost = ` + deficiencies.Deferred("t", thisYear) + `
	WHERE t.organization_id = current_organization() AND t.deficiency_years IS NOT NULL
		AND t.id = ANY(ARRAY(SELECT due.segment_id FROM deficiency due
			WHERE due.organization_id = current_organization() AND due.action_year = ` + thisYear + `))
		AND t.deferred_maintenance_cost IS DISTINCT FROM ` + deficiencies.Deferred("t", thisYear)
