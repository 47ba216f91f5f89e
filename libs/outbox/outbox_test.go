package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

func caller(t *testing.T) context.Context {
	t.Helper()
	return principal.Into(t.Context(), principal.Principal{
		OrganizationID: uuid.NewString(), Currency: "CAD", RequestID: "r-\"1\"", Origin: "import",
		Actor: principal.Actor{Type: "api_key", ID: uuid.NewString(), Name: "Importation « été »"},
	})
}

// stored gives the payloads in the outbox, in their order.
func stored(t *testing.T, database *postgrestest.Database) (types []string, payloads []map[string]any) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	rows, err := owner.Query(t.Context(), "SELECT type, payload FROM outbox ORDER BY position")
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var payload []byte
	if _, err := pgx.ForEachRow(rows, []any{&name, &payload}, func() error {
		types = append(types, name)
		var event map[string]any
		err := json.Unmarshal(payload, &event)
		payloads = append(payloads, event)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return types, payloads
}

func TestEventsAreKeptInOrderWithWhatChanged(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "library", nil)
	db, ctx := database.Open(t), caller(t)
	record := uuid.NewString()
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := outbox.Add(ctx, tx, nil); err != nil {
			return err
		}
		return outbox.Add(ctx, tx, []outbox.Event{
			{Type: "book.created", Collection: "books", RecordID: record, Version: 1, Object: json.RawMessage(`{"title":"L'Œuvre \"été\""}`),
				BulkID: "b-1"},
			{Type: "book.updated", Collection: "books", RecordID: record, Version: 2, Object: json.RawMessage(`{"title":"B"}`),
				Changed: []string{"title"}, Previous: json.RawMessage(`{"title":"A"}`)},
		})
	}); err != nil {
		t.Fatal(err)
	}
	types, payloads := stored(t, database)
	if !reflect.DeepEqual(types, []string{"book.created", "book.updated"}) {
		t.Fatalf("kept: %v", types)
	}
	actor := map[string]any{"type": "api_key", "id": principal.From(ctx).Actor.ID, "name": "Importation « été »"}
	for i, want := range []map[string]any{
		{"data": map[string]any{"object": map[string]any{"title": `L'Œuvre "été"`}, "changed": []any{}, "previous": map[string]any{}},
			"actor": actor, "origin": "import", "bulk_id": "b-1", "request_id": `r-"1"`},
		{"data": map[string]any{"object": map[string]any{"title": "B"}, "changed": []any{"title"},
			"previous": map[string]any{"title": "A"}}, "actor": actor, "origin": "import", "bulk_id": nil, "request_id": `r-"1"`},
	} {
		if !reflect.DeepEqual(payloads[i], want) {
			t.Errorf("event %d is\n%v, want\n%v", i, payloads[i], want)
		}
	}
}

func TestAnEventGoesWithTheTransactionOfItsChange(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "library", nil)
	db := database.Open(t)
	given := errors.New("the change cannot be made")
	err := db.Write(caller(t), func(ctx context.Context, tx pgx.Tx) error {
		if err := outbox.Add(ctx, tx, []outbox.Event{{Type: "book.created", Collection: "books", RecordID: uuid.NewString(), Version: 1,
			Object: json.RawMessage(`{}`)}}); err != nil {
			return err
		}
		return given
	})
	if !errors.Is(err, given) {
		t.Fatal(err)
	}
	if types, _ := stored(t, database); len(types) != 0 {
		t.Errorf("kept without its change: %v", types)
	}
}
