package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/principal"
)

const organizationPath = "/internal/organizations/01990000-0000-7000-8000-00000000000a"

func TestTheConsoleActsForAnAdministrator(t *testing.T) {
	o := newPeopleFixture(t)
	ada := console(people.ada, "Ada", "administrator")
	a := o.as(t, ada, "POST", organizationPath+"/keys", `{"name":"BI","scopes":["users:read"],"confirm_privacy":true}`)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	made := a.json(t)
	id, value := made["id"].(string), made["value"].(string)
	if made["created_by"].(map[string]any)["id"] != people.ada || made["privacy_confirmed_by"].(map[string]any)["name"] != "Ada" ||
		a.Header.Get("X-Request-Id") != "request-of-the-console" {
		t.Errorf("%v, %s", made, a.Header.Get("X-Request-Id"))
	}
	entries, _, _ := o.trailOf(t, "key="+id)
	if e := entries[0]; e["address"] != "203.0.113.7" || e["request_id"] != "request-of-the-console" ||
		e["actor"].(map[string]any)["type"] != "user" {
		t.Errorf("the trail has %v", e)
	}
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	_, foreign := o.key(newKey{organization: other})
	stale := console(people.ada, "Ada", "administrator")
	key := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "api_key", ID: id, Name: "BI"},
		Scopes: []string{"*:*", "administrator"}, Origin: "console"}
	for name, test := range map[string]struct {
		by           principal.Principal
		method, path string
		body         string
		status       int
	}{
		"a manager lists": {console(people.max, "Max", "manager"), "GET", organizationPath + "/keys", "", 403},
		"a manager creates": {console(people.max, "Max"), "POST", organizationPath + "/keys",
			`{"name":"x","scopes":["assets:read"]}`, 403},
		"a manager revokes": {console(people.max, "Max", "users:read", "*:*"), "POST",
			organizationPath + "/keys/" + id + "/revoke", `{}`, 403},
		"a manager looks at the plan": {console(people.max, "Max", "manager"), "GET", organizationPath, "", 403},
		"a manager looks at the use":  {console(people.max, "Max", "manager"), "GET", organizationPath + "/usage", "", 403},
		"a manager asks for a user's keys": {console(people.max, "Max", "manager"), "GET",
			organizationPath + "/users/" + people.ada + "/keys", "", 403},
		"a manager makes a link": {console(people.max, "Max", "manager"), "POST", organizationPath + "/users/link",
			`{"email":"x@example.ca"}`, 403},
		"a key's principal with the role's name":   {key, "GET", organizationPath + "/keys", "", 403},
		"another organization":                     {ada, "GET", "/internal/organizations/" + other, "", 404},
		"another organization's keys":              {ada, "GET", "/internal/organizations/" + other + "/keys", "", 404},
		"another organization's key under its own": {ada, "GET", "/internal/organizations/" + other + "/keys/" + foreign, "", 404},
		"another organization's key under the own": {ada, "GET", organizationPath + "/keys/" + foreign, "", 404},
		"revoking another's key under the own":     {ada, "POST", organizationPath + "/keys/" + foreign + "/revoke", `{}`, 404},
		"suspending another's key under the own":   {ada, "POST", organizationPath + "/keys/" + foreign + "/suspend", `{}`, 404},
		"resuming another's key under the own":     {ada, "POST", organizationPath + "/keys/" + foreign + "/resume", `{}`, 404},
		"replacing another's key under the own":    {ada, "POST", organizationPath + "/keys/" + foreign + "/replace", `{}`, 404},
		"another organization's use":               {ada, "GET", "/internal/organizations/" + other + "/usage", "", 404},
		"another organization's trail":             {ada, "GET", "/internal/organizations/" + other + "/audit", "", 404},
		"another organization's users' keys": {ada, "GET", "/internal/organizations/" + other + "/users/" + people.ada + "/keys", "",
			404},
		"an organization list": {ada, "GET", "/internal/organizations", "", 403},
		"a plan change":        {ada, "PATCH", organizationPath, `{"plan":"enterprise"}`, 403},
		"a made-up key":        {ada, "GET", organizationPath + "/keys/" + newID(), "", 404},
		"an id that is none":   {ada, "GET", organizationPath + "/keys/x", "", 400},
		"a suspended Administrator's console creates":  {stale, "POST", organizationPath + "/keys", `{"name":"x","scopes":["assets:read"]}`, 403},
		"a suspended Administrator's console replaces": {stale, "POST", organizationPath + "/keys/" + id + "/replace", `{}`, 403},
	} {
		t.Run(name, func(t *testing.T) {
			status := "active"
			if strings.HasPrefix(name, "a suspended") {
				status = "suspended"
			}
			o.people.set(func(d *directory) { d.status[people.ada] = status })
			if a := o.as(t, test.by, test.method, test.path, test.body); a.StatusCode != test.status || a.json(t)["error"] == "" {
				t.Errorf("%d %s, want %d", a.StatusCode, a.body, test.status)
			}
		})
	}
	o.people.set(func(d *directory) { d.status[people.ada] = "active" })
	var state string
	if err := o.owner.QueryRow(t.Context(), "SELECT state FROM api_key WHERE id = $1", foreign).Scan(&state); err != nil || state != "active" {
		t.Errorf("the other organization's key is %s, %v", state, err)
	}
	o.expect(t, value, 403, "scope_missing") // active: it may only not read assets
}

