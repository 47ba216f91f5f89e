package los

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// Records that the other services have, in every organization.
const (
	user     = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	site     = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e21"
	building = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e31"
	network  = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e41"
)

// fixture is the service on a database of its own, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	*otherServices
	database *postgrestest.Database
}

// newFixture gives a client of the whole service, on a database of its own.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "los", migrations)
	return newFixtureFrom(t, database, database.Open(t))
}

func newFixtureFrom(t testing.TB, database *postgrestest.Database, db *postgres.DB) *fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	for collection, entry := range map[string]reference.Entry{
		"users": {ID: user, Name: "Geneviève Côté"}, "sites": {ID: site, Name: "Garage municipal"},
		"buildings": {ID: building, Name: "Caserne 2"}, "networks": {ID: network, Name: "Routes pavées"},
	} {
		peers.Keep(collection, entry)
	}
	others := &otherServices{Peers: peers, sent: map[string]map[string]any{}}
	server := httptest.NewServer(others)
	t.Cleanup(server.Close)
	static := map[string][]string{}
	for _, service := range []string{"assets", "users", "workorders", "infrastructure", "documents", "gateway-internal"} {
		static[service] = []string{strings.TrimPrefix(server.URL, "http://")}
	}
	log := resourcetest.Log(t)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: static, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	others.leave = server.Close
	api := transport.New(signer, db, log)
	family{resource.NewRegistry(api, db, reference.NewClient(directory, signer))}.mount()
	return &fixture{resourcetest.NewClient(api.Handler(), signer), others, database}
}

// otherServices stand in for the other services and record the requests that they get.
type otherServices struct {
	*resourcetest.Peers
	leave func()

	mu   sync.Mutex
	sent map[string]map[string]any // the last request to each path
}

// ServeHTTP implements http.Handler.
func (n *otherServices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a caller that breaks off gets no response
	request := map[string]any{}
	_ = json.Unmarshal(body, &request)
	n.mu.Lock()
	n.sent[r.URL.Path] = request
	n.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	n.Peers.ServeHTTP(w, r)
}

// lastRequest is the body of the last request to a path.
func (n *otherServices) lastRequest(path string) map[string]any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sent[path]
}

// pathOf is the path of a collection.
func pathOf(collection string) string { return catalogue.Product().Must(collection).Path }
