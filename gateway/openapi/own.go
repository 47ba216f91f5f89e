package openapi

import (
	"encoding/json"
	"maps"

	"ams.internal/libs/transport"
)

// Name is what the API calls itself, and its version.
func Name() (title, version string) {
	var own struct {
		Info struct{ Title, Version string }
	}
	if err := json.Unmarshal([]byte(ownPart), &own); err != nil { // a constant, parsed by every test
		panic(err)
	}
	return own.Info.Title, own.Info.Version
}

// ownDocument is the part of the OpenAPI document that is the gateway's: what the API is, how callers identify
// themselves, the error body, and /v1/me.
func ownDocument(baseURL, region string) map[string]any {
	var whole map[string]any
	if err := json.Unmarshal([]byte(ownPart), &whole); err != nil { // a constant, parsed by every test
		panic(err)
	}
	whole["servers"] = []any{map[string]any{"url": baseURL, "description": "This installation (" + region + ")"}}
	for kind, named := range transport.CommonComponents() {
		if object(whole["components"])[kind] == nil {
			object(whole["components"])[kind] = map[string]any{}
		}
		maps.Copy(object(object(whole["components"])[kind]), named)
	}
	responses := object(object(object(object(whole["paths"])["/v1/me"])["get"])["responses"])
	object(responses["200"])["headers"] = transport.HeadersOfEvery()
	maps.Copy(responses, transport.ErrorResponses())
	delete(responses, "404") // nothing can be missing from, or clash with, one's own key
	delete(responses, "409")
	// What services wrote went through JSON; so must this, to be compared with it.
	encoded := transport.WithNames(whole)
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
    "version": "0.1.0",
    "description": "The REST API for an organization's assets, sites, buildings, systems, work orders, users and related records. Every request carries an API key; the key determines the organization. Lists are paged (page or cursor, per_page); every answer carries X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and X-Served-Region. The X-RateLimit headers show the key's window, and the organization's where that is what refuses (429 organization_rate_limited). Every error is JSON with an error sentence and a stable code.",
    "contact": {"name": "Platform operator"},
    "license": {"name": "Proprietary", "identifier": "LicenseRef-Proprietary"}
  },
  "security": [{"api_key": []}],
  "components": {
    "securitySchemes": {
      "api_key": {"type": "http", "scheme": "bearer", "bearerFormat": "ams_live_…", "description": "An API key, made by an Administrator on the API Keys settings screen: ams_live_… for the organization's records, ams_test_… for those of its sandbox."}
    },
    "schemas": {
      "Me": {
        "type": "object",
        "description": "The caller's key, organization and region.",
        "required": ["mode", "organization", "plan", "key", "limits", "currency", "regions", "region"],
        "properties": {
          "mode": {"type": "string", "enum": ["live", "test"], "description": "live: the organization's own records. test: those of its sandbox, which is an organization of its own with the same plan and settings."},
          "organization": {
            "type": "object", "required": ["id", "name", "currency", "time_zone", "fiscal_year_end_month", "land_area_km2",
              "renewal_basis", "renewal_basis_changed_on", "fci_bands", "today", "fiscal_year"],
            "properties": {
              "id": {"type": "string", "format": "uuid"},
              "name": {"type": "string", "examples": ["Ville de Bellerive"]},
              "currency": {"type": "string", "description": "ISO 4217", "examples": ["CAD"]},
              "time_zone": {"type": "string", "description": "IANA name. Every day that the API shows or stamps is a day there; times are UTC.", "examples": ["America/Toronto"]},
              "fiscal_year_end_month": {"type": "integer", "minimum": 1, "maximum": 12, "description": "The fiscal year ends on the last day of this month.", "examples": [12]},
              "land_area_km2": {"type": ["number", "null"], "description": "Land area in square kilometres; null: not known.", "examples": [120.5]},
              "renewal_basis": {"type": "string", "enum": ["typed", "typed_or_life"],
                "description": "Renewals are due by planned_renewal_year (typed), else at the end of the life (typed_or_life).",
                "examples": ["typed_or_life"]},
              "renewal_basis_changed_on": {"type": "array", "items": {"type": "string", "format": "date"},
                "description": "The days of its changes, oldest first. Figures of a day are by the value of that day.",
                "examples": [["2027-01-01"]]},
              "fci_bands": {"type": ["array", "null"], "items": {"type": "number"},
                "description": "The upper ends of the FCI grades good, fair and poor in percent, each included; null: 5, 10 and 30.",
                "examples": [[5, 10, 30]]},
              "today": {"type": "string", "format": "date", "description": "The day that it is in time_zone.", "examples": ["2026-11-22"]},
              "fiscal_year": {"type": "integer", "description": "The fiscal year of today: the calendar year in which it begins.", "examples": [2026]}
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
          "limits": {
            "type": "object", "description": "What the organization may do at most, over all its keys.",
            "required": ["requests_per_minute", "requests_in_flight", "streams", "long_polls", "active_keys", "storage_bytes"],
            "properties": {
              "requests_per_minute": {"type": "integer", "description": "Requests per minute.", "examples": [5000]},
              "requests_in_flight": {"type": "integer", "description": "Requests in progress at the same time.", "examples": [60]},
              "streams": {"type": "integer", "description": "Of those: whole collections being read as CSV, NDJSON, GeoJSON or Parquet.", "examples": [4]},
              "long_polls": {"type": "integer", "description": "Of those: requests that wait for the next event.", "examples": [20]},
              "active_keys": {"type": "integer", "description": "API keys that are active.", "examples": [100]},
              "storage_bytes": {"type": "integer", "description": "Bytes of documents, each content counted once, the trash included.", "examples": [1099511627776]}
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
        "description": "The organization, its plan and features, and this key's name, scopes, limit and expiry, and the limits of the organization. Any key may ask.",
        "tags": ["me"],
        "responses": {
          "200": {"description": "The calling key.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Me"}}}}
        }
      }
    }
  }
}`
