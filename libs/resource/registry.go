package resource

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/declaration"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/operations"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/transport"
)

// Registry is the resources of one service.
type Registry struct {
	API *transport.API
	*table.Set
	resources        map[string]*write.Resource // by collection
	dependentsServed map[string]bool            // collections whose dependents are served to others
	emptying         Emptying
}

// NewRegistry makes a registry without resources, of collections of the product.
func NewRegistry(api *transport.API, db *postgres.DB, references *reference.Client) *Registry {
	set := &table.Set{DB: db, References: references, Cursors: api.Signer.Derive("cursors of lists"),
		Catalogue: catalogue.Product(), Log: api.Log, Tables: map[string]*table.Table{}}
	transport.Internal(api, reference.Changes, func(ctx context.Context, in ChangesQuery) (ChangesPage, error) {
		return record.Trail(ctx, set, in)
	})
	transport.Internal(api, reference.Search, func(ctx context.Context, in reference.SearchQuery) (reference.SearchResponse, error) {
		return read.Search(ctx, set, in)
	})
	transport.Internal(api, reference.OperateIndex, func(ctx context.Context, in reference.IndexQuery) (reference.IndexState, error) {
		return index.Operate(ctx, set, in)
	})
	registry := &Registry{API: api, Set: set, resources: map[string]*write.Resource{}, dependentsServed: map[string]bool{}}
	registry.mountEmptying()
	persons.Mount(api, db)
	return registry
}

// Mount serves a resource. A definition that contradicts its struct or the catalogue panics and names every mistake: it
// is found at start.
func Mount[T any](registry *Registry, definition Definition[T]) {
	d := definition
	if d.Label == "" {
		d.Label = "name"
	}
	events := map[string]bool{}
	for name, emits := range d.Events {
		events[name] = emits.among != nil
	}
	row, declared, mistakes := declaration.Check(registry.Set, reflect.TypeFor[T](), declaration.Definition{
		Collection: d.Collection, Table: d.Table, NaturalKey: d.NaturalKey, Label: d.Label, Parent: d.Parent, Geometry: d.Geometry,
		Computed: d.Computed, Filters: d.Filters, Transitions: d.Transitions, RevealOnce: d.RevealOnce, Events: events, Words: d.Words,
		Also: d.Also, Expansions: d.Expansions, AsOf: d.AsOf, Totals: d.Totals,
		Category: d.Category,
	})
	mistakes.Panic()
	columns := table.ColumnsOf(declared, d.Computed)
	t := &table.Table{
		Set: registry.Set, Row: row, Schema: declared, Name: d.Table, Label: d.Label, Parent: d.Parent, Geometry: d.Geometry,
		Columns: columns, Filters: d.Filters, Expansions: d.Expansions, Also: d.Also, Active: d.Active, Holds: d.Holds, HoldsHere: d.HoldsHere,
		Visible: d.Visible, Hidden: d.Hidden, Default: d.Default, AsOf: d.AsOf, Totals: d.Totals, State: d.Transitions.Field,
		Ended: d.Transitions.Ended, Searched: table.SearchedOf(columns), Words: d.Words, Category: d.Category,
	}
	r := &write.Resource{
		Table: t, NaturalKey: d.NaturalKey, PathKey: d.PathKey, Transitions: d.Transitions, RevealOnce: d.RevealOnce,
		BeforeWrite: hook(d.BeforeWrite), AfterWrite: hook(d.AfterWrite), Emit: emitter(row, d.Events),
		BeforeTransaction: d.BeforeTransaction,
	}
	r.Parts = sync.OnceValue(func() []*write.Resource { return registry.below(d.Collection) })
	if d.Resolve != nil {
		r.Resolve = func(changes []*change.Change, found *Found) error { return d.Resolve(typed[T](changes), found) }
	}
	if d.SoftDelete != nil {
		r.SoftDelete = func(record any) { d.SoftDelete(record.(*T)) }
	}
	registry.Tables[d.Collection], registry.resources[d.Collection] = t, r
	operations.Mount(registry.API, r)
	links.ServeDependents(registry.API, t, registry.dependentsServed)
}

