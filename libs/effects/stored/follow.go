package stored

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/resource"
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// stageOf is the stage that an effect comes to by a move of its cause; empty where nothing is sent.
func stageOf(e storedEffect, from, to Phase) effects.Stage {
	follows := staged(e.kind)
	switch {
	case e.state != effects.StatePlanned || from == to:
	case to == Done:
		return effects.Completed
	case to == Running && follows:
		return effects.Begun
	case to == Cancelled && follows:
		return effects.Cancelled
	case from == Cancelled && follows:
		return effects.Planned
	}
	return ""
}

// FollowCauses is a part of AfterWrite of the causes: their effects come to the states that belong to the new states of the causes, and
// what follows from that is sent.
func (k *Of[E]) FollowCauses(ctx context.Context, tx pgx.Tx, moves []Move) error {
	var moving, deleted, concerned []string
	for _, m := range moves {
		switch {
		case m.To == "":
			deleted = append(deleted, m.ID)
		case m.From != "" && (len(m.Declared) > 0 || phaseOf(m.From) != phaseOf(m.To)):
			moving = append(moving, m.ID)
		case len(m.Declared) == 0:
			continue
		}
		concerned = append(concerned, m.ID)
	}
	if concerned == nil {
		return nil
	}
	var present []storedEffect
	var err error
	if moving != nil || deleted != nil {
		if present, err = k.effectsOf(ctx, tx, slices.Concat(moving, deleted), live...); err != nil {
			return err
		}
	}
	if deleted != nil {
		if err := k.deleteOf(ctx, tx, deleted, present); err != nil {
			return err
		}
	}
	f := follower[E]{Of: k, causes: map[string]cause{}}
	if f.causes, err = k.find(ctx, tx, concerned, ""); err != nil {
		return err
	}
	for _, m := range moves {
		if m.To == "" {
			continue
		}
		for _, e := range present {
			if e.cause == m.ID {
				f.move(e, phaseOf(m.From), phaseOf(m.To))
			}
		}
		for _, d := range m.Declared {
			if isPresent(present, m.ID, d.Kind, d.Payload) {
				continue
			}
			if err := f.declare(ctx, tx, m, d); err != nil {
				return err
			}
		}
	}
	return f.write(ctx, tx)
}

