// Package declaration checks the declaration of a resource (struct, definition and row of the catalogue) before anything is served.
package declaration

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/search"
)

// Definition is what a definition names.
type Definition struct {
	Collection, Table, NaturalKey, Label, Parent, Geometry, Category string
	Computed                                                         map[string]string
	Filters                                                          map[string]table.Filter
	Expansions                                                       map[string]table.Expansion
	Also                                                             map[string]string
	AsOf                                                             *table.AsOf
	Totals                                                           *table.Totals
	Transitions                                                      write.Transitions
	RevealOnce                                                       *write.RevealOnce
	Events                                                           map[string]bool // false where nothing says when it is emitted
	Words                                                            map[string]map[string]string
}

// declaration is a definition whose names are being checked.
type declaration struct {
	Definition
	catalogue *catalogue.Catalogue
	row       catalogue.Collection
	declared  *schema.Schema // nil where the struct itself has mistakes
	names     []string       // of all fields
	mistakes  schema.Mistakes
}

// Check finds everything in a struct and its definition that contradicts itself, the other, or the catalogue.
func Check(set *table.Set, record reflect.Type, definition Definition) (catalogue.Collection, *schema.Schema, schema.Mistakes) {
	declared, mistakes := schema.Inspect(record)
	d := &declaration{
		Definition: definition, catalogue: set.Catalogue, declared: declared, names: schema.FieldNames(record), mistakes: mistakes,
	}
	if set.Tables[d.Collection] != nil {
		d.wrong("Collection", "is mounted twice")
	}
	d.checkCatalogue()
	d.checkNames()
	d.checkFields()
	d.checkFilters()
	d.checkExpansions()
	d.checkAlso()
	d.checkWords()
	d.checkTransitions()
	d.checkRevealOnce()
	d.checkAsOf()
	d.checkTotals()
	return d.row, declared, d.mistakes
}

// wrong notes a mistake in a part of the definition.
func (d *declaration) wrong(part, format string, args ...any) {
	d.mistakes.Add(d.Collection+", "+part+": "+format, args...)
}

// field finds a field that a part of the definition names. It gives nil, and notes the mistake, when there is none; and nil
// when the struct has mistakes, so that nothing follows from them.
func (d *declaration) field(part, name string) *schema.Field {
	if !slices.Contains(d.names, name) {
		d.wrong(part, "%s", schema.Unknown("field", name, d.names))
		return nil
	}
	if d.declared == nil {
		return nil
	}
	return d.declared.Field(name)
}

func (d *declaration) checkCatalogue() {
	row, found := d.catalogue.Find(d.Collection)
	if !found {
		d.wrong("Collection", "the collection %q is not in the catalogue", d.Collection)
		return
	}
	d.row = row
	var events []string
	for _, event := range row.Events {
		events = append(events, event.Name)
	}
	for _, name := range links.Keys(d.Events) {
		if !slices.Contains(events, name) {
			d.wrong("Events", "%s", schema.Unknown("event of them in the catalogue", name, events))
		}
		if !d.Events[name] {
			d.wrong("Events", "%s does not say when it is emitted", name)
		}
	}
}

var (
	plainName     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	pathParameter = regexp.MustCompile(`\{([^}]*)\}`)
)