// below gives the collections below one, in the order of their names. Entries of a ledger outlive what they are of.
func (registry *Registry) below(collection string) (parts []*write.Resource) {
	for _, name := range slices.Sorted(maps.Keys(registry.resources)) {
		r := registry.resources[name]
		if r.Parent != "" && r.Schema.Field(r.Parent).References == collection && !r.Row.AppendOnly {
			parts = append(parts, r)
		}
	}
	return parts
}

// of gives the resource of a collection. A collection that this service does not have panics: the name stands in a program.
func (registry *Registry) of(collection string) *write.Resource {
	r := registry.resources[collection]
	if r == nil {
		panic(fmt.Sprintf("resource: %s is no collection of this service", collection))
	}
	return r
}

// typedOf is of for records of type T.
func typedOf[T any](registry *Registry, collection string) *write.Resource {
	r := registry.of(collection)
	if _, is := r.Schema.New().(*T); !is {
		panic(fmt.Sprintf("resource: records of %s are no %v", collection, reflect.TypeFor[T]()))
	}
	return r
}

// New gives a record with the declared defaults, for Insert.
func New[T any](registry *Registry, collection string) *T {
	record := new(T)
	typedOf[T](registry, collection).Schema.Defaults(reflect.ValueOf(record).Elem())
	return record
}

// Insert makes records of a collection on behalf of a rule or a plain operation: with position, history and events like any
// other new record, but without the resource's own BeforeWrite and AfterWrite, so that rules do not call each other in
// circles. The records are completed with what was written: id, version, computed fields.
func Insert[T any](ctx context.Context, tx pgx.Tx, registry *Registry, collection string, records []*T) error {
	r, all := typedOf[T](registry, collection), make([]any, len(records))
	for i, record := range records {
		all[i] = record
	}
	return r.Insert(ctx, tx, all)
}

// UpdateWhere changes columns of other records because of a change that is being written: what moves with a building,
// what an assessment says about its asset. It is a change like any other: each record that differs gets a new version,
// history and events, in the same transaction; records that have the values already are left alone.
//
// source is a SELECT that gives id and, under their names, the new values of columns, once per record; in it $1 is
// the organization and $2, $3 … are args. The records do not go through BeforeWrite and AfterWrite.
func (registry *Registry) UpdateWhere(ctx context.Context, tx pgx.Tx, collection string, columns []string, source string,
	args ...any) error {
	return registry.of(collection).UpdateWhere(ctx, tx, columns, source, args...)
}

// RejectWhileActive objects to changes that retire records of a collection which somebody still works on: 409 with
// dependents. BeforeWrite calls it with the changes that retire.
func RejectWhileActive[T any](ctx context.Context, tx pgx.Tx, registry *Registry, collection string, changes []*Change[T]) error {
	all := make([]*change.Change, len(changes))
	for i, c := range changes {
		all[i] = c.change
	}
	return links.RejectReferredTo(ctx, tx, typedOf[T](registry, collection).Table, all, true)
}

// Hold finds records of any collections, here or at their owners, that this transaction is about to refer to by something else than a
// declared field: in a list of objects, for instance. They cannot be deleted until it ends. Ids by collection in, entries by collection and
// id out; what nobody has, or what is being deleted, is not among them.
func (registry *Registry) Hold(ctx context.Context, tx pgx.Tx, ids map[string][]string) (map[string]map[string]reference.Entry, error) {
	return links.Hold(ctx, registry.Set, tx, ids)
}

// Show gives a record as GET does, with what this transaction has written: for operations beside those of the resource. A
// record that the organization does not have, or that the caller may not see, is a 404.
func (registry *Registry) Show(ctx context.Context, tx pgx.Tx, collection, id string) (*transport.Response, error) {
	return read.Show(ctx, tx, registry.of(collection).Table, id)
}

