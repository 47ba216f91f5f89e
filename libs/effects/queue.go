package effects

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
)

// Owner gives the collection that an instruction changes, by its kind and payload. A payload that names nothing is an error.
func Owner(kind string, payload map[string]any) (catalogue.Collection, error) {
	row, _, err := ownerOf(kind, payload)
	return row, err
}

func ownerOf(kind string, payload map[string]any) (row catalogue.Collection, id string, err error) {
	known, found := catalogue.FindEffectKind(kind)
	if !found {
		return row, "", fault.InvalidFields(fault.Field{Field: "kind", Message: fmt.Sprintf("is no effect: %.50q", kind)})
	}
	target, id, field, problem := known.Target(payload)
	if problem != "" {
		name := "payload"
		if field != "" {
			name += "." + field
		}
		return row, "", fault.InvalidFields(fault.Field{Field: name, Message: problem})
	}
	if id != "" && !schema.IsUUID(id) {
		return row, "", fault.InvalidFields(fault.Field{Field: "payload." + target.Field, Message: "must be the id of a record"})
	}
	row, found = catalogue.Product().Find(target.Collection)
	if !found {
		return row, "", fmt.Errorf("effects: %s is no collection", target.Collection)
	}
	return row, strings.ToLower(id), nil
}

// Authorize refuses an effect whose record the caller may not change: 403, by the scope and the feature of what it changes. Of a record
// that is made with effects of its own, the caller needs what these need as well.
func Authorize(ctx context.Context, kind string, payload map[string]any) error {
	row, err := Owner(kind, payload)
	if err != nil {
		return err
	}
	p, scope := principal.From(ctx), row.Scope+":write"
	switch {
	case !p.Has(row.Feature):
		e := fault.Forbidden("feature_missing", "The effect %s needs the feature %s, which the organization's plan does not include.",
			kind, row.Feature)
		e.Feature = row.Feature
		return e
	case !p.Allows(scope):
		return endpoint.ScopeMissing(p, scope, "The effect %s needs the scope %s.", kind, scope)
	}
	return authorizeWithin(ctx, kind, payload)
}

func authorizeWithin(ctx context.Context, kind string, payload map[string]any) error {
	known, _ := catalogue.FindEffectKind(kind)
	body, _ := payload[known.Within].(map[string]any)
	list, _ := body["effects"].([]any)
	for _, one := range list {
		members, _ := one.(map[string]any)
		inner, _ := members["kind"].(string)
		what, _ := members["payload"].(map[string]any)
		if err := Authorize(ctx, inner, what); err != nil {
			return err
		}
	}
	return nil
}

// Add queues instructions in tx, in their order; a Sender is woken by the commit. Their sequences are numbered here, and their actors and
// requests are the caller's.
func Add(ctx context.Context, tx pgx.Tx, all []Instruction) error {
	if len(all) == 0 {
		return nil
	}
	p, n := principal.From(ctx), len(all)
	ids, owners, records, kinds, stages := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	payloads, days, causes := make([]string, n), make([]string, n), make([]string, n)
	for i, in := range all {
		row, id, err := ownerOf(in.Kind, in.Payload)
		if err != nil {
			return err
		}
		if id == "" {
			id = in.ID // a record that is made has no other effects
		}
		ids[i], owners[i], records[i], kinds[i], stages[i] = in.ID, row.Service, row.Name+"/"+id, in.Kind, string(in.Stage)
		payloads[i], days[i], causes[i] = encode(in.Payload), in.On, encode(in.Cause)
	}
	postgres.AfterCommit(ctx, func() { wakeSenders(ctx) })
	_, err := tx.Exec(ctx, `INSERT INTO effect_instruction
			(organization_id, effect_id, owner, record, kind, stage, payload, on_day, cause, actor, caller, request_id)
		SELECT current_organization(), e.id, e.owner, e.record, e.kind, e.stage, e.payload::jsonb, e.on_day::date, e.cause::jsonb, $9::jsonb,
			$10::jsonb, $11
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY
			AS e (id, owner, record, kind, stage, payload, on_day, cause, place) ORDER BY e.place`,
		ids, owners, records, kinds, stages, payloads, days, causes, encode(p.Actor), encode(callerOf(p)), p.RequestID)
	return err
}

