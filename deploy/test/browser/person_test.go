package browser

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
)

// person is somebody with an HTTP client of their own and no browser: they send what no page of ours would.
type person struct {
	t      testing.TB
	base   string
	client *http.Client
}

func newPerson(t testing.TB) *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, base(t), &http.Client{Jar: jar, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

type page struct {
	status int
	header http.Header
	body   string
}

func (p *person) get(path string) page {
	p.t.Helper()
	response, err := p.client.Get(p.base + path)
	return p.read(response, err)
}

// post sends a form as it is given: nothing is added.
func (p *person) post(path string, values url.Values) page {
	p.t.Helper()
	response, err := p.client.PostForm(p.base+path, values)
	return p.read(response, err)
}

func (p *person) read(response *http.Response, err error) page {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return page{response.StatusCode, response.Header, string(body)}
}

var tokenPattern = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// token is the one that the forms of this person's pages have.
func (p *person) token(path string) string {
	p.t.Helper()
	found := tokenPattern.FindStringSubmatch(p.get(path).body)
	if found == nil {
		p.t.Fatalf("%s has no form", path)
	}
	return found[1]
}

func (p *person) signIn(email, password string) page {
	p.t.Helper()
	return p.post("/settings/sign-in", url.Values{"form_token": {p.token("/settings/sign-in")}, "email": {email}, "password": {password}})
}

func signedIn(t testing.TB, name string) *person {
	t.Helper()
	p := newPerson(t)
	of := organization(t, name)
	if a := p.signIn(of.Administrator.Email, of.Administrator.Password); a.status != 303 || a.header.Get("Location") != "/settings/keys" {
		t.Fatalf("signing in: %d %s %.300s", a.status, a.header.Get("Location"), a.body)
	}
	return p
}

// keyIDs are the ids of the keys on the list, the newest first.
func (p *person) keyIDs() []string {
	p.t.Helper()
	var ids []string
	for _, found := range regexp.MustCompile(`href="/settings/keys/([0-9a-f-]{36})"`).FindAllStringSubmatch(p.get("/settings/keys").body, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// trail is the audit trail of the first page, as CSV.
func (p *person) trail() string {
	p.t.Helper()
	return p.get("/settings/audit.csv").body
}

// trailHolds says whether an entry stands in the trail that has all of these words.
func (p *person) trailHolds(words ...string) bool {
	p.t.Helper()
entries:
	for entry := range strings.SplitSeq(p.trail(), "\n") {
		for _, word := range words {
			if !strings.Contains(entry, word) {
				continue entries
			}
		}
		return true
	}
	return false
}

// database runs a statement as the administrating role: what only time can do otherwise.
func database(t testing.TB, statement string, arguments ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	connection, err := pgx.Connect(ctx, devstack.ForTest(t).Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(ctx)
	done, err := connection.Exec(ctx, statement, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	if done.RowsAffected() == 0 {
		t.Fatalf("%s changed nothing", statement)
	}
}
