package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// A commit wakes a relay; the write before it does not. Of a transaction that others join, it is the outermost commit: that of
// a request with an Idempotency-Key, or of a bulk call with its savepoints. Not parallel: each commit of this process wakes the relay.
func TestARelayIsWokenWhenTheChangeIsThereToBeSeen(t *testing.T) {
	db := postgrestest.New(t, "library", nil).Open(t)
	ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: uuid.NewString()})
	relay := &Relay{DB: db, wake: make(chan struct{}, 1), cell: principal.First}
	elsewhere := &Relay{DB: db, wake: make(chan struct{}, 1), cell: "second"}
	for _, one := range []*Relay{relay, elsewhere} {
		running.add(one)
		defer running.remove(one)
	}
	woken := func() bool {
		select {
		case <-relay.wake:
			return true
		default:
			return false
		}
	}
	write := func(ctx context.Context, tx pgx.Tx) error {
		err := Add(ctx, tx, []Event{{Type: "book.created", Collection: "books", RecordID: uuid.NewString(), Version: 1,
			Object: json.RawMessage(`{}`)}})
		if woken() {
			t.Error("woken before the commit")
		}
		return err
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := db.Write(ctx, write); err != nil { // joins
			return err
		}
		return postgres.Savepoint(ctx, tx, write)
	}); err != nil {
		t.Fatal(err)
	}
	if !woken() {
		t.Error("not woken by the commit")
	}
	given := errors.New("undone")
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return errors.Join(write(ctx, tx), given) }); !errors.Is(err,
		given) || woken() {
		t.Errorf("woken by what was undone: %v", err)
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return Add(ctx, tx, nil) }); err != nil || woken() {
		t.Errorf("woken by nothing: %v", err)
	}
	if len(elsewhere.wake) > 0 {
		t.Error("the relay of another cell was woken")
	}
}
