// Package table describes a resource to SQL: its table, its columns in the order of the struct, and how their values become JSON. It
// is the lowest part of package resource; all others import it.
package table

import (
	"context"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/seal"
)

// BlockSize is how many positions one row of the ledger counts.
const BlockSize = 1024

// MaxPerPage is the largest page of a list, and how many rows a bulk call may have.
const MaxPerPage = 1000

// Set is the tables of one service, and whom they ask.
type Set struct {
	DB         *postgres.DB
	References *reference.Client
	Cursors    seal.Keys            // seal the cursors of lists: the same in every process
	Catalogue  *catalogue.Catalogue // the product's, unless a test has collections of its own
	Log        *slog.Logger
	Tables     map[string]*Table // by collection
}

// Table is the table of one resource.
type Table struct {
	*Set
	Row      catalogue.Collection
	Schema   *schema.Schema
	Name     string // in SQL
	Label    string // field that names a record for people
	Parent   string // field of a sub-collection, or ""
	Geometry string // field of the GeoJSON geometry, or ""
	Category string // field that says of what kind a record is, or "": custom fields may be declared for one kind alone
	// Hidden is the answer about one record that was not found among those that the caller may see; nil: 404.
	Hidden  func(ctx context.Context, id string) error
	Default map[string]string // parameters of the list that hold where they are not sent
	Columns []*Column
	Filters map[string]Filter
	// Expansions are what expand= shows besides the names of what a record refers to.
	Expansions map[string]Expansion
	Also       map[string]string // field → SELECT of ids that its filter finds as well; $2 is the values
	Active     string            // condition that a record is still being worked on, or ""
	Holds      string            // condition that a record keeps what it refers to, or "": all do
	HoldsHere  bool              // also what is of the same service
	// Visible, where given, is the condition over alias t that somebody may see a record; "" where he may see all. See VisibleTo.
	Visible  func(p principal.Principal) string
	State    string                       // field of the record's state, or ""
	Ended    []string                     // states of records that are shown behind others
	AsOf     *AsOf                        // nil: records are shown as they are
	Totals   *Totals                      // nil: the list has none
	Searched []*Column                    // by which records are found; none: the list has no q
	Words    map[string]map[string]string // searched field → value → what people call it
}

// Filter is a query parameter that is not simply a column's. SQL is a condition over alias t in which $1 is the
// organization and $2 the value.
type Filter struct {
	Kind schema.Kind // of the value
	Enum []string
	Doc  string
	SQL  string
	// Where, in place of SQL, makes the condition out of the value's text; $2, $3 … in it are args. Its error is the
	// sentence that follows the filter's name.
	Where func(text string) (condition string, args []any, err error)
}

// Expansion is a list that expand= shows of each record: what another service has of it.
type Expansion struct {
	Collection string       // of the catalogue, that the list is of: its scope and feature are needed
	Entry      reflect.Type // of one in the list; its name is that of the component in the document
	Doc        string
	// Find gives the lists of records by their ids, as JSON; the list of a record that it leaves out is empty. It is called once for a page,
	// and for each piece of a stream.
	Find func(ctx context.Context, references *reference.Client, ids []string) (map[string]string, error)
}

// Column is one field as it is selected. Postgres sends every value in its text form, and for most kinds that
// text already is JSON; so a record is written by copying, without a struct or a map in between.
type Column struct {
	*schema.Field
	SQL      string // expression over alias t
	Stored   bool   // is written by us: not only computed, and not a part of every record that SQL fills in
	Computed bool   // may change without a new version of its record: with the day, the organization's settings or other records
	Withheld bool   // the caller may not see its values: see Table.For
	append   func(dst, text []byte) []byte
	filled   bool // shows an empty list for NULL
}

// FilledIn are the columns that the insert and update statements set themselves.
var FilledIn = []string{"id", "version", "created_at", "updated_at", "created_by", "updated_by"}