// checkNames looks at the table, the path and the fields that the definition gives a role.
func (d *declaration) checkNames() {
	if !plainName.MatchString(d.Table) {
		d.wrong("Table", "%q is no name of a table", d.Table)
	}
	var parameters []string
	for _, match := range pathParameter.FindAllStringSubmatch(d.row.Path, -1) {
		parameters = append(parameters, match[1])
	}
	switch {
	case d.Parent == "" && parameters != nil:
		d.wrong("Parent", "the path of the catalogue names %s, but there is no Parent", parameters[0])
	case d.Parent != "" && d.row.Name != "" && !slices.Equal(parameters, []string{d.Parent}):
		d.wrong("Parent", "the path of the catalogue, %s, must name {%s} and no other field", d.row.Path, d.Parent)
	}
	if d.Parent != "" {
		if f := d.field("Parent", d.Parent); f != nil && (f.Kind != schema.UUID || f.References == "") {
			d.wrong("Parent", "%s refers to no collection", f.Name)
		}
	}
	if d.NaturalKey != "" {
		if f := d.field("NaturalKey", d.NaturalKey); f != nil && (!f.Unique || f.Kind != schema.Text) {
			d.wrong("NaturalKey", "%s is no unique text", f.Name)
		}
	}
	if f := d.field("Label", d.Label); f != nil && (d.Computed[f.Name] != "" || f.Kind == schema.List || f.Kind == schema.Object) {
		d.wrong("Label", "%s is no plain column", f.Name)
	} else if f != nil && f.Nullable {
		d.wrong("Label", "%s may be null, and a record must have a name where others refer to it", f.Name)
	}
	if d.Geometry != "" {
		if f := d.field("Geometry", d.Geometry); f != nil && f.Kind != schema.Object {
			d.wrong("Geometry", "%s is no object", f.Name)
		}
	}
	if d.Category != "" {
		if f := d.field("Category", d.Category); f != nil && (f.Kind != schema.Text || f.Enum == nil) {
			d.wrong("Category", "%s has no enum", f.Name)
		}
	}
}

// checkFields looks at what the struct's fields say about other collections and about columns.
func (d *declaration) checkFields() {
	for _, name := range links.Keys(d.Computed) {
		f := d.field("Computed", name)
		switch {
		case strings.TrimSpace(d.Computed[name]) == "":
			d.wrong("Computed", "%s has no expression", name)
		case f == nil:
		case f.Generated || slices.Contains(table.FilledIn, name):
			d.wrong("Computed", "%s is filled in otherwise", name)
		case !f.ReadOnly && !table.ReadsOwnColumn(d.Computed[name], f.Column) && (d.RevealOnce == nil || d.RevealOnce.Field != name):
			d.wrong("Computed", `%s must be a field with readOnly:"true", or read its own column, which callers write`, name)
		case f.Unique || f.Search != "" || f.Facet || f.Column != f.Name || f.Filter == "prefix" || f.Filter == "contains":
			d.wrong("Computed", "%s is unique, searched, a facet, or filtered in a way that needs a column", name)
		}
	}
	if d.declared == nil {
		return
	}
	var collections, known []string
	for row := range d.catalogue.Collections() {
		collections, known = append(collections, row.Name), append(known, row.Name, row.Singular)
	}
	for _, f := range d.declared.Fields {
		where := d.declared.Name + "." + f.Name
		if !plainName.MatchString(f.Name) {
			d.mistakes.Add("%s: the name must be one in SQL as well: small letters, digits and _", where)
		}
		if by, named := strings.CutPrefix(f.References, "@"); named {
			meant := map[string]string{} // by collection, the value that means it
			for _, value := range d.declared.Field(by).Enum {
				row, found := d.catalogue.Named(value)
				switch {
				case !found:
					d.mistakes.Add("%s, tag enum: %s", d.declared.Name+"."+by, schema.Unknown("collection or record in the catalogue", value, known))
				case meant[row.Name] != "":
					d.mistakes.Add("%s, tag enum: %s and %s mean the same collection", d.declared.Name+"."+by, meant[row.Name], value)
				default:
					meant[row.Name] = value
					d.checkReferrer(where, row)
				}
			}
		} else if row, found := d.catalogue.Find(f.References); found {
			d.checkReferrer(where, row)
		} else if f.References != "" {
			d.mistakes.Add("%s, tag references: %s", where, schema.Unknown("collection", f.References, collections))
		}
		if _, found := d.catalogue.Find(f.Makes); f.Makes != "" && !found {
			d.mistakes.Add("%s, tag makes: %s", where, schema.Unknown("collection", f.Makes, collections))
		}
		if f.WriteOnly && f.Makes == "" && f.Type.Elem().Kind() == reflect.Struct {
			d.mistakes.Add("%s: must have the tag makes, which says in which collection each entry makes a record", where)
		}
		if name := f.Name == d.Label; f.Search != "" && name != (f.Search == string(search.Name)) {
			d.mistakes.Add("%s, tag search: is %q; it must be name on the label, which is %s, and on no other field", where, f.Search, d.Label)
		}
		optional := f.Nullable || f.Required || f.ReadOnly || f.Default != nil || f.Name == d.Parent
		if !optional && f.Kind != schema.List && f.Kind != schema.Object {
			d.mistakes.Add(`%s: must be a pointer, have required:"true" or a default: nobody knows what it is when it is left out`, where)
		}
	}
}

