package edge

import (
	"slices"
	"testing"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
)

func TestTheRoutesAreGatedAsTheSpecificationSays(t *testing.T) {
	for path, want := range map[string][3]string{
		"/v1/sites": {"assets", "sites", ""}, "/v1/buildings/x/summary": {"assets", "buildings", ""}, "/v1/systems": {"assets", "systems", ""},
		"/v1/assets/bulk": {"assets", "assets", ""}, "/v1/reports/state-of-assets": {"assets", "assets", ""},
		"/v1/work-orders": {"workorders", "work_orders", ""}, "/v1/work_orders/x": {"workorders", "work_orders", ""}, "/v1/users": {"users",
			"users", ""},
		"/v1/los/service-areas": {"los", "los", "los"}, "/v1/infrastructure/networks": {"infrastructure", "infrastructure", "infrastructure"},
		"/v1/projects/plan": {"projects", "projects", "projects"}, "/v1/accounting/capital-assets/x": {"accounting", "accounting", "accounting"},
		"/v1/accounting/fiscal-years/x": {"accounting", "accounting_periods", "accounting"},
		"/v1/accounting/schedule":       {"accounting", "accounting", "accounting"}, "/v1/webhook-endpoints": {"webhooks", "webhooks", ""},
		"/v1/deficiencies/x": {"assets", "deficiencies", ""}, "/v1/infrastructure/deficiencies": {"infrastructure", "infrastructure",
			"infrastructure"}, "/v1/vendors": {"workorders", "vendors", ""}, "/v1/teams": {"users", "teams", ""},
		"/v1/maintenance/pm-plans/x": {"workorders", "maintenance", "maintenance"}, "/v1/requests/x/accept": {"requests", "requests", ""},
		"/v1/request-links": {"requests", "requests", "maintenance"}, "/v1/meters/x/readings": {"meters", "meters", "maintenance"},
		"/v1/planning/scenarios/x": {"planning", "planning", "planning"},
		"/v1/forms/responses":      {"forms", "forms", "maintenance"},
		"/v1/request-services":     {"requests", "requests", "maintenance"},
		"/v1/documents/x/content":  {"documents", "documents", ""}, "/v1/uploads/x": {"documents", "documents", ""}, "/v1/storage": {"documents",
			"documents", ""}, "/v1/retention-classes/report": {"documents", "documents", ""}, "/v1/legal-holds": {"documents", "legal_holds", ""},
		"/v1/webhook-deliveries/x": {"webhooks", "webhooks", ""}, "/v1/events": {"webhooks", "webhooks", ""}, "/v1/event-types": {"webhooks",
			"webhooks", ""},
	} {
		r := findRoute(path)
		if got := [3]string{r.service, r.scope, r.feature}; got != want || !r.keyed() {
			t.Errorf("%s: %v, keyed %v", path, got, r.keyed())
		}
		if !slices.Contains(keys.Scopes(), r.scope+":read") || !slices.Contains(keys.Scopes(), r.scope+":write") {
			t.Errorf("%s needs the scope %s, which no key can have", path, r.scope)
		}
		if r.feature != "" && catalogue.Product().FeatureName(r.feature) == "" {
			t.Errorf("%s needs the feature %s, which has no name", path, r.feature)
		}
	}
	if r := findRoute("/v1/search"); r.service != "search" || r.scope != "" || r.feature != "" || !r.keyed() || r.own != "" {
		t.Errorf("/v1/search: %+v", r)
	}
	for _, path := range []string{"/mcp", "/oauth/token", "/.well-known/oauth-protected-resource/mcp", "/settings", "/docs",
		"/docs/reference/assets", "/", "/openapi.json", "/r/abc", "/r/status/abc", "/public/links/abc", "/open311/v2/services.xml"} {
		if findRoute(path).keyed() {
			t.Errorf("%s needs a key", path)
		}
	}
	for _, path := range []string{"/r", "/r/abc", "/public/links/abc", "/open311/v2/requests.json"} {
		if r := findRoute(path); r.service != "requests" || r.scope != "" || r.feature != "" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	for _, path := range []string{"/rx", "/publicity", "/open311x"} {
		if findRoute(path).known() {
			t.Errorf("%s leads somewhere", path)
		}
	}
	for path, known := range map[string]bool{"/": true, "/docs": true, "/docs/x": true, "/docsx": false, "/index.php": false,
		"/favicon.ico": false} {
		if findRoute(path).known() != known {
			t.Errorf("%s leads somewhere: %v", path, !known)
		}
	}
}
