package links

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// A record must not be deleted while another service begins to refer to it. Both services take a lock before they call the other:
//
//   - The service that refers takes a shared advisory lock on the id in its own database, then calls the owner, then writes.
//   - The owner takes the row's lock FOR UPDATE, then calls the services that may refer, for counts. To count, they take the
//     advisory lock exclusively, and so wait for every write that called the owner before.
//
// A write that called before the row was locked is waited for and counted. One that calls afterwards gets the response that the
// record is not held, without waiting, and is rejected. Locks end with their transactions, so a process that is killed leaves
// neither a lock nor a reference to a record that is not there.

// lockIDs takes the lock of every bucket that the ids are in, in a fixed order. Buckets bound the number of locks.
func lockIDs(ctx context.Context, tx pgx.Tx, function, collection string, ids []string) error {
	_, err := tx.Exec(ctx, "SELECT "+function+`(b.collection, b.bucket) FROM (
		SELECT DISTINCT hashtext(current_schema() || $1 || $2) AS collection, hashtext(id) & 63 AS bucket
		FROM unnest($3::text[]) id ORDER BY 2) b`,
		principal.From(ctx).OrganizationID, collection, ids)
	return err
}

// hold finds records that this transaction is about to refer to, in this service's tables or at their owners, one question
// per collection. Records of this service are kept by their foreign keys.
func hold(ctx context.Context, set *table.Set, tx pgx.Tx, wanted map[string]map[string]bool, found *Found) error {
	var elsewhere []string
	keep := func(collection string, entries []reference.Entry) {
		for _, entry := range entries {
			found.entries[collection][entry.ID] = entry
		}
	}
	for _, collection := range Keys(wanted) {
		if set.Tables[collection] == nil {
			if err := lockIDs(ctx, tx, "pg_advisory_xact_lock_shared", collection, Keys(wanted[collection])); err != nil {
				return err
			}
			elsewhere = append(elsewhere, collection)
			continue
		}
		entries, err := Find(ctx, set, collection, reference.Query{IDs: Keys(wanted[collection])})
		if err != nil {
			return err
		}
		for i := range entries {
			entries[i].Held = true
		}
		keep(collection, entries)
	}
	var mu sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	for _, collection := range elsewhere {
		group.Go(func() error {
			entries, err := set.References.Find(groupCtx, collection, reference.Query{IDs: Keys(wanted[collection]), Hold: true})
			mu.Lock()
			defer mu.Unlock()
			keep(collection, entries)
			return err
		})
	}
	return group.Wait()
}

// Hold finds records that this transaction is about to refer to by something else than a field, and keeps them from being deleted
// until it ends: ids by collection in, entries by collection and id out. Those that nobody has, and those that are being deleted, are not
// among them.
func Hold(ctx context.Context, set *table.Set, tx pgx.Tx, ids map[string][]string) (map[string]map[string]reference.Entry, error) {
	wanted, found := map[string]map[string]bool{}, &Found{entries: map[string]map[string]reference.Entry{}}
	for collection, list := range ids {
		wanted[collection], found.entries[collection] = map[string]bool{}, map[string]reference.Entry{}
		for _, id := range list {
			wanted[collection][id] = true
		}
	}
	err := hold(ctx, set, tx, wanted, found)
	for _, entries := range found.entries {
		maps.DeleteFunc(entries, func(_ string, entry reference.Entry) bool { return !entry.Held })
	}
	return found.entries, err
}

// maxIDsPerCall is how many ids one call to another service has.
const maxIDsPerCall = 5000

// lockLeaving locks rows that are to be deleted or retired and asks all other services what refers to them. What is deleted takes the
// records below it along: those are locked and asked about as well, and what refers to them counts for the record that they are below.
// Where no other service may refer to either, it costs nothing.
func lockLeaving(ctx context.Context, tx pgx.Tx, t *table.Table, query reference.DependentsQuery) ([]reference.Dependents, error) {
	below := taken(t)
	if query.Open {
		below = nil
	}
	if t.References == nil || len(t.Row.ReferredBy) == 0 && below == nil {
		return nil, nil
	}
	_, err := tx.Exec(ctx, "SELECT FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) ORDER BY t.id FOR UPDATE",
		principal.From(ctx).OrganizationID, query.IDs)
	if err != nil {
		return nil, err
	}
	of := map[string]string{} // by id, the record that goes
	for _, id := range query.IDs {
		of[id] = id
	}
	all, err := dependentsElsewhere(ctx, t, of, query.Open)
	for _, child := range below {
		if err != nil {
			return nil, err
		}
		var further []reference.Dependents
		further, err = lockBelow(ctx, tx, child, of)
		all = append(all, further...)
	}
	return all, err
}

// lockBelow is lockLeaving for the records of a collection below the records in of, which are locked: no others can be added.
func lockBelow(ctx context.Context, tx pgx.Tx, t *table.Table, parents map[string]string) ([]reference.Dependents, error) {
	rows, err := tx.Query(ctx, "SELECT t.id::text, t."+t.Parent+"::text FROM "+t.Name+" t WHERE t.organization_id = $1 AND t."+t.Parent+
		" = ANY($2::uuid[]) ORDER BY t.id FOR UPDATE", principal.From(ctx).OrganizationID, Keys(parents))
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	var id, parent string
	if _, err := pgx.ForEachRow(rows, []any{&id, &parent}, func() error { of[id] = parents[parent]; return nil }); err != nil || len(of) == 0 {
		return nil, err
	}
	all, err := dependentsElsewhere(ctx, t, of, false)
	for _, child := range taken(t) {
		if err != nil {
			return nil, err
		}
		var further []reference.Dependents
		further, err = lockBelow(ctx, tx, child, of)
		all = append(all, further...)
	}
	return all, err
}

