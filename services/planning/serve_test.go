package planning

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

// priceIndex is one that the assets service has, in every organization.
const priceIndex = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"

type fields = map[string]any

// fixture is the service, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	database *postgrestest.Database
	planning *planning
	peers    *resourcetest.Peers
	db       *postgres.DB
}

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the fixture that tests share.
var shared = testshare.Once(func(t testing.TB) *fixture { return newFixtureAlone(t) })

// newFixture gives an organization of its own of a service where nobody works on jobs.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := *shared(t)
	all := resourcetest.Shared{Client: f.Client, Peers: f.peers, Database: f.database}
	f.Client, f.peers = all.Share(t)
	return &f
}

// newFixtureAlone gives a service and a database that no other test uses: workers take the jobs of all organizations.
func newFixtureAlone(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "planning", migrations)
	return newFixtureFrom(t, database, database.Open(t))
}

func newFixtureFrom(t testing.TB, database *postgrestest.Database, db *postgres.DB) *fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	peers.Keep("price_indexes", reference.Entry{ID: priceIndex, Name: "Construction non résidentielle"})
	peers.Keep("segments", reference.Entry{ID: priceIndex, Name: "Rue Principale"}) // ids are of one collection each
	log := resourcetest.Log(t)
	api := transport.New(signer, db, log)
	p := newPlanning(resource.NewRegistry(api, db, peers.References), log)
	return &fixture{resourcetest.NewClient(api.Handler(), signer), database, p, peers, db}
}

// serve has the other services give these lines as their inventory, and begins to work on jobs.
func (f *fixture) serve(t testing.TB, assets, infrastructure []inventory.Line) {
	t.Helper()
	f.answer(assets, infrastructure)
	f.organization()
	f.work(t)
}

// answer has the other services give these lines as their inventory from now on.
func (f *fixture) answer(assets, infrastructure []inventory.Line) {
	for service, lines := range map[string][]inventory.Line{"assets": assets, "infrastructure": infrastructure} {
		f.peers.Handle(service, "/internal/inventory", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { send(w, lines, true) }))
	}
}

// organization has the gateway know the organization.
func (f *fixture) organization() {
	f.peers.Handle("gateway-internal", "/internal/organizations/"+
		f.Principal.OrganizationID, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(reference.Organization{ID: f.Principal.OrganizationID, Name: "Ville", Currency: "CAD",
			TimeZone: "America/Toronto", FiscalYearEndMonth: 12, Features: f.Principal.Features})
	}))
}

// work has a worker work until the test is over, or stop is called.
func (f *fixture) work(t testing.TB) (stop func()) {
	ctx, cancel := context.WithCancel(postgres.InCell(context.Background(), f.db.Cells()[0]))
	stopped := make(chan struct{})
	go func() { defer close(stopped); f.planning.jobQueue().Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-stopped })
	t.Cleanup(stop)
	return stop
}

// send writes lines as a service does, with their end or without.
func send(w io.Writer, lines []inventory.Line, whole bool) {
	sum := sha256.New()
	for _, line := range lines {
		text, _ := json.Marshal(line)
		text = append(text, '\n')
		sum.Write(text)
		_, _ = w.Write(text)
	}
	if whole {
		_ = json.NewEncoder(w).Encode(inventory.End{End: true, Count: len(lines), SHA256: hex.EncodeToString(sum.Sum(nil)),
			AsOf: "2026-11-27T10:00:00Z"})
	}
}

// ended waits until a record has one of these states, and gives it.
func (f *fixture) ended(t testing.TB, collection, id string, states ...string) fields {
	t.Helper()
	var record fields
	testwait.For(t, 2*time.Minute, collection+" to end", func() bool {
		record = f.Must(t, http.StatusOK, "GET", pathOf(collection)+"/"+id, nil).JSON
		return slices.Contains(states, record["state"].(string))
	})
	return record
}

// pathOf gives the path of a collection.
func pathOf(collection string) string { return catalogue.Product().Must(collection).Path }

// make creates a record and gives its id.
func (f *fixture) make(t testing.TB, collection string, body fields) string {
	t.Helper()
	return f.Create(t, pathOf(collection), body)["id"].(string)
}

func (f *fixture) class(t testing.TB, name string, more fields) string {
	t.Helper()
	body := fields{"name": name, "service_category": "roads", "applies_to": "segment"}
	for key, value := range more {
		body[key] = value
	}
	return f.make(t, "asset_classes", body)
}

// refused sends a body that is wrong in one field, and expects that the response names it with these words.
func (f *fixture) refused(t testing.TB, collection, field, words string, body fields) {
	t.Helper()
	response := f.Refused(t, "POST", pathOf(collection), body)
	for _, each := range response.JSON["fields"].([]any) {
		problem := each.(fields)
		if problem["field"] == field && strings.Contains(problem["message"].(string), words) {
			return
		}
	}
	t.Errorf("%s of %s: want %q, got %s", field, collection, words, response.Body)
}
