package gateway

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/principal"
)

func TestLimitsOfAnOrganizationAreSetAndPutBack(t *testing.T) {
	o := newPeopleFixture(t)
	key, _ := o.key(newKey{organization: people.organization})
	organization := o.internal + organizationPath
	limits := func() string { return fmt.Sprint(call(t, "GET", o.url+"/v1/me", key).json(t)["limits"]) }
	const plans = "map[active_keys:100 long_polls:20 requests_in_flight:60 requests_per_minute:5000 " +
		"storage_bytes:1.099511627776e+12 streams:4]"
	if limits() != plans {
		t.Errorf("the plan's are %s", limits())
	}
	a := send(t, "PATCH", organization, testToken,
		`{"limits":{"requests_per_minute":8000,"requests_in_flight":100,"streams":8,"long_polls":40,"active_keys":200,`+
			`"storage_bytes":3000000000}}`)
	if a.StatusCode != 200 ||
		fmt.Sprint(a.json(t)["own_limits"]) != "[requests_per_minute requests_in_flight streams long_polls active_keys storage_bytes]" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	const own = "map[active_keys:200 long_polls:40 requests_in_flight:100 requests_per_minute:8000 storage_bytes:3e+09 streams:8]"
	if limits() != own || fmt.Sprint(send(t, "GET", organization, o.ada, "").json(t)["limits"]) != own {
		t.Errorf("its own are %s", limits())
	}
	a = send(t, "PATCH", organization, testToken,
		`{"limits":{"requests_per_minute":null,"requests_in_flight":null,"streams":null,"long_polls":null,"active_keys":null,`+
			`"storage_bytes":null}}`)
	if a.StatusCode != 200 || limits() != plans || fmt.Sprint(a.json(t)["own_limits"]) != "[]" {
		t.Errorf("%d %s, %s", a.StatusCode, a.body, limits())
	}
	entries, _, _ := o.trailOf(t, "limit=2")
	change := entries[1]
	if change["action"] != "organization.limits_changed" || change["actor"].(map[string]any)["name"] != "Platform operator" ||
		fmt.Sprint(change["changes"].(map[string]any)["streams"]) != "[plan 8]" {
		t.Errorf("the trail has %v", change)
	}
	for _, body := range []string{`{"limits":{"streams":9}}`, `{"limits":{"long_polls":41}}`} {
		a = send(t, "PATCH", organization, testToken, body)
	}
	if a.StatusCode != 200 || fmt.Sprint(a.json(t)["own_limits"]) != "[streams long_polls]" ||
		limits() != "map[active_keys:100 long_polls:41 requests_in_flight:60 requests_per_minute:5000 "+
			"storage_bytes:1.099511627776e+12 streams:9]" {
		t.Errorf("what is not given changes: %d %s, %s", a.StatusCode, a.body, limits())
	}
	for body, field := range map[string]string{
		`{"limits":{"streams":0}}`: "limits.streams", `{"limits":{"streams":1.5}}`: "limits.streams", `{"limits":{"cakes":1}}`: "limits.cakes",
		`{"limits":{"active_keys":"plan"}}`:             "limits.active_keys",
		`{"limits":{"storage_bytes":1125899906842625}}`: "limits.storage_bytes", `{"limits":{"streams":1000001}}`: "limits.streams",
		`{"limits":[]}`: "limits", `{"name":"x"}`: "name",
	} {
		a := send(t, "PATCH", organization, testToken, body)
		if a.StatusCode != 400 || !strings.Contains(string(a.body), `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	if a := send(t, "PATCH", organization, o.ada, `{"limits":{"streams":9}}`); a.StatusCode != 403 {
		t.Errorf("an Administrator sets limits: %d", a.StatusCode)
	}
}

// 5 GiB, 100 GiB and 1 TiB are the plans', 500 GiB the add-on's, 1 GiB a sandbox's; what an organization has of its own outweighs them. A
// service is told in the principal of the very next request.
func TestPlansAndAddOnsGrantStorage(t *testing.T) {
	o := newPeopleFixture(t)
	o.serve("assets", echo)
	g := o.start()
	key, _ := o.key(newKey{organization: people.organization})
	granted := func(key string, want int64) {
		t.Helper()
		limits := call(t, "GET", g.url+"/v1/me", key).json(t)["limits"].(map[string]any)
		if limits["storage_bytes"] != float64(want) {
			t.Errorf("%v bytes are granted, wanted %d", limits["storage_bytes"], want)
		}
		header := call(t, "GET", g.url+"/v1/assets", key).json(t)["header"].(map[string]any)[principal.Header]
		if p, err := g.signer.Verify(header.([]any)[0].(string)); err != nil || p.StorageLimit != want {
			t.Errorf("a service is told of %d bytes, %v; wanted %d", p.StorageLimit, err, want)
		}
	}
	change := func(organization, body string) {
		t.Helper()
		if a := send(t, "PATCH", g.internal+"/internal/organizations/"+organization, testToken, body); a.StatusCode != 200 {
			t.Fatalf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	granted(key, 1<<40)
	change(people.organization, `{"plan":"professional","add_ons":["api_keys"]}`)
	granted(key, 100<<30)
	change(people.organization, `{"plan":"essentials","add_ons":["api_keys"]}`)
	granted(key, 5_368_709_120)
	change(people.organization, `{"add_ons":["api_keys","storage","storage"]}`) // once is all there is
	granted(key, 505<<30)
	change(people.organization, `{"limits":{"storage_bytes":1000}}`)
	granted(key, 1000)

	if a := send(t, "POST", g.internal+organizationPath+"/sandbox", testToken, ""); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	test := send(t, "POST", g.internal+"/internal/organizations/"+principal.SandboxOf(people.organization)+"/keys", o.ada,
		`{"name":"CI","scopes":["assets:read"]}`).json(t)["value"].(string)
	granted(test, 1<<30)
	change(principal.SandboxOf(people.organization), `{"limits":{"storage_bytes":2000}}`)
	granted(test, 2000)
	change(people.organization, `{"limits":{"storage_bytes":null}}`)
	granted(key, 505<<30)
	if got := send(t, "GET", g.internal+organizationPath,
		testToken, "").json(t)["limits"].(map[string]any)["storage_bytes"]; got != float64(505<<30) {
		t.Errorf("the operator sees %v", got)
	}
}

func TestAnOrganizationHasSoManyActiveKeys(t *testing.T) {
	o := newPeopleFixture(t)
	o.ceilings(people.organization, "active_keys = 2")
	const draft = `{"name":"BI","scopes":["assets:read"]}`
	first, second := o.created(t, draft)["id"].(string), o.created(t, draft)["id"].(string)
	refused := func(path, body string) {
		t.Helper()
		a := send(t, "POST", path, o.ada, body)
		if a.StatusCode != 409 || a.json(t)["code"] != "too_many_keys" || !strings.Contains(string(a.body), "revoke or suspend") {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	done := func(path, body string) map[string]any {
		t.Helper()
		a := send(t, "POST", path, o.ada, body)
		if a.StatusCode > 201 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
		return a.json(t)
	}
	refused(o.keys, draft)
	refused(o.keys+"/"+first+"/replace", `{"overlap_seconds":60}`)
	first = done(o.keys+"/"+first+"/replace", `{}`)["id"].(string) // one comes and one goes
	done(o.keys+"/"+second+"/resume", `{}`)                        // it is active already
	done(o.keys+"/"+second+"/suspend", `{}`)
	third := done(o.keys, draft)["id"].(string)
	refused(o.keys+"/"+second+"/resume", `{}`)
	refused(o.keys+"/"+second+"/replace", `{}`) // of a suspended one: it adds one
	done(o.keys+"/"+third+"/revoke", `{}`)
	done(o.keys+"/"+second+"/resume", `{}`)
	o.ceilings(people.organization, "active_keys = 1")
	done(o.keys+"/"+first+"/replace", `{}`) // a leaked key can always be replaced

	// Many at once are not more.
	o.ceilings(people.organization, "active_keys = 5")
	var made atomic.Int64
	var work sync.WaitGroup
	for i := range 12 {
		session := []string{o.ada, o.eva}[i%2]
		work.Go(func() {
			if send(t, "POST", o.keys, session, draft).StatusCode == 201 {
				made.Add(1)
			}
		})
	}
	work.Wait()
	if made.Load() != 3 {
		t.Errorf("%d keys were made where there was room for 3", made.Load())
	}
}

func TestTheReportOnUseShowsTheCeilings(t *testing.T) {
	o := newPeopleFixture(t)
	second := o.start() // which has counted nothing
	key, _ := o.key(newKey{organization: people.organization})
	withinOneMinute(10 * time.Second)
	for range 3 {
		call(t, "GET", o.url+"/v1/assets", key)
	}
	report := send(t, "GET", second.internal+organizationPath+"/usage", testToken, "").json(t)
	if report["this_minute"] != 3.0 || report["limits"].(map[string]any)["requests_per_minute"] != 5000.0 {
		t.Errorf("%v", report)
	}
}
