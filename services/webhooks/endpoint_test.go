package main

import (
	"fmt"
	"slices"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[WebhookEndpoint]{
		Definition: public{}.endpoints(), Client: f.Client, Path: endpointsPath, Once: []string{"secret"},
		Make: func(_ testing.TB, _ *resourcetest.Client, n int) fields {
			return fields{
				"url": fmt.Sprintf("http://127.0.0.1:9/hooks/%d", n), "event_types": []string{"work_order.*", "asset.updated"},
				"description": "Miroir du SIG",
				"site_ids":    []string{f.site}, "changed_any": []string{"status", "condition_rating"}, "exclude_origins": []string{"import"},
				"payload": "thin",
				"headers": fields{}, "rate_limit": 10, "external_id": fmt.Sprintf("hook-%d", n), "tags": []string{"sig"},
				"custom_fields": fields{"lot": 3.0},
			}
		},
	})
}

// A site that an endpoint names is held: the assets service asks for it before it deletes the site.
func TestAnEndpointHoldsTheSitesThatItNames(t *testing.T) {
	f := newFixture(t)
	f.createEndpoint(t, fields{"site_ids": []string{f.site}})
	assets := *f.Client
	assets.Principal.Actor = principal.Actor{Type: "service", ID: "assets", Name: "assets"}
	answer := assets.Must(t, 200, "POST", "/internal/dependents/sites", fields{"ids": []string{f.site, newID()}})
	held, _ := answer.JSON["data"].([]any)
	if len(held) != 1 || held[0].(fields)["id"] != f.site || held[0].(fields)["counts"].(fields)["webhook_endpoints"] != 1.0 {
		t.Errorf("%s", answer.Body)
	}
	row, _ := catalogue.Product().Find("sites")
	if !slices.Contains(row.ReferredBy, "webhooks") {
		t.Error("the assets service does not ask the webhooks service")
	}
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}
