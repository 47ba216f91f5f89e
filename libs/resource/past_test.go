package resource_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

var formerBooks = resource.Past{Collection: "books", Table: "book", Fields: []resource.PastField{
	{Name: "shelf_id", SQLType: "uuid"}, {Name: "pages", SQLType: "int"}, {Name: "price", SQLType: "numeric"},
	{Name: "genre", SQLType: "text"},
}}

// entered gives the record's last entry of the history another time.
func entered(t *testing.T, database *postgrestest.Database, id any, at string) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(context.WithoutCancel(t.Context())) }()
	tag, err := owner.Exec(t.Context(), `UPDATE history SET at = $2 WHERE record_id = $1
		AND version = (SELECT max(version) FROM history WHERE record_id = $1)`, id, at)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%v: %d entries", err, tag.RowsAffected())
	}
}

// bookOn is what a book was at the end of a day: pages, price, genre, shelf and whether it was changed since.
func bookOn(t *testing.T, client *resourcetest.Client, database *postgrestest.Database, id any, day string) string {
	t.Helper()
	sql := "WITH " + resource.ReadHistory("$1::date", "books", "shelves") + ", " + formerBooks.FormerValues() +
		" SELECT concat_ws(' ', coalesce(pages::text, '-'), coalesce(price::text, '-'), coalesce(genre, '-'), coalesce(shelf_id::text, '-')," +
		" changed_later::text, title) FROM " + formerBooks.Rows("t.id = $2::uuid", "title") + " b WHERE b.id = $2::uuid"
	var found string
	err := database.Open(t).Read(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, day, id).Scan(&found)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRowsAsTheyStoodOnADay(t *testing.T) {
	client, database := serve(t)
	client.Principal.TimeZone = "America/Toronto"
	first := client.Create(t, "/v1/shelves", row{"name": "first"})["id"]
	second := client.Create(t, "/v1/shelves", row{"name": "second"})["id"]
	id := client.Create(t, "/v1/books", row{"title": "Un", "pages": 100, "price": 12.5, "shelf_id": first})["id"]
	entered(t, database, id, "2026-03-01T12:00:00-05:00")
	change := func(at string, body row) {
		t.Helper()
		client.Must(t, 200, "PATCH", fmt.Sprintf("/v1/books/%s", id), body)
		entered(t, database, id, at)
	}
	change("2026-03-31T23:30:00-04:00", row{"shelf_id": second})
	change("2026-04-10T09:00:00-04:00", row{"pages": 200, "genre": "novel"})
	change("2026-04-10T10:00:00-04:00", row{"pages": 300, "genre": nil})
	change("2026-05-01T09:00:00-04:00", row{"price": nil, "title": "Deux"})
	on := func(shelf any, figures, changed string) string {
		return fmt.Sprintf("%s %s %s Deux", figures, shelf, changed)
	}
	for day, want := range map[string]string{
		"2020-01-01": on(first, "100 12.5 -", "true"), // as it was first entered
		"2026-03-30": on(first, "100 12.5 -", "true"),
		"2026-03-31": on(second, "100 12.5 -", "true"), // 23:30 in Toronto is that day
		"2026-04-09": on(second, "100 12.5 -", "true"),
		"2026-04-10": on(second, "300 12.5 -", "true"), // the end of the day
		"2026-04-30": on(second, "300 12.5 -", "true"),
		"2026-05-01": on(second, "300 - -", "false"),
	} {
		if got := bookOn(t, client, database, id, day); strings.Replace(got, "12.50", "12.5", 1) != want {
			t.Errorf("on %s it was %q, want %q", day, got, want)
		}
	}
	client.Principal.TimeZone = "Europe/Paris" // where it was the first of April
	if got := bookOn(t, client, database, id, "2026-03-31"); !strings.Contains(got, fmt.Sprint(first)) {
		t.Errorf("in Paris, on the day before: %q", got)
	}
}

// Of what was changed since, only that is read which a condition may have chosen then.
func TestRowsThatMovedSinceAreAmongThoseOfThePlaceTheyLeft(t *testing.T) {
	client, database := serve(t)
	first := client.Create(t, "/v1/shelves", row{"name": "first"})["id"]
	second := client.Create(t, "/v1/shelves", row{"name": "second"})["id"]
	ids := map[any]string{}
	for title, shelf := range map[string]any{"stays": first, "leaves": first, "comes": second, "elsewhere": second} {
		ids[client.Create(t, "/v1/books", row{"title": title, "pages": 100, "shelf_id": shelf})["id"]] = title
	}
	for id, title := range ids {
		body := map[string]row{"stays": {"pages": 1}, "leaves": {"shelf_id": second}, "comes": {"shelf_id": first},
			"elsewhere": {"pages": 2}}[title]
		client.Must(t, 200, "PATCH", fmt.Sprintf("/v1/books/%s", id), body)
	}
	sql := func(after string) string {
		return "WITH " + resource.ReadHistory("$1::date", "books") + ", " + formerBooks.FormerValues() +
			" SELECT string_agg(title, ' ' ORDER BY title) FROM " + formerBooks.Rows("t.shelf_id = $2::uuid", "title") + " b" + after
	}
	for after, want := range map[string]string{"": "comes leaves stays", " WHERE b.shelf_id = $2::uuid": "leaves stays"} {
		var found string
		err := database.Open(t).Read(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, sql(after), "2020-01-01", first).Scan(&found)
		})
		if err != nil || found != want {
			t.Errorf("%q: %q (%v), want %q", after, found, err, want)
		}
	}
}
