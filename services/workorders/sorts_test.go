package main

import (
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	db := postgrestest.New(t, "workorders", migrations).Open(t)
	registry := resource.NewRegistry(transport.New(resourcetest.NewSigner(t), db, resourcetest.Log(t)), db, nil)
	orders{registry}.handler()
	resourcetest.SortsByIndex(t, registry,
		"work_orders.title", "work_orders.due_date", "work_orders.updated_at")
}
