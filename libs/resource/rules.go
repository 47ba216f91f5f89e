package resource

import (
	"context"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// What the rules of one resource write into another, inside Prepare or Applied: with version, history and event like
// any other change, but without that resource's own Prepare and Applied, so that rules do not call each other in
// circles.

type registryKey struct{}

// within lets rules reach the other resources of the service.
func (registry *Registry) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, registryKey{}, registry)
}

// Within gives a plain operation, which has a transaction of its own, the same reach.
func (registry *Registry) Within(ctx context.Context) context.Context { return registry.within(ctx) }

func mounted[T any](ctx context.Context, name string) *collection[T] {
	registry, ok := ctx.Value(registryKey{}).(*Registry)
	if !ok {
		panic("resource: Update and Insert are for Prepare, Applied and contexts of Within only")
	}
	return registry.collections[name].(*collection[T])
}

// Update changes the records of a collection that where describes: a condition over alias t, in which $2 and on stand
// for args. Records that alter leaves as they are stay untouched.
func Update[T any](ctx context.Context, tx pgx.Tx, name, where string, args []any, alter func(*T)) error {
	c := mounted[T](ctx, name)
	rows, err := tx.Query(ctx, "SELECT "+selection(c.columns)+" FROM "+c.name+" t WHERE t.organization_id = $1 AND ("+where+") ORDER BY t.id FOR UPDATE OF t",
		append([]any{principal.From(ctx).OrganizationID}, args...)...)
	if err != nil {
		return err
	}
	var held []row
	for rows.Next() {
		held = append(held, copyRow(rows))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var changes []*Change[T]
	for _, before := range held {
		change, err := c.existing(0, c.text(before, "id"), before)
		if err != nil {
			return err
		}
		after := *change.Before
		alter(&after)
		if change.After = &after; !reflect.DeepEqual(change.Before, change.After) {
			changes = append(changes, change)
		}
	}
	for start := 0; start < len(changes); start += MaxPerPage {
		batch := changes[start:min(start+MaxPerPage, len(changes))]
		if err := c.replace(ctx, tx, batch); err != nil {
			return fmt.Errorf("update %s: %w", name, err)
		}
		if err := c.record(ctx, tx, "updated", batch); err != nil {
			return err
		}
	}
	return nil
}

// Insert makes records of a collection.
func Insert[T any](ctx context.Context, tx pgx.Tx, name string, records []*T) error {
	c := mounted[T](ctx, name)
	for start := 0; start < len(records); start += MaxPerPage {
		var batch []*Change[T]
		for _, record := range records[start:min(start+MaxPerPage, len(records))] {
			batch = append(batch, &Change[T]{id: newID(), After: record})
		}
		if err := c.insert(ctx, tx, batch); err != nil {
			return fmt.Errorf("insert %s: %w", name, err)
		}
		if err := c.record(ctx, tx, "created", batch); err != nil {
			return err
		}
	}
	return nil
}

// New gives a record with the declared defaults, for Insert.
func New[T any](ctx context.Context, name string) *T {
	record := new(T)
	mounted[T](ctx, name).schema.Defaults(reflect.ValueOf(record).Elem())
	return record
}
