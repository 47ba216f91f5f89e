package resource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/testwait"

	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
)

// declareCustom declares the type of a custom field of books, and gives the declaration when its values are built.
func declareCustom(t *testing.T, client *resourcetest.Client, key, kind string) map[string]any {
	t.Helper()
	field := client.Declare(t, "/v1/books/custom-fields?key="+url.QueryEscape(key), kind)
	if field["type"] != kind || field["key"] != key {
		t.Fatalf("%s as %s: %v", key, kind, field)
	}
	return field
}

// bookWith is the body of a book with a title and some custom fields.
func bookWith(title string, fields map[string]any) map[string]any {
	return map[string]any{"title": title, "custom_fields": fields}
}

// letters are the titles of a list, in its order, one letter each.
func letters(data []map[string]any) (all string) {
	for _, record := range data {
		all += record["title"].(string)
	}
	return all
}

// listsTitles holds a list, its total, its pages by cursor and by number, and its stream against the titles that it must have.
func listsTitles(t *testing.T, client *resourcetest.Client, query, want string) {
	t.Helper()
	path := "/v1/books?" + query
	data, pagination := client.List(t, path+"&per_page=1000")
	if got := letters(data); got != want || pagination["total"] != float64(len(want)) {
		t.Errorf("%s: %q of %v, want %q", query, got, pagination["total"], want)
		return
	}
	cursors, numbers := "", ""
	for page, cursor := 1, ""; ; page++ {
		data, pagination := client.List(t, path+"&per_page=2"+cursor)
		cursors += letters(data)
		data, _ = client.List(t, fmt.Sprintf("%s&per_page=2&page=%d", path, page))
		numbers += letters(data)
		if pagination["next_cursor"] == nil || page > len(want) {
			break
		}
		cursor = "&cursor=" + pagination["next_cursor"].(string)
	}
	streamed := ""
	for line := range linesOf(client.Must(t, 200, "GET", path, nil, "Accept", "application/x-ndjson").Body) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		streamed += record["title"].(string)
	}
	if cursors != want || numbers != want || streamed != want {
		t.Errorf("%s: by cursor %q, by number %q, streamed %q, want %q", query, cursors, numbers, streamed, want)
	}
}

