package transport

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Component names a JSON Schema in the OpenAPI document and gives the reference to it.
func (api *API) Component(name string, schema any) any {
	api.components[name] = schema
	return Reference(name)
}

// Reference refers to a component.
func Reference(name string) any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// document is the service's part of the OpenAPI 3.1 document: paths and components. The gateway merges the parts, and completes them.
func (api *API) document() []byte {
	paths := map[string]map[string]any{}
	for _, op := range api.operations {
		if paths[op.Path] == nil {
			paths[op.Path] = map[string]any{}
		}
		described, method := op.describe(), strings.ToLower(op.Method)
		earlier, _ := paths[op.Path][method].(map[string]any)
		switch {
		case earlier == nil:
			paths[op.Path][method] = described
		case op.Content != "":
			addContent(earlier, described)
		default:
			addContent(described, earlier)
			paths[op.Path][method] = described
		}
	}
	components := map[string]any{"schemas": api.components}
	whole := map[string]any{"openapi": "3.1.0", "paths": paths, "components": components}
	parameters := map[string]any{}
	for _, op := range api.operations {
		for _, p := range op.Parameters {
			if p.Shared {
				parameters[p.Name] = p.describe()
			}
		}
	}
	if api.webhooks != nil {
		whole["webhooks"] = api.describeWebhooks()
		maps.Copy(parameters, api.webhookHeaders())
	}
	if len(parameters) > 0 {
		components["parameters"] = parameters
	}
	return WithNames(whole)
}

// WithNames encodes a document, with names for what stands in it more than once.
func WithNames(whole map[string]any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(encode(whole)))
	decoder.UseNumber()
	var document map[string]any
	if err := decoder.Decode(&document); err != nil {
		panic(err) // it was encoded just now
	}
	nameRepeated(document)
	return encode(document)
}

func encode(document map[string]any) []byte {
	encoded, err := json.Marshal(document)
	if err != nil {
		panic(err) // schemas and strings only: cannot fail
	}
	return encoded
}

func (op *Operation) describe() map[string]any {
	described := map[string]any{
		"operationId": op.ID, "summary": op.Summary,
		"tags": []string{tagOf(op.Path)}, "responses": op.responses(),
	}
	if op.Deprecated != nil {
		described["deprecated"] = true
	}
	if op.Scope != "" {
		described["x-scope"] = op.Scope
	}
	if op.Description != "" {
		described["description"] = op.Description
	}
	if op.Feature != "" {
		described["x-feature"] = op.Feature
	}
	if op.row != nil {
		described["x-row"] = op.row // what a line of NDJSON is
	}
	if parameters := describeParameters(op.Parameters); parameters != nil {
		described["parameters"] = parameters
	}
	if body := op.describeBody(); body != nil {
		described["requestBody"] = body
	}
	return described
}

// describeParameters describes parameters; shared ones are references to components.
func describeParameters(declared []Parameter) []any {
	var parameters []any
	for _, p := range declared {
		if p.Shared {
			parameters = append(parameters, map[string]any{"$ref": "#/components/parameters/" + p.Name})
		} else {
			parameters = append(parameters, p.describe())
		}
	}
	return parameters
}

func (p Parameter) describe() map[string]any {
	described := map[string]any{"name": p.Name, "in": p.In, "schema": p.Schema}
	if p.List {
		described["schema"] = map[string]any{"type": "array", "items": p.Schema}
		if p.MaxItems > 0 {
			described["schema"] = map[string]any{"type": "array", "items": p.Schema, "maxItems": p.MaxItems}
		}
		described["style"], described["explode"] = "form", false
	}
	if p.Required {
		described["required"] = true
	}
	if p.Description != "" {
		described["description"] = p.Description
	}
	if p.Example != nil {
		described["example"] = p.Example
	}
	return described
}

