package resource_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

func TestAutomaticNumbersSkipThoseThatAreTaken(t *testing.T) {
	client, _ := serve(t)
	for _, taken := range []string{"B-0002", "b-0003", "b-0004", "b-0005", "b-0006", "b-0007", "B-X", "C-0001"} {
		client.Create(t, "/v1/books", map[string]any{"title": "by hand", "number": taken})
	}
	var got []string
	for range 3 {
		got = append(got, client.Create(t, "/v1/books", map[string]any{"title": "automatic"})["number"].(string))
	}
	if want := []string{"B-0001", "B-0008", "B-0009"}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %v, want %v", got, want)
	}
	if other := client.Other().Create(t, "/v1/books", map[string]any{"title": "elsewhere"}); other["number"] != "B-0001" {
		t.Errorf("another organization begins with %v", other["number"])
	}
}

func TestConcurrentWritersGetDifferentNumbersAlthoughSomeAreTaken(t *testing.T) {
	client, _ := serve(t)
	for _, n := range []int{3, 7, 8, 20, 41} {
		client.Create(t, "/v1/books", map[string]any{"title": "by hand", "number": fmt.Sprintf("B-%04d", n)})
	}
	var mutex sync.Mutex
	seen := map[string]int{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 4 {
				rows := make([]any, 1+i)
				for r := range rows {
					rows[r] = map[string]any{"title": "automatic"}
				}
				answer := client.Must(t, 200, "POST", "/v1/books/bulk", map[string]any{"data": rows})
				mutex.Lock()
				for _, record := range answer.JSON["data"].([]any) {
					seen[record.(map[string]any)["number"].(string)]++
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	if len(seen) != 8*10 {
		t.Errorf("%d different numbers for 80 books", len(seen))
	}
	for number, times := range seen {
		if times != 1 || !strings.HasPrefix(number, "B-") {
			t.Errorf("%s was given %d times", number, times)
		}
	}
}

// bulk sends rows and gives the results by row and the summary.
func bulk(t *testing.T, client *resourcetest.Client, status int, method, query string, rows ...any) (results []map[string]any,
	summary map[string]any, answer resourcetest.Response) {
	t.Helper()
	answer = client.Must(t, status, method, "/v1/books/bulk"+query, map[string]any{"data": rows})
	for _, result := range answer.JSON["results"].([]any) {
		results = append(results, result.(map[string]any))
	}
	summary = answer.JSON["summary"].(map[string]any)
	for name, count := range summary {
		if count == 0.0 {
			delete(summary, name)
		}
	}
	return results, summary, answer
}

func statuses(results []map[string]any) []string {
	var all []string
	for _, result := range results {
		all = append(all, result["status"].(string))
	}
	return all
}

type row = map[string]any

func TestARowMayReferToAnEarlierRowOfTheSameCall(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "S", "external_id": "shelf"})
	_, _, answer := bulk(t, client, 200, "POST", "",
		row{"title": "one", "external_id": "one", "shelf_external_id": " SHELF "},
		row{"title": "two", "external_id": "two", "sequel_to_external_id": "ONE"},
		row{"title": "three", "sequel_to_external_id": "two", "shelf_external_id": nil})
	var made []row
	for _, record := range answer.JSON["data"].([]any) {
		made = append(made, record.(row))
	}
	if made[0]["shelf_id"] != shelf["id"] || made[1]["sequel_to_id"] != made[0]["id"] || made[2]["sequel_to_id"] != made[1]["id"] ||
		made[2]["shelf_id"] != nil {
		t.Errorf("made %v", made)
	}
	results, _, _ := bulk(t, client, 200, "POST", "?atomic=false",
		row{"title": "too early", "sequel_to_external_id": "later"}, row{"title": "later", "external_id": "later"},
		row{"title": "itself", "external_id": "itself", "sequel_to_external_id": "itself"},
		row{"title": "on no shelf", "shelf_external_id": "nowhere"}, row{"title": "on a number", "shelf_external_id": 7})
	if want := []string{"failed", "created", "failed", "failed", "failed"}; !slices.Equal(statuses(results), want) {
		t.Errorf("the rows became %v, want %v: %v", statuses(results), want, results)
	}
	if results[3]["field"] != "shelf_external_id" || !strings.Contains(results[3]["error"].(string), "nowhere") {
		t.Errorf("a reference to nothing: %v", results[3])
	}
	if data, _ := client.Other().List(t, "/v1/books"); len(data) != 0 {
		t.Errorf("another organization has %v", data)
	}
	client.Other().Must(t, 404, "POST", "/v1/books/bulk", row{"data": []any{row{"title": "x", "shelf_external_id": "shelf"}}})
}

func TestRepeatedRowsInOneCallAreOneRecord(t *testing.T) {
	client, _ := serve(t)
	results, summary, answer := bulk(t, client, 200, "POST", "?on_conflict=update",
		row{"title": "first", "external_id": "x", "pages": 10}, row{"title": "other", "external_id": "y"},
		row{"title": "second", "external_id": " X "}, row{"external_id": "x", "genre": "novel"})
	if !slices.Equal(statuses(results), []string{"created", "created", "updated", "updated"}) ||
		!reflect.DeepEqual(summary, row{"created": 2.0, "updated": 2.0}) {
		t.Errorf("update: %v %v", results, summary)
	}
	if results[0]["id"] != results[2]["id"] || results[0]["id"] != results[3]["id"] || len(answer.JSON["data"].([]any)) != 2 {
		t.Errorf("update: %s", answer.Body)
	}
	book := client.Must(t, 200, "GET", "/v1/books/"+results[0]["id"].(string), nil).JSON
	if book["title"] != "second" || book["pages"] != 10.0 || book["genre"] != "novel" || book["version"] != 1.0 {
		t.Errorf("the book is %v", book)
	}
	results, _, _ = bulk(t, client, 200, "POST", "?on_conflict=skip",
		row{"title": "kept", "external_id": "z"}, row{"title": "skipped", "external_id": "Z"}, row{"title": "skipped", "external_id": "x"})
	if !slices.Equal(statuses(results), []string{"created", "skipped", "skipped"}) || results[1]["id"] != results[0]["id"] ||
		results[2]["id"] != book["id"] {
		t.Errorf("skip: %v", results)
	}
	results, _, _ = bulk(t, client, 409, "POST", "", row{"title": "a", "external_id": "twice"}, row{"title": "b", "external_id": "TWICE"})
	if len(results) != 1 || results[0]["index"] != 1.0 || results[0]["code"] != "already_exists" || results[0]["field"] != "external_id" {
		t.Errorf("error: %v", results)
	}
	if data, _ := client.List(t, "/v1/books?external_id=twice"); len(data) != 0 {
		t.Errorf("a refused call wrote %v", data)
	}
}

func TestARowThatChangesNothingIsUnchanged(t *testing.T) {
	client, _ := serve(t)
	full := row{"title": "Dîner", "external_id": "u-1", "number": "U-1", "pages": 12, "price": 7.5, "tags": []string{"a"},
		"custom_fields": row{"shelf": "B", "weight": 2.50}}
	results, summary, _ := bulk(t, client, 200, "POST", "?on_conflict=update", full, row{"title": "Souper", "external_id": "u-2"})
	if want := (row{"created": 2.0}); !reflect.DeepEqual(summary, want) {
		t.Fatalf("summary %v, want %v", summary, want)
	}
	id := results[0]["id"]
	for _, c := range []struct {
		name, method, query string
		rows                []any
		want                []string
	}{
		{"the same, a change and a new one", "POST", "?on_conflict=update",
			[]any{full, row{"title": "Lunch", "external_id": "u-2"}, row{"title": "New", "external_id": "u-3"}}, []string{"unchanged",
				"updated", "created"}},
		{"two rows about one record that change nothing", "POST", "?on_conflict=update&atomic=false",
			[]any{row{"title": " Dîner ", "external_id": "u-1"}, row{"title": "Dîner", "number": "U-1"}}, []string{"unchanged", "unchanged"}},
		{"two rows that are one change", "POST", "?on_conflict=update",
			[]any{row{"title": "Dîner", "external_id": "u-1"}, row{"title": "Dîner", "external_id": "u-1", "pages": 13}}, []string{"updated",
				"updated"}},
		{"left as it is", "POST", "?on_conflict=skip", []any{full}, []string{"skipped"}},
		{"a patch", "PATCH", "?atomic=false", []any{row{"external_id": "u-1", "pages": 13}, row{"external_id": "u-2", "pages": nil},
			row{"external_id": "u-3", "pages": 1}, row{"external_id": "none", "pages": 1}}, []string{"unchanged", "unchanged", "updated", "failed"}},
	} {
		results, summary, answer := bulk(t, client, 200, c.method, c.query, c.rows...)
		if !slices.Equal(statuses(results), c.want) {
			t.Errorf("%s: %v, want %v: %s", c.name, statuses(results), c.want, answer.Body)
		}
		counted := row{}
		for _, status := range c.want {
			count, _ := counted[status].(float64)
			counted[status] = count + 1
		}
		if !reflect.DeepEqual(summary, counted) {
			t.Errorf("%s: summary %v, want %v", c.name, summary, counted)
		}
	}
	if got := client.Must(t, 200, "GET", "/v1/books/"+id.(string), nil).JSON; got["version"] != 2.0 {
		t.Errorf("what was unchanged has a new version: %v", got)
	}
}

func TestARecordMayBeNamedByDifferentKeysInOneCall(t *testing.T) {
	client, _ := serve(t)
	book := client.Create(t, "/v1/books", row{"title": "old", "external_id": "e", "number": "N-1"})
	results, _, _ := bulk(t, client, 200, "POST", "?on_conflict=update", row{"title": "new", "external_id": "e"},
		row{"title": "newer", "number": "n-1", "pages": 5})
	if !slices.Equal(statuses(results), []string{"updated", "updated"}) || results[0]["id"] != book["id"] || results[1]["id"] != book["id"] {
		t.Fatalf("the rows became %v", results)
	}
	got := client.Must(t, 200, "GET", "/v1/books/"+book["id"].(string), nil).JSON
	if got["title"] != "newer" || got["pages"] != 5.0 || got["version"] != 2.0 {
		t.Errorf("the book is %v", got)
	}
	results, _, _ = bulk(t, client, 200, "POST", "?on_conflict=update", row{"title": "B", "external_id": "f", "number": "N-2"},
		row{"title": "C", "number": " n-2"})
	if !slices.Equal(statuses(results), []string{"created", "updated"}) || results[0]["id"] != results[1]["id"] {
		t.Errorf("the rows became %v", results)
	}
	results, _, _ = bulk(t, client, 200, "POST", "?on_conflict=skip", row{"title": "B", "external_id": "f"},
		row{"title": "C", "number": "N-2"})
	if !slices.Equal(statuses(results), []string{"skipped", "skipped"}) {
		t.Errorf("the rows became %v", results)
	}
	results, _, _ = bulk(t, client, 200, "PATCH", "", row{"id": book["id"], "title": "A"}, row{"external_id": "E", "pages": 6},
		row{"number": "N-1", "genre": "poetry"})
	if got = client.Must(t, 200, "GET", "/v1/books/"+book["id"].(string), nil).JSON; got["title"] != "A" || got["pages"] != 6.0 ||
		got["genre"] != "poetry" || got["version"] != 3.0 || len(results) != 3 {
		t.Errorf("after a PATCH by three keys the book is %v, the results %v", got, results)
	}
}

func TestRowsThatFailForDifferentReasonsFailAlone(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", row{"title": "held", "barcode": "held", "external_id": "held"})
	rows := []any{
		row{"title": "fine", "external_id": "fine"},
		row{"pages": 5},
		row{"title": "x", "pages": 0, "colour": "red"},
		row{"title": "x", "barcode": " HELD "},
		row{"title": "x", "external_id": "Held"},
		row{"title": "x", "shelf_id": uuid.NewString()},
		row{"title": "x", "shelf_id": "nonsense"},
		"not an object", nil, []any{},
		row{"title": "fine as well"},
		row{"title": "x", "external_id": "FINE"},
	}
	results, summary, _ := bulk(t, client, 200, "POST", "?atomic=false", rows...)
	for i, want := range []struct{ status, code, field string }{
		{"created", "", ""}, {"failed", "invalid_request", "title"}, {"failed", "invalid_request", "colour"},
		{"failed", "already_exists", "barcode"}, {"failed", "already_exists", "external_id"}, {"failed", "reference_not_found", "shelf_id"},
		{"failed", "invalid_request", "shelf_id"}, {"failed", "invalid_request", "data[7]"}, {"failed", "invalid_request", "data[8]"},
		{"failed", "invalid_request", "data[9]"}, {"created", "", ""}, {"failed", "already_exists", "external_id"},
	} {
		code, _ := results[i]["code"].(string)
		field, _ := results[i]["field"].(string)
		if results[i]["index"] != float64(i) || results[i]["status"] != want.status || code != want.code || field != want.field {
			t.Errorf("row %d became %v, want %v", i, results[i], want)
		}
	}
	if !reflect.DeepEqual(summary, row{"created": 2.0, "failed": 10.0}) {
		t.Errorf("the summary is %v", summary)
	}
	if fields := results[2]["fields"].([]any); len(fields) != 2 {
		t.Errorf("all problems of a row are named: %v", fields)
	}
	if _, pagination := client.List(t, "/v1/books"); pagination["total"] != 3.0 {
		t.Errorf("there are %v books, want 3", pagination["total"])
	}
}

func TestBulkPatchAndDeleteFailRowByRow(t *testing.T) {
	client, _ := serve(t)
	first := client.Create(t, "/v1/books", row{"title": "first", "external_id": "1", "state": "lost"})
	second := client.Create(t, "/v1/books", row{"title": "second", "external_id": "2", "sequel_to_id": first["id"]})
	results, _, _ := bulk(t, client, 200, "PATCH", "?atomic=false",
		row{"external_id": "1", "state": "new"}, row{"external_id": "2", "state": "lent"}, row{"external_id": "3", "title": "x"},
		row{"id": second["id"], "pages": -1}, row{"title": "x"})
	// The second and the fourth row are about one record: it is changed by both or by neither.
	if want := []string{"failed", "failed", "failed", "failed", "failed"}; !slices.Equal(statuses(results), want) {
		t.Errorf("the rows became %v", results)
	}
	if results[0]["code"] != "transition_not_allowed" || results[0]["id"] != first["id"] || results[2]["code"] != "not_found" ||
		results[4]["field"] != "id" {
		t.Errorf("the rows failed with %v", results)
	}
	results, _, _ = bulk(t, client, 200, "DELETE", "?atomic=false", row{"external_id": "1"}, row{"external_id": "nobody"})
	if !slices.Equal(statuses(results), []string{"failed", "failed"}) || results[0]["code"] != "still_in_use" {
		t.Errorf("the rows became %v", results)
	}
	results, _, _ = bulk(t, client, 200, "DELETE", "", row{"external_id": "1"}, row{"id": second["id"]}) // together they may go
	if !slices.Equal(statuses(results), []string{"deleted", "deleted"}) {
		t.Errorf("the rows became %v", results)
	}
}

func TestATransitionThatIsNotAllowedSaysWhichAre(t *testing.T) {
	client, _ := serve(t)
	book := client.Create(t, "/v1/books", row{"title": "x"})
	path := "/v1/books/" + book["id"].(string)
	for _, step := range []struct {
		to      string
		status  int
		allowed []any
	}{
		{"new", 200, nil}, {"lent", 200, nil}, {"lost", 409, []any{"new"}}, {"new", 200, nil}, {"lost", 200, nil}, {"new", 409, []any{}},
		{"lost", 200, nil},
	} {
		answer := client.Must(t, step.status, "PATCH", path, row{"state": step.to})
		if step.status == 409 {
			allowed, _ := answer.JSON["allowed"].([]any)
			if answer.JSON["code"] != "transition_not_allowed" || answer.JSON["field"] != "state" || answer.JSON["value"] != step.to ||
				len(allowed) != len(step.allowed) || len(allowed) > 0 && !reflect.DeepEqual(allowed, step.allowed) {
				t.Errorf("to %s: %s", step.to, answer.Body)
			}
		} else if answer.JSON["state"] != step.to {
			t.Errorf("to %s: %s", step.to, answer.Body)
		}
	}
}

func TestARecordThatIsReferredToCannotBeDeleted(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "S"})
	first := client.Create(t, "/v1/books", row{"title": "1", "shelf_id": shelf["id"]})
	second := client.Create(t, "/v1/books", row{"title": "2", "shelf_id": shelf["id"], "sequel_to_id": first["id"]})
	refused := func(path string, dependents row) {
		t.Helper()
		answer := client.Must(t, 409, "DELETE", path, nil)
		if !reflect.DeepEqual(answer.JSON["dependents"], dependents) || answer.JSON["code"] != "still_in_use" || answer.JSON["field"] != "id" ||
			!strings.HasSuffix(path, answer.JSON["value"].(string)) {
			t.Errorf("DELETE %s: %s", path, answer.Body)
		}
		client.Must(t, 200, "GET", path, nil)
	}
	shelfPath, firstPath, secondPath := "/v1/shelves/"+shelf["id"].(string), "/v1/books/"+first["id"].(string), "/v1/books/"+
		second["id"].(string)
	refused(shelfPath, row{"books": 2.0})
	refused(firstPath, row{"books": 1.0})
	client.Must(t, 204, "DELETE", secondPath, nil)
	client.Must(t, 204, "DELETE", firstPath, nil)
	client.Must(t, 204, "DELETE", shelfPath, nil)
	client.Must(t, 404, "DELETE", shelfPath, nil)
}

