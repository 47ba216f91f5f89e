package forms

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// FormSubmission is the body of a submit.
type FormSubmission struct {
	Answers Answers `json:"answers" doc:"Answers that are added, or null for one that is taken away; all others stay."`
}

// filled is a response as submitting needs it.
type filled struct {
	FormResponse
	template *templateRow
	earlier  *FormResponse // that it amends
}

// submission is what was found out before the transaction of a submit.
type submission struct {
	version int
	given   Answers
	outcome outcome
	effects []madeEffect
	done    bool // it was submitted with these answers before
}

type submissionKey struct{}

var submissionSchema = schema.Of[FormSubmission]()

func (f forms) mountSubmit() {
	f.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/forms/responses/{id}/submit", ID: "submit_form_response", Scope: scope + ":write", Feature: feature,
		Summary: "Submit a form",
		Description: "Drops the answers of hidden items, " +
			"computes the score, and makes deficiencies and work orders of failed items, with the rights of " +
			"whoever published the template. 400 names every required item without an answer. Sent again with the same answers it changes nothing.",
		Parameters: []transport.Parameter{idParameter}, Body: submissionSchema.JSON, BodyName: "FormSubmission",
		Response: transport.Reference("FormResponse"), Versioned: true, Before: f.beforeSubmit,
	}, f.submit)
}

// beforeSubmit evaluates the form, and asks those who would make records of failed items, before any transaction.
func (f forms) beforeSubmit(ctx context.Context, r *transport.Request) (context.Context, error) {
	id, err := r.ID("id")
	if err != nil {
		return ctx, err
	}
	if err := r.CheckQuery(); err != nil {
		return ctx, err
	}
	given, err := readAnswers(r)
	if err != nil {
		return ctx, err
	}
	var form *filled
	err = f.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		form, err = readFilled(ctx, tx, id)
		return err
	})
	if err != nil {
		return ctx, postgres.Fault(err, nil)
	}
	s := &submission{version: form.Version, given: given}
	answers := merged(form.Answers, given)
	if form.Status == submitted {
		if !reflect.DeepEqual(answers, form.Answers) {
			return ctx, fault.Conflict("response_submitted", "status", submitted,
				"The form was submitted with other answers, and is final; correct it with POST /v1/forms/responses/%s/amend.", id)
		}
		s.done = true
		return context.WithValue(ctx, submissionKey{}, s), nil
	}
	if s.outcome, err = form.evaluate(answers); err != nil {
		return ctx, err
	}
	if err := f.checkPhotos(ctx, form.template.items, s.outcome.answers); err != nil {
		return ctx, err
	}
	if s.effects, err = f.effectsOf(ctx, form, s.outcome); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, submissionKey{}, s), f.checkEffects(ctx, s.effects)
}

// readAnswers reads the body of a submit, in which null takes an answer away.
func readAnswers(r *transport.Request) (Answers, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	var given FormSubmission
	nulls := map[string]bool{}
	if members, is := body["answers"].(map[string]any); is {
		for key, value := range members {
			nulls[key] = value == nil
		}
	}
	if problems := submissionSchema.Read(body, "", reflect.ValueOf(&given).Elem(), nil); len(problems) > 0 {
		return nil, problems.Err()
	}
	for key, null := range nulls {
		if null {
			given.Answers[key] = nil
		}
	}
	return given.Answers, nil
}

// merged are the answers with those that were given; null takes one away.
func merged(answers, given Answers) Answers {
	all := Answers{}
	for _, each := range []Answers{answers, given} {
		for key, value := range each {
			if all[key] = value; value == nil {
				delete(all, key)
			}
		}
	}
	return all
}

// evaluate gives the outcome of a form that can be submitted; the error is a 400 that names what is missing or wrong.
func (form *filled) evaluate(answers Answers) (outcome, error) {
	var problems schema.Problems
	form.template.items.findWrong(answers, problems.Add)
	if err := problems.Err(); err != nil {
		return outcome{}, err
	}
	o := form.template.items.evaluate(answers)
	for _, key := range o.missing {
		problems.Add("answers."+key, "is required")
	}
	return o, problems.Err()
}

