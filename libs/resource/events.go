package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
)

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

// written is a record that was written, in whichever way: by a call, by Insert or by Rewrite.
type written struct {
	id            string
	before, after row      // nil of a record that is new, or gone
	change        any      // the *Change[T], unless it was Rewrite
	emitted       []string // types of further events
}

// emit asks the definition for further events of what was written, in the order of the catalogue.
func (c *collection[T]) emit(ctx context.Context, tx pgx.Tx, all []*written) error {
	changes, of := make([]*Change[T], len(all)), map[*Change[T]]*written{}
	for i, w := range all {
		change, err := c.changeOf(w)
		if err != nil {
			return err
		}
		changes[i], of[change] = change, w
	}
	for _, event := range c.row.Events {
		emits := c.Events[event.Name]
		if emits == nil {
			continue
		}
		emitting, err := emits(ctx, tx, changes)
		if err != nil {
			return err
		}
		for _, change := range emitting {
			of[change].emitted = append(of[change].emitted, event.Name)
		}
	}
	return nil
}

// changeOf gives a written record as its definition knows it.
func (c *collection[T]) changeOf(w *written) (*Change[T], error) {
	if change, known := w.change.(*Change[T]); known {
		if change.After == nil {
			return change, nil
		}
		return change, c.fill(change.After, w.after, func(column *column, _ int) bool { return !column.stored })
	}
	change, err := c.existing(0, w.id, w.before)
	if err != nil {
		return nil, err
	}
	after := *change.Before
	change.After = &after
	return change, c.fill(change.After, w.after, func(_ *column, i int) bool { return string(w.before[i]) != string(w.after[i]) })
}

// fill puts the chosen columns of a row into a record: what the database alone knows, or what has changed.
func (c *collection[T]) fill(record *T, values row, choose func(column *column, i int) bool) error {
	target, body := reflect.ValueOf(record).Elem(), []byte{'{'}
	for i, column := range c.columns {
		if !choose(column, i) {
			continue
		}
		target.FieldByIndex(column.Index).SetZero() // never write into memory that another record shares
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(append(append(body, '"'), column.Name...), `":`...)
		body = appendValue(body, column, values[i])
	}
	if err := json.Unmarshal(append(body, '}'), record); err != nil {
		return fmt.Errorf("read what was written into %s: %w", c.Collection, err)
	}
	return nil
}
