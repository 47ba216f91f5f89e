package gateway

import (
	"fmt"
	"strings"
	"testing"
)

func TestASuspendedOrganizationsKeysAndSignInsAreRefusedAtOnce(t *testing.T) {
	o := newPeopleFixture(t)
	if a := send(t, "POST", o.internal+sandboxPath, o.ada, `{}`); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	key := o.created(t, `{"name":"Live","scopes":["assets:read"]}`)["value"].(string)
	test := send(t, "POST", o.internal+"/internal/organizations/"+sandboxID+"/keys", o.ada, `{"name":"Test","scopes":["assets:read"]}`)
	if test.StatusCode != 201 {
		t.Fatalf("%d %s", test.StatusCode, test.body)
	}
	sandboxKey := test.json(t)["value"].(string)
	path := o.internal + organizationPath
	for _, c := range []struct {
		what, path, token string
		status            int
		says              string
	}{
		{"an administrator", path + "/suspend", o.ada, 403, "not_allowed"},
		{"a sandbox by itself", o.internal + "/internal/organizations/" + sandboxID + "/suspend", testToken, 409, `"code":"sandbox"`},
		{"an organization that is not there", o.internal + "/internal/organizations/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99/suspend",
			testToken, 404, "not_found"},
	} {
		if a := send(t, "POST", c.path, c.token, `{}`); a.StatusCode != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %s", c.what, a.StatusCode, a.body)
		}
	}
	o.expect(t, key, 200, "")
	for range 2 { // again, it stays so
		if a := send(t, "POST", path+"/suspend", testToken, `{}`); a.StatusCode != 200 || a.json(t)["suspended_at"] == nil {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	o.expect(t, key, 403, "organization_suspended")
	o.expect(t, sandboxKey, 403, "organization_suspended")
	if a := call(t, "GET", o.url+"/odata/v4/assets", key); a.StatusCode != 403 || !strings.Contains(string(a.body), "organization_suspended") {
		t.Errorf("OData: %d %s", a.StatusCode, a.body)
	}
	signIn := `{"email":"ada@example.ca","password":"correct horse"}`
	if a := send(t, "POST", o.internal+"/internal/sign-in", "", signIn); a.StatusCode != 403 || a.json(t)["code"] != "organization_suspended" {
		t.Errorf("a sign-in: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "POST", path+"/resume", testToken, `{}`); a.StatusCode != 200 || a.json(t)["suspended_at"] != nil {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	o.expect(t, key, 200, "")
	o.expect(t, sandboxKey, 200, "")
	entries, _, _ := o.trailOf(t, "limit=10")
	var actions []string
	for _, entry := range entries {
		if action := fmt.Sprint(entry["action"]); action == "organization.suspended" || action == "organization.resumed" {
			actions = append(actions, action)
		}
	}
	if fmt.Sprint(actions) != "[organization.resumed organization.suspended]" {
		t.Errorf("the trail has %v", actions)
	}
}
