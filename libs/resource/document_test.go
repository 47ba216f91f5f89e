package resource_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestParametersThatTakeSeveralValuesAreTakenRepeated(t *testing.T) {
	client, _ := serve(t)
	for _, state := range []string{"new", "lent", "lost"} {
		client.Create(t, "/v1/books", row{"title": state, "state": state, "tags": []string{state}})
	}
	ids := func(query string) []string {
		data, _ := client.List(t, "/v1/books?"+query)
		var titles []string
		for _, book := range data {
			titles = append(titles, book["title"].(string))
		}
		return titles
	}
	for repeated, joined := range map[string]string{
		"state=new&state=lost": "state=new,lost", "tags=lent&tags=lost": "tags=lent,lost", "sort=price&sort=-title": "sort=price,-title",
		"fields=title&fields=id": "fields=title,id", "expand=shelf&expand=sequel_to": "expand=shelf,sequel_to",
	} {
		if got, want := ids(repeated), ids(joined); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s gives %v, and %s gives %v", repeated, got, joined, want)
		}
	}
	for _, query := range []string{"page=1&page=2", "pages_min=1&pages_min=2", "thick=true&thick=false", "q=a&q=b"} {
		client.Must(t, 400, "GET", "/v1/books?"+query, nil)
	}
}

func TestARecordCanBeSentBackAsItWasRead(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "Shelf"})
	created := client.Create(t, "/v1/books", row{"title": "Read", "shelf_id": shelf["id"]})
	path := "/v1/books/" + created["id"].(string)
	read := client.Must(t, 200, "GET", path+"?expand=shelf,sequel_to", nil).JSON
	if read["shelf"] == nil {
		t.Fatalf("nothing is expanded: %v", read)
	}
	if sent := client.Must(t, 200, "PATCH", path, read).JSON; sent["version"] != 1.0 {
		t.Errorf("what was read changes the record: %v", sent)
	}
	client.Must(t, 200, "PATCH", "/v1/books/bulk", row{"data": []any{read}})
	delete(read, "number")
	client.Must(t, 201, "POST", "/v1/books", read)
	for _, wrong := range []any{"Shelf", row{"name": "Shelf"}, 7} {
		if refused := client.Must(t, 400, "PATCH", path, row{"shelf": wrong}); !slices.Equal(refused.Fields(), []string{"shelf"}) {
			t.Errorf("%v in place of what expand shows: %s", wrong, refused.Body)
		}
	}
}

// TestWhatTheDocumentPromises: what makes generated clients right.
func TestWhatTheDocumentPromises(t *testing.T) {
	client, _ := serve(t)
	document := client.Do(t, "GET", "/internal/openapi.json", nil).JSON
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	for name, schema := range schemas {
		if !strings.HasPrefix(name, "book") {
			continue
		}
		encoded, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(encoded), `"default"`) && !strings.HasSuffix(name, "Write") {
			t.Errorf("%s has a default: %s", name, encoded)
		}
		if schema.(map[string]any)["additionalProperties"] == false && name != "bookTransition" {
			t.Errorf("%s is closed", name)
		}
	}
	required := func(name string) []any { list, _ := schemas[name].(map[string]any)["required"].([]any); return list }
	if !slices.Contains(required("book"), any("price")) || slices.Contains(required("book"), any("shelf")) || required("bookPatch") != nil {
		t.Errorf("records require %v, patches %v", required("book"), required("bookPatch"))
	}
	members := func(name string) map[string]any {
		return schemas[name].(map[string]any)["allOf"].([]any)[1].(map[string]any)["properties"].(map[string]any)
	}
	if members("bookBulkCreateRow")["shelf_external_id"] == nil || members("bookBulkPatchRow")["id"] == nil ||
		members("bookBulkPatchRow")["shelf_external_id"] == nil || members("bookBulkDeleteRow")["number"] == nil {
		t.Errorf("rows of bulk calls are %v, %v and %v", members("bookBulkCreateRow"), members("bookBulkPatchRow"), members("bookBulkDeleteRow"))
	}
	for path, item := range document["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			for status, response := range operation.(map[string]any)["responses"].(map[string]any) {
				content, _ := response.(map[string]any)["content"].(map[string]any)
				shown, _ := content["application/json"].(map[string]any)
				if schema, _ := shown["schema"].(map[string]any); shown != nil && schema["$ref"] == nil {
					t.Errorf("%s %s: the answer %s has no name", method, path, status)
				}
			}
		}
	}
}
