package main

import (
	"encoding/json"

	"ams.internal/libs/transport"
)

// ownDocument is the part of the OpenAPI document that is the gateway's: what the API is, how callers identify
// themselves, the error body, and /v1/me.
func ownDocument(baseURL, region string) map[string]any {
	var whole map[string]any
	if err := json.Unmarshal([]byte(ownPart), &whole); err != nil { // a constant, parsed by every test
		panic(err)
	}
	whole["servers"] = []any{map[string]any{"url": baseURL, "description": "This installation (" + region + ")"}}
	responses := object(object(object(object(whole["paths"])["/v1/me"])["get"])["responses"])
	for status, meaning := range transport.ErrorStatuses {
		if status == "409" || status == "404" {
			continue // nothing can clash with, or be missing from, one's own key
		}
		responses[status] = map[string]any{
			"description": meaning,
			"content":     map[string]any{"application/json": map[string]any{"schema": transport.Reference("Error")}},
		}
	}
	// What services wrote went through JSON; so must this, to be compared with it.
	encoded, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	whole = nil
	if err := json.Unmarshal(encoded, &whole); err != nil {
		panic(err)
	}
	return whole
}

const ownPart = `{
  "openapi": "3.1.0",
  "info": {
    "title": "Asset Management Service",
    "version": "1.0.0",
    "description": "The REST API for an organization's assets, sites, buildings, systems, work orders, users and related records. Every request carries an API key; the key determines the organization. Lists are paged (page, per_page); every answer carries X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and X-Served-Region. Every error is JSON with an error sentence and a stable code.",
    "contact": {"name": "Platform operator"},
    "license": {"name": "Proprietary", "identifier": "LicenseRef-Proprietary"}
  },
  "components": {
    "securitySchemes": {
      "api_key": {"type": "http", "scheme": "bearer", "bearerFormat": "ams_live_…", "description": "An API key, made by an Administrator on the API Keys settings screen."}
    },
    "schemas": {
      "Error": {
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
            "items": {"type": "object", "required": ["field", "message"], "properties": {"field": {"type": "string"}, "message": {"type": "string"}}}
          },
          "field": {"type": "string", "description": "On 409: the field that clashed."},
          "value": {"description": "On 409: the value that clashed."},
          "existing_id": {"type": "string", "description": "On 409: the record that holds the value."},
          "dependents": {"type": "object", "description": "On 409: how many records of each collection still refer to this one.", "additionalProperties": {"type": "integer"}},
          "allowed": {"type": "array", "description": "On 409: the transitions that are allowed.", "items": {"type": "string"}},
          "required_scope": {"type": "string", "description": "On 403: the scope that is needed."},
          "scopes": {"type": "array", "description": "On 403: the scopes that the key has.", "items": {"type": "string"}},
          "feature": {"type": "string", "description": "On 403: the feature that the plan does not include."},
          "results": {"description": "Of a bulk call that wrote nothing: each bad row.", "type": "array", "items": {"type": "object"}},
          "summary": {"description": "Of a bulk call: how many rows came to what end.", "type": "object"}
        }
      },
      "Me": {
        "type": "object",
        "description": "The caller's key, organization and region.",
        "required": ["organization", "plan", "key", "currency", "regions", "region"],
        "properties": {
          "organization": {
            "type": "object", "required": ["id", "name", "currency"],
            "properties": {
              "id": {"type": "string", "format": "uuid"},
              "name": {"type": "string", "examples": ["Ville de Bellerive"]},
              "currency": {"type": "string", "description": "ISO 4217", "examples": ["CAD"]}
            }
          },
          "plan": {
            "type": "object", "required": ["code", "features", "feature_names"],
            "properties": {
              "code": {"type": "string", "examples": ["enterprise"]},
              "features": {"type": "array", "description": "Of the plan and of the add-ons.", "items": {"type": "string"}, "examples": [["api_access", "los"]]},
              "feature_names": {"type": "array", "description": "The same, in words.", "items": {"type": "string"}}
            }
          },
          "key": {
            "type": "object", "required": ["id", "name", "scopes", "rate_limit", "requests_at_once", "expires_at", "allowed_networks"],
            "properties": {
              "id": {"type": "string", "format": "uuid"},
              "name": {"type": "string", "examples": ["Power BI"]},
              "scopes": {"type": "array", "items": {"type": "string"}, "examples": [["assets:read", "sites:read"]]},
              "rate_limit": {"type": "integer", "description": "Requests per minute.", "examples": [60]},
              "requests_at_once": {"type": "integer", "description": "Requests in progress at the same time.", "examples": [20]},
              "expires_at": {"type": "string", "format": "date-time"},
              "allowed_networks": {"type": "array", "description": "CIDR; empty: from anywhere.", "items": {"type": "string"}}
            }
          },
          "currency": {"type": "string", "description": "The organization's, ISO 4217.", "examples": ["CAD"]},
          "regions": {"type": "array", "description": "What x-region may name.", "items": {"type": "string"}, "examples": [["ca-central-1"]]},
          "region": {"type": "string", "description": "The region that answered.", "examples": ["ca-central-1"]}
        }
      }
    }
  },
  "paths": {
    "/v1/me": {
      "get": {
        "operationId": "get_me",
        "summary": "Show the calling key",
        "description": "The organization, its plan and features, and this key's name, scopes, limit and expiry. Any key may ask.",
        "tags": ["me"],
        "responses": {
          "200": {"description": "The calling key.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Me"}}}}
        }
      }
    }
  }
}`
