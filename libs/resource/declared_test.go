package resource_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// declareBooks declares a custom field of books with all that is said of it, and gives the declaration.
func declareBooks(t *testing.T, client *resourcetest.Client, key string, declaration map[string]any) map[string]any {
	t.Helper()
	return client.Must(t, 200, "PUT", "/v1/books/custom-fields?key="+url.QueryEscape(key), declaration).JSON
}

// refuses expects a 400 that names one place, with a sentence that has all of want.
func refuses(t *testing.T, answer resourcetest.Response, place string, want ...string) {
	t.Helper()
	if fields := answer.Fields(); !slices.Equal(fields, []string{place}) {
		t.Errorf("%v are refused, want %s: %s", fields, place, answer.Body)
	}
	for _, part := range want {
		if !strings.Contains(answer.JSON["error"].(string), part) {
			t.Errorf("%s lacks %q", answer.Body, part)
		}
	}
}

func TestADeclaredTypeHoldsInEveryWrite(t *testing.T) {
	client, _ := serve(t)
	for _, c := range []struct {
		key         string
		declaration map[string]any
		is, isNot   []any
		says        string
	}{
		{"n", row{"type": "number"}, []any{3, -2.5, "12", 1e20, " "}, []any{"ground", true, "1e5"}, "number"},
		{"from", row{"type": "number", "minimum": -3, "maximum": 60.5}, []any{-3, 60.5, "7"}, []any{-3.01, 61, "99"}, "number from -3 to 60.5"},
		{"d", row{"type": "date"}, []any{"2024-02-29"}, []any{"2023-02-29", "29.02.2024", 2024, "0999-01-01"}, "date such as 2026-01-31"},
		{"day", row{"type": "date", "earliest": "1900-01-01"}, []any{"1900-01-01", "2100-01-01"}, []any{"1899-12-31"}, "from 1900-01-01 on"},
		{"b", row{"type": "boolean"}, []any{true, false, "true"}, []any{"yes", 1}, "boolean, true or false"},
		{"c", row{"type": "choice", "choices": []string{"steam", "hot water", "3"}}, []any{"steam", "hot  water", 3},
			[]any{"Steam", "oil", true}, "choice of steam, hot water, 3"},
		{"t", row{"type": "text"}, []any{"anything", 12, true}, []any{strings.Repeat("é", 501)}, "text of at most 500 characters"},
		{"p", row{"type": "text", "pattern": "^[A-Z]{2}-[0-9]+$"}, []any{"AB-12"}, []any{"ab-12", "AB-", 12}, "the pattern ^[A-Z]{2}-[0-9]+$"},
	} {
		declareBooks(t, client, c.key, c.declaration)
		with := func(value any) row { return row{"title": "a", "custom_fields": row{c.key: value}} }
		book := client.Create(t, "/v1/books", row{"title": "a"})["id"].(string)
		client.Must(t, 201, "PUT", "/v1/books/by-external-id/"+c.key, row{"title": "a"})
		for _, value := range c.is {
			client.Must(t, 200, "PATCH", "/v1/books/"+book, with(value))
		}
		for _, value := range c.isNot {
			place := "custom_fields." + c.key
			says := []string{place, c.says, "PUT /v1/books/custom-fields?key=" + c.key}
			refuses(t, client.Must(t, 400, "POST", "/v1/books", with(value)), place, says...)
			refuses(t, client.Must(t, 400, "PATCH", "/v1/books/"+book, with(value)), place, says...)
			refuses(t, client.Must(t, 400, "PUT", "/v1/books/by-external-id/"+c.key, with(value)), place, says...)
			refuses(t, client.Must(t, 400, "PUT", "/v1/books/by-external-id/new", with(value)), place, says...)
			rows := row{"data": []any{row{"title": "b"}, with(value), with(value)}}
			refused := client.Must(t, 400, "POST", "/v1/books/bulk", rows)
			refuses(t, refused, "data[1]."+place, says...)
			if summary := refused.JSON["summary"].(map[string]any); summary["failed"] != 2.0 {
				t.Errorf("%v as %s in bulk: %s", value, c.key, refused.Body)
			}
			refuses(t, client.Must(t, 400, "PATCH", "/v1/books/bulk", row{"data": []any{row{"id": book, "custom_fields": row{c.key: value}}}}),
				"data[0]."+place, says...)
		}
	}
	if _, pagination := client.List(t, "/v1/books"); pagination["total"] != 16.0 { // what was refused was not written
		t.Errorf("%v books are there", pagination["total"])
	}
}

