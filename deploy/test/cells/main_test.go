// Package cells tests the whole product with two cells on one machine: two PostgreSQL servers that share the organizations, with the same
// programs in front. What an organization does is the same in either, and one whose server is away takes nothing from the other's.
package cells

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/testwait"
)

// product is the stack of all tests here.
var product *devstack.Stack

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	binaries, err := devstack.BuildPrograms()
	if err == nil {
		var folder string
		if folder, err = os.MkdirTemp("", "ams-cells-"); err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
			defer cancel()
			product, err = devstack.Start(ctx, devstack.Options{Folder: folder, Binaries: binaries, Cells: 2, Discovery: "static", Prepared: true,
				Demo: demo.Nothing, Environment: []string{"AMS_REQUESTS_PER_ADDRESS=10000"}})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the stack for the tests did not start:", err)
		return 1
	}
	defer func() {
		product.Stop()
		if err := devstack.Drop(product.Folder()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	code := m.Run()
	if code != 0 {
		product.ShowFailedRequests(os.Stderr)
	}
	return code
}

// timeout is how long anything may take to arrive: nothing here measures speed.
const timeout = 90 * time.Second

// member is an organization with the cell that it is in.
type member struct {
	demo.Organization
	cell string
}

// members are an organization of each cell.
var members struct {
	sync.Mutex
	known map[string]member
}

// inCell gives the organization of a cell. The first call makes it.
func inCell(t testing.TB, cell string) member {
	t.Helper()
	members.Lock()
	defer members.Unlock()
	if m, known := members.known[cell]; known {
		return m
	}
	m := newMember(t, cell, cell)
	if members.known == nil {
		members.known = map[string]member{}
	}
	members.known[cell] = m
	return m
}

// newMember makes an organization in a cell.
func newMember(t testing.TB, name, cell string) member {
	t.Helper()
	m := member{demo.Organization{Name: "City of the " + name, Keys: map[string]string{},
		Administrator: demo.Administrator{Email: "anne@" + name + ".example.ca", Password: "correct horse battery staple"}}, cell}
	made := operator(t, "POST", "/internal/organizations", map[string]any{"name": m.Name, "plan": "enterprise", "cell": cell,
		"administrator": map[string]any{"email": m.Administrator.Email, "name": "Anne", "password": m.Administrator.Password}})
	m.ID, _ = made.Object["id"].(string)
	in := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": m.Administrator.Email,
		"password": m.Administrator.Password})
	session, _ := in.Object["session"].(string)
	key := send(t, session, "POST", product.Description().AdminURL+"/internal/organizations/"+m.ID+"/keys",
		map[string]any{"name": "full", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	if m.Keys["full"], _ = key.Object["value"].(string); m.Keys["full"] == "" || made.Object["cell"] != cell {
		t.Fatalf("%s %s %s", made.Body, in.Body, key.Body)
	}
	return m
}

var client = &http.Client{Timeout: time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// operator calls the operator's API.
func operator(t testing.TB, method, path string, body any) apiclient.Response {
	t.Helper()
	d := product.Description()
	return send(t, d.AdminToken, method, d.AdminURL+path, body)
}

func send(t testing.TB, credential, method, address string, body any, header ...string) apiclient.Response {
	t.Helper()
	a, err := apiclient.Send(client, credential, method, address, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return a
}

// call sends a request with the organization's key, which must have a status.
func (m member) call(t testing.TB, status int, method, path string, body any) apiclient.Response {
	t.Helper()
	a := send(t, m.Keys["full"], method, product.Description().BaseURL+path, body)
	if a.Status != status {
		t.Fatalf("%s in the cell %s: %s %s: %d, want %d: %.600s", m.Name, m.cell, method, path, a.Status, status, a.Body)
	}
	return a
}

// search gives what a search responds, once all services answer: it waits for them for moments only, which the first question to each after
// a fault may take longer than.
func (m member) search(t testing.TB, words string) (body []byte) {
	t.Helper()
	testwait.For(t, timeout, "the search of "+m.Name+" to answer", func() bool {
		a := send(t, m.Keys["full"], "GET", product.Description().BaseURL+"/v1/search?q="+url.QueryEscape(words), nil)
		body = a.Body
		return a.Status == 200
	})
	return body
}

func (m member) create(t testing.TB, path string, body map[string]any) string {
	t.Helper()
	return m.call(t, 201, "POST", path, body).Object["id"].(string)
}

// rows counts the rows of an organization in a table, in each cell.
func (m member) rows(t testing.TB, table string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for name, cell := range product.Description().Cells {
		db, err := pgx.Connect(t.Context(), cell.PostgresURL)
		if err != nil {
			t.Fatal(err)
		}
		var count int
		err = db.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE organization_id = $1", m.ID).Scan(&count)
		_ = db.Close(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		counts[name] = count
	}
	return counts
}
