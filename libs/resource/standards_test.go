package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestATagIsOfWhatIsShown(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", makeShelf(t, client, 1))
	body := makeBook(t, client, 1)
	body["shelf_id"] = shelf["id"]
	book := client.Create(t, "/v1/books", body)
	path, shelfPath := "/v1/books/"+book["id"].(string), "/v1/shelves/"+shelf["id"].(string)
	tagOf := func(path string) string { return client.Must(t, 200, "GET", path, nil).Header.Get("ETag") }

	// Nothing computed is in a shelf: the version is all.
	if tag := tagOf(shelfPath); tag != `"1"` {
		t.Errorf("a whole shelf: %s", tag)
	}
	whole, titles, pages := tagOf(path), tagOf(path+"?fields=title"), tagOf(path+"?fields=pages")
	for name, tag := range map[string]string{"a whole book, of which figures are computed": whole, "its title": titles, "its pages": pages} {
		if !regexp.MustCompile(`^"1-[0-9a-f]{16}"$`).MatchString(tag) {
			t.Errorf("%s: %s", name, tag)
		}
	}
	if whole == titles || titles == pages || tagOf(path+"?fields=title") != titles {
		t.Errorf("%s %s %s", whole, titles, pages)
	}
	if tag := tagOf(path + "?expand=shelf"); tag != "" {
		t.Errorf("with the name of another record: %s", tag)
	}

	for _, c := range []struct {
		path, known string
		want        int
	}{
		{path, whole, 304}, {path, `"1"`, 304}, {path, `"0", ` + whole, 304}, {path, "W/" + whole, 304}, {path, "*", 304},
		{path, strings.TrimSuffix(whole, `"`) + `-gzip"`, 304}, {shelfPath, `"1-gzip"`, 304}, {shelfPath, `W/"1-zstd"`, 304},
		{path, titles, 200}, {path, `"2"`, 200}, {path, "1", 200},
		{path + "?fields=title", titles, 304}, {path + "?fields=title", pages, 200}, {path + "?fields=title", `"1"`, 200},
		{path + "?expand=shelf", whole, 200}, {path + "?expand=shelf", `"1"`, 200},
	} {
		answer := client.Must(t, c.want, "GET", c.path, nil, "If-None-Match", c.known)
		if c.want == 304 && (len(answer.Body) > 0 || answer.Header.Get("ETag") == "") {
			t.Errorf("%s, %s: %v %s", c.path, c.known, answer.Header, answer.Body)
		}
	}

	// What is computed changes without a new version.
	client.Principal.Currency = "EUR"
	if now := tagOf(path); now == whole || client.Must(t, 200, "GET", path, nil, "If-None-Match", whole).JSON["currency"] != "EUR" {
		t.Errorf("in another currency: %s, before %s", now, whole)
	}

	// A write means a version, whatever part of it was read.
	for _, tag := range []string{`"2"`, `"2-0123456789abcdef"`, `"11"`, "2", "11", "one"} {
		client.Must(t, 409, "PATCH", path, map[string]any{"title": "no"}, "If-Match", tag)
	}
	for i, tag := range []string{`"1"`, `"2-gzip"`, `W/"3"`, `"0", "4-0123456789abcdef"`, `"5-0123456789abcdef-gzip"`, "*", "7"} {
		answer := client.Must(t, 200, "PATCH", path, map[string]any{"title": strings.Repeat("x", i+1)}, "If-Match", tag)
		if want := []string{`"2"`, `"3"`, `"4"`, `"5"`, `"6"`, `"7"`, `"8"`}[i]; answer.Header.Get("ETag") != want {
			t.Errorf("%s: %s, want %s", tag, answer.Header.Get("ETag"), want)
		}
	}
}

