// Package schema reads the declaration of a Go struct once and serves from it: the validation of bodies and
// query parameters, the JSON Schema in the OpenAPI document, and the columns, filters and sorts of a resource.
//
// A field is declared by its type and its tags; Tags lists them. A pointer is a field that may be null.
package schema

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// Kind is what a field's value is.
type Kind string

// The kinds of fields.
const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	UUID    Kind = "uuid"
	Date    Kind = "date"
	Time    Kind = "time"
	List    Kind = "list"
	Object  Kind = "object"
)

// Field is one declared field.
type Field struct {
	Name       string // in JSON and in the query
	Column     string // in SQL: the name, unless the tag column says otherwise
	Kind       Kind
	Index      []int // for reflect.Value.FieldByIndex
	Type       reflect.Type
	Nullable   bool
	Required   bool // must be given on create
	ReadOnly   bool
	OneLine    bool   // a text, or a list of texts, of one line each: see Line
	WriteOnly  bool   // is taken and never shown: no column
	Makes      string // of a write-only one: the collection in which each entry makes a record, or ""
	Generated  bool   // the database computes it (GENERATED ALWAYS)
	Default    any
	Enum       []string
	Money      bool
	Decimals   int      // how many decimals it has at most; 0 for any number of them
	Unique     bool     // in the organization, or within the fields of Within
	Within     []string // fields that a unique value is unique within
	Auto       string   // format of the number that is given when the field is left out: "A-%06d"
	References string   // collection that the id is of
	Filter     string   // "", equals, prefix, range, contains
	Sort       bool
	Indexed    bool   // an index has the order of a list sorted by it
	Search     string // what it is to q: "", code, name, text
	Facet      bool   // has few values, by which lists are counted
	Private    bool   // its values stay in the record: history and events say only that it changed
	PrivateTo  string // of a private one: the scope that reading its values needs besides, or ""
	JSON       *huma.Schema

	checker Checker // of a type that checks its own values
}

// Checker is the type of a field that checks its values more closely than JSON Schema can, and reports more exactly what is wrong: which
// coordinate, not which object. Check is called on the type's zero value instead of the other checks. It returns the value as it is
// stored.
type Checker interface {
	Check(at string, value any, problems *Problems) any
}

// Schema is a declared struct.
type Schema struct {
	Name   string
	Fields []*Field
	JSON   *huma.Schema // the object's JSON Schema, without $ref
	byName map[string]*Field
	typ    reflect.Type
}

// registry is required by huma only; all our schemas are flat or inline. It and the schemas in it are only touched under declaring:
// programs of one process, and tests that run at the same time, declare while others validate. Programs that share a process have types
// of the same name, so a name in it has the package.
var (
	declaring sync.Mutex
	registry  = huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		return strings.ReplaceAll(t.PkgPath(), "/", ".") + "." + huma.DefaultSchemaNamer(t, hint)
	})
)

// Of reads the declaration of T, which must be a struct. A wrong declaration panics and names every mistake: it is
// found at start.
func Of[T any]() *Schema { return OfType(reflect.TypeFor[T]()) }

// OfType is Of for a type that is known at run time.
func OfType(t reflect.Type) *Schema { return must(t, "json", longestText) }

// Shown reads the fields of a response, which have no bounds but those declared. Those without omitempty are always there.
func Shown(t reflect.Type) *Schema {
	s := must(t, "json", 0)
	var required []string
	for _, f := range declaredFields(t) {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && options != "omitempty" {
			required = append(required, name)
		}
	}
	s.JSON = ForResponse(s.JSON)
	s.JSON.Required = required
	return s
}

// ForResponse gives the schema of something that is shown: without defaults, which are for what is left out of a body, and open, so that
// a new field breaks nobody. Nothing in it is read-only: what is shown is not what is sent, which has a schema of its own.
func ForResponse(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	shown := *s
	shown.Default, shown.ReadOnly = nil, false
	if shown.AdditionalProperties == false {
		shown.AdditionalProperties = nil
	}
	if additional, ok := shown.AdditionalProperties.(*huma.Schema); ok {
		shown.AdditionalProperties = ForResponse(additional)
	}
	shown.Items = ForResponse(shown.Items)
	if shown.Properties != nil {
		shown.Properties = make(map[string]*huma.Schema, len(s.Properties))
		for name, property := range s.Properties {
			shown.Properties[name] = ForResponse(property)
		}
	}
	return &shown
}

