package requests

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "requests", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	d := desk{registry: registry, baseURL: "https://api.example.ca", log: resourcetest.Log(t)}
	d.handler(newDoor(d, &counter{}, testLimits))
	resourcetest.SortsByIndex(t, registry, "requests.title", "requests.updated_at", "request_services.updated_at", "request_links.updated_at")
}
