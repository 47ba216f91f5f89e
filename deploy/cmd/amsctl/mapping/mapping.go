// Package mapping turns the rows of a file into records of a collection, as a small YAML file says.
//
// It is described for its users in docs/import.md. It has no programming language: values come from
// columns, constants and texts with {Column} in them, are translated by lists and read as numbers or
// dates; rows can be skipped or rejected; and one row can become one record for each of several columns.
package mapping

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Mapping is the file as it is written.
type Mapping struct {
	Collection string          `yaml:"collection"`  // when given, an import into another collection is refused
	NullValues []string        `yaml:"null_values"` // texts that mean "no value", besides the empty text
	Rows       []Rule          `yaml:"rows"`        // which rows to leave out, and why
	OncePer    Names           `yaml:"once_per"`    // only the first row with each value of these columns makes a record
	Each       *Each           `yaml:"each"`        // one record for each of these columns that has a value
	Fields     map[string]From `yaml:"fields"`      // field of the record → where it comes from
}

// Rule leaves rows out. Exactly one of In, NotIn and Empty says when.
type Rule struct {
	Column string   `yaml:"column"`
	In     []string `yaml:"in"`
	NotIn  []string `yaml:"not_in"`
	Empty  bool     `yaml:"empty"`
	Then   string   `yaml:"then"`   // skip, or reject (into the rejects file, with the reason)
	Reason string   `yaml:"reason"` // for reject
}

// Each makes one record for every listed column that has a value. In the fields, {column} is the column's
// name, {value} its value and {label} its label; a column may carry further words of its own.
type Each struct {
	Columns Components `yaml:"columns"`
}

// Component is one column of Each and its words.
type Component struct {
	Column string
	Words  map[string]string
}

// Components keep the order of the file.
type Components []Component

// UnmarshalYAML reads "COLUMN: label" and "COLUMN: {label: …, other: …}".
func (c *Components) UnmarshalYAML(decode func(any) error) error {
	var items yaml.MapSlice
	if err := decode(&items); err != nil {
		return err
	}
	for _, item := range items {
		component := Component{Column: fmt.Sprint(item.Key), Words: map[string]string{}}
		switch value := item.Value.(type) {
		case nil:
			component.Words["label"] = component.Column
		case map[string]any:
			for word, text := range value {
				component.Words[word] = fmt.Sprint(text)
			}
		case yaml.MapSlice:
			for _, word := range value {
				component.Words[fmt.Sprint(word.Key)] = fmt.Sprint(word.Value)
			}
		default:
			component.Words["label"] = fmt.Sprint(value)
		}
		*c = append(*c, component)
	}
	return nil
}

// Names is one name or a list of names.
type Names []string

// UnmarshalYAML reads a name or a list of names.
func (n *Names) UnmarshalYAML(decode func(any) error) error {
	var many []string
	if decode(&many) == nil {
		*n = many
		return nil
	}
	var one string
	if err := decode(&one); err != nil {
		return err
	}
	*n = Names{one}
	return nil
}

// From says where a field's value comes from.
type From struct {
	Column   string         // the value of a column
	Text     string         // a text with {Column} in it; empty when one of its columns has no value
	Constant any            // the same for every record
	List     []From         // a list; elements without a value are left out
	Values   map[string]any // a list of translations; a value that is not in it is an error unless Otherwise is given
	Other    *any           // what Values gives for everything else
	Type     string         // text, integer, number, boolean or date; empty: what the collection's field is
	Format   string         // of a date: YYYY, MM, DD and what stands between them
	Decimal  string         // of a number: the decimal mark, "." unless given
	Remove   []string       // texts taken out of a number before it is read: "$", ","
	Required bool           // a row without a value is rejected
	form     form
}

type form int

const (
	fromNothing form = iota
	fromColumn
	fromText
	fromConstant
	fromList
)

