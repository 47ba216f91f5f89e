package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/calendar"
	"ams.internal/libs/discovery"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

const settingsPath = organizationPath + "/settings"

const publicSettings = `"jurisdiction_id":null,"contact_retention_days":365,"public_requests_per_link":60,"public_requests_per_day":1000`

// indicatorSettings are those of an organization that is new.
const indicatorSettings = `"renewal_basis":"typed_or_life","renewal_basis_changed_on":[],"fci_bands":null,`

const defaultSettings = `{"time_zone":"America/Toronto","fiscal_year_end_month":12,"land_area_km2":null,` +
	indicatorSettings + publicSettings + `,"currency":"CAD"}`

func TestSettingsOfAnOrganizationAreShownAndChanged(t *testing.T) {
	o := newPeopleFixture(t)
	key, _ := o.key(newKey{organization: people.organization})
	if a := send(t, "GET", o.internal+settingsPath, o.ada, ""); a.StatusCode != 200 || string(a.body) != defaultSettings {
		t.Errorf("to begin with: %d %s", a.StatusCode, a.body)
	}
	const changed = `{"time_zone":"America/St_Johns","fiscal_year_end_month":8,"land_area_km2":120.5,` +
		indicatorSettings + publicSettings + `,"currency":"CAD"}`
	a := send(t, "PATCH", o.internal+settingsPath, o.ada,
		`{"time_zone":"America/St_Johns","fiscal_year_end_month":8,"land_area_km2":120.5000}`)
	if a.StatusCode != 200 || string(a.body) != changed {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if a := send(t, "GET", o.internal+settingsPath, testToken, ""); string(a.body) != changed {
		t.Errorf("the operator reads %d %s", a.StatusCode, a.body)
	}
	for name, path := range map[string]string{"the organization": organizationPath, "the list": "/internal/organizations"} {
		if a := send(t, "GET", o.internal+path, testToken, ""); !strings.Contains(string(a.body),
			`"time_zone":"America/St_Johns","fiscal_year_end_month":8,"land_area_km2":120.5`) {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}

	// In force at the next request, of keys as well.
	of := calendar.Calendar{TimeZone: "America/St_Johns", FiscalYearEndMonth: 8}
	before := of.Today()
	me := call(t, "GET", o.url+"/v1/me", key).json(t)["organization"].(map[string]any)
	if today := me["today"]; today != before && today != of.Today() || me["fiscal_year"] != float64(of.FiscalYear(me["today"].(string))) ||
		me["time_zone"] != "America/St_Johns" || me["fiscal_year_end_month"] != 8.0 || me["land_area_km2"] != 120.5 {
		t.Errorf("GET /v1/me shows %v", me)
	}
	if p := o.forwarded(t, key); p.TimeZone != "America/St_Johns" || p.FiscalYearEnd != 8 {
		t.Errorf("a service gets %+v", p)
	}

	// What is not given stays; null takes the land area away.
	send(t, "PATCH", o.internal+settingsPath, testToken, `{"land_area_km2":null}`)
	send(t, "PATCH", o.internal+settingsPath, testToken, `{"time_zone":"America/St_Johns"}`) // nothing changes, and nothing is told
	entries, _, _ := o.trailOf(t, "limit=2")
	if got := actions(entries); got != "organization.settings_changed organization.settings_changed" {
		t.Fatalf("the trail has %s", got)
	}
	for i, want := range []struct{ actor, changes string }{
		{"Platform operator", `{"land_area_km2":[120.5,null]}`},
		{"Ada", `{"fiscal_year_end_month":[12,8],"land_area_km2":[null,120.5],"time_zone":["America/Toronto","America/St_Johns"]}`},
	} {
		changes, _ := json.Marshal(entries[i]["changes"])
		if entries[i]["actor"].(map[string]any)["name"] != want.actor || string(changes) != want.changes {
			t.Errorf("the trail has %v by %v", string(changes), entries[i]["actor"])
		}
	}
	if me := call(t, "GET", o.url+"/v1/me", key).json(t)["organization"].(map[string]any); me["land_area_km2"] != nil ||
		me["fiscal_year_end_month"] != 8.0 {
		t.Errorf("GET /v1/me shows %v", me)
	}
}

func TestWhatRenewalsAreDueByIsASettingWithItsDays(t *testing.T) {
	o := newPeopleFixture(t)
	key, _ := o.key(newKey{organization: people.organization})
	change := func(body string) map[string]any {
		t.Helper()
		a := send(t, "PATCH", o.internal+settingsPath, o.ada, body)
		if a.StatusCode != 200 {
			t.Fatalf("%s: %d %s", body, a.StatusCode, a.body)
		}
		return a.json(t)
	}
	today := calendar.Calendar{TimeZone: "America/Toronto"}.Today()
	if got := change(`{"renewal_basis":"typed","fci_bands":[4,9.5,30]}`); got["renewal_basis"] != "typed" ||
		fmt.Sprint(got["renewal_basis_changed_on"], got["fci_bands"]) != "["+today+"] [4 9.5 30]" {
		t.Errorf("changed to %v", got)
	}
	me := call(t, "GET", o.url+"/v1/me", key).json(t)["organization"].(map[string]any)
	if me["renewal_basis"] != "typed" || fmt.Sprint(me["renewal_basis_changed_on"], me["fci_bands"]) != "["+today+"] [4 9.5 30]" {
		t.Errorf("GET /v1/me shows %v", me)
	}
	p := o.forwarded(t, key)
	if p.RenewalBasisOn(today) != principal.RenewalTyped || p.RenewalBasisOn("2020-12-31") != principal.RenewalTypedOrLife ||
		!slices.Equal(p.FCIBands, []float64{4, 9.5, 30}) {
		t.Errorf("a service gets %+v", p)
	}
	if got := change(`{"renewal_basis":"typed_or_life","fci_bands":null}`); fmt.Sprint(got["renewal_basis_changed_on"],
		got["fci_bands"]) != "[] <nil>" {
		t.Errorf("changed back on the same day: %v", got)
	}
	o.exec(`UPDATE organization SET renewal_basis_changed_on = '{2024-01-01,2025-07-01}' WHERE organization_id = $1`, people.organization)
	p = o.forwarded(t, key)
	for day, want := range map[string]string{"2023-12-31": "typed_or_life", "2024-01-01": "typed",
		"2025-06-30": "typed", "2025-07-01": "typed_or_life"} {
		if got := p.RenewalBasisOn(day); got != want {
			t.Errorf("on %s: %s, want %s", day, got, want)
		}
	}
}

// forwarded is the principal that a service gets for a request with a key.
func (o *peopleFixture) forwarded(t *testing.T, key string) principal.Principal {
	t.Helper()
	header := call(t, "GET", o.url+"/v1/assets", key).json(t)["header"].(map[string]any)
	p, err := o.signer.Verify(header[principal.Header].([]any)[0].(string))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSettingsThatAreRefused(t *testing.T) {
	o := newPeopleFixture(t)
	o.exec(`UPDATE organization SET land_area_km2 = 7 WHERE organization_id = $1`, people.organization)
	for body, fields := range map[string]string{
		`{"time_zone":"America/Nowhere"}`:                      "time_zone",
		`{"time_zone":"Toronto"}`:                              "time_zone",
		`{"time_zone":"EST5EDT4"}`:                             "time_zone", // PostgreSQL alone makes something of it
		`{"time_zone":"america/toronto"}`:                      "time_zone",
		`{"time_zone":"Local"}`:                                "time_zone",
		`{"time_zone":""}`:                                     "time_zone",
		`{"time_zone":null}`:                                   "time_zone",
		`{"renewal_basis":"planned"}`:                          "renewal_basis",
		`{"renewal_basis":null}`:                               "renewal_basis",
		`{"renewal_basis_changed_on":[]}`:                      "renewal_basis_changed_on",
		`{"fci_bands":[5,10]}`:                                 "fci_bands",
		`{"fci_bands":[5,10,10]}`:                              "fci_bands",
		`{"fci_bands":[0,10,30]}`:                              "fci_bands",
		`{"fci_bands":[5,10.001,30]}`:                          "fci_bands",
		`{"fci_bands":"5,10,30"}`:                              "fci_bands",
		`{"time_zone":5}`:                                      "time_zone",
		`{"fiscal_year_end_month":0}`:                          "fiscal_year_end_month",
		`{"fiscal_year_end_month":13}`:                         "fiscal_year_end_month",
		`{"fiscal_year_end_month":1.5}`:                        "fiscal_year_end_month",
		`{"fiscal_year_end_month":"8"}`:                        "fiscal_year_end_month",
		`{"fiscal_year_end_month":null}`:                       "fiscal_year_end_month",
		`{"land_area_km2":0}`:                                  "land_area_km2",
		`{"land_area_km2":-1}`:                                 "land_area_km2",
		`{"land_area_km2":0.00001}`:                            "land_area_km2",
		`{"land_area_km2":1.23456}`:                            "land_area_km2",
		`{"land_area_km2":100000000}`:                          "land_area_km2",
		`{"land_area_km2":1e300}`:                              "land_area_km2",
		`{"land_area_km2":"120"}`:                              "land_area_km2",
		`{"currency":"USD"}`:                                   "currency",
		`{"currency":"CAD"}`:                                   "currency",
		`{"name":"Anything"}`:                                  "name",
		`{"contact_retention_days":0}`:                         "contact_retention_days",
		`{"contact_retention_days":3651}`:                      "contact_retention_days",
		`{"contact_retention_days":null}`:                      "contact_retention_days",
		`{"public_requests_per_link":1.5}`:                     "public_requests_per_link",
		`{"public_requests_per_link":10001}`:                   "public_requests_per_link",
		`{"public_requests_per_day":"1000"}`:                   "public_requests_per_day",
		`{"public_requests_per_day":100001}`:                   "public_requests_per_day",
		`{"jurisdiction_id":"riviere-claire.ca"}`:              "jurisdiction_id", // the operator's to give
		`{"jurisdiction_id":null}`:                             "jurisdiction_id",
		`{"fiscal_year_end_month":8,"land_area_km2":0}`:        "land_area_km2",
		`{"time_zone":"x","fiscal_year_end_month":13,"tz":""}`: "time_zone fiscal_year_end_month tz",
	} {
		a := send(t, "PATCH", o.internal+settingsPath, o.ada, body)
		var named []string
		if a.StatusCode == 400 {
			for _, f := range a.json(t)["fields"].([]any) {
				named = append(named, f.(map[string]any)["field"].(string))
			}
		}
		if strings.Join(named, " ") != fields {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	if a := send(t, "GET", o.internal+settingsPath, o.ada, ""); string(a.body) != strings.Replace(defaultSettings, "null", "7", 1) {
		t.Errorf("something was written: %s", a.body)
	}
	if entries, _, _ := o.trailOf(t, "limit=1"); entries[0]["action"] == "organization.settings_changed" {
		t.Error("the trail has a change that was refused")
	}
	for _, body := range []string{`{"land_area_km2":0.0001}`, `{"land_area_km2":99999999}`, `{"time_zone":"UTC"}`,
		`{"fiscal_year_end_month":2}`, `{}`} {
		if a := send(t, "PATCH", o.internal+settingsPath, o.ada, body); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
}

func TestWhatHoldsForPeopleWithoutAKeyIsASetting(t *testing.T) {
	o := newPeopleFixture(t)
	const changed = `{"contact_retention_days":30,"public_requests_per_link":120,"public_requests_per_day":20000}`
	if a := send(t, "PATCH", o.internal+settingsPath, o.ada, changed); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), changed[1:len(changed)-1]) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for _, wrong := range []string{`""`, `"Rivière-Claire"`, `"riviere claire.ca"`, `"-a"`, `"a/b"`, `".."`, `5`, `"` + newID() + `"`,
		`"` + strings.Repeat("a", 101) + `"`} {
		if a := send(t, "PATCH", o.internal+settingsPath, testToken, `{"jurisdiction_id":`+wrong+`}`); a.StatusCode != 400 {
			t.Errorf("%s: %d %s", wrong, a.StatusCode, a.body)
		}
	}
	if a := send(t, "PATCH", o.internal+settingsPath, testToken, `{"jurisdiction_id":"riviere-claire.ca"}`); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := send(t, "PATCH", o.internal+settingsPath, o.ada, `{"time_zone":"UTC"}`); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), `"jurisdiction_id":"riviere-claire.ca","contact_retention_days":30`) {
		t.Errorf("what was not given: %d %s", a.StatusCode, a.body)
	}
	entries, _, _ := o.trailOf(t, "limit=3")
	for i, want := range []string{`{"time_zone":["America/Toronto","UTC"]}`, `{"jurisdiction_id":[null,"riviere-claire.ca"]}`,
		`{"contact_retention_days":[365,30],"public_requests_per_day":[1000,20000],"public_requests_per_link":[60,120]}`} {
		if changes, _ := json.Marshal(entries[i]["changes"]); string(changes) != want {
			t.Errorf("the trail has %s, want %s", changes, want)
		}
	}
	// A name is given out once.
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	elsewhere := o.internal + "/internal/organizations/" + other + "/settings"
	if a := send(t, "PATCH", elsewhere, testToken, `{"jurisdiction_id":"riviere-claire.ca"}`); a.StatusCode != 409 ||
		a.json(t)["field"] != "jurisdiction_id" {
		t.Errorf("a name of somebody else: %d %s", a.StatusCode, a.body)
	}
	send(t, "PATCH", o.internal+settingsPath, testToken, `{"jurisdiction_id":null}`)
	if a := send(t, "PATCH", elsewhere, testToken, `{"jurisdiction_id":"riviere-claire.ca"}`); a.StatusCode != 200 {
		t.Errorf("a name that was given back: %d %s", a.StatusCode, a.body)
	}
	// Our services alone find organizations by it.
	const path = "/internal/jurisdictions/"
	service := principal.Principal{Actor: principal.Actor{Type: "service", ID: "requests", Name: "requests"}}
	if a := o.as(t, service, http.MethodGet, path+"riviere-claire.ca", ""); a.StatusCode != 200 || a.json(t)["organization_id"] != other {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := o.as(t, service, http.MethodGet, path+"nowhere.ca", ""); a.StatusCode != 404 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for name, bearer := range map[string]string{"an Administrator": o.ada, "the operator": testToken} {
		if a := send(t, "GET", o.internal+path+"riviere-claire.ca", bearer, ""); a.StatusCode != 403 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
}

func TestWhoMayReadAndChangeSettings(t *testing.T) {
	o := newPeopleFixture(t)
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	service := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "service", ID: "los", Name: "los"}}
	foreign := service
	foreign.OrganizationID = other
	key := service
	key.Actor, key.Scopes = principal.Actor{Type: "api_key", ID: people.max, Name: "BI"}, []string{"*:*"}
	for name, row := range map[string]struct {
		as            principal.Principal
		read, changed int
	}{
		"a service of the organization":      {service, 200, 403},
		"a service in another organization":  {foreign, 404, 403},
		"an Administrator, from the console": {console(people.ada, "Ada", "administrator"), 200, 200},
		"a member, from the console":         {console(people.max, "Max", "member"), 403, 403},
		"a key, passed on by a service":      {key, 403, 403},
	} {
		if a := o.as(t, row.as, http.MethodGet, settingsPath, ""); a.StatusCode != row.read {
			t.Errorf("%s reads: %d %s", name, a.StatusCode, a.body)
		}
		if a := o.as(t, row.as, http.MethodPatch, settingsPath, `{"fiscal_year_end_month":3}`); a.StatusCode != row.changed {
			t.Errorf("%s changes: %d %s", name, a.StatusCode, a.body)
		}
	}
	made := o.created(t, `{"name":"a","scopes":["assets:read"]}`)
	for name, row := range map[string]struct {
		bearer        string
		read, changed int
	}{
		"nobody": {"", 401, 401}, "a key": {made["value"].(string), 401, 401}, "the operator": {testToken, 200, 200},
		"a member":         {o.max, 403, 403},
		"an Administrator": {o.eva, 200, 200},
	} {
		if a := send(t, "GET", o.internal+settingsPath, row.bearer, ""); a.StatusCode != row.read {
			t.Errorf("%s reads: %d %s", name, a.StatusCode, a.body)
		}
		if a := send(t, "PATCH", o.internal+settingsPath, row.bearer, `{"fiscal_year_end_month":4}`); a.StatusCode != row.changed {
			t.Errorf("%s changes: %d %s", name, a.StatusCode, a.body)
		}
	}
	elsewhere := o.internal + "/internal/organizations/" + other + "/settings"
	if a := send(t, "PATCH", elsewhere, o.ada, `{"fiscal_year_end_month":4}`); a.StatusCode != 404 {
		t.Errorf("an Administrator changes another organization: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "PATCH", o.internal+"/internal/organizations/"+newID()+"/settings", testToken, `{}`); a.StatusCode != 404 {
		t.Errorf("an organization that is not there: %d %s", a.StatusCode, a.body)
	}
}

// Whom the gateway asks on behalf of an organization knows its days and its money.
func TestServicesAreAskedOnTheDaysOfTheOrganization(t *testing.T) {
	o := newPeopleFixture(t)
	o.exec(`UPDATE organization SET time_zone = 'America/Vancouver', fiscal_year_end_month = 3
		WHERE organization_id = $1`, people.organization)
	send(t, "POST", o.internal+organizationPath+"/users/invite", o.ada, `{"email":"x@example.ca","name":"X"}`)
	o.trailOf(t, "limit=1")
	for _, path := range []string{"/v1/users", "/internal/users/invitations", "/internal/changes"} {
		o.people.set(func(d *directory) {
			if p := d.asked[path]; p.TimeZone != "America/Vancouver" || p.FiscalYearEnd != 3 || p.Currency != "CAD" ||
				p.OrganizationID != people.organization {
				t.Errorf("%s is asked for %+v", path, p)
			}
		})
	}
	a := send(t, "POST", o.internal+"/internal/organizations", testToken, `{"name":"New","plan":"enterprise","currency":"USD",
		"administrator":{"email":"a@example.ca","name":"Ada","password":"correct horse"}}`)
	o.people.set(func(d *directory) {
		p := d.asked["/internal/users/administrators"]
		if a.StatusCode != 201 || p.TimeZone != "America/Toronto" || p.FiscalYearEnd != 12 || p.Currency != "USD" {
			t.Errorf("%d: the administrator is made by %+v", a.StatusCode, p)
		}
	})
}

// A bare date of the trail is a whole day where the organization is: on 2026-11-01 the clocks go back, and the day has 25 hours.
func TestADayOfTheTrailIsTheOrganizations(t *testing.T) {
	o := newPeopleFixture(t)
	for i, at := range []string{"2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z", "2026-11-02T05:00:00Z"} {
		o.exec(`INSERT INTO audit (organization_id, id, at, actor, action, subject, address, request_id)
			VALUES ($1, $2, $3, '{}', $4, '{}', '', '')`, people.organization, newID(), at, fmt.Sprint("test.", i))
	}
	if entries, _, _ := o.trailOf(t, "from=2026-11-01&to=2026-11-01"); actions(entries) != "test.2 test.1" {
		t.Errorf("the day has %s", actions(entries))
	}
}

// Of changes at the same time, each tells the trail what the one before has left.
func TestSettingsThatChangeAtTheSameTime(t *testing.T) {
	o := newPeopleFixture(t)
	var work sync.WaitGroup
	for month := 1; month <= 8; month++ {
		work.Go(func() {
			if a := send(t, "PATCH", o.internal+settingsPath, o.ada, fmt.Sprintf(`{"fiscal_year_end_month":%d}`, month)); a.StatusCode != 200 {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	}
	work.Wait()
	entries, _, _ := o.trailOf(t, "limit=8")
	present := send(t, "GET", o.internal+settingsPath, o.ada, "").json(t)["fiscal_year_end_month"]
	for _, e := range entries { // the newest first
		both, _ := e["changes"].(map[string]any)["fiscal_year_end_month"].([]any)
		if len(both) != 2 || both[1] != present {
			t.Fatalf("%v does not lead to %v", e["changes"], present)
		}
		present = both[0]
	}
	if present != 12.0 {
		t.Errorf("the first change is from %v", present)
	}
}

// What services ask through libs/reference is what the gateway answers.
func TestServicesReadSettingsAndOrganizationsByTheirClient(t *testing.T) {
	o := newPeopleFixture(t)
	o.exec(`UPDATE organization SET land_area_km2 = 71.3, fiscal_year_end_month = 8, jurisdiction_id = 'riviere-claire.ca',
		contact_retention_days = 30
		WHERE organization_id = $1`, people.organization)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1",
		Static: map[string][]string{"gateway-internal": {strings.TrimPrefix(o.internal, "http://")}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	services := reference.NewClient(directory, o.signer)
	caller := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "api_key", ID: people.max, Name: "BI"}}
	found, err := services.Settings(principal.Into(t.Context(), caller), "los")
	if err != nil || found.LandArea == nil || *found.LandArea != "71.3" || found.FiscalYearEndMonth != 8 ||
		found.TimeZone != "America/Toronto" || found.Currency != "CAD" {
		t.Errorf("%+v, %v", found, err)
	}
	if found.JurisdictionID == nil || *found.JurisdictionID != "riviere-claire.ca" || found.ContactRetentionDays != 30 ||
		found.PublicRequestsPerLink != 60 {
		t.Errorf("%+v", found)
	}
	if id, err := services.Jurisdiction(t.Context(), "requests", "riviere-claire.ca"); err != nil || id != people.organization {
		t.Errorf("%s, %v", id, err)
	}
	if one, err := services.Organization(t.Context(), "requests", people.organization); err != nil || one.ContactRetentionDays != 30 ||
		one.PublicRequestsPerDay != 1000 {
		t.Errorf("%+v, %v", one, err)
	}
	for i := range 105 { // more than a page
		o.exec(`INSERT INTO organization (organization_id, name, plan, currency, created_at)
			VALUES ($1, 'Somebody else', 'professional', 'USD', now() + $2 * interval '1 second')`, newID(), i)
	}
	all, err := services.Organizations(t.Context(), "assets")
	if err != nil || len(all) != 106 || all[0].ID != people.organization || all[0].FiscalYearEndMonth != 8 || all[105].Currency != "USD" ||
		fmt.Sprint(all[105].Features) != "[projects]" || all[105].TimeZone != "America/Toronto" {
		t.Errorf("%d organizations, %v", len(all), err)
	}
}
