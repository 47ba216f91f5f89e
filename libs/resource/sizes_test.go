package resource_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// statement runs a statement as the owner of the schema.
func statement(t *testing.T, database *postgrestest.Database, sql string, args ...any) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	if _, err := connection.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// A caller who reads nothing of an export holds no connection of the service's.
func TestAnExportDoesNotHoldItsTransactionForItsCaller(t *testing.T) {
	client, database := serve(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "one"})
	ids := fill(t, client, 300, func(int) map[string]any {
		return map[string]any{"title": "x", "shelf_id": shelf["id"]}
	})
	statement(t, database, `UPDATE book SET custom_fields = jsonb_build_object('text', repeat('x', 100000))`)
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	all := postgrestest.Database{OwnerURL: database.AdminURL} // who sees the transactions of all roles
	for _, path := range []string{"/v1/books", "/v1/books?expand=shelf"} {
		connection, err := net.Dial("tcp", served.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n%s: %s\r\n\r\n", path, principal.Header,
			client.Signer.Sign(client.Principal))
		from := bufio.NewReader(connection)
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		testwait.For(t, 30*time.Second, "the transaction has ended", func() bool {
			return owner(t, &all, `SELECT count(*)::text FROM pg_stat_activity
				WHERE datname = current_database() AND usename = 'ams_library' AND xact_start IS NOT NULL`)[0] == "0"
		})
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		n := 0
		for ; lines.Scan(); n++ {
			if !strings.Contains(lines.Text(), ids[n]) {
				t.Fatalf("%s: line %d is not of %s", path, n, ids[n])
			}
		}
		response.Body.Close()
		connection.Close()
		if n != len(ids) || lines.Err() != nil {
			t.Errorf("%s: %d lines, %v", path, n, lines.Err())
		}
	}
}

// heavy makes n books on one shelf, each with so many bytes.
func heavy(t *testing.T, client *resourcetest.Client, database *postgrestest.Database, n, size int) []string {
	t.Helper()
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "one"})
	ids := fill(t, client, n, func(i int) map[string]any {
		return map[string]any{"title": fmt.Sprint(i), "shelf_id": shelf["id"]}
	})
	statement(t, database, `UPDATE book SET custom_fields = jsonb_build_object('text', repeat('x', $1::int))`, size)
	return ids
}

func TestAPageThatIsTooLargeIsRefusedWithTheWayOut(t *testing.T) {
	client, database := serve(t)
	heavy(t, client, database, 200, 100_000)
	for _, c := range []struct{ query, says string }{
		{"per_page=1000", "would take about 9"}, {"per_page=200", "would take about 19 MB"},
		{"per_page=200&sort=title", "would take about 19 MB"},
		{"per_page=200&expand=shelf", "would take about 19 MB"}, {"per_page=200&expand=shelf&sort=-title", "would take about 19 MB"},
	} {
		answer := client.Must(t, 400, "GET", "/v1/books?"+c.query, nil)
		said, _ := answer.JSON["error"].(string)
		if answer.JSON["code"] != "page_too_large" || !strings.Contains(said, c.says) || !strings.Contains(said, "fields=") {
			t.Errorf("%s: %s", c.query, answer.Body)
		}
		_, advice, _ := strings.Cut(said, "per_page=")
		advice, _, _ = strings.Cut(advice, " ")
		again := strings.NewReplacer("per_page=1000", "per_page="+advice, "per_page=200", "per_page="+advice).Replace(c.query)
		if data, _ := client.List(t, "/v1/books?"+again); len(data) < 100 {
			t.Errorf("%s: %d records", again, len(data))
		}
		if data, _ := client.List(t, "/v1/books?fields=id,title,shelf_id&"+c.query); len(data) != 200 {
			t.Errorf("%s: %d records with few fields", c.query, len(data))
		}
	}
}

