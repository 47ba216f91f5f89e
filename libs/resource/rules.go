package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
)

// Insert makes records of a collection on behalf of a rule or a plain operation: with position, history and event like any
// other new record, but without the resource's own Prepare and Applied, so that rules do not call each other in circles.
// The records are completed with what was written: id, version, derived fields.
func Insert[T any](ctx context.Context, tx pgx.Tx, registry *Registry, name string, records []*T) error {
	c := registry.collections[name].(*collection[T])
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
		for _, change := range batch {
			if err := json.Unmarshal(appendRecord(nil, c.columns, change.after), change.After); err != nil {
				return fmt.Errorf("read what was inserted into %s: %w", name, err)
			}
		}
	}
	return nil
}

// New gives a record with the declared defaults, for Insert.
func New[T any](registry *Registry, name string) *T {
	record := new(T)
	registry.tables[name].schema.Defaults(reflect.ValueOf(record).Elem())
	return record
}
