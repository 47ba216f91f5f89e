package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

// TestAPersonIsForgottenWhereverTheNameStands follows a user through real services: the record, its history, events, a request and the
// trail.
func TestAPersonIsForgottenWhereverTheNameStands(t *testing.T) {
	d := devstack.ForTest(t).Description()
	operator := insider{caller{d.AdminURL, d.AdminToken}}
	const name, email = "Adelaide Hoodless", "adelaide@example.ca"
	staff, mine := newOrganization(t)
	elsewhere, other := newOrganization(t)
	path := "/internal/organizations/" + mine
	user := map[string]any{"email": email, "name": name, "phone": "+1 519 555-0101"}
	id := staff.must(t, 201, "POST", "/v1/users", user).object["id"].(string)
	theirs := elsewhere.must(t, 201, "POST", "/v1/users", user).object["id"].(string)
	wish := map[string]any{"title": "Swing", "requester_name": name, "requester_email": email}
	request := staff.must(t, 201, "POST", "/v1/requests", wish).object["id"]

	about := map[string]any{"user_id": id}
	refused := operator.do(t, "POST", path+"/persons/forget", about)
	if refused.status != 409 || !strings.Contains(string(refused.body), "remove the user first") {
		t.Fatalf("%d %s", refused.status, refused.body)
	}
	staff.must(t, 204, "DELETE", "/v1/users/"+id, nil)
	exported := operator.do(t, "POST", path+"/persons/export", about)
	for _, stored := range []string{`"service":"users"`, `"service":"requests"`, name, "+1 519 555-0101"} {
		if exported.status != 200 || !strings.Contains(strings.ReplaceAll(string(exported.body), ": ", ":"), stored) {
			t.Errorf("the export lacks %s: %d %.2000s", stored, exported.status, exported.body)
		}
	}
	if a := operator.do(t, "POST", "/internal/organizations/"+other+"/persons/export", about); a.status != 404 {
		t.Errorf("in another organization: %d %s", a.status, a.body)
	}
	for range 2 { // again, it stays so
		if done := operator.must(t, 200, "POST", path+"/persons/forget", about); done["next"] != "" {
			t.Fatalf("%v", done)
		}
	}
	for _, place := range []string{"/v1/users/" + id, "/v1/users/" + id + "/history", "/v1/users", "/v1/events?limit=100",
		fmt.Sprint("/v1/requests/", request)} {
		shown := string(staff.must(t, 200, "GET", place, nil).body)
		if strings.Contains(shown, "Adelaide") || strings.Contains(shown, email) || strings.Contains(shown, "555-0101") {
			t.Errorf("%s has personal data: %s", place, shown)
		}
		if !strings.Contains(place, "requests") && (!strings.Contains(shown, "private") || !strings.Contains(shown, id)) {
			t.Errorf("%s does not say private, with the id: %s", place, shown)
		}
	}
	trail := string(operator.do(t, "GET", path+"/audit?limit=100", nil).body)
	for _, says := range []string{"person.forgotten", "person.exported", id, "private"} {
		if !strings.Contains(trail, says) {
			t.Errorf("the trail lacks %s: %s", says, trail)
		}
	}
	if strings.Contains(trail, "Adelaide") || strings.Contains(trail, email) {
		t.Errorf("the trail has personal data: %s", trail)
	}
	if a := staff.must(t, 200, "GET", "/v1/users?q=hoodless", nil); strings.Contains(string(a.body), id) {
		t.Errorf("a search finds %s", a.body)
	}
	if a := elsewhere.must(t, 200, "GET", "/v1/users/"+theirs, nil); a.object["name"] != name || a.object["version"] != 1.0 {
		t.Errorf("another organization's user is %s", a.body)
	}
}
