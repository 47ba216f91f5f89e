package links

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// Found are the records that the changes of one call refer to.
type Found struct {
	table   *table.Table
	entries map[string]map[string]reference.Entry // by collection and id
}

// Entry gives a record of a collection, if the organization has it. A collection to which no field refers panics.
func (f *Found) Entry(collection, id string) (reference.Entry, bool) {
	if targets := f.table.AllTargets(); !slices.Contains(targets, collection) {
		panic("resource: a rule of " + f.table.Row.Name + " is wrong: " + schema.Unknown("reference to", collection, targets))
	}
	entry, ok := f.entries[collection][id]
	return entry, ok
}

// Resolve completes changes by what they refer to.
type Resolve func(changes []*change.Change, found *Found) error

// use is one id that a change refers to.
type use struct {
	change     *change.Change
	field      *schema.Field
	collection string
	id         string
	fresh      bool // the record did not refer to it before
}

// usesOf lists what the changes refer to, of those changes that touch a reference.
func usesOf(t *table.Table, changes []*change.Change) (uses []use, touched []*change.Change) {
	own := map[string]bool{} // records of this very call may refer to each other
	for _, c := range changes {
		own[c.ID] = true
	}
	for _, c := range changes {
		fresh := false
		start := len(uses)
		for _, f := range t.Schema.Fields {
			if f.References == "" || f.ReadOnly {
				continue
			}
			after := referred(t, f, c.After)
			var before []string
			if c.Before != nil && referred(t, f, c.Before) == after {
				before = idsOf(f, c.Before)
			}
			for _, id := range idsOf(f, c.After) {
				if after == t.Row.Name && own[id] {
					continue
				}
				u := use{c, f, after, id, !slices.Contains(before, id)}
				fresh = fresh || u.fresh
				uses = append(uses, u)
			}
		}
		if !fresh {
			uses = uses[:start]
			continue
		}
		touched = append(touched, c)
	}
	return uses, touched
}

// referred is the collection that a record's reference refers to: the field's own, or the one that another field of the
// record names.
func referred(t *table.Table, f *schema.Field, record any) string {
	if by, ok := strings.CutPrefix(f.References, "@"); ok {
		row, _ := t.Catalogue.Named(fmt.Sprint(t.Schema.Field(by).Get(change.Record(record))))
		return row.Name
	}
	return f.References
}

// Check makes sure that every id that is new in a change is a record of the organization and stays one: one
// question per collection, whatever the number of changes.
func Check(ctx context.Context, tx pgx.Tx, t *table.Table, changes []*change.Change, resolve Resolve) error {
	uses, touched := usesOf(t, changes)
	if len(touched) == 0 {
		return nil
	}
	found := &Found{table: t, entries: map[string]map[string]reference.Entry{}}
	if err := lookUp(ctx, tx, t, uses, found, resolve != nil); err != nil {
		return err
	}
	if resolve == nil {
		return nil
	}
	if touched = change.Valid(touched); len(touched) == 0 {
		return nil
	}
	if err := resolve(touched, found); err != nil {
		return err
	}
	filledIn, _ := usesOf(t, touched)
	return lookUp(ctx, tx, t, filledIn, found, true)
}

// lookUp finds what is used and not found yet, and objects to new ids that nobody has. Fields that the resource does not
// resolve further need no look at ids that were checked when they came.
func lookUp(ctx context.Context, tx pgx.Tx, t *table.Table, uses []use, found *Found, resolved bool) error {
	wanted := map[string]map[string]bool{}
	for _, u := range uses {
		if found.entries[u.collection] == nil {
			found.entries[u.collection] = map[string]reference.Entry{}
		}
		if _, known := found.entries[u.collection][u.id]; known || !u.fresh && !resolved {
			continue
		}
		if wanted[u.collection] == nil {
			wanted[u.collection] = map[string]bool{}
		}
		wanted[u.collection][u.id] = true
	}
	if err := hold(ctx, t.Set, tx, wanted, found); err != nil {
		return err
	}
	for _, u := range uses {
		if !u.fresh || !wanted[u.collection][u.id] {
			continue
		}
		if entry, known := found.Entry(u.collection, u.id); !known {
			u.change.MissingError(u.field.Name, "%s", t.Catalogue.Must(u.collection).Missing(u.id))
		} else if !entry.Held {
			return fault.Unavailable("reference_changing",
				"The record %s of %s is being deleted or retired at this moment; try again.", u.id, u.field.Name)
		}
	}
	return nil
}

func idsOf(f *schema.Field, record any) []string {
	switch v := f.Get(change.Record(record)).(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

func Keys[V any](set map[string]V) []string {
	list := make([]string, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}