func TestARecordIsNeverLeftWithAReferenceToNothing(t *testing.T) {
	client, database := serve(t)
	var group sync.WaitGroup
	for i := range 12 { // each shelf is deleted while a book is put on it
		shelf := client.Create(t, "/v1/shelves", row{"name": fmt.Sprint(i)})
		group.Go(func() {
			if answer := client.Do(t, "POST", "/v1/books", row{"title": "x", "shelf_id": shelf["id"]}); answer.Status != 201 &&
				answer.Status != 404 && answer.Status != 409 {
				t.Errorf("create: %d %s", answer.Status, answer.Body)
			}
		})
		group.Go(func() {
			if answer := client.Do(t, "DELETE", "/v1/shelves/"+shelf["id"].(string), nil); answer.Status != 204 && answer.Status != 409 {
				t.Errorf("delete: %d %s", answer.Status, answer.Body)
			}
		})
	}
	group.Wait()
	if lost := owner(t, database,
		"SELECT id::text FROM book b WHERE shelf_id IS NOT NULL AND NOT EXISTS (SELECT FROM shelf s WHERE s.id = b.shelf_id)"); len(lost) != 0 {
		t.Errorf("books on no shelf: %v", lost)
	}
}

func TestCustomFieldsAreMergedNotReplaced(t *testing.T) {
	client, _ := serve(t)
	book := client.Create(t, "/v1/books", row{"title": "x", "custom_fields": row{"a": 1, "b": "two", "gone": nil}})
	path := "/v1/books/" + book["id"].(string)
	for _, step := range []struct{ patch, want any }{
		{nil, row{"a": 1.0, "b": "two"}},
		{row{"c": true}, row{"a": 1.0, "b": "two", "c": true}},
		{row{"a": nil, "b": "three"}, row{"b": "three", "c": true}},
		{row{"nothing": nil}, row{"b": "three", "c": true}},
		{row{}, row{"b": "three", "c": true}},
	} {
		if step.patch != nil {
			client.Must(t, 200, "PATCH", path, row{"custom_fields": step.patch})
		}
		if got := client.Must(t, 200, "GET", path, nil).JSON["custom_fields"]; !reflect.DeepEqual(got, step.want) {
			t.Errorf("after %v: %v, want %v", step.patch, got, step.want)
		}
	}
	many := row{}
	for i := range 49 {
		many[fmt.Sprint("n", i)] = i
	}
	client.Must(t, 400, "PATCH", path, row{"custom_fields": many}) // 49 and the 2 that are there
	many["b"], many["c"] = nil, nil
	client.Must(t, 200, "PATCH", path, row{"custom_fields": many})
	if got := client.Must(t, 200, "PATCH", path, row{"custom_fields": nil}).JSON["custom_fields"]; !reflect.DeepEqual(got, row{}) {
		t.Errorf("cleared: %v", got)
	}
}

