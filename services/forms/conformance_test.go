package forms

import (
	"fmt"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	t.Run("templates", func(t *testing.T) {
		resourcetest.Run(t,
			resourcetest.Suite[FormTemplate]{Definition: f.forms.templates(), Client: f.Client, Path: templatesURL, Make: makeTemplate})
	})
	t.Run("responses", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[FormResponse]{Definition: f.forms.responses(), Client: f.Client, Path: responsesURL,
			Make: makeResponse, Keep: []string{"asset_id"}})
	})
}

func makeTemplate(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Inspection %d", n), "description": "Inspection mensuelle des pompes", "items": pumpForm, "status": "draft",
		"external_id": fmt.Sprintf("form-%d", n), "tags": []string{"pompe"}, "custom_fields": map[string]any{"lot": 3.0},
	}
}

func makeResponse(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	template, _ := client.List(t, templatesURL+"?status=published&per_page=1")
	if len(template) == 0 {
		newTemplate(t, client, "Pompes", pumpForm)
		template, _ = client.List(t, templatesURL+"?status=published&per_page=1")
	}
	return map[string]any{
		"template_id": template[0]["id"],
		"asset_id":    pump, "work_order_id": workOrder, "answers": map[string]any{"runs": "pass", "pressure": 150.0},
		"external_id": fmt.Sprintf("response-%d", n), "tags": []string{"mai"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	registry := resourcetest.NewRegistry(t, postgrestest.New(t, "forms", migrations).Open(t))
	forms{registry: registry}.mount()
	resourcetest.SortsByIndex(t, registry, "form_templates.updated_at", "form_responses.updated_at")
}
