package assets

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	client, _, _ := serveAlone(t) // whose statements deploy/test/citus looks at
	conforms(t, client)
}

func conforms(t *testing.T, client *resourcetest.Client) {
	t.Run("sites", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Site]{Definition: sites, Client: client, Path: "/v1/sites", Make: makeSite,
			Keep: []string{"latitude", "longitude"}})
	})
	t.Run("buildings", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Building]{Definition: family{}.buildings(), Client: client, Path: "/v1/buildings",
			Make: makeBuilding, Keep: []string{"latitude", "longitude"}})
	})
	t.Run("systems", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[System]{Definition: family{}.systems(), Client: client, Path: "/v1/systems",
			Make: makeSystem, Keep: []string{"site_id"}})
	})
	assetsConform(t, client)
	t.Run("deficiencies", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Deficiency]{Definition: family{}.deficiencies(), Client: client, Path: "/v1/deficiencies",
			Make: makeDeficiency, Keep: []string{"asset_id", "found_on", "cost_year"}})
	})
	t.Run("price indexes", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[PriceIndex]{Definition: priceIndexes, Client: client, Path: "/v1/price-indexes",
			Make: makePriceIndex})
	})
	t.Run("values of price indexes", func(t *testing.T) {
		index := client.Create(t, "/v1/price-indexes", map[string]any{"name": "Construction"})
		resourcetest.Run(t, resourcetest.Suite[PriceIndexValue]{Definition: priceIndexValues, Client: client,
			Path: fmt.Sprintf("/v1/price-indexes/%v/values", index["id"]), Make: makePriceIndexValue})
	})
}

// assetsConform is of the resources whose tables docs/scale.md splits.
func assetsConform(t *testing.T, client *resourcetest.Client) {
	t.Run("assets", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Asset]{Definition: family{}.assets(), Client: client, Path: "/v1/assets", Make: makeAsset,
			Keep: []string{"site_id", "building_id", "condition_assessed_on", "condition_method", "replacement_cost_as_of",
				"deferred_maintenance_as_of"}})
	})
	t.Run("condition assessments", func(t *testing.T) {
		asset := client.Create(t, "/v1/assets", map[string]any{"name": "Pompe"})
		resourcetest.Run(t, resourcetest.Suite[ConditionAssessment]{
			Definition: family{}.conditionAssessments(), Client: client, Path: "/v1/assets/" + asset["id"].(string) + "/condition-assessments",
			Make: makeAssessment, Keep: []string{"condition_rating", "index_type", "index_value"},
		})
	})
}

func makeSite(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("École %d", n), "code": fmt.Sprintf("ÉC-%d", n), "site_type": "school", "status": "disposed",
		"out_of_use_on": "2020-05-01", "service_category": "education",
		"description": "École primaire",
		"notes":       "Accès par la ruelle", "address_line1": "1200, rue Saint-Denis", "address_line2": "Aile B",
		"city": "Trois-Rivières", "province": "QC",
		"postal_code": "G9A 1V4", "country": "CA", "latitude": 46.343, "longitude": -72.5421, "land_area_m2": 18250.5, "ownership": "owned",
		"ward": "Quartier 4", "manager_user_id": user, "external_id": fmt.Sprintf("site-%d", n), "tags": []string{"nord"},
		"custom_fields": map[string]any{"zone": 3.0},
	}
}

func makeBuilding(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	site := client.Create(t, "/v1/sites", map[string]any{"name": "Site " + uuid.NewString()})
	return map[string]any{
		"site_id": site["id"], "name": fmt.Sprintf("Pavillon %d", n), "code": fmt.Sprintf("PAV-%d", n), "building_type": "school",
		"status": "demolished", "out_of_use_on": "2020-05-01", "service_category": "library",
		"description": "Deux étages", "notes": "Clés au secrétariat", "year_built": 1964, "year_renovated": 2009, "gross_floor_area_m2": 4280.25,
		"floors_above_grade": 2, "floors_below_grade": 1, "capacity": 420, "address_line1": "1200, rue Saint-Denis", "address_line2": "Aile B",
		"city": "Trois-Rivières", "province": "QC", "postal_code": "G9A 1V4", "country": "CA", "latitude": 46.343, "longitude": -72.5421,
		"heritage_designated": true, "accessible": false, "ownership": "leased", "replacement_cost": 15750000.5, "replacement_cost_year": 2024,
		"expected_useful_life_years": 75, "criticality": "high", "external_id": fmt.Sprintf("building-%d", n), "tags": []string{"nord", "1964"},
		"custom_fields": map[string]any{"loué": true},
	}
}

