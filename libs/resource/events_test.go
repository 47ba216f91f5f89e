package resource_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// An event says what was done to the record, by whom and in which request, beside the record as GET shows it.
func TestAnEventSaysWhatChangedAndWhoDidIt(t *testing.T) {
	client, database := serve(t)
	client.Principal.Actor.Name, client.Principal.Origin = "Geneviève Côté", "console"
	made := client.Create(t, "/v1/books", map[string]any{"title": "Kamouraska", "pages": 250, "tags": []string{"roman"}})
	path := "/v1/books/" + made["id"].(string)
	changed := client.Must(t, 200, "PATCH", path, map[string]any{"title": "Les Fous de Bassan", "pages": nil, "tags": []string{"roman"}}).JSON
	client.Must(t, 200, "PATCH", path, map[string]any{"pages": nil}) // changes nothing, and tells nothing
	client.Must(t, 204, "DELETE", path, nil)

	events := resourcetest.Events(t, database)
	if got, want := resourcetest.EventTypes(events, made["id"]), []string{"book.created", "book.updated",
		"book.deleted"}; !slices.Equal(got, want) {
		t.Fatalf("told: %v, want %v", got, want)
	}
	for i, want := range []struct {
		object   any
		version  int
		changed  []string
		previous map[string]any
	}{
		{made, 1, []string{"title", "number", "state", "pages", "signed", "tags"}, nil},
		{changed, 2, []string{"title", "pages"}, map[string]any{"title": "Kamouraska", "pages": 250.0}},
		{changed, 3, nil, nil},
	} {
		e := events[i]
		if !reflect.DeepEqual(any(e.Object), want.object) || e.Version != want.version {
			t.Errorf("%s, version %d: %v, want %v", e.Type, e.Version, e.Object, want.object)
		}
		for _, name := range want.changed {
			if !slices.Contains(e.Changed, name) {
				t.Errorf("%s: changed is %v, without %s", e.Type, e.Changed, name)
			}
		}
		if want.previous != nil && (!reflect.DeepEqual(e.Previous, want.previous) || len(e.Changed) != len(want.changed)) {
			t.Errorf("%s: %v were %v, want %v", e.Type, e.Changed, e.Previous, want.previous)
		}
		p := client.Principal
		actor := map[string]any{"type": p.Actor.Type, "id": p.Actor.ID, "name": "Geneviève Côté"}
		if !reflect.DeepEqual(e.Payload["actor"], actor) || e.Payload["origin"] != "console" || e.Payload["request_id"] != p.RequestID ||
			e.Payload["bulk_id"] != nil {
			t.Errorf("%s: %v", e.Type, e.Payload)
		}
	}
}

func TestEventsOfOneBulkCallShareItsId(t *testing.T) {
	client, database := serve(t)
	for range 2 {
		client.Must(t, 200, "POST", "/v1/shelves/bulk",
			map[string]any{"data": []any{map[string]any{"name": uuid.NewString()}, map[string]any{"name": uuid.NewString()}}})
	}
	events := resourcetest.Events(t, database)
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i], _ = e.Payload["bulk_id"].(string)
	}
	if len(ids) != 4 || ids[0] == "" || ids[0] != ids[1] || ids[2] != ids[3] || ids[0] == ids[2] {
		t.Errorf("bulk ids: %v", ids)
	}
}

// What is delivered later continues the trace of the request that made the change: its span in the service that wrote.
func TestAnEventBelongsToTheTraceOfItsRequest(t *testing.T) {
	former := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSampler(trace.ParentBased(trace.NeverSample()))))
	defer otel.SetTracerProvider(former)
	client, database := serve(t)
	client.Handler = telemetry.Handler(client.Handler)
	const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	for _, flags := range []string{"00", "01"} {
		client.Must(t, 201, "POST", "/v1/shelves", map[string]any{"name": "Étagère " + flags}, "Traceparent", caller+flags,
			"Idempotency-Key", flags)
		events := resourcetest.Events(t, database)
		parts := strings.Split(events[len(events)-1].Traceparent, "-")
		if len(parts) != 4 || parts[0] != "00" || parts[1] != caller[3:35] || len(parts[2]) != 16 || parts[2] == caller[36:52] ||
			parts[3] != flags {
			t.Errorf("of a request with %s%s: %v", caller, flags, parts)
		}
	}
	client.Create(t, "/v1/shelves", map[string]any{"name": "sans"})
	events := resourcetest.Events(t, database)
	if last := events[len(events)-1].Traceparent; len(last) != 55 || strings.Contains(last, caller[3:35]) {
		t.Errorf("of a request without a trace: %q", last)
	}
}

