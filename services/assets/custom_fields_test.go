package assets

import (
	"slices"
	"testing"
)

// The category of an asset follows from its UNIFORMAT code: a declaration holds by what is written, whoever has sent it.
func TestADeclarationHoldsForItsCategoryOfAssets(t *testing.T) {
	t.Parallel()
	client := serve(t)
	client.Must(t, 200, "PUT", "/v1/assets/custom-fields?key=heating", fields{"type": "choice", "choices": []string{"steam", "hot water"},
		"required": true, "label": "Heating", "label_fr": "Chauffage", "category": "hvac"})
	for _, c := range []struct {
		body    fields
		refused bool
	}{
		{fields{"name": "Desk", "category": "equipment_furnishings"}, false},
		{fields{"name": "Desk", "custom_fields": fields{"heating": "oak"}}, false},
		{fields{"name": "Boiler", "category": "hvac"}, true},
		{fields{"name": "Boiler", "uniformat_code": "D3020"}, true},
		{fields{"name": "Boiler", "uniformat_code": "D3020", "custom_fields": fields{"heating": "oak"}}, true},
		{fields{"name": "Boiler", "uniformat_code": "D3020", "custom_fields": fields{"heating": "steam"}}, false},
	} {
		if !c.refused {
			client.Create(t, "/v1/assets", c.body)
			continue
		}
		if refused := client.Must(t, 400, "POST", "/v1/assets", c.body); !slices.Equal(refused.Fields(), []string{"custom_fields.heating"}) {
			t.Errorf("%v: %s", c.body, refused.Body)
		}
	}
	for path, category := range map[string]string{
		"/v1/buildings": "arena", "/v1/sites": "park", "/v1/systems": "hvac", "/v1/deficiencies": "deferred_maintenance",
	} {
		client.Must(t, 200, "PUT", path+"/custom-fields?key=a", fields{"type": "text", "category": category})
		client.Must(t, 400, "PUT", path+"/custom-fields?key=a", fields{"type": "text", "category": "oak"})
	}
	client.Must(t, 400, "PUT", "/v1/price-indexes/custom-fields?key=a", fields{"type": "text", "category": "oak"})
}
