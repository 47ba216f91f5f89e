package resource_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// memo is a note on a shelf or a book; those on books are seen by who may read books.
type memo struct {
	resource.Record
	Name       string `json:"name" required:"true" maxLength:"100" filter:"equals" search:"name" sort:"true"`
	Collection string `json:"collection" required:"true" enum:"shelves,books" facet:"true" filter:"equals"`
	RecordID   string `json:"record_id" required:"true" references:"@collection" filter:"equals"`
	State      string `json:"state" default:"kept" enum:"kept,trashed" filter:"equals"`
}

// page is below a memo, and may be a copy of another one.
type page struct {
	resource.Record
	Name     string  `json:"name" required:"true" maxLength:"100"`
	NoteID   string  `json:"note_id" readOnly:"true" references:"notes"`
	CopyOfID *string `json:"copy_of_id" references:"notes"`
}

var memos = resource.Definition[memo]{
	Collection: "notes", Table: "note", Holds: "t.state <> 'trashed'", Transitions: resource.Transitions{Field: "state",
		From: map[string][]string{"kept": {"trashed"}}, With: []string{"name"}},
	Default: map[string]string{"state": "kept"},
	Visible: func(p principal.Principal) string {
		if p.Allows("books:read") {
			return ""
		}
		return "t.collection <> 'books'"
	},
}

// memoWorld has 5 memos on a shelf and 4 on a book, for a key that may see all and one that may not.
type memoWorld struct {
	all, some    *resourcetest.Client
	registry     *resource.Registry
	seen, hidden []string // ids
	shelf, book  string
}

func newMemoWorld(t *testing.T) *memoWorld {
	t.Helper()
	db := postgrestest.New(t, "library", library(t)).Open(t)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := resource.NewRegistry(api, db, nil)
	registry.Catalogue = catalogue.New(
		catalogue.Collection{Name: "shelves", Singular: "shelf", Path: "/v1/shelves", Scope: "shelves"},
		catalogue.Collection{Name: "books", Singular: "book", Path: "/v1/books", Scope: "books", Events: []catalogue.Event{{Name: "book.lent"}}},
		catalogue.Collection{Name: "notes", Singular: "note", Path: "/v1/notes", Scope: "notes"},
		catalogue.Collection{Name: "pages", Singular: "page", Path: "/v1/notes/{note_id}/pages", Scope: "notes"},
	)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	resource.Mount(registry, memos)
	resource.Mount(registry, resource.Definition[page]{Collection: "pages", Table: "page", Parent: "note_id"})
	w := &memoWorld{all: resourcetest.NewClient(api.Handler(), signer), registry: registry}
	some := *w.all
	some.Principal.Scopes = []string{"shelves:read", "notes:read", "notes:write"}
	w.some = &some
	w.shelf = w.all.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})["id"].(string)
	w.book = w.all.Create(t, "/v1/books", map[string]any{"title": "Kamouraska"})["id"].(string)
	for n := range 9 {
		body := map[string]any{"name": fmt.Sprintf("Mémo %d", n), "collection": "shelves", "record_id": w.shelf,
			"external_id": fmt.Sprintf("m-%d", n), "custom_fields": map[string]any{"floor": n}}
		if n%2 == 1 {
			body["collection"], body["record_id"], body["name"] = "books", w.book, fmt.Sprintf("Mémo secret %d", n)
		}
		made := w.all.Create(t, "/v1/notes", body)
		if id := made["id"].(string); n%2 == 1 {
			w.hidden = append(w.hidden, id)
		} else {
			w.seen = append(w.seen, id)
		}
	}
	return w
}

