package main

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "assets", migrations).Open(t)
	registry := resource.NewRegistry(transport.New(resourcetest.NewSigner(t), db, resourcetest.Log(t)), db, nil)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"sites.name", "sites.updated_at",
		"buildings.name", "buildings.updated_at",
		"systems.name", "systems.updated_at",
		"assets.name", "assets.updated_at")
}
