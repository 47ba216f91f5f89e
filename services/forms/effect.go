package forms

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// madeEffect is what an item of a form does to another record.
type madeEffect struct {
	effects.Instruction
	item string
}

// effectsOf are the effects of a form that is being submitted: of failed items, and of meters that were read. An amendment has those only
// that the response before has not had.
func (f forms) effectsOf(ctx context.Context, form *filled, o outcome) ([]madeEffect, error) {
	var made []madeEffect
	add := func(item *FormItem, kind string, payload map[string]any) error {
		if err := effectAllowed(ctx, form.template.scopes, kind, payload); err != nil {
			return err
		}
		made = append(made, madeEffect{item: item.Key, Instruction: effects.Instruction{
			ID: uuid.Must(uuid.NewV7()).String(), Kind: kind, Stage: effects.Completed, Payload: payload, On: resource.Today(ctx),
			Cause: effects.Cause{Collection: "form_responses", ID: form.ID},
		}})
		return nil
	}
	for _, item := range o.failed {
		if form.hadFailed(item.Key) {
			continue
		}
		var err error
		switch item.onFail() {
		case "deficiency":
			err = add(item, "create_deficiency", map[string]any{"deficiency": form.deficiency(item, o.answers, resource.Today(ctx))})
		case "work_order":
			err = add(item, "create_work_order", map[string]any{"work_order": form.workOrder(item, o.answers)})
		}
		if err != nil {
			return nil, err
		}
	}
	return made, f.addReadings(ctx, form, o, add)
}

// hadFailed says whether an item has failed in the response that this one amends.
func (form *filled) hadFailed(key string) bool {
	if form.earlier == nil {
		return false
	}
	for _, failed := range form.earlier.FailedItems {
		if failed == key {
			return true
		}
	}
	return false
}

const maxTitle = 200

// title is what a record is called that is made of a failed item: its label, with what was answered.
func (item *FormItem) title(answers Answers) string {
	text := item.Label + ": " + inWords(answers[item.Key])
	if long := []rune(text); len(long) > maxTitle {
		return string(long[:maxTitle-1]) + "…"
	}
	return text
}

func (form *filled) deficiency(item *FormItem, answers Answers, today string) map[string]any {
	field, id := form.subject()
	body := map[string]any{"title": item.title(answers), field: id, "source": "form", "source_id": form.ID, "found_on": today}
	if item.Category != nil {
		body["category"] = *item.Category
	}
	if item.Priority != nil {
		body["priority"] = *item.Priority
	}
	return body
}

func (form *filled) workOrder(item *FormItem, answers Answers) map[string]any {
	field, id := form.subject()
	body := map[string]any{"title": item.title(answers), field: id, "type": "corrective",
		"description": fmt.Sprintf("Failed in %s, item %s.", form.template.name, item.Key)}
	if item.Priority != nil {
		body["priority"] = *item.Priority
	}
	return body
}

// addReadings adds the readings of the subject's meters.
func (f forms) addReadings(ctx context.Context, form *filled, o outcome, add func(*FormItem, string, map[string]any) error) error {
	_, subject := form.subject()
	for i := range form.template.items {
		item := &form.template.items[i]
		value, answered := o.answers[item.Key]
		if item.Meter == nil || !answered || form.earlier != nil && form.earlier.Answers[item.Key] == value {
			continue
		}
		found, err := meters.Usages.Call(ctx, f.references,
			meters.UsageQuery{Name: *item.Meter, Records: []meters.UsageRecord{{ID: subject}}})
		if err != nil {
			return err
		}
		if len(found.Data) == 0 {
			return fault.InvalidFields(fault.Field{Field: "answers." + item.Key,
				Message: fmt.Sprintf("the subject has no meter called %q; make one, or leave the answer out", *item.Meter)})
		}
		payload := map[string]any{"meter_id": found.Data[0].MeterID, "value": value}
		if item.Unit != nil {
			payload["unit"] = *item.Unit
		}
		if err := add(item, "read_meter", payload); err != nil {
			return err
		}
	}
	return nil
}