func TestDeclaredCustomFieldsFilterAndSort(t *testing.T) {
	client, _ := serve(t)
	// Half of the floors are numbers, half are texts; two are texts that are written like numbers.
	for _, book := range []struct {
		title  string
		fields map[string]any
	}{
		{"a", map[string]any{"floor": 3, "opened": "2020-02-29", "listed": true, "room's n°": "Été"}},
		{"b", map[string]any{"floor": "ground", "opened": "2021-02-29", "listed": "no", "room's n°": "été"}},
		{"c", map[string]any{"floor": -1.5, "opened": "2020-03-01", "listed": false, "room's n°": "ete"}},
		{"d", map[string]any{"floor": "12", "opened": "soon", "listed": "true"}},
		{"e", map[string]any{}},
		{"f", map[string]any{"floor": 3, "opened": "1969-12-31", "room's n°": 12}},
		{"g", map[string]any{"floor": "3rd", "opened": 2020, "listed": 1, "room's n°": true}},
	} {
		client.Create(t, "/v1/books", bookWith(book.title, book.fields))
	}
	floor := declareCustom(t, client, "floor", "number")
	if floor["values"] != 4.0 || floor["unparsed"] != 2.0 {
		t.Errorf("floors: %v", floor)
	}
	declareCustom(t, client, "opened", "date")
	declareCustom(t, client, "listed", "boolean")
	declareCustom(t, client, "room's n°", "text")
	fields := client.Must(t, 200, "GET", "/v1/books/custom-fields", nil).JSON["data"].([]any)
	counts := ""
	for _, f := range fields {
		field := f.(map[string]any)
		counts += fmt.Sprintf("%v %v %v %v;", field["key"], field["type"], field["values"], field["unparsed"])
	}
	if counts != "floor number 4 2;listed boolean 3 2;opened date 3 3;room's n° text 5 0;" {
		t.Errorf("declared are %s", counts)
	}
	room := url.QueryEscape("custom_fields.room's n°")
	for _, c := range [][2]string{
		{"custom_fields.floor=3", "af"}, {"custom_fields.floor=3.0,12", "adf"}, {"custom_fields.floor=null", "beg"},
		{"custom_fields.floor=12,null", "bdeg"}, {"custom_fields.floor_min=3", "adf"}, {"custom_fields.floor_max=2.9", "c"},
		{"custom_fields.floor_min=0&custom_fields.floor_max=11", "af"}, {"custom_fields.floor=7", ""},
		{"custom_fields.opened=2020-02-29", "a"}, {"custom_fields.opened_from=2020-02-29", "ac"}, {"custom_fields.opened_to=1999-01-01", "f"},
		{"custom_fields.opened=null", "bdeg"}, {"custom_fields.listed=true", "ad"}, {"custom_fields.listed=false,null", "bcefg"},
		{room + "=" + url.QueryEscape("Été"), "a"}, {room + "=ete", "c"}, {room + "=12,true", "fg"}, {room + "=ETE", ""},
		{"custom_fields.floor=3&state=new", "af"}, {"custom_fields.floor=3&state=lent", ""}, {"q=f&custom_fields.floor=3", "f"},
		{"q=f&sort=-custom_fields.floor", "f"}, {"custom_fields.floor=3&custom_fields.listed=true", "a"},
		{"custom_fields.floor_min=3&pages=null&thick=true", ""}, {"custom_fields.floor_min=3&title=a,d", "ad"},
		{"custom_fields.floor_min=3&sort=-title", "fda"}, {"custom_fields.floor_min=3&sort=-created_at", "fda"},
		{"sort=custom_fields.floor", "cafdbeg"}, {"sort=-custom_fields.floor", "dafcbeg"}, {"sort=custom_fields.floor,-title", "cfadgeb"},
		{"sort=-custom_fields.floor,-id", "dfacgeb"}, {"sort=custom_fields.opened", "facbdeg"}, {"sort=-custom_fields.opened", "cafbdeg"},
		{"sort=custom_fields.listed", "cadbefg"}, {"sort=-custom_fields.listed", "adcbefg"}, {"sort=" + room, "fcbagde"}, {"sort=-" +
			room, "gabcfde"}, {"custom_fields.floor_min=3&sort=custom_fields.floor", "afd"}, {"state=new&sort=-custom_fields.floor", "dafcbeg"},
		{"custom_fields.listed=null&sort=custom_fields.floor", "fbeg"}, {"sort=custom_fields.listed,custom_fields.floor", "cadfbeg"},
	} {
		listsTitles(t, client, c[0], c[1])
	}
}

// linesOf are the lines of a stream.
func linesOf(body []byte) iter.Seq[[]byte] { return bytes.Lines(body) }

