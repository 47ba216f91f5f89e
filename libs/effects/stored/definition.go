package stored

import (
	"context"
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Definition is the definition of the effects as a resource below their causes. refused is the type of the event of an effect that was
// refused.
func (k *Of[E]) Definition(refused string) resource.Definition[E] {
	return resource.Definition[E]{
		Collection: k.Effects, Table: k.Table, Parent: k.Parent, Label: "kind",
		BeforeTransaction: k.before, BeforeWrite: k.prepare, AfterWrite: k.after,
		Events: map[string]resource.Emits[E]{refused: resource.WhenUpdated(func(before, after *E) bool {
			_, _, was := k.Parts(before)
			_, _, is := k.Parts(after)
			return was.State != effects.StateRefused && is.State == effects.StateRefused
		})},
	}
}

// before asks the owners about effects that are declared, or whose payload is changed.
func (k *Of[E]) before(ctx context.Context, bodies []map[string]any) (context.Context, error) {
	parent := resource.PathValue(ctx, k.Parent)
	if !schema.IsUUID(parent) {
		return ctx, nil // it is refused
	}
	var c cause
	present := make([]*storedEffect, len(bodies))
	if err := k.Registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		causes, err := k.find(ctx, tx, []string{parent}, "")
		if err != nil {
			return err
		}
		c = causes[parent]
		if c.id == "" {
			return nil
		}
		for i, body := range bodies {
			if present[i], err = k.named(ctx, tx, c.id, body); err != nil {
				return err
			}
		}
		return nil
	}); err != nil || c.id == "" {
		return ctx, err
	}
	found, questions := objectionsByChange{}, []question{}
	for i, body := range bodies {
		e, sends := entryOf(body, present[i])
		if !sends || present[i] != nil && present[i].state != effects.StatePlanned {
			continue
		}
		if field, _ := problem(e.kind, e.payload); field != "" {
			continue // the rules say so
		}
		if err := effects.Authorize(ctx, e.kind, e.payload); err != nil {
			found[i] = append(found[i], objection{reject: fault.From(err)})
			continue
		}
		questions = append(questions, question{i, k.declaration(c, e, phaseOf(c.status)), nil, ""})
	}
	return k.put(ctx, k.Effects, questions, found)
}

