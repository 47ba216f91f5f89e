package meters

import (
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// Records that the other services have, in every organization.
const (
	site      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e21"
	building  = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e31"
	system    = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e41"
	pump      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"
	plow      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e52"
	main1     = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e61"
	nobodys   = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2eff"
	metersURL = "/v1/meters"
)

type fields = map[string]any

// fixture is the service on a database of its own, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	*resourcetest.Peers
	database *postgrestest.Database
	registry *resource.Registry
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureFrom(t, postgrestest.New(t, "meters", migrations))
}

func newFixtureFrom(t testing.TB, database *postgrestest.Database) *fixture {
	t.Helper()
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	for collection, entry := range map[string]reference.Entry{
		"sites": {ID: site, Name: "Garage municipal"}, "buildings": {ID: building, Name: "Caserne 2"},
		"systems": {ID: system, Name: "Chauffage"}, "segments": {ID: main1, Name: "Conduite 12"},
	} {
		peers.Keep(collection, entry)
	}
	peers.Keep("assets", reference.Entry{ID: pump, Name: "Pompe 3"}, reference.Entry{ID: plow, Name: "Charrue 7"})
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := resource.NewRegistry(api, db, peers.References)
	metering{registry}.mount()
	return &fixture{resourcetest.NewClient(api.Handler(), signer), peers, database, registry}
}

// newMeter makes a meter of the pump, in another way where more says so.
func newMeter(t testing.TB, client *resourcetest.Client, name string, more fields) string {
	t.Helper()
	body := fields{"name": name, "asset_id": pump, "kind": "counter", "unit": "h"}
	for field, value := range more {
		body[field] = value
	}
	return client.Create(t, metersURL, body)["id"].(string)
}

// read records a reading, which must be taken.
func read(t testing.TB, client *resourcetest.Client, meter, at string, value float64, more ...any) fields {
	t.Helper()
	body := fields{"read_at": at, "value": value}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return client.Must(t, 201, "POST", metersURL+"/"+meter+"/readings", body).JSON
}

// shown is a meter as GET shows it.
func shown(t testing.TB, client *resourcetest.Client, meter string) fields {
	t.Helper()
	return client.Must(t, 200, "GET", metersURL+"/"+meter, nil).JSON
}

func pathOf(collection string) string { return catalogue.Product().Must(collection).Path }
