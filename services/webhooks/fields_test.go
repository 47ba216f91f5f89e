package main

import (
	"bytes"
	"encoding/json"
	"maps"
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
	found := map[string][]string{}
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
				Schemas map[string]struct {
					Properties map[string]any `json:"properties"`
				} `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(encoded, &document); err != nil {
			t.Fatal(err)
		}
		for _, methods := range document.Paths {
			if get := methods["get"]; get.OperationID == "get_"+row.Singular {
				name := strings.TrimPrefix(get.Responses["200"].Content["application/json"].Schema.Ref, "#/components/schemas/")
				found[row.Name] = slices.DeleteFunc(slices.Sorted(maps.Keys(document.Components.Schemas[name].Properties)), func(field string) bool {
					return slices.Contains(neverChange, field)
				})
			}
		}
		if len(found[row.Name]) == 0 {
			t.Errorf("services/%s does not describe a record of %s", row.Service, row.Name)
		}
	}
	got, err := json.MarshalIndent(found, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile("fields.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, fieldsFile) {
		t.Error("fields.json differs from what the services describe: run make golden")
	}
}
