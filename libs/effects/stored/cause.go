package stored

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Of is the effects of one collection. E is the record of an effect.
type Of[E any] struct {
	Registry   *resource.Registry
	Causes     string // the collection of causes: "work_orders"
	Effects    string // the collection of their effects: "work_order_effects"
	Table      string // of the effects
	Parent     string // the field that has the cause's id, and its column
	CauseTable string
	Number     string // the natural key of causes, which people know them by
	Day        string // SQL over alias c of the causes' table: the local day on which it was completed, NULL where it was not
	Cost       string // SQL: what it cost as a text, NULL where that is not known

	// DayOf reads the day of completion from a body; empty where it says none.
	DayOf func(ctx context.Context, body map[string]any) string
	// Parts gives the parts of a record.
	Parts func(record *E) (whole *resource.Record, cause *string, effect *Effect)
}

// one is what a cause is called.
func (k *Of[E]) one() string { return k.Registry.Catalogue.Must(k.Causes).Words.English }

func (k *Of[E]) facts() string {
	return "c.id::text, c.status, c." + k.Number + ", coalesce(" + k.Day + ", current_setting('ams.today'))"
}

func (c *cause) targets() []any { return []any{&c.id, &c.status, &c.number, &c.day} }

// find gives causes by id.
func (k *Of[E]) find(ctx context.Context, tx pgx.Tx, ids []string, lock string) (map[string]cause, error) {
	rows, err := tx.Query(ctx, "SELECT "+k.facts()+" FROM "+k.CauseTable+` c WHERE c.organization_id = current_organization()
		AND c.id = ANY($1::uuid[]) ORDER BY c.id `+lock, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]cause{}
	var c cause
	_, err = pgx.ForEachRow(rows, c.targets(), func() error { found[c.id] = c; return nil })
	return found, err
}

// effectsOf gives the effects of causes in their order, those in the given states.
func (k *Of[E]) effectsOf(ctx context.Context, tx pgx.Tx, causes []string, states ...string) ([]storedEffect, error) {
	return k.load(ctx, tx, "e."+k.Parent+" = ANY($1::uuid[]) AND e.state = ANY($2)", causes, states)
}

func (k *Of[E]) load(ctx context.Context, tx pgx.Tx, condition string, args ...any) ([]storedEffect, error) {
	rows, err := tx.Query(ctx, "SELECT e.id::text, e."+k.Parent+"::text, e.kind, e.payload::text, e.state FROM "+k.Table+
		" e WHERE e.organization_id = current_organization() AND "+condition+" ORDER BY e.position", args...)
	if err != nil {
		return nil, err
	}
	var all []storedEffect
	var e storedEffect
	var payload string
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.cause, &e.kind, &payload, &e.state}, func() error {
		one := e
		one.payload = nil
		all = append(all, one)
		return json.Unmarshal([]byte(payload), &all[len(all)-1].payload)
	})
	return all, err
}

// intent is what a body wants of a cause.
type intent struct {
	index   int
	body    map[string]any
	to      string
	entries []entry
	cause   cause // as it is; without an id where it is new
}

// BeforeCauses is BeforeTransaction of the causes: it asks the owners of what their effects change. What they would refuse, and what the
// caller may not change, speaks against the change; an owner that is away is a 503.
func (k *Of[E]) BeforeCauses(ctx context.Context, bodies []map[string]any) (context.Context, error) {
	var intents []*intent
	for i, body := range bodies {
		it := &intent{index: i, body: body, entries: entriesOf(body)}
		for _, name := range []string{"status", "to"} {
			if to, ok := body[name].(string); ok {
				it.to = to
			}
		}
		moves := it.to != "" && (phaseOf(it.to) == Running || phaseOf(it.to) == Done)
		if len(it.entries) > 0 || moves {
			intents = append(intents, it)
		}
	}
	if intents == nil {
		return ctx, nil
	}
	var present []storedEffect
	if err := k.Registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if err := k.match(ctx, tx, intents); err != nil {
			return err
		}
		var causes []string
		for _, it := range intents {
			if it.cause.id != "" && (len(it.entries) > 0 || phaseOf(it.to) != phaseOf(it.cause.status)) {
				causes = append(causes, it.cause.id)
			}
		}
		if causes != nil {
			present, err = k.effectsOf(ctx, tx, causes, live...)
		}
		return err
	}); err != nil {
		return ctx, err
	}
	return k.check(ctx, intents, present)
}

