package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/gateway/keys"
)

// peopleFixture is a gateway with people, and what they are allowed to show.
type peopleFixture struct {
	*fixture
	*running
	people *directory
	keys   string // URL of the organization's keys
	ada    string // an Administrator's session
	eva    string // another Administrator's
	max    string // the session of somebody who is none
}

func newPeopleFixture(t *testing.T, change ...func(*Config)) *peopleFixture {
	w := newFixture(t)
	w.serve("assets", echo)
	o := &peopleFixture{fixture: w, people: w.people()}
	o.running = w.start(change...)
	o.keys = o.internal + "/internal/organizations/" + people.organization + "/keys"
	o.ada, o.eva, o.max = w.signIn(o.running, "ada@example.ca"), w.signIn(o.running, "eva@example.ca"), w.signIn(o.running, "max@example.ca")
	return o
}

// created makes a key and gives the response.
func (o *peopleFixture) created(t *testing.T, body string) map[string]any {
	t.Helper()
	a := send(t, "POST", o.keys, o.ada, body)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	return a.json(t)
}

func (o *peopleFixture) expect(t *testing.T, key string, status int, code string) {
	t.Helper()
	a := call(t, "GET", o.url+"/v1/assets", key)
	if a.StatusCode != status || status != 200 && a.json(t)["code"] != code {
		t.Errorf("%d %s, wanted %d %s", a.StatusCode, a.body, status, code)
	}
}

