package resource

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/write"
)

// Change is one record on its way: Before is nil on create, After on delete.
type Change[T any] struct {
	Index         int // of the row in a bulk call
	Before, After *T

	change *change.Change
}

// ID is the record's id, also before it is written.
func (c *Change[T]) ID() string { return c.change.ID }

// Sets says whether the caller sent a field. A name that is no field panics.
func (c *Change[T]) Sets(field string) bool { return c.change.Sets(field) }

// FieldError notes what is wrong with a field of the change: a 400. The field may be followed by the place within it, as in
// "changed_any[2]" and "headers.Authorization". A name that is no field panics.
func (c *Change[T]) FieldError(field, format string, args ...any) {
	c.change.FieldError(field, format, args...)
}

// MissingError notes that a field of the change, or a place within it, names a record that the organization does not have: a 404 with the
// code reference_not_found, unless something else is wrong with the change. A name that is no field panics.
func (c *Change[T]) MissingError(field, format string, args ...any) {
	c.change.MissingError(field, format, args...)
}

// At is what the caller knows a place within the change as: "deficiencies[2]", in a bulk call "data[3].deficiencies[2]".
func (c *Change[T]) At(place string) string { return c.change.Prefix + place }

// Reject notes why the change cannot be made in the present state: a 403, 404 or 409.
func (c *Change[T]) Reject(reason *fault.Error) { c.change.Reject(reason) }

// Emits says which of the written changes have an event: made by When, WhenUpdated or Among.
type Emits[T any] struct {
	applies func(c *Change[T]) bool // whether the change can have the event at all
	among   func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) ([]*Change[T], error)
}

// When emits for every change that a condition holds of.
func When[T any](condition func(c *Change[T]) bool) Emits[T] {
	return Among(func(_ context.Context, _ pgx.Tx, changes []*Change[T]) ([]*Change[T], error) {
		var emitting []*Change[T]
		for _, c := range changes {
			if condition(c) {
				emitting = append(emitting, c)
			}
		}
		return emitting, nil
	})
}

// WhenUpdated emits for every update that a condition holds of. It costs new records nothing.
func WhenUpdated[T any](condition func(before, after *T) bool) Emits[T] {
	emits := When(func(c *Change[T]) bool { return condition(c.Before, c.After) })
	emits.applies = func(c *Change[T]) bool { return c.Before != nil && c.After != nil }
	return emits
}

// Among emits for those of the changes that choose gives.
func Among[T any](choose func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) ([]*Change[T], error)) Emits[T] {
	return Emits[T]{applies: func(*Change[T]) bool { return true }, among: choose}
}

// of gives those of the changes that have the event.
func (e Emits[T]) of(ctx context.Context, tx pgx.Tx, changes []*Change[T]) ([]*Change[T], error) {
	var candidates []*Change[T]
	for _, c := range changes {
		if !e.applies(c) {
			continue
		}
		if err := c.change.Complete(); err != nil {
			return nil, err
		}
		candidates = append(candidates, c)
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	return e.among(ctx, tx, candidates)
}

// typed gives changes as the hooks of a definition know them: the same ones whenever they are asked for.
func typed[T any](changes []*change.Change) []*Change[T] {
	all := make([]*Change[T], len(changes))
	for i, c := range changes {
		known, _ := c.Typed.(*Change[T])
		if known == nil {
			known = &Change[T]{Index: c.Index, change: c}
			c.Typed = known
		}
		known.Before, _ = c.Before.(*T)
		known.After, _ = c.After.(*T)
		all[i] = known
	}
	return all
}

// hook makes a rule about typed changes one about changes.
func hook[T any](rule func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error) write.Hook {
	if rule == nil {
		return nil
	}
	return func(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
		return rule(ctx, tx, typed[T](changes))
	}
}

// emitter asks a definition for further events of what was written, in the order of the catalogue.
func emitter[T any](row catalogue.Collection, events map[string]Emits[T]) record.Emit {
	if len(events) == 0 {
		return nil
	}
	return func(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
		all := typed[T](changes)
		for _, event := range row.Events {
			emits, declared := events[event.Name]
			if !declared {
				continue
			}
			emitting, err := emits.of(ctx, tx, all)
			if err != nil {
				return err
			}
			for _, c := range emitting {
				c.change.Emitted = append(c.change.Emitted, event.Name)
			}
		}
		return nil
	}
}
