package resource

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Written is a record that was written, in whichever way: by a call, by Insert or by Rewrite.
type Written struct {
	ID            string
	table         *table
	before, after row // nil of a record that is new, or gone
	told          []string
}

// New says that the record did not exist before.
func (w *Written) New() bool { return w.before == nil }

// Gone says that the record was deleted.
func (w *Written) Gone() bool { return w.after == nil }

// Before is a field's value before the write, as text; "" for null and of a new record. A derived field has the value that it
// had when the record was read for the change.
func (w *Written) Before(field string) string { return w.text(w.before, field) }

// After is a field's value after the write, as text; "" for null and of a record that is gone.
func (w *Written) After(field string) string { return w.text(w.after, field) }

func (w *Written) text(values row, field string) string {
	if values == nil {
		return ""
	}
	return w.table.text(values, field)
}

// Tell adds an event of a type of the catalogue: the same record, with what changed, under another name.
func (w *Written) Tell(eventType string) { w.told = append(w.told, eventType) }

// tell asks the definition for further events of what was written.
func (t *table) tell(ctx context.Context, tx pgx.Tx, changes []*Written) error {
	if t.events == nil {
		return nil
	}
	if err := t.events(ctx, tx, changes); err != nil {
		return err
	}
	for _, change := range changes {
		for _, name := range change.told {
			if known, found := t.registry.Catalogue.FindEventType(name); !found || known.Collection != t.collection {
				return fmt.Errorf("%s tell of the event %q, which the catalogue does not have of them", t.collection, name)
			}
		}
	}
	return nil
}
