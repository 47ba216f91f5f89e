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

// Reject notes why the change cannot be made in the present state: a 403, 404 or 409.
func (c *Change[T]) Reject(reason *fault.Error) { c.change.Reject(reason) }

// Emits gives those of the written changes that have an event.
type Emits[T any] func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) ([]*Change[T], error)

// When makes an Emits of a condition that one change alone decides.
func When[T any](condition func(c *Change[T]) bool) Emits[T] {
	return func(_ context.Context, _ pgx.Tx, changes []*Change[T]) ([]*Change[T], error) {
		var emitting []*Change[T]
		for _, c := range changes {
			if condition(c) {
				emitting = append(emitting, c)
			}
		}
		return emitting, nil
	}
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
		for _, c := range changes {
			if err := c.Complete(); err != nil {
				return err
			}
		}
		all := typed[T](changes)
		for _, event := range row.Events {
			emits := events[event.Name]
			if emits == nil {
				continue
			}
			emitting, err := emits(ctx, tx, all)
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
