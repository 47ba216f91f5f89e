package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
)

// Found are the records that the changes of one call refer to.
type Found struct {
	table   *table
	entries map[string]map[string]reference.Entry // by collection and id
}

// Entry gives a record of a collection, if the organization has it. A collection to which no field refers panics.
func (f *Found) Entry(collection, id string) (reference.Entry, bool) {
	if targets := f.table.allTargets(); !slices.Contains(targets, collection) {
		panic("resource: a rule of " + f.table.collection + " is wrong: " + schema.Unknown("reference to", collection, targets))
	}
	entry, ok := f.entries[collection][id]
	return entry, ok
}

// use is one id that a change refers to.
type use[T any] struct {
	change     *Change[T]
	field      *schema.Field
	collection string
	id         string
	fresh      bool // the record did not refer to it before
}

// uses lists what the changes refer to, of those changes that touch a reference.
func (c *collection[T]) uses(changes []*Change[T]) (uses []use[T], touched []*Change[T]) {
	own := map[string]bool{} // records of this very call may refer to each other
	for _, change := range changes {
		own[change.id] = true
	}
	for _, change := range changes {
		fresh := false
		start := len(uses)
		for _, f := range c.schema.Fields {
			if f.References == "" || f.ReadOnly {
				continue
			}
			after := c.referred(f, change.After)
			var before []string
			if change.Before != nil && c.referred(f, change.Before) == after {
				before = idsOf(f, change.Before)
			}
			for _, id := range idsOf(f, change.After) {
				if after == c.Collection && own[id] {
					continue
				}
				u := use[T]{change, f, after, id, !slices.Contains(before, id)}
				fresh = fresh || u.fresh
				uses = append(uses, u)
			}
		}
		if !fresh {
			uses = uses[:start]
			continue
		}
		touched = append(touched, change)
	}
	return uses, touched
}

// referred is the collection that a record's reference refers to: the field's own, or the one that another field of the
// record names by its singular.
func (t *table) referred(f *schema.Field, record any) string {
	if by, ok := strings.CutPrefix(f.References, "@"); ok {
		row, _ := t.registry.Catalogue.FindSingular(fmt.Sprint(t.schema.Field(by).Get(reflect.ValueOf(record).Elem())))
		return row.Name
	}
	return f.References
}

// checkReferences makes sure that every id that is new in a change is a record of the organization and stays one: one
// question per collection, whatever the number of changes.
func (c *collection[T]) checkReferences(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	uses, touched := c.uses(changes)
	if len(touched) == 0 {
		return nil
	}
	found := &Found{table: c.table, entries: map[string]map[string]reference.Entry{}}
	if err := c.lookUp(ctx, tx, uses, found); err != nil {
		return err
	}
	if c.Resolve == nil {
		return nil
	}
	if touched = sound(touched); len(touched) == 0 {
		return nil
	}
	if err := c.Resolve(touched, found); err != nil {
		return err
	}
	filledIn, _ := c.uses(touched)
	return c.lookUp(ctx, tx, filledIn, found)
}

// lookUp finds what is used and not found yet, and objects to new ids that nobody has. Fields that the resource does not
// resolve further need no look at ids that were checked when they came.
func (c *collection[T]) lookUp(ctx context.Context, tx pgx.Tx, uses []use[T], found *Found) error {
	wanted := map[string]map[string]bool{}
	for _, u := range uses {
		if found.entries[u.collection] == nil {
			found.entries[u.collection] = map[string]reference.Entry{}
		}
		if _, known := found.entries[u.collection][u.id]; known || !u.fresh && c.Resolve == nil {
			continue
		}
		if wanted[u.collection] == nil {
			wanted[u.collection] = map[string]bool{}
		}
		wanted[u.collection][u.id] = true
	}
	if err := c.registry.hold(ctx, tx, wanted, found); err != nil {
		return err
	}
	for _, u := range uses {
		if !u.fresh || !wanted[u.collection][u.id] {
			continue
		}
		if entry, known := found.Entry(u.collection, u.id); !known {
			u.change.FieldError(u.field.Name, "there is no record %s in %s of this organization", u.id, strings.ReplaceAll(u.collection, "_", " "))
		} else if !entry.Held {
			return fault.Unavailable("reference_changing", "The record %s of %s is being deleted or retired at this moment; try again.", u.id, u.field.Name)
		}
	}
	return nil
}

