package webhooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

// neverChange are the fields of every record that no change is of.
var neverChange = []string{"id", "version", "created_at", "updated_at", "created_by", "updated_by"}

// fields.json says what the services say of their records.
func TestGoldenFields(t *testing.T) {
	found, computed := map[string]map[string]recordField{}, map[string][]string{}
	for row := range catalogue.Product().Collections() {
		encoded, err := os.ReadFile(filepath.Join("..", row.Service, "testdata", "openapi.json"))
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Paths map[string]map[string]struct {
				OperationID string `json:"operationId"`
				Responses   map[string]struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						} `json:"schema"`
					} `json:"content"`
				} `json:"responses"`
			} `json:"paths"`
			Components struct {
				Schemas map[string]describedField `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(encoded, &document); err != nil {
			t.Fatal(err)
		}
		for _, methods := range document.Paths {
			if get := methods["get"]; get.OperationID == "get_"+row.Singular {
				name := strings.TrimPrefix(get.Responses["200"].Content["application/json"].Schema.Ref, "#/components/schemas/")
				found[row.Name] = map[string]recordField{}
				for field, described := range document.Components.Schemas[name].Properties {
					if !slices.Contains(neverChange, field) {
						found[row.Name][field] = described.kind(document.Components.Schemas)
						if described.Computed {
							computed[row.Name] = append(computed[row.Name], field)
						}
					}
				}
				slices.Sort(computed[row.Name])
			}
		}
		if len(found[row.Name]) == 0 {
			t.Errorf("services/%s does not describe a record of %s", row.Service, row.Name)
		}
	}
	sameAs(t, "fields.json", fieldsFile, found)
	sameAs(t, "computed_fields.json", computedFile, computed)
}

func sameAs(t *testing.T, name string, kept []byte, found any) {
	got, err := json.MarshalIndent(found, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, kept) {
		t.Errorf("%s differs from what the services describe: run make golden", name)
	}
}

func TestTheEventsThatTimeBringsAreThoseThatSaySo(t *testing.T) {
	for kind := range catalogue.Product().EventTypes() {
		says := strings.Contains(kind.Description, "the record is not changed by it")
		if is := slices.Contains(broughtByTime, kind.Name); is != says {
			t.Errorf("%s: brought by time %v, its description says %v", kind.Name, is, says)
		}
	}
}

// describedField is what a description says of a field.
type describedField struct {
	Type   any             `json:"type"` // one, or several of which one is null
	Format string          `json:"format"`
	Enum   []*string       `json:"enum"`
	Items  *describedField `json:"items"`

	Ref        string                    `json:"$ref"`
	AnyOf      []describedField          `json:"anyOf"` // a component, or null
	Properties map[string]describedField `json:"properties"`

	Private  bool `json:"x-private"`
	Computed bool `json:"x-computed"`
}

func (d describedField) kind(schemas map[string]describedField) recordField {
	if len(d.AnyOf) == 2 {
		d.Ref = d.AnyOf[0].Ref
	}
	if name := strings.TrimPrefix(d.Ref, "#/components/schemas/"); name != "" {
		named := schemas[name]
		d.Type, d.Enum = named.Type, named.Enum
		if d.Enum != nil && len(d.AnyOf) == 2 {
			d.Enum = append(slices.Clone(d.Enum), nil)
		}
	}
	var types []string
	switch t := d.Type.(type) {
	case string:
		types = []string{t}
	case []any:
		for _, each := range t {
			types = append(types, each.(string))
		}
	}
	switch {
	case d.Private:
		return private
	case slices.Contains(types, "array") && d.Items != nil:
		return d.Items.kind(schemas)
	case d.Enum != nil:
		var values []string
		for _, value := range d.Enum {
			if value == nil {
				values = append(values, none)
			} else {
				values = append(values, *value)
			}
		}
		return recordField(oneOf + strings.Join(values, ", "))
	case slices.Contains(types, "boolean"):
		return "boolean"
	case slices.Contains(types, "number"), slices.Contains(types, "integer"):
		return "number"
	case !slices.Contains(types, "string"):
		return "object"
	case d.Format == "uuid" || d.Format == "date" || d.Format == "date-time":
		return recordField(d.Format)
	}
	return "string"
}