func TestASessionEndsBeforeItsTime(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"BI","scopes":["assets:read"]}`)
	one := o.keys + "/" + made["id"].(string)
	expect := func(method, url, body string, status int, code string) {
		t.Helper()
		a := send(t, method, url, o.ada, body)
		if a.StatusCode != status || code != "" && a.json(t)["code"] != code {
			t.Errorf("%s %s: %d %s, want %d %s", method, url, a.StatusCode, a.body, status, code)
		}
	}
	const create = `{"name":"x","scopes":["assets:read"]}`
	o.people.set(func(d *directory) { d.role[people.ada] = "manager" })
	expect("GET", o.keys, "", 403, "administrator_needed")
	expect("POST", o.keys, create, 403, "administrator_needed")
	expect("POST", one+"/revoke", "{}", 403, "administrator_needed")

	o.people.set(func(d *directory) { d.status[people.ada] = "suspended" })
	expect("GET", o.keys, "", 401, "session_ended")
	expect("POST", one+"/revoke", "{}", 401, "session_ended")

	o.people.set(func(d *directory) { d.unavailable = true })
	expect("GET", o.keys, "", 200, "")
	expect("POST", o.keys, create, 503, "")
	expect("POST", one+"/resume", "{}", 503, "")
	expect("POST", one+"/replace", "{}", 503, "")
	expect("POST", one+"/suspend", "{}", 200, "")
	expect("POST", one+"/revoke", "{}", 200, "") // a leaked key must be revocable at any time

	o.people.set(func(d *directory) {
		d.unavailable, d.status[people.ada], d.role[people.ada] = false, "active", "administrator"
	})
	expect("POST", o.keys, create, 201, "")
}

func TestThePlanScreen(t *testing.T) {
	o := newPeopleFixture(t)
	o.exec(`UPDATE organization SET plan = 'professional' WHERE organization_id = $1`, people.organization)
	o.exec(`INSERT INTO organization_add_on VALUES ($1, 'api_keys')`, people.organization)
	a := o.as(t, console(people.ada, "Ada", "administrator"), "GET", organizationPath, "")
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	got := a.json(t)
	if got["plan"] != "professional" || got["plan_name"] != "Professional" || fmt.Sprint(got["add_ons"]) != "[api_keys]" ||
		fmt.Sprint(got["features"]) != "[api_access projects]" ||
		got["base_url"] != o.url || got["mcp_url"] != o.url+"/mcp" {
		t.Errorf("%s", a.body)
	}
	offers := got["offers"].(map[string]any)
	if len(offers["plans"].([]any)) != 3 || len(offers["add_ons"].([]any)) != 8 {
		t.Errorf("%v", offers)
	}
	granted := map[any]any{}
	for _, offer := range append(offers["plans"].([]any), offers["add_ons"].([]any)...) {
		granted[offer.(map[string]any)["code"]] = offer.(map[string]any)["storage_bytes"]
	}
	if granted["essentials"] != 5368709120.0 || granted["professional"] != 107374182400.0 || granted["enterprise"] != 1099511627776.0 ||
		granted["storage"] != 536870912000.0 || granted["los"] != nil {
		t.Errorf("storage is offered as %v", granted)
	}
	var lines []string
	for _, f := range offers["features"].([]any) {
		f := f.(map[string]any)
		lines = append(lines, fmt.Sprint(f["code"], " ", f["name"], " ", f["included"], " ", f["plans"], " ", f["add_ons"]))
	}
	want := `accounting Accounting false [enterprise] [accounting]
