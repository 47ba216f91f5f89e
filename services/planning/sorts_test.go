package planning

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "planning", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	newPlanning(registry, resourcetest.Log(t))
	resourcetest.SortsByIndex(t, registry,
		"deterioration_models.updated_at",
		"asset_classes.updated_at",
		"treatments.updated_at",
		"strategies.updated_at",
		"scenarios.updated_at",
		"planning_inventories.updated_at",
		"planning_runs.updated_at")
}