func TestTheLifeOfAKey(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":" Power BI ","scopes":["assets:read","sites:read","assets:read"]}`)
	value, id := made["value"].(string), made["id"].(string)
	if made["name"] != "Power BI" || fmt.Sprint(made["scopes"]) != "[assets:read sites:read]" || made["rate_limit"] != 60.0 ||
		made["state"] != "active" ||
		!strings.HasPrefix(value, made["display"].(string)[:13]) || made["created_by"].(map[string]any)["name"] != "Ada" {
		t.Errorf("%v", made)
	}
	expires, err := time.Parse(time.RFC3339, made["expires_at"].(string))
	if days := time.Until(expires).Hours() / 24; err != nil || days < 89.9 || days > 90.1 {
		t.Errorf("expires in %.1f days", days)
	}
	o.expect(t, value, 200, "")

	o.edge.WriteUsage(t.Context())
	for _, path := range []string{o.keys, o.keys + "/" + id} {
		a := send(t, "GET", path, o.ada, "")
		if a.StatusCode != 200 || strings.Contains(string(a.body), value) || strings.Contains(string(a.body), "hash") ||
			!strings.Contains(string(a.body), `"last_address":"127.0.0.1"`) {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	if a := send(t, "GET", o.internal+"/internal/organizations/"+people.organization+"/usage", o.ada, ""); !strings.Contains(string(a.body),
		`"key_name":"Power BI"`) || !strings.Contains(string(a.body), `"requests":1,`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := send(t, "GET", o.internal+"/internal/plans", o.ada, ""); !strings.Contains(string(a.body),
		`{"code":"professional","name":"Professional","features":["projects"],"storage_bytes":107374182400}`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	change := func(action string, status int) {
		t.Helper()
		if a := send(t, "POST", o.keys+"/"+id+"/"+action, o.ada, "{}"); a.StatusCode != status {
			t.Errorf("%s: %d %s", action, a.StatusCode, a.body)
		}
	}
	change("suspend", 200)
	o.expect(t, value, 403, "key_inactive")
	change("resume", 200)
	o.expect(t, value, 200, "")

	// Replaced with an overlap: both run, then the old one is revoked.
	a := send(t, "POST", o.keys+"/"+id+"/replace", o.ada, `{"overlap_seconds":2}`)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("replace: %d %s", a.StatusCode, a.body)
	}
	next := a.json(t)
	if next["name"] != "Power BI" || next["replaces"] != id || next["value"] == value ||
		fmt.Sprint(next["scopes"]) != "[assets:read sites:read]" {
		t.Errorf("%v", next)
	}
	o.expect(t, value, 200, "")
	o.expect(t, next["value"].(string), 200, "")
	time.Sleep(2100 * time.Millisecond)
	o.expect(t, value, 401, "key_revoked")

	// Replaced at once.
	a = send(t, "POST", o.keys+"/"+next["id"].(string)+"/replace", o.ada, `{}`)
	o.expect(t, next["value"].(string), 401, "key_revoked")
	last := a.json(t)
	o.expect(t, last["value"].(string), 200, "")
	id = last["id"].(string)
	change("revoke", 200)
	o.expect(t, last["value"].(string), 401, "key_revoked")
	change("resume", 409)
	change("suspend", 409)
	change("revoke", 200) // already revoked

	trail := string(send(t, "GET", o.internal+"/internal/organizations/"+people.organization+"/audit?limit=100", o.ada, "").body)
	for _, action := range []string{"user.signed_in", "key.created", "key.suspended", "key.resumed", "key.replaced", "key.revoked"} {
		if !strings.Contains(trail, `"`+action+`"`) {
			t.Errorf("the audit trail lacks %s: %s", action, trail)
		}
	}
	for _, secret := range []string{value, next["value"].(string), last["value"].(string), "correct horse"} {
		if strings.Contains(trail, secret) || strings.Contains(o.logs.String(), secret) {
			t.Error("the audit trail or the log shows a secret")
		}
	}
}

func TestWhatAKeyMayBe(t *testing.T) {
	o := newPeopleFixture(t)
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	for name, row := range map[string][2]string{
		"nothing":                    {`{}`, "name scopes"},
		"an empty name":              {`{"name":" ","scopes":["assets:read"]}`, "name"},
		"a long name":                {`{"name":"` + strings.Repeat("é", 101) + `","scopes":["assets:read"]}`, "name"},
		"no scopes":                  {`{"name":"a","scopes":[]}`, "scopes"},
		"an unknown scope":           {`{"name":"a","scopes":["assets:delete"]}`, "scopes"},
		"a scope that is no text":    {`{"name":"a","scopes":[1]}`, "scopes"},
		"an expiry in the past":      {`{"name":"a","scopes":["assets:read"],"expires_at":"2020-01-01T00:00:00Z"}`, "expires_at"},
		"an expiry too far":          {`{"name":"a","scopes":["assets:read"],"expires_at":"` + in(366*24*time.Hour) + `"}`, "expires_at"},
		"an expiry that is nonsense": {`{"name":"a","scopes":["assets:read"],"expires_at":"soon"}`, "expires_at"},
		"a limit of 0":               {`{"name":"a","scopes":["assets:read"],"rate_limit":0}`, "rate_limit"},
		"a limit of 1001":            {`{"name":"a","scopes":["assets:read"],"rate_limit":1001}`, "rate_limit"},
		"half a request":             {`{"name":"a","scopes":["assets:read"],"rate_limit":1.5}`, "rate_limit"},
		"no network":                 {`{"name":"a","scopes":["assets:read"],"allowed_networks":["everywhere"]}`, "allowed_networks"},
		"an address in a network":    {`{"name":"a","scopes":["assets:read"],"allowed_networks":["10.0.0.1/8"]}`, "allowed_networks"},
		"people without asking":      {`{"name":"a","scopes":["users:read"]}`, "confirm_privacy"},
		"residents without asking":   {`{"name":"a","scopes":["requests:read"]}`, "confirm_privacy"},
		"everything without asking":  {`{"name":"a","scopes":["*:*"],"confirm_privacy":false}`, "confirm_privacy"},
		"a field that there is not":  {`{"name":"a","scopes":["assets:read"],"admin":true}`, "admin"},
		"all at once":                {`{"name":"","scopes":["x"],"rate_limit":-1,"expires_at":"never"}`, "name scopes rate_limit expires_at"},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, "POST", o.keys, o.ada, row[0])
			var fields []string
			if list, _ := a.json(t)["fields"].([]any); a.StatusCode == 400 {
				for _, f := range list {
					fields = append(fields, f.(map[string]any)["field"].(string))
				}
			}
			if strings.Join(fields, " ") != row[1] {
				t.Errorf("%d %s, wanted %s", a.StatusCode, a.body, row[1])
			}
		})
	}
	for _, broken := range []string{``, `[]`, `{"name":"a","name":"b"}`, `{`, `{"name":"\u0000","scopes":["assets:read"]}`} {
		if a := send(t, "POST", o.keys, o.ada, broken); a.StatusCode != 400 {
			t.Errorf("%q: %d %s", broken, a.StatusCode, a.body)
		}
	}
	made := o.created(t, `{"name":"a","scopes":["*:*"],"confirm_privacy":true,"rate_limit":1000,
		"expires_at":"`+in(365*24*time.Hour-time.Minute)+`","allowed_networks":["127.0.0.1","10.0.0.0/8"]}`)
	if made["privacy_confirmed_by"].(map[string]any)["id"] != people.ada || made["privacy_confirmed_at"] == nil ||
		fmt.Sprint(made["allowed_networks"]) != "[127.0.0.1/32 10.0.0.0/8]" {
		t.Errorf("%v", made)
	}
	o.expect(t, made["value"].(string), 200, "")
}

