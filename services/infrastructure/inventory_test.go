package infrastructure

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/resource/resourcetest"
)

func TestPlanningIsGivenTheSegments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "water_main")
	main := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": network, "name": "Conduite", "segment_code": "W-1", "status": "in_service", "material": "ci", "diameter_mm": 150,
			"length_m": 120.5, "install_year": 1961, "relined_year": 2015, "relined_useful_life_years": 40, "expected_useful_life_years": 80,
			"replacement_cost": 180_000, "replacement_cost_year": 2024, "attributes": fields{"zone": "est"}, "planned_renewal_year": 2040})["id"]
	gone := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Ancienne", "status": "abandoned"})["id"]
	for _, inspection := range []fields{
		{"inspected_on": "2019-05-01", "condition_rating": 2}, {"inspected_on": "2021-05-01", "condition_rating": 3, "method": "desktop"},
		{"inspected_on": "2024-05-01", "condition_rating": 4, "index_type": "other_100", "index_value": 44},
	} {
		inspection["segment_id"] = main
		f.Create(t, "/v1/infrastructure/inspections", inspection)
	}
	linesOf := func(client *resourcetest.Client) map[any]fields {
		lines := map[any]fields{}
		if _, err := inventory.Read(bytes.NewReader(client.Must(t, http.StatusOK, "POST", "/internal/inventory", fields{}).Body),
			func(text []byte) error {
				var line fields
				err := json.Unmarshal(text, &line)
				lines[line["id"]] = line
				return err
			}); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	lines := linesOf(f.Client)
	if len(lines) != 3 || lines[network]["type"] != "network" {
		t.Fatalf("the lines: %v", lines)
	}
	resourcetest.Expect(t, lines[main], fields{"type": "segment", "code": "W-1", "counts": true, "network_id": network,
		"network_asset_class": "water_main", "service_category": "water", "material": "ci", "diameter_mm": 150,
		"quantity": 120.5, "cost": 180_000, "cost_year": 2024, "useful_life_years": 40, "installed": "2015-07-01", "planned_renewal_year": 2040,
		"condition_rating": 4, "condition_index": 44, "condition_assessed_on": "2024-05-01", "custom_fields": fields{"zone": "est"}})
	resourcetest.Expect(t, lines[gone], fields{"type": "segment", "counts": false})
	if others := linesOf(f.Other()); len(others) != 0 {
		t.Errorf("another organization is given %v", others)
	}

	asked := fields{"from": "2019-05-01", "to": "2024-12-31"}
	inspections := f.Must(t, http.StatusOK, "POST", "/internal/inspections", asked).JSON["data"].([]any)
	if len(inspections) != 2 { // nobody looked from the desk
		t.Fatalf("inspections: %v", inspections)
	}
	resourcetest.Expect(t, inspections[0].(fields), fields{"id": main, "on": "2019-05-01", "rating": 2})
	resourcetest.Expect(t, inspections[1].(fields), fields{"id": main, "on": "2024-05-01", "rating": 4})
}
