package resource_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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
	Books []content `json:"books" writeOnly:"true" makes:"books" maxItems:"3"`
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

// DELETE of these books leaves them as lost; what is erased is gone, but for its history.
func TestErasedRecordsAreGone(t *testing.T) {
	kept := books
	kept.SoftDelete = func(b *book) { b.State = "lost" }
	client, _, registry := serveRegistry(t, kept)
	create := func(client *resourcetest.Client, title string, sequelTo any) string {
		t.Helper()
		return client.Create(t, "/v1/books", map[string]any{"title": title, "sequel_to_id": sequelTo})["id"].(string)
	}
	lost, referred := create(client, "Un", nil), create(client, "Deux", nil)
	sequel := create(client, "Trois", referred)
	other := client.Other()
	foreign := create(other, "Quatre", nil)
	client.Must(t, 204, "DELETE", "/v1/books/"+lost, nil)
	if left := client.Must(t, 200, "GET", "/v1/books/"+lost, nil).JSON; left["state"] != "lost" {
		t.Fatalf("DELETE left %v", left)
	}
	before := client.Must(t, 200, "GET", "/v1/books/"+referred, nil).JSON
	erase := func(ids ...string) (refused map[string]*fault.Error) {
		t.Helper()
		if err := registry.DB.Write(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) (err error) {
			refused, err = registry.Erase(ctx, tx, "books", ids)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return refused
	}
	titles := func(client *resourcetest.Client, query string) string {
		t.Helper()
		all, pagination := client.List(t, "/v1/books?sort=created_at"+query)
		var found []string
		for _, each := range all {
			found = append(found, each["title"].(string))
		}
		if pagination["total"] != float64(len(all)) {
			t.Errorf("%v of %v in total", found, pagination["total"])
		}
		return strings.Join(found, " ")
	}
	refused := erase(lost, referred, foreign, "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11")
	if len(refused) != 1 || refused[referred] == nil || refused[referred].Kind != fault.KindConflict ||
		refused[referred].Dependents["books"] != 1 {
		t.Errorf("refused: %v", refused)
	}
	client.Must(t, 404, "GET", "/v1/books/"+lost, nil)
	client.Must(t, 404, "PATCH", "/v1/books/"+lost, map[string]any{"title": "x"})
	if after := client.Must(t, 200, "GET", "/v1/books/"+referred, nil).JSON; !reflect.DeepEqual(after, before) {
		t.Errorf("who was refused was %v, and is %v", before, after)
	}
	if got := titles(client, ""); got != "Deux Trois" {
		t.Errorf("left: %s", got)
	}
	if got := titles(client, "&state=lost"); got != "" {
		t.Errorf("still filtered: %s", got)
	}
	if got := titles(other, ""); got != "Quatre" {
		t.Errorf("another organization has %s", got)
	}
	history, _ := client.List(t, "/v1/books/"+lost+"/history")
	if actions := fmt.Sprintf("%v %v %v", history[0]["action"], history[1]["action"], history[2]["action"]); len(history) != 3 ||
		actions != "created updated deleted" {
		t.Errorf("the history is %v", history)
	}
	if refused := erase(sequel, referred); len(refused) != 0 { // together, nobody is left who refers to it
		t.Errorf("both: %v", refused)
	}
	if got := titles(client, ""); got != "" {
		t.Errorf("left: %s", got)
	}
}
