package infrastructure

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "infrastructure", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"networks.updated_at",
		"segments.name", "segments.updated_at",
		"inspections.inspected_on", "inspections.updated_at",
		"infrastructure_deficiencies.updated_at")
}
