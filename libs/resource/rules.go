package resource

import (
	"context"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
)

// Insert makes records of a collection on behalf of a rule or a plain operation: with position, history and event like any
// other new record, but without the resource's own BeforeWrite and AfterWrite, so that rules do not call each other in circles.
// The records are completed with what was written: id, version, derived fields.
func Insert[T any](ctx context.Context, tx pgx.Tx, registry *Registry, name string, records []*T) error {
	c := collectionOf[T](registry, name)
	for start := 0; start < len(records); start += MaxPerPage {
		var batch []*Change[T]
		for _, record := range records[start:min(start+MaxPerPage, len(records))] {
			batch = append(batch, &Change[T]{of: c, id: newID(), After: record})
		}
		if err := c.insert(ctx, tx, batch); err != nil {
			return fmt.Errorf("insert %s: %w", name, err)
		}
		for _, change := range batch {
			if err := c.fill(change.After, change.after, func(*column, int) bool { return true }); err != nil {
				return err
			}
		}
		if err := c.record(ctx, tx, "created", batch); err != nil {
			return err
		}
	}
	return nil
}

// New gives a record with the declared defaults, for Insert.
func New[T any](registry *Registry, name string) *T {
	record := new(T)
	collectionOf[T](registry, name).schema.Defaults(reflect.ValueOf(record).Elem())
	return record
}