// addEffects keeps effects in the transaction of the submit, and queues their instructions.
func (f forms) addEffects(ctx context.Context, tx pgx.Tx, response string, made []madeEffect) error {
	if len(made) == 0 {
		return nil
	}
	var ids, items, kinds, payloads []string
	instructions := make([]effects.Instruction, len(made))
	for i, e := range made {
		instructions[i] = e.Instruction
		ids, items, kinds, payloads = append(ids, e.ID), append(items, e.item), append(kinds, e.Kind), append(payloads, marshal(e.Payload))
	}
	if _, err := tx.Exec(ctx, `INSERT INTO form_effect (organization_id, id, response_id, item_key, kind, payload, state)
		SELECT current_organization(), e.id, $1::uuid, e.item, e.kind, e.payload::jsonb, 'pending'
		FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS e (id, item, kind, payload)`, response, ids, items, kinds,
		payloads); err != nil {
		return err
	}
	return effects.Add(ctx, tx, instructions)
}

// recordAnswers keeps what the owners of other records have answered.
func recordAnswers(ctx context.Context, tx pgx.Tx, answers []effects.Result) error {
	var ids, states, messages []string
	var results []*string
	for _, a := range answers {
		ids, states, messages = append(ids, a.ID), append(states, string(a.Outcome)), append(messages, a.Message)
		results = append(results, a.ResultID)
	}
	rows, err := tx.Query(ctx, `UPDATE form_effect e SET state = a.state, result_id = a.result_id::uuid, message = nullif(a.message, ''),
			answered_at = clock_timestamp()
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS a (id, state, message, result_id), form_response r
		WHERE e.organization_id = current_organization() AND e.id = a.id AND e.id = ANY($1) AND r.organization_id = e.organization_id
			AND r.id = e.response_id
		RETURNING r.id::text, r.version, `+effectColumns, ids, states, messages, results)
	if err != nil {
		return err
	}
	events, err := pgx.CollectRows(rows, refusalOf)
	if err != nil {
		return err
	}
	return outbox.Add(ctx, tx, slices.DeleteFunc(events, func(e outbox.Event) bool { return e.Type == "" }))
}

// refusalOf is the event of an effect that was refused; without a type of one that was not.
func refusalOf(row pgx.CollectableRow) (event outbox.Event, err error) {
	event = outbox.Event{Collection: "form_responses", Changed: []string{}, Previous: json.RawMessage("{}")}
	e, err := scanEffect(row, &event.RecordID, &event.Version)
	if e.State == string(effects.Refused) {
		event.Type, event.Object = "form_response.effect_refused", json.RawMessage(marshal(e))
	}
	return event, err
}

// FormEffect is what a submitted form has made, or makes, of an item.
type FormEffect struct {
	ID         string         `json:"id" format:"uuid" doc:"Of the effect."`
	ItemKey    string         `json:"item_key" doc:"The item that it is of."`
	Kind       string         `json:"kind" enum:"create_deficiency,create_work_order,read_meter" doc:"What is done."`
	Payload    map[string]any `json:"payload" doc:"The record that is made, or the reading."`
	State      string         `json:"state" enum:"pending,applied,refused,withdrawn" doc:"pending: not answered yet. refused: message says why; retry or withdraw it."`
	ResultID   *string        `json:"result_id" format:"uuid" doc:"The record that was made."`
	Message    *string        `json:"message" doc:"Why it was refused."`
	CreatedAt  string         `json:"created_at" format:"date-time"`
	AnsweredAt *string        `json:"answered_at" format:"date-time"`
}

// FormEffects are the effects of a response.
type FormEffects struct {
	Data []FormEffect `json:"data" doc:"In the order of the items."`
}

type responseRequest struct {
	ID string `path:"id" format:"uuid" doc:"The response."`
}

type effectRequest struct {
	ID       string `path:"id" format:"uuid" doc:"The response."`
	EffectID string `path:"effect_id" format:"uuid" doc:"The effect."`
}

