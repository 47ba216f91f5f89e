package golden

import (
	"encoding/json"
	"strings"
	"testing"

	"ams.internal/gateway/edge"
)

// Merging would tell them apart by the names of their services, which nobody outside knows.
func TestNoTwoServicesHaveDifferentSchemasOfOneName(t *testing.T) {
	views, err := Views("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(views.Full, &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Components["schemas"]) == 0 {
		t.Fatal("the document has no schemas")
	}
	for name, schema := range document.Components["schemas"] {
		var described map[string]any
		if err := json.Unmarshal(schema, &described); err != nil {
			t.Fatal(err)
		}
		if delete(described, "enum"); strings.Contains(mustEncode(t, described), `"enum":`) {
			t.Errorf("%s has a list of values without a name", name)
		}
	}
	for kind, named := range document.Components {
		for name := range named {
			for _, service := range edge.Documented() {
				if strings.HasPrefix(name, service+"_") {
					t.Errorf("%s/%s: another service has a different %s; name one of them otherwise", kind, name, strings.TrimPrefix(name, service+"_"))
				}
			}
		}
	}
}

func mustEncode(t *testing.T, value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
