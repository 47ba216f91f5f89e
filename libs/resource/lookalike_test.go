package resource_test

import (
	"net/url"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// lookalikes are other ways to write Quai 7 that nobody can tell from it.
var lookalikes = []string{" Quai 7", "Quai\u00a07", "Quai\u20097", "Quai\t7", "Quai  7", "\ufeffQuai 7", "Qu\u00adai 7", "Quai\u200b 7",
	"\u200eQuai 7", "QUAI 7\u2060"}

func TestLookalikesAreTheSame(t *testing.T) {
	client, _ := serve(t)
	first := client.Create(t, "/v1/books", row{"title": "Quai 7", "barcode": "Quai 7", "external_id": "Quai 7", "tags": []string{"Quai 7"},
		"custom_fields": row{"Quai 7": "Quai 7"}})
	client.Declare(t, "/v1/books/custom-fields?key="+url.QueryEscape("Quai 7"), "text")
	for i, text := range lookalikes {
		for _, field := range []string{"barcode", "external_id"} {
			if refused := client.Must(t, 409, "POST", "/v1/books", row{"title": "x", field: text}).JSON; refused["existing_id"] != first["id"] {
				t.Errorf("%s %q: %v", field, text, refused)
			}
			found, _ := client.List(t, "/v1/books?"+field+"="+url.QueryEscape(text))
			if len(found) != 1 || found[0]["id"] != first["id"] {
				t.Errorf("%s=%q finds %v", field, text, found)
			}
		}
		if i == len(lookalikes)-1 {
			break // in capitals it is another title
		}
		for _, field := range []string{"title", "tags", "custom_fields.Quai 7"} {
			if found, _ := client.List(t, "/v1/books?"+url.QueryEscape(field)+"="+url.QueryEscape(text)); len(found) != 1 {
				t.Errorf("%s=%q finds %d", field, text, len(found))
			}
		}
		path := "/v1/books/" + first["id"].(string)
		changed := client.Must(t, 200, "PATCH", path, row{"title": text, "tags": []string{text}, "custom_fields": row{text: text}}).JSON
		resourcetest.Expect(t, changed, row{"version": 1.0, "title": "Quai 7"}) // it says what was there already
	}
	client.Must(t, 200, "PUT", "/v1/books/by-external-id/"+url.PathEscape("Quai\u00a0 7"), row{"title": "Quai 7"})
	if rows := client.Must(t, 200, "POST", "/v1/books/bulk?on_conflict=skip", row{"data": []any{row{"title": "x",
		"external_id": "quai\u20097\ufeff"}}}).JSON; rows["summary"].(row)["skipped"] != 1.0 {
		t.Errorf("in bulk it is %v", rows["summary"])
	}
	for field, body := range map[string]row{
		"title": {"title": "Quai\n7"}, "tags[0]": {"title": "x", "tags": []string{"Quai\r7"}}, "external_id": {"title": "x",
			"external_id": "Quai\x027"},
		"custom_fields.Quai 7": {"title": "x", "custom_fields": row{"Quai\n7": 1}},
	} {
		if got := client.Must(t, 400, "POST", "/v1/books", body).Fields(); len(got) != 1 || got[0] != field {
			t.Errorf("a line break is refused of %v, want %s", got, field)
		}
	}
	twice := client.Must(t, 400, "POST", "/v1/books", row{"title": "x", "custom_fields": row{"A B": 1, "A\u00a0B": 2}})
	if got := twice.Fields(); len(got) != 1 || got[0] != "custom_fields.A B" {
		t.Errorf("%v", got)
	}
	made := client.Create(t, "/v1/books", row{"title": "x", "custom_fields": row{"empty": " ", "lines": "a\u00a0 b\n c ",
		"line": " a\u00a0 b"}})
	resourcetest.Expect(t, made, row{"custom_fields.lines": "a\u00a0 b\n c", "custom_fields.line": "a b"})
	if _, has := made["custom_fields"].(row)["empty"]; has {
		t.Errorf("an empty text is kept: %v", made["custom_fields"])
	}
}
