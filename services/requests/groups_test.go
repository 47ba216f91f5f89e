package requests

import (
	"net/http"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// Requests are counted by field as other records are, those of a place with its name.
func TestRequestsAreCountedInGroups(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, body := range []fields{{"title": "Balançoire", "asset_id": swing, "priority": "high"}, {"title": "Banc", "site_id": site},
		{"title": "Rue", "address_text": "Rue du Port"}} {
		f.Create(t, "/v1/requests", body)
	}
	f.Other().Create(t, "/v1/requests", fields{"title": "Ailleurs", "priority": "high"})
	totals := f.Must(t, http.StatusOK, "GET", "/v1/requests?group_by=site_id&per_page=1", nil).JSON["totals"].(fields)
	resourcetest.Expect(t, totals, fields{"count": 3, "number_of_groups": 2})
	groups := totals["groups"].([]any)
	resourcetest.Expect(t, groups[0].(fields), fields{"key": site, "name": "Parc du Moulin", "count": 2})
	resourcetest.Expect(t, groups[1].(fields), fields{"key": nil, "name": "No site", "count": 1})
	totals = f.Must(t, http.StatusOK, "GET", "/v1/requests?group_by=building_id&group_sort=count&status=submitted",
		nil).JSON["totals"].(fields)
	resourcetest.Expect(t, totals["groups"].([]any)[0].(fields),
		fields{"key": building, "name": "Pavillon", "site_id": site, "site_name": "Parc du Moulin", "count": 1})
}
