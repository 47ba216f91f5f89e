package table

import (
	"context"

	"ams.internal/libs/principal"
)

// VisibleTo is the condition over alias t that the caller may see a record; of a record below another one, that he may see both. It is
// empty where he may see all of the organization. In it $1 is the organization.
func (t *Table) VisibleTo(ctx context.Context) string {
	condition := ""
	if t.Visible != nil {
		if condition = t.Visible(principal.From(ctx)); condition != "" {
			condition = "(" + condition + ")"
		}
	}
	if t.Parent == "" {
		return condition
	}
	parent := t.Tables[t.Schema.Field(t.Parent).References]
	if parent == nil {
		return condition
	}
	above := parent.VisibleTo(ctx)
	if above == "" {
		return condition
	}
	if condition != "" {
		condition += " AND "
	}
	return condition + "t." + t.Parent + " IN (SELECT t.id FROM " + parent.Name + " t WHERE t.organization_id = $1 AND " + above + ")"
}

// AndVisible is VisibleTo behind other conditions: it begins with AND, and is empty where all may be seen.
func (t *Table) AndVisible(ctx context.Context) string {
	if condition := t.VisibleTo(ctx); condition != "" {
		return " AND " + condition
	}
	return ""
}

// Missing is the answer about a record that was not found among those that the caller may see: 404, unless the definition says more of one
// that he may not see.
func (t *Table) Missing(ctx context.Context, id string) error {
	if t.Hidden == nil || t.VisibleTo(ctx) == "" {
		return t.NotFound(id)
	}
	return t.Hidden(ctx, id)
}
