package resource_test

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// mistakesOf mounts a definition and gives what it panics with; "" where it is mounted.
func mistakesOf[T any](t *testing.T, definition resource.Definition[T]) (said string) {
	t.Helper()
	return mistakesIn(t, rows(), definition)
}

func mistakesIn[T any](t *testing.T, rows *catalogue.Catalogue, definition resource.Definition[T]) (said string) {
	t.Helper()
	registry := newRegistry(transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler)), nil)
	registry.Catalogue = rows
	defer func() {
		if reason := recover(); reason != nil {
			said, _ = reason.(string)
		}
	}()
	resource.Mount(registry, definition)
	return ""
}

// with gives the definition of a struct that has one more field.
func with[T any](t *testing.T) string {
	t.Helper()
	return mistakesOf(t, resource.Definition[T]{Collection: "books", Table: "book", Label: "id"})
}

func TestAWrongFieldIsNotMounted(t *testing.T) {
	for want, said := range map[string]string{
		`.A, tag requierd: there is no tag "requierd"; did you mean required?`: with[struct {
			resource.Record
			A string `json:"a" requierd:"true"`
		}](t),
		`.A, tag maxLenght: there is no tag "maxLenght"; did you mean maxLength?`: with[struct {
			resource.Record
			A *string `json:"a" maxLenght:"3"`
		}](t),
		`.A, tag required: is "yes"; it must be "true"`: with[struct {
			resource.Record
			A string `json:"a" required:"yes"`
		}](t),
		`.a, tag references: there is no collection "bools"; did you mean books?`: with[struct {
			resource.Record
			A *string `json:"a" references:"bools"`
		}](t),
		`.A, tag default: is "c", which the field does not take: it must be one of`: with[struct {
			resource.Record
			A string `json:"a" enum:"a,b" default:"c"`
		}](t),
		`.A, tag search: cannot stand on a field of the kind number`: with[struct {
			resource.Record
			A *float64 `json:"a" search:"text"`
		}](t),
		`.a, tag search: is "name"; it must be name on the label, which is id, and on no other field`: with[struct {
			resource.Record
			A *string `json:"a" search:"name"`
		}](t),
		`.kind, tag enum: there is no collection or record in the catalogue "bok"; did you mean book`: with[struct {
			resource.Record
			Kind *string `json:"kind" enum:"bok"`
			A    *string `json:"a" references:"@kind"`
		}](t),
		`.kind, tag enum: books and book mean the same collection`: with[struct {
			resource.Record
			Kind *string `json:"kind" enum:"books,book"`
			A    *string `json:"a" references:"@kind"`
		}](t),
		`.a: must be a pointer, have required:"true" or a default`: with[struct {
			resource.Record
			A string `json:"a"`
		}](t),
		`.assetTag: the name must be one in SQL`: with[struct {
			resource.Record
			A *string `json:"assetTag"`
		}](t),
		`.A: has no json name`: with[struct {
			resource.Record
			A *string `maxLength:"3"`
		}](t),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q, said %q", want, said)
		}
	}
}

