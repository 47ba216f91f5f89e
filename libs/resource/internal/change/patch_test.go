package change

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

type machine struct {
	Name         string         `json:"name" required:"true"`
	CustomFields map[string]any `json:"custom_fields"`
	Tags         []string       `json:"tags"`
}

// A patch of a free object is what RFC 7396 says, and never touches the record that it is merged into.
func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x"}`), []byte(`{"a":null,"c":true}`))
	f.Add([]byte(`{}`), []byte(`{"a":null}`))
	f.Add([]byte(`{"a":1}`), []byte(`{}`))
	f.Add([]byte(`{"é":1.5}`), []byte(`{"é":{"b":1}}`))
	t := &table.Table{Schema: schema.Of[machine]()}
	f.Fuzz(func(test *testing.T, held, sent []byte) {
		before, err := schema.ParseObject(held)
		if err != nil {
			return
		}
		patch, err := schema.ParseObject(sent)
		if err != nil {
			return
		}
		c := &Change{table: t, Before: &machine{Name: "x", CustomFields: maps.Clone(before), Tags: []string{"a"}}, sent: map[string]bool{}}
		c.Patch(map[string]any{"custom_fields": patch, "tags": []any{"b"}}, "")
		if !reflect.DeepEqual(c.Before.(*machine).CustomFields, before) || !slices.Equal(c.Before.(*machine).Tags, []string{"a"}) {
			test.Fatalf("the patch %s changed the former record to %v", sent, c.Before)
		}
		if c.Err() != nil {
			return
		}
		want := maps.Clone(before)
		sentAgain, err := schema.ParseObject(sent)
		if err != nil {
			test.Fatal(err)
		}
		for name, value := range sentAgain {
			if want[name] = value; value == nil {
				delete(want, name)
			}
		}
		got, _ := json.Marshal(c.After.(*machine).CustomFields)
		expected, _ := json.Marshal(want)
		if string(got) != string(expected) {
			test.Fatalf("%s patched with %s is %s, want %s", held, sent, got, expected)
		}
	})
}
