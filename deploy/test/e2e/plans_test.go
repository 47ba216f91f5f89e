package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

func setAddOns(t *testing.T, id string, addOns ...string) {
	t.Helper()
	d := devstack.ForTest(t).Description()
	body, err := json.Marshal(map[string]any{"add_ons": append([]string{}, addOns...)})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPatch, d.AdminURL+"/internal/organizations/"+id, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+d.AdminToken)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("set add-ons: %s", response.Status)
	}
}

func TestAPIAccessFollowsThePlanAtTheNextRequest(t *testing.T) {
	coop := as(t, elmStreet, "full")
	refused := coop.must(t, 403, "GET", "/v1/assets", nil)
	if !strings.Contains(refused.object["error"].(string), "API access") {
		t.Errorf("the refusal does not name the feature: %s", refused.body)
	}
	id := organization(t, elmStreet).ID
	setAddOns(t, id, "api_keys")
	coop.must(t, 200, "GET", "/v1/assets", nil)
	setAddOns(t, id)
	coop.must(t, 403, "GET", "/v1/assets", nil)
}

// families are the features that a plan may lack, as people call them.
var families = map[string]string{"los": "Level of Service", "infrastructure": "Infrastructure", "projects": "Projects",
	"maintenance": "Maintenance", "planning": "Lifecycle Planning", "accounting": "Accounting"}

// familyPaths are where the features' collections are.
var familyPaths = map[string][]string{"los": {"/v1/los"}, "infrastructure": {"/v1/infrastructure"}, "projects": {"/v1/projects"},
	"maintenance": {"/v1/maintenance", "/v1/meters", "/v1/forms", "/v1/request-links", "/v1/request-services"},
	"planning":    {"/v1/planning"}, "accounting": {"/v1/accounting"}}

// coop lets the co-operative, whose plan has none of the families, use the API for the time of a test.
func coop(t *testing.T) (caller, string) {
	t.Helper()
	id := organization(t, elmStreet).ID
	setAddOns(t, id, "api_keys")
	t.Cleanup(func() { setAddOns(t, id) })
	return fresh(t, elmStreet), id
}

func TestAFamilyOutsideThePlanIsRefusedByNameOnEveryPathAndMethod(t *testing.T) {
	c, _ := coop(t)
	tried, requests := map[string]int{}, 0
	paths := map[string]string{"/v1/los": "los", "/v1/infrastructure": "infrastructure", "/v1/projects/no-such-thing/at/all": "projects",
		"/v1/los/measures/x": "los", "/v1/maintenance": "maintenance", "/v1/forms/nothing": "maintenance"}
	for _, o := range operations(t) {
		for feature := range families {
			own := slices.ContainsFunc(familyPaths[feature], func(prefix string) bool { return strings.HasPrefix(o.path, prefix) })
			if own != (o.feature == feature) {
				t.Errorf("%s %s says it needs the feature %q", o.method, o.path, o.feature)
			}
		}
		if o.feature != "" {
			paths[parameter.ReplaceAllString(o.path, "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11")] = o.feature
		}
	}
	for path, feature := range paths {
		if requests += 5; requests%900 == 0 { // a key has 1000 in a minute
			c = fresh(t, elmStreet)
		}
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE", "PUT"} {
			refused := c.must(t, 403, method, path, map[string]any{})
			if !strings.Contains(refused.object["error"].(string), families[feature]) || refused.object["feature"] != families[feature] {
				t.Errorf("%s %s: %s", method, path, refused.body)
			}
			tried[feature]++
		}
	}
	t.Logf("refused: %v", tried)
	// Harbour's plan has projects and nothing else of these.
	landlord := fresh(t, harbour)
	landlord.must(t, 200, "GET", "/v1/projects", nil)
	landlord.must(t, 403, "GET", "/v1/los/measures", nil)
	landlord.must(t, 403, "GET", "/v1/infrastructure/segments", nil)
	landlord.must(t, 403, "GET", "/v1/meters", nil)
	landlord.must(t, 200, "GET", "/v1/requests", nil)
	landlord.must(t, 200, "GET", "/v1/deficiencies", nil)
}

func TestAnAddOnOpensItsFamilyAtTheNextRequestOnEveryGateway(t *testing.T) {
	c, id := coop(t)
	for feature, path := range map[string]string{"los": "/v1/los/templates", "infrastructure": "/v1/infrastructure/networks",
		"projects": "/v1/projects/plan", "maintenance": "/v1/maintenance/pm-plans"} {
		c.must(t, 403, "GET", path, nil)
		setAddOns(t, id, "api_keys", feature)
		for _, gateway := range devstack.ForTest(t).Description().Gateways {
			caller{gateway, c.key}.must(t, 200, "GET", path, nil)
		}
		for other, otherPath := range map[string]string{"los": "/v1/los/templates", "infrastructure": "/v1/infrastructure/networks",
			"projects": "/v1/projects", "maintenance": "/v1/forms/templates"} {
			if other != feature {
				c.must(t, 403, "GET", otherPath, nil)
			}
		}
		setAddOns(t, id, "api_keys")
		c.must(t, 403, "GET", path, nil)
	}
}

func TestWorkOrdersThatNameASegmentOrAProjectNeedTheFeature(t *testing.T) {
	c, id := coop(t)
	setAddOns(t, id, "api_keys", "infrastructure", "projects")
	network := c.create(t, "/v1/infrastructure/networks", map[string]any{"name": "Lane", "asset_class": "road"})
	named := map[string]string{
		"segment_id": c.create(t, "/v1/infrastructure/segments", map[string]any{"name": "Back lane", "network_id": network}),
		"project_id": c.create(t, "/v1/projects", map[string]any{"name": "Roof of block A"}),
	}
	plain := c.create(t, "/v1/work-orders", map[string]any{"title": "Sweep"})
	both := c.create(t, "/v1/work-orders", map[string]any{"title": "Pave", "segment_id": named["segment_id"],
		"project_id": named["project_id"]})
	setAddOns(t, id, "api_keys")
	for field, feature := range map[string]string{"segment_id": "Infrastructure", "project_id": "Projects"} {
		for _, refused := range []response{
			c.must(t, 403, "POST", "/v1/work-orders", map[string]any{"title": "Patch", field: named[field]}),
			c.must(t, 403, "PATCH", "/v1/work-orders/"+plain, map[string]any{field: named[field]}),
		} {
			if refused.object["feature"] != feature || !strings.Contains(refused.object["error"].(string), feature) {
				t.Errorf("%s: %s", field, refused.body)
			}
		}
		bulk := c.do(t, "POST", "/v1/work-orders/bulk?atomic=false",
			map[string]any{"data": []any{map[string]any{"title": "Patch", field: named[field]}, map[string]any{"title": "Mow"}}})
		if bulk.status != 200 || bulk.object["summary"].(map[string]any)["failed"] != 1.0 || !strings.Contains(string(bulk.body), feature) {
			t.Errorf("%s in bulk: %d %s", field, bulk.status, bulk.body)
		}
	}
	// What was there before stays as it is, and can be worked on.
	kept := c.must(t, 200, "PATCH", "/v1/work-orders/"+both, map[string]any{"priority": "high"})
	if kept.object["segment_id"] != named["segment_id"] || kept.object["project_id"] != named["project_id"] {
		t.Errorf("the references went: %s", kept.body)
	}
}
