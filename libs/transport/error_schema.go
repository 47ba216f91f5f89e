package transport

import "encoding/json"

// ErrorSchema is the JSON Schema of every error's body; see fault.Error.
var ErrorSchema = json.RawMessage(`{
  "type": "object",
  "description": "What every error looks like.",
  "required": ["error", "code"],
  "properties": {
    "error": {"type": "string", "description": "One sentence a person can act on.", "examples": ["replacement_cost: must be 0 or more"]},
    "code": {"type": "string", "description": "Stable machine word.", "examples": ["invalid_request"]},
    "request_id": {"type": "string", "description": "The X-Request-Id of the answer."},
    "fields": {
      "type": "array",
      "description": "Every problem of the request, by field.",
      "items": {
        "type": "object", "required": ["field", "message"], "properties": {"field": {"type": "string"}, "message": {"type": "string"}}
      }
    },
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
    "results": {"description": "Of a bulk call that wrote nothing: each bad row.", "type": "array", "items": {"type": "object"}},
    "summary": {"description": "Of a bulk call: how many rows came to what end.", "type": "object"}
  }
}`)