// Parameters reads the fields of t that carry the tag key ("path" or "query") instead of json.
func Parameters(t reflect.Type, key string) *Schema { return must(t, key, longestText) }

func must(t reflect.Type, key string, longest int) *Schema {
	var mistakes Mistakes
	checkTags(t, key, false, &mistakes)
	mistakes.Panic()
	return read(t, key, longest)
}

// Inspect is OfType for callers that have more to check: it returns the mistakes, and no schema where there are any.
func Inspect(t reflect.Type) (*Schema, Mistakes) {
	var mistakes Mistakes
	if checkTags(t, "json", false, &mistakes); len(mistakes) > 0 {
		return nil, mistakes
	}
	return read(t, "json", longestText), nil
}

// longestText is how many characters a text may have where nothing else is declared.
const longestText = 255

func read(t reflect.Type, key string, longest int) *Schema {
	s := &Schema{Name: t.Name(), byName: map[string]*Field{}, typ: t}
	s.JSON = &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}
	for _, f := range declaredFields(t) {
		name := nameIn(f, key)
		if name == "" {
			continue
		}
		field := fieldOf(f, name, longest)
		s.Fields = append(s.Fields, field)
		s.byName[name] = field
		s.JSON.Properties[name] = field.JSON
		if field.Required {
			s.JSON.Required = append(s.JSON.Required, name)
		}
	}
	s.JSON.PrecomputeMessages()
	for _, field := range s.Fields { // after the messages, which are made anew for all properties
		field.JSON.PatternDescription = "" // it is in the message by now, and no keyword of JSON Schema
		if field.Nullable && field.Enum != nil {
			field.JSON.Enum = append(field.JSON.Enum, nil) // people need not read that null is allowed
		}
	}
	return s
}

// New gives a pointer to a new struct of the declared type.
func (s *Schema) New() any { return reflect.New(s.typ).Interface() }

// Field gives the field of that name, or nil.
func (s *Schema) Field(name string) *Field { return s.byName[name] }

