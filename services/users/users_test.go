package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/discovery"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// fixture is the service as it runs, with a gateway beside it that notes what it is asked.
type fixture struct {
	key      *resourcetest.Client // an API key's
	person   *resourcetest.Client // a signed-in administrator's
	service  *resourcetest.Client // another service's
	database *postgrestest.Database
	gateway  *gateway
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	g := &gateway{signer: signer}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	directory, err := discovery.Open(discovery.Config{
		Mode: discovery.Static, Region: "ca-central-1", Log: log,
		Static: map[string][]string{"gateway-internal": {strings.TrimPrefix(server.URL, "http://")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	h := fixture{database: postgrestest.New(t, "users", migrations), gateway: g}
	db := h.database.Open(t)
	api := transport.New(signer, db, log)
	newPeople(resource.NewRegistry(api, db, reference.NewClient(directory, signer)), db).mount()
	h.key = resourcetest.NewClient(api.Handler(), signer)
	h.person = h.as(principal.Actor{Type: "user", ID: uuid.NewString(), Name: "Anne Tremblay"})
	h.service = h.as(principal.Actor{Type: "service", ID: "gateway", Name: "gateway"})
	return h
}

// as gives a client of the same organization for another actor.
func (h fixture) as(actor principal.Actor) *resourcetest.Client {
	client := *h.key
	client.Principal.Actor = actor
	return &client
}

// elsewhere is the same house, seen from another organization.
func (h fixture) elsewhere() fixture {
	organization := uuid.NewString()
	for _, client := range []**resourcetest.Client{&h.key, &h.person, &h.service} {
		other := **client
		other.Principal.OrganizationID = organization
		*client = &other
	}
	return h
}

// gateway answers as the gateway's internal listener does.
type gateway struct {
	signer *principal.Signer
	mutex  sync.Mutex
	away   bool
	asked  []string // path and actor's type of each call
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	p, err := g.signer.Verify(r.Header.Get(principal.Header))
	if g.away || err != nil || r.Method != http.MethodPost || p.Actor.Type == "api_key" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"away","code":"away"}`)
		return
	}
	g.asked = append(g.asked, r.URL.Path)
	fmt.Fprint(w, `{"keys":[]}`)
}

func (g *gateway) set(away bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.away = away
}

func (g *gateway) calls() []string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	asked := g.asked
	g.asked = nil
	return asked
}

func makeUser(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"email": fmt.Sprintf("user-%d@riviere-claire.ca", n), "name": fmt.Sprintf("Élise Côté %d", n), "role": "technician", "status": "active",
		"job_title": "Cheffe d'équipe", "department": "Travaux publics", "phone": "+1 418 555-0142", "employee_number": fmt.Sprintf("E-%d", n),
		"locale": "fr-CA", "time_zone": "America/Halifax", "external_id": fmt.Sprintf("hr-%d", n), "tags": []string{"aréna"}, "custom_fields": map[string]any{"shift": "nuit"},
	}
}

func TestConformance(t *testing.T) {
	h := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[User]{Definition: people{}.users(), Client: h.key, Path: "/v1/users", Make: makeUser, SoftDelete: true})
}

func TestANewUserHasTheDocumentedDefaults(t *testing.T) {
	h := newFixture(t)
	got := h.key.Create(t, "/v1/users", map[string]any{"email": " Anne.TREMBLAY@Example.CA ", "name": "Anne Tremblay"})
	for field, want := range map[string]any{
		"email": "anne.tremblay@example.ca", "role": "viewer", "status": "invited", "locale": "en-CA", "time_zone": "America/Toronto", "job_title": nil,
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
}

func TestWhatIsNotAUserIsRefused(t *testing.T) {
	h := newFixture(t)
	for field, values := range map[string][]any{
		"email":     {"", "anne", "anne@", "@example.ca", "Anne <anne@example.ca>", "a b@example.ca", "a@b@c.ca", 5, nil},
		"name":      {"", nil, strings.Repeat("x", 201)},
		"role":      {"owner", 1},
		"status":    {"fired"},
		"locale":    {"fr", "en-US"},
		"time_zone": {"Toronto", "Local", "EST5EDT4", "../../etc/passwd", "UTC+5"},
	} {
		for _, value := range values {
			body := map[string]any{"email": "anne@example.ca", "name": "Anne", field: value}
			answer := h.key.Do(t, "POST", "/v1/users", body)
			if fields := answer.Fields(); answer.Status != 400 || len(fields) == 0 || fields[0] != field {
				t.Errorf("%s %v: %d %s", field, value, answer.Status, answer.Body)
			}
		}
	}
	if _, pagination := h.key.List(t, "/v1/users"); pagination["total"] != 0.0 {
		t.Errorf("refused bodies made %v users", pagination["total"])
	}
}

func TestStatusMovesAsDocumented(t *testing.T) {
	h := newFixture(t)
	allowed := map[string][]string{
		"invited": {"active", "removed"}, "active": {"suspended", "removed"}, "suspended": {"active", "removed"}, "removed": {"invited", "active"},
	}
	states := []string{"invited", "active", "suspended", "removed"}
	for i, from := range states {
		for j, to := range states {
			user := h.key.Create(t, "/v1/users", map[string]any{"email": fmt.Sprintf("%d-%d@example.ca", i, j), "name": "Anne", "status": from})
			want := 409
			if from == to || strings.Contains(fmt.Sprint(allowed[from]), to) {
				want = 200
			}
			h.key.Must(t, want, "PATCH", "/v1/users/"+user["id"].(string), map[string]any{"status": to})
		}
	}
}

func TestDeleteRemovesAUserWhoseNameStays(t *testing.T) {
	h := newFixture(t)
	user := h.key.Create(t, "/v1/users", makeUser(t, h.key, 1))
	path := "/v1/users/" + user["id"].(string)
	h.key.Must(t, 204, "DELETE", path, nil)
	h.key.Must(t, 204, "DELETE", path, nil) // it is removed already
	if got := h.key.Must(t, 200, "GET", path, nil).JSON; got["status"] != "removed" || got["name"] != user["name"] || got["version"] != 2.0 {
		t.Errorf("after DELETE: %v", got)
	}
	for query, want := range map[string]int{"": 1, "?status=removed": 1, "?status=invited,active,suspended": 0} {
		if got, _ := h.key.List(t, "/v1/users"+query); len(got) != want {
			t.Errorf("a list with %q has %d users, want %d", query, len(got), want)
		}
	}
	var entries reference.Answer
	answer := h.service.Must(t, 200, "POST", "/internal/references/users", map[string]any{"ids": []any{user["id"], uuid.NewString()}})
	if err := json.Unmarshal(answer.Body, &entries); err != nil || len(entries.Data) != 1 || entries.Data[0].Name != user["name"] || *entries.Data[0].Status != "removed" {
		t.Errorf("references: %s (%v)", answer.Body, err)
	}
	taken := h.key.Must(t, 409, "POST", "/v1/users", map[string]any{"email": strings.ToUpper(user["email"].(string)), "name": "x"}).JSON
	if taken["existing_id"] != user["id"] {
		t.Errorf("the e-mail address of a removed user: %v", taken)
	}
	h.key.Must(t, 200, "PATCH", path, map[string]any{"status": "active"}) // and that is the way back
}
