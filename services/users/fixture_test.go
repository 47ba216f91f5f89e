package users

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/discovery"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// phrase is the password of tests.
const phrase = "une phrase assez longue"

// platform is the organization of a service that does not act for an organization.
const platform = "00000000-0000-0000-0000-000000000000"

// fixture is the service on a database of its own, with a stub of the gateway, and clients of one organization.
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
	address := strings.TrimPrefix(server.URL, "http://")
	log := resourcetest.Log(t)
	directory, err := discovery.Open(discovery.Config{
		Mode: discovery.Static, Region: "ca-central-1", Log: log,
		Static: map[string][]string{"gateway-internal": {address}, "workorders": {address}, "requests": {address}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	f := fixture{database: postgrestest.New(t, "users", migrations), gateway: g}
	db := f.database.Open(t)
	api := transport.New(signer, db, log)
	newPeople(resource.NewRegistry(api, db, reference.NewClient(directory, signer)), db).mount()
	f.key = resourcetest.NewClient(api.Handler(), signer)
	f.person = f.as(principal.Actor{Type: "user", ID: uuid.NewString(), Name: "Anne Tremblay"})
	f.service = f.as(principal.Actor{Type: "service", ID: "gateway", Name: "gateway"})
	return f
}

// as gives a client of the same organization for another actor.
func (f fixture) as(actor principal.Actor) *resourcetest.Client {
	client := *f.key
	client.Principal.Actor = actor
	return &client
}

// otherOrganization gives the fixture with clients of another organization.
func (f fixture) otherOrganization() fixture {
	organization := uuid.NewString()
	for _, client := range []**resourcetest.Client{&f.key, &f.person, &f.service} {
		other := **client
		other.Principal.OrganizationID = organization
		*client = &other
	}
	return f
}

// gateway is a stub of the gateway's internal listener, and of the services that refer to teams.
type gateway struct {
	signer *principal.Signer
	mutex  sync.Mutex
	down   bool
	paths  []string // of the requests since the last calls
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	p, err := g.signer.Verify(r.Header.Get(principal.Header))
	if strings.HasPrefix(r.URL.Path, "/internal/dependents/") && err == nil {
		fmt.Fprint(w, `{"data":[]}`)
		return
	}
	if g.down || err != nil || r.Method != http.MethodPost || p.Actor.Type == "api_key" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"down","code":"down"}`)
		return
	}
	g.paths = append(g.paths, r.URL.Path)
	fmt.Fprint(w, `{"keys":[]}`)
}

// setDown makes the gateway unavailable, or available again.
func (g *gateway) setDown(down bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.down = down
}

// calls gives the paths of the requests since it was called last.
func (g *gateway) calls() []string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	paths := g.paths
	g.paths = nil
	return paths
}

// makeUser gives a valid request that fills every field.
func makeUser(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"email": fmt.Sprintf("user-%d@riviere-claire.ca", n), "name": fmt.Sprintf("Élise Côté %d", n), "role": "technician", "status": "active",
		"job_title": "Cheffe d'équipe", "department": "Travaux publics", "phone": "+1 418 555-0142", "employee_number": fmt.Sprintf("E-%d", n),
		"locale": "fr-CA", "time_zone": "America/Halifax", "external_id": fmt.Sprintf("hr-%d", n), "tags": []string{"aréna"},
		"custom_fields": map[string]any{"shift": "nuit"},
	}
}

// anonymous gives a client of the console on behalf of somebody who is not signed in.
func (f fixture) anonymous(address string) *resourcetest.Client {
	client := f.as(principal.Actor{Type: "service", ID: "console", Name: "console"})
	client.Principal.OrganizationID, client.Principal.Address = platform, address
	return client
}

// administrator creates the organization's first administrator, who can sign in, and gives their client.
func (f fixture) administrator(t *testing.T) *resourcetest.Client {
	t.Helper()
	id := f.service.Must(t, 200, "POST", "/internal/users/administrators",
		map[string]any{"email": "anne@example.ca", "name": "Anne", "password": phrase}).JSON["id"].(string)
	return f.as(principal.Actor{Type: "user", ID: id, Name: "Anne"})
}

// inviteUser creates a user and an invitation, and gives the user's id and the invitation's token.
func (f fixture) inviteUser(t *testing.T, by *resourcetest.Client, email string) (id, token string) {
	t.Helper()
	id = by.Create(t, "/v1/users", map[string]any{"email": email, "name": "Bao Nguyen", "role": "manager", "locale": "fr-CA"})["id"].(string)
	return id, by.Must(t, 200, "POST", "/internal/users/invitations", map[string]any{"user_id": id}).JSON["token"].(string)
}

// ownerConn gives a connection that sees every organization.
func (f fixture) ownerConn(t *testing.T) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(t.Context()) })
	return connection
}

// createAdministrator creates a further administrator, without a password.
func createAdministrator(t testing.TB, client *resourcetest.Client, email string) string {
	t.Helper()
	return client.Create(t, "/v1/users", map[string]any{"email": email, "name": "Anne", "role": "administrator",
		"status": "active"})["id"].(string)
}
