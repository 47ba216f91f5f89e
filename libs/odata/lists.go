package odata

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// LacksLists says whether a value of a schema may have null where the schema has a list.
func LacksLists(schema *huma.Schema) bool {
	if schema == nil {
		return false
	}
	if schema.Type == huma.TypeArray && schema.Nullable || LacksLists(schema.Items) {
		return true
	}
	for _, member := range schema.Properties {
		if LacksLists(member) {
			return true
		}
	}
	return false
}

// FillLists gives a value of a schema with an empty list for each that is null: in OData a list never is.
func FillLists(value any, schema *huma.Schema) any {
	switch v := value.(type) {
	case nil:
		if schema.Type == huma.TypeArray {
			return []any{}
		}
	case []any:
		if schema.Items != nil {
			for i := range v {
				v[i] = FillLists(v[i], schema.Items)
			}
		}
	case map[string]any:
		for name, member := range schema.Properties {
			if inside, found := v[name]; found {
				v[name] = FillLists(inside, member)
			}
		}
	}
	return value
}

// NumberType is the type in $metadata of a number, by its type in JSON Schema: maximum is the most that it may be, nil where nothing is
// declared; decimals says that it is exact to some.
func NumberType(kind string, maximum *float64, decimals bool) string {
	switch {
	case kind == huma.TypeInteger && maximum != nil && *maximum < 1<<31:
		return "Edm.Int32"
	case kind == huma.TypeInteger:
		return "Edm.Int64"
	case decimals:
		return "Edm.Decimal"
	}
	return "Edm.Double"
}

// isTextNumber says whether a value of a schema is a number that is a text where IEEE754Compatible=true is asked for.
func isTextNumber(schema *huma.Schema) bool {
	if schema.Type != huma.TypeInteger && schema.Type != huma.TypeNumber {
		return false
	}
	_, decimals := schema.Extensions["x-decimals"]
	kind := NumberType(schema.Type, schema.Maximum, decimals)
	return kind == "Edm.Int64" || kind == "Edm.Decimal"
}

// HasTextNumbers says whether a value of a schema has, or is, a number that is a text where IEEE754Compatible=true is asked for.
func HasTextNumbers(schema *huma.Schema) bool {
	if schema == nil {
		return false
	}
	if isTextNumber(schema) || HasTextNumbers(schema.Items) {
		return true
	}
	for _, member := range schema.Properties {
		if HasTextNumbers(member) {
			return true
		}
	}
	return false
}

// TextNumbers gives a value of a schema, as decoded with UseNumber, with texts in the place of such numbers.
func TextNumbers(value any, schema *huma.Schema) any {
	switch v := value.(type) {
	case json.Number:
		if isTextNumber(schema) {
			return v.String()
		}
	case []any:
		if schema.Items != nil {
			for i := range v {
				v[i] = TextNumbers(v[i], schema.Items)
			}
		}
	case map[string]any:
		for name, member := range schema.Properties {
			if inside, isMember := v[name]; isMember {
				v[name] = TextNumbers(inside, member)
			}
		}
	}
	return value
}

// AppendShown appends a value in JSON as OData shows it: with its lists filled, and with texts in the place of numbers where they are
// wanted.
func AppendShown(dst, value []byte, schema *huma.Schema, textNumbers bool) []byte {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return append(dst, value...)
	}
	if decoded = FillLists(decoded, schema); textNumbers {
		decoded = TextNumbers(decoded, schema)
	}
	shown, err := json.Marshal(decoded)
	if err != nil {
		return append(dst, value...)
	}
	return append(dst, shown...)
}
