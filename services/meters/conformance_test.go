package meters

import (
	"fmt"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[Meter]{Definition: metering{f.registry}.meters(), Client: f.Client, Path: pathOf("meters"),
		Make: makeMeter, Keep: []string{"asset_id"}})
}

func makeMeter(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Heures %d", n), "asset_id": pump, "kind": "counter", "unit": "h", "rollover_at": 100000, "minimum": 10.5,
		"maximum": 95000, "external_id": fmt.Sprintf("meter-%d", n), "tags": []string{"pompe"}, "custom_fields": map[string]any{"lot": 3.0},
	}
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	registry := resourcetest.NewRegistry(t, postgrestest.New(t, "meters", migrations).Open(t))
	metering{registry}.mount()
	resourcetest.SortsByIndex(t, registry, "meters.updated_at")
}
