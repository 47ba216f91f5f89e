package links

import (
	"context"
	"slices"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// RejectUnplanned objects to changes that begin to refer to records of a family that the organization's plan does not
// include, and gives the others. References that are there already may stay when a plan shrinks.
func RejectUnplanned(ctx context.Context, t *table.Table, changes []*change.Change) []*change.Change {
	var permitted []*change.Change
	p := principal.From(ctx)
	for _, c := range changes {
		missing := ""
		for _, f := range t.Schema.Fields {
			if f.References == "" || f.ReadOnly {
				continue
			}
			row, _ := t.Catalogue.Find(referred(t, f, c.After))
			feature := row.Feature
			if p.Has(feature) {
				continue
			}
			var before []string
			if c.Before != nil {
				before = idsOf(f, c.Before)
			}
			if slices.ContainsFunc(idsOf(f, c.After), func(id string) bool { return !slices.Contains(before, id) }) {
				missing = feature
			}
		}
		if missing == "" {
			permitted = append(permitted, c)
		} else {
			c.Reject(endpoint.NotInPlan(missing))
		}
	}
	return permitted
}
