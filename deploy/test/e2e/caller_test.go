// Package e2e tests the whole product as its callers see it: real processes, two gateways and two instances of
// each service, through the public API only.
package e2e

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/testwait"
)

func TestMain(m *testing.M) {
	if err := testwait.EightAtATime(); err != nil {
		panic(err)
	}
	os.Exit(devstack.RunTests(m, 2))
}

const (
	city      = "Ville de Rivière-Claire"
	board     = "Northgate District School Board"
	harbour   = "Harbour Properties"
	elmStreet = "Elm Street Housing Co-op"
)

// caller is somebody with a key.
type caller struct {
	base string
	key  string
}

type response struct {
	status int
	header http.Header
	body   []byte
	object map[string]any
}

var client = &http.Client{Timeout: 30 * time.Second}

func organization(t testing.TB, name string) demo.Organization {
	t.Helper()
	found, ok := devstack.ForTest(t).Description().Organization(name)
	if !ok {
		t.Fatalf("there is no organization %s", name)
	}
	return found
}

func as(t testing.TB, name, key string) caller {
	t.Helper()
	return caller{devstack.ForTest(t).Description().BaseURL, organization(t, name).Keys[key]}
}

// fresh gives a caller with a new key for everything: a test that makes many requests does not use up the limit of another.
func fresh(t testing.TB, name string) caller {
	t.Helper()
	return freshFor(t, name, "*:*")
}

// freshFor is fresh with some scopes.
func freshFor(t testing.TB, name string, scopes ...string) caller {
	t.Helper()
	d, o := devstack.ForTest(t).Description(), organization(t, name)
	admin := caller{d.AdminURL, d.AdminToken}
	signedIn := admin.do(t, "POST", "/internal/sign-in", map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password,
		"organization_id": o.ID})
	session, _ := signedIn.object["session"].(string)
	made := caller{d.AdminURL, session}.do(t, "POST", "/internal/organizations/"+o.ID+"/keys", map[string]any{
		"name": t.Name(), "scopes": scopes, "rate_limit": 1000, "confirm_privacy": true,
	})
	key, _ := made.object["value"].(string)
	if key == "" {
		t.Fatalf("no key for %s: %s %s", name, signedIn.body, made.body)
	}
	return caller{d.BaseURL, key}
}

// newOrganization makes an organization of its own for a test, and gives a caller with a key for everything, and the organization's id.
func newOrganization(t testing.TB) (staff caller, id string) {
	t.Helper()
	d := devstack.ForTest(t).Description()
	email, password := fmt.Sprintf("own-%d@example.ca", time.Now().UnixNano()), "correct-horse-battery"
	operator := caller{d.AdminURL, d.AdminToken}
	made := operator.do(t, "POST", "/internal/organizations", map[string]any{"name": "Board " + email, "plan": "enterprise", "currency": "CAD",
		"administrator": map[string]any{"email": email, "name": "Ada", "password": password}})
	signedIn := operator.do(t, "POST", "/internal/sign-in",
		map[string]any{"email": email, "password": password, "organization_id": made.object["id"]})
	session, _ := signedIn.object["session"].(string)
	key := caller{d.AdminURL, session}.do(t, "POST", fmt.Sprint("/internal/organizations/", made.object["id"], "/keys"),
		map[string]any{"name": "Staff", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	value, _ := key.object["value"].(string)
	if value == "" {
		t.Fatalf("no key: %s %s %s", made.body, signedIn.body, key.body)
	}
	return caller{d.BaseURL, value}, made.object["id"].(string)
}

// do sends a request; header are name, value pairs.
func (c caller) do(t testing.TB, method, path string, body any, header ...string) response {
	t.Helper()
	a, err := c.try(method, path, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (c caller) try(method, path string, body any, header ...string) (response, error) {
	a, err := apiclient.Send(client, c.key, method, c.base+path, body, header...)
	return response{a.Status, a.Header, a.Body, a.Object}, err
}

// must is do for a response that must have a status.
func (c caller) must(t testing.TB, status int, method, path string, body any, header ...string) response {
	t.Helper()
	a := c.do(t, method, path, body, header...)
	if a.status != status {
		t.Fatalf("%s %s: %d, want %d: %.600s", method, path, a.status, status, a.body)
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"} {
		if a.header.Get(name) == "" {
			t.Errorf("%s %s: no header %s", method, path, name)
		}
	}
	if text, _ := a.object["error"].(string); status >= 400 && (text == "" || a.object["request_id"] == nil) {
		t.Errorf("%s %s: an error without error and request_id: %s", method, path, a.body)
	}
	return a
}

func (c caller) create(t testing.TB, path string, body map[string]any) string {
	t.Helper()
	return c.must(t, 201, "POST", path, body).object["id"].(string)
}