// checkReferrer makes sure that who owns a record will ask this service before it goes.
func (d *declaration) checkReferrer(where string, row catalogue.Collection) {
	if d.row.Name != "" && row.Service != d.row.Service && !slices.Contains(row.ReferredBy, d.row.Service) {
		d.mistakes.Add("%s refers to %s, but the catalogue does not have the service %s among those that refer to them",
			where, row.Name, d.row.Service)
	}
}

// parametersOfLists are those that no filter can have the name of.
var parametersOfLists = []string{"page", "cursor", "per_page", "sort", "fields", "expand", "ids", "q", "updated_since"}

// filterKinds are the kinds of values that a filter with SQL can take.
var filterKinds = []schema.Kind{schema.Text, schema.Integer, schema.Number, schema.Boolean, schema.UUID, schema.Date}

func (d *declaration) checkFilters() {
	for _, name := range links.Keys(d.Filters) {
		filter, part := d.Filters[name], "Filters, "+name
		switch {
		case slices.Contains(parametersOfLists, name):
			d.wrong(part, "is another parameter of every list")
		case d.declared != nil && d.declared.Field(name) != nil && d.declared.Field(name).Filter != "":
			d.wrong(part, "is the filter of a field already")
		}
		switch {
		case (filter.SQL == "") == (filter.Where == nil):
			d.wrong(part, "must have SQL or Where, and not both")
		case filter.SQL != "" && !strings.Contains(filter.SQL, "$2"):
			d.wrong(part, "the SQL has no $2, which is the value")
		}
		if filter.SQL != "" && !slices.Contains(filterKinds, filter.Kind) {
			d.wrong(part, "the kind is %q; it must be one of %v", filter.Kind, filterKinds)
		}
		different := slices.Compact(slices.Sorted(slices.Values(filter.Enum)))
		if len(different) != len(filter.Enum) || filter.Enum != nil && filter.Kind != schema.Text {
			d.wrong(part, "the enum must be of different texts")
		}
	}
}

func (d *declaration) checkExpansions() {
	for _, name := range links.Keys(d.Expansions) {
		expansion, part := d.Expansions[name], "Expansions, "+name
		if _, found := d.catalogue.Find(expansion.Collection); !found {
			d.wrong(part, "the collection %q is not in the catalogue", expansion.Collection)
		}
		if slices.Contains(d.names, name) || slices.Contains(d.names, name+"_id") {
			d.wrong(part, "is a field already, or what expand= shows beside one")
		}
		if expansion.Find == nil || expansion.Entry == nil || expansion.Entry.Kind() != reflect.Struct {
			d.wrong(part, "must have Find, and a struct as Entry")
		}
	}
}

// checkAlso looks at what filters find besides.
func (d *declaration) checkAlso() {
	for _, name := range links.Keys(d.Also) {
		if f := d.field("Also", name); f != nil && (f.Kind != schema.UUID || f.Filter != "equals") {
			d.wrong("Also", `%s is no id with filter:"equals"`, name)
		}
		if !strings.Contains(d.Also[name], "$2") {
			d.wrong("Also", "%s has no $2, which is the values", name)
		}
	}
}