func TestThePatchedResultIsChecked(t *testing.T) {
	client, _ := serve(t)
	book := client.Create(t, "/v1/books", row{"title": "x", "state": "lent", "signed": true})
	path := "/v1/books/" + book["id"].(string)
	for _, c := range []struct {
		patch row
		field string
	}{
		{row{"title": nil}, "title"}, {row{"title": "  "}, "title"}, {row{"pages": 10_001}, "pages"}, {row{"genre": "tragedy"}, "genre"},
		{row{"tags": []any{"a", "a"}}, "tags"}, {row{"tags": []any{[]any{"a"}}}, "tags[0]"}, {row{"no_such_field": nil}, "no_such_field"},
	} {
		if answer := client.Must(t, 400, "PATCH", path, c.patch); !slices.Equal(answer.Fields(), []string{c.field}) {
			t.Errorf("%v: %s", c.patch, answer.Body)
		}
	}
	if got := client.Must(t, 200, "GET", path, nil).JSON; !reflect.DeepEqual(got, book) {
		t.Errorf("refused patches changed the record: %v", got)
	}
	if got := client.Must(t, 200, "PATCH", path, row{"signed": nil}).JSON; got["signed"] != false || got["state"] != "lent" {
		t.Errorf("null of a field that is never null gives its default: %v", got)
	}
	if got := client.Must(t, 200, "PATCH", path, row{}).JSON; got["version"] != 2.0 {
		t.Errorf("a patch that changes nothing made version %v", got["version"])
	}
}