func TestAListHasWhatItsCallerMaySee(t *testing.T) {
	w := newMemoWorld(t)
	for range 2 { // as they are written, and as the index has them
		for query, want := range map[string][2]int{ // for who may see all, and who may not
			"":                                     {9, 5},
			"sort=-created_at":                     {9, 5},
			"sort=updated_at":                      {9, 5},
			"sort=-name":                           {9, 5},
			"collection=books":                     {4, 0},
			"collection=shelves":                   {5, 5},
			"collection=shelves,books":             {9, 5},
			"q=m%C3%A9mo":                          {9, 5},
			"q=m%C3%A9mo&sort=relevance":           {9, 5},
			"q=m%C3%A9mo&collection=books":         {4, 0},
			"q=secret":                             {4, 0},
			"q=secert":                             {4, 0}, // which is taken for secret where that is known
			"record_id=" + w.book:                  {4, 0},
			"ids=" + w.seen[0] + "," + w.hidden[0]: {2, 1},
			"updated_since=2020-01-01":             {9, 5},
		} {
			for i, client := range []*resourcetest.Client{w.all, w.some} {
				_, pagination := client.List(t, "/v1/notes?per_page=2&"+query)
				if pagination["total"] != float64(want[i]) {
					t.Errorf("%s: total %v, want %d", query, pagination["total"], want[i])
				}
				found := 0
				for number := 1; number <= (want[i]+1)/2; number++ {
					records, _ := client.List(t, fmt.Sprintf("/v1/notes?per_page=2&page=%d&%s", number, query))
					found += len(records)
				}
				if found != want[i] {
					t.Errorf("%s: %d records, want %d", query, found, want[i])
				}
				if strings.Contains(query, "relevance") {
					continue
				}
				if found = len(slices.Concat(walk(t, client, "/v1/notes?per_page=2&"+query, func() {})...)); found != want[i] {
					t.Errorf("%s: %d records by cursors, want %d", query, found, want[i])
				}
				for accept, lines := range map[string]int{"text/csv": want[i] + 1, "application/x-ndjson": want[i]} {
					answer := client.Must(t, 200, "GET", "/v1/notes?"+query, nil, "Accept", accept)
					if got := strings.Count(string(answer.Body), "\n"); got != lines {
						t.Errorf("%s as %s: %d lines, want %d", query, accept, got, lines)
					}
				}
			}
		}
		ctx := principal.Into(t.Context(), w.all.Principal)
		for folded := 1; folded > 0; {
			var err error
			if folded, err = w.registry.FoldIndex(ctx, "notes"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A word of what a caller may not see is not what he is said to have meant.
func TestWordsAreNotCorrectedToThoseThatACallerMayNotSee(t *testing.T) {
	w := newMemoWorld(t)
	for client, want := range map[*resourcetest.Client]bool{w.all: true, w.some: false} {
		if answer := client.Must(t, 200, "GET", "/v1/notes?q=secert", nil); strings.Contains(string(answer.Body), "secret") != want {
			t.Errorf("%s", answer.Body)
		}
	}
}

// A cursor of who may see all shows nothing more to who may not.
func TestACursorShowsWhatItsSenderMaySee(t *testing.T) {
	w := newMemoWorld(t)
	_, pagination := w.all.List(t, "/v1/notes?per_page=1")
	records, _ := w.some.List(t, "/v1/notes?per_page=100&cursor="+pagination["next_cursor"].(string))
	if len(records) != 4 {
		t.Errorf("%d records behind the first", len(records))
	}
}

func TestWhatACallerMayNotSeeIsNotThere(t *testing.T) {
	w := newMemoWorld(t)
	seen, hidden := "/v1/notes/"+w.seen[0], "/v1/notes/"+w.hidden[0]
	patch := map[string]any{"name": "b"}
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", "", nil}, {"HEAD", "", nil}, {"GET", "?fields=name", nil}, {"GET", "/history", nil}, {"PATCH", "", patch},
		{"POST", "/transition", map[string]any{"to": "trashed"}}, {"GET", "/pages", nil}, {"POST", "/pages", map[string]any{"name": "a"}},
		{"POST", "/pages/bulk", map[string]any{"data": []any{map[string]any{"name": "a"}}}},
		{"PUT", "/pages/by-external-id/p", map[string]any{"name": "a"}}, {"DELETE", "", nil},
	} {
		if got := w.some.Do(t, c.method, hidden+c.path, c.body).Status; got != 404 {
			t.Errorf("%s %s of one that is hidden: %d", c.method, c.path, got)
		}
		if got := w.some.Do(t, c.method, seen+c.path, c.body).Status; got > 299 {
			t.Errorf("%s %s of one that is seen: %d", c.method, c.path, got)
		}
	}
	w.some.Must(t, 404, "GET", "/v1/notes/by-external-id/m-1", nil)
	w.some.Must(t, 200, "GET", "/v1/notes/by-external-id/m-2", nil)
	w.some.Must(t, 404, "GET", seen+"/history", nil) // it is deleted: nobody knows who could see it
	w.all.Must(t, 200, "GET", seen+"/history", nil)
	w.all.Must(t, 200, "GET", hidden, nil)

	page := hidden + "/pages/" + w.all.Create(t, hidden+"/pages", map[string]any{"name": "a", "external_id": "p"})["id"].(string)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", page, nil}, {"GET", page + "/history", nil},
		{"PATCH", page, patch}, {"DELETE", page, nil}, {"GET", hidden + "/pages/by-external-id/p", nil},
		{"PATCH", hidden + "/pages/bulk", map[string]any{"data": []any{map[string]any{"external_id": "p", "name": "b"}}}},
	} {
		w.some.Must(t, 404, c.method, c.path, c.body)
	}
	w.all.Must(t, 200, "GET", page, nil)
}

func TestBulkCallsDoNotFindWhatTheirCallerMayNotSee(t *testing.T) {
	w := newMemoWorld(t)
	for _, method := range []string{"PATCH", "DELETE"} {
		for _, row := range []map[string]any{{"id": w.hidden[0]}, {"external_id": "m-1"}} {
			answer := w.some.Must(t, 200, method, "/v1/notes/bulk?atomic=false", map[string]any{"data": []any{row}})
			if !strings.Contains(string(answer.Body), `"code":"not_found"`) {
				t.Errorf("%s %v: %s", method, row, answer.Body)
			}
		}
	}
	row := map[string]any{"name": "b", "external_id": "m-1", "collection": "shelves", "record_id": w.shelf}
	for _, c := range [][2]string{{"PUT", "/v1/notes/by-external-id/m-1"}, {"POST", "/v1/notes"}} {
		answer := w.some.Must(t, 409, c[0], c[1], row)
		if answer.JSON["code"] != "already_exists" || answer.JSON["existing_id"] != nil {
			t.Errorf("%s: %s", c, answer.Body)
		}
	}
	if answer := w.all.Must(t, 409, "POST", "/v1/notes", row); answer.JSON["existing_id"] != w.hidden[0] {
		t.Errorf("for who may see it: %s", answer.Body)
	}
	for _, onConflict := range []string{"skip", "update"} {
		answer := w.some.Must(t, 200, "POST", "/v1/notes/bulk?atomic=false&on_conflict="+onConflict, map[string]any{"data": []any{row}})
		if text := string(answer.Body); !strings.Contains(text, `"code":"already_exists"`) || strings.Contains(text, w.hidden[0]) {
			t.Errorf("on_conflict=%s: %s", onConflict, text)
		}
	}
	if made := w.all.Must(t, 200, "GET", "/v1/notes/"+w.hidden[0], nil).JSON; made["name"] != "Mémo secret 1" || made["version"] != 1.0 {
		t.Errorf("it was changed: %v", made)
	}
}

func TestReferencesDoNotShowWhatTheirCallerMayNotSee(t *testing.T) {
	w := newMemoWorld(t)
	pages := "/v1/notes/" + w.seen[0] + "/pages"
	w.all.Create(t, pages, map[string]any{"name": "a", "copy_of_id": w.hidden[0]})
	w.some.Must(t, 404, "POST", pages, map[string]any{"name": "a", "copy_of_id": w.hidden[0]})
	w.some.Create(t, pages, map[string]any{"name": "a", "copy_of_id": w.seen[1]})
	row := map[string]any{"data": []any{map[string]any{"name": "a", "copy_of_external_id": "m-1"}}}
	w.some.Must(t, 404, "POST", pages+"/bulk", row)
	w.all.Must(t, 200, "POST", pages+"/bulk", row)
	for client, want := range map[*resourcetest.Client]bool{w.all: true, w.some: false} {
		records, _ := client.List(t, pages+"?expand=copy_of")
		if shown := records[0]["copy_of"] != nil; shown != want || records[1]["copy_of"] == nil {
			t.Errorf("expanded: %v", records)
		}
	}
}

func TestASearchFindsWhatItsCallerMaySee(t *testing.T) {
	w := newMemoWorld(t)
	for _, c := range []struct {
		text      string
		all, some float64
	}{{"mémo", 9, 5}, {"secret", 4, 0}, {"secert", 4, 0}, {"kamouraska", 0, 0}} {
		for client, want := range map[*resourcetest.Client]float64{w.all: c.all, w.some: c.some} {
			answer := client.Must(t, 200, "POST", "/internal/search",
				map[string]any{"text": c.text, "collections": []any{"books", "notes", "shelves"}, "limit": 3, "correct": true})
			found := answer.JSON["collections"].(map[string]any)["notes"].(map[string]any)
			if found["count"] != want || len(found["hits"].([]any)) != int(min(want, 3)) || want == 0 && found["corrected"] != nil &&
				found["corrected"] != "" {
				t.Errorf("%s: %s", c.text, answer.Body)
			}
		}
	}
}

func TestCustomFieldsAreCountedInWhatTheirCallerMaySee(t *testing.T) {
	w := newMemoWorld(t)
	w.all.Declare(t, "/v1/notes/custom-fields?key=floor", "number")
	for client, want := range map[*resourcetest.Client]int{w.all: 9, w.some: 5} {
		shown := client.Must(t, 200, "GET", "/v1/notes/custom-fields", nil).JSON["data"].([]any)[0].(map[string]any)
		if shown["values"] != float64(want) {
			t.Errorf("%v records have a value, want %d", shown["values"], want)
		}
		for _, query := range []string{"sort=-custom_fields.floor", "custom_fields.floor_min=0",
			"custom_fields.floor_min=0&collection=books,shelves"} {
			if _, pagination := client.List(t, "/v1/notes?"+query); pagination["total"] != float64(want) {
				t.Errorf("%s: %v, want %d", query, pagination["total"], want)
			}
		}
	}
}

// Other services are answered whoever asks through them, and administrators see what was done.
func TestServicesAndAdministratorsSeeAll(t *testing.T) {
	w := newMemoWorld(t)
	answer := w.some.Must(t, 200, "POST", "/internal/references/notes",
		map[string]any{"ids": []any{w.seen[0], w.hidden[0]}, "external_ids": []any{"m-3"}})
	if found := answer.JSON["data"].([]any); len(found) != 3 {
		t.Errorf("%s", answer.Body)
	}
	w.all.Must(t, 200, "PATCH", "/v1/notes/"+w.hidden[0], map[string]any{"state": "trashed"})
	entries := changes(t, w.some, map[string]any{"record_id": w.hidden[0], "limit": 1})
	if subject := entries[0]["subject"].(map[string]any); subject["name"] != "Mémo secret 1" {
		t.Errorf("%v", entries)
	}
}

func TestPlainOperationsShowWhatTheirCallerMaySee(t *testing.T) {
	w := newMemoWorld(t)
	for client, want := range map[*resourcetest.Client]bool{w.all: true, w.some: false} {
		ctx := principal.Into(t.Context(), client.Principal)
		err := w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := w.registry.Show(ctx, tx, "notes", w.hidden[0])
			return err
		})
		if (err == nil) != want {
			t.Errorf("shown: %v, want %v", err, want)
		}
		err = w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return w.registry.Patch(ctx, tx, "notes", w.hidden[0], map[string]any{"name": "b"})
		})
		if (err == nil) != want {
			t.Errorf("changed: %v, want %v", err, want)
		}
	}
}

