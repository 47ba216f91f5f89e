package table

import (
	"context"
	"slices"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
)

// For is the table as the caller may see it: a column whose values are private to a scope that he has not is NULL in every record, and
// Withheld. It is the table itself where he may see all.
func (t *Table) For(ctx context.Context) *Table {
	p, seen := principal.From(ctx), t
	for i, c := range t.Columns {
		if c.PrivateTo == "" || p.Allows(c.PrivateTo) {
			continue
		}
		if seen == t {
			copied := *t
			copied.Columns, seen = slices.Clone(t.Columns), &copied
		}
		withheld := *c
		withheld.SQL, withheld.Withheld = "NULL::"+SQLType(c.Field), true
		withheld.append = func(dst, _ []byte) []byte { return append(dst, "null"...) }
		seen.Columns[i] = &withheld
	}
	return seen
}

// MayQuery refuses to filter, order or group by columns that are withheld from the caller.
func MayQuery(ctx context.Context, columns ...*Column) error {
	for _, c := range columns {
		if c.Withheld {
			return endpoint.ScopeMissing(principal.From(ctx), c.PrivateTo,
				"%s is personal data: filters and orders by it need the scope %s.", c.Name, c.PrivateTo)
		}
	}
	return nil
}
