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
			if inside, isThere := v[name]; isThere {
				v[name] = FillLists(inside, member)
			}
		}
	}
	return value
}

// AppendFilled appends a value in JSON with its lists filled.
func AppendFilled(dst, value []byte, schema *huma.Schema) []byte {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return append(dst, value...)
	}
	filled, err := json.Marshal(FillLists(decoded, schema))
	if err != nil {
		return append(dst, value...)
	}
	return append(dst, filled...)
}