func TestAWrongDefinitionIsNotMounted(t *testing.T) {
	type definition = resource.Definition[book]
	transitions := func(field string, from map[string][]string, with ...string) func(*definition) {
		return func(d *definition) { d.Transitions = resource.Transitions{Field: field, From: from, With: with} }
	}
	filter := func(name string, filter resource.Filter) func(*definition) {
		return func(d *definition) { d.Filters = map[string]resource.Filter{name: filter} }
	}
	derived := func(name, sql string) func(*definition) {
		return func(d *definition) { d.Computed = map[string]string{name: sql} }
	}
	expansion := func(name, collection string) func(*definition) {
		return func(d *definition) {
			d.Expansions = map[string]resource.Expansion{name: {Collection: collection}}
		}
	}
	never := func(context.Context, pgx.Tx, []string) (map[string]string, error) { return nil, nil }
	for want, change := range map[string]func(*definition){
		`books, NaturalKey: there is no field "nuber"; did you mean number?`:   func(d *definition) { d.NaturalKey = "nuber" },
		`books, NaturalKey: title is no unique text`:                           func(d *definition) { d.NaturalKey = "title" },
		`books, Label: there is no field "titel"; did you mean title?`:         func(d *definition) { d.Label = "titel" },
		`books, Label: there is no field "name"`:                               func(d *definition) { d.Label = "" },
		`books, Label: class may be null`:                                      func(d *definition) { d.Label = "class" },
		`books, Label: currency is no plain column`:                            func(d *definition) { d.Label = "currency" },
		`books, Table: "" is no name of a table`:                               func(d *definition) { d.Table = "" },
		`books, Geometry: there is no field "shape"`:                           func(d *definition) { d.Geometry = "shape" },
		`books, Geometry: class is no object`:                                  func(d *definition) { d.Geometry = "class" },
		`books, Computed: there is no field "curency"; did you mean currency?`: derived("curency", "'CAD'"),
		`books, Computed: title must be a field with readOnly:"true"`:          derived("title", "'x'"),
		`books, Computed: version is filled in otherwise`:                      derived("version", "1"),
		`books, Computed: currency has no expression`:                          derived("currency", " "),
		`books, Words: there is no field "colour"`: func(d *definition) {
			d.Words = map[string]map[string]string{"colour": {"red": "rouge"}}
		},
		`books, Words: genre must have an enum and search:"text"`: func(d *definition) {
			d.Words = map[string]map[string]string{"genre": {"novel": "roman"}}
		},
		`books, AsOf: there is no field "prize"`: func(d *definition) {
			d.AsOf = &resource.AsOf{Fields: []string{"prize"}}
		},
		`books, AsOf: price is not read-only`: func(d *definition) {
			d.AsOf = &resource.AsOf{Fields: []string{"price"}}
		},
		`books, Filters, page: is another parameter of every list`: filter("page",
			resource.Filter{Kind: schema.Text, SQL: "$2"}),
		`books, Filters, genre: is the filter of a field already`: filter("genre",
			resource.Filter{Kind: schema.Text, SQL: "$2"}),
		`books, Filters, thick: must have SQL or Where, and not both`: filter("thick", resource.Filter{Kind: schema.Text}),
		`books, Filters, thick: the SQL has no $2, which is the value`: filter("thick",
			resource.Filter{Kind: schema.Boolean, SQL: "t.pages > 500"}),
		`books, Filters, thick: the kind is "boolaen"`: filter("thick", resource.Filter{Kind: "boolaen", SQL: "$2"}),
		`books, Filters, size: the enum must be of different texts`: filter("size",
			resource.Filter{Kind: schema.Text, Enum: []string{"a", "a"}, SQL: "$2"}),
		`books, Expansions, lists: the collection "lsits" is not in`:                expansion("lists", "lsits"),
		`books, Expansions, shelf: is a field already, or what expand=`:             expansion("shelf", "shelves"),
		`books, Expansions, lists: must have Find, and a struct as Entry`:           expansion("lists", "shelves"),
		`books, Transitions: have no Field`:                                         transitions("", map[string][]string{"new": {"lent"}}),
		`books, Transitions, Field: there is no field "sate"; did you mean state?`:  transitions("sate", nil),
		`books, Transitions, Field: title must have an enum`:                        transitions("title", nil),
		`books, Transitions, Field: genre must have an enum, and be no`:             transitions("genre", nil),
		`books, Transitions, From: there is no state "nwe"; did you mean new?`:      transitions("state", map[string][]string{"nwe": {"lent"}}),
		`books, Transitions, From new: there is no state "lnt"; did you mean lent?`: transitions("state", map[string][]string{"new": {"lnt"}}),
		`books, Transitions, From new: new is there twice`:                          transitions("state", map[string][]string{"new": {"new"}}),
		`books, Transitions, With: there is no field "gnre"; did you mean genre?`:   transitions("state", nil, "gnre"),
		`books, Transitions, With: currency cannot be sent`:                         transitions("state", nil, "currency"),
		`books, RevealOnce: there is no field "secret"`: func(d *definition) {
			d.RevealOnce = &resource.RevealOnce{Field: "secret", Find: never}
		},
		`books, RevealOnce: title must be the last field`: func(d *definition) {
			d.RevealOnce = &resource.RevealOnce{Field: "title", Find: never}
		},
		`books, RevealOnce: nothing finds the values`: func(d *definition) {
			d.RevealOnce = &resource.RevealOnce{Field: "price_per_page"}
		},
		`bokos, Collection: the collection "bokos" is not in the catalogue`: func(d *definition) { d.Collection = "bokos" },
		`books, Events: there is no event of them in the catalogue "book.lnt"; did you mean book.lent?`: func(d *definition) {
			d.Events = map[string]resource.Emits[book]{"book.lnt": resource.When(func(*resource.Change[book]) bool { return true })}
		},
		`books, Events: book.lent does not say when`: func(d *definition) { d.Events = map[string]resource.Emits[book]{"book.lent": {}} },
	} {
		definition := books
		change(&definition)
		if said := mistakesOf(t, definition); !strings.Contains(said, want) {
			t.Errorf("want %q, said %q", want, said)
		}
	}
	if said := mistakesOf(t, books); said != "" {
		t.Errorf("a good definition: %q", said)
	}
}

