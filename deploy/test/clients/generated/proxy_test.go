//go:build night

package generated

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/devstack/testtools"
)

// prism starts Stoplight's Prism in front of the product. It holds every request and every response against the description, streams as
// well, and answers with an error in place of one that violates it. The result gives its address, as soon as it listens.
func prism(t testing.TB) func(testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	described := filepath.Join(folder, "openapi.json")
	write(t, described, document(t, "/openapi.json?view=full"))
	found, port := nodePackages(t), freePort(t)
	testtools.Run(t, folder, "prism", found.Node, found.Package("@stoplight/prism-cli/dist/index.js"), "proxy", described, base(t),
		"--errors", "--host", "127.0.0.1", "--port", port, "--verboseLevel", "warn")
	address := "http://127.0.0.1:" + port
	var listens sync.Mutex
	return func(t testing.TB) string {
		t.Helper()
		listens.Lock()
		defer listens.Unlock()
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
			_, err := apiclient.Send(client, "", http.MethodGet, address+"/v1/assets", nil)
			if err == nil {
				return address
			}
			if time.Now().After(deadline) {
				t.Fatalf("Prism does not listen: %v", err)
			}
		}
	}
}

// refusesAName looks whether a proxy finds a request that violates the description.
func refusesAName(t *testing.T, address string) {
	o := newOrganization(t)
	o.base = address
	if answer := o.send(t, "POST", "/v1/sites", row{"name": 5}); answer.Status != http.StatusUnprocessableEntity {
		t.Errorf("a name that is a number: %d %s, want Prism's 422", answer.Status, answer.Body)
	}
}