// A row that is refused costs no number, and the others are written, where rows stand by themselves.
func TestARefusedRowLeavesTheOthersAndTheirNumbers(t *testing.T) {
	client, _ := serve(t)
	declareBooks(t, client, "floor", row{"type": "number"})
	rows := row{"data": []any{row{"title": "a"}, bookWith("b", row{"floor": "ground"}), bookWith("c", row{"floor": 2})}}
	answer := client.Must(t, 200, "POST", "/v1/books/bulk?atomic=false", rows)
	if summary := answer.JSON["summary"].(map[string]any); summary["created"] != 2.0 || summary["failed"] != 1.0 {
		t.Errorf("the rows are %s", answer.Body)
	}
	client.Create(t, "/v1/books", row{"title": "d"})
	data, _ := client.List(t, "/v1/books")
	numbers := ""
	for _, book := range data {
		numbers += fmt.Sprint(book["title"], book["number"], " ")
	}
	if numbers != "aB-0001 cB-0002 dB-0003 " {
		t.Errorf("the numbers are %s", numbers)
	}
}

func TestARequiredCustomFieldIsThere(t *testing.T) {
	client, _ := serve(t)
	before := client.Create(t, "/v1/books", row{"title": "before"})["id"].(string)
	declareBooks(t, client, "floor", row{"type": "number", "required": true})
	refuses(t, client.Must(t, 400, "POST", "/v1/books", row{"title": "a"}), "custom_fields.floor", "is declared as required",
		"a number", "PUT /v1/books/custom-fields?key=floor")
	refuses(t, client.Must(t, 400, "PUT", "/v1/books/by-external-id/a", row{"title": "a"}), "custom_fields.floor")
	refuses(t, client.Must(t, 400, "POST", "/v1/books/bulk", row{"data": []any{row{"title": "a"}, bookWith("b", row{"floor": 1})}}),
		"data[0].custom_fields.floor")
	path := "/v1/books/" + client.Create(t, "/v1/books", bookWith("a", row{"floor": 3}))["id"].(string)
	for _, nothing := range []any{nil, ""} {
		refuses(t, client.Must(t, 400, "PATCH", path, row{"custom_fields": row{"floor": nothing}}), "custom_fields.floor")
	}
	client.Must(t, 200, "PATCH", path, row{"title": "b", "custom_fields": row{"floor": 4}})
	// The one that was there may stay without.
	client.Must(t, 200, "PATCH", "/v1/books/"+before, row{"title": "still without", "custom_fields": row{"other": 1}})
	client.Must(t, 200, "PATCH", "/v1/books/"+before, row{"custom_fields": row{"floor": 1}})
	refuses(t, client.Must(t, 400, "PATCH", "/v1/books/"+before, row{"custom_fields": row{"floor": nil}}), "custom_fields.floor")
}

// What a service does by itself has nobody who could give a required value: it is written, and listed.
func TestWhatAServiceMakesByItselfMayLackARequiredValue(t *testing.T) {
	client, _, registry := serveRegistry(t, books)
	declareBooks(t, client, "floor", row{"type": "number", "required": true})
	of := client.Principal
	of.Scopes, of.Actor = nil, principal.Actor{Type: "service", ID: "library", Name: "library"}
	makes := func(body row) error {
		return registry.DB.Write(principal.Into(t.Context(), of), func(ctx context.Context, tx pgx.Tx) error {
			_, err := registry.Create(ctx, tx, "books", "", body)
			return err
		})
	}
	if err := makes(row{"title": "made"}); err != nil {
		t.Error(err)
	}
	if err := makes(bookWith("wrong", row{"floor": "ground"})); err == nil || !strings.Contains(err.Error(), "custom_fields.floor") {
		t.Errorf("a wrong value is %v", err)
	}
	if _, total := exceptions(t, client, "floor", ""); total != 1 {
		t.Errorf("%v are listed", total)
	}
}

