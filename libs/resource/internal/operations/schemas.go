package operations

import (
	"maps"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

var (
	aUUID = map[string]any{"type": "string", "format": "uuid"}

	idempotencyKey = transport.Parameter{
		Name: "Idempotency-Key", In: "header", Schema: map[string]any{"type": "string", "maxLength": 255},
		Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.",
	}
	importID = transport.Parameter{
		Name: "Import-Id", In: "header", Schema: aUUID,
		Description: "Id of the import that the call is part of: what it writes has the origin import in its events.",
	}
	ifMatch = transport.Parameter{
		Name: "If-Match", In: "header", Schema: map[string]any{"type": "string"},
		Description: "The ETag of the version that you mean; 409 when the record has moved on.",
	}
	atomic = transport.Parameter{
		Name: "atomic", In: "query", Schema: map[string]any{"type": "boolean", "default": true},
		Description: "true: all rows or none. false: each row on its own.",
	}
	onConflict = transport.Parameter{
		Name: "on_conflict", In: "query",
		Schema:      map[string]any{"type": "string", "enum": []string{"error", "skip", "update"}, "default": "error"},
		Description: "What to do with a row whose external_id, else natural key, is there already.",
	}
)

// shown is the schema of a response. Nothing in it is required, because fields= may leave out anything; names that
// expand= adds are in it.
func shown(t *table.Table) *huma.Schema {
	shown := *t.Schema.JSON
	shown.Properties, shown.Required = maps.Clone(shown.Properties), nil
	for _, name := range read.ExpansionNames(t) {
		shown.Properties[name] = &huma.Schema{
			Type: huma.TypeObject, Nullable: true, ReadOnly: true, Description: "With expand=" + name + ".",
			Properties: map[string]*huma.Schema{"id": {Type: huma.TypeString, Format: "uuid"}, "name": {Type: huma.TypeString}},
		}
	}
	return &shown
}

// writable is the schema of a body: without read-only fields, and for a patch without required ones.
func writable(s *schema.Schema, create bool) *huma.Schema {
	body := *s.JSON
	body.Properties = maps.Clone(body.Properties)
	for _, f := range s.Fields {
		if f.ReadOnly {
			delete(body.Properties, f.Name)
		}
	}
	if !create {
		body.Required = nil
	}
	return &body
}

func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func listOf(record any) any {
	return object(listWith(record, pagination(), "page", "per_page", "total", "total_pages"), "data", "pagination")
}

// listWithCursors is listOf for a list that can be read by cursor as well; one with q says which words it corrected.
func listWithCursors(record any, searched bool) any {
	paging := pagination()
	paging["page"] = map[string]any{"type": []string{"integer", "null"}, "description": "null on a page that was asked for by cursor."}
	paging["next_cursor"] = map[string]any{"type": []string{"string", "null"},
		"description": "For the parameter cursor of the next page; null on the last."}
	properties := listWith(record, paging, "page", "per_page", "total", "total_pages", "next_cursor")
	if searched {
		words := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		properties["search"] = object(map[string]any{"corrected": map[string]any{"type": "object", "additionalProperties": words,
			"description": "By each word of q that no record has, the words that were found in its place."}}, "corrected")
	}
	return object(properties, "data", "pagination")
}

func pagination() map[string]any {
	integer := map[string]any{"type": "integer"}
	return map[string]any{"page": integer, "per_page": integer, "total": integer, "total_pages": integer}
}

func listWith(record any, pagination map[string]any, required ...string) map[string]any {
	return map[string]any{
		"data": map[string]any{"type": "array", "items": record}, "pagination": object(pagination, required...),
	}
}

func bulkOf(record any) any {
	rows := map[string]any{"type": "array", "minItems": 1, "maxItems": table.MaxPerPage, "items": record}
	return object(map[string]any{"data": rows}, "data")
}

func bulkResponse(record any) any {
	return object(map[string]any{
		"data":    map[string]any{"type": "array", "items": record},
		"results": map[string]any{"type": "array", "items": schema.Of[write.Result]().JSON},
		"summary": schema.Of[write.Summary]().JSON,
	}, "data", "results", "summary")
}
