package gateway

import (
	"fmt"
	"strings"
	"testing"

	"ams.internal/libs/principal"
)

func TestTheOperatorsMoverNamesAnotherCell(t *testing.T) {
	o := newPeopleFixture(t)
	o.addCell("second")
	path := o.internal + organizationPath + "/cell"
	for _, c := range []struct {
		what, path, token, body string
		status                  int
		says                    string
	}{
		{"an administrator", path, o.ada, `{"from":"first","to":"second"}`, 403, "not_allowed"},
		{"a cell that is not there", path, testToken, `{"from":"first","to":"third"}`, 400, `"field":"to"`},
		{"from a cell where it is not", path, testToken, `{"from":"second","to":"second"}`, 409, "cell_changed"},
		{"no cell", path, testToken, `{"from":"first"}`, 400, `"field":"to"`},
		{"an organization that is not there", o.internal + "/internal/organizations/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99/cell", testToken,
			`{"from":"first","to":"second"}`, 404, "not_found"},
	} {
		if a := send(t, "POST", c.path, c.token, c.body); a.StatusCode != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %s", c.what, a.StatusCode, a.body)
		}
	}
	if a := send(t, "POST", o.internal+organizationPath+"/sandbox", o.ada, `{}`); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	sandbox := o.internal + "/internal/organizations/" + principal.SandboxOf(people.organization) + "/cell"
	if a := send(t, "POST", sandbox, testToken, `{"from":"first","to":"second"}`); a.StatusCode != 409 ||
		!strings.Contains(string(a.body), `"code":"sandbox"`) {
		t.Errorf("a sandbox by itself: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "GET", path, testToken, ""); a.json(t)["cell"] != "first" {
		t.Errorf("what was refused has moved it to %s", a.body)
	}
	if a := send(t, "POST", path, testToken, `{"from":"first","to":"second"}`); a.StatusCode != 200 || a.json(t)["cell"] != "second" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for what, of := range map[string]string{"it": path, "its sandbox": sandbox} {
		if a := send(t, "GET", of, testToken, ""); a.json(t)["cell"] != "second" {
			t.Errorf("%s is in %s", what, a.body)
		}
	}
	entries, _, _ := o.trailOf(t, "limit=1")
	if entries[0]["action"] != "organization.moved" || fmt.Sprint(entries[0]["changes"].(map[string]any)["cell"]) != "[first second]" {
		t.Errorf("the trail has %v", entries[0])
	}
}
