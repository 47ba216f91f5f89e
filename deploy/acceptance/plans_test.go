package acceptance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ams.internal/deploy/stack"
)

func setAddOns(t *testing.T, id string, addOns ...string) {
	t.Helper()
	d := stack.ForTest(t).Description()
	body, err := json.Marshal(map[string]any{"add_ons": append([]string{}, addOns...)})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPatch, d.OperatorURL+"/internal/organizations/"+id, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+d.OperatorToken)
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

func TestAFamilyOutsideThePlanIsRefusedByNameOnEveryMethod(t *testing.T) {
	landlord := as(t, harbour, "full")
	for path, feature := range map[string]string{
		"/v1/los/measures": "Level of Service", "/v1/los/service-areas/x/scorecard": "Level of Service", "/v1/infrastructure/segments": "Infrastructure",
	} {
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
			refused := landlord.must(t, 403, method, path, map[string]any{})
			if !strings.Contains(refused.object["error"].(string), feature) {
				t.Errorf("%s %s: %s", method, path, refused.body)
			}
		}
	}
	landlord.must(t, 200, "GET", "/v1/sites", nil)
}