func TestADeclarationHoldsForItsCategoryAlone(t *testing.T) {
	client, _ := serve(t)
	declareBooks(t, client, "verses", row{"type": "number", "required": true, "category": "poetry"})
	client.Create(t, "/v1/books", bookWith("none", row{"verses": "many"}))
	novel := client.Create(t, "/v1/books", row{"title": "a", "genre": "novel", "custom_fields": row{"verses": "many"}})["id"].(string)
	says := "of books with the genre poetry"
	refuses(t, client.Must(t, 400, "POST", "/v1/books", row{"title": "a", "genre": "poetry"}), "custom_fields.verses", says)
	refuses(t, client.Must(t, 400, "POST", "/v1/books", row{"title": "a", "genre": "poetry", "custom_fields": row{"verses": "many"}}),
		"custom_fields.verses", says, "many")
	poem := client.Create(t, "/v1/books", row{"title": "a", "genre": "poetry", "custom_fields": row{"verses": 14}})["id"].(string)
	// Whoever comes into the category comes under the declaration, and whoever leaves it is free of it.
	refuses(t, client.Must(t, 400, "PATCH", "/v1/books/"+novel, row{"genre": "poetry"}), "custom_fields.verses", says)
	client.Must(t, 200, "PATCH", "/v1/books/"+novel, row{"genre": "poetry", "custom_fields": row{"verses": 4}})
	client.Must(t, 200, "PATCH", "/v1/books/"+poem, row{"genre": "novel", "custom_fields": row{"verses": nil}})
	if _, total := exceptions(t, client, "verses", ""); total != 0 {
		t.Errorf("%v are listed", total)
	}
	refuses(t, client.Must(t, 400, "PUT", "/v1/books/custom-fields?key=a", row{"type": "text", "category": "poerty"}), "category",
		"must be one of the values of genre: novel, poetry; did you mean poetry?")
	refuses(t, client.Must(t, 400, "PUT", "/v1/shelves/custom-fields?key=a", row{"type": "text", "category": "oak"}), "category",
		"shelves, which have no category")
}

// exceptions gives the records that do not meet a declaration, as they are listed.
func exceptions(t *testing.T, client *resourcetest.Client, key, page string) (listed []map[string]any, total float64) {
	t.Helper()
	listed, pagination := client.List(t, "/v1/books/custom-fields/exceptions?key="+url.QueryEscape(key)+page)
	return listed, pagination["total"].(float64)
}

