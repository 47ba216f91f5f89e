package gateway

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/principal"
)

func testSigner(t *testing.T) *principal.Signer {
	t.Helper()
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// sent is the principal that a service behind the gateway was sent; found is false where it was sent none.
func sent(t *testing.T, a *fullResponse) (p principal.Principal, found bool) {
	t.Helper()
	if a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	given, _ := a.json(t)["header"].(map[string]any)[principal.Header].([]any)
	if len(given) == 0 {
		return p, false
	}
	p, err := testSigner(t).Verify(given[0].(string))
	if err != nil {
		t.Fatal(err)
	}
	return p, true
}

// remaining is what the limit leaves in this minute.
func remaining(t *testing.T, a *fullResponse) int {
	t.Helper()
	left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
	if err != nil {
		t.Fatalf("%d %v: %v", a.StatusCode, a.Header, err)
	}
	return left
}

func TestServicesSeeThatARequestIsPinned(t *testing.T) {
	w := newFixture(t)
	key, _ := w.key(newKey{})
	w.serve("assets", echo)
	w.serve("console", echo)
	g := w.start()
	for _, c := range []struct {
		name, path     string
		headers        []string
		found, pinned  bool
		organizationID bool
	}{
		{"not pinned", "/v1/assets", nil, true, false, true},
		{"by header", "/v1/assets", []string{"X-Region", "ca-central-1"}, true, true, true},
		{"by query", "/v1/assets?forceFunctionRegion=ca-central-1", nil, true, true, true},
		{"an open service, not pinned", "/settings", nil, false, false, false},
		{"an open service, pinned", "/settings", []string{"X-Region", "ca-central-1"}, true, true, false},
	} {
		p, found := sent(t, call(t, "GET", g.url+c.path, key, c.headers...))
		if found != c.found || p.Pinned != c.pinned || (p.OrganizationID != "") != c.organizationID || found && p.Region != "ca-central-1" {
			t.Errorf("%s: %v %+v", c.name, found, p)
		}
		if !c.organizationID && (len(p.Scopes) > 0 || p.Actor.Type != "") {
			t.Errorf("%s: an open service gets rights: %+v", c.name, p)
		}
	}
}

// A request for what gateways serve themselves is handed to one of the region that it is pinned to, which counts it neither
// against the limit nor as a use of the key once more.
func TestWhatAGatewayServesItselfIsHandedToThePinnedRegion(t *testing.T) {
	canada := consultest.Start(t)
	other := consultest.Start(t, consultest.Datacenter("us-east-1"), consultest.Join(canada))
	w := newFixture(t)
	key, _ := w.key(newKey{networks: []string{"127.0.0.0/8"}})
	here := w.start(func(c *Config) { c.Discovery, c.ConsulAddr = "consul", canada.Addr })
	w.start(func(c *Config) { c.Discovery, c.ConsulAddr, c.Region = "consul", other.Addr, "us-east-1" })
	t.Parallel() // what follows waits, and uses no processor
	pinned := func() *fullResponse { return call(t, "GET", here.url+"/v1/me", key, "X-Region", "us-east-1") }
	awaitStatus(t, 20*time.Second, 200, pinned)
	first := pinned()
	if first.Header.Get("X-Served-Region") != "us-east-1" || first.json(t)["region"] != "us-east-1" {
		t.Errorf("%v %s", first.Header, first.body)
	}
	second := pinned()
	if first.Header.Get("X-RateLimit-Reset") == second.Header.Get("X-RateLimit-Reset") && remaining(t, first)-remaining(t, second) != 1 {
		t.Errorf("one request was counted as %d", remaining(t, first)-remaining(t, second))
	}
	document := call(t, "GET", here.url+"/openapi.json", "", "X-Region", "us-east-1")
	assertUnavailable(t, document, "document_incomplete") // no service is there, and it is that region's gateway that says so
	if document.Header.Get("X-Served-Region") != "us-east-1" {
		t.Errorf("%v", document.Header)
	}
	if a := call(t, "POST", here.url+"/v1/me", key, "X-Region", "us-east-1"); a.StatusCode != 400 || a.Header.Get("Allow") == "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := call(t, "GET", here.url+"/v1/me", keys.Generate(keys.Live), "X-Region", "us-east-1"); a.StatusCode != 401 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// Only what our own signature says is handed over; and what was handed over goes no further.
func TestNobodyElseHandsARequestOver(t *testing.T) {
	w := newFixture(t)
	key, _ := w.key(newKey{})
	g := w.start(func(c *Config) { c.Regions = []string{"ca-central-1", "us-east-1"} })
	gatewayIn := principal.Principal{Region: "us-east-1", Pinned: true, Address: "192.0.2.7", Actor: principal.Actor{Type: "service",
		ID: "gateway"}}
	foreign, err := principal.NewSigner("a secret that nobody here has ever heard of")
	if err != nil {
		t.Fatal(err)
	}
	first := call(t, "GET", g.url+"/v1/me", key)
	second := call(t, "GET", g.url+"/v1/me", key, principal.Header, foreign.Sign(gatewayIn))
	if first.Header.Get("X-RateLimit-Reset") == second.Header.Get("X-RateLimit-Reset") && remaining(t, second) >= remaining(t, first) {
		t.Errorf("a request that somebody else signed was not counted: %d, then %d", remaining(t, first), remaining(t, second))
	}
	a := call(t, "GET", g.url+"/v1/me", key, "X-Region", "us-east-1", principal.Header, testSigner(t).Sign(gatewayIn))
	if a.StatusCode != http.StatusServiceUnavailable || a.json(t)["code"] != "region_unavailable" {
		t.Errorf("handed over for a region that is not this one's: %d %s", a.StatusCode, a.body)
	}
}