// UnmarshalYAML reads a text with {Column} in it, a constant, or the long form.
func (f *From) UnmarshalYAML(decode func(any) error) error {
	var plain any
	if err := decode(&plain); err != nil {
		return err
	}
	switch value := plain.(type) {
	case string:
		f.Text, f.form = value, fromText
		return nil
	case map[string]any, yaml.MapSlice:
	case []any:
		f.form = fromList
		return decode(&f.List)
	default:
		f.Constant, f.form = value, fromConstant
		return nil
	}
	keys, err := keysOf(plain)
	if err != nil {
		return err
	}
	var long struct {
		Column   string        `yaml:"column"`
		Text     string        `yaml:"text"`
		Constant any           `yaml:"constant"`
		Values   yaml.MapSlice `yaml:"values"`
		Type     string        `yaml:"type"`
		Format   string        `yaml:"format"`
		Decimal  string        `yaml:"decimal"`
		Remove   []string      `yaml:"remove"`
		Required bool          `yaml:"required"`
		Other    any           `yaml:"otherwise"`
	}
	if err := decode(&long); err != nil {
		return err
	}
	f.Column, f.Text, f.Constant = long.Column, long.Text, long.Constant
	f.Type, f.Format, f.Decimal, f.Remove, f.Required = long.Type, long.Format, long.Decimal, long.Remove, long.Required
	for _, source := range []struct {
		key  string
		form form
	}{{"column", fromColumn}, {"text", fromText}, {"constant", fromConstant}} {
		if !slices.Contains(keys, source.key) {
			continue
		}
		if f.form != fromNothing {
			return errors.New("a field comes from one of column, text and constant, not from two of them")
		}
		f.form = source.form
	}
	if f.form == fromNothing {
		return errors.New("a field needs one of column, text and constant")
	}
	if slices.Contains(keys, "otherwise") {
		f.Other = &long.Other
	}
	if long.Values != nil {
		f.Values = make(map[string]any, len(long.Values))
		for _, item := range long.Values {
			f.Values[fmt.Sprint(item.Key)] = item.Value
		}
	}
	return nil
}

var longKeys = []string{"column", "text", "constant", "values", "otherwise", "type", "format", "decimal", "remove", "required"}

func keysOf(plain any) (keys []string, err error) {
	switch value := plain.(type) {
	case map[string]any:
		for key := range value {
			keys = append(keys, key)
		}
	case yaml.MapSlice:
		for _, item := range value {
			keys = append(keys, fmt.Sprint(item.Key))
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !slices.Contains(longKeys, key) {
			return nil, fmt.Errorf("%q is not something a field can have%s; it can have %s", key, Near(key, longKeys), strings.Join(longKeys, ", "))
		}
	}
	return keys, nil
}

// Read reads a mapping file.
func Read(path string) (*Mapping, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := Parse(file)
	if err != nil {
		return nil, fmt.Errorf("the mapping %s: %w", path, err)
	}
	return m, nil
}

// Parse reads a mapping and checks what can be checked without the file it is for.
func Parse(in io.Reader) (*Mapping, error) {
	var m Mapping
	if err := yaml.NewDecoder(in, yaml.DisallowUnknownField()).Decode(&m); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("is empty")
		}
		return nil, errors.New(yaml.FormatError(err, false, true))
	}
	if len(m.Fields) == 0 {
		return nil, errors.New("has no fields: say where each field of a record comes from")
	}
	for i, rule := range m.Rows {
		if err := rule.check(); err != nil {
			return nil, fmt.Errorf("rows, number %d: %w", i+1, err)
		}
	}
	if m.Each != nil && (len(m.Each.Columns) == 0 || len(m.Each.Columns) > 1000) {
		return nil, fmt.Errorf("each: lists %d columns; it takes 1 to 1000", len(m.Each.Columns))
	}
	return &m, nil
}

func (r Rule) check() error {
	conditions := 0
	for _, given := range []bool{r.In != nil, r.NotIn != nil, r.Empty} {
		if given {
			conditions++
		}
	}
	switch {
	case r.Column == "":
		return errors.New("needs a column")
	case conditions != 1:
		return errors.New("needs exactly one of in, not_in and empty: true")
	case r.Then != "skip" && r.Then != "reject":
		return errors.New("needs then: skip or then: reject")
	case r.Then == "reject" && r.Reason == "":
		return errors.New("rejects rows, so it needs a reason")
	}
	return nil
}
