package planning

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource"
)

// collectionOf is the collection of an element type, each of which another service has.
var collectionOf = map[string]string{"asset": "assets", "system": "systems", "building": "buildings", "segment": "segments"}

// namedIn calls see with each record that a scenario names beside classes and strategies: the field, the collection and the id.
func (s *Scenario) namedIn(see func(field, collection, id string)) {
	sites := func(field string, ids []string) {
		for i, id := range ids {
			see(entry(field, i), "sites", id)
		}
	}
	if s.Filter != nil {
		sites("filter.site_ids", s.Filter.SiteIDs)
	}
	for i, c := range s.Caps {
		sites(at("caps", i, "site_ids"), c.SiteIDs)
	}
	for i, o := range s.Overrides {
		see(at("overrides", i, "element_id"), collectionOf[o.ElementType], o.ElementID)
		if o.TreatmentID != nil {
			see(at("overrides", i, "treatment_id"), "treatments", *o.TreatmentID)
		}
	}
}

// findNamed objects to records that scenarios name and that the organization does not have. What a scenario named before is not looked up
// again: it may have been deleted since.
func (p *planning) findNamed(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Scenario]) error {
	wanted := map[string][]string{}
	earlier := make([]map[string]bool, len(changes))
	for i, c := range changes {
		if c.After == nil {
			continue
		}
		earlier[i] = map[string]bool{}
		if c.Before != nil {
			c.Before.namedIn(func(_, collection, id string) { earlier[i][collection+id] = true })
		}
		c.After.namedIn(func(_, collection, id string) {
			if !earlier[i][collection+id] {
				wanted[collection] = append(wanted[collection], id)
			}
		})
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := p.registry.Hold(ctx, tx, wanted)
	if err != nil {
		return err
	}
	for i, c := range changes {
		if c.After == nil {
			continue
		}
		c.After.namedIn(func(field, collection, id string) {
			if _, is := found[collection][id]; !is && !earlier[i][collection+id] {
				c.MissingError(field, "%s", catalogue.Product().Must(collection).Missing(id))
			}
		})
	}
	return nil
}
