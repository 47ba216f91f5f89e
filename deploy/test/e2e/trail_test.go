package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

// insider speaks to the internal listener, which counts nothing against a limit.
type insider struct{ caller }

func (i insider) must(t testing.TB, status int, method, path string, body any) map[string]any {
	t.Helper()
	a := i.do(t, method, path, body)
	if a.status != status {
		t.Fatalf("%s %s: %d, want %d: %.600s", method, path, a.status, status, a.body)
	}
	return a.object
}

// administrator signs in; path is the organization's own.
func administrator(t *testing.T, name string) (who insider, path string) {
	t.Helper()
	of := organization(t, name)
	who.base = devstack.ForTest(t).Description().AdminURL
	in := who.must(t, 200, "POST", "/internal/sign-in", map[string]any{"email": of.Administrator.Email, "password": of.Administrator.Password})
	who.key = in["session"].(string)
	return who, "/internal/organizations/" + of.ID
}

// TestTheTrailTellsOfKeysAndOfWhatIsWrittenWithThem follows one key through real gateways and services.
func TestTheTrailTellsOfKeysAndOfWhatIsWrittenWithThem(t *testing.T) {
	admin, path := administrator(t, board)
	made := admin.must(t, 201, "POST", path+"/keys", map[string]any{"name": "Trail", "scopes": []string{"sites:write", "users:write"}})
	key := caller{devstack.ForTest(t).Description().BaseURL, made["value"].(string)}
	site := key.must(t, 201, "POST", "/v1/sites", map[string]any{"name": "Trailhead"}, "X-Request-Id", "trail-1").object["id"].(string)
	key.must(t, 200, "PATCH", "/v1/sites/"+site, map[string]any{"name": "Trail's end"}, "X-Request-Id", "trail-2")
	key.must(t, 201, "POST", "/v1/users", map[string]any{"email": "trail@example.ca", "name": "Tess Rail"}, "X-Request-Id", "trail-3")
	key.must(t, 403, "POST", "/v1/assets", map[string]any{}) // wrote nothing, so it is not told
	admin.must(t, 200, "POST", path+"/keys/"+made["id"].(string)+"/revoke", map[string]any{})
	key.must(t, 401, "PATCH", "/v1/sites/"+site, map[string]any{"name": "x"})

	trail := func(query string) (lines []string) {
		t.Helper()
		page := admin.must(t, 200, "GET", path+"/audit?"+query, nil)
		if missing := fmt.Sprint(page["missing"]); strings.Contains(missing, "assets") || strings.Contains(missing, "users") {
			t.Errorf("missing are %s", missing)
		}
		for _, e := range page["data"].([]any) {
			e := e.(map[string]any)
			if e["address"] != "127.0.0.1" {
				t.Errorf("from %v: %v", e["address"], e)
			}
			request := e["request_id"].(string)
			if !strings.HasPrefix(request, "trail-") {
				request = "-"
			}
			lines = append(lines, fmt.Sprint(e["actor"].(map[string]any)["name"], " ", e["action"], " ", e["subject"].(map[string]any)["name"], " ",
				request))
		}
		return lines
	}
	const name = "Margaret O'Donnell"
	want := []string{name + " key.revoked Trail -", "Trail user.created Tess Rail trail-3", "Trail site.updated Trail's end trail-2",
		"Trail site.created Trail's end trail-1", name + " key.created Trail -"}
	if got := trail("key=" + made["id"].(string)); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the trail of the key is\n%s", strings.Join(got, "\n"))
	}
	if got := trail("record=" + site); strings.Join(got, "\n") != strings.Join(want[2:4], "\n") {
		t.Errorf("the trail of the site is\n%s", strings.Join(got, "\n"))
	}
	other, elsewhere := administrator(t, city)
	if page := other.must(t, 200, "GET", elsewhere+"/audit?key="+made["id"].(string), nil); len(page["data"].([]any)) != 0 {
		t.Errorf("another organization sees %v", page["data"])
	}
	other.must(t, 404, "GET", path+"/audit", nil)
}
