package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

const sandboxPath = organizationPath + "/sandbox"

var sandboxID = principal.SandboxOf(people.organization)

// emptied is what the services of the tests are asked to empty.
type emptied struct {
	mu     sync.Mutex
	left   map[string]int // rows by service; a call deletes one
	others []string       // organizations other than the sandbox that something was asked of
	asked  map[string]int
	refuse atomic.Bool // calls are 503
}

// emptying puts services behind the gateways that empty sandboxes. Users is the one of the people.
func (w *fixture) emptying(d *directory) *emptied {
	e := &emptied{left: map[string]int{}, asked: map[string]int{}}
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, service := range catalogue.Product().Services() {
		e.left[service] = 2
		answer := func(w http.ResponseWriter, r *http.Request) {
			p, err := signer.Verify(r.Header.Get(principal.Header))
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.asked[service]++; err != nil || p.OrganizationID != sandboxID || p.Actor.Type != "service" {
				e.others = append(e.others, fmt.Sprint(service, p, err))
			}
			w.Header().Set("Content-Type", "application/json")
			if e.refuse.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `{"error":"away","code":"away"}`)
				return
			}
			deleted := min(1, e.left[service])
			e.left[service] -= deleted
			_, _ = fmt.Fprintf(w, `{"deleted":%d,"done":%v}`, deleted, deleted == 0)
		}
		if service == "users" {
			d.set(func(d *directory) { d.empty = answer })
			continue
		}
		w.serve(service, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/internal/empty" {
				answer(w, r)
				return
			}
			echo(w, r)
		})
	}
	return e
}

func (e *emptied) rows() (left int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.left {
		left += n
	}
	return left
}

// newSandboxFixture is a gateway with people whose organization has a sandbox, and services that can be emptied.
func newSandboxFixture(t *testing.T) (*peopleFixture, *emptied) {
	t.Helper()
	w := newFixture(t)
	o := &peopleFixture{fixture: w, people: w.people()}
	e := w.emptying(o.people)
	o.running = w.start()
	o.keys = o.internal + "/internal/organizations/" + sandboxID + "/keys"
	o.ada, o.eva, o.max = w.signIn(o.running, "ada@example.ca"), w.signIn(o.running, "eva@example.ca"), w.signIn(o.running, "max@example.ca")
	if a := send(t, "POST", o.internal+sandboxPath, o.ada, "{}"); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	return o, e
}

func (o *peopleFixture) me(t *testing.T, key string) map[string]any {
	t.Helper()
	a := call(t, "GET", o.url+"/v1/me", key)
	if a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	return a.json(t)
}

