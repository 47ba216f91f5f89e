package forms

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/placement"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// FormResponse is a form that is being filled in, or was. A submitted one never changes.
type FormResponse struct {
	resource.Record
	TemplateID  string   `json:"template_id" required:"true" references:"form_templates" filter:"equals" doc:"The template, a published one. The response keeps to it, whatever becomes of the form later." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name        string   `json:"name" readOnly:"true" sort:"true" search:"name" doc:"The template's name." example:"Monthly pump inspection"`
	SiteID      *string  `json:"site_id" references:"sites" filter:"equals" doc:"The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is required." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID  *string  `json:"building_id" references:"buildings" filter:"equals" doc:"The building that it is about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SystemID    *string  `json:"system_id" references:"systems" filter:"equals" doc:"The system that it is about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID     *string  `json:"asset_id" references:"assets" filter:"equals" doc:"The asset that it is about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SegmentID   *string  `json:"segment_id" references:"segments" filter:"equals" doc:"The segment that it is about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	WorkOrderID *string  `json:"work_order_id" references:"work_orders" filter:"equals" doc:"The work order that it was filled in for." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Answers     Answers  `json:"answers" doc:"By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the form is submitted."`
	Status      string   `json:"status" readOnly:"true" enum:"in_progress,submitted" filter:"equals" facet:"true" sort:"true" doc:"Submitted by POST /v1/forms/responses/{id}/submit, and final then." example:"in_progress"`
	Score       *float64 `json:"score" readOnly:"true" filter:"range" sort:"true" doc:"100 × the weight of the items that passed ÷ the weight of those that were judged; null before it is submitted, and where nothing was judged." example:"87.5"`
	FailedItems []string `json:"failed_items" readOnly:"true" filter:"contains" doc:"The keys of the items that failed, once it is submitted."`
	SubmittedAt *string  `json:"submitted_at" readOnly:"true" format:"date-time" filter:"range" sort:"true" doc:"When it was submitted; updated_by is who did." example:"2026-11-21T14:00:00Z"`
	AmendsID    *string  `json:"amends_id" readOnly:"true" references:"form_responses" filter:"equals" doc:"The submitted response that this one corrects." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AmendReason *string  `json:"amend_reason" readOnly:"true" doc:"Why." example:"Le mauvais extincteur a été noté"`
	AmendedByID *string  `json:"amended_by_id" readOnly:"true" format:"uuid" doc:"The response that corrects this one." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

const (
	inProgress = "in_progress"
	submitted  = "submitted"
)

func (f forms) responses() resource.Definition[FormResponse] {
	return resource.Definition[FormResponse]{
		Collection: "form_responses", Table: "form_response",
		Computed: map[string]string{
			"amended_by_id": "(SELECT a.id FROM form_response a WHERE a.organization_id = t.organization_id AND a.amends_id = t.id)",
		},
		BeforeWrite: prepareResponses,
		Events: map[string]resource.Emits[FormResponse]{
			"form_response.submitted": resource.WhenUpdated(func(before, after *FormResponse) bool {
				return before.Status != submitted && after.Status == submitted
			}),
		},
	}
}

// subjects are the references of which a response has one, in the order of placement.Fields.
func (r *FormResponse) subjects() []*string {
	return []*string{r.SiteID, r.BuildingID, r.SystemID, r.AssetID, r.SegmentID}
}

// subject gives the field and the id of what a response is about.
func (r *FormResponse) subject() (field, id string) {
	return placement.One(r.subjects(), "", func(string, string, ...any) {}) // it was checked when it was written
}

func prepareResponses(ctx context.Context, tx pgx.Tx, changes []*resource.Change[FormResponse]) error {
	var ids []string
	for _, c := range changes {
		switch {
		case c.Before != nil && c.Before.Status == submitted:
			c.Reject(fault.Conflict("response_submitted", "status", submitted,
				"The form was submitted, and is final; correct it with POST /v1/forms/responses/%s/amend.", c.ID()))
		case c.After != nil:
			ids = append(ids, c.After.TemplateID)
		}
	}
	if ids == nil {
		return nil
	}
	found, err := readTemplates(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil || c.Before != nil && c.Before.Status == submitted {
			continue
		}
		c.After.check(c)
		template := found[c.After.TemplateID]
		if template == nil {
			continue // unknown ids were refused before
		}
		if c.Before == nil {
			c.After.Status, c.After.Name, c.After.FailedItems = inProgress, template.name, []string{}
			if template.status != published {
				refused, err := notPublished(ctx, tx, template)
				if err != nil {
					return err
				}
				c.Reject(refused)
			}
		}
		template.items.findWrong(c.After.Answers, c.FieldError)
	}
	return nil
}

func (r *FormResponse) check(c *resource.Change[FormResponse]) {
	placement.One(r.subjects(), "a form is about one record", c.FieldError)
	if c.Before != nil && c.Before.TemplateID != r.TemplateID {
		c.FieldError("template_id", "cannot be changed; begin another response with the other template")
	}
}

// notPublished is the 409 of a template that cannot be filled in. It names the revision that can.
func notPublished(ctx context.Context, tx pgx.Tx, template *templateRow) (*fault.Error, error) {
	e := fault.Conflict("template_not_published", "template_id", template.id, "The template %q is %s; publish it first.", template.name,
		template.status)
	var current string
	err := tx.QueryRow(ctx, `SELECT id::text FROM form_template WHERE organization_id = current_organization() AND name_key = unique_key($1)
		AND status = 'published'`, template.name).Scan(&current)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, nil
	}
	if err == nil {
		e.Message = "The template is " + template.status + "; fill in the published revision of " + template.name + ", " + current + "."
		e.ExistingID = current
	}
	return e, err
}