// match finds the causes that bodies are about.
func (k *Of[E]) match(ctx context.Context, tx pgx.Tx, intents []*intent) error {
	bodies := make([]map[string]any, len(intents))
	for i, it := range intents {
		bodies[i] = it.body
	}
	return resource.FindNamed(ctx, tx, k.CauseTable, k.facts(), k.Number, bodies, func(scan func(...any) ([]int, error)) error {
		var c cause
		at, err := scan(c.targets()...)
		for _, i := range at {
			intents[i].cause = c
		}
		return err
	})
}

// question is an instruction that is asked about, and what its refusal means.
type question struct {
	index   int
	in      effects.Instruction
	present *storedEffect // an effect that is there
	at      string        // else the effect of a body
}

// ask asks about what the intents would send, and notes what speaks against them.
func (k *Of[E]) check(ctx context.Context, intents []*intent, present []storedEffect) (context.Context, error) {
	found, questions := objectionsByChange{}, []question{}
	for _, it := range intents {
		c, phase := it.cause, phaseOf(it.to)
		if it.to == "" {
			phase = phaseOf(c.status) // of a new one that says nothing: the empty state is Waiting
		}
		if c.id == "" {
			c.id = newID() // it is not written yet, and may be numbered later
		}
		c.day = resource.Today(ctx)
		if day := k.DayOf(ctx, it.body); day != "" && phase == Done {
			c.day = day
		}
		for i := range present {
			if e := &present[i]; e.cause == c.id {
				if stage := stageOf(*e, phaseOf(it.cause.status), phase); stage == effects.Begun || stage == effects.Completed {
					questions = append(questions, question{it.index, c.instruction(e.id, k.Causes, e.kind, e.payload, stage), e, ""})
				}
			}
		}
		for _, e := range it.entries {
			if isPresent(present, c.id, e.kind, e.payload) {
				continue
			}
			if err := effects.Authorize(ctx, e.kind, e.payload); err != nil {
				found[it.index] = append(found[it.index], objection{reject: fault.From(err)})
				continue
			}
			questions = append(questions, question{it.index, k.declaration(c, e, phase), nil, e.at})
		}
	}
	return k.put(ctx, k.Causes, questions, found)
}

// declaration is what is asked about an effect that is being declared: its planning, or itself.
func (k *Of[E]) declaration(c cause, e entry, phase Phase) effects.Instruction {
	stage := effects.Completed
	if staged(e.kind) && phase != Done {
		stage = effects.Planned
	}
	return c.instruction(newID(), k.Causes, e.kind, e.payload, stage)
}

// put asks the owners, and gives the context with what speaks against the changes of a collection.
func (k *Of[E]) put(ctx context.Context, collection string, questions []question, found objectionsByChange) (context.Context, error) {
	all := make([]effects.Instruction, len(questions))
	for i, q := range questions {
		all[i] = q.in
	}
	refused, err := effects.Check(ctx, k.Registry.References, all)
	if err != nil {
		return ctx, err
	}
	for _, r := range refused {
		q := questions[r.Index]
		o := objectionOf(q.at, r.Result)
		if q.present != nil {
			o = objection{reject: fault.Conflict("effect_refused", "effects", q.present.id,
				"The effect %s (%s) would be refused: %s Withdraw it, or mend what it changes.", q.present.kind, q.present.id, sentence(r.Result))}
		}
		found[q.index] = append(found[q.index], o)
	}
	return context.WithValue(ctx, objectionsKey{collection}, found), nil
}

