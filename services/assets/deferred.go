package assets

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/work"
)

// What follows from deficiencies is on the records, and was what counts in the year in which one of them was last written. At the turn of a
// year other deficiencies count: everything is brought to the new year once. Figures do not wait for it, because they read the sums of each
// year (package deficiencies).

// yearInterval is how often it is looked whether a new year has begun somewhere.
const yearInterval = 10 * time.Minute

// newYear brings the records of organizations to the year that it is there.
func (f family) newYear(organizations func(ctx context.Context) ([]principal.Principal, error)) work.Sweep {
	present := map[string]string{} // the year to which this process has brought an organization
	return work.Sweep{Name: "turn of the year", DB: f.registry.DB, Log: f.registry.Log, Organizations: organizations,
		Start: yearInterval, Interval: yearInterval,
		Do: func(ctx context.Context) error {
			p := principal.From(ctx)
			year := p.Calendar().Today()[:4]
			if present[p.OrganizationID] == year {
				return nil
			}
			err := turnYear(ctx, f.registry)
			if err == nil {
				present[p.OrganizationID] = year
			}
			return err
		}}
}

// turnYear shows the deferred maintenance of the present year on the systems and assets of the caller's organization whose deferred
// maintenance follows from deficiencies.
func turnYear(ctx context.Context, registry *resource.Registry) error {
	return registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		for _, table := range []string{"system", "asset"} {
			now := deficiencies.Deferred("t", thisYear)
			if _, err := tx.Exec(ctx, "UPDATE "+table+" t SET deferred_maintenance_cost = "+now+` WHERE t.organization_id = current_organization()
				AND t.id = ANY(ARRAY(SELECT i.id FROM `+table+` i WHERE i.organization_id = current_organization()
					AND i.deficiency_years IS NOT NULL AND i.deferred_maintenance_cost IS DISTINCT FROM `+deficiencies.Deferred("i", thisYear)+`
					ORDER BY i.id FOR NO KEY UPDATE))`); err != nil {
				return err
			}
		}
		return nil
	})
}
