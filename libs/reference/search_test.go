package reference_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

func TestASearchIsOneSignedCallOfTheOwner(t *testing.T) {
	var signer *principal.Signer
	asked := 0
	client, signer := asking(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if p, err := signer.Verify(r.Header.Get(principal.Header)); err != nil || p.OrganizationID != someone.OrganizationID {
			t.Errorf("asked for %+v, %v", p, err)
		}
		var query map[string]any
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil || r.URL.Path != "/internal/search" || query["text"] != "anne" ||
			query["limit"] != 10.0 || query["site_id"] != nil || len(query["collections"].([]any)) != 1 {
			t.Errorf("asked %s for %v, %v", r.URL.Path, query, err)
		}
		_, _ = w.Write([]byte(`{"collections":{"users":{"count":12,"exact":true,"corrected":{"annne":["anne"]},"hits":[
			{"id":"a","name":"Anne","code":"anne@example.ca","detail":null,"status":"active","site_id":null,"match":"similar","ended":false}]}}}`))
	})
	response, err := reference.Search.Of("users").Call(principal.Into(t.Context(), someone), client,
		reference.SearchQuery{Text: "anne", Collections: []string{"users"}, Limit: 10})
	if err != nil || asked != 1 {
		t.Fatalf("asked %d times: %v", asked, err)
	}
	found := response.Collections["users"]
	if found.Count != 12 || !found.Exact || found.Corrected["annne"][0] != "anne" || len(found.Hits) != 1 {
		t.Fatalf("found %+v", found)
	}
	if hit := found.Hits[0]; hit.Name != "Anne" || *hit.Code != "anne@example.ca" || hit.Detail != nil || hit.Match != "similar" {
		t.Errorf("found %+v", hit)
	}
}
