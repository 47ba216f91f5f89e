// Package operations mounts the operations of a resource, with their OpenAPI descriptions.
package operations

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// of makes an operation of a function about a table.
func of(c *write.Resource, do func(context.Context, *table.Table, *transport.Request) (*transport.Response, error)) endpoint.Operation[*transport.Request, *transport.Response] {
	return func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
		return do(ctx, c.Table, r)
	}
}

// Mount serves the nine operations of a resource, and what other services ask of it.
func Mount(api *transport.API, c *write.Resource) {
	one, many := c.One(), c.Many()
	shownRecord := api.Component(c.Schema.Name, shown(c.Table))
	written := api.Component(c.Schema.Name+"Write", writable(c.Schema, true))
	merge := api.Component(c.Schema.Name+"Patch", writable(c.Schema, false))
	list := listOf(shownRecord)
	idParameter := transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}, Description: "Of the " + one + ", as the list gives it."}
	var parent []transport.Parameter
	if c.Parent != "" {
		parent = append(parent, transport.Parameter{Name: c.Parent, In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}})
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
		{"GET", "", "list_" + c.Row.Name, "List " + many, "Oldest first, in pages; `total` is exact. Send `Accept: text/csv` or `Accept: application/x-ndjson` for the whole filtered collection as one stream.", append(parent[:len(parent):len(parent)], read.ListParameters(c.Table)...), nil, list, 200, of(c, read.List)},
		{"POST", "", "create_" + c.Row.Singular, "Create a " + one, "Answers the whole record. Codes that are left out are numbered. References must be records of the organization.", append(parent[:len(parent):len(parent)], key, ofImport), written, shownRecord, 201, c.CreateOne},
		{"GET", "/{id}", "get_" + c.Row.Singular, "Get a " + one, "The ETag is the version; If-None-Match with it answers 304.", append(ofOne, read.ShowParameters(c.Table)...), nil, shownRecord, 200, of(c, read.Get)},
		{"PATCH", "/{id}", "update_" + c.Row.Singular, "Update a " + one + " (JSON merge patch)", "What is left out stays, null clears. Read-only fields are ignored, so what was read can be sent back. Answers the whole record.", append(ofOne[:len(ofOne):len(ofOne)], match), merge, shownRecord, 200, c.PatchOne},
		{"DELETE", "/{id}", "delete_" + c.Row.Singular, "Delete a " + one, "409 with dependents while something still refers to it.", append(ofOne[:len(ofOne):len(ofOne)], match), nil, nil, 204, c.DeleteOne},
		{"GET", "/{id}/history", "list_" + c.Row.Singular + "_history", "List the changes of a " + one, "Every change with old and new values and who made it, oldest first. Stays readable after a delete.", append(ofOne[:len(ofOne):len(ofOne)], read.PageParameters...), nil, listOf(schema.Of[record.HistoryEntry]().JSON), 200, of(c, record.History)},
		{"POST", "/bulk", "create_" + c.Row.Name + "_bulk", "Create up to 1000 " + many, "One call against the rate limit. References may be given by external id (`site_external_id` for `site_id`), also of earlier rows of the call. An atomic call that is refused names every bad row and writes nothing.", append(parent[:len(parent):len(parent)], atomic, conflict, key, ofImport), bulkOf(written), bulkResponse(shownRecord), 200, c.CreateBulk},
		{"PATCH", "/bulk", "update_" + c.Row.Name + "_bulk", "Update up to 1000 " + many, "Each row names its record by `id`, `external_id` or natural key, and is a JSON merge patch.", append(parent[:len(parent):len(parent)], atomic, ofImport), bulkOf(merge), bulkResponse(shownRecord), 200, c.UpdateBulk},
		{"DELETE", "/bulk", "delete_" + c.Row.Name + "_bulk", "Delete up to 1000 " + many, "Each row names its record by `id`, `external_id` or natural key.", append(parent[:len(parent):len(parent)], atomic), bulkOf(map[string]any{"type": "object"}), bulkResponse(shownRecord), 200, c.DeleteBulk},
	} {
		op := transport.Operation{
			Method: o.method, Path: c.Row.Path + o.path, ID: o.id, Summary: o.summary, Description: o.description, Scope: c.Row.Scope + ":write", Feature: c.Row.Feature,
			Parameters: o.parameters, Body: o.body, Response: o.response, Status: o.status,
		}
		if o.method == http.MethodGet {
			op.Scope = c.Row.Scope + ":read"
		}
		if o.path == "" && o.method == http.MethodGet {
			op.Streams = []string{"text/csv", "application/x-ndjson"}
			if c.Geometry != "" {
				op.Streams = append(op.Streams, read.GeoJSON)
				op.Description += " `Accept: " + read.GeoJSON + "` gives it as one FeatureCollection (RFC 7946): the other fields are the `properties` of each feature."
			}
		}
		if strings.HasSuffix(o.path, "/bulk") {
			op.MaxBody = transport.MaxBulkBody
		}
		if c.RevealOnce != nil && o.method == http.MethodPost {
			op.Complete = c.CompleteOne
			if o.path != "" {
				op.Complete = c.CompleteBulk
			}
		}
		api.Handle(op, o.do)
	}
	mountImports(api, c)
	mountTransition(api, c, append(ofOne[:len(ofOne):len(ofOne)], match, key), shownRecord)
	transport.Internal(api, "/references/"+c.Row.Name, func(ctx context.Context, wanted reference.Query) (reference.Response, error) {
		entries, err := links.Find(ctx, c.Set, c.Row.Name, wanted)
		if entries == nil {
			entries = []reference.Entry{}
		}
		return reference.Response{Data: entries}, err
	})
}

