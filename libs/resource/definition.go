// Package resource gives a resource its list, get, create, patch, delete, bulk operations and history from a struct, a definition
// and a migration. What a resource means stands in its own file, and an operation that is not create, read, update or delete is a
// plain operation beside it. There are no switches; a resource that does not fit is written by hand.
package resource

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
)

// Record is what every resource has. Embed it first.
type Record struct {
	ID           string            `json:"id,omitempty" format:"uuid" readOnly:"true" doc:"Made by the service (UUID version 7)." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ExternalID   *string           `json:"external_id" maxLength:"255" unique:"true" filter:"equals" search:"code" doc:"The record's id in the system it came from; unique in the organization. The key for migrations." example:"SAP-10023"`
	CustomFields schema.OpenObject `json:"custom_fields" doc:"Up to 50 fields of your own: texts, numbers, true, false. A declared one takes values of its type, and lists can be filtered and sorted by it."`
	Tags         []string          `json:"tags" filter:"contains" maxItems:"50" maxLength:"100" uniqueItems:"true" doc:"Labels of your own."`
	Version      int               `json:"version" readOnly:"true" doc:"Grows by one with every change; the ETag."`
	CreatedAt    string            `json:"created_at,omitempty" format:"date-time" readOnly:"true" filter:"range" sort:"true"`
	UpdatedAt    string            `json:"updated_at,omitempty" format:"date-time" readOnly:"true" filter:"range" sort:"index"`
	CreatedBy    principal.Actor   `json:"created_by" readOnly:"true"`
	UpdatedBy    principal.Actor   `json:"updated_by" readOnly:"true"`
}

// Currency is the SQL expression for the organization's currency, for the read-only field that stands beside money.
const Currency = "current_setting('ams.currency')"

// Definition is what a resource is, beside its struct.
type Definition[T any] struct {
	Collection string // the row of the catalogue that it serves: "sites"
	Table      string // "site"
	NaturalKey string // unique field that bulk calls match by when there is no external_id
	PathKey    string // unique number that paths may name a record by, in place of its id
	Label      string // field that names a record for people; "name" when left out
	Parent     string // of a sub-collection: the field that holds the parent's id, and the path parameter's name

	// Category is the field with an enum that says of what kind a record is, where there is one: custom fields may be declared for one kind.
	Category string

	Geometry string // field that holds GeoJSON geometry: with it, lists can be had as a FeatureCollection
	// field → SQL expression over the table's alias t, which is shown of it; the field has a column where that reads it
	Computed map[string]string
	Filters  map[string]Filter // filters that are not a column's
	// Expansions are what expand= shows besides {id, name} of what a record refers to.
	Expansions map[string]Expansion
	// Also has, for a filter by equal ids, what it finds as well: field → SELECT of ids of records, in which $1 is the organization and $2
	// the values, a text[].
	Also map[string]string
	// Words are what people call the values of a searched field with an enum, in the languages of the product: they find a record by them.
	Words       map[string]map[string]string // field → value → words
	Transitions Transitions

	// SoftDelete, where given, is what DELETE does instead of erasing the record: it changes the record, which stays and can
	// still be read. The change is checked and written like any other.
	SoftDelete func(record *T)

	// Active, where given, is the condition over alias t that a record is still being worked on. Such records keep what they
	// refer to from being retired.
	Active string

	// Holds is the condition over alias t that a record keeps records of other services that it refers to from being deleted; every record
	// does where it is empty. Records of the same service are kept in any case, by their foreign keys.
	Holds string

	// HoldsHere says that Holds counts for records of the same service too, which no foreign key keeps.
	HoldsHere bool

	// Visible, where given, is the condition over alias t that a caller may see a record; empty: that he may see all. It is made of names in
	// the program, never of what a caller has sent; in it $1 is the organization. What he may not see, and what is below it, is for him as
	// what another organization has: not in lists, totals, streams and searches, and 404 to all else; a record that is gone for good keeps its
	// history for those who may see all. It costs nothing where it is empty. Else lists are counted by their rows, and words of q are not
	// taken for others. Work that a service does by itself has a principal without scopes, whose actor
	// is a service. References that other services ask for (/internal/references) and the audit trail (/internal/changes) do not ask it.
	Visible func(p principal.Principal) string

	// Hidden, where given, is the answer about one record by its id, to a caller for whom Visible leaves records out: a 403 that says what he
	// would need, or the 404 of a record that is not there. Without it there is no difference between them.
	Hidden func(ctx context.Context, id string) error
	// Default are parameters of the list that hold where they are not sent: {"status": "draft,active"}. They hold for its streams and for
	// searches too.
	Default map[string]string

	// AsOf, where given, shows records as they were on a day, with as_of; nil: the list has no such parameter.
	AsOf *AsOf
	// Totals, where given, are sums over all records that a list finds, with totals=true.
	Totals *Totals

	// RevealOnce, where given, is a value that the response to a create shows and nothing else ever does: a secret.
	RevealOnce *RevealOnce

	// BeforeTransaction, where given, is called once per call that creates or changes records, before any transaction begins, with
	// the bodies as they were sent, by the index of their changes (nil for one that is no object): nobody has checked them yet. That of a
	// transition says "to" in place of the status. PathValue gives what the path names. It does what must be waited for outside, such as
	// looking up a host name, and puts what it finds into the context that the rules get.
	BeforeTransaction func(ctx context.Context, bodies []map[string]any) (context.Context, error)
	// Resolve is called once per call with the changes that touch a reference, when what they refer to was found and before
	// BeforeWrite. It completes After (the specific reference fills the general) or objects by FieldError. What it fills in
	// is checked as what the caller sent.
	Resolve func(changes []*Change[T], found *Found) error
	// BeforeWrite is called once per call, before anything is written, with all changes of one kind (creates, updates or
	// deletes). It looks things up for all of them together, completes After, and objects by FieldError or Reject.
	BeforeWrite func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error
	// Events says, by the type of further events of the catalogue, which of the written records have one: each right behind
	// the created, updated or deleted event of its record. They are asked once per call, in the same transaction, also about
	// what Insert and UpdateWhere wrote; Before and After are the records as they were and are in the database.
	Events map[string]Emits[T]
	// AfterWrite is called after the rows are written, in the same transaction.
	AfterWrite func(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error
}

// PathValue is what stands in the path of the request that BeforeTransaction is called for: "id", "external_id" or a parent's id. It is
// empty where the path has no such place.
func PathValue(ctx context.Context, name string) string { return write.PathValue(ctx, name) }

// Filter is a query parameter that is not simply a column's: SQL, in which $2 is the value, or Where, which makes it.
type Filter = table.Filter

// Expansion is a list that expand= shows of each record: what another service has of it.
type Expansion = table.Expansion

// AsOf shows fields of records as they were on a day.
type AsOf = table.AsOf

// TotalsDoc is what the parameter totals says where the records have nothing to add to it.
const TotalsDoc = "true: `totals` has what all that the filters find come to, on all pages, to the cent."

// Totals are sums over all records that a list finds, and Sum is one of them.
type (
	Totals = table.Totals
	Sum    = table.Sum
)

// Transitions are the moves of a status field that are allowed, and what may be sent with them.
type Transitions = write.Transitions

// RevealOnce names the last field, which only the response to a create has a value for, and finds the values.
type RevealOnce = write.RevealOnce

// Found are the records that the changes of one call refer to; Entry gives one of them.
type Found = links.Found
