package main

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "infrastructure", migrations).Open(t)
	registry := resource.NewRegistry(transport.New(resourcetest.NewSigner(t), db, resourcetest.Log(t)), db, nil)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"networks.updated_at",
		"segments.name", "segments.updated_at",
		"inspections.inspected_on", "inspections.updated_at")
}
