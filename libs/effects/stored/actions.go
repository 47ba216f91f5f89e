package stored

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// MountActions serves POST …/{id}/retry and …/{id}/withdraw. component is the name of an effect's schema, for instance WorkOrderEffect.
func (k *Of[E]) MountActions(component string) {
	row := k.Registry.Catalogue.Must(k.Effects)
	id := map[string]any{"type": "string", "format": "uuid"}
	operation := func(action, summary, description string) transport.Operation {
		return transport.Operation{
			Method: http.MethodPost, Path: row.Path + "/{id}/" + action, ID: action + "_" + row.Singular, Scope: row.Scope + ":write",
			Feature: row.Feature, Summary: summary, Description: description, Status: http.StatusOK, Versioned: true,
			Parameters: []transport.Parameter{{Name: k.Parent, In: "path", Required: true, Schema: id},
				{Name: "id", In: "path", Required: true, Schema: id, Description: "Of the effect."}},
			Response: transport.Reference(component),
		}
	}
	retry := operation("retry", "Try an effect again that was refused or withdrawn",
		"For when what spoke against it was mended. The owner of the other record is asked first: what it would refuse is a 409. "+
			"Of completed work it is pending then, else planned. What was applied never happens again: 409.")
	retry.Before = k.beforeRetry
	k.Registry.API.Handle(retry, k.retry)
	k.Registry.API.Handle(operation("withdraw", "Take an effect back",
		"A planned one comes to nothing, and a deficiency that was planned with it is open again. A pending one may have been applied "+
			"at this very moment: then it becomes applied. What was applied stays: 409."), k.withdraw)
}

// locked reads the effect in the path with its cause, and locks both.
func (k *Of[E]) locked(ctx context.Context, tx pgx.Tx, r *transport.Request, lock string) (e storedEffect, c cause, err error) {
	id, err := r.ID("id")
	if err != nil {
		return e, c, err
	}
	parent, err := r.ID(k.Parent)
	if err != nil {
		return e, c, err
	}
	causes, err := k.find(ctx, tx, []string{parent}, lock)
	if err != nil {
		return e, c, err
	}
	all, err := k.load(ctx, tx, "e."+k.Parent+" = $1 AND e.id = $2", parent, id)
	if err != nil {
		return e, c, err
	}
	if len(all) == 0 {
		return e, c, fault.NotFound(k.Registry.Catalogue.Must(k.Effects).Words.English, id)
	}
	return all[0], causes[parent], nil
}

// retried says whether an effect may be tried again.
func (k *Of[E]) retried(e storedEffect, c cause) error {
	if e.state != effects.StateRefused && e.state != effects.StateWithdrawn {
		return fault.Conflict("effect_"+e.state, "state", e.state, "The effect is %s; only one that was refused or withdrawn can be tried again.",
			e.state)
	}
	if phaseOf(c.status) == Cancelled {
		return k.over(c)
	}
	return nil
}

// beforeRetry asks the owner.
func (k *Of[E]) beforeRetry(ctx context.Context, r *transport.Request) (context.Context, error) {
	var e storedEffect
	var c cause
	if err := k.Registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		e, c, err = k.locked(ctx, tx, r, "")
		return err
	}); err != nil {
		return ctx, postgres.Fault(err, nil)
	}
	if err := k.retried(e, c); err != nil {
		return ctx, err
	}
	if err := effects.Authorize(ctx, e.kind, e.payload); err != nil {
		return ctx, err
	}
	phase := phaseOf(c.status)
	if phase == Closed {
		phase = Done
	}
	q := question{0, k.declaration(c, entry{kind: e.kind, payload: e.payload}, phase), &e, ""}
	q.in.ID = e.id
	ctx, err := k.put(ctx, k.Effects, []question{q}, objectionsByChange{})
	if err != nil {
		return ctx, err
	}
	for _, o := range k.objections(ctx, k.Effects)[0] {
		return ctx, o.reject
	}
	return ctx, nil
}

func (k *Of[E]) retry(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	return k.act(ctx, r, func(ctx context.Context, tx pgx.Tx, f *follower[E], e storedEffect, c cause) error {
		if err := k.retried(e, c); err != nil {
			return err
		}
		phase := phaseOf(c.status)
		others, err := k.effectsOf(ctx, tx, []string{c.id}, effects.StatePlanned, effects.StatePending)
		if err != nil {
			return err
		}
		taken := claims{}
		for _, other := range others {
			taken.claim(other.kind, other.payload)
		}
		if !taken.claim(e.kind, e.payload) {
			return fault.Conflict("effect_exists", "payload", e.id, "What the effect changes %s.", twice)
		}
		if err := k.setState(ctx, tx, []string{e.id}, e.state, stateIn(phase)); err != nil {
			return err
		}
		if e.state == effects.StateWithdrawn { // its part of the cost may have gone to others
			if err := k.forgetPart(ctx, tx, e.id); err != nil {
				return err
			}
		}
		f.begin(e, phase)
		return nil
	})
}

func (k *Of[E]) withdraw(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	return k.act(ctx, r, func(ctx context.Context, tx pgx.Tx, f *follower[E], e storedEffect, c cause) error {
		if e.state == effects.StateApplied || e.state == effects.StateWithdrawn {
			return fault.Conflict("effect_"+e.state, "state", e.state, "The effect is %s; it cannot be withdrawn.", e.state)
		}
		if e.state == effects.StatePending {
			f.taken = append(f.taken, e.id)
		}
		if e.state != effects.StateRefused && staged(e.kind) {
			f.send(e, effects.Cancelled)
		}
		if err := f.write(ctx, tx); err != nil {
			return err
		}
		f.taken, f.instructions = nil, nil
		return k.setState(ctx, tx, []string{e.id}, e.state, effects.StateWithdrawn)
	})
}

// act changes the effect in the path, and answers it.
func (k *Of[E]) act(ctx context.Context, r *transport.Request,
	do func(ctx context.Context, tx pgx.Tx, f *follower[E], e storedEffect, c cause) error) (response *transport.Response, err error) {
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	err = k.Registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		e, c, err := k.locked(ctx, tx, r, "FOR NO KEY UPDATE")
		if err != nil {
			return err
		}
		f := &follower[E]{Of: k, causes: map[string]cause{c.id: c}}
		if err := do(ctx, tx, f, e, c); err != nil {
			return err
		}
		if err := f.write(ctx, tx); err != nil {
			return err
		}
		response, err = k.Registry.Show(ctx, tx, k.Effects, e.id)
		return err
	})
	return response, postgres.Fault(err, nil)
}