api_access API access true [enterprise] [api_keys]
infrastructure Infrastructure false [enterprise] [infrastructure]
los Level of Service false [enterprise] [los]
maintenance Maintenance false [enterprise] [maintenance]
planning Lifecycle Planning false [enterprise] [planning]
projects Projects true [enterprise professional] [projects]`
	if strings.Join(lines, "\n") != want {
		t.Errorf("features are\n%s", strings.Join(lines, "\n"))
	}
}

func TestKeysAreFiltered(t *testing.T) {
	o := newPeopleFixture(t)
	o.created(t, `{"name":"first","scopes":["assets:read"]}`)
	second := o.created(t, `{"name":"second","scopes":["assets:read"]}`)
	if a := send(t, "POST", o.keys, o.eva, `{"name":"of Eva","scopes":["assets:read"]}`); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	send(t, "POST", o.keys+"/"+second["id"].(string)+"/suspend", o.ada, "{}")
	for query, want := range map[string]string{
		"": "first second of Eva", "state=active": "first of Eva", "state=inactive": "second", "state=revoked": "",
		"created_by=" + people.eva:              "of Eva",
		"state=active&created_by=" + people.ada: "first", "per_page=1&page=2": "second",
	} {
		a := send(t, "GET", o.keys+"?"+query, o.ada, "")
		var names []string
		for _, k := range a.json(t)["data"].([]any) {
			names = append(names, k.(map[string]any)["name"].(string))
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s: %v, want %s", query, names, want)
		}
	}
	for _, wrong := range []string{"state=gone", "created_by=me"} {
		if a := send(t, "GET", o.keys+"?"+wrong, o.ada, ""); a.StatusCode != 400 {
			t.Errorf("%s: %d", wrong, a.StatusCode)
		}
	}
}

func TestInvitingAUser(t *testing.T) {
	o := newPeopleFixture(t)
	a := send(t, "POST", o.internal+organizationPath+"/users/invite", o.ada, `{"email":"max@example.ca","name":"Max","role":"administrator"}`)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if got := a.json(t); got["link"] != o.url+"/settings/welcome#the-token" || got["email"] != "max@example.ca" ||
		got["expires_at"] != "2030-01-01T00:00:00Z" || got["token"] != nil {
		t.Errorf("%s", a.body)
	}
	o.people.set(func(d *directory) {
		want := `Ada users:read,users:write {"email":"max@example.ca","locale":"en-CA","name":"Max","role":"administrator"}` +
			`user Ada 127.0.0.1 {"user_id":"` + people.max + `"}`
		if d.received != want {
			t.Errorf("the users service received\n%s, want\n%s", d.received, want)
		}
	})
	if a := send(t, "POST", o.internal+organizationPath+"/users/link", o.ada,
		`{"email":"max@example.ca"}`); a.StatusCode != http.StatusCreated {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if entries, _, _ := o.trailOf(t, "record="+people.max); actions(entries) != "user.link_made user.link_made user.signed_in" {
		t.Errorf("the trail is %s", actions(entries))
	}
	if strings.Contains(o.logs.String(), "the-token") {
		t.Error("the log shows the token of a link")
	}
	for name, bearer := range map[string]string{"the operator": testToken, "a member": o.max} {
		if a := send(t, "POST", o.internal+organizationPath+"/users/invite", bearer, `{"email":"x@example.ca","name":"X"}`); a.StatusCode != 403 {
			t.Errorf("%s invites: %d %s", name, a.StatusCode, a.body)
		}
	}
}

// TestNoKeySlipsThroughASuspension suspends a user at the very moment that a key of theirs is being made.
func TestNoKeySlipsThroughASuspension(t *testing.T) {
	o := newPeopleFixture(t)
	reading, suspended := make(chan struct{}), make(chan struct{})
	o.people.set(func(d *directory) {
		d.duringStanding = func() {
			close(reading)
			select {
			case <-suspended:
				t.Error("the user's keys were deactivated while one was being made")
			case <-time.After(300 * time.Millisecond):
			}
		}
	})
	go func() {
		<-reading
		a := o.asService(t, organizationPath+"/users/"+people.ada+"/deactivate-keys", `{}`)
		if a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), `"name":"just made"`) {
			t.Errorf("deactivated: %d %s", a.StatusCode, a.body)
		}
		close(suspended)
	}()
	value := o.created(t, `{"name":"just made","scopes":["assets:read"]}`)["value"].(string)
	<-suspended
	o.expect(t, value, 403, "key_inactive")
}
