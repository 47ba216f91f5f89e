package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/importer"
)

// quiet hears of an import and says nothing.
type quiet struct{}

func (quiet) Start(int64, importer.State) {}
func (quiet) Advance(importer.State)      {}
func (quiet) Note(string)                 {}
func (quiet) Finish(importer.State)       {}

// imported imports rows of CSV, or lines of JSON, and gives how many records were created.
func (c caller) imported(t *testing.T, collection, rows string) int {
	t.Helper()
	name := "in.csv"
	if strings.HasPrefix(rows, "{") {
		name = "in.ndjson"
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := importer.Run(t.Context(), ams.NewClient(c.base, c.key), importer.Job{Collection: collection, File: path,
		Rejects: path + ".rejects", State: path + ".state", OnConflict: "update", Progress: quiet{}})
	if err != nil || result.Rejected > 0 {
		rejects, _ := os.ReadFile(path + ".rejects")
		t.Fatalf("%+v, %v: %s", result, err, rejects)
	}
	return result.Created
}

func TestImportedPriceIndexesBringCostsToOneYear(t *testing.T) {
	c := fresh(t, city)
	const indexes = "external_id,name,service_categories,is_default\nimported-transit,Transports importés,transit,false\n"
	const values = "price_index_external_id,external_id,year,value\n" +
		"imported-transit,imported-1990,1990,52.1\nimported-transit,imported-2026,2026,168.4\n"
	if created := c.imported(t, "price-indexes", indexes); created != 1 {
		t.Fatalf("%d indexes are created", created)
	}
	index := c.must(t, 200, "GET", "/v1/price-indexes?external_id=imported-transit", nil).object["data"].([]any)[0].(map[string]any)
	path := "/v1/price-indexes/" + index["id"].(string)
	t.Cleanup(func() { c.must(t, 204, "DELETE", path, nil) })
	if created := c.imported(t, "price-indexes/values", values); created != 2 {
		t.Fatalf("%d values are created", created)
	}
	if again := c.imported(t, "price-indexes", indexes) + c.imported(t, "price-indexes/values", values); again != 0 {
		t.Errorf("a second time, %d are created", again)
	}
	building := c.create(t, "/v1/buildings", map[string]any{"name": "Imported prices " + index["id"].(string), "service_category": "transit",
		"site_id": c.create(t, "/v1/sites", map[string]any{"name": "Imported prices " + index["id"].(string)})})
	c.create(t, "/v1/assets", map[string]any{"name": "Track", "building_id": building, "replacement_cost": 100000,
		"replacement_cost_year": 1990})
	for year, want := range map[string]float64{"2026": 323224.57, "1990": 100000} {
		summary := c.must(t, 200, "GET", "/v1/buildings/"+building+"/summary?prices_of="+year, nil).object
		if summary["replacement_cost"] != want || summary["indexed_through"] != 2026.0 {
			t.Errorf("in prices of %s it costs %v, through %v", year, summary["replacement_cost"], summary["indexed_through"])
		}
	}
}