// ColumnsOf gives the columns of a struct; computed maps fields to the SQL expressions that are shown of them. One that reads a column of
// the field's own name is of a field that has one.
func ColumnsOf(declared *schema.Schema, computed map[string]string) []*Column {
	var columns []*Column
	for _, field := range declared.Fields {
		if field.WriteOnly {
			continue
		}
		c := &Column{Field: field, SQL: "t." + field.Column, append: appenderOf(field.Kind)}
		if expression, ok := computed[field.Name]; ok {
			c.SQL, c.Computed, c.Stored = expression, true, ReadsOwnColumn(expression, field.Column)
		} else {
			c.Stored = !slices.Contains(FilledIn, field.Name) && !field.Generated
		}
		columns = append(columns, c)
	}
	return columns
}

// ReadsOwnColumn says whether an expression reads a column over alias t.
func ReadsOwnColumn(expression, column string) bool {
	return regexp.MustCompile(`\bt\.` + regexp.QuoteMeta(column) + `\b`).MatchString(expression)
}

// SearchedOf gives the columns by which records are found: those whose fields say so, where there is one of the resource's own.
func SearchedOf(columns []*Column) []*Column {
	searched := slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return c.Search == "" })
	if len(searched) == 1 && searched[0].Name == externalID {
		return nil
	}
	return searched
}

// externalID is the code that every record has.
const externalID = "external_id"

// DeclaresCustomFields says whether the types of its records' custom fields can be declared.
func (t *Table) DeclaresCustomFields() bool { return t.Parent == "" && !t.Row.AppendOnly }

// One is what a record is called.
func (t *Table) One() string { return t.Row.One() }

// Many is what several records are called.
func (t *Table) Many() string { return t.Row.Many() }

// Order is the expression that lists are ordered by, and that is compared where an order goes on: of a text that is none of a few values,
// with its numbers as numbers.
func (c *Column) Order() string {
	switch {
	case c.Kind != schema.Text || len(c.Enum) > 0:
		return c.SQL
	case c.Computed:
		return Natural("(" + c.SQL + ")")
	}
	return Natural(c.SQL)
}

// Natural is a text that is compared in the order in which people read: Room 2 before Room 10. Texts that differ in nothing but zeros
// before a number (Room 02, Room 2) are still two, and have an order.
func Natural(text string) string { return text + ` COLLATE "natural"` }

// Column gives the column of that name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Selection is the list of expressions of a SELECT or RETURNING clause.
func Selection(columns []*Column) string {
	var list strings.Builder
	for i, c := range columns {
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(c.SQL)
	}
	return list.String()
}

// StoredNames lists the columns that an insert or update writes, each with prefix.
func (t *Table) StoredNames(prefix string) string {
	var names []string
	for _, c := range t.Columns {
		if c.Stored {
			names = append(names, prefix+c.Column)
		}
	}
	return strings.Join(names, ", ")
}

// SQLType is the type of a field's column: bigint of an int64, else integer.
func SQLType(f *schema.Field) string {
	switch f.Kind {
	case schema.Integer:
		if f.Int64() {
			return "bigint"
		}
		return "integer"
	case schema.Number:
		return "numeric"
	case schema.Boolean:
		return "boolean"
	case schema.UUID:
		return "uuid"
	case schema.Date:
		return "date"
	case schema.Time:
		return "timestamptz"
	case schema.Object:
		if len(f.JSON.Properties) > 0 {
			return "json" // a value of its own form, kept as it is written where the table's column is json as well
		}
		return "jsonb"
	case schema.List:
		return "jsonb"
	}
	return "text"
}

// Targets are the collections that a column may refer to.
func (t *Table) Targets(column *Column) []string {
	by, named := strings.CutPrefix(column.References, "@")
	if !named {
		if column.References == "" {
			return nil
		}
		return []string{column.References}
	}
	var collections []string
	for _, value := range t.Column(by).Enum {
		row, _ := t.Catalogue.Named(value)
		collections = append(collections, row.Name)
	}
	return collections
}

// AllTargets are the collections that any column may refer to.
func (t *Table) AllTargets() []string {
	var collections []string
	for _, column := range t.Columns {
		collections = append(collections, t.Targets(column)...)
	}
	return collections
}

// Computed is a column of an expression alone.
func Computed(sql string, kind schema.Kind) *Column {
	return &Column{Field: &schema.Field{Kind: kind}, SQL: sql, Computed: true, append: appenderOf(kind)}
}
