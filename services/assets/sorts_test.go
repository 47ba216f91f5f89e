package assets

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "assets", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"sites.name", "sites.updated_at",
		"buildings.name", "buildings.updated_at",
		"systems.name", "systems.updated_at",
		"assets.name", "assets.updated_at",
		"deficiencies.updated_at", "price_indexes.updated_at")
}
