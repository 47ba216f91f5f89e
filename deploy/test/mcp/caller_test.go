// Package mcp tests the MCP server with programs that other people wrote for it: the protocol's conformance suite, its
// Inspector and its TypeScript client. They run on Node, against the whole product.
package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTestsWithRecords(m)) }

const city = "Ville de Rivière-Claire"

// eras are the protocol versions of the two ways to begin: without a handshake, and with one.
var eras = []string{"2026-07-28", "2025-11-25"}

func base(t testing.TB) string { return devstack.ForTest(t).Description().BaseURL }

// secrets are the keys, codes and tokens that these tests made: none may be found anywhere afterwards.
var secrets struct {
	mu   sync.Mutex
	kept []string
}

func keepSecret(values ...string) {
	secrets.mu.Lock()
	defer secrets.mu.Unlock()
	secrets.kept = append(secrets.kept, values...)
}

// key is a new API key, and what is needed to revoke it.
type key struct {
	value, id, organization, session string
}

// newKey makes a key for everything of the city.
func newKey(t testing.TB) key {
	t.Helper()
	return newKeyOf(t, city)
}

// newKeyOf makes a key for everything of an organization.
func newKeyOf(t testing.TB, organization string) key {
	t.Helper()
	d := devstack.ForTest(t).Description()
	o, found := d.Organization(organization)
	if !found {
		t.Fatalf("there is no organization %s", organization)
	}
	k := key{organization: o.ID, session: session(t, o)}
	made := post(t, 201, d.AdminURL+"/internal/organizations/"+o.ID+"/keys", k.session, map[string]any{
		"name": "Assistants · " + t.Name(), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true,
	})
	k.value, k.id = made["value"].(string), made["id"].(string)
	keepSecret(k.value)
	return k
}

func session(t testing.TB, o demo.Organization) string {
	t.Helper()
	d := devstack.ForTest(t).Description()
	signedIn := post(t, 200, d.AdminURL+"/internal/sign-in", d.AdminToken,
		map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	return signedIn["session"].(string)
}

// revoke ends a key as an Administrator does.
func (k key) revoke(t testing.TB) {
	t.Helper()
	post(t, 200, devstack.ForTest(t).Description().AdminURL+"/internal/organizations/"+k.organization+"/keys/"+k.id+"/revoke", k.session,
		map[string]any{})
}

// create makes a record through the API and gives its id.
func (k key) create(t testing.TB, path string, body map[string]any) string {
	t.Helper()
	return post(t, 201, base(t)+path, k.value, body)["id"].(string)
}

// fiscalYear is the number of a fiscal year of the ledger, which is opened where there is none.
func (k key) fiscalYear(t testing.TB) any {
	t.Helper()
	const years = "/v1/accounting/fiscal-years"
	response, err := apiclient.Send(&http.Client{Timeout: 30 * time.Second}, k.value, http.MethodGet, base(t)+years, nil)
	if err != nil || response.Status != http.StatusOK {
		t.Fatalf("%s: %v %s", years, err, response.Body)
	}
	if there := response.Object["data"].([]any); len(there) > 0 {
		return there[0].(map[string]any)["fiscal_year"]
	}
	return post(t, http.StatusCreated, base(t)+years, k.value, map[string]any{"fiscal_year": 2025})["fiscal_year"]
}

// post sends JSON and gives the response, which must have the status.
func post(t testing.TB, status int, address, bearer string, body any) map[string]any {
	t.Helper()
	response, err := apiclient.Send(&http.Client{Timeout: 30 * time.Second}, bearer, http.MethodPost, address, body)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	if response.Status != status || response.Object == nil {
		t.Fatalf("%s: %d %s", address, response.Status, response.Body)
	}
	return response.Object
}

// lend gives an address that passes requests on with a key: the conformance suite has no field for one.
func lend(t testing.TB, target, bearer string) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // the suite looks at what is done about a wrong one
		r.Out.Header.Set("Authorization", "Bearer "+bearer)
	}})
	t.Cleanup(front.Close)
	return front.URL
}