// What a list does not show unless it is asked for is there all the same.
func TestADefaultOfTheListHoldsForTheListAlone(t *testing.T) {
	w := newMemoWorld(t)
	path := "/v1/notes/" + w.seen[0]
	w.all.Must(t, 200, "PATCH", path, map[string]any{"state": "trashed"})
	for query, want := range map[string]float64{"": 8, "q=m%C3%A9mo": 8, "state=trashed": 1, "state=kept,trashed": 9,
		"collection=shelves": 4} {
		if _, pagination := w.all.List(t, "/v1/notes?"+query); pagination["total"] != want {
			t.Errorf("%s: %v, want %v", query, pagination["total"], want)
		}
	}
	answer := w.all.Must(t, 200, "GET", "/v1/notes", nil, "Accept", "application/x-ndjson")
	if lines := strings.Count(string(answer.Body), "\n"); lines != 8 {
		t.Errorf("%d lines", lines)
	}
	answer = w.all.Must(t, 200, "POST", "/internal/search",
		map[string]any{"text": "mémo", "collections": []any{"notes", "books"}, "limit": 9, "correct": false})
	if found := answer.JSON["collections"].(map[string]any)["notes"].(map[string]any); found["count"] != 8.0 || found["exact"] != true {
		t.Errorf("a search finds %v", found)
	}
	if shown := w.all.Must(t, 200, "GET", path, nil).JSON; shown["state"] != "trashed" {
		t.Errorf("%v", shown)
	}
	w.all.Must(t, 200, "GET", "/v1/notes/by-external-id/m-0", nil)
	w.all.Must(t, 200, "PATCH", path, map[string]any{"tags": []string{"a"}})
}