func TestAnImportThatIsCompleteIsAnEvent(t *testing.T) {
	client, database := serve(t)
	id := uuid.NewString()
	client.Principal.Origin = "import"
	body := map[string]any{"import_id": strings.ToUpper(id), "file_name": "livres.csv", "created": 3, "rejected": 1}
	first := client.Must(t, 200, "POST", "/v1/books/imports", body, "Idempotency-Key", "k")
	again := client.Must(t, 200, "POST", "/v1/books/imports", body, "Idempotency-Key", "k")
	want := map[string]any{"import_id": id, "file_name": "livres.csv", "created": 3.0, "updated": 0.0, "unchanged": 0.0, "rejected": 1.0}
	if !reflect.DeepEqual(first.JSON, want) || !reflect.DeepEqual(again.JSON, want) {
		t.Errorf("answered: %s, %s", first.Body, again.Body)
	}
	events := resourcetest.Events(t, database)
	if len(events) != 1 || events[0].Type != "import.completed" || events[0].Collection != "books" || events[0].RecordID != id ||
		!reflect.DeepEqual(events[0].Object, want) || events[0].Payload["origin"] != "import" {
		t.Errorf("told: %+v", events)
	}
	for field, bad := range map[string]map[string]any{
		"import_id": {"created": 1}, "created": {"import_id": id, "created": -1},
		"file_name": {"import_id": id, "file_name": strings.Repeat("a", 256)}, "rows": {"import_id": id, "rows": 3},
	} {
		if answer := client.Must(t, 400, "POST", "/v1/books/imports", bad); !slices.Contains(answer.Fields(), field) {
			t.Errorf("%v is refused with %s", bad, answer.Body)
		}
	}
	client.Principal.Scopes = []string{"books:read"}
	client.Must(t, http.StatusForbidden, "POST", "/v1/books/imports", body)
	if n := len(resourcetest.Events(t, database)); n != 1 {
		t.Errorf("%d events", n)
	}
}

// A resource whose events nobody could subscribe to is found when its service starts, and in its first test.
func TestAResourceOutsideTheCatalogueIsNotMounted(t *testing.T) {
	type rack struct {
		resource.Record
		Name    string  `json:"name" required:"true"`
		BoardID *string `json:"board_id" references:"boards"`
	}
	type loan struct {
		resource.Record
		Name   string  `json:"name" required:"true"`
		BookID *string `json:"book_id" references:"books"`
	}
	type target struct {
		resource.Record
		Name     string  `json:"name" required:"true"`
		Kind     *string `json:"kind" enum:"book,board"`
		TargetID *string `json:"target_id" references:"@kind"`
	}
	rows := catalogue.New(
		catalogue.Collection{Name: "books", Singular: "book", Service: "library"},
		catalogue.Collection{Name: "racks", Singular: "rack", Service: "library"},
		catalogue.Collection{Name: "targets", Singular: "target", Service: "library"},
		catalogue.Collection{Name: "loans", Singular: "loan", Service: "lending"},
	)
	for want, mount := range map[string]func(*resource.Registry){
		`the collection "shelves" is not in the catalogue`: func(r *resource.Registry) { resource.Mount(r, shelves) },
		`rack.board_id, tag references: there is no collection "boards"`: func(r *resource.Registry) {
			resource.Mount(r, resource.Definition[rack]{Collection: "racks", Table: "rack"})
		},
		`target.kind, tag enum: there is no collection or record in the catalogue "board"`: func(r *resource.Registry) {
			resource.Mount(r, resource.Definition[target]{Collection: "targets", Table: "target"})
		},
		`does not have the service lending among those that refer to them`: func(r *resource.Registry) {
			resource.Mount(r, resource.Definition[loan]{Collection: "loans", Table: "loan"})
		},
	} {
		t.Run(want, func(t *testing.T) {
			registry := newRegistry(transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler)), nil)
			registry.Catalogue = rows
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, want) {
					t.Errorf("the mistake is reported as %q", message)
				}
			}()
			mount(registry)
			t.Error("mounted")
		})
	}
}

