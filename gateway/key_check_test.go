package gateway

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry/telemetrytest"
)

// mcp is the service that checks keys.
var mcp = principal.Principal{Actor: principal.Actor{Type: "service", ID: "mcp", Name: "AI assistants"}, Origin: "mcp"}

// checkKeyAt checks a key as the MCP service does, for a caller at an address.
func (r *running) checkKeyAt(t testing.TB, key, address string) *fullResponse {
	t.Helper()
	return r.countRequestsAt(t, key, address, 0)
}

// countRequestsAt checks a key and has requests counted.
func (r *running) countRequestsAt(t testing.TB, key, address string, requests int) *fullResponse {
	t.Helper()
	question, err := json.Marshal(map[string]any{"key": key, "address": address, "requests": requests})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, r.internal+"/internal/keys/check", strings.NewReader(string(question)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(principal.Header, r.signer.Sign(mcp))
	return perform(t, request)
}

func TestACheckOfAKeySaysWhatTheAPIWouldSay(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	organization := newID()
	good, id := w.key(newKey{organization: organization, scopes: []string{"assets:read", "sites:read"}, rateLimit: 7})
	var checked struct {
		Organization struct{ ID, Name, Plan string }
		Key          struct {
			ID, Name  string
			Scopes    []string
			ExpiresAt string `json:"expires_at"`
		}
		Features  []string
		RateLimit int `json:"rate_limit"`
	}
	a := g.checkKeyAt(t, good, "203.0.113.7")
	if err := json.Unmarshal(a.body, &checked); err != nil || a.StatusCode != 200 {
		t.Fatalf("%d %s %v", a.StatusCode, a.body, err)
	}
	if checked.Organization != (struct{ ID, Name, Plan string }{organization, "Ville de Bellerive", "enterprise"}) ||
		checked.Key.ID != id || checked.Key.Name != "Power BI" ||
		strings.Join(checked.Key.Scopes, " ") != "assets:read sites:read" ||
		strings.Join(checked.Features, " ") != "accounting api_access infrastructure los maintenance planning projects" ||
		checked.RateLimit != 7 {
		t.Errorf("%+v", checked)
	}
	if expires, err := time.Parse(time.RFC3339, checked.Key.ExpiresAt); err != nil || time.Until(expires) > time.Hour ||
		strings.Contains(string(a.body), good) {
		t.Errorf("%s, %v", a.body, err)
	}

	withState := func(k newKey) string { value, _ := w.key(k); return value }
	for name, value := range map[string]string{
		"nobody's":          keys.Generate(keys.Live),
		"no key":            "nonsense",
		"a token":           "ams_access_AAAA",
		"a long text":       "ams_live_" + strings.Repeat("x", 2000),
		"revoked":           withState(newKey{state: "revoked"}),
		"suspended":         withState(newKey{state: "inactive"}),
		"expired":           withState(newKey{expiresIn: -time.Minute}),
		"without the plan":  withState(newKey{plan: "essentials"}),
		"of another place":  withState(newKey{networks: []string{"192.0.2.0/24"}}),
		"of this very spot": withState(newKey{networks: []string{"127.0.0.0/8"}}),
	} {
		t.Run(name, func(t *testing.T) {
			api, check := call(t, "GET", g.url+"/v1/assets", value), g.checkKeyAt(t, value, "127.0.0.1")
			if api.StatusCode != check.StatusCode {
				t.Fatalf("the API says %d %s, the check %d %s", api.StatusCode, api.body, check.StatusCode, check.body)
			}
			if api.StatusCode != 200 && (api.json(t)["code"] != check.json(t)["code"] || api.json(t)["error"] != check.json(t)["error"]) {
				t.Errorf("the API says %s, the check %s", api.body, check.body)
			}
		})
	}
	for _, address := range []string{"nowhere", "203.0.113.7:80"} {
		if a := g.checkKeyAt(t, good, address); a.StatusCode != 200 {
			t.Errorf("at %q: %d %s", address, a.StatusCode, a.body)
		}
		if a := g.checkKeyAt(t, withState(newKey{networks: []string{"192.0.2.0/24"}}), address); a.StatusCode != 403 ||
			a.json(t)["code"] != "network_not_allowed" {
			t.Errorf("at %q: %d %s", address, a.StatusCode, a.body)
		}
	}
}

func TestACheckIsNeitherCountedNorRecordedAsUse(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	value, id := w.key(newKey{rateLimit: 3})
	withinOneMinute(10 * time.Second)
	for range 20 {
		if a := g.checkKeyAt(t, value, "203.0.113.7"); a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	g.edge.WriteUsage(t.Context())
	var uses int
	if err := w.owner.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM key_day WHERE key_id = $1)
		+ (SELECT count(*) FROM key_use WHERE key_id = $1)`, id).Scan(&uses); err != nil || uses != 0 {
		t.Errorf("%d entries of use, %v", uses, err)
	}
	if a := call(t, "GET", g.url+"/v1/assets", value); a.StatusCode != 200 || a.Header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("%d, %s remain", a.StatusCode, a.Header.Get("X-RateLimit-Remaining"))
	}
}

func TestRequestsThatCameInOneAreCountedAgainstTheKeysLimit(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	value, _ := w.key(newKey{rateLimit: 30})
	withinOneMinute(10 * time.Second)
	if a := g.countRequestsAt(t, value, "203.0.113.7", 19); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if a := call(t, "GET", g.url+"/v1/assets", value); a.StatusCode != 200 || a.Header.Get("X-RateLimit-Remaining") != "10" {
		t.Errorf("%d, %s remain", a.StatusCode, a.Header.Get("X-RateLimit-Remaining"))
	}
	over := g.countRequestsAt(t, value, "203.0.113.7", 11)
	api := call(t, "GET", g.url+"/v1/assets", value)
	if over.StatusCode != 429 || over.Header.Get("Retry-After") == "" || over.json(t)["code"] != api.json(t)["code"] ||
		over.json(t)["error"] != api.json(t)["error"] {
		t.Errorf("%d %s, the API says %s", over.StatusCode, over.body, api.body)
	}
	if a := g.checkKeyAt(t, value, "203.0.113.7"); a.StatusCode != 200 {
		t.Errorf("the check itself: %d %s", a.StatusCode, a.body)
	}
	for _, requests := range []int{-1, 101} {
		if a := g.countRequestsAt(t, value, "203.0.113.7", requests); a.StatusCode != 400 {
			t.Errorf("%d requests: %d %s", requests, a.StatusCode, a.body)
		}
	}
}

func TestOnlyOurServicesCheckKeys(t *testing.T) {
	o := newPeopleFixture(t)
	value, _ := o.key(newKey{organization: people.organization})
	body := `{"key":"` + value + `","address":"127.0.0.1"}`
	for name, by := range map[string]string{"the operator": testToken, "an Administrator": o.ada, "a member": o.max} {
		if a := send(t, "POST", o.internal+"/internal/keys/check", by, body); a.StatusCode != 403 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
	if a := send(t, "POST", o.internal+"/internal/keys/check", "", body); a.StatusCode != 401 {
		t.Errorf("nobody: %d %s", a.StatusCode, a.body)
	}
	if a := o.as(t, console(people.ada, "Ada", "administrator"), "POST", "/internal/keys/check", body); a.StatusCode != 403 {
		t.Errorf("the console for a person: %d %s", a.StatusCode, a.body)
	}
	key := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "api_key", ID: newID(), Name: "BI"},
		Scopes: []string{"*:*"}}
	if a := o.as(t, key, "POST", "/internal/keys/check", body); a.StatusCode != 403 {
		t.Errorf("a service for a key: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "POST", o.url+"/internal/keys/check", "", body); a.StatusCode != 404 {
		t.Errorf("in public: %d %s", a.StatusCode, a.body)
	}
}

// Many checks at once share look-ups with each other, and a revocation that has its response holds for every check that begins later.
func TestChecksShareLookUpsAndSeeARevocationAtOnce(t *testing.T) {
	collector := telemetrytest.Start(t)
	o := newPeopleFixture(t, func(c *Config) { c.OTLPEndpoint = collector.URL })
	value, id := o.key(newKey{organization: people.organization})
	var revoked atomic.Bool
	var begun, late, refused atomic.Int64
	var checks sync.WaitGroup
	const callers, each = 32, 40
	for range callers {
		checks.Go(func() {
			for range each {
				after := revoked.Load()
				a := o.checkKeyAt(t, value, "203.0.113.7")
				begun.Add(1)
				switch {
				case a.StatusCode == 401:
					refused.Add(1)
				case a.StatusCode != 200:
					t.Errorf("%d %s", a.StatusCode, a.body)
				case after:
					late.Add(1)
				}
			}
		})
	}
	for begun.Load() < callers*each/3 {
		time.Sleep(time.Millisecond)
	}
	if a := send(t, "POST", o.keys+"/"+id+"/revoke", o.ada, `{}`); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	revoked.Store(true)
	if a := o.checkKeyAt(t, value, "203.0.113.7"); a.StatusCode != 401 || a.json(t)["code"] != "key_revoked" {
		t.Errorf("the very next check: %d %s", a.StatusCode, a.body)
	}
	checks.Wait()
	if late.Load() != 0 || refused.Load() == 0 {
		t.Errorf("%d checks that began after the revocation let the key in, %d refused it", late.Load(), refused.Load())
	}
	o.stop()
	if statements := lookups(collector); statements >= callers*each || statements == 0 {
		t.Errorf("%d statements for %d checks", statements, callers*each)
	} else {
		t.Logf("%d statements for %d checks", statements, callers*each)
	}
}

func TestACheckThatCannotBeMadeSaysNothingAboutTheKey(t *testing.T) {
	w := newFixture(t)
	original, err := url.Parse(w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := newCable(t, original.Host)
	g := w.start(func(c *Config) { c.DatabaseURL = line.databaseURL(t, w.database.URL) })
	value, _ := w.key(newKey{})
	if a := g.checkKeyAt(t, value, "127.0.0.1"); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	line.set(true, false)
	if a := g.checkKeyAt(t, value, "127.0.0.1"); a.StatusCode != 503 || a.json(t)["code"] != "plan_unconfirmed" ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if strings.Contains(g.logs.String(), value) {
		t.Error("the key is in the log")
	}
}

// A service that calls on somebody's behalf says where they are, and is believed because it signs; nobody else is.
func TestTheAddressThatAServiceVouchesForIsTheCallers(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	value, id := w.key(newKey{networks: []string{"192.0.2.0/24", "2001:db8::/32"}})
	at := func(p principal.Principal, address string) principal.Principal { p.Address = address; return p }
	foreign, err := principal.NewSigner("another secret with 32 characters or more")
	if err != nil {
		t.Fatal(err)
	}
	person := principal.Principal{OrganizationID: newID(), Actor: principal.Actor{Type: "user", ID: newID()}, Address: "192.0.2.9"}
	for name, test := range map[string]struct {
		header string
		status int
	}{
		"inside":                    {g.signer.Sign(at(mcp, "192.0.2.9")), 200},
		"inside, IPv6":              {g.signer.Sign(at(mcp, "2001:db8::7")), 200},
		"outside":                   {g.signer.Sign(at(mcp, "198.51.100.4")), 403},
		"no address":                {g.signer.Sign(at(mcp, "")), 403},
		"signed by somebody else":   {foreign.Sign(at(mcp, "192.0.2.9")), 403},
		"signed long ago":           {g.signer.SignFor(at(mcp, "192.0.2.9"), -time.Second), 403},
		"a person's":                {g.signer.Sign(person), 403},
		"an address and no signing": {"192.0.2.9", 403},
	} {
		t.Run(name, func(t *testing.T) {
			a := call(t, "GET", g.url+"/v1/assets", value, principal.Header, test.header)
			if a.StatusCode != test.status {
				t.Fatalf("%d %s, want %d", a.StatusCode, a.body, test.status)
			}
			if test.status == 200 {
				forwarded, err := g.signer.Verify(a.json(t)["header"].(map[string]any)[principal.Header].([]any)[0].(string))
				if err != nil || forwarded.Actor.ID != id ||
					!netip.MustParsePrefix("192.0.2.0/24").Contains(netip.MustParseAddr(forwarded.Address)) &&
						!strings.HasPrefix(forwarded.Address, "2001:db8:") {
					t.Errorf("the service got %+v, %v", forwarded, err)
				}
			}
		})
	}
	if a := call(t, "GET", g.url+"/v1/assets", "", principal.Header, g.signer.Sign(at(mcp, "192.0.2.9"))); a.StatusCode != 401 {
		t.Errorf("a service without a key: %d", a.StatusCode)
	}
}

// Assistants send what the MCP service seals keys in; where it goes astray, no log has it.
func TestNoCodeOrTokenIsLogged(t *testing.T) {
	w := newFixture(t)
	w.serve("mcp", echo)
	g := w.start()
	for _, secret := range []string{"ams_access_s3cr3t-A_b", "ams_refresh_s3cr3t", "ams_code_s3cr3t"} {
		call(t, "GET", g.url+"/v1/"+secret, "")
		call(t, "GET", g.url+"/nowhere/"+secret+"?code="+secret, secret)
		call(t, "GET", g.url+"/v1/assets", secret, "X-Request-Id", secret)
		call(t, "POST", g.url+"/oauth/"+secret, secret)
	}
	if logged := g.logs.String(); strings.Contains(logged, "s3cr3t") || !strings.Contains(logged, "ams_access_[redacted]") {
		t.Errorf("%s", logged)
	}
}