func TestBadQueriesAndDeclarationsNameTheWayOut(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", bookWith("a", map[string]any{"floor": 3, "floor_min": 7}))
	declareCustom(t, client, "floor", "number")
	declareCustom(t, client, "opened", "date")
	declareCustom(t, client, "room", "text")
	for query, want := range map[string]string{
		"custom_fields.height=3":                                            "PUT /v1/books/custom-fields?key=height",
		"custom_fields.height_min=3":                                        "declare it first",
		"sort=-custom_fields.height":                                        "declare it first",
		"sort=custom_fields.":                                               "declare it first",
		"custom_fields.=3":                                                  "declare it first",
		"custom_fields.floor=third":                                         "must be a number",
		"custom_fields.floor_min=NaN":                                       "must be a number",
		"custom_fields.floor_max=Inf":                                       "must be a number",
		"custom_fields.floor_min=null":                                      "must be a number",
		"custom_fields.floor_from=2020-01-01":                               "has _min and _max",
		"custom_fields.opened_min=3":                                        "has _from and _to",
		"custom_fields.opened=2021-02-29":                                   "must be a date",
		"custom_fields.room_min=a":                                          "has no bounds",
		"custom_fields.room=" + strings.Repeat("x", 501):                    "at most 500 characters",
		"custom_fields.floor=" + strings.Repeat("1,", 100) + "1":            "at most 100 values",
		"sort=custom_fields.floor,custom_fields.floor":                      "twice",
		"custom_fields.floor=%00":                                           "NUL",
		"sort=custom_fields.floor&cursor=AAAA":                              "next_cursor",
		"custom_fields." + url.QueryEscape("x' OR '1'='1") + "=1":           "declare it first",
		"sort=custom_fields." + url.QueryEscape("floor') DESC; DROP TABLE"): "declare it first",
	} {
		if answer := client.Must(t, 400, "GET", "/v1/books?"+query, nil); !strings.Contains(string(answer.Body), want) {
			t.Errorf("%s: %s, want %q", query, answer.Body, want)
		}
	}
	client.Must(t, 400, "GET", "/v1/books/"+uuid.NewString()+"?custom_fields.floor=3", nil)
	// A declared key that ends like a bound is that key.
	listsTitles(t, client, "custom_fields.floor_min=7", "")
	declareCustom(t, client, "floor_min", "number")
	listsTitles(t, client, "custom_fields.floor_min=7", "a")
	for path, want := range map[string]string{
		"":                                 "key",
		"?key=":                            "key",
		"?key=a,b":                         "key",
		"?key=%20a":                        "key",
		"?key=a%0Ab":                       "key",
		"?key=" + strings.Repeat("é", 101): "key",
		"?key=a&type=text":                 "type",
	} {
		answer := client.Must(t, 400, "PUT", "/v1/books/custom-fields"+path, map[string]any{"type": "text"})
		if !slices.Contains(answer.Fields(), want) {
			t.Errorf("%s: %s", path, answer.Body)
		}
		client.Must(t, 400, "DELETE", "/v1/books/custom-fields"+path, nil)
	}
	for _, body := range []map[string]any{{}, {"type": "money"}, {"type": 3}, {"type": "text", "more": 1}} {
		client.Must(t, 400, "PUT", "/v1/books/custom-fields?key=a", body)
	}
	client.Must(t, 404, "DELETE", "/v1/books/custom-fields?key=height", nil)
	reader := *client
	reader.Principal.Scopes = []string{"books:read"}
	reader.Must(t, 200, "GET", "/v1/books/custom-fields", nil)
	reader.Must(t, 403, "PUT", "/v1/books/custom-fields?key=a", map[string]any{"type": "text"})
	reader.Must(t, 403, "DELETE", "/v1/books/custom-fields?key=floor", nil)
}

// A key is any text: what is SQL in it stays a name.
func TestAnyKeyCanBeDeclared(t *testing.T) {
	client, _ := serve(t)
	for _, key := range []string{"x' OR '1'='1", `a"b\c`, "50 % = $2", "größe/m²", "-", "a.b", "{id}", "?key=&", "\U0001F600",
		strings.Repeat("é", 100)} {
		title := string(rune('a' + len(client.Must(t, 200, "GET", "/v1/books/custom-fields", nil).JSON["data"].([]any))))
		client.Create(t, "/v1/books", bookWith(title, map[string]any{key: 5}))
		declareCustom(t, client, key, "number")
		name := url.QueryEscape("custom_fields." + key)
		listsTitles(t, client, name+"=5", title)
		listsTitles(t, client, name+"_min=4&sort=-"+name, title)
		if data, _ := client.List(t, "/v1/books?sort="+name); data[0]["title"] != title {
			t.Errorf("%s: %v comes first", key, data[0]["title"])
		}
	}
}

func TestTwentyCustomFieldsCanBeDeclared(t *testing.T) {
	client, _ := serve(t)
	for i := range 20 {
		declareCustom(t, client, fmt.Sprint(i), "text")
	}
	answer := client.Must(t, 409, "PUT", "/v1/books/custom-fields?key=more", map[string]any{"type": "text"})
	if answer.JSON["code"] != "too_many_custom_fields" || !strings.Contains(answer.JSON["error"].(string), "20") {
		t.Errorf("the 21st: %s", answer.Body)
	}
	declareCustom(t, client, "7", "number") // of those that are there, any may change
	client.Must(t, 204, "DELETE", "/v1/books/custom-fields?key=7", nil)
	declareCustom(t, client, "more", "text")
	declareCustom(t, client.Other(), "more", "text")
	client.Must(t, 200, "PUT", "/v1/shelves/custom-fields?key=height", map[string]any{"type": "number"})
}