func TestAPageHasATagThatCostsNoRows(t *testing.T) {
	client, database := serve(t)
	book := client.Create(t, "/v1/books", makeBook(t, client, 1))
	path := "/v1/books/" + book["id"].(string)
	stranger := client.Other()
	stranger.Create(t, "/v1/books", makeBook(t, stranger, 1))
	registry, ctx := collections(t, database, client)

	conn, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	lists := []string{"/v1/books", "/v1/books?sort=-title&per_page=1", "/v1/books?state=new",
		"/v1/books?fields=title&pages=" + fmt.Sprint(book["pages"])}
	tags := map[string]string{}
	read := func(what string, changed bool) {
		t.Helper()
		for _, list := range lists {
			got := client.Must(t, 200, "GET", list, nil)
			again := client.Must(t, 200, "GET", list, nil)
			tag := got.Header.Get("ETag")
			if string(again.Body) != string(got.Body) || again.Header.Get("ETag") != tag || tag == "" || (tag != tags[list]) != changed {
				t.Errorf("%s, %s: %s, then %s, before %s", list, what, tag, again.Header.Get("ETag"), tags[list])
			}
			client.Must(t, map[bool]int{true: 200, false: 304}[changed], "GET", list, nil, "If-None-Match", tags[list])
			if stranger.Must(t, 200, "GET", list, nil, "If-None-Match", tag).Header.Get("ETag") == tag {
				t.Errorf("%s: another organization has the same tag", list)
			}
			tags[list] = tag
		}
	}
	read("at first", true)
	if tags[lists[0]] == tags[lists[1]] || tags[lists[0]] == tags[lists[2]] {
		t.Errorf("different lists have the same tag: %v", tags)
	}
	read("again", false)
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE library.book IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	for list, tag := range tags { // whoever reads a row waits for the lock
		same := client.Must(t, 304, "GET", list, nil, "If-None-Match", `W/"other", `+strings.TrimSuffix(tag, `"`)+`-gzip"`)
		if len(same.Body) > 0 || same.Header.Get("ETag") != tag {
			t.Errorf("%s: %v %s", list, same.Header, same.Body)
		}
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	client.Must(t, 200, "PATCH", path, map[string]any{"title": "Read"})
	read("after a change", true)
	client.Create(t, "/v1/shelves", map[string]any{"name": "S"})
	read("after a change of another collection", false)
	foldAll(ctx, t, registry)
	read("after a fold", true)
	client.Must(t, 204, "DELETE", path, nil)
	foldAll(ctx, t, registry)
	for _, list := range lists { // pages without rows
		empty := client.Must(t, 200, "GET", list, nil, "If-None-Match", tags[list])
		client.Must(t, 304, "GET", list, nil, "If-None-Match", empty.Header.Get("ETag"))
	}

	// What is made of more than records of collections has a checksum.
	client.Create(t, "/v1/books", makeBook(t, client, 2))
	for _, list := range []string{"/v1/books?expand=shelf", "/v1/books?totals=true", "/v1/books?as_of=2020-01-01"} {
		got := client.Do(t, "GET", list, nil)
		if got.Status != 200 {
			continue // not of books
		}
		client.Must(t, 304, "GET", list, nil, "If-None-Match", got.Header.Get("ETag"))
	}
	client.Principal.Currency = "EUR"
	if now := client.Must(t, 200, "GET", lists[0], nil); now.Header.Get("ETag") == tags[lists[0]] {
		t.Error("another currency has the same tag")
	}
}

// Of pages of 100 and of 1,000 records: what it costs to learn that a page is the same, in parts of what the page costs.
func BenchmarkTheTagOfAPage(b *testing.B) {
	client, _ := serve(b)
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"title": fmt.Sprintf("Livre %d", i), "pages": i + 1}
	}
	client.Must(b, 200, "POST", "/v1/books/bulk", map[string]any{"data": rows})
	for _, records := range []int{100, 1000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) { compareWithSame(b, client, fmt.Sprintf("/v1/books?per_page=%d", records)) })
	}
}