func TestALargePageIsWhole(t *testing.T) {
	client, database := serve(t)
	ids := heavy(t, client, database, 40, 20_000)
	for _, query := range []string{"per_page=40", "per_page=40&expand=shelf", "per_page=40&fields=id,custom_fields"} {
		data, pagination := client.List(t, "/v1/books?"+query)
		if !slices.Equal(idsOf(data), ids) || pagination["total"] != 40.0 {
			t.Errorf("%s: %d records, %v", query, len(data), pagination)
		}
		if shelf, _ := data[39]["shelf"].(map[string]any); strings.Contains(query, "expand") && shelf["name"] != "one" {
			t.Errorf("%s: the shelf is %v", query, data[39]["shelf"])
		}
	}
	statement(t, database, `UPDATE book SET custom_fields = jsonb_build_object('text', repeat('x', 17000000)) WHERE id = $1`, ids[0])
	if data, _ := client.List(t, "/v1/books?per_page=1"); len(data) != 1 { // a record is a page, whatever its size
		t.Errorf("%d records", len(data))
	}
	client.Must(t, 400, "GET", "/v1/books?per_page=2", nil)
}

func TestTheHistoryHasPagesOfLimitedSizeToo(t *testing.T) {
	client, database := serve(t)
	made := client.Create(t, "/v1/books", map[string]any{"title": "0"})
	path := "/v1/books/" + made["id"].(string)
	for n := range 20 {
		client.Must(t, 200, "PATCH", path, map[string]any{"title": fmt.Sprint(n + 1)})
	}
	statement(t, database, `UPDATE history
		SET changes = jsonb_build_object('title', jsonb_build_object('old', NULL, 'new', repeat('x', 1000000)))`)
	answer := client.Must(t, 400, "GET", path+"/history", nil)
	if said := fmt.Sprint(answer.JSON["error"]); !strings.Contains(said, "per_page=12 or fewer.") {
		t.Errorf("said %s", said)
	}
	if data, _ := client.List(t, path+"/history?per_page=12"); len(data) != 12 {
		t.Errorf("%d entries", len(data))
	}
}

// What one organization reads must not make the pages of another larger: every list begins small.
func TestALargeRecordDoesNotMakeOtherPagesExpensive(t *testing.T) {
	client, database := serve(t)
	heavy(t, client, database, 1, 1<<20)
	client.List(t, "/v1/books?per_page=1")
	other := client.Other()
	other.List(t, "/v1/books?per_page=1000")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		other.List(t, "/v1/books?per_page=1000")
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 10; each > 1<<20 {
		t.Errorf("an empty page takes %d bytes of memory", each)
	}
}

