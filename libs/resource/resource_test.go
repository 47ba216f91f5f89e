package resource_test

import (
	"embed"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

//go:embed testdata/*.sql
var migrations embed.FS

// shelf and book have a field of every kind, so that the form is tested without any service.
type shelf struct {
	resource.Record
	Name string `json:"name" required:"true" maxLength:"100" unique:"true" sort:"true" search:"name" filter:"equals"`
}

type book struct {
	resource.Record
	Title       string   `json:"title" required:"true" maxLength:"100" sort:"index" search:"name" filter:"equals"`
	Number      *string  `json:"number" maxLength:"20" unique:"true" auto:"B-%04d" filter:"equals" search:"code"`
	Barcode     *string  `json:"barcode" unique:"true" filter:"equals" sort:"true" search:"code"`
	ShelfID     *string  `json:"shelf_id" references:"shelves" facet:"true" filter:"equals"`
	SequelToID  *string  `json:"sequel_to_id" references:"books" filter:"equals"`
	State       string   `json:"state" default:"new" enum:"new,lent,lost" facet:"true" filter:"equals"`
	Genre       *string  `json:"genre" enum:"novel,poetry" facet:"true" filter:"equals"`
	Position    *int     `json:"position" column:"place_on_shelf" minimum:"1" filter:"range" sort:"index"`
	Pages       *int     `json:"pages" minimum:"1" maximum:"10000" facet:"true" filter:"range" sort:"index"`
	Weight      *float64 `json:"weight" minimum:"0" filter:"range"`
	Price       *float64 `json:"price" money:"true" filter:"range" sort:"true"`
	PublishedOn *string  `json:"published_on" format:"date" filter:"range" sort:"true"`
	Signed      bool     `json:"signed" default:"false" facet:"true" filter:"equals"`
	Class       *string  `json:"class" pattern:"^[A-G][0-9]*$" filter:"prefix"`
	Authors     []string `json:"authors" maxItems:"5"`
	Currency    string   `json:"currency" readOnly:"true"`
	PricePage   *float64 `json:"price_per_page" readOnly:"true"`
}

// rows are the catalogue of these tests.
func rows() *catalogue.Catalogue {
	return catalogue.New(
		catalogue.Collection{Name: "shelves", Singular: "shelf", Path: "/v1/shelves", Scope: "books"},
		catalogue.Collection{Name: "books", Singular: "book", Path: "/v1/books", Scope: "books", Events: []catalogue.Event{{Name: "book.lent"}}},
		catalogue.Collection{Name: "safes", Singular: "safe", Path: "/v1/safes", Scope: "books"},
	)
}

func newRegistry(api *transport.API, db *postgres.DB) *resource.Registry {
	registry := resource.NewRegistry(api, db, nil)
	registry.Catalogue = rows()
	return registry
}

var shelves = resource.Definition[shelf]{Collection: "shelves", Table: "shelf", NaturalKey: "name"}

var books = resource.Definition[book]{
	Collection: "books", Table: "book", NaturalKey: "number", Label: "title", Category: "genre",
	Computed: map[string]string{"currency": resource.Currency, "price_per_page": "round(t.price / t.pages, 2)"},
	Transitions: resource.Transitions{Field: "state", From: map[string][]string{"new": {"lent", "lost"}, "lent": {"new"}},
		With: []string{"genre"}, Ended: []string{"lost"}},
	Filters: map[string]resource.Filter{"thick": {Kind: "boolean", SQL: "(t.pages > 500) = $2"}},
}

// library is the migrations of both.
func library(t testing.TB) fs.FS {
	t.Helper()
	files, err := fs.Sub(migrations, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func serve(t testing.TB) (*resourcetest.Client, *postgrestest.Database) {
	t.Helper()
	return serveWith(t, books)
}

// serveWith is serve with other books.
func serveWith(t testing.TB, books resource.Definition[book]) (*resourcetest.Client, *postgrestest.Database) {
	t.Helper()
	client, database, _ := serveRegistry(t, books)
	return client, database
}

func serveRegistry(t testing.TB, books resource.Definition[book]) (*resourcetest.Client, *postgrestest.Database, *resource.Registry) {
	t.Helper()
	database := postgrestest.New(t, "library", library(t))
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := newRegistry(api, db)
	resource.Mount(registry, shelves)
	resource.Mount(registry, books)
	return resourcetest.NewClient(api.Handler(), signer), database, registry
}

func makeShelf(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{"name": fmt.Sprintf("Étagère %d", n), "external_id": fmt.Sprintf("shelf-%d", n), "tags": []string{"oak"},
		"custom_fields": map[string]any{"height": 2.5}}
}

func makeBook(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "for a book " + uuid.NewString()})
	return map[string]any{
		"title": fmt.Sprintf("Livre %d", n), "number": fmt.Sprintf("N-%d", n), "barcode": fmt.Sprintf("bar-%d", n), "shelf_id": shelf["id"],
		"external_id": fmt.Sprintf("book-%d", n), "state": "new", "genre": "novel", "position": 3, "pages": 300 + n,
		"weight": 0.5, "price": 12.25, "published_on": "2020-02-29", "signed": true, "class": "D30", "authors": []string{"Anne Hébert"},
		"tags": []string{"québec", "roman"}, "custom_fields": map[string]any{"loaned": false},
	}
}

func TestConformance(t *testing.T) {
	client, _ := serve(t)
	t.Run("shelves", func(t *testing.T) {
		resourcetest.Run(t,
			resourcetest.Suite[shelf]{Definition: shelves, Client: client, Path: "/v1/shelves", Catalogue: rows(), Make: makeShelf})
	})
	t.Run("books", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[book]{Definition: books, Client: client, Path: "/v1/books", Catalogue: rows(), Make: makeBook})
	})
}
