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

// checkReferences makes sure that every id that is new in a change is a record of the organization: one question per
// collection, whatever the number of changes.
func (c *collection[T]) checkReferences(ctx context.Context, changes []*Change[T]) error {
	type use struct {
		change *Change[T]
		field  *schema.Field
		id     string
	}
	own := map[string]bool{} // records of this very call may refer to each other
	for _, change := range changes {
		own[change.id] = true
	}
	uses := map[string][]use{}
	for _, f := range c.schema.Fields {
		if f.References == "" || f.ReadOnly {
			continue
		}
		for _, change := range changes {
			var before []string
			if change.Before != nil {
				before = idsOf(f, change.Before)
			}
			for _, id := range idsOf(f, change.After) {
				if !slices.Contains(before, id) && !(f.References == c.Collection && own[id]) {
					uses[f.References] = append(uses[f.References], use{change, f, id})
				}
			}
		}
	}
	for collection, wanted := range uses {
		ids := map[string]bool{}
		for _, u := range wanted {
			ids[u.id] = true
		}
		entries, err := c.registry.find(ctx, collection, reference.Query{IDs: keys(ids)})
		if err != nil {
			return err
		}
		for _, entry := range entries {
			delete(ids, entry.ID)
		}
		for _, u := range wanted {
			if ids[u.id] {
				u.change.Fail(u.field.Name, "there is no record %s in %s of this organization", u.id, collection)
			}
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

func keys(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// refuseDependents counts what still refers to the records that are to be deleted, over all resources of the service.
func (c *collection[T]) refuseDependents(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	if len(changes) == 0 {
		return nil
	}
	byID, ids := map[string]*Change[T]{}, []string{}
	for _, change := range changes {
		byID[change.id] = change
		ids = append(ids, change.id)
	}
	dependents := map[string]map[string]int{}
	for _, t := range c.registry.tables {
		for _, column := range t.columns {
			if column.References != c.Collection || t.parent == column.Name || column.Kind == schema.List {
				continue
			}
			rows, err := tx.Query(ctx, "SELECT t."+column.Name+"::text, count(*) FROM "+t.name+" t WHERE t.organization_id = $1 AND t."+column.Name+
				" = ANY($2::uuid[]) AND NOT ("+fmt.Sprint(t.collection == c.Collection)+" AND t.id = ANY($2::uuid[])) GROUP BY 1", principal.From(ctx).OrganizationID, ids)
			if err != nil {
				return err
			}
			var id string
			var count int
			if _, err := pgx.ForEachRow(rows, []any{&id, &count}, func() error {
				if dependents[id] == nil {
					dependents[id] = map[string]int{}
				}
				dependents[id][t.collection] += count
				return nil
			}); err != nil {
				return err
			}
		}
	}
	for id, counts := range dependents {
		byID[id].Refuse(c.inUse(id, counts))
	}
	return nil
}

func (c *collection[T]) inUse(id string, counts map[string]int) *fault.Error {
	var parts []string
	for collection, count := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", count, strings.ReplaceAll(collection, "_", " ")))
	}
	slices.Sort(parts)
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
	refusal := fault.Conflict("already_exists", name, value, "There already is a %s with %s %q.", strings.ReplaceAll(c.singular, "_", " "), name, fmt.Sprint(value))
	refusal.ExistingID = existing
	return refusal, nil
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

// foldWhenNeeded folds the ledger in the background when a list had to add up many more rows than there are blocks.
func (t *table) foldWhenNeeded(ctx context.Context, total, deltas int) {
	if deltas < 256 || deltas < 2*(total/blockSize+1) {
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
