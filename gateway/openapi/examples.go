package openapi

import (
	"maps"
	"slices"
	"strings"
)

// exampleID stands for every id in examples. It exists nowhere.
const exampleID = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

// completeExamples gives the objects in the examples of webhooks every field that their records have: the service that documents the
// webhooks knows the fields of every record, and not those of each kind.
func completeExamples(webhooks map[string]any, components map[string]any) {
	for _, item := range webhooks {
		body := object(object(object(object(object(item)["post"])["requestBody"])["content"])["application/json"])
		data := object(object(body["example"])["data"])
		record := recordOf(body["schema"], components)
		if data["object"] == nil || record == nil {
			continue
		}
		whole := Example(record, components)
		if members := object(whole); members != nil {
			maps.Copy(members, object(data["object"]))
			data["object"] = members
		}
	}
}

// recordOf gives the schema of data.object in the schema of an event.
func recordOf(schema any, components map[string]any) any {
	described := object(resolved(schema, components))
	for _, part := range list(described["allOf"]) {
		if found := recordOf(part, components); found != nil {
			return found
		}
	}
	for _, part := range append(list(object(object(described["properties"])["data"])["allOf"]), object(described["properties"])["data"]) {
		if found := object(object(resolved(part, components))["properties"])["object"]; found != nil {
			return found
		}
	}
	return nil
}

// resolved follows a reference to a schema.
func resolved(schema any, components map[string]any) any {
	if reference, isText := object(schema)["$ref"].(string); isText {
		return object(components["schemas"])[strings.TrimPrefix(reference, "#/components/schemas/")]
	}
	return schema
}

// Example makes an example of a schema: of an object with what is required, of a value the schema's own, else one of its type.
func Example(schema any, components map[string]any) any {
	described := object(resolved(schema, components))
	if examples := list(described["examples"]); len(examples) > 0 {
		return examples[0]
	}
	if parts := list(described["allOf"]); len(parts) > 0 {
		whole := map[string]any{}
		for _, part := range parts {
			maps.Copy(whole, object(Example(part, components)))
		}
		return whole
	}
	if parts := list(described["anyOf"]); len(parts) > 0 {
		return Example(parts[0], components)
	}
	if enum := list(described["enum"]); len(enum) > 0 {
		return enum[0]
	}
	kinds := list(described["type"])
	if kind, isText := described["type"].(string); isText {
		kinds = []any{kind}
	}
	switch {
	case slices.Contains(kinds, any("null")):
		return nil
	case slices.Contains(kinds, any("object")):
		members := map[string]any{}
		if _, has := object(described["properties"])["id"]; has && described["required"] == nil {
			members["id"] = exampleID // what a row is about
		}
		for _, name := range list(described["required"]) {
			members[name.(string)] = Example(object(described["properties"])[name.(string)], components)
		}
		return members
	case slices.Contains(kinds, any("array")):
		if minimum, _ := described["minItems"].(float64); minimum > 0 {
			return []any{Example(described["items"], components)}
		}
		return []any{}
	case slices.Contains(kinds, any("boolean")):
		return false
	case slices.Contains(kinds, any("integer")), slices.Contains(kinds, any("number")):
		if minimum, has := described["minimum"].(float64); has {
			return minimum
		}
		return 0
	}
	switch described["format"] {
	case "uuid":
		return exampleID
	case "date":
		return "2026-05-12"
	case "date-time":
		return "2026-05-12T14:03:07.123456Z"
	case "email":
		return "maintenance@example.ca"
	case "uri":
		return "https://example.ca/"
	}
	return "…"
}

func list(value any) []any {
	entries, _ := value.([]any)
	return entries
}