func TestWhatWasThereBeforeIsListedAndNotInTheWay(t *testing.T) {
	client, _ := serve(t)
	values := []any{"ground", 3, "12", 99, nil, "-1", true}
	var ids []string
	for i, value := range values {
		body := row{"title": fmt.Sprint(i), "external_id": fmt.Sprint("book ", i), "custom_fields": row{"floor": value}}
		book := client.Create(t, "/v1/books", body)
		ids = append(ids, book["id"].(string))
	}
	declared := declareCustom(t, client, "floor", "number")
	if declared["exceptions"] != 2.0 || declared["unparsed"] != 2.0 || declared["values"] != 4.0 {
		t.Errorf("declared is %v", declared)
	}
	listed := func(want string) {
		t.Helper()
		got, total := exceptions(t, client, "floor", "")
		found := []any{}
		for _, one := range got {
			i := slices.Index(ids, one["id"].(string))
			if one["external_id"] != fmt.Sprint("book ", i) || !strings.Contains(one["reason"].(string), "is declared as") {
				t.Errorf("listed is %v", one)
			}
			found = append(found, one["value"])
		}
		if fmt.Sprint(found) != want || total != float64(len(found)) {
			t.Errorf("%v of %v are listed, want %v", found, total, want)
		}
	}
	listed("[ground true]")
	tightened := declareBooks(t, client, "floor", row{"type": "number", "minimum": 0, "maximum": 50, "required": true, "label": "Storey"})
	if tightened["exceptions"] != 5.0 || tightened["state"] != "ready" || tightened["declared_at"] != declared["declared_at"] {
		t.Errorf("tightened is %v", tightened)
	}
	listed("[-1 99 <nil> ground true]")
	data, total := exceptions(t, client, "floor", "&per_page=2&page=2")
	if len(data) != 2 || data[0]["value"] != nil || data[1]["value"] != "ground" || total != 5 {
		t.Errorf("the second page is %v of %v", data, total)
	}
	// Each can be changed as long as the custom field is left alone, also where it is sent as it is.
	for i, id := range ids {
		client.Must(t, 200, "PATCH", "/v1/books/"+id, row{"pages": 7, "custom_fields": row{"room": "7"}})
		client.Must(t, 200, "PATCH", "/v1/books/"+id, row{"pages": 8, "custom_fields": row{"floor": values[i]}})
		client.Must(t, 200, "PUT", "/v1/books/by-external-id/"+url.PathEscape(fmt.Sprint("book ", i)), bookWith("a", row{"floor": values[i]}))
	}
	listed("[-1 99 <nil> ground true]")
	refuses(t, client.Must(t, 400, "PATCH", "/v1/books/"+ids[0], row{"custom_fields": row{"floor": "roof"}}), "custom_fields.floor")
	client.Must(t, 200, "PATCH", "/v1/books/"+ids[0], row{"custom_fields": row{"floor": 0}})
	listed("[-1 99 <nil> true]")

	// A choice and a pattern list what they do not take; texts are not collected anew for them.
	for _, room := range []string{"A-1", "B-2", "attic", "C-3"} {
		client.Create(t, "/v1/books", bookWith("x", row{"floor": 1, "room": room}))
	}
	declareCustom(t, client, "room", "text")
	for _, c := range []struct {
		declaration row
		want        string
	}{
		{row{"type": "text", "pattern": "^[A-Z]-[0-9]$"}, "[7 7 7 7 7 7 7 attic]"},
		{row{"type": "choice", "choices": []string{"A-1", "attic", "7"}}, "[B-2 C-3]"},
		{row{"type": "text"}, "[]"},
	} {
		if field := declareBooks(t, client, "room", c.declaration); field["state"] != "ready" || field["type"] != c.declaration["type"] {
			t.Errorf("declared is %v", field)
		}
		found := []any{}
		data, total := exceptions(t, client, "room", "")
		for _, one := range data {
			found = append(found, one["value"])
		}
		if fmt.Sprint(found) != c.want || total != float64(len(found)) {
			t.Errorf("%v lists %v of %v", c.declaration, found, total)
		}
		listsTitles(t, client, "custom_fields.room=attic", "x")
	}
	client.Must(t, 404, "GET", "/v1/books/custom-fields/exceptions?key=height", nil)
	client.Must(t, 400, "GET", "/v1/books/custom-fields/exceptions", nil)
	client.Must(t, 400, "GET", "/v1/books/custom-fields/exceptions?key=room&per_page=0", nil)
}

// numbered gives so many different texts.
func numbered(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("choice ", i))
	}
	return all
}

func TestADeclarationThatContradictsItselfIsRefused(t *testing.T) {
	client, _ := serve(t)
	for _, c := range []struct {
		body  row
		place string
		says  string
	}{
		{row{"type": "choise"}, "type", "choice"},
		{row{"type": "choice"}, "choices", "a list of the values"},
		{row{"type": "choice", "choices": []string{}}, "choices", "required of a choice"},
		{row{"type": "choice", "choices": []string{"a", "a"}}, "choices", ""},
		{row{"type": "choice", "choices": []string{"a", " "}}, "choices[1]", "must not be empty"},
		{row{"type": "choice", "choices": numbered(101)}, "choices", ""},
		{row{"type": "choice", "choices": []string{strings.Repeat("a", 201)}}, "choices[0]", ""},
		{row{"type": "text", "choices": []string{"a"}}, "choices", "declare the type choice"},
		{row{"type": "text", "minimum": 1}, "minimum", "declare the type number"},
		{row{"type": "date", "maximum": 1}, "maximum", "declare the type number"},
		{row{"type": "number", "minimum": 2, "maximum": 1}, "minimum", "at most the maximum"},
		{row{"type": "number", "minimum": "low"}, "minimum", "number"},
		{row{"type": "number", "earliest": "2026-01-01"}, "earliest", "declare the type date"},
		{row{"type": "date", "earliest": "2026-01-02", "latest": "2026-01-01"}, "earliest", "after latest"},
		{row{"type": "date", "latest": "2026-02-30"}, "latest", "date"},
		{row{"type": "number", "pattern": "a"}, "pattern", "declare the type text"},
		{row{"type": "text", "pattern": "(a"}, "pattern", "RE2"},
		{row{"type": "text", "pattern": "(?=a)"}, "pattern", "RE2"},
		{row{"type": "text", "pattern": "(a{100}){10}"}, "pattern", "500 steps"},
		{row{"type": "text", "pattern": strings.Repeat("a", 201)}, "pattern", ""},
		{row{"type": "text", "required": "yes"}, "required", ""},
		{row{"type": "text", "label": strings.Repeat("a", 201)}, "label", ""},
		{row{"type": "text", "labels": "a"}, "labels", "did you mean label"},
	} {
		refuses(t, client.Must(t, 400, "PUT", "/v1/books/custom-fields?key=a", c.body), c.place, c.says)
	}
	if fields := client.Must(t, 200, "GET", "/v1/books/custom-fields", nil).JSON["data"].([]any); len(fields) != 0 {
		t.Errorf("declared are %v", fields)
	}
}

