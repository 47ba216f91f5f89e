package users

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// anne is a user with everything that says who somebody is.
var anne = map[string]any{"email": "anne.tremblay@example.ca", "name": "Anne Tremblay", "phone": "+1 418 555-0142",
	"job_title":       "Greffière",
	"employee_number": "E-1042", "external_id": "AD-tremblay", "department": "Greffe", "role": "manager",
	"custom_fields": map[string]any{"pager": "Anne 7"}}

// forgets erases a person as the gateway does: first all names, then the record.
func (f fixture) forgets(t *testing.T, id any) {
	t.Helper()
	f.service.Must(t, 200, "POST", "/internal/persons/erase", map[string]any{"id": id})
	f.service.Must(t, 200, "POST", "/internal/users/forget", map[string]any{"user_id": id})
}

func TestAForgottenUserIsPrivateWhereverSomebodyLooks(t *testing.T) {
	f := newFixture(t)
	owner := f.ownerConn(t)
	id := f.key.Create(t, "/v1/users", anne)["id"]
	path := fmt.Sprintf("/v1/users/%v", id)
	f.key.Must(t, 200, "PATCH", path, map[string]any{"name": "Anne Tremblay-Roy"})
	herself := f.as(principal.Actor{Type: "user", ID: fmt.Sprint(id), Name: "Anne Tremblay-Roy"})
	other := herself.Create(t, "/v1/users", map[string]any{"email": "ben@example.ca", "name": "Ben"})["id"]
	elsewhere := f.otherOrganization()
	same := elsewhere.key.Create(t, "/v1/users", anne)
	if list, _ := f.key.List(t, "/v1/users?q=tremblay"); len(list) != 1 {
		t.Fatalf("found %v", list)
	}
	blocks := func() (words int) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM term_block WHERE organization_id = $1 AND ('tremblay' BETWEEN first AND last
			OR first LIKE '%trembl%' OR last LIKE '%trembl%')`, f.key.Principal.OrganizationID).Scan(&words); err != nil {
			t.Fatal(err)
		}
		return words
	}
	f.service.Must(t, 200, "POST", "/internal/index", map[string]any{"collection": "users", "action": "fold"})
	if blocks() == 0 {
		t.Fatal("no block of words has the name")
	}
	refused := f.service.Must(t, 409, "POST", "/internal/users/forget", map[string]any{"user_id": id})
	if !strings.Contains(string(refused.Body), "remove the user first (DELETE /v1/users/") {
		t.Errorf("%s", refused.Body)
	}
	f.key.Must(t, 204, "DELETE", path, nil)
	for range 2 { // once more, it stays so
		f.forgets(t, id)
	}
	shown := f.key.Must(t, 200, "GET", path, nil).JSON
	resourcetest.Expect(t, shown, map[string]any{"id": id, "name": "private", "email": fmt.Sprint(id) + "@private.invalid",
		"phone": nil, "job_title": nil,
		"employee_number": nil, "external_id": nil, "status": "removed", "department": "Greffe", "role": "manager"})
	for what, body := range map[string][]byte{
		"the record":         f.key.Must(t, 200, "GET", path, nil).Body,
		"its history":        f.key.Must(t, 200, "GET", path+"/history", nil).Body,
		"the other's record": f.key.Must(t, 200, "GET", fmt.Sprintf("/v1/users/%v", other), nil).Body,
		"the trail":          f.service.Must(t, 200, "POST", "/internal/changes", map[string]any{}).Body,
		"the list":           f.key.Must(t, 200, "GET", "/v1/users?per_page=100", nil).Body,
	} {
		for _, secret := range []string{"remblay", "E-1042", "555-0142", "Greffi", "Anne"} {
			if strings.Contains(string(body), secret) {
				t.Errorf("%s has %q: %s", what, secret, body)
			}
		}
		if !strings.Contains(string(body), "private") || !strings.Contains(string(body), fmt.Sprint(id)) {
			t.Errorf("%s does not say private, with the id: %s", what, body)
		}
	}
	events := f.key.Events(t, f.database)
	if text, err := json.Marshal(events); err != nil || strings.Contains(string(text), "remblay") ||
		strings.Contains(string(text), "E-1042") || len(events) < 5 {
		t.Errorf("the events have %s", text)
	}
	for _, query := range []string{"q=tremblay", "q=E-1042", "name=Anne+Tremblay-Roy", "email=anne.tremblay@example.ca"} {
		if list, _ := f.key.List(t, "/v1/users?"+query); len(list) != 0 {
			t.Errorf("%s finds %v", query, list)
		}
	}
	if n := blocks(); n > 0 {
		t.Errorf("%d blocks of words may have the name", n)
	}
	untouched := elsewhere.key.Must(t, 200, "GET", fmt.Sprintf("/v1/users/%v", same["id"]), nil).JSON
	if untouched["email"] != anne["email"] || untouched["version"] != 1.0 {
		t.Errorf("the same address in another organization: %v", untouched)
	}
	elsewhere.service.Must(t, 404, "POST", "/internal/users/forget", map[string]any{"user_id": id})
	f.key.Must(t, 403, "POST", "/internal/users/forget", map[string]any{"user_id": id})
	f.person.Must(t, 403, "POST", "/internal/persons/export", map[string]any{"id": id})
	f.person.Must(t, 403, "POST", "/internal/persons/erase", map[string]any{"id": id})
	// A person who returns has the same id, and the address can be used again.
	f.key.Create(t, "/v1/users", anne)
	f.key.Must(t, 200, "PATCH", path, map[string]any{"status": "invited", "email": "back@example.ca", "name": "Anne"})
}

func TestRemovedUsersAreNamedUntilTheyAreForgotten(t *testing.T) {
	f := newFixture(t)
	removed := f.key.Create(t, "/v1/users", anne)["id"]
	f.key.Create(t, "/v1/users", map[string]any{"email": "ben@example.ca", "name": "Ben"})
	path := fmt.Sprintf("/v1/users/%v", removed)
	named := func(before time.Time) string {
		t.Helper()
		query := map[string]any{"before": before.UTC().Format(time.RFC3339)}
		return fmt.Sprint(f.service.Must(t, 200, "POST", "/internal/users/forgettable", query).JSON["ids"])
	}
	tomorrow, yesterday := time.Now().Add(24*time.Hour), time.Now().Add(-24*time.Hour)
	if got := named(tomorrow); got != "[]" {
		t.Errorf("before the removal: %s", got)
	}
	f.key.Must(t, 204, "DELETE", path, nil)
	want := fmt.Sprintf("[%v]", removed)
	if got := named(tomorrow); got != want {
		t.Errorf("after the removal: %s", got)
	}
	if got := named(yesterday); got != "[]" {
		t.Errorf("before its time: %s", got)
	}
	// A later change of the record does not begin the time anew.
	owner := f.ownerConn(t)
	if _, err := owner.Exec(t.Context(), `UPDATE history SET at = at - interval '48 hours' WHERE record_id = $1`, removed); err != nil {
		t.Fatal(err)
	}
	f.key.Must(t, 200, "PATCH", path, map[string]any{"department": "Archives"})
	if got := named(yesterday); got != want {
		t.Errorf("after a later change: %s", got)
	}
	found := f.service.Must(t, 200, "POST", "/internal/users/person", map[string]any{"email": "Anne.Tremblay@Example.ca"}).JSON
	if found["id"] != removed || found["erased"] != false || found["record"].(map[string]any)["phone"] != anne["phone"] {
		t.Errorf("%v", found)
	}
	f.service.Must(t, 404, "POST", "/internal/users/person", map[string]any{"email": "nobody@example.ca"})
	f.service.Must(t, 404, "POST", "/internal/users/person", map[string]any{})
	f.otherOrganization().service.Must(t, 404, "POST", "/internal/users/person", map[string]any{"user_id": removed})
	f.forgets(t, removed)
	if got := named(tomorrow); got != "[]" {
		t.Errorf("forgotten: %s", got)
	}
}

func TestTheHistoryOfAUserWhoIsNotRemovedCannotBeErased(t *testing.T) {
	f := newFixture(t)
	id := f.key.Create(t, "/v1/users", anne)["id"]
	owner := f.ownerConn(t)
	if _, err := owner.Exec(t.Context(), `SELECT set_config('ams.organization_id', $1, false)`, f.key.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	_, err := owner.Exec(t.Context(), `SELECT erase_user_history($1)`, id)
	if err == nil || !strings.Contains(err.Error(), "is no removed user") {
		t.Errorf("%v", err)
	}
}