func TestAnotherTypeTakesThePlaceOfTheFormer(t *testing.T) {
	client, database := serve(t)
	for i, value := range []any{10, "9", "soon", 2.5} {
		client.Create(t, "/v1/books", bookWith(string(rune('a'+i)), map[string]any{"floor": value}))
	}
	declareCustom(t, client, "floor", "number")
	listsTitles(t, client, "sort=custom_fields.floor", "dbac")
	_, pagination := client.List(t, "/v1/books?sort=custom_fields.floor&per_page=2")
	declareCustom(t, client, "floor", "number") // the same again changes nothing
	cursor := "&per_page=2&cursor=" + pagination["next_cursor"].(string)
	client.Must(t, 200, "GET", "/v1/books?sort=custom_fields.floor"+cursor, nil)
	declareCustom(t, client, "floor", "text")
	if answer := client.Must(t, 400, "GET", "/v1/books?sort=custom_fields.floor"+cursor, nil); answer.JSON["code"] != "cursor_mismatch" {
		t.Errorf("a cursor of the former type: %s", answer.Body)
	}
	listsTitles(t, client, "sort=custom_fields.floor", "dbac") // "2.5", "9", "10", "soon": also of texts, numbers are numbers
	listsTitles(t, client, "custom_fields.floor=9", "b")
	client.Must(t, 204, "DELETE", "/v1/books/custom-fields?key=floor", nil)
	client.Must(t, 400, "GET", "/v1/books?custom_fields.floor=9", nil)
	testwait.For(t, 30*time.Second, "the values of what is declared no more are gone", func() bool {
		return owner(t, database, "SELECT (SELECT count(*) FROM custom_value)::text || (SELECT count(*) FROM custom_field)::text")[0] == "00"
	})
	// The trail has all of it, and the history of records nothing.
	if got := owner(t, database,
		"SELECT action || ' ' || changes::text FROM history WHERE action LIKE 'custom%' ORDER BY at, id"); !slices.Equal(got, []string{
		`custom_field_declared {"custom_fields.floor":{"new":"number","old":null}}`,
		`custom_field_declared {"custom_fields.floor":{"new":"text","old":"number"}}`,
		`custom_field_deleted {"custom_fields.floor":{"new":null,"old":"text"}}`,
	}) {
		t.Errorf("the trail has %q", got)
	}
}

func TestCustomFieldsStayInTheirOrganization(t *testing.T) {
	client, database := serve(t)
	other := client.Other()
	client.Create(t, "/v1/books", bookWith("a", map[string]any{"floor": 3}))
	other.Create(t, "/v1/books", bookWith("b", map[string]any{"floor": 3}))
	declareCustom(t, client, "floor", "number")
	other.Must(t, 400, "GET", "/v1/books?custom_fields.floor=3", nil)
	if fields := other.Must(t, 200, "GET", "/v1/books/custom-fields", nil).JSON["data"].([]any); len(fields) != 0 {
		t.Errorf("another organization has declared %v", fields)
	}
	other.Must(t, 404, "DELETE", "/v1/books/custom-fields?key=floor", nil)
	declareCustom(t, other, "floor", "text")
	listsTitles(t, client, "custom_fields.floor_min=0", "a")
	listsTitles(t, other, "custom_fields.floor=3", "b")
	connection, err := pgx.Connect(t.Context(), database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	for _, table := range []string{"custom_field", "custom_value"} {
		for organization, want := range map[string]int{"": 0, uuid.NewString(): 0, other.Principal.OrganizationID: 1} {
			var seen int
			if _, err := connection.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			if err := connection.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&seen); err != nil || seen != want {
				t.Errorf("%s as %q: %d rows, %v", table, organization, seen, err)
			}
		}
	}
}

