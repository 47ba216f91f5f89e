package resource_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// fill makes n books by bulk calls and gives their ids in the order of creation.
func fill(t *testing.T, client *resourcetest.Client, n int, body func(i int) map[string]any) []string {
	t.Helper()
	var ids []string
	for start := 0; start < n; start += 1000 {
		var rows []any
		for i := start; i < min(n, start+1000); i++ {
			rows = append(rows, body(i))
		}
		answer := client.Must(t, 200, "POST", "/v1/books/bulk", map[string]any{"data": rows})
		for _, record := range answer.JSON["data"].([]any) {
			ids = append(ids, record.(map[string]any)["id"].(string))
		}
	}
	return ids
}

// remove deletes books by bulk calls.
func remove(t *testing.T, client *resourcetest.Client, ids []string) {
	t.Helper()
	for batch := range slices.Chunk(ids, 1000) {
		var rows []any
		for _, id := range batch {
			rows = append(rows, map[string]any{"id": id})
		}
		client.Must(t, 200, "DELETE", "/v1/books/bulk", map[string]any{"data": rows})
	}
}

// owner runs a query as the owner of the schema, who sees all organizations, and gives its first column as texts.
func owner(t *testing.T, database *postgrestest.Database, sql string, args ...any) []string {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	rows, err := connection.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func idsOf(records []map[string]any) []string {
	ids := []string{}
	for _, record := range records {
		ids = append(ids, record["id"].(string))
	}
	return ids
}

// Positions are shared by all organizations and have holes where rows were deleted or refused. A page that is found by
// the ledger has the rows that a plain OFFSET gives, in both directions and wherever the holes are.
func TestDeepPagesHaveTheRowsThatPlainOffsetGives(t *testing.T) {
	client, database := serve(t)
	other := client.Other()
	random := rand.New(rand.NewPCG(1, 2))
	title := func(i int) map[string]any { return map[string]any{"title": fmt.Sprintf("Livre %d", i)} }
	var ids []string
	for range 3 { // organizations take turns, so their positions interleave
		ids = append(ids, fill(t, client, 1100, title)...)
		fill(t, other, 40, title)
	}
	compare := func(t *testing.T) {
		t.Helper()
		want := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 ORDER BY position", client.Principal.OrganizationID)
		backwards := slices.Clone(want)
		slices.Reverse(backwards)
		for range 25 {
			perPage := 1 + random.IntN(1000)
			page := 1 + random.IntN(len(want)/perPage+2)
			for sort, all := range map[string][]string{"": want, "&sort=-created_at": backwards, "&sort=created_at,id": want} {
				start := min(len(all), (page-1)*perPage)
				end := min(len(all), start+perPage)
				data, pagination := client.List(t, fmt.Sprintf("/v1/books?page=%d&per_page=%d&fields=id%s", page, perPage, sort))
				if !slices.Equal(idsOf(data), all[start:end]) {
					t.Fatalf("page %d of %d%s has %d rows, or others than OFFSET %d gives", page, perPage, sort, len(data), start)
				}
				if pagination["total"] != float64(len(all)) {
					t.Fatalf("total %v, want %d", pagination["total"], len(all))
				}
			}
		}
	}
	compare(t)
	t.Run("after single rows were deleted here and there", func(t *testing.T) {
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		remove(t, client, ids[:500])
		ids = ids[500:]
		compare(t)
	})
	t.Run("after whole blocks were deleted", func(t *testing.T) {
		inside := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 AND position / 1024 IN (0, 2)",
			client.Principal.OrganizationID)
		remove(t, client, inside)
		compare(t)
	})
	t.Run("after the ledger was folded", func(t *testing.T) {
		owner(t, database, "WITH caller AS (SELECT set_config('ams.organization_id', $1, false)) SELECT fold_ledger('books')::text FROM caller",
			client.Principal.OrganizationID)
		compare(t)
	})
	t.Run("after everything was deleted", func(t *testing.T) {
		remove(t, client, owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1", client.Principal.OrganizationID))
		for _, query := range []string{"", "?page=2", "?page=2&sort=-created_at"} {
			if data, pagination := client.List(t, "/v1/books"+query); len(data) != 0 || pagination["total"] != 0.0 ||
				pagination["total_pages"] != 1.0 {
				t.Errorf("%s: %d rows, %v", query, len(data), pagination)
			}
		}
		if _, pagination := other.List(t, "/v1/books"); pagination["total"] != 120.0 {
			t.Errorf("the other organization has %v", pagination)
		}
	})
}

func TestFilteredAndSortedPagesTogetherGiveEveryRowOnce(t *testing.T) {
	client, database := serve(t)
	fill(t, client, 300, func(i int) map[string]any {
		body := map[string]any{"title": fmt.Sprintf("Livre %d", i%7), "state": []string{"new", "lent"}[i%2]}
		if i%3 > 0 {
			body["pages"] = 1 + i%5
		}
		return body
	})
	for _, c := range []struct{ query, where, order string }{
		{"sort=pages", "true", "pages, id"},
		{"sort=-pages", "true", "pages DESC NULLS LAST, id"},
		{"sort=title,-pages", "true", "title, pages DESC NULLS LAST, id"},
		{"state=lent", "state = 'lent'", "position"},
		{"state=lent&sort=-created_at", "state = 'lent'", "position DESC"},
		{"pages=null,2&sort=-title", "pages IS NULL OR pages = 2", "title DESC, id"},
	} {
		want := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 AND ("+c.where+") ORDER BY "+c.order,
			client.Principal.OrganizationID)
		var got []string
		for page := 1; ; page++ {
			data, pagination := client.List(t, fmt.Sprintf("/v1/books?%s&per_page=37&page=%d&fields=id", c.query, page))
			got = append(got, idsOf(data)...)
			if float64(page) == pagination["total_pages"] {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d rows over pages, want %d, or in another order", c.query, len(got), len(want))
		}
	}
}

// Writers create and delete, some of their calls are refused as a whole; what a reader sees is always one moment: the
// total is the number of the rows that are listed with it.
func TestTheTotalIsExactWhileOthersWrite(t *testing.T) {
	client, database := serve(t)
	client.Create(t, "/v1/books", map[string]any{"title": "held", "barcode": "held"})
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for w := range 3 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(w)))
			var mine []string
			for i := range 15 {
				var rows []any
				for range 1 + random.IntN(20) {
					rows = append(rows, map[string]any{"title": fmt.Sprintf("%d-%d", w, i)})
				}
				if i%4 == 3 {
					client.Must(t, 409, "POST", "/v1/books/bulk", map[string]any{"data": append(rows, map[string]any{"title": "x", "barcode": "HELD"})})
					continue
				}
				answer := client.Must(t, 200, "POST", "/v1/books/bulk", map[string]any{"data": rows})
				for _, record := range answer.JSON["data"].([]any) {
					mine = append(mine, record.(map[string]any)["id"].(string))
				}
				if i%3 == 2 {
					random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
					remove(t, client, mine[:len(mine)/2])
					mine = mine[len(mine)/2:]
				}
			}
		})
	}
	for _, query := range []string{"", "&sort=-created_at", "&sort=title"} {
		readers.Go(func() {
			for {
				data, pagination := client.List(t, "/v1/books?per_page=1000&fields=id"+query)
				if pagination["total"] != float64(len(data)) {
					t.Errorf("%d rows are listed with the total %v", len(data), pagination["total"])
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	_, pagination := client.List(t, "/v1/books")
	if held := owner(t, database, "SELECT count(*)::text FROM book")[0]; fmt.Sprint(pagination["total"]) != held {
		t.Errorf("total %v of %s rows", pagination["total"], held)
	}
}

// Rows that are added while a client is paging land on later pages, so none that was there is lost.
func TestRowsAddedWhileAClientIsPagingDoNotShiftItsPages(t *testing.T) {
	client, _ := serve(t)
	want := fill(t, client, 60, func(int) map[string]any { return map[string]any{"title": "before"} })
	var got []string
	for page := 1; len(got) < len(want); page++ {
		data, _ := client.List(t, fmt.Sprintf("/v1/books?per_page=10&page=%d", page))
		if len(data) == 0 {
			t.Fatalf("page %d is empty", page)
		}
		got = append(got, idsOf(data)...)
		client.Create(t, "/v1/books", map[string]any{"title": "while paging"})
	}
	if !slices.Equal(got, want) {
		t.Errorf("paging gave %d rows, or others", len(got))
	}
}

func TestExpandWorksOnEveryPageAndInStreams(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "Étagère"})
	fill(t, client, 5, func(i int) map[string]any {
		body := map[string]any{"title": fmt.Sprintf("Livre %d", i)}
		if i%2 == 0 {
			body["shelf_id"] = shelf["id"]
		}
		return body
	})
	check := func(place string, record map[string]any) {
		t.Helper()
		entry, _ := record["shelf"].(map[string]any)
		if record["shelf_id"] == nil && record["shelf"] != nil || record["shelf_id"] != nil && entry["name"] != "Étagère" {
			t.Errorf("%s: the shelf of %v is %v", place, record["title"], record["shelf"])
		}
	}
	for page := 1; page <= 3; page++ {
		for _, sort := range []string{"", "&sort=title", "&sort=-created_at"} {
			data, _ := client.List(t, fmt.Sprintf("/v1/books?expand=shelf&per_page=2&page=%d%s", page, sort))
			for _, record := range data {
				check(fmt.Sprintf("page %d%s", page, sort), record)
			}
		}
	}
	answer := client.Must(t, 200, "GET", "/v1/books?expand=shelf&fields=title", nil, "Accept", "text/csv")
	if lines := strings.Split(strings.TrimSpace(string(answer.Body)), "\n"); !slices.Equal(lines,
		[]string{"title,shelf", "Livre 0,Étagère", "Livre 1,", "Livre 2,Étagère", "Livre 3,", "Livre 4,Étagère"}) {
		t.Errorf("CSV: %q", lines)
	}
}

// More exports at once than the service has connections must not wait for each other for ever.
func TestManyExpandingExportsAtOnceAllEnd(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "one"})
	fill(t, client, 10, func(int) map[string]any { return map[string]any{"title": "x", "shelf_id": shelf["id"]} })
	var group sync.WaitGroup
	for range 24 {
		group.Go(func() {
			answer := client.Do(t, "GET", "/v1/books?expand=shelf", nil, "Accept", "application/x-ndjson")
			if answer.Status != 200 || strings.Count(string(answer.Body), `"name":"one"`) != 10 {
				t.Errorf("%d, %d lines", answer.Status, strings.Count(string(answer.Body), "\n"))
			}
		})
	}
	group.Wait()
}

func TestAPageOfNobodysIdsIsEmpty(t *testing.T) {
	client, _ := serve(t)
	if data, pagination := client.List(t, "/v1/books?ids="+uuid.NewString()+"&page=3"); len(data) != 0 || pagination["total"] != 0.0 ||
		pagination["page"] != 3.0 {
		t.Errorf("%v %v", data, pagination)
	}
}