func TestAFilterHasAtMostAHundredValues(t *testing.T) {
	limited := books
	limited.Filters = map[string]resource.Filter{"either": {Kind: "string", Where: func(text string) (string, []any, error) {
		return "t.title = ANY($2)", []any{strings.Split(text, ",")}, nil
	}}}
	client, _ := serveWith(t, limited)
	client.Create(t, "/v1/books", map[string]any{"title": "x", "tags": []string{"x"}})
	for name, most := range map[string]int{
		"title": 100, "number": 100, "shelf_id": 100, "pages": 100, "either": 100, "tags": 50, "ids": 1000,
	} {
		value := map[string]string{"shelf_id": uuid.NewString(), "ids": uuid.NewString(), "pages": "1"}[name]
		if value == "" {
			value = "x"
		}
		client.Must(t, 200, "GET", "/v1/books?"+name+"="+strings.Repeat(value+",", most-1)+value, nil)
		answer := client.Must(t, 400, "GET", "/v1/books?"+name+"="+strings.Repeat(value+",", most)+value, nil)
		if !slices.Equal(answer.Fields(), []string{name}) || !strings.Contains(string(answer.Body), fmt.Sprintf("at most %d ", most)) ||
			!strings.Contains(string(answer.Body), "ask in several requests") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
	client.Must(t, 400, "GET", "/v1/books?title="+strings.Repeat(",", 30_000), nil)
	client.Must(t, 400, "GET", "/v1/books?tags="+strings.Repeat("x,", 6_000), nil, "Accept", "text/csv")
}

// wide is custom fields of about so many kilobytes.
func wide(kilobytes int) map[string]any {
	fields := map[string]any{}
	for n := range 49 {
		fields[fmt.Sprintf("field %02d", n)] = strings.Repeat("€", kilobytes*1000/49/3)
	}
	return fields
}

func TestARecordHasALimitedSize(t *testing.T) {
	client, database := serve(t)
	refused := func(what string, answer resourcetest.Response, field string) {
		t.Helper()
		if answer.Status != 400 || !slices.Equal(answer.Fields(), []string{field}) ||
			!strings.Contains(string(answer.Body), " kB; a record may take 256 kB") || !strings.Contains(string(answer.Body), "would take 28") {
			t.Errorf("%s: %d %.300s", what, answer.Status, answer.Body)
		}
	}
	small := client.Create(t, "/v1/books", map[string]any{"title": "small", "external_id": "small", "custom_fields": wide(250)})
	path := "/v1/books/" + small["id"].(string)
	refused("POST", client.Do(t, "POST", "/v1/books", map[string]any{"title": "x", "custom_fields": wide(290)}), "custom_fields")
	refused("PATCH", client.Do(t, "PATCH", path, map[string]any{"custom_fields": wide(290)}), "custom_fields")
	rows := map[string]any{"data": []any{
		map[string]any{"title": "first"}, map[string]any{"title": "second", "custom_fields": wide(290)},
		map[string]any{"title": "third", "number": "T-1"},
	}}
	answer := client.Do(t, "POST", "/v1/books/bulk", rows)
	if results := fmt.Sprint(answer.JSON["results"]); answer.Status != 400 || !strings.Contains(results, "data[1].custom_fields") {
		t.Errorf("POST bulk: %d %.300s", answer.Status, answer.Body)
	}
	if _, pagination := client.List(t, "/v1/books?fields=id"); pagination["total"] != 1.0 {
		t.Errorf("after what was refused there are %v books", pagination["total"])
	}
	answer = client.Do(t, "POST", "/v1/books/bulk?atomic=false", rows)
	if summary := fmt.Sprint(answer.JSON["summary"]); !strings.Contains(summary, "created:2") || !strings.Contains(summary, "failed:1") {
		t.Errorf("POST bulk, each row on its own: %d %s", answer.Status, summary)
	}
	answer = client.Do(t, "POST", "/v1/books/bulk?atomic=false", map[string]any{"data": []any{
		map[string]any{"title": "fourth", "custom_fields": wide(290)}, map[string]any{"title": "fifth", "number": "T-1"},
		map[string]any{"title": "sixth"},
	}})
	if summary := fmt.Sprint(answer.JSON["summary"]); !strings.Contains(summary, "created:1") || !strings.Contains(summary, "failed:2") {
		t.Errorf("with a number that is taken: %d %s", answer.Status, summary)
	}
	data, _ := client.List(t, "/v1/books?fields=title&sort=title")
	if fmt.Sprint(data) != "[map[title:first] map[title:sixth] map[title:small] map[title:third]]" {
		t.Errorf("there are %v", data)
	}

	statement(t, database, `UPDATE book SET custom_fields = jsonb_build_object('text', repeat('x', 400000)) WHERE id = $1`, small["id"])
	client.Must(t, 200, "GET", path, nil)
	client.Must(t, 200, "PATCH", path, map[string]any{"title": "large"})
	client.Must(t, 400, "PATCH", path, map[string]any{"title": "larger than before"})
	client.Must(t, 200, "PATCH", path, map[string]any{"custom_fields": map[string]any{"text": strings.Repeat("x", 1000)}})
}

func TestABulkCallChangesRecordsOfLimitedSizeTogether(t *testing.T) {
	client, database := serve(t)
	ids := heavy(t, client, database, 100, 200_000)
	patch := func(ids []string) map[string]any {
		var rows []any
		for _, id := range ids {
			rows = append(rows, map[string]any{"id": id, "pages": 7})
		}
		return map[string]any{"data": rows}
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		if answer := client.Must(t, 400, method, "/v1/books/bulk", patch(ids)); answer.JSON["code"] != "bulk_too_large" ||
			!strings.Contains(fmt.Sprint(answer.JSON["error"]), "send fewer rows") {
			t.Errorf("%s: %s", method, answer.Body)
		}
	}
	client.Must(t, 200, "PATCH", "/v1/books/bulk", patch(ids[:50]))
	client.Must(t, 200, "DELETE", "/v1/books/bulk", patch(ids[:50]))
}