// named gives the effect that a body is about, by the path or the row; nil where there is none.
func (k *Of[E]) named(ctx context.Context, tx pgx.Tx, cause string, body map[string]any) (*storedEffect, error) {
	id, external := resource.PathValue(ctx, "id"), resource.PathValue(ctx, "external_id")
	if id == "" && external == "" {
		id, _ = body["id"].(string)
		external, _ = body["external_id"].(string)
	}
	condition, key := "e.external_id_key = unique_key($2)", schema.Line(external)
	if id != "" {
		condition, key = "e.id = $2::text::uuid", id
	}
	if key == "" || id != "" && !schema.IsUUID(id) {
		return nil, nil
	}
	all, err := k.load(ctx, tx, "e."+k.Parent+" = $1 AND "+condition, cause, key)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// entryOf is what a body makes of an effect; sends is false where it says nothing of kind and payload.
func entryOf(body map[string]any, present *storedEffect) (e entry, sends bool) {
	kind, hasKind := body["kind"].(string)
	payload, hasPayload := body["payload"].(map[string]any)
	e = entry{kind: kind, payload: payload}
	if present != nil {
		if !hasKind {
			e.kind = present.kind
		}
		merged := maps.Clone(present.payload)
		for name, value := range payload {
			if value == nil {
				delete(merged, name)
			} else {
				merged[name] = value
			}
		}
		e.payload = merged
		if e.kind == present.kind && reflect.DeepEqual(merged, present.payload) {
			return e, false
		}
	}
	return e, hasKind || hasPayload
}

func (k *Of[E]) prepare(ctx context.Context, tx pgx.Tx, changes []*resource.Change[E]) error {
	found := k.objections(ctx, k.Effects)
	var parents []string
	for _, c := range changes {
		object(found[c.Index], c)
		_, parent, _ := k.Parts(recordOf(c))
		parents = append(parents, *parent)
	}
	// Another transaction that moves one of these causes, or declares effects of it, waits.
	causes, err := k.find(ctx, tx, parents, "FOR NO KEY UPDATE")
	if err != nil {
		return err
	}
	present, err := k.effectsOf(ctx, tx, parents, live...)
	if err != nil {
		return err
	}
	taken, count := map[string]claims{}, map[string]int{}
	for _, e := range present {
		count[e.cause]++
		if taken[e.cause] == nil {
			taken[e.cause] = claims{}
		}
		taken[e.cause].claim(e.kind, e.payload)
	}
	for _, c := range changes {
		_, parent, effect := k.Parts(recordOf(c))
		of, found := causes[*parent]
		switch {
		case !found:
			c.Reject(fault.NotFound(k.one(), *parent))
		case c.After == nil:
			k.checkDelete(c, effect)
		case c.Before == nil:
			if taken[of.id] == nil {
				taken[of.id] = claims{}
			}
			count[of.id]++
			k.checkNew(c, of, effect, taken[of.id], count[of.id])
		default:
			k.checkChange(c, effect)
		}
	}
	return nil
}

func recordOf[E any](c *resource.Change[E]) *E {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

func (k *Of[E]) checkNew(c *resource.Change[E], of cause, effect *Effect, taken claims, count int) {
	phase := phaseOf(of.status)
	effect.State = stateIn(phase)
	if phase == Closed || phase == Cancelled {
		c.Reject(k.over(of))
		return
	}
	if field, message := problem(effect.Kind, effect.Payload); field != "" {
		c.FieldError(field, "%s", message)
	} else if !taken.claim(effect.Kind, effect.Payload) {
		c.FieldError("payload", "%s", twice)
	}
	if count > MaxPerCause {
		c.FieldError("kind", "would be more than %d effects of this %s", MaxPerCause, k.one())
	}
}

// over is the 409 for a cause of which nothing comes any more.
func (k *Of[E]) over(of cause) *fault.Error {
	return fault.Conflict(k.Registry.Catalogue.Must(k.Causes).Singular+"_"+of.status, "status", of.status,
		"The %s is %s; nothing can come of it any more.", k.one(), of.status)
}

func (k *Of[E]) checkChange(c *resource.Change[E], effect *Effect) {
	_, _, before := k.Parts(c.Before)
	if before.Kind == effect.Kind && reflect.DeepEqual(before.Payload, effect.Payload) {
		return
	}
	switch field, message := problem(effect.Kind, effect.Payload); {
	case before.State != effects.StatePlanned:
		c.Reject(fault.Conflict("effect_"+before.State, "state", before.State,
			"The effect is %s; kind and payload can be changed while it is planned. Declare another one.", before.State))
	case staged(before.Kind) || staged(effect.Kind):
		c.FieldError("payload", "cannot be changed: the other record follows the work already; withdraw the effect and declare another one")
	case field != "":
		c.FieldError(field, "%s", message)
	}
}

func (k *Of[E]) checkDelete(c *resource.Change[E], effect *Effect) {
	if effect.State == effects.StatePending || effect.State == effects.StateApplied {
		c.Reject(fault.Conflict("effect_"+effect.State, "state", effect.State,
			"The effect is %s and stays on record; withdraw it while it is pending.", effect.State))
	}
}

// after sends what new effects begin with, and what deleted ones end with.
func (k *Of[E]) after(ctx context.Context, tx pgx.Tx, changes []*resource.Change[E]) error {
	var parents []string
	for _, c := range changes {
		if c.Before == nil || c.After == nil {
			_, parent, _ := k.Parts(recordOf(c))
			parents = append(parents, *parent)
		}
	}
	if parents == nil {
		return nil
	}
	f := follower[E]{Of: k}
	var err error
	if f.causes, err = k.find(ctx, tx, parents, ""); err != nil {
		return err
	}
	for _, c := range changes {
		_, parent, effect := k.Parts(recordOf(c))
		e := storedEffect{c.ID(), *parent, effect.Kind, effect.Payload, effect.State}
		switch {
		case c.Before == nil:
			f.begin(e, phaseOf(f.causes[*parent].status))
		case c.After == nil && effect.State == effects.StatePlanned && staged(effect.Kind):
			f.send(e, effects.Cancelled)
		}
	}
	return f.write(ctx, tx)
}
