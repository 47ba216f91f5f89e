//go:build night

package generated

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/localport"
)

type row = map[string]any

// organization is one of the running product with nothing in it, and a key that may do everything.
type organization struct{ base, key string }

func newOrganization(t testing.TB) organization {
	t.Helper()
	d := devstack.ForTest(t).Description()
	email, password := fmt.Sprintf("clients-%d@example.ca", time.Now().UnixNano()), "correct-horse-battery"
	operator := organization{d.AdminURL, d.AdminToken}
	made := operator.call(t, 201, "POST", "/internal/organizations", row{"name": t.Name() + " " + email, "plan": "enterprise",
		"currency": "CAD", "administrator": row{"email": email, "name": "Clients", "password": password}})
	session := operator.call(t, 200, "POST", "/internal/sign-in", row{"email": email, "password": password, "organization_id": made["id"]})
	administrator := organization{base: d.AdminURL}
	administrator.key, _ = session["session"].(string)
	lent := administrator.call(t, 201, "POST", fmt.Sprintf("/internal/organizations/%s/keys", made["id"]),
		row{"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	o := organization{base: d.BaseURL}
	o.key, _ = lent["value"].(string)
	return o
}

// send makes a request. A 503, of a program that has just been started, is tried again.
func (o organization) send(t testing.TB, method, path string, body any) apiclient.Response {
	t.Helper()
	for range 40 {
		answer, err := apiclient.Send(client, o.key, method, o.base+path, body)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		if answer.Status != http.StatusServiceUnavailable {
			return answer
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Fatalf("%s %s: 503 for ten seconds", method, path)
	return apiclient.Response{}
}

// call makes a request that must have a status.
func (o organization) call(t testing.TB, status int, method, path string, body any) row {
	t.Helper()
	answer := o.send(t, method, path, body)
	if answer.Status != status {
		t.Fatalf("%s %s: %d, want %d: %.800s", method, path, answer.Status, status, answer.Body)
	}
	return answer.Object
}

// inFlight is how many requests of a key may be in progress at a gateway.
const inFlight = 20

// occupy takes all that the key may have in progress, with requests that wait for an event which never comes, until it is told to release.
func (o organization) occupy(t testing.TB) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range inFlight {
		waiting.Go(func() {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+"/v1/events?types=building.deleted&wait=30", nil)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Authorization", "Bearer "+o.key)
				if response, err := http.DefaultClient.Do(request); err == nil {
					response.Body.Close()
				}
			}
		})
	}
	release = func() { cancel(); waiting.Wait() }
	t.Cleanup(release)
	for deadline := time.Now().Add(time.Minute); o.send(t, "GET", "/v1/me", nil).Status != http.StatusTooManyRequests; {
		if time.Now().After(deadline) {
			t.Fatal("the key is never refused")
		}
		time.Sleep(50 * time.Millisecond)
	}
	return release
}

// runBehind runs a program, releases what it waits for when it says that it was refused, and gives all that it says.
func runBehind(t testing.TB, command *exec.Cmd, release func()) string {
	t.Helper()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var failure strings.Builder
	command.Stderr = &failure
	if err := devstack.StartChild(command); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for lines := bufio.NewScanner(output); lines.Scan(); {
		fmt.Fprintln(&all, lines.Text())
		if strings.HasPrefix(lines.Text(), "refused with") {
			release()
		}
	}
	if err := command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, failure.String())
	}
	return all.String()
}

// freePort is one of this machine that nobody else takes while the test runs.
func freePort(t testing.TB) string {
	t.Helper()
	address, release, err := localport.Reserve("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address[strings.LastIndex(address, ":")+1:]
}
