// Package resource gives a resource its list, get, create, patch, delete, three bulk operations and history from a
// struct, a definition and a migration. It is plumbing only: what a resource means stands in its own file, and what
// is not create, read, update or delete is a plain operation beside it. There are no switches; a resource that does
// not fit is written by hand.
package resource

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"

	"ams.internal/libs/postgres"
)

// Record is what every resource has. Embed it first.
type Record struct {
	ID           string          `json:"id,omitempty" format:"uuid" readOnly:"true" doc:"Made by the service (UUID version 7)." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ExternalID   *string         `json:"external_id" maxLength:"255" unique:"true" filter:"equals" doc:"The record's id in the system it came from; unique in the organization. The key for migrations." example:"SAP-10023"`
	CustomFields map[string]any  `json:"custom_fields" doc:"Up to 50 fields of your own: texts, numbers, true, false."`
	Tags         []string        `json:"tags" filter:"contains" maxItems:"50" maxLength:"100" uniqueItems:"true" doc:"Labels of your own."`
	Version      int             `json:"version" readOnly:"true" doc:"Grows by one with every change; the ETag."`
	CreatedAt    string          `json:"created_at,omitempty" format:"date-time" readOnly:"true" filter:"range" sort:"true"`
	UpdatedAt    string          `json:"updated_at,omitempty" format:"date-time" readOnly:"true" filter:"range" sort:"true"`
	CreatedBy    principal.Actor `json:"created_by" readOnly:"true"`
	UpdatedBy    principal.Actor `json:"updated_by" readOnly:"true"`
}

// Currency is the SQL expression for the organization's currency, for the read-only field that stands beside money.
const Currency = "current_setting('ams.currency')"

// Definition is what a resource is, beside its struct.
type Definition[T any] struct {
	Collection string // the row of the catalogue that it serves: "sites"
	Table      string // "site"
	NaturalKey string // unique field that bulk calls match by when there is no external_id
	Label      string // field that names a record for people; "name" when left out
	Parent     string // of a sub-collection: the field that holds the parent's id, and the path parameter's name

	Geometry    string            // field that holds GeoJSON geometry: with it, lists can be had as a FeatureCollection
	Computed    map[string]string // read-only field → SQL expression over the table's alias t
	Filters     map[string]Filter // filters that are not a column's
	Transitions Transitions

	// SoftDelete, where given, is what DELETE does instead of erasing the record: it changes the record, which stays and can
	// still be read. The change is checked and written like any other.
	SoftDelete func(record *T)

	// Active, where given, is the condition over alias t that a record is still being worked on. Such records keep what they
	// refer to from being retired.
	Active string

	// RevealOnce, where given, is a value that the answer to a create shows and nothing else ever does: a secret.
	RevealOnce *RevealOnce

	// Resolve is called once per call with the changes that touch a reference, when what they refer to was found and before
	// Prepare. It completes After (the specific reference fills the general) or objects by Fail. What it fills in is
	// checked as what the caller sent.
	Resolve func(changes []*Change[T], found *Found) error
	// BeforeWrite is called once per call, before anything is written, with all changes of one kind (creates, updates or
	// deletes). It looks things up for all of them together, completes After, and objects by Fail or Refuse.
	BeforeWrite func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error
	// Events says, by the type of further events of the catalogue, which of the written records have one: each right behind
	// the created, updated or deleted event of its record. They are asked once per call, in the same transaction, also about
	// what Insert and Rewrite wrote; Before and After are the records as they were and are in the database.
	Events map[string]Emits[T]
	// AfterWrite is called after the rows are written, in the same transaction.
	AfterWrite func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error
}

// Filter is a query parameter that is not simply a column's. SQL is a condition over alias t in which $? stands
// for the value.
type Filter struct {
	Kind schema.Kind // of the value
	Enum []string
	Doc  string
	SQL  string
	// Where, in place of SQL, makes the condition out of the value's text; each $? in it stands for the next of args.
	// Its error is the sentence that follows the filter's name.
	Where func(text string) (condition string, args []any, err error)
}

// Transitions are the moves of a status field that are allowed. A state that is not a key is final.
type Transitions struct {
	Field string
	From  map[string][]string
	// With names the fields that POST …/{id}/transition takes beside the state to move to. Without it, status moves by
	// PATCH only.
	With []string
}

// RevealOnce names the field that only the answer to a create has a value for. The field is the struct's last, read-only and
// derived as NULL: no row, history or event holds the value, nor does an answer that is kept for an Idempotency-Key. Find
// gives the values by the ids of records, for the answer that is about to be sent, also when it is sent again.
type RevealOnce struct {
	Field string
	Find  func(ctx context.Context, tx pgx.Tx, ids []string) (map[string]string, error)
}

// Change is one record on its way: Before is nil on create, After on delete.
type Change[T any] struct {
	Index         int // of the row in a bulk call
	Before, After *T

	of       *collection[T]
	given    map[string]bool // the fields that the caller sent
	id       string
	prefix   string          // of the row in a bulk call: "data[3]."
	numbered map[string]bool // fields that got a number from us
	before   row
	after    row
	problems schema.Problems
	refused  *fault.Error
}

// ID is the record's id, also before it is written.
func (c *Change[T]) ID() string { return c.id }

// Sets says whether the caller sent a field.
func (c *Change[T]) Sets(field string) bool {
	c.of.mustHave(field)
	return c.given[field]
}

// FieldError notes what is wrong with a field of the change: a 400. The field may be followed by the place within it, as in
// "changed_any[2]" and "headers.Authorization".
func (c *Change[T]) FieldError(field, format string, args ...any) {
	name := field
	if i := strings.IndexAny(field, ".["); i > 0 {
		name = field[:i]
	}
	c.of.mustHave(name)
	c.problems.Add(c.prefix+field, format, args...)
}

// Reject notes why the change cannot be made in the present state: a 403, 404 or 409.
func (c *Change[T]) Reject(reason *fault.Error) {
	if c.refused == nil {
		c.refused = reason
	}
}

func (c *Change[T]) err() *fault.Error {
	if len(c.problems) > 0 {
		return fault.InvalidFields(c.problems...)
	}
	return c.refused
}

// Registry is the resources of one service.
type Registry struct {
	API         *transport.API
	DB          *postgres.DB
	References  *reference.Client
	Catalogue   *catalogue.Catalogue // the product's, unless a test has collections of its own
	tables      map[string]*table    // by collection
	collections map[string]any       // the same, as *collection[T]
	asked       map[string]bool      // collections whose dependents others can ask for
}

// NewRegistry makes a registry without resources.
func NewRegistry(api *transport.API, db *postgres.DB, references *reference.Client) *Registry {
	registry := &Registry{API: api, DB: db, References: references, Catalogue: catalogue.Product(), tables: map[string]*table{}, collections: map[string]any{}, asked: map[string]bool{}}
	transport.Internal(api, "/changes", registry.changes)
	return registry
}

// collection is a mounted definition.
type collection[T any] struct {
	Definition[T]
	*table
	row      catalogue.Collection
	registry *Registry
}

// Mount serves a resource. A definition that contradicts its struct or the catalogue panics and names every mistake: it
// is found at start.
func Mount[T any](registry *Registry, definition Definition[T]) {
	if definition.Label == "" {
		definition.Label = "name"
	}
	row, declared, mistakes := checkDefinition(registry, definition)
	mistakes.Panic()
	c := &collection[T]{Definition: definition, row: row, registry: registry}
	c.table = newTable(declared, definition.Table, definition.Collection, definition.Computed)
	c.table.singular, c.table.label, c.table.parent = row.Singular, definition.Label, definition.Parent
	c.table.filters, c.table.open, c.table.registry = definition.Filters, definition.Active, registry
	c.table.geometry = definition.Geometry
	if definition.Events != nil {
		c.table.emit = c.emit
	}
	registry.tables[definition.Collection], registry.collections[definition.Collection] = c.table, c
	c.mountOperations()
	registry.answerDependents(c.table)
}

// mustHave panics when a rule names a field that the resource does not have.
func (c *collection[T]) mustHave(field string) {
	if c.schema.Field(field) == nil {
		panic("resource: a rule of " + c.Collection + " is wrong: " + schema.Unknown("field", field, schema.FieldNames(reflect.TypeFor[T]())))
	}
}

// collectionOf gives the mounted definition of a collection whose records are T.
func collectionOf[T any](registry *Registry, name string) *collection[T] {
	c, found := registry.collections[name].(*collection[T])
	if !found {
		panic(fmt.Sprintf("resource: %s is no collection of this service whose records are %v", name, reflect.TypeFor[T]()))
	}
	return c
}