func (op *Operation) responses() map[string]any {
	responses := map[string]any{}
	success := map[string]any{"description": op.Summary + "."}
	if headers := op.headers(); len(headers) > 0 {
		success["headers"] = headers
	}
	if op.Response != nil || op.Streams != nil {
		content := map[string]any{}
		if op.Response != nil {
			content["application/json"] = map[string]any{"schema": op.Response}
		}
		for _, mediaType := range op.Streams {
			shape := map[string]any{"type": "string"}
			switch {
			case mediaType == Parquet:
				shape = bytesSchema
			case strings.HasSuffix(mediaType, "+json"):
				shape = map[string]any{"type": "object"}
			}
			content[mediaType] = map[string]any{"schema": shape}
		}
		success["content"] = content
	}
	if op.Returns != "" {
		success["content"] = map[string]any{op.Returns: map[string]any{"schema": bytesSchema}}
	}
	if op.Partial {
		partial := maps.Clone(success)
		partial["description"] = "The bytes that Range asks for; Content-Range says which."
		responses["206"] = partial
	}
	if op.OrCreated {
		created := maps.Clone(success)
		created["description"] = "The created record."
		created["headers"] = headersOf("ETag", "Location")
		responses["201"] = created
	}
	switch op.Status {
	case http.StatusCreated:
		success["description"] = "The created record."
		responses["201"] = success
	case http.StatusNoContent:
		success["description"] = "Done; there is no body."
		responses["204"] = success
	default:
		responses["200"] = success
	}
	if op.Method == http.MethodGet && op.takes("If-None-Match") {
		responses["304"] = map[string]any{"description": "What is shown is still what If-None-Match names; there is no body.",
			"headers": headersOf("ETag")}
	}
	return responses
}

// headers refers to the headers of a successful response that not every answer has.
func (op *Operation) headers() map[string]any {
	var more []string
	if op.Versioned {
		more = append(more, "ETag")
	}
	if op.Status == http.StatusCreated {
		more = append(more, "Location")
	}
	if op.Method == http.MethodGet && op.takes("page") {
		more = append(more, "Link")
	}
	if op.takes("Idempotency-Key") {
		more = append(more, "Idempotency-Replayed")
	}
	return headersOf(more...)
}

// takes says whether a parameter of that name is declared.
func (op *Operation) takes(name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.Name == name })
}

// tagOf groups operations by collection: "/v1/work-orders/{id}" is "work-orders", "/v1/los/measures" is "los".
func tagOf(path string) string {
	parts := strings.Split(path, "/")
	return parts[2]
}

// nameSchemas makes components of the schemas of a body and of a response whose operation gives them names.
func (api *API) nameSchemas(op *Operation) {
	if op.BodyName != "" && op.Body != nil {
		op.Body = api.Component(op.BodyName, op.Body)
	}
	if op.ResponseName == "" || op.Response == nil {
		return
	}
	if declared, ok := op.Response.(*huma.Schema); ok {
		shown := *declared
		shown.Properties = maps.Clone(shown.Properties)
		if data := shown.Properties["data"]; op.RowName != "" && data != nil {
			api.Component(op.RowName, data.Items)
			rows := *data
			rows.Items = &huma.Schema{Ref: "#/components/schemas/" + op.RowName}
			shown.Properties["data"] = &rows
		}
		if shown.Properties["pagination"] != nil {
			api.Component("PageNumbers", PageNumbers)
			shown.Properties["pagination"] = &huma.Schema{Ref: "#/components/schemas/PageNumbers"}
		}
		op.Response = &shown
	}
	op.Response = api.Component(op.ResponseName, op.Response)
}

// PageNumbers is the schema of the pagination of lists that have no cursors.
var PageNumbers = json.RawMessage(`{
  "type": "object", "description": "Where a page is in a list that has pages by number only.",
  "required": ["page", "per_page", "total", "total_pages"],
  "properties": {
    "page": {"type": "integer", "description": "From 1."}, "per_page": {"type": "integer"},
    "total": {"type": "integer", "description": "Of all pages, exactly."}, "total_pages": {"type": "integer", "description": "1 at least."}
  }
}`)
