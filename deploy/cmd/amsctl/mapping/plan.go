package mapping

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Plan is a mapping made ready for one file and one collection.
type Plan struct {
	mapping Mapping
	schema  Schema
	fields  []target
	nulls   map[string]bool
	seen    map[string]bool
	whole   bool // NDJSON without a mapping: the object is the record
}

// RejectColumns are what a rejects file has before the columns of a row: it is put right and imported again.
var RejectColumns = []string{"rejected_line", "rejected_record", "rejected_field", "rejected_because"}

type target struct {
	name     string
	from     From
	text     template // of a text
	elements []target // of a list
}

// Record is one record to be sent.
type Record struct {
	Fields map[string]any
	Name   string // its external_id, else nothing: how the rejects file names it
}

// Problem is why a row, or one of its records, cannot be sent.
type Problem struct {
	Record  string
	Field   string
	Message string
}

// Outcome is what becomes of one row.
type Outcome struct {
	Records  []Record
	Problems []Problem
	Skipped  bool
}

// Compile checks a mapping against the file's header (nil for NDJSON) and the collection's fields. Without a
// mapping every column is the field of the same name. All that is wrong is said at once.
func Compile(m *Mapping, header []string, collection string, schema Schema) (*Plan, error) {
	p := &Plan{schema: schema, nulls: map[string]bool{"": true}, seen: map[string]bool{}}
	switch {
	case m != nil:
		p.mapping = *m
	case header == nil:
		p.whole = true
		return p, nil
	default:
		p.mapping.Fields = p.sameNames(header)
	}
	if m != nil && m.Collection != "" && m.Collection != collection {
		return nil, fmt.Errorf("the mapping is for %s, not for %s", m.Collection, collection)
	}
	for _, null := range p.mapping.NullValues {
		p.nulls[strings.ToLower(strings.TrimSpace(null))] = true
	}
	columns := columnCheck{header: header, words: p.words()}
	for _, rule := range p.mapping.Rows {
		columns.want("rows", rule.Column)
	}
	for _, column := range p.mapping.OncePer {
		columns.want("once_per", column)
	}
	if p.mapping.Each != nil {
		for _, component := range p.mapping.Each.Columns {
			columns.want("each", component.Column)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.mapping.Fields)) {
		t, err := p.target(name, p.mapping.Fields[name], &columns)
		if err != nil {
			columns.problems = append(columns.problems, name+": "+err.Error())
			continue
		}
		p.fields = append(p.fields, t)
	}
	if len(columns.problems) > 0 {
		return nil, errors.New(strings.Join(columns.problems, "\n"))
	}
	return p, nil
}

func (p *Plan) sameNames(header []string) map[string]From {
	fields := map[string]From{}
	for _, column := range header {
		if column != "" && !p.schema[column].ReadOnly && !slices.Contains(RejectColumns, column) {
			fields[column] = From{Column: column, form: fromColumn}
		}
	}
	return fields
}

// words are what {…} may name besides columns.
func (p *Plan) words() []string {
	if p.mapping.Each == nil {
		return nil
	}
	words := []string{"column", "value"}
	for _, component := range p.mapping.Each.Columns {
		for word := range component.Words {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

type columnCheck struct {
	header   []string
	words    []string
	problems []string
}

func (c *columnCheck) want(where, column string) {
	if c.header == nil || slices.Contains(c.header, column) || slices.Contains(c.words, column) {
		return
	}
	c.problems = append(c.problems, fmt.Sprintf("%s: the file has no column %q%s", where, column, Near(column, c.header)))
}

func (p *Plan) target(name string, from From, columns *columnCheck) (target, error) {
	kind, err := p.kind(name)
	if err != nil {
		return target{}, err
	}
	if from.Type == "" {
		from.Type = kind
	}
	return p.source(name, from, columns)
}

// source makes ready where the values of a field, or of an element of its list, come from.
func (p *Plan) source(name string, from From, columns *columnCheck) (t target, err error) {
	switch from.Type {
	case "", "text", "integer", "number", "boolean", "date", "list", "object":
	default:
		return target{}, fmt.Errorf("the type %q is not known: use text, integer, number, boolean or date", from.Type)
	}
	t = target{name: name, from: from}
	if from.Type == "date" {
		if t.from.Format, err = layout(from.Format); err != nil {
			return target{}, err
		}
	}
	switch from.form {
	case fromColumn:
		columns.want(name, from.Column)
	case fromText:
		if t.text, err = parseTemplate(from.Text); err != nil {
			return target{}, err
		}
		for _, part := range t.text {
			if part.column {
				columns.want(name, part.text)
			}
		}
	case fromList:
		for _, one := range from.List {
			if one.Type == "" {
				one.Type = "text"
			}
			if one.form == fromConstant && one.Constant != nil {
				one.Constant = fmt.Sprint(one.Constant) // a year among the tags
			}
			element, err := p.source(name, one, columns)
			if err != nil {
				return target{}, err
			}
			t.elements = append(t.elements, element)
		}
	}
	return t, nil
}

// kind is the type of the collection's field.
func (p *Plan) kind(name string) (string, error) {
	if _, custom := strings.CutPrefix(name, "custom_fields."); custom || p.schema == nil {
		return "", nil
	}
	if field, known := p.schema[name]; known {
		if field.ReadOnly {
			return "", errors.New("is a field that the service fills in; leave it out")
		}
		return field.Type, nil
	}
	if object, part, is := strings.Cut(name, "."); is {
		if field, known := p.schema[object].Parts[part]; known {
			return field.Type, nil
		}
	}
	if reference, ok := strings.CutSuffix(name, "_external_id"); ok {
		if _, known := p.schema[reference+"_id"]; known {
			return "text", nil
		}
	}
	return "", fmt.Errorf("the collection has no field %q%s", name, Near(name, p.schema.Names()))
}