// What custom_value has of the declared fields is what plain SQL over the records makes of their JSON.
const valuesThatDiffer = `
	WITH want AS (
		SELECT t.organization_id, f.id AS field, t.id, t.position, t.custom_fields -> f.key AS value, t.custom_fields ->> f.key AS text, f.type
		FROM book t JOIN custom_field f ON f.organization_id = t.organization_id AND f.collection = 'books' AND f.state = 'ready'
	), read AS (
		SELECT organization_id, field, id, position, value, CASE type
			WHEN 'text' THEN text
			WHEN 'number' THEN CASE WHEN jsonb_typeof(value) = 'number' OR text IN ('12', '-0.5') THEN text::float8::text END
			WHEN 'boolean' THEN CASE text WHEN 'true' THEN '1' WHEN 'false' THEN '0' END
			WHEN 'date' THEN CASE WHEN text IN ('2024-02-29', '1000-01-01') THEN (text::date - date '1970-01-01')::text END
		END AS read, type
		FROM want
	), expected AS (
		SELECT organization_id, field, id, position, CASE WHEN read IS NOT NULL THEN 0 WHEN value IS NULL THEN 1 ELSE 2 END AS missing,
			CASE WHEN type <> 'text' AND read IS NOT NULL THEN read::float8 ELSE 0 END AS number,
			CASE WHEN type = 'text' AND read IS NOT NULL THEN read ELSE '' END COLLATE "C" AS text
		FROM read
	), kept AS (
		SELECT v.organization_id, v.field, v.id, v.position, v.missing::int, v.number, v.text COLLATE "C"
		FROM custom_value v JOIN custom_field f ON f.organization_id = v.organization_id AND f.id = v.field AND f.state = 'ready'
	)
	SELECT 'missing ' || e::text FROM (TABLE expected EXCEPT TABLE kept) e UNION ALL SELECT 'wrong ' || k::text
		FROM (TABLE kept EXCEPT TABLE expected) k`

