package resource_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	_, _, registry := serveRegistry(t, books)
	resourcetest.SortsByIndex(t, registry, "shelves.updated_at", "books.title", "books.position", "books.pages", "books.updated_at")
}

// walk reads a list by cursor from its first page, and gives the ids of each page. between is called before every page but the first.
func walk(t *testing.T, client *resourcetest.Client, path string, between func()) [][]string {
	t.Helper()
	var pages [][]string
	for cursor := ""; ; {
		query := path
		if cursor != "" {
			between()
			query += "&cursor=" + cursor
		}
		data, pagination := client.List(t, query)
		if (pagination["page"] == nil) != (cursor != "") {
			t.Fatalf("%s: page %v", query, pagination["page"])
		}
		pages = append(pages, idsOf(data))
		if pagination["next_cursor"] == nil {
			return pages
		}
		if cursor = pagination["next_cursor"].(string); len(pages) > 2000 {
			t.Fatalf("%s does not end", path)
		}
	}
}

func nothing() {}

// The orders that lists are held against: what a query asks for, as plain SQL over the table.
var orders = []struct{ query, where, order string }{
	{"", "true", "position"},
	{"sort=-created_at", "true", "position DESC"},
	{"sort=id", "true", "id"},
	{"sort=-id", "true", "id DESC"},
	{"sort=title", "true", "title COLLATE \"natural\", id"},
	{"sort=-title", "true", "title COLLATE \"natural\" DESC, id"},
	{"sort=pages", "true", "pages, id"},
	{"sort=-pages", "true", "pages DESC NULLS LAST, id"},
	{"sort=price", "true", "price, id"},
	{"sort=-price", "true", "price DESC NULLS LAST, id"},
	{"sort=position", "true", "place_on_shelf, id"},
	{"sort=-published_on", "true", "published_on DESC NULLS LAST, id"},
	{"sort=-updated_at", "true", "updated_at DESC, id"},
	{"sort=pages,-price", "true", "pages, price DESC NULLS LAST, id"},
	{"sort=-title,pages,price", "true", "title COLLATE \"natural\" DESC, pages, price, id"},
	{"sort=created_at,title", "true", "created_at, title COLLATE \"natural\", id"},
	{"sort=-pages,-id", "true", "pages DESC NULLS LAST, id DESC"},
	{"state=lent", "state = 'lent'", "position"},
	{"state=lent&sort=-created_at", "state = 'lent'", "position DESC"},
	{"state=lent&sort=-pages", "state = 'lent'", "pages DESC NULLS LAST, id"},
	{"pages=null,2&sort=title,-pages", "(pages IS NULL OR pages = 2)", "title COLLATE \"natural\", pages DESC NULLS LAST, id"},
	{"state=lent&sort=price,-id", "state = 'lent'", "price, id DESC"},
}

// mixed makes a book of which fields are equal to others', or empty.
func mixed(random *rand.Rand) map[string]any {
	body := map[string]any{
		"title": []string{"a", "A", "b", "Été", "été", "z", "b 2", "b 10", "b 02"}[random.IntN(9)],
		"state": []string{"new", "lent"}[random.IntN(2)],
	}
	for name, value := range map[string]any{
		"pages": 1 + random.IntN(4), "price": float64(random.IntN(500)) / 100, "position": 1 + random.IntN(60),
		"published_on": fmt.Sprintf("20%02d-02-03", random.IntN(3)),
	} {
		if random.IntN(3) > 0 {
			body[name] = value
		}
	}
	return body
}

func TestCursorsAndPagesGiveEveryRowOnceInTheOrderOfPlainSQL(t *testing.T) {
	client, database := serve(t)
	random := rand.New(rand.NewPCG(14, 1))
	fill(t, client, 300, func(int) map[string]any { return mixed(random) })
	fill(t, client.Other(), 50, func(int) map[string]any { return mixed(random) })
	for _, o := range orders {
		want := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 AND "+o.where+" ORDER BY "+o.order,
			client.Principal.OrganizationID)
		for _, perPage := range []int{17, len(want) - 1, len(want), 20 + random.IntN(60)} {
			path := fmt.Sprintf("/v1/books?per_page=%d&fields=id&%s", perPage, o.query)
			pages := walk(t, client, path, nothing)
			if got := slices.Concat(pages...); !slices.Equal(got, want) {
				t.Fatalf("%s by cursor: %d rows, want %d, or in another order", path, len(got), len(want))
			}
			for i, page := range pages {
				if (len(page) != perPage) != (i == len(pages)-1 && len(want)%perPage != 0) {
					t.Errorf("%s: page %d of %d has %d rows", path, i+1, len(pages), len(page))
				}
			}
			number := 1 + random.IntN(len(pages))
			data, pagination := client.List(t, fmt.Sprintf("%s&page=%d", path, number))
			if !slices.Equal(idsOf(data), pages[number-1]) || pagination["page"] != float64(number) || pagination["total"] != float64(len(want)) {
				t.Errorf("%s: page %d by number is another than by cursor: %v", path, number, pagination)
			}
			if (pagination["next_cursor"] == nil) != (number == len(pages)) {
				t.Errorf("%s: page %d of %d has the next cursor %v", path, number, len(pages), pagination["next_cursor"])
			}
		}
	}
}