// shown is the schema of an answer. Nothing in it is required, because fields= may leave out anything; names that
// expand= adds are in it.
func shown(t *table.Table) *huma.Schema {
	shown := *t.Schema.JSON
	shown.Properties, shown.Required = maps.Clone(shown.Properties), nil
	for _, name := range read.ExpansionNames(t) {
		shown.Properties[name] = &huma.Schema{Type: huma.TypeObject, Nullable: true, ReadOnly: true, Description: "With expand=" + name + ".", Properties: map[string]*huma.Schema{
			"id": {Type: huma.TypeString, Format: "uuid"}, "name": {Type: huma.TypeString},
		}}
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
	integer := map[string]any{"type": "integer"}
	return object(map[string]any{
		"data":       map[string]any{"type": "array", "items": record},
		"pagination": object(map[string]any{"page": integer, "per_page": integer, "total": integer, "total_pages": integer}, "page", "per_page", "total", "total_pages"),
	}, "data", "pagination")
}

func bulkOf(record any) any {
	return object(map[string]any{"data": map[string]any{"type": "array", "minItems": 1, "maxItems": table.MaxPerPage, "items": record}}, "data")
}

func bulkResponse(record any) any {
	return object(map[string]any{
		"data":    map[string]any{"type": "array", "items": record},
		"results": map[string]any{"type": "array", "items": schema.Of[write.Result]().JSON},
		"summary": schema.Of[write.Summary]().JSON,
	}, "data", "results", "summary")
}

// mountImports serves the word of an importer that it is done. The calls that wrote the records had their own events; this
// one is for who waits for all of them.
func mountImports(api *transport.API, c *write.Resource) {
	if c.Parent != "" {
		return
	}
	many := c.Many()
	transport.Post(api, transport.Operation{
		Path: c.Row.Path + "/imports", ID: "complete_" + c.Row.Name + "_import", Scope: c.Row.Scope + ":write", Feature: c.Row.Feature,
		Summary:     "Say that an import of " + many + " is complete",
		Description: "Writes the event import.completed and nothing else. amsctl import sends it when it is done; who imports by other means may, too.",
	}, c.CompleteImport)
}

// mountTransition serves POST …/{id}/transition, where the definition names what goes with it: a patch in which the
// status is called "to", and in which staying is no transition.
func mountTransition(api *transport.API, c *write.Resource, ofOne []transport.Parameter, shownRecord any) {
	if c.Transitions.With == nil {
		return
	}
	status := c.Schema.Field(c.Transitions.Field)
	to := *status.JSON
	to.Default, to.Description = nil, "The state to move to."
	body := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"to": &to}, Required: []string{"to"}, AdditionalProperties: false}
	for _, name := range c.Transitions.With {
		body.Properties[name] = c.Schema.Field(name).JSON
	}
	one := c.One()
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: c.Row.Path + "/{id}/transition", ID: "transition_" + c.Row.Singular, Scope: c.Row.Scope + ":write", Feature: c.Row.Feature,
		Summary:     "Move a " + one + " to another state",
		Description: "The same as PATCH with " + c.Transitions.Field + ", except that staying where it is is refused. 409 names the states that are allowed. Answers the whole record.",
		Parameters:  ofOne, Body: body, Response: shownRecord, Status: http.StatusOK,
	}, c.Transition)
}
