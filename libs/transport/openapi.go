package transport

import (
	"encoding/json"
	"strings"
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

// ErrorStatuses are the statuses of an operation besides success, and their meanings. The list is closed: clients are written
// against it.
var ErrorStatuses = map[string]string{
	"400": "The request is not valid: a malformed UUID, an invalid body or an unknown parameter. `fields` names every problem.",
	"401": "The API key is missing or not known.",
	"403": "The key is inactive or expired, lacks the scope, or the plan does not include the feature; the message names it.",
	"404": "There is no such record in the key's organization.",
	"409": "A unique value is taken, the record is still in use, or its state does not allow this; " +
		"the message names field and value. Do not retry.",
	"429": "Over the rate limit; wait until X-RateLimit-Reset.",
	"500": "Our mistake; safe to retry with backoff.",
	"503": "Something needed is away for the moment; safe to retry with backoff.",
}

// document is the service's part of the OpenAPI 3.1 document: paths and components. The gateway merges the parts.
func (api *API) document() []byte {
	paths := map[string]map[string]any{}
	for _, op := range api.operations {
		if paths[op.Path] == nil {
			paths[op.Path] = map[string]any{}
		}
		paths[op.Path][strings.ToLower(op.Method)] = op.describe()
	}
	components := map[string]any{"schemas": api.components}
	whole := map[string]any{"openapi": "3.1.0", "paths": paths, "components": components}
	if api.webhooks != nil {
		whole["webhooks"], components["parameters"] = api.describeWebhooks(), api.webhookHeaders()
	}
	document, err := json.Marshal(whole)
	if err != nil {
		panic(err) // schemas and strings only: cannot fail
	}
	return document
}

func (op *Operation) describe() map[string]any {
	described := map[string]any{
		"operationId": op.ID, "summary": op.Summary,
		"tags": []string{tagOf(op.Path)}, "responses": op.responses(),
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
	if parameters := describeParameters(op.Parameters); parameters != nil {
		described["parameters"] = parameters
	}
	if op.Body != nil {
		described["requestBody"] = map[string]any{"required": true,
			"content": map[string]any{"application/json": map[string]any{"schema": op.Body}}}
	}
	return described
}

func describeParameters(declared []Parameter) []any {
	var parameters []any
	for _, p := range declared {
		parameter := map[string]any{"name": p.Name, "in": p.In, "schema": p.Schema}
		if p.Required {
			parameter["required"] = true
		}
		if p.Description != "" {
			parameter["description"] = p.Description
		}
		if p.Example != nil {
			parameter["example"] = p.Example
		}
		parameters = append(parameters, parameter)
	}
	return parameters
}

func (op *Operation) responses() map[string]any {
	responses := map[string]any{}
	for status, meaning := range ErrorStatuses {
		responses[status] = map[string]any{
			"description": meaning,
			"content":     map[string]any{"application/json": map[string]any{"schema": Reference("Error")}},
		}
	}
	success := map[string]any{"description": op.Summary}
	if op.Response != nil {
		content := map[string]any{"application/json": map[string]any{"schema": op.Response}}
		for _, mediaType := range op.Streams {
			kind := "string"
			if strings.HasSuffix(mediaType, "+json") {
				kind = "object"
			}
			content[mediaType] = map[string]any{"schema": map[string]any{"type": kind}}
		}
		success["content"] = content
	}
	switch op.Status {
	case 201:
		success["description"] = "The created record."
		responses["201"] = success
	case 204:
		responses["204"] = map[string]any{"description": "Done; there is no body."}
	default:
		responses["200"] = success
	}
	return responses
}

// tagOf groups operations by collection: "/v1/work-orders/{id}" is "work-orders", "/v1/los/measures" is "los".
func tagOf(path string) string {
	parts := strings.Split(path, "/")
	return parts[2]
}
