// Package bi reads the product's data with programs that other people wrote for business intelligence. They run on Node, against the whole
// product with the records of its demonstration organizations.
package bi

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/devstack/testtools"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTestsWithRecords(m)) }

// nodePackages are what other people's programs need: their packages, and the Node that they run on, each in the version of the lock file.
var nodePackages = testtools.NodePackagesOf(".")

const city = "Ville de Rivière-Claire"

// source is where an organization's data is read, the key that reads all of it, and the database that has it.
type source struct{ base, key, database, organization string }

var started struct {
	once sync.Once
	city source
}

// ofCity gives the city's data. The first test that asks starts the stack; all others share it.
func ofCity(t testing.TB) source {
	t.Helper()
	started.once.Do(func() { started.city = open(t) })
	return started.city
}

// open makes a key for everything of the city.
func open(t testing.TB) source {
	d := devstack.ForTest(t).Description()
	o, found := d.Organization(city)
	if !found {
		t.Fatalf("there is no organization %s", city)
	}
	signedIn := send(t, 200, d.AdminToken, "POST", d.AdminURL+"/internal/sign-in",
		map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	made := send(t, 201, signedIn.Object["session"].(string), "POST", d.AdminURL+"/internal/organizations/"+o.ID+"/keys",
		map[string]any{"name": "BI", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	return source{d.BaseURL, made.Object["value"].(string), d.PostgresURL, o.ID}
}

var client = &http.Client{Timeout: time.Minute}

// get reads a path of the API.
func (s source) get(t testing.TB, path string, header ...string) apiclient.Response {
	t.Helper()
	return send(t, 200, s.key, "GET", s.base+path, nil, header...)
}

// send makes a call that must have a status.
func send(t testing.TB, status int, credential, method, address string, body any, header ...string) apiclient.Response {
	t.Helper()
	answer, err := apiclient.Send(client, credential, method, address, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	if answer.Status != status {
		t.Fatalf("%s %s: %d, want %d: %.800s", method, address, answer.Status, status, answer.Body)
	}
	return answer
}

// runNode runs a program of testdata with the packages at hand, and reads the JSON that it prints into result.
func runNode(t testing.TB, program string, result any, arguments ...string) {
	t.Helper()
	packages := nodePackages(t)
	text, err := os.ReadFile(filepath.Join("testdata", program))
	if err != nil {
		t.Fatal(err)
	}
	command := packages.Command(t, append([]string{program}, arguments...)...)
	if err := os.WriteFile(filepath.Join(command.Dir, program), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages.Package(""), filepath.Join(command.Dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%.4000s", program, err, out)
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatalf("%s: %v\n%.4000s", program, err, out)
	}
}
