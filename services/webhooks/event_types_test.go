package webhooks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

func TestEveryTypeIsListedWithAnExampleAndDescribedInTheDocument(t *testing.T) {
	f := newFixture(t)
	list := f.Must(t, 200, "GET", "/v1/event-types", nil).JSON["data"].([]any)
	document := f.Do(t, "GET", "/internal/openapi.json", nil).JSON
	webhooks := document["webhooks"].(fields)
	types := slices.Collect(catalogue.Product().EventTypes())
	if len(list) != len(types) || len(webhooks) != len(types) || len(list) < 60 {
		t.Fatalf("of %d types, %d are listed and %d described", len(types), len(list), len(webhooks))
	}
	for i, known := range types {
		shown := list[i].(fields)
		example, _ := shown["example"].(fields)
		if shown["name"] != known.Name || shown["scope"] != known.Scope || shown["feature"] != known.Feature || shown["description"] == "" {
			t.Errorf("%s is listed as %v", known.Name, shown)
		}
		for _, name := range []string{"id", "type", "timestamp", "organization_id", "sequence", "data", "actor", "origin", "bulk_id",
			"request_id"} {
			if _, has := example[name]; !has {
				t.Errorf("the example of %s has no %s", known.Name, name)
			}
		}
		if example["type"] != known.Name || example["data"].(fields)["object"] == nil {
			t.Errorf("the example of %s is %v", known.Name, example)
		}
		components := document["components"].(fields)["schemas"].(fields)
		described, err := json.Marshal([]any{webhooks[known.Name], components[eventSchemaOf(known)]})
		if err != nil {
			t.Fatal(err)
		}
		wanted := []string{`"#/components/parameters/webhook-id"`, `"#/components/parameters/webhook-timestamp"`,
			`"#/components/parameters/webhook-signature"`, `"#/components/parameters/webhook-event-type"`,
			`"#/components/parameters/webhook-delivery-id"`, `"#/components/parameters/webhook-attempt"`, `"const":"` + known.Name + `"`, `"2XX"`,
			`"#/components/schemas/EventEnvelope"`, `"#/components/schemas/` + eventSchemaOf(known) + `"`}
		if isAboutRecord(known.Name) {
			wanted = append(wanted, `"x-object-of":"get_`+singularOf(known.Collection)+`"`)
		}
		for _, want := range wanted {
			if !strings.Contains(string(described), want) {
				t.Errorf("%s is described without %s: %.600s", known.Name, want, described)
			}
		}
	}
}
