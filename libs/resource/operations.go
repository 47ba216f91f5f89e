package resource

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// mountOperations serves the nine operations of a resource, and what other services ask of it.
func (c *collection[T]) mountOperations() {
	one, many := strings.ReplaceAll(c.row.Singular, "_", " "), strings.ReplaceAll(c.Collection, "_", " ")
	record := c.registry.API.Component(c.table.schema.Name, c.shown())
	write := c.registry.API.Component(c.table.schema.Name+"Write", writable(c.table.schema, true))
	merge := c.registry.API.Component(c.table.schema.Name+"Patch", writable(c.table.schema, false))
	list := listOf(record)
	idParameter := transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}, Description: "Of the " + one + ", as the list gives it."}
	var parent []transport.Parameter
	if c.parent != "" {
		parent = append(parent, transport.Parameter{Name: c.parent, In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}})
	}
	ofOne := append(parent[:len(parent):len(parent)], idParameter)
	key := transport.Parameter{Name: "Idempotency-Key", In: "header", Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.", Schema: map[string]any{"type": "string", "maxLength": 255}}
	ofImport := transport.Parameter{Name: "Import-Id", In: "header", Description: "Id of the import that the call is part of: what it writes has the origin import in its events.", Schema: map[string]any{"type": "string", "format": "uuid"}}
	match := transport.Parameter{Name: "If-Match", In: "header", Description: "The ETag of the version that you mean; 409 when the record has moved on.", Schema: map[string]any{"type": "string"}}
	atomic := transport.Parameter{Name: "atomic", In: "query", Description: "true: all rows or none. false: each row on its own.", Schema: map[string]any{"type": "boolean", "default": true}}
	conflict := transport.Parameter{Name: "on_conflict", In: "query", Description: "What to do with a row whose external_id, else natural key, is there already.", Schema: map[string]any{"type": "string", "enum": []string{"error", "skip", "update"}, "default": "error"}}

	for _, o := range []struct {
		method, path, id, summary, description string
		parameters                             []transport.Parameter
		body, response                         any
		status                                 int
		do                                     endpoint.Operation[*transport.Request, *transport.Response]
	}{
		{"GET", "", "list_" + c.Collection, "List " + many, "Oldest first, in pages; `total` is exact. Send `Accept: text/csv` or `Accept: application/x-ndjson` for the whole filtered collection as one stream.", append(parent[:len(parent):len(parent)], c.listParameters()...), nil, list, 200, c.list},
		{"POST", "", "create_" + c.row.Singular, "Create a " + one, "Answers the whole record. Codes that are left out are numbered. References must be records of the organization.", append(parent[:len(parent):len(parent)], key, ofImport), write, record, 201, c.createOne},
		{"GET", "/{id}", "get_" + c.row.Singular, "Get a " + one, "The ETag is the version; If-None-Match with it answers 304.", append(ofOne, c.showParameters()...), nil, record, 200, c.get},
		{"PATCH", "/{id}", "update_" + c.row.Singular, "Update a " + one + " (JSON merge patch)", "What is left out stays, null clears. Read-only fields are ignored, so what was read can be sent back. Answers the whole record.", append(ofOne[:len(ofOne):len(ofOne)], match), merge, record, 200, c.patchOne},
		{"DELETE", "/{id}", "delete_" + c.row.Singular, "Delete a " + one, "409 with dependents while something still refers to it.", append(ofOne[:len(ofOne):len(ofOne)], match), nil, nil, 204, c.deleteOne},
		{"GET", "/{id}/history", "list_" + c.row.Singular + "_history", "List the changes of a " + one, "Every change with old and new values and who made it, oldest first. Stays readable after a delete.", append(ofOne[:len(ofOne):len(ofOne)], pageParameters...), nil, listOf(schema.Of[historyEntry]().JSON), 200, c.history},
		{"POST", "/bulk", "create_" + c.Collection + "_bulk", "Create up to 1000 " + many, "One call against the rate limit. References may be given by external id (`site_external_id` for `site_id`), also of earlier rows of the call. An atomic call that is refused names every bad row and writes nothing.", append(parent[:len(parent):len(parent)], atomic, conflict, key, ofImport), bulkOf(write), bulkAnswer(record), 200, c.bulkOperation((*bulk[T]).create)},
		{"PATCH", "/bulk", "update_" + c.Collection + "_bulk", "Update up to 1000 " + many, "Each row names its record by `id`, `external_id` or natural key, and is a JSON merge patch.", append(parent[:len(parent):len(parent)], atomic, ofImport), bulkOf(merge), bulkAnswer(record), 200, c.bulkOperation((*bulk[T]).update)},
		{"DELETE", "/bulk", "delete_" + c.Collection + "_bulk", "Delete up to 1000 " + many, "Each row names its record by `id`, `external_id` or natural key.", append(parent[:len(parent):len(parent)], atomic), bulkOf(map[string]any{"type": "object"}), bulkAnswer(record), 200, c.bulkOperation((*bulk[T]).delete)},
	} {
		op := transport.Operation{
			Method: o.method, Path: c.row.Path + o.path, ID: o.id, Summary: o.summary, Description: o.description, Scope: c.row.Scope + ":write", Feature: c.row.Feature,
			Parameters: o.parameters, Body: o.body, Response: o.response, Status: o.status,
		}
		if o.method == http.MethodGet {
			op.Scope = c.row.Scope + ":read"
		}
		if o.path == "" && o.method == http.MethodGet {
			op.Streams = []string{"text/csv", "application/x-ndjson"}
			if c.Geometry != "" {
				op.Streams = append(op.Streams, geoJSON)
				op.Description += " `Accept: " + geoJSON + "` gives it as one FeatureCollection (RFC 7946): the other fields are the `properties` of each feature."
			}
		}
		if strings.HasSuffix(o.path, "/bulk") {
			op.MaxBody = transport.MaxBulkBody
		}
		if c.RevealOnce != nil && o.method == http.MethodPost {
			op.Complete = c.completeOne
			if o.path != "" {
				op.Complete = c.completeBulk
			}
		}
		c.registry.API.Handle(op, o.do)
	}
	c.mountImports()
	c.mountTransition(append(ofOne[:len(ofOne):len(ofOne)], match, key), record)
	transport.Internal(c.registry.API, "/references/"+c.Collection, func(ctx context.Context, wanted reference.Query) (reference.Answer, error) {
		entries, err := c.registry.find(ctx, c.Collection, wanted)
		if entries == nil {
			entries = []reference.Entry{}
		}
		return reference.Answer{Data: entries}, err
	})
}

