package main

import (
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

type fields = map[string]any

// fixture is the service under test, and what the other services know in every organization.
type fixture struct {
	*resourcetest.Client
	peers                                           *resourcetest.Peers
	database                                        *postgrestest.Database
	user, site, building, network, asset, workOrder string
	otherSite, otherBuilding                        string
}

// newFixture gives a client of the whole service, on a database of its own.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureThrough(t, func(address string) string { return address })
}

// newFixtureThrough is newFixture with the database at another address, behind which it is.
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
	p := &fixture{peers: resourcetest.NewPeers(t, signer), database: database}
	family{resource.NewRegistry(api, db, p.peers.References)}.mount()
	p.Client = resourcetest.NewClient(api.Handler(), signer)

	p.user, p.network = p.know("users", "Geneviève Côté", nil), p.know("networks", "Aqueduc", nil)
	p.site, p.otherSite = p.know("sites", "École Saint-Joseph", nil), p.know("sites", "Aréna", nil)
	p.building = p.know("buildings", "Pavillon A", map[string]string{"site_id": p.site})
	p.otherBuilding = p.know("buildings", "Glace 1", map[string]string{"site_id": p.otherSite})
	p.asset, p.workOrder = p.know("assets", "Pompe nº 2", nil), p.know("work_orders", "WO-000001", nil)
	return p
}

// know makes a record that its owner knows.
func (p *fixture) know(collection, name string, references map[string]string) string {
	id := uuid.Must(uuid.NewV7()).String()
	p.peers.Keep(collection, reference.Entry{ID: id, Name: name, References: references})
	return id
}

// project makes a project and gives its path.
func (p *fixture) project(t testing.TB, body fields) string {
	t.Helper()
	if body["name"] == nil {
		body["name"] = "Projet"
	}
	return "/v1/projects/" + p.Create(t, "/v1/projects", body)["id"].(string)
}

// get gives a record.
func (p *fixture) get(t testing.TB, path string) fields {
	t.Helper()
	return p.Must(t, 200, "GET", path, nil).JSON
}
