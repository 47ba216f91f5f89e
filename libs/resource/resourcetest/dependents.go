package resourcetest

import (
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/schema"
)

// dependents asks, as other services do before they delete something, what refers to their records: a record does while it is there, and
// one whose deletion leaves a row while the definition's Holds says so.
func (s Suite[T]) dependents(t *testing.T, declared *schema.Schema) {
	created := s.create(t, 860)
	targets := map[string]string{} // ids of other services' records, by collection
	for _, f := range declared.Fields {
		row, found := s.target(f, created)
		if id, is := created[f.Name].(string); is && found && row.Service != s.row().Service && f.Name != s.Definition.Parent {
			targets[row.Name] = id
		}
	}
	counts := func() map[string]float64 {
		counted := map[string]float64{}
		for collection, id := range targets {
			response := s.Client.Must(t, 200, "POST", "/internal/dependents/"+collection, map[string]any{"ids": []any{id}})
			counted[collection] = 0
			for _, of := range response.JSON["data"].([]any) {
				count, _ := of.(map[string]any)["counts"].(map[string]any)[s.Definition.Collection].(float64)
				counted[collection] += count
			}
		}
		return counted
	}
	before := counts()
	s.Client.Must(t, 204, "DELETE", s.Path+"/"+created["id"].(string), nil)
	after := counts()
	for collection := range targets {
		holds := before[collection] > 0 || s.Definition.Holds == "" // else Make may give one that holds nothing
		left := before[collection] - 1
		if s.SoftDelete && s.Definition.Holds == "" || !holds {
			left = before[collection]
		}
		if holds && before[collection] < 1 || after[collection] != left {
			t.Errorf("%v records refer to one of %s, and %v when one is deleted; want %v", before[collection], collection, after[collection], left)
		}
	}
}

// target gives the collection that a field of a record refers to.
func (s Suite[T]) target(f *schema.Field, record map[string]any) (catalogue.Collection, bool) {
	known := s.Catalogue
	if known == nil {
		known = catalogue.Product()
	}
	if by, named := strings.CutPrefix(f.References, "@"); named {
		value, _ := record[by].(string)
		return known.Named(value)
	}
	return known.Find(f.References)
}
