package accounting

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "accounting", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	newAccounting(registry, resourcetest.Log(t))
	resourcetest.SortsByIndex(t, registry,
		"capital_asset_classes.updated_at",
		"fiscal_years.updated_at",
		"capital_assets.name",
		"capital_assets.updated_at",
		"capital_asset_transactions.updated_at",
		"retirement_obligations.updated_at")
}
