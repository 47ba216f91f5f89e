package transport

import (
	"encoding/json"
	"maps"
)

// errorSchemas are the JSON Schemas of every error's body (see fault.Error) and of what it refers to, by the names of the components.
var errorSchemas = map[string]any{
	"Error": json.RawMessage(`{
  "type": "object",
  "description": "What every error looks like.",
  "required": ["error", "code"],
  "properties": {
    "error": {"type": "string", "description": "One sentence a person can act on.", "examples": ["replacement_cost: must be 0 or more"]},
    "code": {"type": "string", "description": "Stable machine word.", "examples": ["invalid_request"]},
    "request_id": {"type": "string", "description": "The X-Request-Id of the answer."},
    "fields": {"type": "array", "description": "Every problem of the request, by field.", "items": {"$ref": "#/components/schemas/FieldProblem"}},
    "field": {"type": "string", "description": "On 409: the field that clashed."},
    "value": {"description": "On 409: the value that clashed."},
    "existing_id": {"type": "string", "description": "On 409: the record that holds the value."},
    "dependents": {
      "type": "object", "description": "On 409: how many records of each collection still refer to this one.",
      "additionalProperties": {"type": "integer"}
    },
    "allowed": {"type": "array", "description": "On 409: the transitions that are allowed.", "items": {"type": "string"}},
    "required_scope": {"type": "string", "description": "On 403: the scope that is needed."},
    "scopes": {"type": "array", "description": "On 403: the scopes that the key has.", "items": {"type": "string"}},
    "feature": {"type": "string", "description": "On 403: the feature that the plan does not include."},
    "results": {"description": "Of a bulk call that wrote nothing: each bad row.", "type": "array",
      "items": {"$ref": "#/components/schemas/BulkRowResult"}},
    "summary": {"$ref": "#/components/schemas/BulkSummary"}
  }
}`),
	"FieldProblem": json.RawMessage(`{
  "type": "object", "description": "What is wrong with one field.", "required": ["field", "message"],
  "properties": {
    "field": {"type": "string", "description": "Its name; in a bulk call with its row: data[3].name."},
    "message": {"type": "string", "description": "What is wrong with it."}
  }
}`),
	"BulkRowResult": json.RawMessage(`{
  "type": "object", "description": "What became of one row of a bulk call.", "required": ["index", "status"],
  "properties": {
    "index": {"type": "integer", "description": "Of the row in data, from 0."},
    "status": {"type": "string", "enum": ["created", "updated", "unchanged", "skipped", "deleted", "failed"],
      "description": "unchanged: the record was as the row says, and has no new version; skipped: it was there, and on_conflict=skip leaves it."},
    "id": {"type": "string", "format": "uuid", "description": "Of the record; of a failed row, of the record that it is about, where there is one."},
    "error": {"type": "string", "description": "Of a failed row: one sentence a person can act on."},
    "code": {"type": "string", "description": "Of a failed row: stable machine word."},
    "field": {"type": "string", "description": "Of a failed row: the field that is wrong or clashes."},
    "value": {"description": "Of a failed row: the value that clashes."},
    "other_index": {"type": "integer", "description": "Of a failed row: another row of this call that has the value."},
    "fields": {"type": "array", "description": "Of a failed row: every problem, by field.", "items": {"$ref": "#/components/schemas/FieldProblem"}}
  }
}`),
	"BulkSummary": json.RawMessage(`{
  "type": "object", "description": "How many rows of a bulk call came to what end.",
  "required": ["created", "updated", "unchanged", "skipped", "deleted", "failed"],
  "properties": {
    "created": {"type": "integer"}, "updated": {"type": "integer"},
    "unchanged": {"type": "integer", "description": "Rows that say of a record what it says already."},
    "skipped": {"type": "integer"}, "deleted": {"type": "integer"}, "failed": {"type": "integer"}
  }
}`),
}

// CommonComponents are the components of the whole document that services leave out, but for schemas: errors, their responses, and the
// headers of answers.
func CommonComponents() map[string]map[string]any {
	schemas, described, responses := map[string]any{}, map[string]any{}, map[string]any{}
	for name, schema := range errorSchemas {
		schemas[name] = schema
	}
	for _, h := range headers {
		described[h.name] = map[string]any{"description": h.description, "schema": h.schema}
	}
	for status, e := range errorStatuses {
		named := append([]string{}, everyHeader...)
		switch status {
		case "401":
			named = append(named, "WWW-Authenticate")
		case "409", "429", "503":
			named = append(named, "Retry-After")
		}
		responses[e.name] = map[string]any{
			"description": e.meaning, "headers": headersOf(named...),
			"content": map[string]any{"application/json": map[string]any{"schema": Reference("Error")}},
		}
	}
	return map[string]map[string]any{"schemas": schemas, "headers": described, "responses": responses}
}

