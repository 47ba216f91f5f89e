package ams

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Filters are the parameters of a list by name: its filters, and sort, fields, expand, per_page and the like. Values are
// texts, numbers, true or false, times and days (time.Time is sent as RFC 3339), and lists of them, of which a record needs one. A nil
// value is null: records without a value. A text is sent as it is, so that commas in it separate values; a text within a list is one value.
type Filters map[string]any

func (f Filters) values() url.Values {
	query := url.Values{}
	for name, value := range f {
		query.Set(name, parameter(value))
	}
	return query
}

func parameter(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return value
	case time.Time:
		return value.Format(time.RFC3339Nano)
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = listed(v.Index(i).Interface())
		}
		return strings.Join(parts, ",")
	case reflect.Pointer:
		if v.IsNil() {
			return "null"
		}
		return parameter(v.Elem().Interface())
	}
	return fmt.Sprint(value)
}

var escapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `"`, `\"`)

// listed writes a value within a list: its commas do not separate values, and "null" is the word.
func listed(value any) string {
	text, isText := value.(string)
	switch {
	case !isText:
		return parameter(value)
	case text == "null":
		return `\null`
	}
	return escapes.Replace(text)
}
