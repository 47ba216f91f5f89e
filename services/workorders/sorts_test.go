package workorders

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "workorders", migrations).Open(t)
	registry := resourcetest.NewRegistry(t, db)
	orders{registry}.handler()
	resourcetest.SortsByIndex(t, registry,
		"work_orders.title", "work_orders.due_date", "work_orders.updated_at", "vendors.name", "vendors.updated_at", "job_plans.name",
		"job_plans.updated_at", "pm_plans.name", "pm_plans.updated_at", "calendars.name", "calendars.updated_at", "sla_policies.updated_at")
}
