package regions

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/testwait"
)

// timeout is how long anything may take to come about: nothing here measures speed.
const timeout = 90 * time.Second

// caller is somebody with a key, at the gateway of a region.
type caller struct {
	base string
	key  string
}

type response struct {
	status int
	served string // X-Served-Region
	header http.Header
	body   []byte
	object map[string]any
}

// A request that takes longer than this hangs: what a gateway waits for at most, on purpose, is longer.
var client = &http.Client{Timeout: 25 * time.Second}

func city(t testing.TB) demo.Organization {
	t.Helper()
	found, ok := product.Description().Organization("Ville de Rivière-Claire")
	if !ok {
		t.Fatal("the city is not there")
	}
	return found
}

// gateway is the address of the one gateway of a region.
func gateway(region string) string { return product.Description().RegionGateways[region][0] }

// key makes a key of the test's own and gives what revokes it.
func key(t testing.TB, rateLimit int) (value string, revoke func()) {
	t.Helper()
	d, o := product.Description(), city(t)
	signedIn := caller{d.AdminURL, d.AdminToken}.do(t, "POST", "/internal/sign-in", map[string]any{
		"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	session, _ := signedIn.object["session"].(string)
	administrator := caller{d.AdminURL, session}
	keys := "/internal/organizations/" + o.ID + "/keys"
	made := administrator.do(t, "POST", keys, map[string]any{
		"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": rateLimit, "confirm_privacy": true})
	value, _ = made.object["value"].(string)
	if value == "" {
		t.Fatalf("no key: %s %s", signedIn.body, made.body)
	}
	return value, func() {
		administrator.must(t, 200, "POST", keys+"/"+made.object["id"].(string)+"/revoke", map[string]any{})
	}
}

// callers gives the same new key at the gateway of each region.
func callers(t testing.TB) (inCanada, inStates caller) {
	t.Helper()
	value, _ := key(t, 1000)
	return caller{gateway(canada), value}, caller{gateway(states), value}
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
	return response{a.Status, a.Header.Get("X-Served-Region"), a.Header, a.Body, a.Object}, err
}

// must is do for a response that must have a status.
func (c caller) must(t testing.TB, status int, method, path string, body any, header ...string) response {
	t.Helper()
	a := c.do(t, method, path, body, header...)
	if a.status != status {
		t.Fatalf("%s %s%s %v: %d, want %d: %.600s", method, c.base, path, header, a.status, status, a.body)
	}
	return a
}

// says checks that a response has a status and words.
func (a response) says(t testing.TB, status int, words ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("%d, want %d: %.400s", a.status, status, a.body)
	}
	for _, word := range words {
		if !strings.Contains(string(a.body), word) {
			t.Errorf("it does not say %q: %.400s", word, a.body)
		}
	}
}

// halt ends the processes of a program in a region as a loss of power does, and starts them again when the test is over or
// resume is called.
func halt(t testing.TB, region string, programs ...string) (resume func()) {
	t.Helper()
	var names []string
	for _, program := range programs {
		names = append(names, product.ProcessNames(region, program)...)
	}
	if err := product.Halt(syscall.SIGKILL, names...); err != nil {
		t.Fatal(err)
	}
	resume = sync.OnceFunc(func() {
		if err := product.Resume(context.Background(), names...); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { resume(); awaitStreak(t) })
	return resume
}

// awaitStreak waits until every service is reached in both regions through both gateways, and by the service that asks all others.
func awaitStreak(t testing.TB) {
	t.Helper()
	value := city(t).Keys["full"]
	for _, from := range []string{canada, states} {
		for _, to := range []string{canada, states} {
			for _, path := range []string{"/v1/sites", "/v1/users", "/v1/work-orders", "/v1/los/measures", "/v1/infrastructure/networks",
				"/v1/projects", "/v1/webhook-endpoints", "/v1/me"} {
				testwait.For(t, timeout, path+" of "+to+" from "+from, func() bool {
					got, err := caller{gateway(from), value}.try("GET", path, nil, "X-Region", to)
					return err == nil && (got.status == 200 || got.status == 429) && (got.served == to || got.status == 429)
				})
			}
			c, pin, site := caller{gateway(from), value}, []string{"X-Region", to}, ""
			testwait.For(t, timeout, "those that a site of "+to+" is deleted with, from "+from, func() bool {
				if site == "" {
					made, err := c.try("POST", "/v1/sites", map[string]any{"name": t.Name() + " " + rand.Text()}, pin...)
					if err != nil || made.status != 201 {
						return false
					}
					site = made.object["id"].(string)
				}
				got, err := c.try("DELETE", "/v1/sites/"+site, nil, pin...)
				return err == nil && got.status == 204
			})
		}
	}
}

// words are the regions that a response of /v1/me lists.
func words(list any) []string {
	var all []string
	for _, one := range list.([]any) {
		all = append(all, one.(string))
	}
	slices.Sort(all)
	return all
}
