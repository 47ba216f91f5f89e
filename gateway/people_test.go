package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/principal"
)

// people are those whom the users service of the tests knows.
var people = struct{ organization, ada, eva, max string }{
	organization: "01990000-0000-7000-8000-00000000000a", ada: "01990000-0000-7000-8000-0000000000ad",
	eva: "01990000-0000-7000-8000-0000000000ea",
	max: "01990000-0000-7000-8000-0000000000a8",
}

// directory is the users service of the tests: Ada and Eva are Administrators, Max is not.
type directory struct {
	mu             sync.Mutex
	status, role   map[string]string
	unavailable    bool                           // for questions about sessions and standing
	duringStanding func()                         // what happens while somebody's standing is read
	looked         int                            // passwords that were looked at
	received       string                         // what the last request for a link or a new user had, and by whom
	asked          map[string]principal.Principal // by path: who asked last
	empty          http.HandlerFunc               // of sandboxes
	persons        http.HandlerFunc               // of what is stored about somebody
}

// set changes what the directory says.
func (d *directory) set(change func(d *directory)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// people puts a users service behind the gateways, and the organization of its people into the database.
func (w *fixture) people() *directory {
	d := &directory{status: map[string]string{people.ada: "active", people.eva: "active", people.max: "active"},
		role:  map[string]string{people.ada: "administrator", people.eva: "administrator", people.max: "manager"},
		asked: map[string]principal.Principal{}}
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Ville de Bellerive', 'enterprise', 'CAD') ON CONFLICT DO NOTHING`, people.organization)
	w.serve("users", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		d.mu.Lock()
		defer d.mu.Unlock()
		caller, err := signer.Verify(r.Header.Get(principal.Header))
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"no","code":"principal_refused"}`)
			return
		}
		var in struct {
			Email, Password string
			UserID          string `json:"user_id"`
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &in)
		d.asked[r.URL.Path] = caller
		switch r.URL.Path {
		case "/internal/empty":
			d.empty(w, r)
		case "/internal/users/sign-in":
			d.signIn(w, in.Email, in.Password)
		case "/internal/users/session":
			d.session(w, in.UserID)
		case "/internal/users/administrators":
			_, _ = io.WriteString(w, `{"id":"`+people.ada+`"}`)
		case "/v1/users":
			d.received = caller.Actor.Name + " " + strings.Join(caller.Scopes, ",") + " " + string(body)
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id":"`+people.max+`"}`)
		case "/internal/users/invitations":
			d.received += caller.Actor.Type + " " + caller.Actor.Name + " " + caller.Address + " " + string(body)
			_, _ = io.WriteString(w, `{"token":"the-token","expires_at":"2030-01-01T00:00:00Z",
				"user_id":"`+people.max+`","name":"Max","email":"max@example.ca"}`)
		case "/internal/changes":
			_, _ = io.WriteString(w, `{"data":[]}`)
		case "/internal/users/standing":
			if d.duringStanding != nil {
				d.duringStanding()
			}
			d.standing(w, in.UserID)
		case "/internal/persons/erase", "/internal/persons/export", "/internal/users/person", "/internal/users/forget",
			"/internal/users/forgettable":
			r.Body = io.NopCloser(bytes.NewReader(body))
			d.persons(w, r)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return d
}

func (d *directory) standing(w http.ResponseWriter, id string) {
	switch {
	case d.unavailable:
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"away","code":"away"}`)
	case d.status[id] == "":
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"no","code":"not_found"}`)
	default:
		_, _ = io.WriteString(w, `{"user_id":"`+id+`","role":"`+d.role[id]+`","status":"`+d.status[id]+`"}`)
	}
}

// session says who somebody is now.
func (d *directory) session(w http.ResponseWriter, id string) {
	role := d.role[id]
	switch {
	case d.unavailable:
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"away","code":"away"}`)
	case d.status[id] != "active":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"no","code":"session_ended"}`)
	default:
		_, _ = io.WriteString(w, `{"user_id":"`+id+`","role":"`+role+`","status":"active"}`)
	}
}

// passwords is how many passwords were looked at.
func (d *directory) passwords() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.looked
}

func (d *directory) signIn(w http.ResponseWriter, email, password string) {
	d.looked++
	who := map[string]string{"organization_id": people.organization, "email": email, "status": "active"}
	switch {
	case password == "correct horse" && email == "ada@example.ca":
		who["user_id"], who["name"], who["role"] = people.ada, "Ada", "administrator"
	case password == "correct horse" && email == "eva@example.ca":
		who["user_id"], who["name"], who["role"] = people.eva, "Eva", "administrator"
	case password == "correct horse" && email == "max@example.ca":
		who["user_id"], who["name"], who["role"] = people.max, "Max", "manager"
	default:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"no","code":"sign_in_failed"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(who)
}

// signIn gives a session.
func (w *fixture) signIn(g *running, email string) string {
	w.t.Helper()
	a := send(w.t, "POST", g.internal+"/internal/sign-in", "", `{"email":"`+email+`","password":"correct horse"}`)
	if a.StatusCode != http.StatusOK {
		w.t.Fatalf("sign-in: %d %s", a.StatusCode, a.body)
	}
	return a.json(w.t)["session"].(string)
}

// asService sends a request as one of our services does.
func (o *peopleFixture) asService(t testing.TB, path, body string) *fullResponse {
	t.Helper()
	return o.as(t, principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "service", ID: "users",
		Name: "users"}}, http.MethodPost, path, body)
}

// console is what the console signs for a person.
func console(id, name string, scopes ...string) principal.Principal {
	return principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "user", ID: id, Name: name}, Scopes: scopes,
		Origin: "console", Address: "203.0.113.7", RequestID: "request-of-the-console"}
}

// as sends a request with a signed principal.
func (o *peopleFixture) as(t testing.TB, p principal.Principal, method, path, body string) *fullResponse {
	t.Helper()
	request, err := http.NewRequest(method, o.internal+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(principal.Header, o.signer.Sign(p))
	return perform(t, request)
}
