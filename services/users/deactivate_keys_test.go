package users

import (
	"fmt"
	"testing"
)

func TestSuspendingOrRemovingAUserDeactivatesTheirKeys(t *testing.T) {
	f := newFixture(t)
	for i, test := range []struct {
		name   string
		from   string
		method string
		body   map[string]any
		calls  bool
	}{
		{"suspending", "active", "PATCH", map[string]any{"status": "suspended"}, true},
		{"removing", "active", "PATCH", map[string]any{"status": "removed"}, true},
		{"deleting", "active", "DELETE", nil, true},
		{"deleting a suspended user", "suspended", "DELETE", nil, true},
		{"activating", "suspended", "PATCH", map[string]any{"status": "active"}, false},
		{"renaming a suspended user", "suspended", "PATCH", map[string]any{"name": "Other"}, false},
		{"deleting a removed user", "removed", "DELETE", nil, false},
	} {
		user := f.key.Create(t, "/v1/users", map[string]any{"email": fmt.Sprintf("%d@example.ca", i), "name": "Anne", "status": test.from})
		f.gateway.calls()
		path := "/v1/users/" + user["id"].(string)
		want := ""
		if test.calls {
			want = "/internal/organizations/" + f.key.Principal.OrganizationID + "/users/" + user["id"].(string) + "/deactivate-keys"
			f.gateway.setDown(true)
			f.key.Must(t, 503, test.method, path, body(test.body))
			if got := f.key.Must(t, 200, "GET", path, nil).JSON; got["status"] != test.from || got["version"] != 1.0 {
				t.Errorf("%s with the gateway down wrote %v", test.name, got)
			}
			f.gateway.setDown(false)
		}
		if answer := f.key.Do(t, test.method, path, body(test.body)); answer.Status >= 300 {
			t.Errorf("%s: %d %s", test.name, answer.Status, answer.Body)
		}
		if calls := f.gateway.calls(); len(calls) > 1 || test.calls && (len(calls) == 0 || calls[0] != want) || !test.calls && len(calls) > 0 {
			t.Errorf("%s called the gateway with %v, want %q", test.name, calls, want)
		}
	}
}

func TestABulkDeleteDeactivatesTheKeysOfEachUser(t *testing.T) {
	f := newFixture(t)
	var rows []any
	for n := range 20 {
		rows = append(rows, map[string]any{"id": f.key.Create(t, "/v1/users", makeUser(t, f.key, n))["id"]})
	}
	f.gateway.setDown(true)
	f.key.Must(t, 503, "DELETE", "/v1/users/bulk", map[string]any{"data": rows})
	f.gateway.setDown(false)
	f.key.Must(t, 200, "DELETE", "/v1/users/bulk", map[string]any{"data": rows})
	called := map[string]bool{} // a call of the delete that failed may arrive late, and so twice
	for _, path := range f.gateway.calls() {
		called[path] = true
	}
	if len(called) != 20 {
		t.Errorf("the gateway was called for %d users, want each of 20", len(called))
	}
	if removed, _ := f.key.List(t, "/v1/users?status=removed"); len(removed) != 20 {
		t.Errorf("%d users are removed, want 20", len(removed))
	}
}

// body keeps a nil map from becoming the JSON null.
func body(fields map[string]any) any {
	if fields == nil {
		return nil
	}
	return fields
}