// FindParameters are the parameters of a collection's list that say which records there are, for an operation that calls IDs.
func (registry *Registry) FindParameters(collection string) []transport.Parameter {
	return read.FindParameters(registry.API, registry.of(collection).Table)
}

// IDs gives the ids of the records that a request finds by the parameters of a collection's list, in their order, as far as the caller may
// see them: at most limit and one more.
func (registry *Registry) IDs(ctx context.Context, r *transport.Request, collection string, limit int) ([]string, error) {
	return read.IDs(ctx, registry.of(collection).Table, r, limit)
}

// Shown is a record as GET shows it, with its id and version.
type Shown = read.Shown

// ShowAll gives records as GET does, by one statement and in the order of their ids, for events that a plain operation writes about them.
// Those that the organization does not have are left out.
func (registry *Registry) ShowAll(ctx context.Context, tx pgx.Tx, collection string, ids []string) ([]Shown, error) {
	return read.ShowAll(ctx, tx, registry.of(collection).Table, ids)
}

// RebuildIndex makes anew what the organization's records are found by, so that it has no word that only former versions had.
func (registry *Registry) RebuildIndex(ctx context.Context, tx pgx.Tx, collection string) error {
	return index.RebuildIn(ctx, tx, registry.of(collection).Table)
}

// Audit adds to the audit trail what somebody did with a record without changing it, in the transaction in which it is done.
// The details are shown like fields that were set. The record's own history, which is of changes, does not have it.
func (registry *Registry) Audit(ctx context.Context, tx pgx.Tx, collection, id, action string, details map[string]any) error {
	return record.Audit(ctx, tx, registry.of(collection).Table, id, action, details)
}

// AddHistory is for a service that keeps something which is no resource: it adds an entry to the history, which is its part
// of the audit trail. changes is {"field": {"old": …, "new": …}}.
func AddHistory(ctx context.Context, tx pgx.Tx, collection, id string, version int, action string, changes map[string]any) error {
	return record.AddHistory(ctx, tx, collection, id, version, action, changes)
}

// HistoryEntry is what AddHistoryEntries keeps of one record: Changes is JSON, {"field": {"old": …, "new": …}}.
type HistoryEntry = record.Entry

// AddHistoryEntries is AddHistory for many records at once. It costs no round trip: the entries go with the next statement.
func AddHistoryEntries(ctx context.Context, tx pgx.Tx, collection, action string, entries []HistoryEntry) error {
	return record.AddEntries(ctx, tx, collection, action, entries)
}

// Trail is the part of the audit trail of a service whose history AddHistory has written. Type and name of the subjects are for
// the caller to say: the type is the collection, the name empty.
func Trail(ctx context.Context, db *postgres.DB, in ChangesQuery, collection string) (ChangesPage, error) {
	return record.Trail(ctx, &table.Set{DB: db}, in, collection)
}

// What a service without resources needs to serve its part of the audit trail itself.
type (
	// ChangesQuery asks for the writes of one organization, newest first.
	ChangesQuery = reference.ChangesQuery
	// ChangesPage is a page of writes.
	ChangesPage = reference.ChangesPage
	// RecordedWrite is one write of one record.
	RecordedWrite = reference.RecordedWrite
)

// FoldIndex folds some of what is pending of a collection's facets and terms, and gives how many records: 0 when nothing is left. Lists
// do it by themselves.
func (registry *Registry) FoldIndex(ctx context.Context, collection string) (folded int, err error) {
	return index.Fold(ctx, registry.of(collection).Table)
}

// VerifyIndex compares the facets and terms of a collection with its rows, in one snapshot of the caller's organization. The error says
// which value or term differs.
func (registry *Registry) VerifyIndex(ctx context.Context, collection string) error {
	return index.Verify(ctx, registry.of(collection).Table)
}
