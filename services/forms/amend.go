package forms

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// amendment asks for a correction of a submitted response.
type amendment struct {
	ID     string `path:"id" format:"uuid" doc:"The response."`
	Reason string `json:"reason" required:"true" maxLength:"1000" doc:"Why it is corrected." example:"Le mauvais extincteur a été noté"`
}

var amendmentSchema = schema.Of[amendment]()

// mountAmend serves the correction of a submitted form: another response, with the answers of the first, which stays as it is.
func (f forms) mountAmend() {
	f.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/forms/responses/{id}/amend", ID: "amend_form_response", Scope: scope + ":write", Feature: feature,
		Summary: "Correct a submitted form",
		Description: "Answers another response in progress, " +
			"with the template, subject and answers of this one, which stays as it is. Change and submit " +
			"that. Items that had failed before make nothing a second time. A response is corrected once; correct the correction from then on.",
		Parameters: []transport.Parameter{idParameter}, Body: amendmentSchema.JSON, BodyName: "FormAmendment",
		Response: transport.Reference("FormResponse"), Status: http.StatusCreated, Versioned: true,
	}, f.amend)
}

func (f forms) amend(ctx context.Context, r *transport.Request) (response *transport.Response, err error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	var in amendment
	if problems := amendmentSchema.Read(body, "", reflect.ValueOf(&in).Elem(), nil); len(problems) > 0 {
		return nil, problems.Err()
	}
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		next, err := f.correction(ctx, tx, id)
		if err != nil {
			return err
		}
		next.AmendReason = &in.Reason
		if err := resource.Insert(ctx, tx, f.registry, "form_responses", []*FormResponse{next}); err != nil {
			return err
		}
		if response, err = f.registry.Show(ctx, tx, "form_responses", next.ID); err != nil {
			return err
		}
		response.Status = http.StatusCreated
		response.SetHeader("Location", "/v1/forms/responses/"+next.ID)
		return nil
	})
	return response, postgres.Fault(err, nil)
}

// correction is a new response with the answers of a submitted one, which is locked so that it is corrected once.
func (f forms) correction(ctx context.Context, tx pgx.Tx, id string) (*FormResponse, error) {
	next := resource.New[FormResponse](f.registry, "form_responses")
	var status string
	err := tx.QueryRow(ctx, `SELECT template_id::text, name, site_id::text, building_id::text, system_id::text, asset_id::text,
		segment_id::text, work_order_id::text, answers, status
		FROM form_response WHERE organization_id = current_organization() AND id = $1 FOR NO KEY UPDATE`, id).Scan(&next.TemplateID, &next.Name,
		&next.SiteID, &next.BuildingID, &next.SystemID, &next.AssetID, &next.SegmentID, &next.WorkOrderID, &next.Answers, &status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fault.NotFound("form response", id)
	case err != nil:
		return nil, err
	case status != submitted:
		return nil, fault.Conflict("response_in_progress", "status", status, "The form is not submitted yet; change it with PATCH.")
	}
	var existing string
	err = tx.QueryRow(ctx, `SELECT id::text FROM form_response
		WHERE organization_id = current_organization() AND amends_id = $1`, id).Scan(&existing)
	if err == nil {
		e := fault.Conflict("response_amended", "amends_id", id, "The form is corrected by %s already; correct that one.", existing)
		e.ExistingID = existing
		return nil, e
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	next.AmendsID, next.Status, next.FailedItems = &id, inProgress, []string{}
	return next, nil
}
