package resource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

// facetCount is how many bitmaps there are, and how many statements wait for a fold.
func facetCount(t *testing.T, database *postgrestest.Database) (bitmaps, pending string) {
	t.Helper()
	return owner(t, database, "SELECT count(*)::text FROM facet")[0],
		owner(t, database, "SELECT count(*)::text FROM facet_pending WHERE positions <> '{}'")[0]
}

// collections gives the collections as a process of its own has them, and a context of the client's organization.
func collections(t *testing.T, database *postgrestest.Database, client *resourcetest.Client) (*resource.Registry, context.Context) {
	t.Helper()
	db, err := postgres.Open(t.Context(), database.URL+"&pool_max_conns=12")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	registry := newRegistry(transport.New(client.Signer, db, resourcetest.Log(t)), db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	return registry, principal.Into(t.Context(), client.Principal)
}

// foldAll folds everything that is pending of the books of the context's organization.
func foldAll(ctx context.Context, t *testing.T, registry *resource.Registry) {
	t.Helper()
	for folded := 1; folded > 0; {
		var err error
		if folded, err = registry.FoldIndex(ctx, "books"); err != nil {
			t.Fatal(err)
		}
	}
}

// Worked by hand: lent books 0, 3 and 5, novels 0, 5 and 6.
func TestListsAreCountedByFacets(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	ids := fill(t, client, 7, func(i int) map[string]any {
		body := map[string]any{"title": fmt.Sprintf("Livre %d", i)}
		if i == 0 || i == 3 || i == 5 {
			body["state"] = "lent"
		}
		if i == 0 || i == 5 || i == 6 {
			body["genre"] = "novel"
		}
		return body
	})
	lists := func(query string, want ...int) {
		t.Helper()
		data, pagination := client.List(t, "/v1/books?"+query)
		var wanted []string
		for _, i := range want {
			wanted = append(wanted, ids[i])
		}
		if got := idsOf(data); !slices.Equal(got, wanted) && len(got)+len(wanted) > 0 || pagination["total"] != float64(len(want)) {
			t.Errorf("%s: %v of %v, want %v", query, got, pagination["total"], want)
		}
	}
	both := "state=lent&genre=novel"
	always := func(what func()) { // before and after a fold
		t.Helper()
		what()
		foldAll(ctx, t, registry)
		what()
		if _, pending := facetCount(t, database); pending != "0" {
			t.Errorf("%s are pending after a fold", pending)
		}
	}
	always(func() {
		lists(both, 0, 5)
		lists(both+"&sort=-created_at", 5, 0)
		lists("state=lent,new&genre=novel", 0, 5, 6)
		lists("genre=null", 1, 2, 3, 4)
		lists("genre=null,novel&state=lent", 0, 3, 5)
		lists("genre=poetry")
		lists("state=lent&sort=-title", 5, 3, 0)
		lists("state=lent&q=Livre%203", 3)
		lists("pages_min=1&state=lent")
	})
	client.Must(t, 200, "PATCH", "/v1/books/"+ids[5], map[string]any{"state": "new"})
	always(func() { lists(both, 0) })
	client.Must(t, 200, "PATCH", "/v1/books/"+ids[6], map[string]any{"state": "lent"})
	always(func() { lists(both, 0, 6) })
	client.Must(t, 204, "DELETE", "/v1/books/"+ids[0], nil)
	always(func() { lists(both, 6) })
	client.Must(t, 400, "POST", "/v1/books/bulk?atomic=true",
		map[string]any{"data": []any{map[string]any{"title": "x", "genre": "novel"}, map[string]any{}}})
	if _, pending := facetCount(t, database); pending != "0" {
		t.Errorf("what was undone left %s pending", pending)
	}
	lists(both, 6)
}

func TestPagesByFacetsAreThoseOfPlainOffset(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	random := rand.New(rand.NewPCG(3, 4))
	states := []string{"new", "lent", "lost"}
	var ids []string
	for range 3 { // organizations take turns, so their positions interleave
		ids = append(ids, fill(t, client, 900, func(i int) map[string]any {
			return map[string]any{"title": fmt.Sprintf("Livre %d", i), "state": states[random.IntN(3)], "pages": 1 + random.IntN(40),
				"signed": random.IntN(2) == 0}
		})...)
		fill(t, client.Other(), 50, func(i int) map[string]any {
			return map[string]any{"title": fmt.Sprintf("Livre %d", i), "state": "lent"}
		})
	}
	compare := func(t *testing.T) {
		t.Helper()
		for filter, condition := range map[string]string{
			"state=lent": "state = 'lent'", "state=lent,lost&signed=true": "state IN ('lent', 'lost') AND signed",
			"pages_min=10&pages_max=12": "pages BETWEEN 10 AND 12", "pages=7&state=new": "pages = 7 AND state = 'new'",
			"genre=null": "genre IS NULL", "state=lost&thick=false": "state = 'lost' AND pages <= 500",
		} {
			for sort, order := range map[string]string{"": "position", "&sort=-created_at": "position DESC",
				"&sort=-pages": "pages DESC NULLS LAST, id"} {
				want := owner(t, database, "SELECT id::text FROM book WHERE organization_id = $1 AND "+condition+" ORDER BY "+order,
					client.Principal.OrganizationID)
				if got := streamed(t, client, "/v1/books?fields=id&"+filter+sort); !slices.Equal(got, want) {
					t.Fatalf("the stream of %s%s has %d rows of %d, or others", filter, sort, len(got), len(want))
				}
				for range 6 {
					perPage := 1 + random.IntN(300)
					page := 1 + random.IntN(len(want)/perPage+2)
					start := min(len(want), (page-1)*perPage)
					data, pagination := client.List(t, fmt.Sprintf("/v1/books?fields=id&page=%d&per_page=%d&%s%s", page, perPage, filter, sort))
					if !slices.Equal(idsOf(data), want[start:min(len(want), start+perPage)]) || pagination["total"] != float64(len(want)) {
						t.Fatalf("page %d of %d of %s%s: %d rows of %v, want those from %d of %d", page, perPage, filter, sort, len(data),
							pagination["total"], start, len(want))
					}
				}
			}
		}
	}
	compare(t)
	testwait.For(t, 30*time.Second, "the lists have had the facets folded", func() bool {
		_, pending := facetCount(t, database)
		return pending == "3" // of the other organization, which has not asked
	})
	compare(t)
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	remove(t, client, ids[:700])
	compare(t)
	foldAll(ctx, t, registry)
	compare(t)
}

// streamed gives the ids of a list as a stream.
func streamed(t *testing.T, client *resourcetest.Client, path string) (ids []string) {
	t.Helper()
	for line := range bytes.Lines(client.Must(t, 200, "GET", path, nil, "Accept", "application/x-ndjson").Body) {
		var row struct{ ID string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.ID)
	}
	return ids
}

// Four writers change, roll back and delete while facets are folded; what a reader counts is what SQL counts in the same snapshot.
func TestFacetsAgreeWithTheRowsInEverySnapshot(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	fill(t, client, 2000, func(i int) map[string]any { return map[string]any{"title": fmt.Sprintf("Livre %d", i)} })
	errBack := errors.New("rolled back")
	var over atomic.Bool
	var work sync.WaitGroup
	for n := range 4 {
		random := rand.New(rand.NewPCG(5, uint64(n)))
		work.Go(func() {
			for !over.Load() {
				err := registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, writeOf(random)); err != nil {
						return err
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
	work.Go(func() {
		for !over.Load() {
			if _, err := registry.FoldIndex(ctx, "books"); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for round := range testnight.Rounds(25, 100) {
		if err := registry.VerifyIndex(ctx, "books"); err != nil {
			t.Errorf("round %d: %v", round, err)
			break
		}
		compareStates(ctx, t, registry)
	}
	over.Store(true)
	work.Wait()
	foldAll(ctx, t, registry)
	if err := registry.VerifyIndex(ctx, "books"); err != nil {
		t.Error(err)
	}
}

// compareStates compares the books that a reader finds by each state with those that SQL gives, in one snapshot.
func compareStates(ctx context.Context, t *testing.T, registry *resource.Registry) {
	t.Helper()
	books := registry.Tables["books"]
	err := registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		for _, state := range []string{"new", "lent", "lost"} {
			asked := []index.Condition{index.OneOf(books.Column("state"), []string{state}, false, "")}
			found, err := index.Find(ctx, tx, books, index.Query{Facets: asked, SQL: "t.organization_id = $1 AND t.state = $2",
				Args: []any{state}, MaxPending: math.MaxInt})
			if err != nil {
				return err
			}
			rows, err := tx.Query(ctx, "SELECT position FROM book WHERE state = $1 ORDER BY position", state)
			if err != nil {
				return err
			}
			want, err := pgx.CollectRows(rows, pgx.RowTo[uint64])
			if err != nil {
				return err
			}
			if !slices.Equal(found.Positions.ToArray(), want) {
				t.Errorf("%s: found %d, %d are", state, found.Positions.GetCardinality(), len(want))
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// writeOf is a random statement that changes some books.
func writeOf(random *rand.Rand) string {
	some := fmt.Sprintf("WHERE id IN (SELECT id FROM book WHERE place_on_shelf IS NULL AND position %% 97 = %d LIMIT %d)", random.IntN(97),
		1+random.IntN(4))
	switch random.IntN(4) {
	case 0:
		return fmt.Sprintf(`INSERT INTO book (organization_id, id, position, custom_fields, tags, version, created_at, updated_at, created_by,
			updated_by, title, state, genre, signed, pages, authors)
			SELECT current_organization(), gen_random_uuid(), first_position + n, '{}', '[]', 1, at, at, '{}', '{}', 'x', 'lost', 'poetry',
				true, %d, '[]'
			FROM reserve_positions('books', 3) s, generate_series(0, 2) n`, 1+random.IntN(3))
	case 1:
		return "UPDATE book SET state = CASE state WHEN 'new' THEN 'lent' ELSE 'new' END " + some
	case 2:
		return "UPDATE book SET genre = CASE WHEN genre IS NULL THEN 'novel' END, pages = 1 + coalesce(pages, 0) % 5 " + some
	}
	return "DELETE FROM book " + some
}

// The facets of one organization are unreachable for another, like its rows.
func TestFacetsStayInTheirOrganization(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	fill(t, client, 3, func(int) map[string]any { return map[string]any{"title": "x", "state": "lent"} })
	foldAll(ctx, t, registry)
	fill(t, client, 3, func(int) map[string]any { return map[string]any{"title": "x", "state": "lent"} })
	other := client.Other()
	if _, pagination := other.List(t, "/v1/books?state=lent"); pagination["total"] != float64(0) {
		t.Errorf("another organization counts %v", pagination["total"])
	}
	connection, err := pgx.Connect(t.Context(), database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	for _, table := range []string{"facet", "facet_pending"} {
		for _, organization := range []string{"", other.Principal.OrganizationID, uuid.NewString()} {
			var seen int
			if err := connection.QueryRow(t.Context(), "SELECT count(*) FROM "+table+
				" WHERE set_config('ams.organization_id', $1, false) IS NOT NULL", organization).Scan(&seen); err != nil || seen != 0 {
				t.Errorf("%s as %q: %d rows, %v", table, organization, seen, err)
			}
		}
	}
}

// Records that were there before facets were kept are pending, so that nothing is missed.
func TestFacetsOfExistingRecords(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	fill(t, client, 5, func(int) map[string]any { return map[string]any{"title": "x", "state": "lent"} })
	connection, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	for _, sql := range []string{
		"DROP TRIGGER facets_of_inserted ON book", "DROP TRIGGER facets_of_updated ON book", "DROP TRIGGER facets_of_deleted ON book",
		"DELETE FROM facet_pending", "DELETE FROM facet", "SELECT keep_facets('book', 'books')",
	} {
		if _, err := connection.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, pagination := client.List(t, "/v1/books?state=lent"); pagination["total"] != float64(5) {
			t.Errorf("%v of 5 are counted", pagination["total"])
		}
		foldAll(ctx, t, registry)
	}
}