func TestNamedFilters(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", row{"title": "thick", "pages": 900})
	client.Create(t, "/v1/books", row{"title": "thin", "pages": 100})
	client.Create(t, "/v1/books", row{"title": "unknown"})
	for query, want := range map[string][]string{"thick=true": {"thick"}, "thick=false": {"thin"}, "thick=true&pages_max=500": nil,
		"thick=false&q=THI": {"thin"}} {
		data, pagination := client.List(t, "/v1/books?"+query)
		var titles []string
		for _, book := range data {
			titles = append(titles, book["title"].(string))
		}
		if !slices.Equal(titles, want) || pagination["total"] != float64(len(want)) {
			t.Errorf("%s: %v %v", query, titles, pagination)
		}
	}
	if answer := client.Must(t, 400, "GET", "/v1/books?thick=maybe", nil); !slices.Equal(answer.Fields(), []string{"thick"}) {
		t.Errorf("thick=maybe: %s", answer.Body)
	}
}

func TestTextsArriveAsTheyWereSent(t *testing.T) {
	client, _ := serve(t)
	for _, title := range []string{`"quoted" \ back`, "Œuvre « d'été » – 50 % _x_", "<script>&amp;</script>", "emoji 😀 and 𝒳",
		"; DROP TABLE book; --", "null", "{}", `\u0000`} {
		body := row{"title": title, "tags": []string{title}, "custom_fields": row{title: title}, "authors": []string{title}}
		book := client.Create(t, "/v1/books", body)
		for name, want := range body {
			if got := client.Must(t, 200, "GET", "/v1/books/"+book["id"].(string), nil).JSON[name]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: sent %q, got %q", name, want, got)
			}
		}
	}
	for query, want := range map[string]int{"q=50+%25": 1, "q=_x_": 2, "q=%5Cback": 1, "q=d%27ete": 1, "q=%3B+DROP+TABLE+book%3B+--": 1,
		"q=nul": 1, "title=null": 1, "tags=%7B%7D": 1} {
		if data, _ := client.List(t, "/v1/books?"+query); len(data) != want {
			t.Errorf("%s finds %d, want %d", query, len(data), want)
		}
	}
}