// Withdraw takes back instructions that wait, of the stage completed. They are sent all the same, because they may have been sent before:
// the owner says whether they were applied, which the Sender records.
func Withdraw(ctx context.Context, tx pgx.Tx, ids []string) error {
	postgres.AfterCommit(ctx, func() { wakeSenders(ctx) })
	_, err := tx.Exec(ctx, `UPDATE effect_instruction SET withdraw = true, due_at = statement_timestamp()
		WHERE organization_id = current_organization() AND effect_id = ANY($1::uuid[]) AND stage = 'completed'`, ids)
	return err
}

// caller is what a principal says of its organization, for the calls that are made later.
type caller struct {
	Currency      string   `json:"currency"`
	TimeZone      string   `json:"time_zone"`
	FiscalYearEnd int      `json:"fiscal_year_end"`
	Features      []string `json:"features"`
}

func callerOf(p principal.Principal) caller {
	return caller{p.Currency, p.TimeZone, p.FiscalYearEnd, p.Features}
}

// Refusal is an instruction that its owner would refuse.
type Refusal struct {
	Index int // of the instruction
	Result
}

// Check asks the owners of what instructions change, before any transaction, and gives what they would refuse, by index. An owner that is
// away is a 503.
func Check(ctx context.Context, references *reference.Client, all []Instruction) ([]Refusal, error) {
	groups := map[string][]int{} // by service
	for i, in := range all {
		row, err := Owner(in.Kind, in.Payload)
		if err != nil {
			return nil, err
		}
		groups[row.Service] = append(groups[row.Service], i)
	}
	patient := references.Patient(callDeadline)
	found := make([]Result, len(all))
	calls, calling := errgroup.WithContext(ctx)
	calls.SetLimit(8)
	for service, group := range groups {
		calls.Go(func() error { // one after the other: a later instruction may only be refused because of an earlier one
			for chunk := range slices.Chunk(group, MaxPerCall) {
				if err := checkOwner(calling, patient, service, chunk, all, found); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	var refused []Refusal
	for i, result := range found {
		if result.Outcome == Refused {
			refused = append(refused, Refusal{i, result})
		}
	}
	return refused, nil
}

// checkOwner asks about the instructions of one service with the indexes in chunk.
func checkOwner(ctx context.Context, references *reference.Client, service string, chunk []int, all []Instruction, found []Result) error {
	request := call{Check: true}
	for _, i := range chunk {
		request.Effects = append(request.Effects, all[i])
	}
	var out results
	if err := references.PostRepeatable(ctx, service, path, request, &out); err != nil {
		return unavailable(service, err)
	}
	if len(out.Results) != len(chunk) {
		return unavailable(service, fmt.Errorf("it gave %d answers to %d instructions", len(out.Results), len(chunk)))
	}
	for n, i := range chunk {
		found[i] = out.Results[n]
	}
	return nil
}

// unavailable is the 503 of an owner that gave no answer, whatever it said instead.
func unavailable(service string, err error) error {
	if e := fault.From(err); e.Kind == fault.KindUnavailable || e.Kind == fault.KindRateLimited {
		return e
	}
	return fault.Unavailable("service_unavailable", "The %s service does not say whether it would apply the effects; nothing was written.",
		service).WithCause(err)
}

// Err is the error of the cause for what was refused: 409 for what the state of a record does not allow, else 400. name says what an
// instruction is called: "effects[2]".
func Err(refused []Refusal, name func(index int) string) error {
	if len(refused) == 0 {
		return nil
	}
	var fields []fault.Field
	for _, r := range refused {
		field := name(r.Index) + ".payload"
		if r.Field != "" {
			field += "." + r.Field
		}
		if r.Reason == fault.KindConflict || r.Reason == fault.KindForbidden {
			code := r.Code
			if code == "" {
				code = "effect_refused"
			}
			e := fault.Conflict(code, field, nil, "%s: %s", field, r.Message)
			if r.Reason == fault.KindForbidden {
				e.Kind = fault.KindForbidden
			}
			return e
		}
		fields = append(fields, fault.Field{Field: field, Message: r.Message})
	}
	return fault.InvalidFields(fields...)
}