func TestWhoMayDoWhatOnTheInternalListener(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"a","scopes":["assets:read"]}`)
	one := o.keys + "/" + made["id"].(string)
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	elsewhere := o.internal + "/internal/organizations/" + other
	const create = `{"name":"a","scopes":["assets:read"]}`
	for name, row := range map[string]struct {
		method, url, bearer, body string
		status                    int
	}{
		"nobody lists":                                 {"GET", o.keys, "", "", 401},
		"a made-up token":                              {"GET", o.keys, "let me in please, I am the operator", "", 401},
		"a key of the public API":                      {"GET", o.keys, made["value"].(string), "", 401},
		"the operator lists":                           {"GET", o.keys, testToken, "", 200},
		"the operator creates no key":                  {"POST", o.keys, testToken, create, 403},
		"the operator replaces no key":                 {"POST", one + "/replace", testToken, `{}`, 403},
		"the operator resumes no key":                  {"POST", one + "/resume", testToken, `{}`, 403},
		"somebody who is no Administrator lists":       {"GET", o.keys, o.max, "", 403},
		"somebody who is no Administrator creates":     {"POST", o.keys, o.max, create, 403},
		"somebody who is no Administrator revokes":     {"POST", one + "/revoke", o.max, `{}`, 403},
		"an Administrator of another organization":     {"GET", elsewhere + "/keys", o.ada, "", 404},
		"an Administrator creates in another":          {"POST", elsewhere + "/keys", o.ada, create, 404},
		"an Administrator reads another's audit trail": {"GET", elsewhere + "/audit", o.ada, "", 404},
		"a key through another organization":           {"GET", elsewhere + "/keys/" + made["id"].(string), testToken, "", 404},
		"revoking a key through another organization":  {"POST", elsewhere + "/keys/" + made["id"].(string) + "/revoke", testToken, `{}`, 404},
		"an organization that is not there":            {"GET", o.internal + "/internal/organizations/" + newID(), testToken, "", 404},
		"a malformed id":                               {"GET", o.internal + "/internal/organizations/x", testToken, "", 400},
		"an Administrator lists organizations":         {"GET", o.internal + "/internal/organizations", o.ada, "", 403},
		"an Administrator makes an organization": {"POST", o.internal + "/internal/organizations", o.ada,
			`{"name":"x","plan":"enterprise"}`, 403},
		"an Administrator changes the plan": {"PATCH", o.internal + "/internal/organizations/" + people.organization, o.ada,
			`{"plan":"enterprise"}`, 403},
		"an Administrator deactivates a user's keys": {"POST",
			o.internal + "/internal/organizations/" + people.organization + "/users/" + people.max + "/deactivate-keys", o.ada, `{}`, 403},
		"an Administrator verifies the index": {"POST", o.internal + "/internal/organizations/" + people.organization + "/index", o.ada,
			`{"collection":"assets","action":"verify"}`, 403},
		"the index of a collection that there is not": {"POST", elsewhere + "/index", testToken, `{"collection":"boats","action":"verify"}`, 400},
		"what nobody does with an index":              {"POST", elsewhere + "/index", testToken, `{"collection":"assets","action":"drop"}`, 400},
		"the index of an organization that is not there": {"POST", o.internal + "/internal/organizations/" + newID() + "/index", testToken,
			`{"collection":"assets","action":"verify"}`, 404},
		"an unknown path":                {"GET", o.internal + "/internal/nothing", testToken, "", 404},
		"a plan that there is not":       {"PATCH", elsewhere, testToken, `{"plan":"free"}`, 400},
		"an add-on that there is not":    {"PATCH", elsewhere, testToken, `{"add_ons":["everything"]}`, 400},
		"an organization without a name": {"POST", o.internal + "/internal/organizations", testToken, `{"plan":"enterprise"}`, 400},
		"an organization with half an administrator": {"POST", o.internal + "/internal/organizations", testToken,
			`{"name":"x","plan":"enterprise","administrator":{"email":"a@example.ca"}}`, 400},
		"a sign-in with a wrong password": {"POST", o.internal + "/internal/sign-in", "",
			`{"email":"ada@example.ca","password":"wrong"}`, 401},
		"a session on the public listener":            {"GET", o.url + "/v1/assets", o.ada, "", 401},
		"the operator's token on the public listener": {"GET", o.url + "/v1/assets", testToken, "", 401},
		"the internal paths on the public listener":   {"GET", o.url + "/internal/organizations", testToken, "", 404},
		"the sign-in path on the public listener":     {"POST", o.url + "/internal/sign-in", "", `{}`, 404},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, row.method, row.url, row.bearer, row.body)
			if a.StatusCode != row.status {
				t.Errorf("%d %s, wanted %d", a.StatusCode, a.body, row.status)
			}
			if a.StatusCode >= 400 && a.json(t)["error"] == "" {
				t.Errorf("%s", a.body)
			}
		})
	}
}

func TestOrganizations(t *testing.T) {
	o := newPeopleFixture(t)
	a := send(t, "POST", o.internal+"/internal/organizations", testToken,
		`{"name":"École Saint-Joseph","plan":"professional","add_ons":["api_keys"],
			"administrator":{"email":"a@example.ca","name":"Ada","password":"correct horse"}}`)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	made := a.json(t)
	if fmt.Sprint(made["features"]) != "[api_access projects]" || made["currency"] != "CAD" ||
		made["administrator"].(map[string]any)["id"] != people.ada || strings.Contains(string(a.body), "correct horse") {
		t.Errorf("%s", a.body)
	}
	list := send(t, "GET", o.internal+"/internal/organizations?per_page=1&page=2", testToken, "").json(t)
	if data := list["data"].([]any); len(data) != 1 || list["pagination"].(map[string]any)["total"] != 2.0 {
		t.Errorf("%v", list)
	}
	if beyond := send(t, "GET", o.internal+"/internal/organizations?page=9", testToken, ""); beyond.StatusCode != 200 ||
		!strings.Contains(string(beyond.body), `"data":[]`) {
		t.Errorf("%s", beyond.body)
	}
	if fresh := send(t, "GET", o.internal+"/internal/organizations/"+made["id"].(string), testToken,
		"").json(t); fresh["name"] != "École Saint-Joseph" {
		t.Errorf("%v", fresh)
	}
}

func TestSuspendingAUserSuspendsTheirKeys(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"a","scopes":["assets:read"]}`)
	if a := send(t, "POST", o.keys, o.eva, `{"name":"of Eva","scopes":["assets:read"]}`); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	value := made["value"].(string)
	path := "/internal/organizations/" + people.organization + "/users/" + people.ada + "/deactivate-keys"
	a := send(t, "POST", o.internal+path, "", `{}`)
	if a.StatusCode != 401 {
		t.Errorf("anybody may: %d", a.StatusCode)
	}
	if a := send(t, "GET", o.internal+"/internal/organizations/"+people.organization+"/users/"+people.ada+"/keys", o.eva,
		""); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), `"name":"a"`) || strings.Contains(string(a.body), `"name":"of Eva"`) {
		t.Errorf("the keys that would turn inactive: %d %s", a.StatusCode, a.body)
	}
	o.people.set(func(d *directory) { d.status[people.ada] = "suspended" })
	if a := o.asService(t, path, `{}`); a.StatusCode != 200 || !strings.Contains(string(a.body), made["id"].(string)) ||
		!strings.Contains(string(a.body), `"name":"a"`) {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	o.expect(t, value, 403, "key_inactive")
	if a := send(t, "POST", o.keys+"/"+made["id"].(string)+"/resume", o.eva, "{}"); a.StatusCode != 409 ||
		a.json(t)["code"] != "creator_not_active" {
		t.Errorf("resumed although the creator is suspended: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "POST", o.keys, o.ada, `{"name":"b","scopes":["assets:read"]}`); a.StatusCode != 401 ||
		a.json(t)["code"] != "session_ended" {
		t.Errorf("a suspended user's old session makes keys: %d %s", a.StatusCode, a.body)
	}
	o.people.set(func(d *directory) { d.status[people.ada] = "active" })
	if a := send(t, "POST", o.keys+"/"+made["id"].(string)+"/resume", o.ada, "{}"); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	o.expect(t, value, 200, "")

	check := func(value string, status int) { // as the MCP service does
		t.Helper()
		if a := o.asService(t, "/internal/keys/check", `{"key":"`+value+`","address":"203.0.113.7"}`); a.StatusCode != status {
			t.Errorf("check: %d %s, wanted %d", a.StatusCode, a.body, status)
		}
	}
	check(value, 200)
	check(keys.Generate(keys.Live), 401)
	check("nonsense", 401)
	essentials, _ := o.key(newKey{plan: "essentials"})
	check(essentials, 403)
}

func TestWrongPasswordsAreSlowedDown(t *testing.T) {
	o := newPeopleFixture(t)
	withinOneMinute(15 * time.Second)
	for range 10 { // maxFailedSignIns
		if a := send(t, "POST", o.internal+"/internal/sign-in", "", `{"email":"Ada@example.ca","password":"wrong"}`); a.StatusCode != 401 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	a := send(t, "POST", o.internal+"/internal/sign-in", "", `{"email":"ada@example.ca","password":"correct horse"}`)
	if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	o.signIn(o.running, "max@example.ca")
}
