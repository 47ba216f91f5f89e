package gateway

import (
	"strings"
	"testing"
	"time"
)

func TestADeletionIsOrderedForADateAndCalledOffUntilItBegins(t *testing.T) {
	o := newPeopleFixture(t)
	key := o.created(t, `{"name":"Live","scopes":["assets:read"]}`)["value"].(string)
	path := o.internal + organizationPath
	const order = `{"after_days":30,"ordered_by":"Anne Roy, records manager"}`
	post := func(what, token, body string, status int, says string) map[string]any {
		t.Helper()
		a := send(t, "POST", path+"/"+what, token, body)
		if a.StatusCode != status || !strings.Contains(string(a.body), says) {
			t.Fatalf("%s: %d %s, wanted %d %s", what, a.StatusCode, a.body, status, says)
		}
		return a.json(t)
	}
	post("delete", o.ada, order, 403, "not_allowed")
	post("delete", testToken, `{"after_days":0,"ordered_by":"Anne"}`, 400, "after_days")
	post("delete", testToken, `{"after_days":30,"ordered_by":""}`, 400, "ordered_by")
	post("hold", testToken, `{"reason":"Claim of 2026-05-04"}`, 200, `"hold_reason":"Claim of 2026-05-04"`)
	post("delete", testToken, order, 409, "organization_held")
	o.expect(t, key, 200, "")
	post("release", testToken, `{}`, 200, `"held_at":null`)
	post("release", testToken, `{}`, 200, `"held_at":null`)
	post("restore", testToken, `{"rows_now":2,"rows_then":1}`, 409, "organization_not_suspended")

	ordered := post("delete", testToken, order, 200, "Anne Roy")
	after, err := time.Parse(time.RFC3339, ordered["delete_after"].(string))
	if left := time.Until(after); err != nil || left < 29*24*time.Hour || left > 31*24*time.Hour {
		t.Errorf("it is to be deleted after %v: %v", after, err)
	}
	o.expect(t, key, 403, "organization_suspended")
	again := post("delete", testToken, `{"after_days":60,"ordered_by":"Somebody else"}`, 200, "Anne Roy")
	if again["delete_after"] != ordered["delete_after"] || again["suspended_at"] != ordered["suspended_at"] {
		t.Errorf("an order that stands was changed: %v", again)
	}
	listed := send(t, "GET", o.internal+"/internal/organizations", testToken, "")
	if !strings.Contains(string(listed.body), ordered["delete_after"].(string)) {
		t.Errorf("the list does not have the date: %s", listed.body)
	}
	post("resume", testToken, `{}`, 200, `"delete_after":null`)
	o.expect(t, key, 200, "")

	post("delete", testToken, order, 200, "Anne Roy")
	post("restore", testToken, `{"rows_now":2,"rows_then":1}`, 200, "delete_after")
	o.exec("UPDATE organization SET deletion_began_at = now() WHERE organization_id = $1", people.organization)
	for what, body := range map[string]string{"resume": `{}`, "hold": `{"reason":"Late"}`, "restore": `{"rows_now":2,"rows_then":1}`} {
		post(what, testToken, body, 409, "deletion_began")
	}
	o.expect(t, key, 403, "organization_suspended")
	entries, _, _ := o.trailOf(t, "limit=20")
	var actions []string
	for _, entry := range entries {
		if action, _ := entry["action"].(string); strings.HasPrefix(action, "organization.") && action != "organization.created" {
			actions = append(actions, action)
		}
	}
	if got := strings.Join(actions, " "); got != "organization.restoring organization.deletion_ordered organization.resumed "+
		"organization.deletion_ordered "+
		"organization.released organization.held" {
		t.Errorf("the trail has %s", got)
	}
}
