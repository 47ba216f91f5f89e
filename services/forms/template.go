package forms

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// FormTemplate is one revision of a form: its questions, and what is made of failed ones. A published one never changes.
type FormTemplate struct {
	resource.Record
	Name         string    `json:"name" required:"true" unique:"revision" filter:"prefix" sort:"true" search:"name" doc:"Of the form; its revisions share it." example:"Monthly pump inspection"`
	Revision     int       `json:"revision" readOnly:"true" filter:"range" sort:"true" doc:"Counts the revisions of the form from 1." example:"1"`
	Description  *string   `json:"description" maxLength:"5000" search:"text" doc:"What the form is for." example:"Inspection mensuelle des pompes"`
	Status       string    `json:"status" default:"draft" enum:"draft,published,archived" filter:"equals" facet:"true" sort:"true" doc:"draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision archives the one before." example:"draft"`
	Items        FormItems `json:"items" maxItems:"300" doc:"The questions, in their order. Conditions look at earlier items only."`
	EffectScopes []string  `json:"effect_scopes" readOnly:"true" doc:"What failed items may do, as scopes of whoever published it: who submits the form needs forms:write only."`
	PublishedAt  *string   `json:"published_at" readOnly:"true" format:"date-time" filter:"range" sort:"true" doc:"When it was published." example:"2026-11-21T14:00:00Z"`
}

const (
	draft     = "draft"
	published = "published"
	archived  = "archived"
)

func (f forms) templates() resource.Definition[FormTemplate] {
	return resource.Definition[FormTemplate]{
		Collection: "form_templates", Table: "form_template",
		Transitions: resource.Transitions{Field: "status", From: map[string][]string{draft: {published}, published: {archived}}, With: []string{},
			Ended: []string{archived}},
		BeforeWrite: prepareTemplates,
		AfterWrite:  f.archiveEarlier,
	}
}

func prepareTemplates(ctx context.Context, _ pgx.Tx, changes []*resource.Change[FormTemplate]) error {
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		was := draft
		if c.Before == nil {
			c.After.Revision, c.After.EffectScopes = 1, []string{}
		} else {
			was = c.Before.Status
			keepFrozen(c)
		}
		switch {
		case c.Before == nil && c.After.Status == archived:
			c.FieldError("status", "must be draft or published for a new template")
		case was == draft && c.After.Status == published:
			publish(ctx, c)
		}
	}
	return nil
}

// publish checks that the form can be filled in, and that who publishes it may do what failed items do.
func publish(ctx context.Context, c *resource.Change[FormTemplate]) {
	if !slices.ContainsFunc(c.After.Items, func(i FormItem) bool { return i.Type != "section" }) {
		c.FieldError("items", "must have a question before the template is published")
		return
	}
	scopes, refused := c.After.Items.scopes(principal.From(ctx))
	if refused != nil {
		c.Reject(refused)
		return
	}
	now := time.Now().UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	c.After.EffectScopes, c.After.PublishedAt = scopes, &now
}

// scopes are what the failed items of a form need and the principal has. The error is a 403 for what it has not.
func (items FormItems) scopes(p principal.Principal) ([]string, *fault.Error) {
	scopes := []string{}
	need := func(wanted ...string) *fault.Error { // one of them
		found := false
		for _, scope := range wanted {
			if p.Allows(scope) && !(scope == "infrastructure:write" && !p.Has("infrastructure")) {
				found = true
				if !slices.Contains(scopes, scope) {
					scopes = append(scopes, scope)
				}
			}
		}
		if found {
			return nil
		}
		e := fault.Forbidden("insufficient_scope", "Failed items of this form need the scope %s; publish it with a key that has it.", wanted[0])
		e.Required, e.Scopes = wanted[0], p.Scopes
		return e
	}
	for i := range items {
		var refused *fault.Error
		switch items[i].onFail() {
		case "deficiency":
			refused = need("deficiencies:write", "infrastructure:write")
		case "work_order":
			refused = need("work_orders:write")
		}
		if refused == nil && items[i].Meter != nil {
			refused = need("meters:write")
		}
		if refused != nil {
			return nil, refused
		}
	}
	slices.Sort(scopes)
	return scopes, nil
}

// archiveEarlier archives the published revisions that a new one takes the place of.
func (f forms) archiveEarlier(ctx context.Context, tx pgx.Tx, changes []*resource.Change[FormTemplate]) error {
	var fresh []string
	for _, c := range changes {
		if c.After != nil && c.After.Status == published && (c.Before == nil || c.Before.Status != published) {
			fresh = append(fresh, c.ID())
		}
	}
	if fresh == nil {
		return nil
	}
	return f.registry.UpdateWhere(ctx, tx, "form_templates", []string{"status"}, `
		SELECT DISTINCT e.id, 'archived' AS status FROM form_template n
		JOIN form_template e ON e.organization_id = n.organization_id AND e.name_key = n.name_key AND e.revision < n.revision
		WHERE n.organization_id = $1 AND n.id = ANY($2::uuid[]) AND e.status = 'published'`, fresh)
}

// keepFrozen objects to changes of what a published template asks, and to another name of one revision among several.
func keepFrozen(c *resource.Change[FormTemplate]) {
	if c.Before.Status == draft {
		if c.Before.Revision > 1 && c.Before.Name != c.After.Name {
			c.FieldError("name", "is %q in revision %d as in the others; make another template for another form", c.Before.Name, c.Before.Revision)
		}
		return
	}
	for field, same := range map[string]bool{"name": c.Before.Name == c.After.Name,
		"description": resource.Same(c.Before.Description, c.After.Description), "items": reflect.DeepEqual(c.Before.Items, c.After.Items)} {
		if !same {
			c.Reject(fault.Conflict("template_frozen", field, nil, "The template is %s, and its %s does not change any more; "+
				"make the next revision with POST /v1/forms/templates/%s/revise.", c.Before.Status, field, c.ID()))
			return
		}
	}
}

// effectAllowed says whether a template's scopes cover an effect: of its kind on the record of its payload.
func effectAllowed(ctx context.Context, scopes []string, kind string, payload map[string]any) error {
	row, err := effects.Owner(kind, payload)
	if err != nil {
		return err
	}
	if !principal.From(ctx).Has(row.Feature) {
		return endpoint.NotInPlan(row.Feature)
	}
	if needed := row.Scope + ":write"; !slices.Contains(scopes, needed) {
		e := fault.Forbidden("insufficient_scope", "A failed item would make a record that needs the scope %s, "+
			"which whoever published the template did not have; publish its next revision with a key that has it.", needed)
		e.Required, e.Scopes = needed, scopes
		return e
	}
	return nil
}

// templateRow is a template as rules need it.
type templateRow struct {
	id, name, status string
	items            FormItems
	scopes           []string
}

// readTemplates gives templates by id.
func readTemplates(ctx context.Context, tx pgx.Tx, ids []string) (map[string]*templateRow, error) {
	rows, err := tx.Query(ctx, `SELECT id::text, name, status, items, effect_scopes FROM form_template
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]*templateRow{}
	for rows.Next() {
		t := &templateRow{}
		if err := rows.Scan(&t.id, &t.name, &t.status, &t.items, &t.scopes); err != nil {
			return nil, fmt.Errorf("read a template: %w", err)
		}
		found[t.id] = t
	}
	return found, rows.Err()
}
