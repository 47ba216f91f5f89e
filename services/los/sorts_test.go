package los

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "los", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"los_service_areas.updated_at",
		"los_measures.updated_at",
		"los_targets.updated_at",
		"los_measurements.updated_at")
}
