package resource

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/schema"
)

// table is what SQL needs to know of a resource: its columns in the order of the struct.
type table struct {
	registry   *Registry
	schema     *schema.Schema
	name       string // SQL table
	collection string
	singular   string
	label      string
	parent     string
	geometry   string // field of the GeoJSON geometry, or ""
	columns    []*column
	filters    map[string]Filter
	open       string                                                         // condition that a record is still being worked on
	emit       func(ctx context.Context, tx pgx.Tx, changes []*written) error // nil where the definition has no events of its own
	recordSize atomic.Int64                                                   // of a record in the last list, for the next one's buffer
}

// column is one field as it is selected. Postgres sends every value in its text form, and for most kinds that
// text already is JSON; so a record is written by copying, without a struct or a map in between.
type column struct {
	*schema.Field
	sql    string // expression over alias t
	stored bool   // is written by us, not derived and not a part of Record that SQL fills in
	write  func(dst, text []byte) []byte
}

// filledIn are the columns that the insert and update statements set themselves.
var filledIn = []string{"id", "version", "created_at", "updated_at", "created_by", "updated_by"}

func newTable(declared *schema.Schema, name, collection string, derived map[string]string) *table {
	t := &table{schema: declared, name: name, collection: collection}
	for _, field := range declared.Fields {
		c := &column{Field: field, sql: "t." + field.Column, write: writerOf(field.Kind)}
		if expression, ok := derived[field.Name]; ok {
			c.sql = expression
		} else {
			c.stored = !slices.Contains(filledIn, field.Name) && !field.Generated
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// selection is the list of expressions of a SELECT or RETURNING clause.
func selection(columns []*column) string {
	var list strings.Builder
	for i, c := range columns {
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(c.sql)
	}
	return list.String()
}

// storedNames lists the columns that an insert or update writes, each with prefix.
func (t *table) storedNames(prefix string) string {
	var names []string
	for _, c := range t.columns {
		if c.stored {
			names = append(names, prefix+c.Column)
		}
	}
	return strings.Join(names, ", ")
}

// row is the text of a record's columns, in the order of table.columns; nil is NULL.
type row [][]byte

// copyRow keeps the raw values of a row, whose memory is used again for the next.
func copyRow(values row) row {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	kept, all := make(row, len(values)), make([]byte, 0, size)
	for i, v := range values {
		if v != nil {
			start := len(all)
			all = append(all, v...)
			kept[i] = all[start:len(all):len(all)]
		}
	}
	return kept
}

// appendRecord appends the JSON object of a row.
func appendRecord(dst []byte, columns []*column, values row) []byte {
	dst = append(dst, '{')
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, c.Name...)
		dst = append(dst, '"', ':')
		dst = appendValue(dst, c, values[i])
	}
	return append(dst, '}')
}

func appendValue(dst []byte, c *column, text []byte) []byte {
	if text == nil {
		return append(dst, "null"...)
	}
	return c.write(dst, text)
}

func writerOf(kind schema.Kind) func(dst, text []byte) []byte {
	switch kind {
	case schema.Integer, schema.Number, schema.List, schema.Object:
		return func(dst, text []byte) []byte { return append(dst, text...) }
	case schema.Boolean:
		return func(dst, text []byte) []byte {
			if text[0] == 't' {
				return append(dst, "true"...)
			}
			return append(dst, "false"...)
		}
	case schema.UUID, schema.Date:
		return func(dst, text []byte) []byte { return append(append(append(dst, '"'), text...), '"') }
	case schema.Time:
		return func(dst, text []byte) []byte { return append(appendTime(append(dst, '"'), text), '"') }
	}
	return appendText
}

func appendText(dst, text []byte) []byte {
	quoted, err := jsontext.AppendQuote(dst, text)
	if err != nil { // Postgres keeps well-formed UTF-8 only
		return append(dst, `""`...)
	}
	return quoted
}

// appendTime turns Postgres' "2026-01-31 14:00:00.5+00" into RFC 3339. Sessions run in UTC.
func appendTime(dst, text []byte) []byte {
	for _, b := range text {
		switch b {
		case ' ':
			dst = append(dst, 'T')
		case '+':
			return append(dst, 'Z')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// find gives the column of that name, or nil.
func (t *table) find(name string) *column {
	for _, c := range t.columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// text gives a row's value as text, "" for NULL.
func (t *table) text(values row, name string) string {
	for i, c := range t.columns {
		if c.Name == name {
			return string(values[i])
		}
	}
	return ""
}
