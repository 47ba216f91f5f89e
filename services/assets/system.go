package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/resource"
)

// System is one of a building's or a site's systems, after UNIFORMAT II: its roof, its heating, its plumbing.
type System struct {
	resource.Record
	Name       string  `json:"name" required:"true" maxLength:"200" unique:"building_id,site_id" filter:"equals" sort:"index" search:"name" doc:"What people call the system; unique in its building, else on its site, else in the organization." example:"Chauffage à eau chaude"`
	BuildingID *string `json:"building_id" references:"buildings" filter:"equals" doc:"The building it serves; its site follows. Moving a system moves its assets." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SiteID     *string `json:"site_id" references:"sites" filter:"equals" doc:"The site it is on. Follows from building_id. As a filter: with everything in the site's buildings." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Code       *string `json:"code" maxLength:"50" unique:"true" auto:"SYS-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"SYS-0001"`
	Classification
	Status      string  `json:"status" default:"in_service" enum:"planned,in_service,out_of_service,decommissioned" filter:"equals" sort:"true" doc:"planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned; decommissioned → in_service." example:"in_service"`
	Description *string `json:"description" maxLength:"5000" doc:"What the system is." example:"Deux chaudières au gaz et leurs pompes"`
	Notes       *string `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Entretien annuel en septembre"`
	Lifecycle
	OutOfUse
}

func (f family) systems() resource.Definition[System] {
	return resource.Definition[System]{
		Collection: "systems", Table: "system", NaturalKey: "code", Category: "category", Words: categoryWords, Expansions: bookvalue.Expansions,
		Computed: lifecycleComputed(),
		Filters:  map[string]resource.Filter{"past_useful_life": pastUsefulLife},
		Transitions: resource.Transitions{Field: "status", Ended: []string{"decommissioned"}, From: map[string][]string{
			"planned":        {"in_service", "decommissioned"},
			"in_service":     {"out_of_service", "decommissioned"},
			"out_of_service": {"in_service", "decommissioned"},
			"decommissioned": {"in_service"},
		}},
		BeforeWrite: prepareSystems,
		AfterWrite:  f.moveWithSystems,
	}
}

func prepareSystems(ctx context.Context, tx pgx.Tx, changes []*resource.Change[System]) error {
	locations := make([]location, 0, len(changes))
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		var lifecycle *Lifecycle
		var classification *Classification
		if c.Before != nil {
			lifecycle, classification = &c.Before.Lifecycle, &c.Before.Classification
		}
		c.After.Lifecycle.check(lifecycle, c.FieldError)
		c.After.fillCategory(classification)
		c.After.rejectTyped(lifecycle, c.Sets, c.Reject)
		retirementOfSystem(c).check(resource.Today(ctx))
		locations = append(locations, locationOfSystem(c))
	}
	return resolveLocations(ctx, tx, locations)
}
