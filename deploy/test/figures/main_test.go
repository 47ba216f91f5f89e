// Package figures computes the product's figures a second time and compares. It knows the product by its public API alone: it reads the
// raw lists with a key, computes with plain SQL of its own (recount.sql), and looks for differences to the cent.
package figures

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTestsWithRecords(m)) }

type row = map[string]any

// organization is one of the running stack, with a key that may do everything.
type organization struct {
	t       testing.TB
	id      string
	base    string
	key     string
	calls   int // with this key
	admin   string
	session string // of its Administrator
}

// described says where the stack of these tests is, which all of them share.
func described(t testing.TB) devstack.Description {
	t.Helper()
	return devstack.ForTest(t).Description()
}

var client = &http.Client{Timeout: time.Minute}

// newOrganization makes an organization of its own for a test, in America/Toronto with fiscal years that are calendar years.
func newOrganization(t testing.TB) *organization {
	t.Helper()
	d := described(t)
	email, password := fmt.Sprintf("figures-%d@example.ca", time.Now().UnixNano()), "correct-horse-battery"
	operator := &organization{t: t, base: d.AdminURL, key: d.AdminToken}
	made := operator.call(201, "POST", "/internal/organizations", row{
		"name": t.Name() + " " + email, "plan": "enterprise", "currency": "CAD",
		"administrator": row{"email": email, "name": "Figures", "password": password},
	})
	return signedIn(t, made["id"].(string), email, password)
}

// byTypedYears has the renewals of the organization due by planned_renewal_year alone, which new ones do not begin with.
func (o *organization) byTypedYears() *organization {
	o.t.Helper()
	operator := &organization{t: o.t, base: o.admin, key: described(o.t).AdminToken}
	operator.call(200, "PATCH", "/internal/organizations/"+o.id+"/settings", row{"renewal_basis": "typed"})
	return o
}

// signedIn acts for an organization of the stack.
func signedIn(t testing.TB, id, email, password string) *organization {
	t.Helper()
	d := described(t)
	operator := &organization{t: t, base: d.AdminURL, key: d.AdminToken}
	session := operator.call(200, "POST", "/internal/sign-in", row{"email": email, "password": password, "organization_id": id})
	return &organization{t: t, id: id, base: d.BaseURL, admin: d.AdminURL, session: session["session"].(string)}
}

// ofDemonstration acts for a demonstration organization.
func ofDemonstration(t testing.TB, name string) *organization {
	t.Helper()
	found, ok := described(t).Organization(name)
	if !ok {
		t.Fatalf("there is no organization %s", name)
	}
	return signedIn(t, found.ID, found.Administrator.Email, found.Administrator.Password)
}

// callsOfAKey stays below what a key may do in a minute, so that no test waits for the next one.
const callsOfAKey = 900

// newKey makes a key, when the one before is near its limit; the operator has one token.
func (o *organization) newKey() {
	o.t.Helper()
	administrator := &organization{t: o.t, base: o.admin, key: o.session}
	made := administrator.call(201, "POST", "/internal/organizations/"+o.id+"/keys", row{
		"name": fmt.Sprintf("%s %d", o.t.Name(), time.Now().UnixNano()), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true,
	})
	o.key, o.calls = made["value"].(string), 0
}

// colleague acts for the same organization with a key of its own, in another goroutine, for as many calls as the key may make.
func (o *organization) colleague() *organization {
	c := *o
	c.newKey()
	return &c
}

// try makes a call. A 503, for a moment in which a program has just been started, is tried again.
func (o *organization) try(method, path string, body any, header ...string) (answer apiclient.Response, err error) {
	for range 40 {
		o.calls++
		answer, err = apiclient.Send(client, o.key, method, o.base+path, body, header...)
		if err != nil || answer.Status != http.StatusServiceUnavailable {
			break
		}
		time.Sleep(250 * time.Millisecond)
	}
	return answer, err
}

// send makes a call that must have a status; 0 is any.
func (o *organization) send(status int, method, path string, body any, header ...string) apiclient.Response {
	o.t.Helper()
	if o.session != "" && (o.key == "" || o.calls >= callsOfAKey) {
		o.newKey()
	}
	answer, err := o.try(method, path, body, header...)
	if err != nil {
		o.t.Fatalf("%s %s: %v", method, path, err)
	}
	if status != 0 && answer.Status != status {
		o.t.Fatalf("%s %s: %d, want %d: %.800s", method, path, answer.Status, status, answer.Body)
	}
	return answer
}

func (o *organization) call(status int, method, path string, body any) row {
	o.t.Helper()
	return o.send(status, method, path, body).Object
}

func (o *organization) get(path string) row {
	o.t.Helper()
	return o.call(200, "GET", path, nil)
}

func (o *organization) create(path string, body row) string {
	o.t.Helper()
	return o.call(201, "POST", path, body)["id"].(string)
}

func (o *organization) patch(path string, body row) row {
	o.t.Helper()
	return o.call(200, "PATCH", path, body)
}

// bulk writes rows, up to 1000 in a call, and gives the id of each. upsert changes those that are there.
func (o *organization) bulk(path string, rows []row, upsert ...string) (ids []string) {
	o.t.Helper()
	query := ""
	if len(upsert) > 0 {
		query = "?on_conflict=" + upsert[0]
	}
	for part := range slices.Chunk(rows, 1000) {
		answer := o.send(0, "POST", path+"/bulk"+query, row{"data": part})
		if answer.Status >= 300 {
			o.t.Fatalf("POST %s/bulk: %d: %.800s", path, answer.Status, answer.Body)
		}
		for _, result := range answer.Object["results"].([]any) {
			id, ok := result.(row)["id"].(string)
			if !ok {
				o.t.Fatalf("POST %s/bulk: %v", path, result)
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// stream reads a whole list, one record to a line, as of one moment.
func (o *organization) stream(path string) (lines []string) {
	o.t.Helper()
	answer := o.send(200, "GET", path, nil, "Accept", "application/x-ndjson")
	scanner := bufio.NewScanner(bytes.NewReader(answer.Body))
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	if scanner.Err() != nil {
		o.t.Fatal(scanner.Err())
	}
	return lines
}

// today is the day that it is in Toronto, in which the organizations are that the tests make.
func today() string { return time.Now().In(toronto).Format(time.DateOnly) }

var toronto = func() *time.Location {
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		panic(err)
	}
	return zone
}()

// shown gives a part of an answer as text: "counts.assets" of {"counts": {"assets": 3}} is 3. Numbers are as they were written.
func shown(answer any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := answer.(row)
		answer = object[name]
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(text), `"`)
}

// expect compares parts of an answer with what they must be; numbers by value.
func expect(t testing.TB, what string, answer any, want map[string]string) {
	t.Helper()
	for path, value := range want {
		if got := shown(answer, path); !same(got, value) {
			t.Errorf("%s: %s is %s, want %s", what, path, got, value)
		}
	}
}
