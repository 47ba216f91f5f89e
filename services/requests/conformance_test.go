package requests

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	t.Run("requests", func(t *testing.T) {
		definition := requests
		resourcetest.Run(t, resourcetest.Suite[Request]{
			Definition: definition, Client: f.Client, Path: "/v1/requests", Make: makeRequest,
			Keep: []string{"reason", "site_id", "building_id", "latitude", "longitude", "service_code"},
		})
	})
	t.Run("services", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[RequestService]{Definition: requestServices, Client: f.Client, Path: "/v1/request-services",
			Make: makeService})
	})
	t.Run("links", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[RequestLink]{Definition: f.desk.links(), Client: f.Client, Path: "/v1/request-links",
			Make: makeLink, Keep: []string{"asset_id"}})
	})
}

func makeRequest(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	code := "S-" + uuid.NewString()
	client.Create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Jeu brisé",
		"attributes": []map[string]any{{"code": "COLOR", "question": "Which colour?"}}})
	return map[string]any{
		"title": fmt.Sprintf("Balançoire brisée nº %d", n), "number": fmt.Sprintf("D-%d", n), "description": "La chaîne ne tient plus",
		"status": "rejected", "reason": "Terrain privé", "priority": "high", "source": "import", "service_code": code,
		"attributes": map[string]any{"COLOR": "rouge"}, "site_id": site, "building_id": building, "asset_id": swing, "segment_id": segment,
		"address_text": "Parc du Moulin", "latitude": 43.5 + float64(n%100)/1000, "longitude": -79.5, "media_url": "https://example.ca/p/1.jpg",
		"requester_name": "Geneviève Côté", "requester_email": fmt.Sprintf("genevieve%d@example.ca", n), "requester_phone": "+1 519 555 0134",
		"published": n%2 == 0, "public_note": "Nous passons mardi",
		"external_id": fmt.Sprintf("311-%d", n), "tags": []string{"parc"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeService(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"service_code": fmt.Sprintf("PLAY-%d", n), "name": fmt.Sprintf("Playground %d", n), "name_fr": "Aire de jeux", "description": "Swings",
		"description_fr": "Balançoires", "group": "Parks", "keywords": []string{"swing"}, "priority": "high",
		"type": "emergency", "team_id": team, "expected_days": 5 + n, "public": n%2 == 0, "attributes": []map[string]any{{"code": "KIND",
			"question": "Which?", "question_fr": "Lequel?", "datatype": "singlevaluelist", "hint": nil,
			"required": true, "variable": true, "values": []map[string]any{{"key": "swing", "name": "Swing", "name_fr": "Balançoire"}}}},
		"external_id": fmt.Sprintf("svc-%d", n), "tags": []string{"parc"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func makeLink(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	code := "L-" + uuid.NewString()
	client.Create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Jeu brisé"})
	return map[string]any{
		"name": fmt.Sprintf("Playground %d", n), "name_fr": "Aire de jeux", "asset_id": swing, "service_codes": []string{code},
		"notice": "Collected under the Act.", "notice_fr": "Recueillis en vertu de la Loi.", "contact": "required",
		"expires_on":  fmt.Sprintf("2030-%02d-%02d", 1+n%12, 1+n%28),
		"external_id": fmt.Sprintf("link-%d", n), "tags": []string{"parc"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}
