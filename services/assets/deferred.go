package assets

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// What follows from deficiencies is on the records, and was what counts in the year in which one of them was last written. At the turn of a
// year other deficiencies count: everything is brought to the new year once. Figures do not wait for it, because they read the sums of each
// year (package deficiencies).

// yearly is how often a process looks whether a new year has begun somewhere.
const yearly = 10 * time.Minute

// turner brings the records of organizations to the year that it is there.
type turner struct {
	registry      *resource.Registry
	organizations func(ctx context.Context) ([]principal.Principal, error)

	mu   sync.Mutex
	year map[string]string // by organization: the year that this process has brought it to
}

func newTurner(f family, references *reference.Client) *turner {
	return &turner{registry: f.registry, organizations: f.keeper(references).Organizations, year: map[string]string{}}
}

// turn looks at every organization whose year has changed since this process has last seen it. One organization's failure does not keep the
// others from theirs.
func (t *turner) turn(ctx context.Context) error {
	all, err := t.organizations(ctx)
	if err != nil {
		return err
	}
	var first error
	for _, p := range all {
		year := p.Calendar().Today()[:4]
		t.mu.Lock() // the turns of several cells run side by side
		there := t.year[p.OrganizationID] == year
		t.mu.Unlock()
		if there {
			continue
		}
		if err := turnYear(principal.Into(ctx, p), t.registry); err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		t.mu.Lock()
		t.year[p.OrganizationID] = year
		t.mu.Unlock()
	}
	return first
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