// Four writers create, change, delete and roll back while types are declared, changed and taken back; in every snapshot the values of what
// is declared are those of the records.
func TestCustomValuesAgreeWithTheRecordsInEverySnapshot(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	fill(t, client, 3000, func(i int) map[string]any { return bookWith("x", map[string]any{"a": i, "b": "2024-02-29"}) })
	fill(t, client.Other(), 20, func(i int) map[string]any { return bookWith("x", map[string]any{"a": i}) })
	declareCustom(t, client, "a", "number")
	errBack := errors.New("rolled back")
	var over atomic.Bool
	var work sync.WaitGroup
	for n := range 4 {
		random := rand.New(rand.NewPCG(15, uint64(n)))
		work.Go(func() {
			for !over.Load() {
				err := registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					for range 1 + random.IntN(2) {
						if _, err := tx.Exec(ctx, customWrite(random)); err != nil {
							return err
						}
					}
					if random.IntN(3) == 0 {
						return errBack
					}
					return nil
				})
				if err != nil && !errors.Is(err, errBack) && !strings.Contains(err.Error(), "40P01") { // two writers may wait for each other
					t.Error(err)
					return
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(16, 0))
	for round := range testnight.Rounds(4, 12) {
		path := "/v1/books/custom-fields?key=" + []string{"a", "b", "c"}[random.IntN(3)]
		if random.IntN(4) == 0 {
			client.Do(t, "DELETE", path, nil)
		} else {
			client.Must(t, 200, "PUT", path, map[string]any{"type": []string{"text", "number", "date", "boolean"}[random.IntN(4)]})
		}
		if differ := owner(t, database, valuesThatDiffer); len(differ) > 0 {
			t.Errorf("round %d: %d differ, such as %s", round, len(differ), differ[0])
			break
		}
	}
	over.Store(true)
	work.Wait()
	for _, key := range []string{"a", "b", "c"} {
		declareCustom(t, client, key, "number")
	}
	if differ := owner(t, database, valuesThatDiffer); len(differ) > 0 {
		t.Errorf("in the end %d differ, such as %s", len(differ), differ[0])
	}
	if kept := owner(t, database,
		"SELECT count(*)::text FROM custom_value v JOIN custom_field f ON f.id = v.field WHERE f.state = 'ready'"); kept[0] !=
		owner(t, database, "SELECT (3 * count(*))::text FROM book WHERE organization_id = $1", client.Principal.OrganizationID)[0] {
		t.Errorf("%s values are kept", kept[0])
	}
}

// customWrite is a random statement that changes some books.
func customWrite(random *rand.Rand) string {
	some := fmt.Sprintf("WHERE id IN (SELECT id FROM book WHERE position %% 97 = %d ORDER BY id LIMIT %d FOR UPDATE)", random.IntN(97),
		1+random.IntN(10))
	key := []string{"a", "b", "c"}[random.IntN(3)]
	value := []string{`1`, `-2.50`, `1e3`, `"12"`, `"-0.5"`, `"x"`, `""`, `"2024-02-29"`, `"2023-02-29"`, `"1000-01-01"`, `"0999-12-31"`,
		`true`, `"false"`, `0`, `"1e999"`, `123456789012345`, `"2024-13-01"`, `"NaN"`, `"true"`}[random.IntN(19)]
	switch random.IntN(5) {
	case 0:
		return fmt.Sprintf(`INSERT INTO book (organization_id, id, position, custom_fields, tags, version, created_at, updated_at, created_by,
			updated_by, title, state, signed, authors)
			SELECT current_organization(), gen_random_uuid(), first_position + n, '{"%s": %s}', '[]', 1, at, at, '{}', '{}', 'x', 'new', true, '[]'
			FROM reserve_positions('books', 30) s, generate_series(0, 29) n`, key, value)
	case 1:
		return fmt.Sprintf("UPDATE book SET custom_fields = custom_fields - '%s' %s", key, some)
	case 2:
		return "UPDATE book SET state = CASE state WHEN 'new' THEN 'lent' ELSE 'new' END " + some
	case 3:
		return fmt.Sprintf(`UPDATE book SET custom_fields = custom_fields || '{"%s": %s}' %s`, key, value, some)
	}
	return "DELETE FROM book " + some
}

// A process that was killed while it collected values leaves a field that is pending. Lists say so, and have somebody go on.
func TestValuesAreBuiltAfterAKill(t *testing.T) {
	client, database := serve(t)
	fill(t, client, 2500, func(i int) map[string]any { return bookWith("x", map[string]any{"floor": i}) })
	declareCustom(t, client, "floor", "number")
	// As it is when the first batch was committed.
	owner(t, database, `WITH half AS (SELECT position FROM book WHERE organization_id = $1 ORDER BY position LIMIT 1 OFFSET 1999),
			undone AS (DELETE FROM custom_value WHERE position > (SELECT position FROM half))
		UPDATE custom_field SET state = 'pending', built = (SELECT position FROM half) RETURNING ''`, client.Principal.OrganizationID)
	client.Must(t, 200, "PATCH", "/v1/books/bulk", map[string]any{"data": []any{
		map[string]any{"id": owner(t, database, "SELECT id::text FROM book ORDER BY position OFFSET 2400 LIMIT 1")[0],
			"custom_fields": map[string]any{"floor": -1}},
	}})
	answer := client.Must(t, 409, "GET", "/v1/books?custom_fields.floor_min=0", nil)
	if answer.JSON["code"] != "custom_field_pending" || answer.Header.Get("Retry-After") != "5" {
		t.Errorf("while it is built: %v %s", answer.Header, answer.Body)
	}
	testwait.For(t, 30*time.Second, "the values are built", func() bool {
		return client.Do(t, "GET", "/v1/books?sort=custom_fields.floor", nil).Status == 200
	})
	if _, pagination := client.List(t, "/v1/books?custom_fields.floor_min=0"); pagination["total"] != 2499.0 {
		t.Errorf("%v of 2499 are found", pagination["total"])
	}
	if differ := owner(t, database, valuesThatDiffer); len(differ) > 0 {
		t.Errorf("%d differ, such as %s", len(differ), differ[0])
	}
}

// A transaction that wrote before it could see the declaration is waited for.
func TestADeclarationWaitsForWhoIsWriting(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	client.Create(t, "/v1/books", bookWith("a", map[string]any{"floor": 1}))
	declared := make(chan map[string]any, 1)
	err := registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO book (organization_id, id, position, custom_fields, tags, version, created_at, updated_at, created_by,
				updated_by, title, state, signed, authors)
			SELECT current_organization(), gen_random_uuid(), first_position, '{"floor": 2}', '[]', 1, at, at, a, a, 'b', 'new', true, '[]'
			FROM reserve_positions('books', 1), (SELECT '{"type": "user", "id": "1", "name": "A"}'::jsonb AS a) actor`)
		if err != nil {
			return err
		}
		go func() {
			declared <- client.Do(t, "PUT", "/v1/books/custom-fields?key=floor", map[string]any{"type": "number"}).JSON
		}()
		testwait.For(t, 30*time.Second, "the list says that it is built", func() bool {
			return client.Do(t, "GET", "/v1/books?custom_fields.floor=2", nil).Status == 409
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	<-declared
	testwait.For(t, 30*time.Second, "the values are built", func() bool {
		return client.Do(t, "GET", "/v1/books?custom_fields.floor=2", nil).Status == 200
	})
	listsTitles(t, client, "custom_fields.floor_min=0&sort=-custom_fields.floor", "ba")
}

// explained is what EXPLAIN says of one step.
type explained struct {
	Relation  string  `json:"Relation Name"`
	Index     string  `json:"Index Name"`
	Condition string  `json:"Index Cond"`
	Rows      float64 `json:"Actual Rows"`
	Removed   float64 `json:"Rows Removed by Filter"`
	Loops     float64 `json:"Actual Loops"`
	Plans     []explained
}

// explain runs a statement as the service's role and gives how many rows of the tables it has read or left out, and the conditions by which
// indexes of custom_value were searched.
func explain(ctx context.Context, t *testing.T, db *postgres.DB, sql string, args []any,
	settings ...postgres.Setting) (rows int, conditions string) {
	t.Helper()
	var text string
	err := db.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&text) })
	}, settings...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	var plans []struct{ Plan explained }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	var walk func(n explained)
	walk = func(n explained) {
		if n.Relation == "book" || n.Relation == "custom_value" {
			rows += int((n.Rows + n.Removed) * n.Loops)
		}
		if strings.HasPrefix(n.Index, "custom_value_") {
			conditions += n.Condition + "\n"
		}
		for _, below := range n.Plans {
			walk(below)
		}
	}
	walk(plans[0].Plan)
	return rows, conditions
}

// serveManyCustom serves many books of which a third have no floor and no room; each third floor is a text. Both are declared.
func serveManyCustom(t *testing.T) (*resourcetest.Client, *postgrestest.Database, *resource.Registry) {
	t.Helper()
	client, database, registry := serveMany(t)
	owner(t, database, `UPDATE book SET state = CASE position % 2 WHEN 0 THEN 'lent' ELSE 'new' END, custom_fields = CASE position % 3
			WHEN 0 THEN '{}' ELSE jsonb_build_object('floor', CASE position % 9 WHEN 1 THEN '"ground"' ELSE to_jsonb(position % 700) END,
			'room', 'R ' || position % 700) END
		WHERE organization_id = $1 RETURNING ''`, client.Principal.OrganizationID)
	declareCustom(t, client, "floor", "number")
	declareCustom(t, client, "room", "text")
	owner(t, database, "VACUUM ANALYZE book")
	owner(t, database, "VACUUM ANALYZE custom_value")
	return client, database, registry
}

// The rows that are read for a page do not depend on how deep it is, on how many rows have its value, or how many have none.
func TestAPageSortedByACustomFieldReadsAsMuchAsTheFirst(t *testing.T) {
	client, _, registry := serveManyCustom(t)
	ctx := principal.Into(t.Context(), client.Principal)
	text := func(s string) *string { return &s }
	id := text("80000000-0000-4000-8000-000000000000")
	began := map[string]string{"custom_fields.floor": "missing = 0", "-custom_fields.floor": "missing = 0",
		"custom_fields.room": "ROW(text, id) > ", "-custom_fields.room": "(text < "}
	for sort, depths := range map[string][][]*string{
		"custom_fields.floor":  {nil, {text("1"), id}, {text("350"), id}, {text("699"), id}, {nil, id}},
		"-custom_fields.floor": {nil, {text("699"), id}, {text("350"), id}, {text("1"), id}, {nil, id}},
		"custom_fields.room":   {nil, {text("R 1"), id}, {text("R 350"), id}, {text("R 99"), id}, {nil, id}},
		"-custom_fields.room":  {nil, {text("R 99"), id}, {text("R 350"), id}, {text("R 1"), id}, {nil, id}},
	} {
		for _, after := range depths {
			sql, args, settings, err := read.Statement(ctx, registry.Tables["books"], sort, 1, after)
			if err != nil {
				t.Fatal(err)
			}
			rows, conditions := explain(ctx, t, registry.DB, sql, args, settings...)
			// 26 rows, found among at most four times the rows before each part's limit.
			if rows > 26*6 || !strings.Contains(conditions, began[sort]) && after != nil && after[0] != nil {
				t.Errorf("%s behind %v: %d rows are read, by\n%s", sort, after, rows, conditions)
			}
		}
	}
}

// A filter reads the values that it finds, and no others, although row-level security stands before it.
func TestFiltersByCustomFieldsReadWhatTheyFind(t *testing.T) {
	client, _, registry := serveManyCustom(t)
	ctx := principal.Into(t.Context(), client.Principal)
	for _, c := range []struct{ name, value, condition string }{
		{"custom_fields.floor", "7", "number = ANY"},
		{"custom_fields.floor_min", "690", "number >="},
		{"custom_fields.floor_max", "10", "number <="},
		{"custom_fields.room", "R 7,R 8", "text = ANY"},
	} {
		_, pagination := client.List(t, "/v1/books?fields=id&"+c.name+"="+url.QueryEscape(c.value))
		sql, args, err := read.FilterStatement(ctx, registry.Tables["books"], c.name, c.value)
		if err != nil {
			t.Fatal(err)
		}
		rows, conditions := explain(ctx, t, registry.DB, sql, args, postgres.Setting{Name: "enable_seqscan", Value: "off"})
		if float64(rows) != pagination["total"] || rows == 0 || rows > many/30 || !strings.Contains(conditions, c.condition) {
			t.Errorf("%s=%s: %d rows are read for %v, by\n%s", c.name, c.value, rows, pagination["total"], conditions)
		}
	}
}

// More than 20,000 records that filters leave are walked in the order of a custom field, and come as plain SQL would give them.
func TestManyFilteredRecordsAreWalkedInTheOrderOfACustomField(t *testing.T) {
	client, database := serve(t)
	owner(t, database, `INSERT INTO book (organization_id, id, position, custom_fields, tags, version, created_at, updated_at, created_by,
			updated_by, title, state, signed, authors)
		SELECT $1, gen_random_uuid(), 1000 + n, CASE WHEN n % 3 > 0 THEN jsonb_build_object('floor', n % 700) ELSE '{}' END, '[]',
			1, now(), now(),
			'{}', '{}', 'Livre ' || n, CASE n % 12 WHEN 0 THEN 'new' ELSE 'lent' END, false, '[]'
		FROM generate_series(1, 24000) n RETURNING ''`, client.Principal.OrganizationID)
	registry, ctx := collections(t, database, client)
	owner(t, database, `INSERT INTO facet_pending
		SELECT $1, 'books', array_agg(position) FROM book RETURNING ''`, client.Principal.OrganizationID)
	foldAll(ctx, t, registry)
	declareCustom(t, client, "floor", "number")
	for query, sql := range map[string]string{
		"state=lent&sort=custom_fields.floor": "SELECT id::text FROM book WHERE state = 'lent' ORDER BY (custom_fields ->> 'floor')::int, id",
		"state=lent&sort=-custom_fields.floor": "SELECT id::text FROM book " +
			"WHERE state = 'lent' ORDER BY (custom_fields ->> 'floor')::int DESC NULLS LAST, id",
		"custom_fields.floor=null,1&state=lent&sort=custom_fields.floor": `SELECT id::text FROM book
			WHERE coalesce(custom_fields ->> 'floor', '1') = '1' AND state = 'lent' ORDER BY (custom_fields ->> 'floor')::int, id`,
	} {
		want := owner(t, database, sql)
		for _, page := range []int{1, 2, 11, len(want) / 1000, len(want)/1000 + 1} {
			data, pagination := client.List(t, fmt.Sprintf("/v1/books?%s&fields=id&per_page=1000&page=%d", query, page))
			start := min((page-1)*1000, len(want))
			if !slices.Equal(idsOf(data), want[start:min(start+1000, len(want))]) || pagination["total"] != float64(len(want)) {
				t.Errorf("%s: page %d is another", query, page)
			}
			if pagination["next_cursor"] != nil {
				data, _ = client.List(t, fmt.Sprintf("/v1/books?%s&fields=id&per_page=1000&cursor=%s", query, pagination["next_cursor"]))
				if start += 1000; !slices.Equal(idsOf(data), want[start:min(start+1000, len(want))]) {
					t.Errorf("%s: what comes behind page %d is another", query, page)
				}
			}
		}
	}
}
