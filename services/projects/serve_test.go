package projects

import (
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/transport"
)

type fields = map[string]any

// fixture is the service under test, and records that the other services have in every organization.
type fixture struct {
	*resourcetest.Client
	peers                                           *resourcetest.Peers
	database                                        *postgrestest.Database
	user, site, building, network, asset, workOrder string
	otherSite, otherBuilding                        string
	family                                          family
	owners                                          *owners
}

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the fixture that tests share.
var shared = testshare.Once(func(t testing.TB) *fixture { return newFixtureAlone(t) })

// newFixture gives a client of the whole service, of an organization of its own.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := *shared(t)
	all := resourcetest.Shared{Client: f.Client, Peers: f.peers, Database: f.database}
	f.Client, f.peers = all.Share(t)
	f.addOwners()
	f.addRecords()
	return &f
}

// newFixtureAlone gives a service and a database that no other test uses.
func newFixtureAlone(t testing.TB) *fixture {
	t.Helper()
	return newFixtureThrough(t, func(address string) string { return address })
}

// newFixtureThrough is newFixtureAlone with a proxy in front of the database: through gives its address.
func newFixtureThrough(t testing.TB, through func(address string) string) *fixture {
	t.Helper()
	database := postgrestest.New(t, "projects", migrations)
	db, err := postgres.Open(t.Context(), through(database.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	f := &fixture{peers: resourcetest.NewPeers(t, signer), database: database}
	f.family = family{resource.NewRegistry(api, db, f.peers.References)}
	f.family.mount()
	f.Client = resourcetest.NewClient(api.Handler(), signer)
	f.addOwners()
	f.addRecords()
	return f
}

// addOwners has other services answer for what effects change.
func (f *fixture) addOwners() {
	f.owners = newOwners()
	for _, service := range []string{"assets", "infrastructure", "meters"} {
		f.peers.Handle(service, "/internal/effects", f.owners)
	}
}

func (f *fixture) addRecords() {
	f.user, f.network = f.addRecord("users", "Geneviève Côté", nil), f.addRecord("networks", "Aqueduc", nil)
	f.site, f.otherSite = f.addRecord("sites", "École Saint-Joseph", nil), f.addRecord("sites", "Aréna", nil)
	f.building = f.addRecord("buildings", "Pavillon A", map[string]string{"site_id": f.site})
	f.otherBuilding = f.addRecord("buildings", "Glace 1", map[string]string{"site_id": f.otherSite})
	f.asset, f.workOrder = f.addRecord("assets", "Pompe nº 2", nil), f.addRecord("work_orders", "WO-000001", nil)
}

// addRecord adds a record to the service that owns it.
func (f *fixture) addRecord(collection, name string, references map[string]string) string {
	id := uuid.Must(uuid.NewV7()).String()
	f.peers.Keep(collection, reference.Entry{ID: id, Name: name, References: references})
	return id
}

// project makes a project and gives its path.
func (f *fixture) project(t testing.TB, body fields) string {
	t.Helper()
	if body["name"] == nil {
		body["name"] = "Projet"
	}
	return "/v1/projects/" + f.Create(t, "/v1/projects", body)["id"].(string)
}

// get gives a record.
func (f *fixture) get(t testing.TB, path string) fields {
	t.Helper()
	return f.Must(t, 200, "GET", path, nil).JSON
}