func idsOf(f *schema.Field, record any) []string {
	switch v := f.Get(reflect.ValueOf(record).Elem()).(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

func keys[V any](set map[string]V) []string {
	list := make([]string, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// refuseDependents objects to changes whose records others still refer to, in this service and in all others: to
// deletes, or to the retirement of records that are still being worked on.
func (c *collection[T]) refuseDependents(ctx context.Context, tx pgx.Tx, changes []*Change[T], open bool) error {
	if len(changes) == 0 {
		return nil
	}
	byID, query := map[string]*Change[T]{}, reference.DependentsQuery{Open: open}
	for _, change := range changes {
		byID[change.id] = change
		query.IDs = append(query.IDs, change.id)
	}
	all, err := c.registry.dependents(ctx, tx, c.Collection, query)
	if err != nil {
		return err
	}
	if len(c.row.ReferredBy) > 0 && c.registry.References != nil {
		elsewhere, err := c.registry.leave(ctx, tx, c.table, query)
		if err != nil {
			return err
		}
		all = append(all, elsewhere...)
	}
	counts := map[string]map[string]int{}
	for _, dependents := range all {
		if counts[dependents.ID] == nil {
			counts[dependents.ID] = map[string]int{}
		}
		for collection, count := range dependents.Counts {
			counts[dependents.ID][collection] += count
		}
	}
	for id, counts := range counts {
		byID[id].Reject(c.inUse(id, counts, open))
	}
	return nil
}

// RejectWhileActive objects to changes that retire records of a collection which somebody still works on: 409 with
// dependents. BeforeWrite calls it with the changes that retire.
func RejectWhileActive[T any](ctx context.Context, tx pgx.Tx, registry *Registry, name string, changes []*Change[T]) error {
	return collectionOf[T](registry, name).refuseDependents(ctx, tx, changes, true)
}

func (c *collection[T]) inUse(id string, counts map[string]int, open bool) *fault.Error {
	var parts []string
	for collection, count := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", count, strings.ReplaceAll(collection, "_", " ")))
	}
	slices.Sort(parts)
	if open {
		refusal := fault.Conflict("still_in_use", "id", id, "The %s still has %s open; complete or cancel those first.", c.singular, strings.Join(parts, ", "))
		refusal.Dependents = counts
		return refusal
	}
	refusal := fault.Conflict("still_in_use", "id", id, "The %s is still used by %s; move or delete those first.", c.singular, strings.Join(parts, ", "))
	refusal.Dependents = counts
	return refusal
}

// fieldOfConstraint gives the field that a unique or foreign key is about: constraints are named <table>_<field>_key
// and <table>_<field>_fkey.
func (t *table) fieldOfConstraint(constraint string) string {
	name := strings.TrimPrefix(constraint, t.name+"_")
	return strings.TrimSuffix(strings.TrimSuffix(name, "_fkey"), "_key")
}

// refusal says which value of a change is taken, and by which record.
func (c *collection[T]) refusal(ctx context.Context, tx pgx.Tx, violation *pgconn.PgError, name string, change *Change[T]) (*fault.Error, error) {
	f := c.schema.Field(name)
	if violation.Code == "23503" || f == nil || change.After == nil {
		e := fault.Conflict("still_in_use", "id", change.id, "The %s is used by, or uses, a record that has just changed; read it again.", c.singular)
		return e.Because(violation), nil
	}
	record := reflect.ValueOf(change.After).Elem()
	value := f.Get(record)
	conditions, args := "", []any{principal.From(ctx).OrganizationID, fmt.Sprint(value)}
	for _, within := range f.Within {
		args = append(args, c.schema.Field(within).Get(record))
		conditions += fmt.Sprintf(" AND t.%s IS NOT DISTINCT FROM $%d", within, len(args))
	}
	var existing string
	err := tx.QueryRow(ctx, "SELECT t.id::text FROM "+c.name+" t WHERE t.organization_id = $1 AND t."+name+"_key = unique_key($2)"+conditions, args...).Scan(&existing)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	refusal := fault.Conflict("already_exists", name, value, "There already is a %s with %s %q%s.", strings.ReplaceAll(c.singular, "_", " "), name, fmt.Sprint(value), c.shared(f, record))
	refusal.ExistingID = existing
	return refusal, nil
}

// shared says within what else than its parent a value is taken: " and fiscal_year 2027".
func (t *table) shared(f *schema.Field, record reflect.Value) string {
	text := ""
	for _, name := range f.Within {
		if value := t.schema.Field(name).Get(record); name != t.parent && value != nil {
			text += fmt.Sprintf(" and %s %v", name, value)
		}
	}
	return text
}

// explain puts a database error into the caller's words.
func (t *table) explain(err error) error {
	if err == nil {
		return nil
	}
	return postgres.Fault(err, func(constraint string) (string, any) { return t.fieldOfConstraint(constraint), nil })
}

func (t *table) notFound(id string) error {
	return fault.NotFound(strings.ReplaceAll(t.singular, "_", " "), id)
}

// foldWhenNeeded folds the ledger in the background when a list had to add up many deltas.
func (t *table) foldWhenNeeded(ctx context.Context, deltas int64) {
	if deltas < 128 {
		return
	}
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	go func() {
		defer cancel()
		err := t.registry.DB.Write(background, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT fold_ledger($1)", t.collection)
			return err
		})
		if err != nil {
			t.registry.API.Log.WarnContext(background, "ledger not folded", "collection", t.collection, "error", err)
		}
	}()
}
