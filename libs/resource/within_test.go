package resource_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// filled is a shelf that is made with its books.
type filled struct {
	resource.Record
	Name  string    `json:"name" required:"true" maxLength:"100" unique:"true" sort:"true" search:"name" filter:"equals"`
	Books []content `json:"books" writeOnly:"true" maxItems:"3"`
}

type content struct {
	Title string `json:"title" maxLength:"20"`
	State string `json:"state" required:"false"`
}

func TestARecordIsMadeWithThoseThatItBrings(t *testing.T) {
	database := postgrestest.New(t, "library", library(t))
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := newRegistry(api, db)
	resource.Mount(registry, resource.Definition[filled]{Collection: "shelves", Table: "shelf", NaturalKey: "name",
		AfterWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[filled]) error {
			for _, c := range changes {
				var bodies []map[string]any
				for _, b := range c.After.Books {
					body := map[string]any{"title": b.Title, "shelf_id": c.ID()}
					if b.State != "" {
						body["state"] = b.State
					}
					bodies = append(bodies, body)
				}
				if _, err := registry.CreateAll(ctx, tx, "books", "", bodies, func(i int) string { return fmt.Sprintf("books[%d].", i) }); err != nil {
					return err
				}
			}
			return nil
		}})
	resource.Mount(registry, books)
	client := resourcetest.NewClient(api.Handler(), signer)
	made := client.Must(t, 201, "POST", "/v1/shelves", map[string]any{"name": "full", "books": []any{
		map[string]any{"title": "Un"}, map[string]any{"title": "Deux", "state": "lent"}}}).JSON
	if _, shown := made["books"]; shown {
		t.Error("what is only taken is shown")
	}
	all, _ := client.List(t, "/v1/books?shelf_id="+made["id"].(string))
	if len(all) != 2 || all[0]["number"] != "B-0001" || all[1]["number"] != "B-0002" || all[1]["state"] != "lent" {
		t.Errorf("the books of the shelf are %v", all)
	}
	answer := client.Do(t, "POST", "/v1/shelves", map[string]any{"name": "wrong", "books": []any{
		map[string]any{"title": "Un"}, map[string]any{"title": "Deux", "state": "burnt"}}})
	if answer.Status != 400 || !strings.HasPrefix(strings.Join(answer.Fields(), " "), "books[1].state") {
		t.Errorf("a wrong book: %d %s", answer.Status, answer.Body)
	}
	if all, _ := client.List(t, "/v1/shelves"); len(all) != 1 {
		t.Errorf("a shelf is there whose book was refused: %v", all)
	}
}

func TestARuleEditsByTheRulesOfTheCollection(t *testing.T) {
	client, _, registry := serveRegistry(t, books)
	made := client.Create(t, "/v1/books", map[string]any{"title": "Un"})
	id := strings.ToUpper(made["id"].(string))
	within := func(do func(ctx context.Context, tx pgx.Tx) error) error {
		return registry.DB.Write(principal.Into(t.Context(), client.Principal), do)
	}
	err := within(func(ctx context.Context, tx pgx.Tx) error {
		return resource.Edit(ctx, tx, registry, "books", id, func(b *book) { b.State, b.Authors = "lost", []string{"x"} })
	})
	if err != nil {
		t.Fatal(err)
	}
	got := client.Must(t, 200, "GET", "/v1/books/"+made["id"].(string), nil).JSON
	if got["state"] != "lost" || got["version"] != 2.0 {
		t.Errorf("edited, it is %v", got)
	}
	for name, do := range map[string]func(ctx context.Context, tx pgx.Tx) error{
		"transition_not_allowed": func(ctx context.Context, tx pgx.Tx) error {
			return registry.Patch(ctx, tx, "books", id, map[string]any{"state": "new"})
		},
		"invalid_request": func(ctx context.Context, tx pgx.Tx) error {
			return registry.Patch(ctx, tx, "books", id, map[string]any{"pages": -1.0})
		},
		"not_found": func(ctx context.Context, tx pgx.Tx) error {
			return registry.Patch(ctx, tx, "books", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", map[string]any{"pages": 1.0})
		},
		"already_exists": func(ctx context.Context, tx pgx.Tx) error {
			_, err := registry.Create(ctx, tx, "books", "", map[string]any{"title": "Deux", "number": made["number"]})
			return err
		},
	} {
		var refused *fault.Error
		if err := within(do); !errors.As(err, &refused) || refused.Code != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
