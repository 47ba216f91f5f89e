package main

import (
	"fmt"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[WebhookEndpoint]{
		Definition: public{}.endpoints(), Client: f.Client, Path: endpointsPath, Once: []string{"secret"}, Apart: true,
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

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}
