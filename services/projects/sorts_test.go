package projects

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "projects", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	family{registry}.mount()
	resourcetest.SortsByIndex(t, registry,
		"projects.name", "projects.updated_at")
}