func TestAParentIsTheOneThatThePathNames(t *testing.T) {
	for _, c := range []struct{ path, parent, want string }{
		{"/v1/shelves/{shelve_id}/books", "shelve_id", `books, Parent: there is no field "shelve_id"; did you mean shelf_id?`},
		{"/v1/{title}/books", "title", `books, Parent: title refers to no collection`},
		{"/v1/books", "shelf_id", `books, Parent: the path of the catalogue, /v1/books, must name {shelf_id}`},
		{"/v1/shelves/{shelf_id}/books", "", `books, Parent: the path of the catalogue names shelf_id, but there is no Parent`},
	} {
		definition := books
		definition.Parent = c.parent
		rows := catalogue.New(catalogue.Collection{Name: "shelves", Singular: "shelf"},
			catalogue.Collection{Name: "books", Singular: "book", Path: c.path})
		if said := mistakesIn(t, rows, definition); !strings.Contains(said, c.want) {
			t.Errorf("want %q, said %q", c.want, said)
		}
	}
}

// All mistakes are named at once, those of the struct and those of the definition.
func TestAllMistakesOfADeclarationAreNamedAtOnce(t *testing.T) {
	type wrong struct {
		resource.Record
		A string   `json:"a" requierd:"true"`
		B *float64 `json:"b" search:"text"`
	}
	said := mistakesOf(t, resource.Definition[wrong]{Collection: "books", Table: "book", NaturalKey: "x", Label: "y"})
	for _, part := range []string{"4 mistakes", "wrong.A, tag requierd", "wrong.B, tag search", `NaturalKey: there is no field "x"`,
		`Label: there is no field "y"`} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in %q", part, said)
		}
	}
	registry := newRegistry(transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler)), nil)
	resource.Mount(registry, shelves)
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "shelves, Collection: is mounted twice") {
			t.Errorf("mounted twice: %q", said)
		}
	}()
	resource.Mount(registry, shelves)
}

// What a rule names at run time is checked where it is named: a wrong name never passes for "nothing there".
func TestARuleThatNamesWhatIsNotThereSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		rule func(c *resource.Change[book], found *resource.Found)
		want string
	}{
		"a field error": {func(c *resource.Change[book], _ *resource.Found) { c.FieldError("titel", "is wrong") },
			`there is no field "titel"; did you mean title?`},
		"within a field": {func(c *resource.Change[book], _ *resource.Found) { c.FieldError("auhtors[2]", "is wrong") },
			`there is no field "auhtors"; did you mean authors?`},
		"what was sent": {func(c *resource.Change[book], _ *resource.Found) { c.Sets("titel") }, `there is no field "titel"`},
		"a reference": {func(_ *resource.Change[book], f *resource.Found) { f.Entry("shelfs", "x") },
			`there is no reference to "shelfs"; did you mean shelves?`},
	} {
		t.Run(name, func(t *testing.T) {
			definition := books
			var said string
			definition.Resolve = func(changes []*resource.Change[book], found *resource.Found) error {
				defer func() { said, _ = recover().(string) }()
				c.rule(changes[0], found)
				return nil
			}
			client, _ := serveWith(t, definition)
			shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "S"})
			client.Must(t, 201, "POST", "/v1/books", map[string]any{"title": "x", "shelf_id": shelf["id"]})
			if !strings.Contains(said, c.want) || !strings.Contains(said, "a rule of books is wrong") {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestWhatRulesWriteIsChecked(t *testing.T) {
	registry := newRegistry(transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler)), nil)
	resource.Mount(registry, shelves)
	for want, columns := range map[string][]string{`no column "nmae"`: {"nmae"}, `no column "version"`: {"version"}} {
		if err := registry.UpdateWhere(t.Context(), nil, "shelves", columns, "SELECT"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", columns, err)
		}
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "shelfs is no collection of this service") {
			t.Errorf("said %q", said)
		}
	}()
	resource.New[shelf](registry, "shelfs")
}

func TestEveryTagOfARecordIsInTheTable(t *testing.T) {
	if _, mistakes := schema.Inspect(reflect.TypeFor[resource.Record]()); mistakes != nil {
		t.Error(mistakes)
	}
}