func TestASandboxIsMadeOnceAndByWhoMay(t *testing.T) {
	o := newPeopleFixture(t)
	for name, try := range map[string]struct {
		method, path, session, want string
	}{
		"nobody":                        {"POST", "", "", "401 operator_missing"},
		"a member":                      {"POST", "", o.max, "403 administrator_needed"},
		"a member who reads":            {"GET", "", o.max, "403 administrator_needed"},
		"before it is made":             {"GET", "", o.ada, "404 no_sandbox"},
		"emptying before it is made":    {"POST", "/empty", o.ada, "404 no_sandbox"},
		"keys before it is made":        {"POST", "/../../" + sandboxID + "/keys", o.ada, "404 not_found"},
		"the sandbox of another":        {"POST", "/../../" + newID() + "/sandbox", o.ada, "404 not_found"},
		"that of none, as the platform": {"POST", "/../../" + newID() + "/sandbox", testToken, "404 not_found"},
	} {
		path := strings.Replace(sandboxPath, "/sandbox", "", 1) + "/sandbox" + try.path
		if rest, up := strings.CutPrefix(try.path, "/../../"); up {
			path = "/internal/organizations/" + rest
		}
		a := send(t, try.method, o.internal+path, try.session, map[string]string{"POST": `{"name":"a","scopes":["assets:read"]}`}[try.method])
		if code, _ := a.json(t)["code"].(string); fmt.Sprint(a.StatusCode, " ", code) != try.want {
			t.Errorf("%s: %d %s, want %s", name, a.StatusCode, a.body, try.want)
		}
	}
	var made atomic.Int32
	var callers sync.WaitGroup
	for range 5 {
		callers.Go(func() {
			a := send(t, "POST", o.internal+sandboxPath, o.ada, "{}")
			switch {
			case a.StatusCode == 201:
				made.Add(1)
			case a.StatusCode != 409 || a.json(t)["code"] != "sandbox_exists":
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	}
	if callers.Wait(); made.Load() != 1 {
		t.Errorf("it was made %d times", made.Load())
	}
	a := send(t, "GET", o.internal+sandboxPath, o.eva, "").json(t)
	if a["id"] != sandboxID || a["sandbox_of"] != people.organization || a["name"] != "Ville de Bellerive (test)" || a["emptying"] != nil ||
		a["limits"].(map[string]any)["requests_per_minute"] != 1000.0 {
		t.Errorf("%v", a)
	}
	entries, _, _ := o.trailOf(t, "limit=1")
	if actions(entries) != "sandbox.created" || entries[0]["actor"].(map[string]any)["name"] != "Ada" {
		t.Errorf("the trail has %v", entries)
	}
	// It is an organization like others, and has no sandbox itself.
	if a := send(t, "GET", o.internal+"/internal/organizations", testToken, ""); !strings.Contains(string(a.body),
		`"id":"`+sandboxID+`","sandbox_of":"`+people.organization+`"`) {
		t.Errorf("the list: %d %s", a.StatusCode, a.body)
	}
	for _, path := range []string{"/sandbox", "/sandbox/empty"} {
		if a := send(t, "POST", o.internal+"/internal/organizations/"+sandboxID+path, testToken, "{}"); a.StatusCode/100 != 4 {
			t.Errorf("a sandbox of a sandbox, %s: %d %s", path, a.StatusCode, a.body)
		}
	}
	// It has no members.
	for path, body := range map[string]string{"/users/invite": `{"email":"x@example.ca","name":"X"}`,
		"/users/link": `{"email":"x@example.ca"}`} {
		if a := send(t, "POST", o.internal+"/internal/organizations/"+sandboxID+path, o.ada, body); a.StatusCode != 404 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

func TestATestKeyLivesAsALiveOneAndHasWhatItsOrganizationHas(t *testing.T) {
	o, _ := newSandboxFixture(t)
	live, _ := o.key(newKey{organization: people.organization})
	made := o.created(t, `{"name":"CI","scopes":["assets:read"],"rate_limit":500}`)
	value, id := made["value"].(string), made["id"].(string)
	if !strings.HasPrefix(value, "ams_test_") || len(value) != 58 || !strings.HasPrefix(made["display"].(string), "ams_test_") {
		t.Fatalf("%v", made)
	}
	o.expect(t, value, 200, "")
	if a := call(t, "POST", o.url+"/v1/assets", value); a.StatusCode != 403 {
		t.Errorf("beyond its scopes: %d %s", a.StatusCode, a.body)
	}
	me := o.me(t, value)
	limits := me["limits"].(map[string]any)
	if me["mode"] != "test" || me["organization"].(map[string]any)["id"] != sandboxID || limits["requests_per_minute"] != 1000.0 ||
		limits["active_keys"] != 20.0 || limits["storage_bytes"] != 1073741824.0 || o.me(t, live)["mode"] != "live" {
		t.Errorf("%v", me)
	}
	if p := o.forwarded(t, value); p.OrganizationID != sandboxID || p.TimeZone != "America/Toronto" || !p.Has("los") {
		t.Errorf("a service gets %+v", p)
	}

	// What is changed of the organization holds for the sandbox at the next request.
	send(t, "PATCH", o.internal+settingsPath, o.ada, `{"time_zone":"America/St_Johns","fiscal_year_end_month":3,"land_area_km2":7}`)
	send(t, "PATCH", o.internal+organizationPath, testToken, `{"plan":"essentials","add_ons":["api_keys","los"]}`)
	me = o.me(t, value)
	of := me["organization"].(map[string]any)
	if of["time_zone"] != "America/St_Johns" || of["fiscal_year_end_month"] != 3.0 || of["land_area_km2"] != 7.0 ||
		fmt.Sprint(me["plan"].(map[string]any)["features"]) != "[api_access los]" || me["plan"].(map[string]any)["code"] != "essentials" {
		t.Errorf("%v", me)
	}
	for path, body := range map[string]string{"": `{"plan":"enterprise"}`, "/settings": `{"time_zone":"America/Toronto"}`} {
		if a := send(t, "PATCH", o.internal+"/internal/organizations/"+sandboxID+path, testToken, body); a.StatusCode != 409 ||
			a.json(t)["code"] != "sandbox" {
			t.Errorf("%s of the sandbox itself: %d %s", body, a.StatusCode, a.body)
		}
	}
	// Its limits are its own.
	if a := send(t, "PATCH", o.internal+"/internal/organizations/"+sandboxID, testToken, `{"limits":{"streams":1}}`); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if got := o.me(t, value)["limits"].(map[string]any)["streams"]; got != 1.0 {
		t.Errorf("%v streams", got)
	}
	if got := o.me(t, live)["limits"].(map[string]any)["streams"]; got != 4.0 {
		t.Errorf("the organization itself has %v streams", got)
	}

	// The trail of the sandbox has what was done to its keys; that of the organization does not.
	if a := send(t, "GET", o.internal+"/internal/organizations/"+sandboxID+"/audit?key="+id, o.ada, ""); !strings.Contains(string(a.body),
		`"action":"key.created"`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if entries, _, _ := o.trailOf(t, "key="+id); len(entries) != 0 {
		t.Errorf("the organization's trail has %v", entries)
	}
	for _, step := range []struct {
		action string
		status int
		code   string
	}{{"suspend", 403, "key_inactive"}, {"resume", 200, ""}} {
		if a := send(t, "POST", o.keys+"/"+id+"/"+step.action, o.ada, "{}"); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", step.action, a.StatusCode, a.body)
		}
		o.expect(t, value, step.status, step.code)
	}
	second := send(t, "POST", o.keys+"/"+id+"/replace", o.ada, "{}").json(t)
	o.expect(t, value, 401, "key_revoked")
	value = second["value"].(string)
	o.expect(t, value, 200, "")

	// Whoever made keys and is suspended loses those of both.
	path := "/internal/organizations/" + people.organization + "/users/" + people.ada
	if a := send(t, "GET", o.internal+path+"/keys", o.ada, ""); !strings.Contains(string(a.body), second["id"].(string)) {
		t.Errorf("the keys that would turn inactive: %d %s", a.StatusCode, a.body)
	}
	if a := o.asService(t, path+"/deactivate-keys", `{}`); a.StatusCode != 200 || !strings.Contains(string(a.body), second["id"].(string)) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	o.expect(t, value, 403, "key_inactive")
	send(t, "POST", o.keys+"/"+second["id"].(string)+"/resume", o.ada, "{}")
	o.expect(t, value, 200, "")

	// An organization that loses the API loses it in its sandbox.
	send(t, "PATCH", o.internal+organizationPath, testToken, `{"add_ons":[]}`)
	o.expect(t, value, 403, "feature_not_in_plan")
}

// The database itself has no key of one mode in an organization of the other, and no sandbox that could be mistaken for an organization.
func TestModeAndOrganizationOfAKeyCannotDiffer(t *testing.T) {
	o, _ := newSandboxFixture(t)
	insert := func(organization, display string) error {
		_, err := o.owner.Exec(t.Context(), `INSERT INTO api_key (organization_id, id, hash, display, name, scopes, rate_limit,
			expires_at, created_by)
			VALUES ($1, $2, sha256($3::text::bytea), $4, 'x', '{*:*}', 60, now() + interval '1 day', '{}')`, organization, newID(), newID(), display)
		return err
	}
	for _, c := range []struct {
		organization, display string
		ok                    bool
	}{
		{people.organization, "ams_live_abcd…", true}, {sandboxID, "ams_test_abcd…", true},
		{people.organization, "ams_test_abcd…", false}, {sandboxID, "ams_live_abcd…", false},
		{people.organization, "amsXtest_abcd…", false}, {sandboxID, "", false},
	} {
		if err := insert(c.organization, c.display); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "api_key_mode_check") {
			t.Errorf("%s in %s: %v", c.display, c.organization, err)
		}
	}
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	for name, statement := range map[string]string{
		"a live one with the id of a sandbox": `INSERT INTO organization (organization_id, name, plan, currency)
			VALUES ('` + principal.SandboxOf(other) + `', 'x', 'enterprise', 'CAD')`,
		"a sandbox with the id of a live one": `INSERT INTO organization (organization_id, sandbox_of, name, time_zone, fiscal_year_end_month)
			VALUES ('` + newID() + `', '` + other + `', 'x', NULL, NULL)`,
		"a sandbox of another's id": `INSERT INTO organization (organization_id, sandbox_of, name, time_zone, fiscal_year_end_month)
			VALUES ('` + principal.SandboxOf(newID()) + `', '` + other + `', 'x', NULL, NULL)`,
		"a sandbox with a plan of its own": `UPDATE organization SET plan = 'enterprise' WHERE organization_id = '` + sandboxID + `'`,
		"a sandbox that changes hands": `UPDATE organization SET sandbox_of = '` + other + `'
			WHERE organization_id = '` + sandboxID + `'`,
		"a live one without a plan":               `UPDATE organization SET plan = NULL WHERE organization_id = '` + other + `'`,
		"a live one that goes before its sandbox": `DELETE FROM organization WHERE organization_id = '` + people.organization + `'`,
	} {
		if _, err := o.owner.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
	// A live key under the prefix of a test key is none.
	value, _ := o.key(newKey{organization: people.organization})
	if a := call(t, "GET", o.url+"/v1/me", "ams_test_"+value[9:]); a.StatusCode != 401 || a.json(t)["code"] != "key_malformed" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := call(t, "GET", o.url+"/v1/me", keys.Generate(keys.Test)); a.StatusCode != 401 || a.json(t)["code"] != "key_unknown" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

func TestRequestsOfASandboxTakeNothingFromItsOrganization(t *testing.T) {
	o, _ := newSandboxFixture(t)
	withinOneMinute(15 * time.Second)
	live, _ := o.key(newKey{organization: people.organization})
	value := o.created(t, `{"name":"CI","scopes":["assets:read"],"rate_limit":500}`)["value"].(string)
	send(t, "PATCH", o.internal+"/internal/organizations/"+sandboxID, testToken, `{"limits":{"requests_per_minute":3}}`)
	for range 3 {
		o.expect(t, value, 200, "")
	}
	o.expect(t, value, 429, "organization_rate_limited")
	o.expect(t, live, 200, "")
	for id, want := range map[string]float64{people.organization: 1, sandboxID: 3} {
		a := send(t, "GET", o.internal+"/internal/organizations/"+id+"/usage", o.ada, "").json(t)
		if got := a["this_minute"].(float64); got < want || got > want+1 { // a refused one may count too
			t.Errorf("%s has %v requests, want %v", id, got, want)
		}
	}
}

// Keys are refused while the sandbox is emptied, also by another gateway, and whoever empties it may be killed in the middle.
func TestASandboxIsEmptiedAlsoByTheNextProcess(t *testing.T) {
	o, e := newSandboxFixture(t)
	value := o.created(t, `{"name":"CI","scopes":["assets:read"]}`)["value"].(string)
	live, _ := o.key(newKey{organization: people.organization})
	if a := send(t, "POST", o.internal+sandboxPath+"/empty", o.max, "{}"); a.StatusCode != 403 {
		t.Errorf("a member empties it: %d %s", a.StatusCode, a.body)
	}
	e.refuse.Store(true)
	for range 2 { // asking again changes nothing
		a := send(t, "POST", o.internal+sandboxPath+"/empty", o.ada, "{}")
		if a.StatusCode != 202 || a.json(t)["emptying"].(map[string]any)["finished_at"] != nil {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	a := call(t, "GET", o.url+"/v1/assets", value)
	if a.StatusCode != 503 || a.json(t)["code"] != "sandbox_emptying" || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	o.expect(t, live, 200, "")
	testwait.For(t, 30*time.Second, "a service was asked", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.asked) > 0
	})
	o.stop()
	if e.rows() != 2*len(e.left) {
		t.Fatalf("%d rows are left", e.rows())
	}

	e.refuse.Store(false)
	next, beside := o.fixture.start(), o.fixture.start()
	testwait.For(t, 30*time.Second, "the sandbox is empty", func() bool {
		state := send(t, "GET", beside.internal+sandboxPath, testToken, "").json(t)["emptying"].(map[string]any)
		return state["finished_at"] != nil && state["deleted"] == float64(2*len(e.left))
	})
	if e.rows() != 0 || len(e.others) != 0 {
		t.Errorf("%d rows are left; asked wrongly: %v", e.rows(), e.others)
	}
	if a := call(t, "GET", next.url+"/v1/assets", value); a.StatusCode != 200 {
		t.Errorf("after that: %d %s", a.StatusCode, a.body)
	}
	var told []string
	rows, err := o.owner.Query(context.Background(), `SELECT action || ' ' || (actor ->> 'name') || ' ' || changes::text FROM audit
		WHERE organization_id = $1 AND action LIKE 'sandbox.%' ORDER BY at`, people.organization)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		told = append(told, line)
	}
	want := []string{"sandbox.created Ada {}", "sandbox.emptying Ada {}",
		fmt.Sprintf(`sandbox.emptied gateway {"deleted": %d}`, 2*len(e.left))}
	if !slices.Equal(told, want) {
		t.Errorf("the trail has %q", told)
	}
}
