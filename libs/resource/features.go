package resource

import (
	"context"
	"slices"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
)

// refuseFeatures objects to changes that begin to refer to records of a family that the organization's plan does not
// include, and gives the others. References that are there already may stay when a plan shrinks.
func (c *collection[T]) refuseFeatures(ctx context.Context, changes []*Change[T]) []*Change[T] {
	var permitted []*Change[T]
	p := principal.From(ctx)
	for _, change := range changes {
		missing := ""
		for _, f := range c.schema.Fields {
			if f.References == "" || f.ReadOnly {
				continue
			}
			row, _ := c.registry.Catalogue.Find(c.referred(f, change.After))
			feature := row.Feature
			if p.Has(feature) {
				continue
			}
			var before []string
			if change.Before != nil {
				before = idsOf(f, change.Before)
			}
			if slices.ContainsFunc(idsOf(f, change.After), func(id string) bool { return !slices.Contains(before, id) }) {
				missing = feature
			}
		}
		if missing == "" {
			permitted = append(permitted, change)
		} else {
			change.Reject(endpoint.NotInPlan(missing))
		}
	}
	return permitted
}
