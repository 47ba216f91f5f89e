package resource_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// titles gives the titles that a list has, and its answer.
func titles(t *testing.T, client *resourcetest.Client, query string) ([]string, resourcetest.Response) {
	t.Helper()
	answer := client.Must(t, 200, "GET", "/v1/books?fields=title&"+query, nil)
	found := []string{}
	for _, record := range answer.JSON["data"].([]any) {
		found = append(found, record.(map[string]any)["title"].(string))
	}
	return found, answer
}

func totalOf(answer resourcetest.Response) int {
	return int(answer.JSON["pagination"].(map[string]any)["total"].(float64))
}

func TestRecordsAreFoundByWordsAndCodes(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	for i, body := range []row{
		{"title": "Aréna Maurice-Richard", "number": "A-000123", "external_id": "SAP-10023", "pages": 10},
		{"title": "Hôtel de Ville", "number": "A-001234", "barcode": "0612345678905", "pages": 20},
		{"title": "Arène de l’École d’Été", "number": "B-12", "state": "lent", "pages": 30},
		{"title": "St. Mary's Straße 7", "number": "C-7", "pages": 40},
		{"title": "القدس مدرسة", "number": "D-99"},
	} {
		client.Create(t, "/v1/books", body)
		if i == 1 || i == 2 { // two runs, and two pending records
			foldAll(ctx, t, registry)
		}
	}
	t.Run("partly folded", func(t *testing.T) { findThem(t, client) })
	foldAll(ctx, t, registry)
	t.Run("folded", func(t *testing.T) { findThem(t, client) })
	if err := registry.VerifyIndex(ctx, "books"); err != nil {
		t.Error(err)
	}
}

func findThem(t *testing.T, client *resourcetest.Client) {
	arena, hotel, arene, mary, arabic := "Aréna Maurice-Richard", "Hôtel de Ville", "Arène de l’École d’Été",
		"St. Mary's Straße 7", "القدس مدرسة"
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"arena", []string{arena}}, {"ARÉNA", []string{arena}}, {"are", []string{arena, arene}}, {"aren", []string{arena, arene}}, {"ren", nil},
		{"urice", nil}, {"maurice arena", []string{arena}}, {"arena hotel", nil}, {"are maurice", nil}, {"hotel de ville", []string{hotel}},
		{"hôtel vil", []string{hotel}}, {"l'ecole", []string{arene}}, {"ecole d'ete", []string{arene}}, {"strasse", []string{mary}},
		{"st mary’s", []string{mary}}, {"7", []string{mary}}, {"مدرسة", []string{arabic}}, {"القُدْس", []string{arabic}},
		{"123", []string{arena, hotel}}, {"000123", []string{arena}}, {"a-000123", []string{arena}}, {"A 000123", []string{arena}},
		{"a000", []string{arena}}, {"23", nil}, {"SAP 10023", []string{arena}}, {"sap-10", []string{arena}}, {"10023", []string{arena}},
		{"61234", []string{hotel}}, {"b-12", []string{arene}}, {"%", nil}, {"x'; DROP TABLE book; --", nil}, {"ville_", []string{hotel}},
		{"v%lle", nil}, {"a&hotel", []string{hotel}}, {"are&state=lent", []string{arene}}, {"are&sort=-title", []string{arene, arena}},
		{"are&pages_max=10", []string{arena}}, {"are&sort=-created_at", []string{arene, arena}},
		{"are&page=2&per_page=1", []string{arene}}, {"are&page=3&per_page=1", nil}, {"are&sort=pages&page=2&per_page=1", []string{arene}},
	} {
		text, rest, _ := strings.Cut(c.query, "&")
		if text == "a" || text == "%" {
			text, rest = c.query, ""
		}
		if text == "%" {
			client.Must(t, 400, "GET", "/v1/books?q=%25", nil)
			continue
		}
		got, answer := titles(t, client, "q="+url.QueryEscape(text)+"&"+rest)
		if !slices.Equal(got, append([]string{}, c.want...)) || answer.JSON["search"] != nil {
			t.Errorf("%s finds %q, want %q: %v", c.query, got, c.want, answer.JSON["search"])
		}
		if total := totalOf(answer); total != len(c.want) && !strings.Contains(rest, "page=") || total != 2 && strings.Contains(rest, "page=") {
			t.Errorf("%s: total %d", c.query, total)
		}
		if rest == "" {
			csv := client.Must(t, 200, "GET", "/v1/books?fields=title&q="+url.QueryEscape(text), nil, "Accept", "text/csv")
			if lines := strings.Count(string(csv.Body), "\n"); lines != 1+len(c.want) {
				t.Errorf("%s: %d lines of CSV, want %d records", c.query, lines, len(c.want))
			}
		}
	}
	if got, _ := titles(t, client.Other(), "q=arena"); len(got) > 0 {
		t.Errorf("another organization finds %v", got)
	}
	for _, query := range []string{strings.Repeat("x", 201), "b c d e f g h i j", "a\x00b", "a\xff", "😀", ""} {
		if answer := client.Must(t, 400, "GET", "/v1/books?q="+url.QueryEscape(query), nil); len(answer.Fields()) > 0 &&
			answer.Fields()[0] != "q" {
			t.Errorf("%.10q: %v", query, answer.Fields())
		}
	}
	client.Must(t, 400, "GET", "/v1/books?q=a&sort=relevance", nil, "Accept", "text/csv")
}