// Names lists the names of the fields for which keep is true.
func (s *Schema) Names(keep func(*Field) bool) []string {
	var names []string
	for _, f := range s.Fields {
		if keep(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Int64 tells whether an integer is an int64, which takes what a JSON number takes exactly. An int takes 32 bits.
func (f *Field) Int64() bool {
	return f.Kind == Integer && (f.Type == reflect.TypeFor[int64]() || f.Type == reflect.TypeFor[*int64]())
}

// integers are the bounds of an integer.
func (f *Field) integers() (minimum, maximum int64) {
	if f.Int64() {
		return 1 - 1<<53, 1<<53 - 1
	}
	return math.MinInt32, math.MaxInt32
}

func fieldOf(f reflect.StructField, name string, longest int) *Field {
	declaring.Lock()
	defer declaring.Unlock()
	tag := f.Tag
	field := &Field{
		Name: name, Column: name, Index: f.Index, Type: f.Type,
		Nullable:  f.Type.Kind() == reflect.Pointer,
		Required:  tag.Get("required") == "true",
		ReadOnly:  tag.Get("readOnly") == "true",
		WriteOnly: tag.Get("writeOnly") == "true", Makes: tag.Get("makes"),
		Generated: tag.Get("generated") == "true",
		Money:     tag.Get("money") == "true",
		Unique:    tag.Get("unique") != "",
		Auto:      tag.Get("auto"), References: tag.Get("references"), Filter: tag.Get("filter"),
		Sort: tag.Get("sort") != "", Indexed: tag.Get("sort") == "index", Search: tag.Get("search"), Facet: tag.Get("facet") == "true",
		Private: tag.Get("private") != "",
	}
	if scope := tag.Get("private"); scope != "true" {
		field.PrivateTo = scope
	}
	if within := tag.Get("unique"); within != "" && within != "true" {
		field.Within = strings.Split(within, ",")
	}
	if column := tag.Get("column"); column != "" {
		field.Column = column
	}
	if enum := tag.Get("enum"); enum != "" {
		field.Enum = strings.Split(enum, ",")
	}
	field.JSON = inline(huma.SchemaFromField(registry, f, name))
	if doc := tag.Get("doc"); doc != "" && field.JSON.Description != doc { // huma leaves it out of what refers to another type
		field.JSON.Nullable = field.Nullable // of that type too, which a list of records shows within another
		own := *field.JSON
		own.Description, field.JSON = doc, &own
	}
	if field.References != "" && field.JSON.Format == "" && field.JSON.Type == huma.TypeString {
		field.JSON.Format = "uuid"
	}
	field.Kind = kindOf(field.JSON)
	base := f.Type
	if field.Nullable {
		base = base.Elem()
	}
	field.checker, _ = reflect.Zero(base).Interface().(Checker)
	field.JSON.Nullable, field.JSON.WriteOnly = field.Nullable, field.WriteOnly
	if field.Kind == List {
		if field.References != "" {
			field.JSON.Items.Format = "uuid"
		}
	}
	if field.Money {
		zero, maximum := 0.0, 9_999_999_999_999.99
		field.JSON.Minimum, field.JSON.Maximum = &zero, &maximum
		field.Decimals = 2
	}
	if decimals := tag.Get("decimals"); decimals != "" {
		field.Decimals, _ = strconv.Atoi(decimals) // a digit, as the tags' check has it
	}
	extensions := map[string]any{}
	if field.Decimals > 0 {
		extensions["x-decimals"] = field.Decimals
	}
	if unit := tag.Get("unit"); unit != "" {
		extensions["x-unit"] = unit
	}
	if field.Private {
		extensions["x-private"] = true
	}
	if len(extensions) > 0 {
		field.JSON.Extensions = extensions
	}
	field.Default = field.JSON.Default
	if longest > 0 && field.Kind == Text && field.JSON.MaxLength == nil && field.Enum == nil && !field.ReadOnly {
		field.JSON.MaxLength = &longest
	}
	field.OneLine = takesLine(field.JSON) || field.Kind == List && takesLine(field.JSON.Items)
	field.JSON = unshared(field.JSON)
	field.JSON.PrecomputeMessages()
	return field
}

// FilterType gives the field as a filter takes it: of the same kind, from the same list of values, but without bounds,
// and never null.
func (f *Field) FilterType() *Field {
	sought := *f
	sought.Nullable, sought.Default, sought.Money, sought.Decimals = false, nil, false, 0
	sought.JSON = &huma.Schema{Type: f.JSON.Type, Format: f.JSON.Format}
	for _, value := range f.Enum {
		sought.JSON.Enum = append(sought.JSON.Enum, value)
	}
	sought.JSON.PrecomputeMessages()
	return &sought
}

// inline replaces references to the registry by what they refer to, so that every schema is complete in itself.
func inline(s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	if s.Items != nil {
		s.Items = inline(s.Items)
	}
	for name, property := range s.Properties {
		property = inline(property)
		if property.Nullable && property.Enum != nil && !slices.Contains(property.Enum, nil) {
			property.Enum = append(property.Enum, nil)
		}
		s.Properties[name] = property
	}
	if additional, ok := s.AdditionalProperties.(*huma.Schema); ok {
		s.AdditionalProperties = inline(additional)
	}
	return s
}

// unshared copies a schema with all that is in it: what the registry has of a struct, every declaration that names the struct gets.
// Messages are left behind, since huma writes them into maps that a plain copy would share.
func unshared(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	own := &huma.Schema{}
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(own).Elem()
	for i := range from.NumField() {
		if to.Field(i).CanSet() {
			to.Field(i).Set(from.Field(i))
		}
	}
	own.Items = unshared(s.Items)
	if s.Properties != nil {
		own.Properties = make(map[string]*huma.Schema, len(s.Properties))
		for name, property := range s.Properties {
			own.Properties[name] = unshared(property)
		}
	}
	if additional, ok := s.AdditionalProperties.(*huma.Schema); ok {
		additional = unshared(additional)
		additional.PrecomputeMessages() // which that of its parent does not
		own.AdditionalProperties = additional
	}
	return own
}

func kindOf(s *huma.Schema) Kind {
	switch s.Type {
	case huma.TypeString:
		switch s.Format {
		case "uuid":
			return UUID
		case "date":
			return Date
		case "date-time":
			return Time
		}
		return Text
	case huma.TypeInteger:
		return Integer
	case huma.TypeNumber:
		return Number
	case huma.TypeBoolean:
		return Boolean
	case huma.TypeArray:
		return List
	}
	return Object
}