// checkWords: words that nobody would be found by, and values without words, are mistakes.
func (d *declaration) checkWords() {
	for _, name := range links.Keys(d.Words) {
		f := d.field("Words", name)
		switch {
		case f == nil:
		case f.Search != string(search.Text) || f.Enum == nil:
			d.wrong("Words", `%s must have an enum and search:"text"`, name)
		default:
			for _, value := range f.Enum {
				if d.Words[name][value] == "" {
					d.wrong("Words", "%s has none for %s", name, value)
				}
			}
			if len(d.Words[name]) > len(f.Enum) {
				d.wrong("Words", "%s has more than the values %v", name, f.Enum)
			}
		}
	}
}

func (d *declaration) checkTransitions() {
	moves := d.Transitions
	if moves.Field == "" {
		if moves.From != nil || moves.With != nil || moves.Ended != nil {
			d.wrong("Transitions", "have no Field")
		}
		return
	}
	if f := d.field("Transitions, Field", moves.Field); f != nil {
		if f.Enum == nil || f.Nullable {
			d.wrong("Transitions, Field", "%s must have an enum, and be no pointer", f.Name)
			return
		}
		for _, from := range links.Keys(moves.From) {
			if !slices.Contains(f.Enum, from) {
				d.wrong("Transitions, From", "%s", schema.Unknown("state", from, f.Enum))
			}
			for i, to := range moves.From[from] {
				if !slices.Contains(f.Enum, to) {
					d.wrong("Transitions, From "+from, "%s", schema.Unknown("state", to, f.Enum))
				}
				if to == from || slices.Contains(moves.From[from][:i], to) {
					d.wrong("Transitions, From "+from, "%s is there twice: staying is always allowed", to)
				}
			}
		}
	}
	for _, state := range moves.Ended {
		if f := d.field("Transitions, Field", moves.Field); f != nil && !slices.Contains(f.Enum, state) {
			d.wrong("Transitions, Ended", "%s", schema.Unknown("state", state, f.Enum))
		}
	}
	for _, name := range moves.With {
		if f := d.field("Transitions, With", name); f != nil && (f.ReadOnly || name == moves.Field || name == "to") {
			d.wrong("Transitions, With", "%s cannot be sent with a transition", name)
		}
	}
}

func (d *declaration) checkTotals() {
	if d.Totals == nil {
		return
	}
	for _, name := range d.Totals.Groups {
		if f := d.field("Totals", name); f != nil && (f.Kind == schema.List || f.Kind == schema.Object || f.Kind == schema.Number) {
			d.wrong("Totals", "records cannot be grouped by %s, which is no text, whole number or reference", name)
		}
	}
	for _, name := range []string{"group_by", "group_sort"} {
		if d.Totals.Groups != nil && slices.Contains(d.names, name) {
			d.wrong("Totals", "%s is a field already", name)
		}
	}
	for name := range d.Totals.GroupedBy {
		if !slices.Contains(d.Totals.Groups, name) {
			d.wrong("Totals", "%s is no group that could be by something else", name)
		}
	}
}

func (d *declaration) checkAsOf() {
	if d.AsOf == nil {
		return
	}
	if slices.Contains(d.names, "as_of") {
		d.wrong("AsOf", "as_of is a field already")
	}
	for _, name := range d.AsOf.Fields {
		if f := d.field("AsOf", name); f != nil && !f.ReadOnly {
			d.wrong("AsOf", "%s is not read-only; what callers set is as it is", name)
		}
	}
}

func (d *declaration) checkRevealOnce() {
	if d.RevealOnce == nil {
		return
	}
	if d.RevealOnce.Find == nil {
		d.wrong("RevealOnce", "nothing finds the values")
	}
	f := d.field("RevealOnce", d.RevealOnce.Field)
	if f != nil && (d.names[len(d.names)-1] != f.Name || d.Computed[f.Name] == "") {
		d.wrong("RevealOnce", "%s must be the last field, and derived", f.Name)
	}
}