func TestTypingErrorsAreCorrectedAndSaid(t *testing.T) {
	client, _ := serve(t)
	for _, title := range []string{"Grundfos UPS", "Grundfos MAGNA", "Chaudière à gaz", "Trane Voyager", "Pompe", "Pump", "Aréna", "Fan",
		"Grundfox", "Pavillon 1234"} {
		client.Create(t, "/v1/books", row{"title": title})
	}
	for query, want := range map[string]struct {
		found     []string
		corrected string
	}{
		"grunfos":      {[]string{"Grundfos UPS", "Grundfos MAGNA"}, "map[grunfos:[grundfos]]"},
		"grundfoz":     {[]string{"Grundfos UPS", "Grundfos MAGNA", "Grundfox"}, "map[grundfoz:[grundfos grundfox]]"},
		"grunfos ups":  {[]string{"Grundfos UPS"}, "map[grunfos:[grundfos]]"},
		"chaudeire":    {[]string{"Chaudière à gaz"}, "map[chaudeire:[chaudiere]]"},
		"trene":        {[]string{"Trane Voyager"}, "map[trene:[trane]]"},
		"pmup":         {[]string{"Pump"}, "map[pmup:[pump]]"},
		"trene voyger": {[]string{"Trane Voyager"}, "map[trene:[trane] voyger:[voyager]]"},
		"fna":          {nil, ""}, "grnfs": {nil, ""}, "aren": {[]string{"Aréna"}, ""}, "1243": {nil, ""}, "grunfos xyzzy": {nil, ""},
		"grundfo ups": {[]string{"Grundfos UPS"}, "map[grundfo:[grundfos grundfox]]"}, "pump gaz": {nil, ""},
		"boiler": {[]string{"Chaudière à gaz"}, "map[boiler:[chaudiere]]"}, "gas boilers": {nil, ""},
		"boilers gaz":  {[]string{"Chaudière à gaz"}, "map[boilers:[chaudiere]]"},
		"ventilateurs": {[]string{"Fan"}, "map[ventilateurs:[fan]]"}, "pump voyager": {nil, ""}, "boiler gax": {nil, ""},
		// of three letters: not corrected
	} {
		got, answer := titles(t, client, "q="+url.QueryEscape(query))
		corrected := ""
		if said, is := answer.JSON["search"].(map[string]any); is {
			corrected = fmt.Sprint(said["corrected"])
		}
		if !slices.Equal(got, append([]string{}, want.found...)) || corrected != want.corrected || totalOf(answer) != len(got) {
			t.Errorf("%s finds %q corrected %s, want %v", query, got, corrected, want)
		}
		stream := client.Must(t, 200, "GET", "/v1/books?q="+url.QueryEscape(query), nil, "Accept", "application/x-ndjson")
		if n := strings.Count(string(stream.Body), "\n"); n != len(want.found) {
			t.Errorf("%s: a stream of %d", query, n)
		}
	}
}

