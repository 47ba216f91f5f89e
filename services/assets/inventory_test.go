package assets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/resource/resourcetest"
)

// inventoryOf gives the lines that lifecycle planning is given, by id.
func inventoryOf(t *testing.T, client *resourcetest.Client, asked fields) map[any]fields {
	t.Helper()
	lines := map[any]fields{}
	body := client.Must(t, http.StatusOK, "POST", "/internal/inventory", asked).Body
	if _, err := inventory.Read(bytes.NewReader(body), func(text []byte) error {
		var line fields
		err := json.Unmarshal(text, &line)
		lines[line["id"]] = line
		return err
	}); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return lines
}

func TestPlanningIsGivenTheInventory(t *testing.T) {
	t.Parallel()
	client := serve(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Hôtel de Ville", "code": "HDV"})["id"]
	building := client.Create(t, "/v1/buildings", fields{"name": "Principal", "site_id": site, "year_built": 1987, "gross_floor_area_m2": 1200,
		"replacement_cost": 4_000_000, "replacement_cost_year": 2024})["id"]
	gone := client.Create(t, "/v1/buildings", fields{"name": "Annexe", "site_id": site, "status": "demolished"})["id"]
	system := client.Create(t, "/v1/systems", fields{"name": "Chauffage", "building_id": building, "category": "hvac",
		"expected_useful_life_years": 25, "planned_renewal_year": 2031})["id"]
	boiler := client.Create(t, "/v1/assets", fields{"name": "Chaudière", "system_id": system, "category": "hvac",
		"uniformat_code": "D3020", "quantity": 2, "install_date": "2012-09-01", "expected_useful_life_years": 20, "replacement_cost": 80_000.5,
		"replacement_cost_year": 2023, "deferred_maintenance_cost": 1200, "consequence_of_failure": 4})["id"]
	path := fmt.Sprint("/v1/assets/", boiler, "/condition-assessments")
	for _, assessment := range []fields{
		{"assessed_on": "2020-05-01", "condition_rating": 2}, {"assessed_on": "2021-05-01", "condition_rating": 4, "method": "age_based"},
		{"assessed_on": "2024-05-01", "condition_rating": 3, "index_type": "other_100", "index_value": 61},
	} {
		client.Create(t, path, assessment)
	}
	inside := client.Create(t, "/v1/assets", fields{"name": "Pompe", "building_id": gone})["id"]
	index := client.Create(t, "/v1/price-indexes", fields{"name": "Construction"})["id"]
	client.Create(t, fmt.Sprintf("/v1/price-indexes/%v/values", index), fields{"year": 2026, "value": 168.4})

	lines := inventoryOf(t, client, fields{})
	for id, want := range map[any]fields{
		site: {"type": "site", "name": "Hôtel de Ville", "code": "HDV", "counts": true},
		building: {"type": "building", "site_id": site, "service_category": "facilities", "counts": true, "quantity": 1200, "cost": 4_000_000,
			"cost_year": 2024, "installed": "1987-07-01"},
		system: {"type": "system", "building_id": building, "site_id": site, "category": "hvac", "useful_life_years": 25,
			"planned_renewal_year": 2031, "counts": true},
		boiler: {"type": "asset", "system_id": system, "building_id": building, "site_id": site, "category": "hvac", "uniformat_code": "D3020",
			"quantity": 2, "installed": "2012-09-01", "useful_life_years": 20, "cost": 80_000.5, "cost_year": 2023, "deferred_typed": 1200,
			"condition_rating": 3, "condition_index": 61, "condition_assessed_on": "2024-05-01", "consequence_of_failure": 4, "counts": true},
		inside: {"type": "asset", "building_id": gone, "counts": false}, // it is in use, and where it stands is not
		index:  {"type": "price_index", "values": fields{"2026": 168.4}},
	} {
		if lines[id] == nil {
			t.Errorf("there is no line of %v", want)
			continue
		}
		resourcetest.Expect(t, lines[id], want)
	}
	if len(lines) != 7 {
		t.Errorf("%d lines, want one for each of 7 records: %v", len(lines), lines)
	}
	if others := inventoryOf(t, client.Other(), fields{}); len(others) != 0 {
		t.Errorf("another organization is given %v", others)
	}

	asked := fields{"from": "2020-01-01", "to": "2024-05-01"}
	inspections := client.Must(t, http.StatusOK, "POST", "/internal/inspections", asked).JSON["data"].([]any)
	if len(inspections) != 2 { // what was rated by its age says nothing of how it aged
		t.Fatalf("inspections: %v", inspections)
	}
	resourcetest.Expect(t, inspections[0].(fields), fields{"id": boiler, "on": "2020-05-01", "rating": 2})
	resourcetest.Expect(t, inspections[1].(fields), fields{"id": boiler, "on": "2024-05-01", "rating": 3})
	if others := client.Other().Must(t, http.StatusOK, "POST", "/internal/inspections", asked).JSON["data"]; others != nil &&
		len(others.([]any)) != 0 {
		t.Errorf("another organization is given the inspections %v", others)
	}
}