// Whoever reads by cursor sees each row that stays as it is once, whatever others make and delete meanwhile.
func TestRowsThatStayAreReadOnceWhileOthersComeAndGo(t *testing.T) {
	client, database := serve(t)
	random := rand.New(rand.NewPCG(14, 2))
	fill(t, client, 50, func(int) map[string]any { return mixed(random) })
	for _, o := range orders {
		before := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 AND "+o.where+" ORDER BY "+o.order,
			client.Principal.OrganizationID)
		gone := map[string]bool{}
		pages := walk(t, client, "/v1/books?per_page=15&fields=id&"+o.query, func() {
			fill(t, client, 2, func(int) map[string]any { return mixed(random) })
			id := before[random.IntN(len(before))]
			if !gone[id] {
				remove(t, client, []string{id})
				gone[id] = true
			}
		})
		seen := slices.Concat(pages...)
		if len(slices.Compact(slices.Sorted(slices.Values(seen)))) != len(seen) {
			t.Errorf("%s: rows are repeated", o.query)
		}
		var got, want []string
		for _, id := range seen {
			if slices.Contains(before, id) && !gone[id] {
				got = append(got, id)
			}
		}
		for _, id := range before {
			if !gone[id] {
				want = append(want, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d of the %d rows that stayed, or in another order", o.query, len(got), len(want))
		}
	}
}

func TestThePageBehindADeletedRowBeginsWhereItWas(t *testing.T) {
	client, _ := serve(t)
	ids := map[string]string{}
	for _, title := range []string{"c", "f", "a", "e", "b", "g", "d"} {
		ids[title] = client.Create(t, "/v1/books", map[string]any{"title": title})["id"].(string)
	}
	titles := func(data []map[string]any) (all string) {
		for _, record := range data {
			all += record["title"].(string) + " "
		}
		return all
	}
	path := "/v1/books?sort=title&per_page=3&fields=title"
	data, pagination := client.List(t, path)
	if titles(data) != "a b c " {
		t.Fatalf("the first page is %s", titles(data))
	}
	cursor := pagination["next_cursor"].(string)
	for _, title := range []string{"c", "d"} { // the row that the cursor stands behind, too
		client.Must(t, 204, "DELETE", "/v1/books/"+ids[title], nil)
	}
	client.Create(t, "/v1/books", map[string]any{"title": "aa"})
	data, pagination = client.List(t, path+"&cursor="+cursor)
	if titles(data) != "e f g " || pagination["next_cursor"] != nil || pagination["total"] != 6.0 || pagination["total_pages"] != 2.0 {
		t.Errorf("the next page is %s, %v", titles(data), pagination)
	}
	for _, title := range []string{"e", "f", "g"} {
		client.Must(t, 204, "DELETE", "/v1/books/"+ids[title], nil)
	}
	data, pagination = client.List(t, path+"&cursor="+cursor)
	if len(data) != 0 || pagination["total"] != 3.0 || pagination["next_cursor"] != nil {
		t.Errorf("a page behind the end: %v %v", data, pagination)
	}
}

func TestACursorIsRefusedWhereItDoesNotBelong(t *testing.T) {
	client, _ := serve(t)
	fill(t, client, 5, func(i int) map[string]any { return map[string]any{"title": fmt.Sprint(i), "state": "lent"} })
	cursorOf := func(query string) string {
		_, pagination := client.List(t, "/v1/books?per_page=2&"+query)
		return pagination["next_cursor"].(string)
	}
	plain, filtered, sorted := cursorOf(""), cursorOf("state=lent"), cursorOf("sort=title")
	changed := "A" + plain[1:]
	if plain[0] == 'A' {
		changed = "B" + plain[1:]
	}
	other := client.Other()
	other.Create(t, "/v1/books", map[string]any{"title": "theirs"})
	for _, c := range []struct {
		name, path, code string
		client           *resourcetest.Client
	}{
		{"another organization", "/v1/books?per_page=2&cursor=" + plain, "cursor_mismatch", other},
		{"another collection", "/v1/shelves?cursor=" + plain, "cursor_mismatch", client},
		{"another filter", "/v1/books?state=new&cursor=" + filtered, "cursor_mismatch", client},
		{"no filter", "/v1/books?cursor=" + filtered, "cursor_mismatch", client},
		{"another sort", "/v1/books?sort=-title&cursor=" + sorted, "cursor_mismatch", client},
		{"no sort", "/v1/books?cursor=" + sorted, "cursor_mismatch", client},
		{"beside page", "/v1/books?page=2&cursor=" + plain, "invalid_request", client},
		{"truncated", "/v1/books?cursor=" + plain[:len(plain)-5], "invalid_request", client},
		{"changed", "/v1/books?cursor=" + changed, "invalid_request", client},
		{"10,000 characters", "/v1/books?cursor=" + strings.Repeat("A", 10_000), "invalid_request", client},
		{"no base64", "/v1/books?cursor=%21%21", "invalid_request", client},
		{"empty", "/v1/books?cursor=", "invalid_request", client},
		{"a NUL", "/v1/books?cursor=%00", "invalid_request", client},
		{"twice", "/v1/books?cursor=" + plain + "&cursor=" + plain, "invalid_request", client},
		{"an id", "/v1/books?cursor=" + uuid.NewString(), "invalid_request", client},
		{"one record", "/v1/books/" + uuid.NewString() + "?cursor=" + plain, "invalid_request", client},
	} {
		answer := c.client.Must(t, 400, "GET", c.path, nil)
		if answer.JSON["code"] != c.code || c.code == "invalid_request" && !slices.Equal(answer.Fields(), []string{"cursor"}) {
			t.Errorf("%s: %s", c.name, answer.Body)
		}
	}
	answer := client.Must(t, 400, "GET", "/v1/books?cursor="+plain, nil, "Accept", "text/csv")
	if !slices.Equal(answer.Fields(), []string{"cursor"}) {
		t.Errorf("a stream: %s", answer.Body)
	}
	// What is shown, and how much of it, may change from page to page.
	if data, _ := client.List(t, "/v1/books?per_page=1&fields=title&cursor="+plain); len(data) != 1 || data[0]["title"] != "2" {
		t.Errorf("with other fields and a smaller page: %v", data)
	}
}

func TestACursorHidesItsValuesAndEndsAfterADay(t *testing.T) {
	client, _ := serve(t)
	fill(t, client, 3, func(i int) map[string]any { return map[string]any{"title": fmt.Sprintf("Madame Tremblay %d", i)} })
	path := "/v1/books?sort=title&per_page=1"
	_, pagination := client.List(t, path)
	cursor := pagination["next_cursor"].(string)
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || strings.Contains(string(sealed), "Tremblay") || url.QueryEscape(cursor) != cursor {
		t.Errorf("the cursor %s: %v", cursor, err)
	}
	keys := client.Signer.Derive("cursors of lists")
	plain, opened := keys.Open(sealed, []byte("cursor"))
	var content map[string]any
	if err := json.Unmarshal(plain, &content); !opened || err != nil {
		t.Fatalf("opened %v: %v", opened, err)
	}
	aged := func(age time.Duration) string {
		content["at"] = time.Now().Add(-age).Unix()
		plain, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(keys.Seal(plain, []byte("cursor")))
	}
	client.Must(t, 200, "GET", path+"&cursor="+aged(23*time.Hour), nil)
	if answer := client.Must(t, 400, "GET", path+"&cursor="+aged(49*time.Hour), nil); answer.JSON["code"] != "cursor_expired" {
		t.Errorf("after a day: %s", answer.Body)
	}
	for _, values := range []any{nil, []any{}, []any{"a"}, []any{"a", "b", "c"}} { // of a release that ordered otherwise
		content["row"] = values
		client.Must(t, 400, "GET", path+"&cursor="+aged(0), nil)
	}
}

// Instances share the secrets that principals are signed with, and one after the other is given new ones.
func TestEveryInstanceTakesTheCursorsOfTheOthers(t *testing.T) {
	_, database := serve(t)
	first, second := strings.Repeat("1", 32), strings.Repeat("2", 32)
	instance := func(secrets ...string) *resourcetest.Client {
		signer, err := principal.NewSigner(secrets...)
		if err != nil {
			t.Fatal(err)
		}
		db, err := postgres.Open(t.Context(), database.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		api := transport.New(signer, db, resourcetest.Log(t))
		registry := newRegistry(api, db)
		resource.Mount(registry, shelves)
		resource.Mount(registry, books)
		return resourcetest.NewClient(api.Handler(), signer)
	}
	one, other, stranger := instance(first), instance(second, first), instance(second)
	other.Principal, stranger.Principal = one.Principal, one.Principal
	fill(t, one, 3, func(i int) map[string]any { return map[string]any{"title": fmt.Sprint(i)} })
	_, pagination := one.List(t, "/v1/books?per_page=1")
	path := "/v1/books?per_page=1&cursor=" + pagination["next_cursor"].(string)
	if data, _ := other.List(t, path); len(data) != 1 || data[0]["title"] != "1" {
		t.Errorf("another instance gives %v", data)
	}
	stranger.Must(t, 400, "GET", path, nil)
}

// A page by number passes over rows, but reads no more than their keys.
func TestADeepPageByNumberReadsKeysOnly(t *testing.T) {
	client, _, registry := serveMany(t)
	for _, sort := range []string{"title", "-title", "pages", "-pages", "id", "-id"} {
		resourcetest.KeysOnly(t, client, registry.Tables["books"], sort, 300)
	}
}

const many = 12_000

// serveMany serves many books, of which a third have no pages.
func serveMany(t *testing.T) (*resourcetest.Client, *postgrestest.Database, *resource.Registry) {
	t.Helper()
	client, database, registry := serveRegistry(t, books)
	owner(t, database, `INSERT INTO book (organization_id, id, position, custom_fields, tags, version, created_at, updated_at, created_by,
			updated_by, title, state, pages, price, signed, authors)
		SELECT $1, gen_random_uuid(), 1000 + n, '{}', '[]', 1, now(), now(), '{}', '{}', 'Livre ' || n % 9000,
			'new', nullif(n % 3, 0), n % 5000, false, '[]'
		FROM generate_series(1, $2::int) n RETURNING ''`, client.Principal.OrganizationID, many)
	owner(t, database, "VACUUM ANALYZE book")
	return client, database, registry
}

// The rows that are read for a page do not depend on how deep it is, or on how many rows have its value.
func TestAPageBehindACursorReadsAsMuchAsTheFirst(t *testing.T) {
	client, _, registry := serveMany(t)
	text := func(s string) *string { return &s }
	id := text("80000000-0000-4000-8000-000000000000")
	for sort, depths := range map[string][][]*string{
		"title":  {nil, {text("Livre 1"), id}, {text("Livre 5"), id}, {text("Livre 8999"), id}},
		"-title": {nil, {text("Livre 8999"), id}, {text("Livre 5"), id}, {text("Livre 1"), id}},
		"pages":  {nil, {text("1"), id}, {text("2"), id}, {nil, id}},
		"-pages": {nil, {text("2"), id}, {text("1"), id}, {nil, id}},
		"id":     {nil, {id}},
		"-id":    {nil, {id}},
		"":       {nil, {text("7000")}},
	} {
		for _, after := range depths {
			// 26 rows are shown; they come from up to four parts of the index, one of which is read twice.
			if read := resourcetest.RowsRead(t, client, registry.Tables["books"], sort, after); read > 6*26 {
				t.Errorf("sort=%s behind %v reads %d rows", sort, after, read)
			}
		}
	}
}

// Without an index, a page looks at each row once, and fetches those that it shows.
func TestASortWithoutAnIndexLooksAtEachRowOnce(t *testing.T) {
	client, _, registry := serveMany(t)
	price, id := "2500", "80000000-0000-4000-8000-000000000000"
	for sort, after := range map[string][]*string{
		"price": {&price, &id}, "-price": {&price, &id}, "published_on": {nil, &id}, "-published_on": {nil, &id},
		"-price,title": {&price, &price, &id},
	} {
		for _, after := range [][]*string{nil, after} {
			if read := resourcetest.RowsRead(t, client, registry.Tables["books"], sort, after); read > many+26 {
				t.Errorf("sort=%s behind %v reads %d rows", sort, after, read)
			}
		}
	}
}