// sentence is a refusal as a sentence of its own.
func sentence(result effects.Result) string {
	text := strings.TrimRight(result.Message, ".") + "."
	if result.Field != "" && result.Reason == fault.KindInvalid {
		text = result.Field + " " + text
	}
	return text
}

// Move is a change of a cause, as its rules see it.
type Move struct {
	objector
	Index    int
	ID       string
	From, To string // states; From is empty for a new one, To for one that is deleted
	Declared []Declared
}

// Moves gives the changes of causes. of gives the state of one, and the effects that its body has brought.
func Moves[C any](changes []*resource.Change[C], of func(*C) (status string, declared []Declared)) []Move {
	moves := make([]Move, len(changes))
	for i, c := range changes {
		moves[i] = Move{objector: c, Index: c.Index, ID: c.ID()}
		if c.Before != nil {
			moves[i].From, _ = of(c.Before)
		}
		if c.After != nil {
			moves[i].To, moves[i].Declared = of(c.After)
		}
	}
	return moves
}

// CheckCauses is a part of BeforeWrite of the causes: it notes what the owners would refuse, and what is wrong with the effects that bodies
// bring. One that the cause has already, with the same kind and payload, is not declared again.
func (k *Of[E]) CheckCauses(ctx context.Context, tx pgx.Tx, moves []Move) error {
	found := k.objections(ctx, k.Causes)
	bringing := map[string]*Move{}
	var ids []string
	for i, m := range moves {
		object(found[m.Index], m)
		if len(m.Declared) == 0 || m.To == "" {
			continue
		}
		if phase := phaseOf(m.To); phase == Cancelled || phase == Closed {
			m.FieldError("effects", "are for a %s that is not %s; leave them out", k.one(), m.To)
			continue
		}
		for n, d := range m.Declared {
			if field, message := problem(d.Kind, d.Payload); field != "" {
				m.FieldError(fmt.Sprintf("effects[%d].%s", n, field), "%s", message)
			}
		}
		bringing[m.ID] = &moves[i]
		ids = append(ids, m.ID)
	}
	if ids == nil {
		return nil
	}
	present, err := k.effectsOf(ctx, tx, ids, live...)
	if err != nil {
		return err
	}
	for id, m := range bringing {
		taken := claims{}
		count := 0
		for _, e := range present {
			if e.cause == id {
				count++
				taken.claim(e.kind, e.payload)
			}
		}
		for n, d := range m.Declared {
			if isPresent(present, id, d.Kind, d.Payload) {
				continue
			}
			if count++; !taken.claim(d.Kind, d.Payload) {
				m.FieldError(fmt.Sprintf("effects[%d].payload", n), "%s", twice)
			}
		}
		if count > MaxPerCause {
			m.FieldError("effects", "would be more than %d of this %s", MaxPerCause, k.one())
		}
	}
	return nil
}

// isPresent says that a cause has the very same effect already: then a body that brings it again, as one that is sent again does, adds
// nothing.
func isPresent(present []storedEffect, cause, kind string, payload map[string]any) bool {
	return slices.ContainsFunc(present, func(e storedEffect) bool {
		return e.cause == cause && e.kind == kind && reflect.DeepEqual(e.payload, payload)
	})
}

// live are the states of effects that are or will be.
var live = []string{effects.StatePlanned, effects.StatePending, effects.StateApplied}

// claims are the records that staged effects of one cause are about: each is there once.
type claims map[string]bool

const twice = "is changed by another effect of the same kind already; one is enough"

func (c claims) claim(kind string, payload map[string]any) bool {
	if !staged(kind) {
		return true
	}
	key := kind
	for name, value := range payload {
		if strings.HasSuffix(name, "_id") {
			key += " " + name + " " + strings.ToLower(fmt.Sprint(value))
		}
	}
	free := !c[key]
	c[key] = true
	return free
}
