package users

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "users", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	newPeople(registry, db).mount()
	resourcetest.SortsByIndex(t, registry,
		"users.name", "users.updated_at", "teams.name", "teams.updated_at")
}
