package assets

import (
	"fmt"
	"maps"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// Assets refer to each other, ten levels deep, and to systems, buildings and sites; more of them than one transaction deletes.
func TestASandboxOfNestedAssetsIsEmptied(t *testing.T) {
	client, database, _ := serveAlone(t)
	sandbox := client.Sandbox()
	for _, each := range []*resourcetest.Client{client, sandbox} {
		site := each.Create(t, "/v1/sites", fields{"name": "Dépôt"})["id"]
		building := each.Create(t, "/v1/buildings", fields{"name": "Garage", "site_id": site})["id"]
		system := each.Create(t, "/v1/systems", fields{"name": "Chauffage", "building_id": building})["id"]
		levels := chain(t, each, maxNesting)
		var rows []fields
		for i := range 1000 {
			rows = append(rows, fields{"name": fmt.Sprint("Pompe ", i), "system_id": system, "parent_asset_id": levels[i%9],
				"replacement_cost": 1000, "replacement_cost_year": 2020})
		}
		each.Must(t, 200, "POST", "/v1/assets/bulk", fields{"data": rows})
		each.Must(t, 200, "PATCH", fmt.Sprint("/v1/assets/", levels[9]), fields{"replacement_cost": 2000})
		each.Create(t, fmt.Sprintf("/v1/assets/%s/condition-assessments", levels[0]), fields{"assessed_on": "2024-05-01", "condition_rating": 3})
	}
	before := resourcetest.Rows(t, database)
	if n := before["asset"][sandbox.Principal.OrganizationID]; n != 1010 {
		t.Fatalf("the sandbox has %d assets", n)
	}
	sandbox.Empty(t)
	for table, rows := range resourcetest.Rows(t, database) {
		if n := rows[sandbox.Principal.OrganizationID]; n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
		delete(before[table], sandbox.Principal.OrganizationID)
		if !maps.Equal(before[table], rows) {
			t.Errorf("%s had %v of the others, and has %v", table, before[table], rows)
		}
	}
}