// Only events of the catalogue are written, in its order, behind that of the record.
func TestAnEventOutsideTheCatalogueIsNotWritten(t *testing.T) {
	always := resource.When(func(*resource.Change[shelf]) bool { return true })
	for _, name := range []string{"shelf.painted", "book.updated"} { // unknown; of another collection
		definition := shelves
		definition.Events = map[string]resource.Emits[shelf]{name: always}
		if said := mistakesOf(t, definition); !strings.Contains(said,
			"shelves, Events: there is no event of them in the catalogue \""+name+"\"") {
			t.Errorf("%s: said %q", name, said)
		}
	}
	database := postgrestest.New(t, "library", library(t))
	signer, db := resourcetest.NewSigner(t), database.Open(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	definition := shelves
	definition.Events = map[string]resource.Emits[shelf]{"shelf.painted": always, "shelf.emptied": always}
	registry := resource.NewRegistry(api, db, nil)
	registry.Catalogue = catalogue.New(catalogue.Collection{Name: "shelves", Singular: "shelf", Path: "/v1/shelves", Scope: "books",
		Events: []catalogue.Event{{Name: "shelf.painted"}, {Name: "shelf.emptied"}}})
	resource.Mount(registry, definition)
	client := resourcetest.NewClient(api.Handler(), signer)
	client.Must(t, 201, "POST", "/v1/shelves", map[string]any{"name": "Chêne"})
	if got := resourcetest.Events(t, database); len(got) != 3 || got[0].Type != "shelf.created" || got[1].Type != "shelf.painted" ||
		got[2].Type != "shelf.emptied" {
		t.Errorf("written: %v", got)
	}
}

// WhenUpdated is asked about changes of records that were there, and sees them with what the database alone knows.
func TestAnEventOfUpdatesIsNotAskedAboutNewOrDeletedRecords(t *testing.T) {
	database := postgrestest.New(t, "library", library(t))
	signer, db := resourcetest.NewSigner(t), database.Open(t)
	api := transport.New(signer, db, slog.New(slog.DiscardHandler))
	registry := newRegistry(api, db)
	var seen []string
	definition := books
	definition.Events = map[string]resource.Emits[book]{"book.lent": resource.WhenUpdated(func(before, after *book) bool {
		seen = append(seen, fmt.Sprint(*before.PricePage, " ", *after.PricePage))
		return *after.PricePage > *before.PricePage
	})}
	resource.Mount(registry, shelves)
	resource.Mount(registry, definition)
	client := resourcetest.NewClient(api.Handler(), signer)
	made := client.Create(t, "/v1/books", map[string]any{"title": "a", "price": 30, "pages": 10})
	path := "/v1/books/" + made["id"].(string)
	client.Must(t, 200, "PATCH", path, map[string]any{"price": 60})
	client.Must(t, 200, "PATCH", path, map[string]any{"price": 10})
	client.Must(t, 204, "DELETE", path, nil)
	if want := []string{"3 6", "6 1"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	got, want := resourcetest.EventTypes(resourcetest.Events(t, database), made["id"]),
		[]string{"book.created", "book.updated", "book.lent", "book.updated", "book.deleted"}
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// Hooks see records as the database has them, with what only it knows, however they were written.
func TestEventsSeeWhatWasWritten(t *testing.T) {
	database := postgrestest.New(t, "library", library(t))
	signer, db := resourcetest.NewSigner(t), database.Open(t)
	api := transport.New(signer, db, slog.New(slog.DiscardHandler))
	registry := newRegistry(api, db)
	var seen []string
	definition := books
	definition.Events = map[string]resource.Emits[book]{"book.lent": resource.When(func(c *resource.Change[book]) bool {
		for _, b := range []*book{c.Before, c.After} {
			if b == nil {
				seen = append(seen, "none")
				continue
			}
			seen = append(seen, fmt.Sprint(b.Title, " ", b.Version, " ", *b.PricePage))
		}
		return false
	})}
	resource.Mount(registry, shelves)
	resource.Mount(registry, definition)
	client := resourcetest.NewClient(api.Handler(), signer)
	made := client.Create(t, "/v1/books", map[string]any{"title": "a", "price": 30, "pages": 10})
	path := "/v1/books/" + made["id"].(string)
	client.Must(t, 200, "PATCH", path, map[string]any{"price": 60, "title": "b"})
	err := db.Write(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
		two, ten, twenty := 2, 10.0, 20.0
		if err := registry.UpdateWhere(ctx, tx, "books", []string{"pages"}, "SELECT $2::uuid AS id, 20 AS pages", made["id"]); err != nil {
			return err
		}
		inserted := resource.New[book](registry, "books")
		inserted.Title, inserted.Pages, inserted.Price, inserted.PricePage = "c", &two, &ten, &twenty
		return resource.Insert(ctx, tx, registry, "books", []*book{inserted})
	})
	if err != nil {
		t.Fatal(err)
	}
	client.Must(t, 204, "DELETE", path, nil)
	want := []string{"none", "a 1 3", "a 1 3", "b 2 6", "b 2 6", "b 3 3", "none", "c 1 5", "b 3 3", "none"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen %q,\nwant %q", seen, want)
	}
}
