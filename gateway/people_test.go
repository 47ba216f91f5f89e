package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/principal"
)

// people are those whom the users service of the tests knows.
var people = struct{ organization, ada, max string }{
	organization: "01990000-0000-7000-8000-00000000000a", ada: "01990000-0000-7000-8000-0000000000ad", max: "01990000-0000-7000-8000-0000000000a8",
}

// directory is the users service of the tests: Ada is an Administrator, Max is not.
type directory struct{ status map[string]string }

// people puts a users service behind the gateways, and the organization of its people into the database.
func (w *world) people() *directory {
	d := &directory{status: map[string]string{people.ada: "active", people.max: "active"}}
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Ville de Bellerive', 'enterprise', 'CAD') ON CONFLICT DO NOTHING`, people.organization)
	w.serve("users", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, err := signer.Verify(r.Header.Get(principal.Header)); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"no","code":"principal_refused"}`)
			return
		}
		var in struct {
			Email, Password string
			IDs             []string
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		switch r.URL.Path {
		case "/internal/users/sign-in":
			d.signIn(w, in.Email, in.Password)
		case "/internal/users/administrators":
			_, _ = io.WriteString(w, `{"id":"`+people.ada+`"}`)
		case "/internal/references/users":
			entries := []any{}
			for _, id := range in.IDs {
				if status := d.status[id]; status != "" {
					entries = append(entries, map[string]string{"id": id, "name": "somebody", "status": status})
				}
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"data": entries})
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return d
}

func (d *directory) signIn(w http.ResponseWriter, email, password string) {
	who := map[string]string{"organization_id": people.organization, "email": email, "status": "active"}
	switch {
	case password == "correct horse" && email == "ada@example.ca":
		who["user_id"], who["name"], who["role"] = people.ada, "Ada", "administrator"
	case password == "correct horse" && email == "max@example.ca":
		who["user_id"], who["name"], who["role"] = people.max, "Max", "viewer"
	default:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"no","code":"sign_in_failed"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(who)
}

// signIn gives a session.
func (w *world) signIn(g *running, email string) string {
	w.t.Helper()
	a := send(w.t, "POST", g.internal+"/internal/sign-in", "", `{"email":"`+email+`","password":"correct horse"}`)
	if a.StatusCode != http.StatusOK {
		w.t.Fatalf("sign-in: %d %s", a.StatusCode, a.body)
	}
	return a.json(w.t)["session"].(string)
}

// send is ask with a body.
func send(t testing.TB, method, url, bearer, body string) *answer {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{response, read}
}

// asService sends a request as one of our services does.
func (o *operators) asService(t testing.TB, path, body string) *answer {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, o.internal+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(principal.Header, o.signer.Sign(principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "service", ID: "users", Name: "users"}}))
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{response, read}
}
