package los

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	client := newFixture(t).Client
	t.Run("service areas", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[ServiceArea]{Definition: serviceAreas, Client: client,
			Path: pathOf(serviceAreas.Collection), Make: makeServiceArea})
	})
	t.Run("measures", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Measure]{Definition: measures, Client: client, Path: pathOf(measures.Collection),
			Make: makeMeasure})
	})
	t.Run("targets", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Target]{Definition: targets, Client: client, Path: pathOf(targets.Collection),
			Make: makeTarget, Keep: []string{"target_value"}})
	})
	t.Run("measurements", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[Measurement]{Definition: measurements, Client: client,
			Path: pathOf(measurements.Collection), Make: makeMeasurement, Keep: []string{"value"}})
	})
}

func makeServiceArea(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Routes et rues %d", n), "code": fmt.Sprintf("RTE-%d", n), "category": "roads",
		"service_statement":    "Roads are safe in every season.",
		"service_statement_fr": "Les routes sont sûres en toute saison.", "condition_approach": "Pavement survey every three years.",
		"condition_approach_fr": "Relevé des chaussées tous les trois ans.", "properties_connected": 2500 + n, "owner_user_id": user,
		"site_ids": []string{site}, "building_ids": []string{building},
		"network_ids": []string{network}, "status": "active", "external_id": fmt.Sprintf("area-%d", n), "tags": []string{"voirie"},
		"custom_fields": map[string]any{"lot": 3.0},
	}
}

func makeMeasure(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	area := client.Create(t, pathOf(serviceAreas.Collection), map[string]any{"name": "Routes " + uuid.NewString()})
	return map[string]any{
		"service_area_id": area["id"], "name": fmt.Sprintf("Indice d'état %d", n), "code": fmt.Sprintf("IEC-%d", n),
		"description":  "Moyenne des routes pavées",
		"measure_type": "technical", "attribute": "quality", "value_kind": "rating", "unit": "PCI", "direction": "target_is_best",
		"frequency":   "quarterly",
		"data_source": "computed", "computed_metric": "avg_pci", "regulation_ref": "O. Reg. 588/17, Table 4", "tolerance_pct": 2.5,
		"weight":      3.25,
		"external_id": fmt.Sprintf("measure-%d", n), "tags": []string{"chaussée"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

// rated makes a measure whose values may be numbers and texts.
func rated(t testing.TB, client *resourcetest.Client) any {
	area := client.Create(t, pathOf(serviceAreas.Collection), map[string]any{"name": "Routes " + uuid.NewString()})
	return client.Create(t, pathOf(measures.Collection),
		map[string]any{"service_area_id": area["id"], "name": "État", "measure_type": "technical", "value_kind": "rating"})["id"]
}

func makeTarget(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"measure_id": rated(t, client), "year": 2000 + n%100, "kind": "proposed", "target_value": 72.5, "target_text": "bon",
		"minimum_value": 60, "stretch_value": 80.25,
		"rationale": "Ce que le budget permet", "expected_annual_cost": 1250000.5, "external_id": fmt.Sprintf("target-%d", n),
		"tags": []string{"conseil"}, "custom_fields": map[string]any{"vote": true},
	}
}

func makeMeasurement(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"measure_id": rated(t, client), "period_start": fmt.Sprintf("%d-01-01", 2000+n%100),
		"period_end": fmt.Sprintf("%d-12-31", 2000+n%100), "value": 71.4, "value_text": "bon",
		"note": "Relevé d'octobre", "evidence_url": "https://example.ca/rapport.pdf", "external_id": fmt.Sprintf("measurement-%d", n),
		"tags": []string{"2025"}, "custom_fields": map[string]any{"lot": 5.0},
	}
}