func compareWithSame(b *testing.B, client *resourcetest.Client, path string) {
	signed := client.Signer.Sign(client.Principal)
	read := func(known string, want int) string {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
		r.Header.Set(principal.Header, signed)
		r.Header.Set("If-None-Match", known)
		recorder := httptest.NewRecorder()
		if client.Handler.ServeHTTP(recorder, r); recorder.Code != want {
			b.Fatalf("%d: %s", recorder.Code, recorder.Body)
		}
		return recorder.Header().Get("ETag")
	}
	tag := read("", 200)
	var whole, same time.Duration
	for b.Loop() {
		began := time.Now()
		read("", 200)
		read304 := time.Now()
		read(tag, 304)
		whole, same = whole+read304.Sub(began), same+time.Since(read304)
	}
	b.ReportMetric(float64(same)/float64(whole), "304/200")
}

func TestListsLinkToThePagesAroundThem(t *testing.T) {
	client, _ := serve(t)
	for n := range 5 {
		client.Create(t, "/v1/books", makeBook(t, client, n))
	}
	path, seen, pages := "/v1/books?per_page=2&sort=-title&fields=id&tags=", map[string]bool{}, 0
	path = strings.TrimSuffix(path, "&tags=")
	for path != "" {
		answer := client.Must(t, 200, "GET", path, nil)
		for _, record := range answer.JSON["data"].([]any) {
			seen[record.(map[string]any)["id"].(string)] = true
		}
		pages++
		links := answer.Links()
		if links["prev"] != "" || (links["first"] == "") != (pages > 1) {
			t.Errorf("page %d: %v", pages, links)
		}
		if path = links["next"]; path != "" && (!strings.Contains(path, "cursor=") || strings.Contains(path, "&page=") ||
			!strings.Contains(path, "per_page=2")) {
			t.Errorf("the next page is at %s", path)
		}
	}
	if len(seen) != 5 || pages != 3 {
		t.Errorf("%d books on %d pages", len(seen), pages)
	}
	want := map[string]string{"prev": "/v1/books?page=1&per_page=2", "first": "/v1/books?page=1&per_page=2",
		"last": "/v1/books?page=3&per_page=2"}
	links := client.Must(t, 200, "GET", "/v1/books?page=2&per_page=2", nil).Links()
	delete(links, "next")
	for relation, target := range want {
		if links[relation] != target || len(links) != 3 {
			t.Errorf("%v", links)
		}
	}
	if behind := client.Must(t, 200, "GET", "/v1/books?page=9&per_page=2", nil).Links(); behind["prev"] != want["last"] ||
		behind["next"] != "" {
		t.Errorf("behind the last page: %v", behind)
	}
	book, _ := client.List(t, "/v1/books?per_page=1")
	history := "/v1/books/" + book[0]["id"].(string) + "/history"
	client.Must(t, 200, "PATCH", strings.TrimSuffix(history, "/history"), map[string]any{"title": "another"})
	if links := client.Must(t, 200, "GET", history+"?per_page=1", nil).Links(); links["next"] != history+"?page=2&per_page=1" {
		t.Errorf("history: %v", links)
	}
	if header := client.Must(t, 200, "GET", "/v1/books", nil).Header.Get("Link"); header != "" {
		t.Errorf("of one page: %s", header)
	}
	long := "/v1/books?per_page=1&title=" + url.QueryEscape(strings.Repeat("x,", 40)+"Book 1") + strings.Repeat("y", 800)
	if links := client.Must(t, 200, "GET", long, nil).Links(); links["first"] != "" {
		t.Errorf("of a long query there is more than the next page: %v", links)
	}
}

func TestAFileIsNamedAfterItsCollectionAndDay(t *testing.T) {
	client, _ := serve(t)
	client.Principal.TimeZone = "Pacific/Kiritimati"
	client.AssertFile(t, "/v1/books", "text/csv", "books", "csv")
	client.AssertFile(t, "/v1/books", "application/x-ndjson", "books", "ndjson")
	for accept, want := range map[string]string{"text/csv;q=0.5, application/json": "application/json",
		"text/csv;q=0.5, */*;q=0.1": "text/csv; charset=utf-8"} {
		header := client.Must(t, 200, "GET", "/v1/books", nil, "Accept", accept).Header
		if header.Get("Content-Type") != want || !strings.Contains(strings.Join(header["Vary"], ","), "Accept") {
			t.Errorf("%s: %v", accept, header)
		}
	}
}