// A record that is changed while a rule waits for it is left alone when the rule does not concern it any more; the others are changed.
func TestARuleLeavesAloneWhatChangedWhileItWaited(t *testing.T) {
	database := postgrestest.New(t, "library", library(t))
	signer, db := resourcetest.NewSigner(t), database.Open(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := newRegistry(api, db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	client := resourcetest.NewClient(api.Handler(), signer)
	changed := client.Create(t, "/v1/books", map[string]any{"title": "changed", "pages": 10})
	kept := client.Create(t, "/v1/books", map[string]any{"title": "kept", "pages": 10})
	ctx := principal.Into(t.Context(), client.Principal)
	rule := func(ctx context.Context, tx pgx.Tx) error {
		return registry.UpdateWhere(ctx, tx, "books", []string{"pages"},
			"SELECT id, 20 AS pages FROM book WHERE organization_id = $1 AND pages = 10")
	}
	ruled := make(chan error, 1)
	err := db.Write(ctx, func(inner context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(inner, "UPDATE book SET pages = 11 WHERE id = $1", changed["id"]); err != nil {
			return err
		}
		go func() { ruled <- db.Write(ctx, rule) }()
		testwait.For(t, time.Minute, "the rule to wait for the record", func() bool {
			var waits bool
			err := db.Pool().QueryRow(inner, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')").Scan(&waits)
			return err == nil && waits
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ruled; err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		id             any
		pages, version float64
	}{{changed["id"], 11, 1}, {kept["id"], 20, 2}} {
		got := client.Must(t, 200, "GET", fmt.Sprint("/v1/books/", want.id), nil).JSON
		if got["pages"] != want.pages || got["version"] != want.version {
			t.Errorf("%v has %v pages in version %v, want %v in %v", got["title"], got["pages"], got["version"], want.pages, want.version)
		}
	}
	if got := resourcetest.EventTypes(resourcetest.Events(t, database), changed["id"]); !slices.Equal(got, []string{"book.created"}) {
		t.Errorf("the book that was left alone has the events %v", got)
	}
}