func TestConformanceOfRecordsThatNotAllMaySee(t *testing.T) {
	w := newMemoWorld(t)
	resourcetest.Run(t, resourcetest.Suite[memo]{Definition: memos, Client: w.all, Path: "/v1/notes", Catalogue: w.registry.Catalogue,
		Reads: []string{"books:read"},
		Make: func(t testing.TB, client *resourcetest.Client, n int) map[string]any {
			book := client.Create(t, "/v1/books", map[string]any{"title": fmt.Sprintf("Livre %d", n)})
			return map[string]any{"name": fmt.Sprintf("Mémo %d", n), "collection": "books", "record_id": book["id"], "state": "kept",
				"external_id": fmt.Sprintf("n-%d", n), "tags": []string{"québec"}, "custom_fields": map[string]any{"a": 1}}
		}})
}

func TestConformanceOfRecordsThatHold(t *testing.T) {
	w := newNotes(t, true)
	resourcetest.Run(t, resourcetest.Suite[note]{Definition: notes, Client: w.referrer, Path: "/v1/notes", Catalogue: w.catalogue,
		SoftDelete: true, Make: func(t testing.TB, client *resourcetest.Client, n int) map[string]any {
			owner := *w.owner
			owner.Principal = client.Principal
			site := owner.Create(t, "/v1/sites", map[string]any{"name": "Parc " + uuid.NewString()})
			return map[string]any{"name": fmt.Sprintf("Note %d", n), "collection": "sites", "record_id": site["id"], "state": "kept",
				"external_id": fmt.Sprintf("n-%d", n), "tags": []string{"québec"}, "custom_fields": map[string]any{"a": 1}}
		}})
}