// deleteOf deletes the effects of deleted causes. Nothing comes of those that had begun.
func (k *Of[E]) deleteOf(ctx context.Context, tx pgx.Tx, deleted []string, present []storedEffect) error {
	var released []effects.Instruction
	for _, e := range present {
		if slices.Contains(deleted, e.cause) && e.state == effects.StatePlanned && staged(e.kind) {
			c := cause{id: e.cause, day: resource.Today(ctx)}
			released = append(released, c.instruction(e.id, k.Causes, e.kind, e.payload, effects.Cancelled))
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM "+k.Table+" WHERE organization_id = current_organization() AND "+k.Parent+" = ANY($1::uuid[])",
		deleted); err != nil {
		return err
	}
	return effects.Add(ctx, tx, released)
}

// follower collects what follows from the moves of causes.
type follower[E any] struct {
	*Of[E]
	causes             map[string]cause
	pending, withdrawn []string // effects that come to these states
	taken              []string // instructions that are taken back
	instructions       []effects.Instruction
}

func (f *follower[E]) send(e storedEffect, stage effects.Stage) {
	f.instructions = append(f.instructions, f.causes[e.cause].instruction(e.id, f.Causes, e.kind, e.payload, stage))
}

func (f *follower[E]) move(e storedEffect, from, to Phase) {
	switch stage := stageOf(e, from, to); {
	case stage == effects.Completed:
		f.pending = append(f.pending, e.id)
		f.send(e, stage)
	case stage != "":
		f.send(e, stage)
	case e.state == effects.StatePending && from == Done && to != Done && to != Closed: // reopened
		f.withdrawn, f.taken = append(f.withdrawn, e.id), append(f.taken, e.id)
		if staged(e.kind) {
			f.send(e, effects.Cancelled)
		}
	}
}

// declare writes an effect that came with its cause.
func (f *follower[E]) declare(ctx context.Context, tx pgx.Tx, m Move, d Declared) error {
	record := resource.New[E](f.Registry, f.Effects)
	whole, parent, effect := f.Parts(record)
	*parent, effect.Kind, effect.Payload = m.ID, d.Kind, d.Payload
	phase := phaseOf(m.To)
	effect.State = stateIn(phase)
	if err := resource.Insert(ctx, tx, f.Registry, f.Effects, []*E{record}); err != nil {
		return err
	}
	f.begin(storedEffect{whole.ID, m.ID, d.Kind, d.Payload, effect.State}, phase)
	return nil
}

// stateIn is the state of an effect that is declared on a cause in a phase.
func stateIn(phase Phase) string {
	if phase == Done || phase == Closed {
		return effects.StatePending
	}
	return effects.StatePlanned
}

// begin sends what a new effect begins with.
func (f *follower[E]) begin(e storedEffect, phase Phase) {
	switch {
	case phase == Done || phase == Closed:
		f.send(e, effects.Completed)
	case staged(e.kind) && phase != Cancelled:
		f.send(e, effects.Planned)
		if phase == Running {
			f.send(e, effects.Begun)
		}
	}
}

// write takes instructions back, brings effects to their states and queues the instructions. In this order: a Sender that records an answer
// locks the instruction first as well, and then the effect.
func (f *follower[E]) write(ctx context.Context, tx pgx.Tx) error {
	if len(f.taken) > 0 {
		if err := effects.Withdraw(ctx, tx, f.taken); err != nil {
			return err
		}
	}
	if err := f.setState(ctx, tx, f.pending, effects.StatePlanned, effects.StatePending); err != nil {
		return err
	}
	if err := f.setState(ctx, tx, f.withdrawn, effects.StatePending, effects.StateWithdrawn); err != nil {
		return err
	}
	if err := f.divideCosts(ctx, tx); err != nil {
		return err
	}
	return effects.Add(ctx, tx, f.instructions)
}

// setState brings effects from one state to another, unless they have left it meanwhile.
func (k *Of[E]) setState(ctx context.Context, tx pgx.Tx, ids []string, from, to string) error {
	if len(ids) == 0 {
		return nil
	}
	return k.Registry.UpdateWhere(ctx, tx, k.Effects, []string{"state", "message"}, "SELECT e.id, $4::text AS state, "+
		"NULL::text AS message FROM "+k.Table+" e WHERE e.organization_id = $1 AND e.id = ANY($2::uuid[]) AND e.state = $3::text", ids, from, to)
}

// Record keeps the answers of owners: it is for effects.NewSender.
func (k *Of[E]) Record(ctx context.Context, tx pgx.Tx, results []effects.Result) error {
	var ids, states, resultIDs, messages []string
	for _, a := range results {
		resultID, message := "", ""
		switch {
		case a.Final():
			if a.ResultID != nil {
				resultID = *a.ResultID
			}
			states = append(states, effects.StateApplied)
		case a.Outcome == effects.Refused && a.Stage != effects.Cancelled:
			message = sentence(a)
			states = append(states, effects.StateRefused)
		default:
			continue
		}
		ids, resultIDs, messages = append(ids, a.ID), append(resultIDs, resultID), append(messages, message)
	}
	if ids == nil {
		return nil
	}
	// What was taken back stays so when it is refused, and becomes applied when it had been applied before.
	return k.Registry.UpdateWhere(ctx, tx, k.Effects, []string{"state", "result_id", "message"}, `
		SELECT e.id, a.state, nullif(a.result, '')::uuid AS result_id, nullif(a.message, '') AS message
		FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS a (id, state, result, message)
		JOIN `+k.Table+` e ON e.organization_id = $1 AND e.id = a.id AND e.id = ANY($2)
		WHERE a.state = 'applied' OR e.state IN ('planned', 'pending')`, ids, states, resultIDs, messages)
}
