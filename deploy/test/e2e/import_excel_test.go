package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/importer"
)

// file gives a list as CSV.
func (c caller) file(t *testing.T, path, language string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer " + c.key}, "Accept": {"text/csv"}, "Accept-Language": {language}}
	got, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(got.Body); err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v: %s", got.StatusCode, err, text.String())
	}
	return text.Bytes()
}

// What the API wrote for Excel comes back as it was: every row is unchanged, in a dry run and in an import, and no record has a new
// version.
func TestTheFileForExcelComesBackUnaltered(t *testing.T) {
	c, _ := newOrganization(t)
	site := c.create(t, "/v1/sites", map[string]any{"name": "=Somme", "code": "-7", "latitude": 45.5017, "longitude": -73.5673,
		"land_area_m2": 1234.567, "notes": "première ligne\ndeuxième; \"citée\"\ttabulée"})
	c.create(t, "/v1/sites", map[string]any{"name": "'=apostrophe", "code": "007", "external_id": "+1,5", "land_area_m2": 0.125})
	c.create(t, "/v1/sites", map[string]any{"name": "''@deux", "code": "'simple'", "notes": "@1\n- a\n- b", "tags": []string{"=x", "é, è"}})
	building := c.create(t, "/v1/buildings", map[string]any{"name": "+Aréna", "site_id": site, "gross_floor_area_m2": 1850.5,
		"replacement_cost": 1234567.89, "accessible": true, "custom_fields": map[string]any{"note": "=1+1", "poids": 2.5}})
	c.create(t, "/v1/assets", map[string]any{"name": "-Pompe", "building_id": building, "asset_tag": "12E5", "condition_rating": 4,
		"condition_assessed_on": "2025-06-01", "replacement_cost": 10000.10, "quantity": 2, "install_date": "2001-02-03",
		"description": "@ l'étage"})
	for _, collection := range []string{"sites", "buildings", "assets"} {
		before := c.file(t, "/v1/"+collection, "en")
		count := c.must(t, 200, "GET", "/v1/"+collection+"?per_page=1", nil).object["pagination"].(map[string]any)["total"].(float64)
		for _, language := range []string{"fr-CA", "en-CA"} {
			text := c.file(t, "/v1/"+collection+"?csv=excel", language)
			if french := strings.Contains(string(text[:200]), ";"); french != (language == "fr-CA") || !bytes.HasPrefix(text, []byte("\ufeff")) {
				t.Fatalf("the file is not for Excel: %.300s", text)
			}
			path := filepath.Join(t.TempDir(), collection+".csv")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			job := importer.Job{Collection: collection, File: path, Rejects: path + ".rejects", State: path + ".state", OnConflict: "update",
				Progress: quiet{}}
			result, err := importer.Run(t.Context(), ams.NewClient(c.base, c.key), job)
			if err != nil || result.Unchanged != int(count) || result.Rows != int(count) {
				rejects, _ := os.ReadFile(path + ".rejects")
				t.Errorf("%s for %s: %+v, %v: %s", collection, language, result, err, rejects)
			}
		}
		if after := c.file(t, "/v1/"+collection, "en"); !bytes.Equal(before, after) {
			t.Errorf("%s were\n%s\nand are\n%s", collection, before, after)
		}
	}
}