func TestTheBestComeFirst(t *testing.T) {
	client, _ := serve(t)
	for _, body := range []row{
		{"title": "Pump", "number": "X-1"}, {"title": "Grande pompe de relais 12", "number": "X-2"},
		{"title": "Pompe", "number": "X-3", "state": "lost"}, {"title": "Pompe de relais", "number": "X-4"}, {"title": "Pompe", "number": "X-5"},
		{"title": "Relais de pompe", "number": "X-6"}, {"title": "Code", "number": "POMPE"}, {"title": "Code 2", "number": "POMPE-2"},
		{"title": "Pavillon", "number": "P-0012"}, {"title": "Pompe", "number": "X-7"},
	} {
		client.Create(t, "/v1/books", body)
	}
	for query, want := range map[string][]string{
		"pompe":        {"Code", "Code 2", "Pompe", "Pompe", "Pompe", "Pompe de relais", "Relais de pompe", "Grande pompe de relais 12"},
		"pompe relais": {"Pompe de relais", "Relais de pompe", "Grande pompe de relais 12"},
		"12":           {"Pavillon", "Grande pompe de relais 12"},
		"x-3":          {"Pompe"},
	} {
		if got, _ := titles(t, client, "sort=relevance&q="+url.QueryEscape(query)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	answer := client.Must(t, 200, "GET", "/v1/books?sort=relevance&q=pompe&fields=number&state=new,lost&per_page=3&page=2", nil)
	if got := fmt.Sprint(answer.JSON["data"]); got != "[map[number:X-5] map[number:X-3] map[number:X-4]]" || totalOf(answer) != 8 {
		t.Errorf("the second page: %s", answer.Body)
	}
	fill(t, client, 230, func(i int) map[string]any {
		return row{"title": fmt.Sprintf("Vanne %d", i), "number": fmt.Sprintf("V-%d", 1000+i)}
	})
	last, answer := titles(t, client, "sort=relevance&q=vanne&per_page=150&page=2")
	if len(last) != 50 || totalOf(answer) != 230 || last[49] != "Vanne 30" {
		t.Errorf("the last of the best: %d of %d, %q", len(last), totalOf(answer), last)
	}
	seen := map[any]bool{}
	for page, pages := 1, 1; page <= pages; page++ { // who reads until the last page comes to an end, and hears that there is more
		answer := client.Must(t, 200, "GET", fmt.Sprint("/v1/books?sort=relevance&q=vanne&per_page=60&page=", page), nil)
		pages = int(answer.JSON["pagination"].(row)["total_pages"].(float64))
		for _, record := range answer.JSON["data"].([]any) {
			seen[record.(row)["id"]] = true
		}
		if next := strings.Contains(answer.Header.Get("Link"), `rel="next"`); pages != 4 || next != (page < 4) || resourcetest.At(answer.JSON,
			"search.best") != 200.0 {
			t.Errorf("page %d of %d: %s %v", page, pages, answer.Header.Get("Link"), answer.JSON["search"])
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d records on all pages", len(seen))
	}
	if got, _ := titles(t, client, "sort=relevance&q=v-1003"); !slices.Equal(got, []string{"Vanne 3"}) {
		t.Errorf("a code of an old record: %q", got)
	}
	client.Must(t, 400, "GET", "/v1/books?sort=relevance&q=vanne&page=9", nil)
}

func TestTermsAreWhatTheRecordsSayWhateverIsWritten(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	random := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("Aréna école pompe hôtel ville vanne chaudière 12 007 l'été gros petit")
	title := func() string {
		n := 1 + random.IntN(4)
		some := make([]string, n)
		for i := range some {
			some[i] = words[random.IntN(len(words))]
		}
		return strings.Join(some, " ")
	}
	var ids []string
	for step := range 80 {
		switch random.IntN(7) {
		case 0:
			ids = append(ids, client.Create(t, "/v1/books", row{"title": title(), "barcode": fmt.Sprintf("bar-%d", step)})["id"].(string))
		case 1:
			ids = append(ids, fill(t, client, 1+random.IntN(30), func(int) map[string]any { return row{"title": title()} })...)
		case 2:
			if len(ids) > 0 {
				client.Must(t, 200, "PATCH", "/v1/books/"+ids[0], row{"title": title(), "pages": step + 1, "barcode": nil})
			}
		case 3:
			var rows []any
			for _, id := range ids[:len(ids)/2] {
				rows = append(rows, row{"id": id, "title": title(), "external_id": fmt.Sprintf("ext-%d-%s", step, id[30:])})
			}
			if rows != nil {
				client.Must(t, 200, "PATCH", "/v1/books/bulk", map[string]any{"data": rows})
			}
		case 4:
			if len(ids) > 3 {
				client.Must(t, 204, "DELETE", "/v1/books/"+ids[0], nil)
				remove(t, client, ids[1:3])
				ids = ids[3:]
			}
		case 5:
			if _, err := registry.FoldIndex(ctx, "books"); err != nil {
				t.Fatal(err)
			}
			if err := registry.VerifyIndex(ctx, "books"); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		case 6: // nothing of it stays
			client.Must(t, 409, "POST", "/v1/books/bulk",
				map[string]any{"data": []any{row{"title": title(), "barcode": "twice"}, row{"title": "x", "barcode": "twice"}}})
		}
	}
	if err := registry.VerifyIndex(ctx, "books"); err != nil || len(ids) == 0 {
		t.Errorf("%d books: %v", len(ids), err)
	}
	foldAll(ctx, t, registry)
	if err := registry.VerifyIndex(ctx, "books"); err != nil {
		t.Error(err)
	}
}

func TestRecordsChangedByARuleAreFoundByTheirNewWords(t *testing.T) {
	changing := books
	var registry *resource.Registry
	changing.AfterWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[book]) error {
		if changes[0].After == nil || changes[0].After.Title != "rename all" {
			return nil
		}
		return registry.UpdateWhere(ctx, tx, "books", []string{"title"}, "SELECT id, 'Nouveau nom' AS title FROM book WHERE organization_id = $1")
	}
	database := postgrestest.New(t, "library", library(t))
	signer, db := resourcetest.NewSigner(t), database.Open(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry = newRegistry(api, db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, changing)
	client := resourcetest.NewClient(api.Handler(), signer)
	client.Create(t, "/v1/books", row{"title": "Ancien"})
	client.Create(t, "/v1/books", row{"title": "rename all"})
	if got, _ := titles(t, client, "q=nouveau"); len(got) != 2 {
		t.Errorf("found %q", got)
	}
	if err := registry.VerifyIndex(principal.Into(t.Context(), client.Principal), "books"); err != nil {
		t.Error(err)
	}
}

// What an organization with many records writes is folded in some runs, the older of which have more records; what is found does not
// depend on how many those are.
func TestRunsOfTermsAreMerged(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	var ids []string
	for i := range 12 {
		ids = append(ids, fill(t, client, 300, func(j int) map[string]any {
			return row{"title": fmt.Sprintf("Vanne %d", i*300+j), "number": fmt.Sprintf("V-%06d", i*300+j)}
		})...)
		foldAll(ctx, t, registry)
	}
	runs := func() string {
		return strings.Join(owner(t, database, "SELECT run::text FROM term_run ORDER BY term_run.run"), " ")
	}
	if got := runs(); got != "8 12" { // 8 × 300 records, and 4 × 300
		t.Errorf("runs %s", got)
	}
	remove(t, client, ids[:1000])
	client.Must(t, 200, "PATCH", "/v1/books/"+ids[3000], row{"title": "Pompe"})
	for _, state := range []string{"pending", "folded"} {
		for query, want := range map[string]int{"vanne": 2599, "vanne 30": 99, "V-0012": 100, "V-0002": 0, "v-003000": 1, "pompe": 1,
			"van": 2599, "1999": 1} {
			if _, answer := titles(t, client, "per_page=1&q="+url.QueryEscape(query)); totalOf(answer) != want {
				t.Errorf("%s: %s finds %d, want %d", state, query, totalOf(answer), want)
			}
		}
		if err := registry.VerifyIndex(ctx, "books"); err != nil {
			t.Errorf("%s: %v", state, err)
		}
		foldAll(ctx, t, registry)
	}
	remove(t, client, ids[1000:2000])
	remove(t, client, ids[2000:3000])
	remove(t, client, ids[3000:])
	foldAll(ctx, t, registry)
	if got := runs() + strings.Join(owner(t, database, "SELECT first FROM term_block"), " "); got != "" {
		t.Errorf("of no records, %s is left", got)
	}
}

// Whole blocks of a prefix are not looked into; what they have of records that changed counts for nothing.
func TestPrefixesOfManyTerms(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	var ids []string
	for i := range 3 {
		ids = append(ids, fill(t, client, 1000, func(j int) map[string]any {
			return row{"title": "Hydrant", "number": fmt.Sprintf("HYD-%05d", i*1000+j)}
		})...)
	}
	foldAll(ctx, t, registry)
	for i := 0; i < 3000; i += 100 {
		client.Must(t, 200, "PATCH", "/v1/books/"+ids[i], row{"number": fmt.Sprintf("X-%d", i)})
	}
	count := func(query string, want int) {
		t.Helper()
		if _, answer := titles(t, client, "per_page=1&q="+query); totalOf(answer) != want {
			t.Errorf("%s: %d, want %d", query, totalOf(answer), want)
		}
	}
	for range 2 {
		count("hyd", 3000) // by the name
		count("hyd0", 2970)
		count("HYD-01", 990)
		count("hyd-0123", 10)
		count("hyd-01200", 0)
		count("x-1200", 1)
		foldAll(ctx, t, registry)
	}
}

// Nobody sees or changes the terms of another organization with the service's role.
func TestTermsAreKeptApart(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	client.Create(t, "/v1/books", row{"title": "Aréna"})
	foldAll(ctx, t, registry)
	db := database.Open(t)
	count := func(organization string) (n int) {
		ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: organization})
		err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT (SELECT count(*) FROM term_run) + (SELECT count(*) FROM term_block)").Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if own, other := count(client.Principal.OrganizationID), count(client.Other().Principal.OrganizationID); own == 0 || other != 0 {
		t.Errorf("the own organization sees %d, another %d", own, other)
	}
	for _, table := range []string{"term_run (organization_id, collection, run, positions) VALUES (gen_random_uuid(), 'books', 1, '')",
		"term_block (organization_id, collection, run, last, first, positions) VALUES (gen_random_uuid(), 'books', 1, 'a', 'a', '')"} {
		err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO "+table)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "row-level security") {
			t.Errorf("%s: %v", table, err)
		}
	}
}

