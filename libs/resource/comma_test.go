package resource_test

import (
	"net/url"
	"testing"

	"ams.internal/libs/schema"
)

func TestAValueWithACommaIsAskedFor(t *testing.T) {
	client, _ := serve(t)
	both := []string{"nord, sud", `12" (null)`}
	for _, value := range append(both, "nord", "sud", "null") {
		client.Create(t, "/v1/books", map[string]any{"title": value, "barcode": value, "external_id": value, "tags": []string{value},
			"custom_fields": map[string]any{"supplier": value}})
	}
	client.Create(t, "/v1/books", map[string]any{"title": "none"})
	client.Declare(t, "/v1/books/custom-fields?key=supplier", "text")
	for _, field := range []string{"title", "barcode", "external_id", "tags", "custom_fields.supplier"} {
		for written, want := range map[string]int{
			`nord\, sud`: 1, `"nord, sud"`: 1, "nord,sud": 2, `"nord, sud",nord,sud`: 3, `\null`: 1, `"null",nord`: 2, `12" (null)`: 1,
			schema.ListOf(both...): 2,
			`"12"" (null)"`:        1, `nord\,sud`: 0,
		} {
			list, _ := client.List(t, "/v1/books?"+field+"="+url.QueryEscape(written))
			if len(list) != want {
				t.Errorf("%s=%s finds %d, want %d", field, written, len(list), want)
			}
		}
		client.Must(t, 400, "GET", "/v1/books?"+field+"="+url.QueryEscape(`"nord, sud`), nil)
		if list, _ := client.List(t, "/v1/books?"+field+"="+url.QueryEscape("nord, sud")+"&"+field+"="+
			url.QueryEscape(`"nord, sud"`)); len(list) != 3 {
			t.Errorf("%s given twice finds %d", field, len(list))
		}
	}
	for field, want := range map[string]int{"barcode": 1, "external_id": 1, "custom_fields.supplier": 1, "tags": 1} { // tags: the word
		if list, _ := client.List(t, "/v1/books?"+field+"=null"); len(list) != want {
			t.Errorf("%s=null finds %d, want %d", field, len(list), want)
		}
	}
}
