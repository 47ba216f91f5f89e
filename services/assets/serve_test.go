package assets

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/transport"
)

// user is a record that the users service of the tests has, in every organization.
const user = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the whole service, for all tests.
var shared = testshare.Once(func(t testing.TB) *resourcetest.Shared {
	database := postgrestest.New(t, "assets", migrations)
	client, peers := serveFrom(t, database)
	return &resourcetest.Shared{Client: client, Peers: peers, Database: database}
})

// serve gives a client of the whole service, of an organization of its own.
func serve(t testing.TB) *resourcetest.Client {
	client, _ := serveOn(t)
	return client
}

func serveOn(t testing.TB) (*resourcetest.Client, *postgrestest.Database) {
	client, database, _ := serveAmong(t)
	return client, database
}

// serveAmong gives the stand-ins for the other services as well. They have no open work orders.
func serveAmong(t testing.TB) (*resourcetest.Client, *postgrestest.Database, *resourcetest.Peers) {
	t.Helper()
	client, peers := shared(t).Share(t)
	return client, shared(t).Database, peers
}

// serveAlone gives a service and a database that no other test uses.
func serveAlone(t testing.TB) (*resourcetest.Client, *postgrestest.Database, *resourcetest.Peers) {
	t.Helper()
	database := postgrestest.New(t, "assets", migrations)
	client, peers := serveFrom(t, database)
	return client, database, peers
}

// serveFrom serves what is in a database.
func serveFrom(t testing.TB, database *postgrestest.Database) (*resourcetest.Client, *resourcetest.Peers) {
	t.Helper()
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	log := resourcetest.Log(t)
	api := transport.New(signer, db, log)
	peers := resourcetest.NewPeers(t, signer)
	peers.Keep("users", reference.Entry{ID: user, Name: "Geneviève Côté"})
	peers.Respond("/internal/work-orders/counts", fields{"data": []fields{}})
	peers.Respond("/internal/condition-approaches", fields{"data": []fields{}})
	family{resource.NewRegistry(api, db, peers.References)}.mount()
	return resourcetest.NewClient(api.Handler(), signer), peers
}

func owner(t testing.TB, database *postgrestest.Database) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}
