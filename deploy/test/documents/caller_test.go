// Package documents tests the contents of documents from outside, over the whole product: real processes, two gateways, and programs that
// other people wrote.
package documents

import (
	"net/http"
	"os"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/devstack/testtools"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m)) }

const city = "Ville de Rivière-Claire"

// nodePackages are other people's clients, and the Node that they run on, each in the version of the lock file.
var nodePackages = testtools.NodePackagesOf(".")

// caller is somebody with a key for everything.
type caller struct{ base, key string }

// newCaller makes a key, so that a test that makes many requests does not use up the limit of another.
func newCaller(t testing.TB) caller {
	t.Helper()
	d := devstack.ForTest(t).Description()
	o, found := d.Organization(city)
	if !found {
		t.Fatalf("there is no organization %s", city)
	}
	signedIn := caller{d.AdminURL, d.AdminToken}.must(t, http.StatusOK, "POST", "/internal/sign-in", map[string]any{
		"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	made := caller{d.AdminURL, signedIn.Object["session"].(string)}.must(t, http.StatusCreated, "POST", "/internal/organizations/"+o.ID+"/keys",
		map[string]any{"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	return caller{d.BaseURL, made.Object["value"].(string)}
}

// must sends JSON and gives the response, which must have the status.
func (c caller) must(t testing.TB, status int, method, path string, body any, header ...string) apiclient.Response {
	t.Helper()
	response, err := apiclient.Send(&http.Client{Timeout: time.Minute}, c.key, method, c.base+path, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if response.Status != status {
		t.Fatalf("%s %s: %d %.500s", method, path, response.Status, response.Body)
	}
	return response
}
