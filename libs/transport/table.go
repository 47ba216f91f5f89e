package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/parquet"
)

// Tabular is an output that callers can have as a table as well: as CSV or Parquet, by Accept.
type Tabular interface{ Table() Table }

// Table is rows of cells below columns. A cell is the text of a value, as JSON shows it without quotation marks; nil is null.
type Table struct {
	Columns []parquet.Column
	Rows    [][][]byte
}

// tableTypes are what a table can be had as.
var tableTypes = []string{CSV, Parquet}

// SVG is the media type of a picture of an output.
const SVG = "image/svg+xml"

// Drawn is an output that callers can have as a picture as well (Accept: image/svg+xml).
type Drawn interface{ SVG() []byte }

// as is the whole table in a media type, for an organization that asks for it under a name.
func (t Table) as(ctx context.Context, status int, mediaType, name string) (*Response, error) {
	var body bytes.Buffer
	response := &Response{Status: status}
	response.attachRecords(ctx, mediaType, name)
	out := newRecordWriter(ctx, mediaType, &body, t.Columns)
	for _, row := range t.Rows {
		if err := out.Row(row); err != nil {
			return nil, err
		}
	}
	err := out.Close()
	response.Body = body.Bytes()
	return response, err
}

// TableOfTexts is a table of rows of texts, of which an empty one is null.
func TableOfTexts(columns []parquet.Column, rows [][]string) Table {
	table := Table{Columns: columns, Rows: make([][][]byte, len(rows))}
	for i, row := range rows {
		for _, text := range row {
			var cell []byte
			if text != "" {
				cell = []byte(text)
			}
			table.Rows[i] = append(table.Rows[i], cell)
		}
	}
	return table
}

// TableOf is the table of records of one type, with the names and the order of its JSON: a member of an object is a column called
// object_member, a list is JSON. The columns are always the same; only an object without declared members has those that it
// has in any of the rows, in the order of the alphabet. The tags format and decimals say what texts and numbers are (typeOf).
func TableOf[T any](records []T) Table {
	values := make([]reflect.Value, len(records))
	for i := range records {
		values[i] = reflect.ValueOf(&records[i]).Elem()
	}
	table := Table{Rows: make([][][]byte, len(records))}
	table.add("", reflect.TypeFor[T](), "", values)
	return table
}

// add adds the columns of values of one type. An invalid value is null.
func (t *Table) add(name string, of reflect.Type, tag reflect.StructTag, values []reflect.Value) {
	switch of.Kind() {
	case reflect.Pointer:
		inner := make([]reflect.Value, len(values))
		for i, v := range values {
			if v.IsValid() {
				inner[i] = v.Elem()
			}
		}
		t.add(name, of.Elem(), tag, inner)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(of) {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || !f.IsExported() || member == "-" || member == "" {
				continue
			}
			t.add(under(name, member), f.Type, f.Tag, each(values, func(v reflect.Value) reflect.Value { return v.FieldByIndex(f.Index) }))
		}
	case reflect.Map:
		keys := map[string]bool{}
		for _, v := range values {
			if v.IsValid() {
				for _, key := range v.MapKeys() {
					keys[key.String()] = true
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			t.add(under(name, key), of.Elem(), tag, each(values, func(v reflect.Value) reflect.Value { return v.MapIndex(reflect.ValueOf(key)) }))
		}
	default:
		t.Columns = append(t.Columns, columnOf(name, of, tag))
		for i, v := range values {
			t.Rows[i] = append(t.Rows[i], cell(v))
		}
	}
}

// columnOf is the column of values of a type.
func columnOf(name string, of reflect.Type, tag reflect.StructTag) parquet.Column {
	column := parquet.Column{Name: name}
	switch kind := of.Kind(); {
	case kind == reflect.Bool:
		column.Type = parquet.Boolean
	case kind == reflect.Float64:
		if column.Type = parquet.Number; tag.Get("decimals") != "" {
			column.Type = parquet.Decimal
			column.Decimals, _ = strconv.Atoi(tag.Get("decimals")) // a digit, as the tags' check has it
		}
	case kind >= reflect.Int && kind <= reflect.Int64:
		column.Type = parquet.Integer
	case kind == reflect.Slice && of.Elem().Kind() == reflect.String:
		column.Type = parquet.Texts
	case tag.Get("format") == "date":
		column.Type = parquet.Date
	case tag.Get("format") == "date-time":
		column.Type = parquet.Time
	}
	return column
}

func under(name, member string) string {
	if name == "" {
		return member
	}
	return name + "_" + member
}

// each takes a part of every value that is there.
func each(values []reflect.Value, part func(reflect.Value) reflect.Value) []reflect.Value {
	parts := make([]reflect.Value, len(values))
	for i, v := range values {
		if v.IsValid() {
			parts[i] = part(v)
		}
	}
	return parts
}

func cell(v reflect.Value) []byte {
	switch {
	case !v.IsValid():
		return nil
	case v.CanFloat():
		return strconv.AppendFloat(nil, v.Float(), 'f', -1, 64)
	case v.Kind() == reflect.Slice:
		encoded, err := json.Marshal(v.Interface())
		if err != nil {
			panic(err) // of a response, which is JSON otherwise
		}
		return encoded
	}
	return fmt.Append([]byte{}, v.Interface()) // an empty text is not null
}