// shown is the schema of an answer. Nothing in it is required, because fields= may leave out anything; names that
// expand= adds are in it.
func (c *collection[T]) shown() *huma.Schema {
	record := *c.table.schema.JSON
	record.Properties, record.Required = maps.Clone(record.Properties), nil
	for _, e := range c.expansions() {
		record.Properties[e.name] = &huma.Schema{Type: huma.TypeObject, Nullable: true, ReadOnly: true, Description: "With expand=" + e.name + ".", Properties: map[string]*huma.Schema{
			"id": {Type: huma.TypeString, Format: "uuid"}, "name": {Type: huma.TypeString},
		}}
	}
	return &record
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

var pageParameters = []transport.Parameter{
	{Name: "page", In: "query", Description: "From 1.", Schema: map[string]any{"type": "integer", "minimum": 1, "default": 1}},
	{Name: "per_page", In: "query", Description: "Records per page.", Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": MaxPerPage, "default": 25}},
}

func (c *collection[T]) showParameters() []transport.Parameter {
	var names []string
	for _, e := range c.expansions() {
		names = append(names, e.name)
	}
	parameters := []transport.Parameter{
		{Name: "fields", In: "query", Description: "Show these fields only, comma between them.", Schema: map[string]any{"type": "string"}, Example: "id," + c.label},
	}
	if names != nil {
		parameters = append(parameters, transport.Parameter{Name: "expand", In: "query", Description: "Show {id, name} beside the ids of: " + strings.Join(names, ", ") + ".", Schema: map[string]any{"type": "string"}})
	}
	return parameters
}

func (c *collection[T]) listParameters() []transport.Parameter {
	parameters := append(pageParameters[:2:2], transport.Parameter{
		Name: "sort", In: "query", Description: "Comma between keys, - before a key for descending: " + strings.Join(c.sortable(), ", ") + ". Default: created_at, id.",
		Schema: map[string]any{"type": "string"}, Example: "-created_at",
	})
	parameters = append(parameters, c.showParameters()...)
	for _, name := range c.filterNames() {
		parameters = append(parameters, c.filterParameter(name))
	}
	return parameters
}

func (c *collection[T]) filterParameter(name string) transport.Parameter {
	p := transport.Parameter{Name: name, In: "query", Schema: map[string]any{"type": "string"}}
	if f, ok := c.table.filters[name]; ok {
		p.Schema, p.Description = f.schema(), f.Doc
		return p
	}
	field, bound := c.filterColumn(name)
	switch {
	case name == "ids":
		p.Description = "Up to 1000 ids, comma between them."
	case name == "q":
		p.Description = "Text that occurs in " + strings.Join(c.table.schema.Names(func(f *schema.Field) bool { return f.Search }), ", ") + "."
	case name == "updated_since":
		p.Description, p.Schema = "Records that changed at this time or later.", map[string]any{"type": "string", "format": "date-time"}
	case bound != "":
		p.Description = map[string]string{"_min": "At least.", "_max": "At most.", "_from": "On or after.", "_to": "On or before."}[bound]
		p.Schema = map[string]any{"type": field.JSON.Type}
	case field.Filter == "prefix":
		p.Description = "Begins with."
	default:
		p.Description = "Exactly; comma between several values."
		if field.Nullable {
			p.Description += " null for none."
		}
	}
	return p
}

// schema is the JSON Schema of a filter's value.
func (f Filter) schema() *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	switch f.Kind {
	case schema.Integer:
		s.Type = huma.TypeInteger
	case schema.Number:
		s.Type = huma.TypeNumber
	case schema.Boolean:
		s.Type = huma.TypeBoolean
	case schema.UUID:
		s.Format = "uuid"
	case schema.Date:
		s.Format = "date"
	}
	for _, value := range f.Enum {
		s.Enum = append(s.Enum, value)
	}
	s.PrecomputeMessages()
	return s
}

func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func listOf(record any) any {
	integer := map[string]any{"type": "integer"}
	return object(map[string]any{
		"data":       map[string]any{"type": "array", "items": record},
		"pagination": object(map[string]any{"page": integer, "per_page": integer, "total": integer, "total_pages": integer}, "page", "per_page", "total", "total_pages"),
	}, "data", "pagination")
}

func bulkOf(record any) any {
	return object(map[string]any{"data": map[string]any{"type": "array", "minItems": 1, "maxItems": MaxPerPage, "items": record}}, "data")
}

func bulkAnswer(record any) any {
	return object(map[string]any{
		"data":    map[string]any{"type": "array", "items": record},
		"results": map[string]any{"type": "array", "items": schema.Of[Result]().JSON},
		"summary": schema.Of[Summary]().JSON,
	}, "data", "results", "summary")
}
