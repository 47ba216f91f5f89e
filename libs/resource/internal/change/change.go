// Package change carries one record on its way into the database, from the body of a request to the row, with the
// problems that were found.
package change

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// Change is one record on its way. Before and After point to structs of the resource's type; Before is nil on create, After
// on delete.
type Change struct {
	Index           int // of the row in a bulk call
	ID              string
	Before, After   any
	Former, Written table.Values // the row as it was read, and as it is afterwards
	Prefix          string       // of the row in a bulk call: "data[3]."
	Numbered        map[string]bool
	Emitted         []string // types of further events
	Unchanged       bool     // the record was so already: nothing is written
	Typed           any      // the change as hooks know it

	table     *table.Table
	sent      map[string]bool
	complete  bool // After has what the database alone knows
	problems  schema.Problems
	rejection *fault.Error
}

// New reads the body of a record that is to be made.
func New(t *table.Table, index int, body map[string]any, prefix string) *Change {
	c := Of(t, t.Schema.New())
	c.Index, c.Prefix = index, prefix
	record := Record(c.After)
	t.Schema.Defaults(record)
	c.dropExpansions(body)
	c.mergeObjects(body, record)
	c.problems = append(append(c.problems, t.Schema.Read(body, prefix, record, c.sent)...), t.Schema.Missing(body, prefix)...)
	return c
}

// Of is the change that makes a record.
func Of(t *table.Table, record any) *Change {
	return &Change{table: t, After: record, sent: map[string]bool{}}
}

// Existing makes a change of a record that is there.
func Existing(t *table.Table, index int, id string, before table.Values) (*Change, error) {
	c := &Change{table: t, Index: index, ID: id, Former: before, Before: t.Schema.New(), sent: map[string]bool{}}
	if err := json.Unmarshal(table.AppendRecord(nil, t.Columns, before), c.Before); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", t.Row.Singular, id, err)
	}
	return c, nil
}

// Record is the struct that Before or After points to.
func Record(pointer any) reflect.Value { return reflect.ValueOf(pointer).Elem() }

// Copy makes After a copy of Before, to be changed.
func (c *Change) Copy() {
	c.After = c.table.Schema.New()
	Record(c.After).Set(Record(c.Before))
}

// Patch merges a body into a change of a record that is there.
func (c *Change) Patch(body map[string]any, prefix string) {
	c.Prefix = prefix
	if c.After == nil {
		c.Copy()
	}
	record := Record(c.After)
	c.dropExpansions(body)
	c.mergeObjects(body, record)
	c.problems = append(c.problems, c.table.Schema.Read(body, prefix, record, c.sent)...)
}

// dropExpansions takes away what expand= shows, {id, name} or null beside ids and lists, so that a record can be sent back as it was read.
func (c *Change) dropExpansions(body map[string]any) {
	for _, f := range c.table.Schema.Fields {
		name, isID := strings.CutSuffix(f.Name, "_id")
		if f.References == "" || !isID || c.table.Schema.Field(name) != nil {
			continue
		}
		shown, isObject := body[name].(map[string]any)
		if _, hasID := shown["id"]; isObject && hasID || body[name] == nil {
			delete(body, name)
		}
	}
	for name := range c.table.Expansions {
		if _, isList := body[name].([]any); isList {
			delete(body, name)
		}
	}
}

// mergeObjects makes the members of objects what they are after a JSON merge patch: null takes a member away,
// those left out stay.
func (c *Change) mergeObjects(body map[string]any, record reflect.Value) {
	for _, f := range c.table.Schema.Fields {
		sent, ok := body[f.Name].(map[string]any)
		if !ok || f.Kind != schema.Object || f.ReadOnly {
			continue
		}
		if f.IsOpen() {
			sent = c.normaliseMembers(f.Name, sent)
		}
		merged := f.Members(record)
		for name, value := range sent {
			if value == nil {
				delete(merged, name)
			} else {
				merged[name] = value
			}
		}
		body[f.Name] = merged
	}
}