func TestADeclarationIsShownAsItWasMade(t *testing.T) {
	client, database := serve(t)
	whole := row{"type": "choice", "label": "Heating", "label_fr": "Chauffage", "required": true, "choices": []any{"steam", "hot water"},
		"minimum": nil, "maximum": nil, "earliest": nil, "latest": nil, "pattern": nil, "category": "novel"}
	for range 2 { // the same again changes nothing
		declareBooks(t, client, "heating", whole)
	}
	shown := client.Must(t, 200, "GET", "/v1/books/custom-fields", nil).JSON["data"].([]any)[0].(map[string]any)
	for name, want := range whole {
		if fmt.Sprint(shown[name]) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", name, shown[name], want)
		}
	}
	declareBooks(t, client, "heating", row{"type": "choice", "choices": []string{"oil"}}) // what is left out is not declared any more
	client.Must(t, 201, "POST", "/v1/books", row{"title": "a", "genre": "novel"})
	if got := owner(t, database, `SELECT changes -> 'custom_fields.heating' -> 'new' ->> 'choices' FROM history
			WHERE action = 'custom_field_declared' ORDER BY at, id`); !slices.Equal(got, []string{`["steam","hot water"]`, `["oil"]`}) {
		t.Errorf("the trail has %q", got)
	}
}

// A declaration of another organization does nothing, and one of this organization holds in every process from its next write on.
func TestADeclarationHoldsForItsOrganizationInEveryProcess(t *testing.T) {
	client, database := serve(t)
	other := client.Other()
	registry, _ := collections(t, database, client)
	second := resourcetest.NewClient(registry.API.Handler(), client.Signer)
	second.Principal = client.Principal
	wrong := bookWith("a", row{"floor": "ground"})
	declareBooks(t, client, "floor", row{"type": "number", "required": true})
	other.Must(t, 201, "POST", "/v1/books", wrong)
	other.Must(t, 404, "GET", "/v1/books/custom-fields/exceptions?key=floor", nil)
	client.Must(t, 400, "POST", "/v1/books", wrong)
	second.Must(t, 400, "POST", "/v1/books", wrong)
	declareBooks(t, client, "floor", row{"type": "text"})
	second.Must(t, 201, "POST", "/v1/books", wrong)
	second.Must(t, 200, "PUT", "/v1/books/custom-fields?key=floor", row{"type": "number"})
	client.Must(t, 400, "POST", "/v1/books", wrong)
	client.Must(t, 204, "DELETE", "/v1/books/custom-fields?key=floor", nil)
	second.Must(t, 201, "POST", "/v1/books", wrong)
	declareBooks(t, other, "floor", row{"type": "number"})
	if _, total := exceptions(t, other, "floor", ""); total != 1 {
		t.Errorf("%v are listed", total)
	}
}

func TestACategoryIsAFieldWithAnEnum(t *testing.T) {
	definition := books
	for category, want := range map[string]string{"title": "title has no enum", "genres": `no field "genres"`} {
		definition.Category = category
		if said := mistakesOf(t, definition); !strings.Contains(said, want) {
			t.Errorf("%s: %s", category, said)
		}
	}
}