func (f forms) mountEffects() {
	api := f.registry.API
	transport.Get(api, transport.Operation{
		Path: "/v1/forms/responses/{id}/effects", ID: "list_form_response_effects", ResponseName: "FormEffectList", RowName: "FormEffect",
		Scope: scope + ":read", Feature: feature, Summary: "List what a form has made",
		Description: "Deficiencies and work orders of failed items, and readings of meters, with their states.",
	}, f.listEffects)
	transport.Post(api, transport.Operation{
		Path: "/v1/forms/responses/{id}/effects/{effect_id}/retry", ID: "retry_form_response_effect", ResponseName: "FormEffect",
		Scope: scope + ":write", Feature: feature, Summary: "Try a refused effect of a form again",
		Description: "For when what spoke against it was mended. It is pending then. What was applied never happens again: 409.",
	}, func(ctx context.Context, in effectRequest) (FormEffect, error) { return f.decide(ctx, in, "pending") })
	transport.Post(api, transport.Operation{
		Path: "/v1/forms/responses/{id}/effects/{effect_id}/withdraw", ID: "withdraw_form_response_effect", ResponseName: "FormEffect",
		Scope: scope + ":write", Feature: feature, Summary: "Give a refused effect of a form up",
		Description: "It comes to nothing, and is not tried again. What was applied stays: 409.",
	}, func(ctx context.Context, in effectRequest) (FormEffect, error) { return f.decide(ctx, in, "withdrawn") })
}

const effectColumns = "e.id::text, e.item_key, e.kind, e.payload, e.state, e.result_id::text, e.message, e.created_at, e.answered_at"

// scanEffect reads effectColumns, and what stands before them.
func scanEffect(row pgx.CollectableRow, before ...any) (e FormEffect, err error) {
	var created time.Time
	var answered *time.Time
	err = row.Scan(append(before, &e.ID, &e.ItemKey, &e.Kind, &e.Payload, &e.State, &e.ResultID, &e.Message, &created, &answered)...)
	e.CreatedAt = created.UTC().Format(time.RFC3339Nano)
	if answered != nil {
		text := answered.UTC().Format(time.RFC3339Nano)
		e.AnsweredAt = &text
	}
	return e, err
}

func oneEffect(row pgx.CollectableRow) (FormEffect, error) { return scanEffect(row) }

func (f forms) listEffects(ctx context.Context, in responseRequest) (list FormEffects, err error) {
	err = f.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := f.registry.Show(ctx, tx, "form_responses", in.ID); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT "+effectColumns+` FROM form_effect e WHERE e.organization_id = current_organization()
			AND e.response_id = $1
			ORDER BY e.id`, in.ID)
		if err != nil {
			return err
		}
		list.Data, err = pgx.CollectRows(rows, oneEffect)
		if list.Data == nil {
			list.Data = []FormEffect{}
		}
		return err
	})
	return list, postgres.Fault(err, nil)
}

// decide sends a refused effect again, or gives it up.
func (f forms) decide(ctx context.Context, in effectRequest, state string) (shown FormEffect, err error) {
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT "+effectColumns+` FROM form_effect e WHERE e.organization_id = current_organization()
			AND e.response_id = $1
			AND e.id = $2 FOR UPDATE`, in.ID, in.EffectID)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, oneEffect)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.NotFound("form effect", in.EffectID)
		}
		shown = found[0]
		if shown.State != "refused" {
			return fault.Conflict("effect_not_refused", "state", shown.State,
				"The effect is %s; only a refused one can be tried again or given up.", shown.State)
		}
		shown.State, shown.Message = state, nil
		if _, err := tx.Exec(ctx, `UPDATE form_effect SET state = $3, message = NULL WHERE organization_id = current_organization()
			AND response_id = $1 AND id = $2`, in.ID, in.EffectID, state); err != nil {
			return err
		}
		action := map[string]string{"pending": "effect_retried", "withdrawn": "effect_withdrawn"}[state]
		if err := f.registry.Audit(ctx, tx, "form_responses", in.ID, action,
			map[string]any{"effect_id": shown.ID, "item_key": shown.ItemKey}); err != nil {
			return err
		}
		if state != "pending" {
			return nil
		}
		return effects.Add(ctx, tx, []effects.Instruction{{ID: shown.ID, Kind: shown.Kind, Stage: effects.Completed, Payload: shown.Payload,
			On: resource.Today(ctx), Cause: effects.Cause{Collection: "form_responses", ID: in.ID}}})
	})
	return shown, postgres.Fault(err, nil)
}