// errorStatuses are the statuses of an operation besides success: the name of the response in the document, and what it means. The list
// is closed: clients are written against it.
var errorStatuses = map[string]struct{ name, meaning string }{
	"400": {"BadRequest",
		"The request is not valid: a malformed UUID, an invalid body or an unknown parameter. `fields` names every problem."},
	"401": {"Unauthorized", "The API key is missing or not known."},
	"403": {"Forbidden", "The key is inactive or expired, lacks the scope, or the plan does not include the feature; the message names it."},
	"404": {"NotFound", "There is no such record in the key's organization: that of the path, or one that the body names " +
		"(`reference_not_found`)."},
	"409": {"Conflict", "A unique value is taken, the record is still in use, or its state does not allow this; " +
		"the message names field and value. Do not retry."},
	"429": {"TooManyRequests", "Over the rate limit; wait until X-RateLimit-Reset."},
	"500": {"InternalServerError", "Our mistake; safe to retry with backoff."},
	"503": {"ServiceUnavailable", "Something needed is away for the moment; safe to retry with backoff."},
}

// ErrorResponses are the error responses of an operation, by status, as references to the components.
func ErrorResponses() map[string]any {
	responses := map[string]any{}
	for status, e := range errorStatuses {
		responses[status] = map[string]any{"$ref": "#/components/responses/" + e.name}
	}
	return responses
}

// header is a header of answers.
type header struct {
	name, description string
	schema            map[string]any
}

// headers are all headers of answers that the document names.
var headers = []header{
	{"X-Request-Id", "Of the request: yours, or ours where you sent none. Quote it when you ask for help.", map[string]any{"type": "string"}},
	{"X-Served-Region", "Where the request was processed.", map[string]any{"type": "string", "examples": []string{"ca-central-1"}}},
	{"X-RateLimit-Limit", "Requests per minute.", map[string]any{"type": "integer"}},
	{"X-RateLimit-Remaining", "Requests that are left in this minute.", map[string]any{"type": "integer"}},
	{"X-RateLimit-Reset", "The Unix second at which requests are counted anew.", map[string]any{"type": "integer"}},
	{"RateLimit", "What is left of each limit, and for how many seconds, as a structured field.",
		map[string]any{"type": "string", "examples": []string{`"key";r=59;t=42`}}},
	{"RateLimit-Policy", "The limits that count the request, as a structured field.",
		map[string]any{"type": "string", "examples": []string{`"key";q=60;w=60`}}},
	{"Retry-After", "Seconds to wait before the next try.", map[string]any{"type": "integer"}},
	{"WWW-Authenticate", "How to identify: Bearer.", map[string]any{"type": "string"}},
	{"ETag", "The version that is shown, for If-Match and If-None-Match.", map[string]any{"type": "string", "examples": []string{`"7"`}}},
	{"Location", "The path of what was created.", map[string]any{"type": "string", "format": "uri-reference"}},
	{"Link", "rel=\"next\": the next page, where there is one (RFC 8288).", map[string]any{"type": "string"}},
	{"Idempotency-Replayed", "true: the answer that is kept for the Idempotency-Key; nothing was done again.",
		map[string]any{"type": "string", "enum": []string{"true"}}},
}

// everyHeader are the headers of every answer.
var everyHeader = []string{"X-Request-Id", "X-Served-Region", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"RateLimit", "RateLimit-Policy"}

// headersOf refers to headers.
func headersOf(names ...string) map[string]any {
	described := map[string]any{}
	for _, name := range names {
		described[name] = map[string]any{"$ref": "#/components/headers/" + name}
	}
	return described
}

// HeadersOfEvery are the headers that every answer has.
func HeadersOfEvery() map[string]any { return headersOf(everyHeader...) }

// Complete adds to a service's part what is the same for all operations of all services, which parts leave out: the error responses, the
// headers that every answer has, and the components of both.
func Complete(part map[string]any) {
	components, _ := part["components"].(map[string]any)
	if components == nil {
		components = map[string]any{}
		part["components"] = components
	}
	for kind, named := range CommonComponents() {
		var shared map[string]any // as what was parsed, to be compared with it
		if err := json.Unmarshal(encode(named), &shared); err != nil {
			panic(err) // it was encoded just now
		}
		present, _ := components[kind].(map[string]any)
		maps.Copy(shared, present)
		components[kind] = shared
	}
	paths, _ := part["paths"].(map[string]any)
	for _, item := range paths {
		operations, _ := item.(map[string]any)
		for _, operation := range operations {
			described, _ := operation.(map[string]any)
			responses, _ := described["responses"].(map[string]any)
			if responses == nil {
				continue
			}
			for _, response := range responses {
				shown, _ := response.(map[string]any)
				if shown == nil || shown["$ref"] != nil {
					continue
				}
				headers := HeadersOfEvery()
				own, _ := shown["headers"].(map[string]any)
				maps.Copy(headers, own)
				shown["headers"] = headers
			}
			maps.Copy(responses, ErrorResponses())
		}
	}
}