const filledColumns = `r.id::text, r.version, r.template_id::text, r.site_id::text, r.building_id::text, r.system_id::text,
	r.asset_id::text, r.segment_id::text, r.work_order_id::text, r.answers, r.status, r.failed_items, r.amends_id::text`

// readFilled reads a response with its template, and the response that it amends.
func readFilled(ctx context.Context, tx pgx.Tx, id string) (*filled, error) {
	rows, err := tx.Query(ctx, `SELECT `+filledColumns+` FROM form_response r WHERE r.organization_id = current_organization() AND r.id = $1
		UNION ALL SELECT `+filledColumns+` FROM form_response o JOIN form_response r ON r.organization_id = o.organization_id
			AND r.id = o.amends_id
		WHERE o.organization_id = current_organization() AND o.id = $1`, id)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r FormResponse, err error) {
		err = row.Scan(&r.ID, &r.Version, &r.TemplateID, &r.SiteID, &r.BuildingID, &r.SystemID, &r.AssetID, &r.SegmentID, &r.WorkOrderID,
			&r.Answers, &r.Status, &r.FailedItems, &r.AmendsID)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	form := &filled{}
	for i := range all {
		if all[i].ID == id {
			form.FormResponse = all[i]
		} else {
			form.earlier = &all[i]
		}
	}
	if form.ID == "" {
		return nil, fault.NotFound("form response", id)
	}
	templates, err := readTemplates(ctx, tx, []string{form.TemplateID})
	if err != nil {
		return nil, err
	}
	if form.template = templates[form.TemplateID]; form.template == nil {
		return nil, errors.New("a response has no template")
	}
	return form, nil
}

// submit writes what beforeSubmit found, if the response is still the one that it looked at.
func (f forms) submit(ctx context.Context, r *transport.Request) (response *transport.Response, err error) {
	s, _ := ctx.Value(submissionKey{}).(*submission)
	id := r.Path("id")
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if !s.done {
			if err := f.finish(ctx, tx, id, s); err != nil {
				return err
			}
		}
		response, err = f.registry.Show(ctx, tx, "form_responses", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}

func (f forms) finish(ctx context.Context, tx pgx.Tx, id string, s *submission) error {
	var version int
	var status string
	err := tx.QueryRow(ctx, `SELECT version, status FROM form_response WHERE organization_id = current_organization() AND id = $1
		FOR NO KEY UPDATE`, id).Scan(&version, &status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.NotFound("form response", id)
	case err != nil:
		return err
	case version != s.version || status != inProgress:
		return fault.Conflict("version_conflict", "version", version,
			"The form was changed, or submitted, while it was being submitted; read it and submit it again.")
	}
	answers, failed := marshal(s.outcome.answers), marshal(keysOf(s.outcome.failed))
	if err := f.registry.UpdateWhere(ctx, tx, "form_responses", []string{"answers", "status", "score", "failed_items", "submitted_at"},
		`SELECT r.id, $3::jsonb AS answers, 'submitted' AS status, $4::numeric AS score, $5::jsonb AS failed_items,
			$6::timestamptz AS submitted_at
			FROM form_response r WHERE r.organization_id = $1 AND r.id = $2::uuid`,
		id, answers, s.outcome.score, failed, time.Now().UTC().Truncate(time.Microsecond)); err != nil {
		return err
	}
	return f.addEffects(ctx, tx, id, s.effects)
}

// checkEffects finds what the owners would refuse of planned effects.
func (f forms) checkEffects(ctx context.Context, made []madeEffect) error {
	if len(made) == 0 {
		return nil
	}
	instructions := make([]effects.Instruction, len(made))
	for i := range made {
		instructions[i] = made[i].Instruction
	}
	refused, err := effects.Check(ctx, f.references, instructions)
	if err != nil {
		return err
	}
	return effects.Err(refused, func(i int) string { return "answers." + made[i].item })
}

func marshal(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic("forms: " + err.Error()) // of what was read from JSON
	}
	return string(encoded)
}