// taken are the collections below a collection whose records, or the records below those, other services may refer to.
func taken(t *table.Table) []*table.Table {
	var below []*table.Table
	for _, collection := range Keys(t.Tables) {
		child := t.Tables[collection]
		if child.Parent == "" || child.Schema.Field(child.Parent).References != t.Row.Name {
			continue
		}
		if len(child.Row.ReferredBy) > 0 || taken(child) != nil {
			below = append(below, child)
		}
	}
	return below
}

// dependentsElsewhere counts what refers to records of a collection in the other services. Each count is of the
// record that of has for the id.
func dependentsElsewhere(ctx context.Context, t *table.Table, of map[string]string, open bool) ([]reference.Dependents, error) {
	if len(t.Row.ReferredBy) == 0 {
		return nil, nil
	}
	var all []reference.Dependents
	for ids := range slices.Chunk(Keys(of), maxIDsPerCall) {
		found, err := t.References.Dependents(ctx, t.Row.Name, reference.DependentsQuery{IDs: ids, Open: open})
		if err != nil {
			return nil, err
		}
		for _, dependents := range found {
			dependents.ID = of[dependents.ID]
			all = append(all, dependents)
		}
	}
	return all, nil
}

// dependents counts what refers to records of a collection, over all resources of this service: each record once, by however many fields
// it refers.
func dependents(ctx context.Context, set *table.Set, tx pgx.Tx, collection string,
	query reference.DependentsQuery) ([]reference.Dependents, error) {
	var all []reference.Dependents
	for _, t := range set.Tables {
		sql := referrers(t, collection, query.Open)
		if sql == "" {
			continue
		}
		rows, err := tx.Query(ctx, "SELECT id, count(*) FROM ("+sql+") u WHERE id::uuid = ANY($2::uuid[]) GROUP BY id",
			principal.From(ctx).OrganizationID, query.IDs)
		if err != nil {
			return nil, err
		}
		var of string
		var count int
		if _, err := pgx.ForEachRow(rows, []any{&of, &count}, func() error {
			all = append(all, reference.Dependents{ID: of, Counts: map[string]int{t.Row.Name: count}})
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// referrers is the SQL that gives the ids, among $2, that the rows of a table refer to: one row for each id and row. It is empty where no
// column refers to the collection.
func referrers(t *table.Table, collection string, open bool) string {
	var selects []string
	if open && t.Active == "" {
		return ""
	}
	for _, column := range t.Columns {
		refers, condition := refers(t, column, collection)
		if !refers || t.Parent == column.Name {
			continue
		}
		id := "t." + column.Name + "::text"
		if column.Kind == schema.List {
			id = "jsonb_array_elements_text(t." + column.Name + ")"
		} else { // by the index
			condition += " AND t." + column.Name + " = ANY($2::uuid[])"
		}
		if t.Row.Name == collection { // records that go together do not hold each other
			condition += " AND t.id <> ALL($2::uuid[])"
		}
		if open {
			condition += " AND (" + t.Active + ")"
		}
		if t.Holds != "" && (t.HoldsHere || t.Tables[collection] == nil) { // what is here is kept by its foreign key else
			condition += " AND (" + t.Holds + ")"
		}
		selects = append(selects, "SELECT "+id+" AS id, t.id AS row FROM "+t.Name+" t WHERE t.organization_id = $1"+condition)
	}
	return strings.Join(selects, " UNION ")
}

// refers says whether a column may refer to records of a collection, and by which further condition.
func refers(t *table.Table, column *table.Column, collection string) (bool, string) {
	by, named := strings.CutPrefix(column.References, "@")
	if !named {
		return column.References == collection, ""
	}
	for _, value := range t.Column(by).Enum {
		if row, _ := t.Catalogue.Named(value); row.Name == collection {
			return true, " AND t." + by + " = '" + value + "'"
		}
	}
	return false, ""
}

// ServeDependents serves the question of other services that own what this one refers to. Every collection that a
// resource of this service refers to and that is not its own is asked about there.
func ServeDependents(api *transport.API, t *table.Table, served map[string]bool) {
	for _, collection := range t.AllTargets() {
		if served[collection] {
			continue
		}
		served[collection] = true
		count := func(ctx context.Context, query reference.DependentsQuery) (reference.DependentsResponse, error) {
			response := reference.DependentsResponse{Data: []reference.Dependents{}}
			err := t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				if err := lockIDs(ctx, tx, "pg_advisory_xact_lock", collection, query.IDs); err != nil {
					return err
				}
				found, err := dependents(ctx, t.Set, tx, collection, query) // a statement later sees what was waited for
				response.Data = append(response.Data, found...)
				return err
			})
			return response, t.Explain(err)
		}
		transport.Internal(api, reference.DependentsOf(collection), count)
	}
}