func makeLifecycle(n int) map[string]any {
	return map[string]any{
		"uniformat_code": "D3020", "category": "hvac", "status": "in_service", "description": "Chaudières", "notes": "Entretien en septembre",
		"install_date": "2011-08-15", "install_year": 2011, "expected_useful_life_years": 25, "replacement_cost": 48500.25,
		"replacement_cost_year":     2026,
		"deferred_maintenance_cost": 3200, "planned_renewal_year": 2031, "condition_rating": 3,
		"external_id": fmt.Sprintf("record-%d", n), "tags": []string{"gaz"}, "custom_fields": map[string]any{"puissance": "48 kW"},
	}
}

func makeSystem(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	building := client.Create(t, "/v1/buildings",
		map[string]any{"site_id": client.Create(t, "/v1/sites", map[string]any{"name": "Site " + uuid.NewString()})["id"], "name": "Pavillon"})
	body := makeLifecycle(n)
	body["name"], body["code"] = fmt.Sprintf("Chauffage %d", n), fmt.Sprintf("CH-%d", n)
	body["building_id"], body["site_id"] = building["id"], building["site_id"]
	body["status"], body["out_of_use_on"] = "decommissioned", "2020-05-01"
	return body
}

func makeAsset(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	within := makeSystem(t, client, n)
	delete(within, "external_id")
	delete(within, "code")
	system := client.Create(t, "/v1/systems", within)
	body := makeLifecycle(n)
	for name, value := range map[string]any{
		"name": fmt.Sprintf("Pompe nº %d", n), "asset_tag": fmt.Sprintf("P-%d", n), "barcode": fmt.Sprintf("061234%d", n),
		"serial_number": fmt.Sprintf("SN-%d", n),
		"site_id":       system["site_id"], "building_id": system["building_id"], "system_id": system["id"],
		"location":     "Salle mécanique", // a parent would be one more record of the collection; nesting has tests of its own
		"manufacturer": "Armstrong", "model": "4380", "quantity": 2.5, "unit": "each", "warranty_expires_on": "2016-08-15",
		"acquisition_cost": 36200, "acquisition_date": "2011-07-01", "residual_value": 1200, "amortization_method": "straight_line",
		"disposed_on": "2020-05-30", "disposal_proceeds": 450.75, "probability_of_failure": 2, "consequence_of_failure": 4,
		"responsible_user_id": user, "meter_reading": 18250, "meter_unit": "h",
		"status": "decommissioned", "out_of_use_on": "2020-05-01", "service_category": "education", "condition_assessed_on": "2020-03-31",
		"condition_method": "age_based", "replacement_cost_as_of": "2020-03-30", "deferred_maintenance_as_of": "2020-03-29",
	} {
		body[name] = value
	}
	return body
}

func makeAssessment(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"assessed_on": fmt.Sprintf("2020-%02d-%02d", 1+n%12, 1+n%28), "condition_rating": 1 + n%5, "index_type": "other_100",
		"index_value": 62.5, "method": "visual",
		"assessor": "Geneviève Côté", "replacement_cost": 48500, "deferred_maintenance_cost": 3200.5,
		"defects": []string{"Corrosion du collecteur"},
		"notes":   "À revoir", "external_id": fmt.Sprintf("assessment-%d", n), "tags": []string{"2020"},
		"custom_fields": map[string]any{"lot": 4.0},
	}
}

// makeDeficiency makes an open one: it can be deleted, and was neither corrected nor waived.
func makeDeficiency(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	asset := client.Create(t, "/v1/assets", map[string]any{"name": "Pompe"})
	return map[string]any{
		"asset_id": asset["id"], "title": fmt.Sprintf("Joint fendu nº %d", n), "number": fmt.Sprintf("D-%d", n), "status": "open",
		"uniformat_code": "D3020", "category": "life_safety", "priority": "high", "quantity": 12.5, "unit": "m2", "estimated_cost": 4200.25,
		"cost_class": "C", "cost_year": 2024, "action_year": 2029,
		"source": "import", "source_id": user, "found_on": fmt.Sprintf("2024-%02d-%02d", 1+n%12, 1+n%28),
		"external_id": fmt.Sprintf("deficiency-%d", n), "tags": []string{"toit"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

// makePriceIndex gives the categories and the default to the few records that a check looks at: an organization has each once.
func makePriceIndex(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	categories := map[int][]string{100: {"facilities", "education"}, 400: {"roads"}}[n]
	if categories == nil {
		categories = []string{}
	}
	return map[string]any{
		"name": fmt.Sprintf("Construction %d", n), "code": fmt.Sprintf("CONST-%d", n), "source": "Statistique Canada",
		"service_categories": categories, "is_default": n == 100, "external_id": fmt.Sprintf("index-%d", n), "tags": []string{"2026"},
		"custom_fields": map[string]any{"tableau": "18-10-0289-01"},
	}
}

// makePriceIndexValue makes a value of another year for each n that a check uses.
func makePriceIndexValue(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"year": 1900 + n/100*20 + n%100, "value": float64(521000+n) / 10000, "external_id": fmt.Sprintf("value-%d", n), "tags": []string{"2026"},
		"custom_fields": map[string]any{"trimestre": 4.0},
	}
}
