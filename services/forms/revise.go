package forms

import (
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// mountRevise serves the next revision of a form: a draft with the items of a published or archived one.
func (f forms) mountRevise() {
	f.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/forms/templates/{id}/revise", ID: "revise_form_template", Scope: scope + ":write", Feature: feature,
		Summary: "Make the next revision of a form template",
		Description: "Answers a draft with the name, description and items of this one. When it is published, " +
			"the revision before is archived; what was begun with that is submitted with it. 409 while the form has a draft.",
		Parameters: []transport.Parameter{idParameter}, Response: transport.Reference("FormTemplate"), Status: http.StatusCreated,
		Versioned: true,
	}, f.revise)
}

func (f forms) revise(ctx context.Context, r *transport.Request) (response *transport.Response, err error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		next := resource.New[FormTemplate](f.registry, "form_templates")
		var status string
		err := tx.QueryRow(ctx, `SELECT name, description, status, items FROM form_template
			WHERE organization_id = current_organization() AND id = $1 FOR KEY SHARE`, id).Scan(&next.Name, &next.Description, &status, &next.Items)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound("form template", id)
		}
		if err != nil {
			return err
		}
		if err := f.numberRevision(ctx, tx, next); err != nil {
			return err
		}
		if err := resource.Insert(ctx, tx, f.registry, "form_templates", []*FormTemplate{next}); err != nil {
			return err
		}
		if response, err = f.registry.Show(ctx, tx, "form_templates", next.ID); err != nil {
			return err
		}
		response.Status = http.StatusCreated
		response.SetHeader("Location", "/v1/forms/templates/"+next.ID)
		return nil
	})
	return response, postgres.Fault(err, nil)
}

// numberRevision gives a revision the next number of its form, of which there may be one draft. Two at once wait for each other.
func (f forms) numberRevision(ctx context.Context, tx pgx.Tx, next *FormTemplate) error {
	if _, err := tx.Exec(ctx, `SELECT FROM form_template WHERE organization_id = current_organization() AND name_key = unique_key($1)
		ORDER BY id FOR NO KEY UPDATE`, next.Name); err != nil {
		return err
	}
	var last int
	var open *string
	if err := tx.QueryRow(ctx, `SELECT max(revision), max(id::text) FILTER (WHERE status = 'draft') FROM form_template
		WHERE organization_id = current_organization() AND name_key = unique_key($1)`, next.Name).Scan(&last, &open); err != nil {
		return err
	}
	if open != nil {
		e := fault.Conflict("draft_exists", "name", next.Name,
			"The form %q has a draft already; change and publish that one, or delete it.", next.Name)
		e.ExistingID = *open
		return e
	}
	next.Revision, next.Status, next.EffectScopes = last+1, draft, []string{}
	return nil
}
