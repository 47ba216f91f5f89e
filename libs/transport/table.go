package transport

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Tabular is an output that callers can have as CSV as well (Accept: text/csv): a row of names, and rows of as many values.
type Tabular interface{ Table() [][]string }

// SVG is the media type of a picture of an output.
const SVG = "image/svg+xml"

// Drawn is an output that callers can have as a picture as well (Accept: image/svg+xml).
type Drawn interface{ SVG() []byte }

// asCSV is a table in RFC 4180 with line feeds, in UTF-8.
func asCSV(status int, table [][]string) (*Response, error) {
	var body bytes.Buffer
	writer := csv.NewWriter(&body)
	err := writer.WriteAll(table)
	return &Response{Status: status, Body: body.Bytes(), ContentType: CSV + "; charset=utf-8"}, err
}

// TableOf is the table of records of one type, with the names and the order of its JSON: a member of an object is a column called
// object_member, null is empty, a list is JSON. The columns are always the same; only an object without declared members has those that it
// has in any of the rows, in the order of the alphabet.
func TableOf[T any](records []T) [][]string {
	values := make([]reflect.Value, len(records))
	for i := range records {
		values[i] = reflect.ValueOf(&records[i]).Elem()
	}
	table := make([][]string, 1+len(records))
	addColumns(table, "", reflect.TypeFor[T](), values)
	return table
}

// addColumns adds the columns of values of one type to the rows of a table. An invalid value is null.
func addColumns(table [][]string, name string, t reflect.Type, values []reflect.Value) {
	switch t.Kind() {
	case reflect.Pointer:
		inner := make([]reflect.Value, len(values))
		for i, v := range values {
			if v.IsValid() {
				inner[i] = v.Elem()
			}
		}
		addColumns(table, name, t.Elem(), inner)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || !f.IsExported() || member == "-" || member == "" {
				continue
			}
			addColumns(table, under(name, member), f.Type, each(values, func(v reflect.Value) reflect.Value { return v.FieldByIndex(f.Index) }))
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
			addColumns(table, under(name, key), t.Elem(), each(values, func(v reflect.Value) reflect.Value { return v.MapIndex(reflect.ValueOf(key)) }))
		}
	default:
		table[0] = append(table[0], name)
		for i, v := range values {
			table[1+i] = append(table[1+i], cell(v))
		}
	}
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

func cell(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return ""
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case v.Kind() == reflect.Slice:
		encoded, err := json.Marshal(v.Interface())
		if err != nil {
			panic(err) // of a response, which is JSON otherwise
		}
		return string(encoded)
	}
	return fmt.Sprint(v.Interface())
}
