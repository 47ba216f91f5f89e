package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
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

// priceIndex is one that the assets service has, in every organization.
const priceIndex = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"

type fields = map[string]any

// fixture is the service on a database of its own, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	database *postgrestest.Database
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "planning", migrations)
	return newFixtureFrom(t, database, database.Open(t))
}

func newFixtureFrom(t testing.TB, database *postgrestest.Database, db *postgres.DB) *fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	peers.Keep("price_indexes", reference.Entry{ID: priceIndex, Name: "Construction non résidentielle"})
	server := httptest.NewServer(peers)
	t.Cleanup(server.Close)
	log := resourcetest.Log(t)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1", Log: log,
		Static: map[string][]string{"assets": {strings.TrimPrefix(server.URL, "http://")}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	api := transport.New(signer, db, log)
	family{resource.NewRegistry(api, db, reference.NewClient(directory, signer))}.mount()
	return &fixture{resourcetest.NewClient(api.Handler(), signer), database}
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
	response := f.Must(t, http.StatusBadRequest, "POST", pathOf(collection), body)
	for _, each := range response.JSON["fields"].([]any) {
		problem := each.(fields)
		if problem["field"] == field && strings.Contains(problem["message"].(string), words) {
			return
		}
	}
	t.Errorf("%s of %s: want %q, got %s", field, collection, words, response.Body)
}