// normaliseMembers makes the names and texts of an object of the organization's own what is stored of them; an empty text is null.
func (c *Change) normaliseMembers(field string, sent map[string]any) map[string]any {
	members := make(map[string]any, len(sent))
	for name, value := range sent {
		stored := schema.Line(name)
		if problem := schema.LineProblem(name); problem != "" {
			c.problems.Add(c.Prefix+field+"."+stored, "has a name that %s", problem)
		}
		if _, twice := members[stored]; twice {
			c.problems.Add(c.Prefix+field+"."+stored, "is there twice: names that differ in white space and in what nobody sees are the same")
		}
		if text, isText := value.(string); isText {
			if value = schema.LineOrLines(text); value == "" {
				value = nil
			}
		}
		members[stored] = value
	}
	return members
}

// Complete puts into After what the database alone knows, unless it is there.
func (c *Change) Complete() error {
	if c.After == nil || c.complete {
		return nil
	}
	return c.Fill(func(column *table.Column, _ int) bool { return !column.Stored })
}

// Fill puts the chosen columns of the written row into After, which is complete then.
func (c *Change) Fill(choose func(column *table.Column, i int) bool) error {
	c.complete = true
	target, body := Record(c.After), []byte{'{'}
	for i, column := range c.table.Columns {
		if !choose(column, i) {
			continue
		}
		target.FieldByIndex(column.Index).SetZero() // never write into memory that another record shares
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(append(append(body, '"'), column.Name...), `":`...)
		body = column.AppendValue(body, c.Written[i])
	}
	if err := json.Unmarshal(append(body, '}'), c.After); err != nil {
		return fmt.Errorf("read what was written into %s: %w", c.table.Row.Name, err)
	}
	return nil
}

// Sets says whether the caller sent a field.
func (c *Change) Sets(field string) bool {
	c.mustHave(field)
	return c.sent[field]
}

// FieldError notes what is wrong with a field, or with a place within it: a 400.
func (c *Change) FieldError(field, format string, args ...any) {
	c.mustHave(fieldOf(field))
	if slices.ContainsFunc(c.problems, func(p fault.Field) bool { return p.Missing && p.Field == c.Prefix+field }) {
		return // nothing else can be said of a record that is not there
	}
	c.problems.Add(c.Prefix+field, format, args...)
}

// MissingError notes that a field, or a place within it, names a record that the organization does not have: a 404, unless more is wrong.
func (c *Change) MissingError(field, format string, args ...any) {
	c.mustHave(fieldOf(field))
	c.problems.AddMissing(c.Prefix+field, format, args...)
}

// fieldOf is the field of a place within it.
func fieldOf(place string) string {
	if i := strings.IndexAny(place, ".["); i > 0 {
		return place[:i]
	}
	return place
}

// mustHave panics when a rule names a field that the resource does not have.
func (c *Change) mustHave(field string) {
	if c.table.Schema.Field(field) == nil {
		names := c.table.Schema.Names(func(*schema.Field) bool { return true })
		panic("resource: a rule of " + c.table.Row.Name + " is wrong: " + schema.Unknown("field", field, names))
	}
}

// Reject notes why the change cannot be made in the present state: a 403, 404 or 409.
func (c *Change) Reject(reason *fault.Error) {
	if c.rejection == nil {
		c.rejection = reason
	}
}

// Err is what speaks against the change, or nil.
func (c *Change) Err() *fault.Error {
	if len(c.problems) > 0 {
		return fault.InvalidFields(c.problems...)
	}
	return c.rejection
}

// Valid gives the changes that nothing speaks against.
func Valid(changes []*Change) []*Change {
	var valid []*Change
	for _, c := range changes {
		if c.Err() == nil {
			valid = append(valid, c)
		}
	}
	return valid
}
