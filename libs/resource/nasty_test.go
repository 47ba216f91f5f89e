package resource_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// nasty are values that have broken services like this one.
var nasty = []any{
	nil, true, false, 0, -1, 1.5, 1e15, 9.99e14, 1e300, -1e-300, 2147483647, 2147483648, 9007199254740993, "", " ", "0", "null", "true", "NaN",
	"Infinity", "-0", "1e5", "1,2", ",", ",,", "'", `"`, `\`, "%", "_", "%%s%d", "$1", "$?", ";--", "2024-02-29", "2024-02-30", "0001-01-01",
	"9999-12-31", "10000-01-01", "2024-02-29T25:00:00Z", "9999-12-31T23:59:59.9999999Z", "infinity", "epoch", "now", "BC",
	"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", "{019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11}", "urn:uuid:019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11",
	"00000000-0000-0000-0000-000000000000", "İ", "ß", "ΟΔΟΣ", "e\u0301", "\u200b", "\u202e", "\ufeff", "\U0010ffff", "😀", "\x7f", "\x01",
	"a\nb", "{}", "[]", "<a>", strings.Repeat("x", 300), strings.Repeat("é", 5000), []any{}, []any{nil}, []any{1}, []any{"a", "a"},
	[]any{[]any{}}, []any{map[string]any{}}, []any{""}, []any{strings.Repeat("x", 200)}, map[string]any{}, map[string]any{"": 1},
	map[string]any{"a": nil}, map[string]any{"a": []any{}}, map[string]any{"a": 1e308, "b": strings.Repeat("x", 2000)},
}

func text(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(encoded)
}

func TestNoParameterOfAListIsAnInternalError(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", makeBook(t, client, 1))
	parameters := []string{"page", "per_page", "sort", "fields", "expand", "ids", "q", "updated_since", "thick", "unknown"}
	for _, f := range schema.Of[book]().Fields {
		parameters = append(parameters, f.Name, f.Name+"_min", f.Name+"_max", f.Name+"_from", f.Name+"_to")
	}
	for _, name := range parameters {
		for _, value := range nasty {
			query := "?per_page=2&" + url.Values{name: {text(value)}}.Encode()
			if name == "per_page" {
				query = "?" + url.Values{name: {text(value)}}.Encode()
			}
			answer := client.Do(t, "GET", "/v1/books"+query, nil)
			if answer.Status != 200 && (answer.Status != 400 || len(answer.Fields()) == 0) {
				t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
			}
		}
	}
}

func TestNoValueOfAFieldIsAnInternalError(t *testing.T) {
	client, _ := serve(t)
	made := client.Create(t, "/v1/books", row{"title": "x"})
	path := "/v1/books/" + made["id"].(string)
	for _, f := range schema.Of[book]().Fields {
		for _, value := range nasty {
			answer := client.Do(t, "PATCH", path, row{f.Name: value})
			switch answer.Status {
			case 200:
				got := client.Must(t, 200, "GET", path, nil).JSON
				if !reflect.DeepEqual(got[f.Name], answer.JSON[f.Name]) {
					t.Errorf("%s: %.100v: PATCH answers %v, GET %v", f.Name, value, answer.JSON[f.Name], got[f.Name])
				}
				if again := client.Must(t, 200, "PATCH", path, row{f.Name: got[f.Name]}).JSON; !reflect.DeepEqual(again, got) {
					t.Errorf("%s: %.100v: sending back %v made %v", f.Name, value, got[f.Name], again[f.Name])
				}
			case 400, 404: // 404: a record that is not there
				if len(answer.Fields()) == 0 {
					t.Errorf("%s: %.100v: %s", f.Name, value, answer.Body)
				}
			case 409: // a transition
			default:
				t.Errorf("%s: %.100v: %d %s", f.Name, value, answer.Status, answer.Body)
			}
		}
	}
}

func TestNoRowOfABulkCallIsAnInternalError(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", row{"title": "x", "external_id": "e", "number": "n"})
	for _, query := range []string{"POST ", "POST ?on_conflict=update&atomic=false", "POST ?on_conflict=skip&atomic=false",
		"PATCH ?atomic=false", "DELETE ?atomic=false"} {
		method, parameters, _ := strings.Cut(query, " ")
		for _, name := range []string{"id", "external_id", "number", "shelf_external_id", "sequel_to_external_id", "sequel_to_id", "tags"} {
			for _, value := range nasty {
				body := row{"title": "y", name: value}
				answer := client.Do(t, method, "/v1/books/bulk"+parameters, row{"data": []any{body, value}})
				if answer.Status != 200 && answer.Status != 400 && answer.Status != 409 {
					t.Errorf("%s %s: %.100v: %d %s", query, name, value, answer.Status, answer.Body)
				}
			}
		}
	}
}