// An owner's statements end with the time that a search has left for them, also where nobody hangs up.
func TestASearchOfAnOwnerEndsInTime(t *testing.T) {
	client, database := serve(t)
	db := database.Open(t)
	query := row{"text": "pompe", "collections": []any{"books"}, "limit": 2, "correct": true}
	client.Must(t, 200, "POST", "/internal/search", query) // its statements are prepared
	err := db.Write(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE term_run IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		begin := time.Now()
		client.Must(t, 503, "POST", "/internal/search", query, endpoint.TimeLeftHeader, "100")
		if took := time.Since(begin); took > 4*time.Second { // before the database gives up to wait for the lock
			t.Errorf("it took %s", took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	client.Must(t, 200, "POST", "/internal/search", query, endpoint.TimeLeftHeader, "9000")
}

// The service that searches all collections asks their owners so.
func TestAnOwnerGivesTheBestOfItsCollections(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "Pompe"})
	client.Create(t, "/v1/books", row{"title": "Grande pompe", "number": "P-1", "state": "lost"})
	client.Create(t, "/v1/books", row{"title": "Pompe de relais", "number": "P-2", "shelf_id": shelf["id"]})
	client.Create(t, "/v1/books", row{"title": "Vanne", "number": "POMPE-3"})
	ask := func(text string, correct bool, limit int, collections ...any) map[string]any {
		t.Helper()
		answer := client.Must(t, 200, "POST", "/internal/search",
			row{"text": text, "collections": collections, "limit": limit, "correct": correct})
		return answer.JSON["collections"].(map[string]any)
	}
	found := ask("pompe", false, 2, "books", "shelves")
	said := func(collection string) (lines []string) {
		of := found[collection].(map[string]any)
		lines = append(lines, strings.TrimSpace(fmt.Sprintln(of["count"], of["exact"], of["corrected"])))
		for _, each := range of["hits"].([]any) {
			hit := each.(map[string]any)
			lines = append(lines, strings.TrimSpace(fmt.Sprintln(hit["name"], hit["code"], hit["status"], hit["match"], hit["ended"])))
		}
		return lines
	}
	if got := strings.Join(said("books"), "; "); got != "3 true <nil>; Vanne POMPE-3 new code_prefix false; "+
		"Pompe de relais P-2 new name_prefix false" {
		t.Errorf("books: %s", got)
	}
	if got := strings.Join(said("shelves"), "; "); !strings.HasPrefix(got, "1 true <nil>; Pompe ") ||
		!strings.HasSuffix(got, "<nil> name false") {
		t.Errorf("shelves: %s", got)
	}
	found = ask("grnde", false, 5, "books", "shelves")
	if got := strings.Join(said("books"), "; "); got != "0 true <nil>" {
		t.Errorf("literally: %s", got)
	}
	found = ask("grnde", true, 5, "books", "shelves")
	if got := strings.Join(said("books"), "; "); got != "1 true map[grnde:[grande]]; Grande pompe P-1 lost similar true" {
		t.Errorf("with a typing error: %s", got)
	}
	if got := strings.Join(said("shelves"), "; "); got != "0 true <nil>" {
		t.Errorf("where nothing is like it: %s", got)
	}
	for _, query := range []row{
		{"text": "pompe", "collections": []any{"loans"}, "limit": 2, "correct": false}, {"text": "%", "collections": []any{"books"}, "limit": 2,
			"site_id": ""}, {"text": "pompe", "collections": []any{"books"}, "limit": 51, "correct": false},
		{"text": "pompe", "collections": []any{"books"}, "limit": 2, "correct": false, "site_id": shelf["id"]}, // books are at no site
	} {
		client.Must(t, 400, "POST", "/internal/search", query)
	}
}
