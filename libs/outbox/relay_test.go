package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// add writes n events of new records in one transaction.
func add(t *testing.T, ctx context.Context, db *postgres.DB, n int) {
	t.Helper()
	var events []outbox.Event
	for i := range n {
		events = append(events, outbox.Event{Type: "book.created", Collection: "books", RecordID: uuid.NewString(), Version: 1,
			Object: json.RawMessage(fmt.Sprintf(`{"number":%d}`, i))})
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return outbox.Add(ctx, tx, events) }); err != nil {
		t.Fatal(err)
	}
}

// query gives a number from the administrator's connection, which sees every organization.
func query(t *testing.T, database *postgrestest.Database, sql string, args ...any) (value int) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), strings.Replace(database.AdminURL, "?", "?search_path=library&", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if err := owner.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func waits(t *testing.T, database *postgrestest.Database) int {
	t.Helper()
	return query(t, database, "SELECT count(*) FROM outbox")
}

// killLeader ends the connection that holds the relay's lock, and says whether there was one.
func killLeader(t *testing.T, database *postgrestest.Database) bool {
	t.Helper()
	return query(t, database, `SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND d.datname = current_database()`) > 0
}

func TestAnEventIsPublishedWholeAndDeleted(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	in.relay(database)
	event := outbox.Event{
		Type: "book.updated", Collection: "books", RecordID: uuid.NewString(), Version: 7, BulkID: uuid.NewString(),
		Object: json.RawMessage(`{"title":"L'Œuvre"}`), Changed: []string{"title"}, Previous: json.RawMessage(`{"title":"A"}`),
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return outbox.Add(ctx, tx, []outbox.Event{event}) }); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, time.Minute, "the event", func() bool { return len(in.all()) == 1 })
	got, p := in.all()[0], principal.From(ctx)
	if got.OrganizationID != p.OrganizationID || got.Type != event.Type || got.Collection != event.Collection ||
		got.RecordID != event.RecordID || got.Version != 7 {
		t.Errorf("received: %+v", got)
	}
	if at, err := time.Parse("2006-01-02T15:04:05.000000Z", got.At); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("at: %s: %v", got.At, err)
	}
	if string(got.Payload.Data.Object) != string(event.Object) || string(got.Payload.Data.Previous) != string(event.Previous) ||
		len(got.Payload.Data.Changed) != 1 ||
		got.Payload.Actor != p.Actor || got.Payload.Origin != "import" || *got.Payload.BulkID != event.BulkID ||
		got.Payload.RequestID != p.RequestID {
		t.Errorf("payload: %+v", got.Payload)
	}
	testwait.For(t, time.Minute, "the outbox to be empty", func() bool { return waits(t, database) == 0 })
}

// However an inbox fails, the events that it did not acknowledge stay in the outbox, and arrive once in the end, in order.
func TestWhatIsNotAcknowledgedIsSentAgain(t *testing.T) {
	const events, failures = 20, 3
	for name, fail := range map[string]func(w http.ResponseWriter, r *http.Request, store func(n int) []string, events []received){
		"its response is a 503": func(w http.ResponseWriter, _ *http.Request, _ func(int) []string, _ []received) {
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"it stores them and the response is lost": func(_ http.ResponseWriter, _ *http.Request, store func(int) []string, events []received) {
			store(len(events))
			panic(http.ErrAbortHandler)
		},
		"it keeps them and breaks down": func(w http.ResponseWriter, _ *http.Request, store func(int) []string, events []received) {
			store(len(events))
			w.WriteHeader(http.StatusInternalServerError)
		},
		"it acknowledges a part": func(w http.ResponseWriter, _ *http.Request, store func(int) []string, _ []received) {
			_ = json.NewEncoder(w).Encode(map[string]any{"received": store(4)})
		},
		"it acknowledges what it was not sent": func(w http.ResponseWriter, _ *http.Request, _ func(int) []string, _ []received) {
			_ = json.NewEncoder(w).Encode(map[string]any{"received": []string{uuid.NewString(), uuid.NewString()}})
		},
		"its response is no JSON": func(w http.ResponseWriter, _ *http.Request, store func(int) []string, events []received) {
			store(len(events))
			_, _ = w.Write([]byte("<html>"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
			db := database.Open(t)
			var failed atomic.Int64
			in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
				if failed.Add(1) <= failures {
					fail(w, r, store, events)
					return
				}
				acknowledge(w, r, store, events)
			})
			add(t, ctx, db, events)
			in.relay(database)
			testwait.For(t, time.Minute, "the events", func() bool { return waits(t, database) == 0 })
			got := in.all()
			if len(got) != events || in.calls() != failures+1 {
				t.Errorf("%d of %d events were stored, in %d calls", len(got), events, in.calls())
			}
			for i, event := range got {
				if want := fmt.Sprintf(`{"number":%d}`, i); string(event.Payload.Data.Object) != want {
					t.Errorf("event %d is %s", i, event.Payload.Data.Object)
				}
			}
		})
	}
}

// An event that the inbox does not acknowledge stays in the outbox; later ones are published.
func TestAnEventThatIsNotAcknowledgedDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	var rejecting atomic.Bool
	rejecting.Store(true)
	in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
		if !rejecting.Load() {
			acknowledge(w, r, store, events)
			return
		}
		ids := []string{}
		for _, id := range store(len(events)) {
			if id != in.all()[0].ID {
				ids = append(ids, id)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"received": ids})
	})
	add(t, ctx, db, 1)
	in.relay(database)
	testwait.For(t, time.Minute, "the event that is not acknowledged", func() bool { return in.calls() > 3 })
	for round := range 5 {
		add(t, ctx, db, 3)
		testwait.For(t, time.Minute, "the events behind it", func() bool { return len(in.all()) == 1+3*(round+1) && waits(t, database) == 1 })
	}
	rejecting.Store(false)
	testwait.For(t, time.Minute, "the event that was not acknowledged", func() bool { return waits(t, database) == 0 })
}

func TestAnInboxThatDoesNotRespondIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	var calls atomic.Int64
	in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
		if calls.Add(1) == 1 {
			<-r.Context().Done()
			return
		}
		acknowledge(w, r, store, events)
	})
	add(t, ctx, database.Open(t), 3)
	in.relay(database)
	testwait.For(t, time.Minute, "the events", func() bool { return len(in.all()) == 3 })
}

func TestNothingIsDeletedWhileTheInboxIsDown(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	in.server.Close()
	add(t, ctx, database.Open(t), 3)
	end := in.relay(database)
	testwait.For(t, time.Minute, "a leader", func() bool { return killLeader(t, database) })
	end()
	if n := waits(t, database); n != 3 {
		t.Errorf("%d events wait", n)
	}
}

// A transaction that began first and commits last has the lower positions. A cursor would have passed them.
func TestATransactionThatCommitsLateLosesNothing(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	in.relay(database)
	for round := range 5 {
		written, commit, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				err := outbox.Add(ctx, tx, []outbox.Event{{Type: "book.created", Collection: "late", RecordID: uuid.NewString(), Version: 1,
					Object: json.RawMessage(`{}`)}})
				close(written)
				<-commit
				return err
			})
		}()
		<-written
		add(t, ctx, db, 2)
		testwait.For(t, time.Minute, "the later events", func() bool { return len(in.all()) == 3*round+2 })
		close(commit)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		testwait.For(t, time.Minute, "the late event", func() bool { return len(in.all()) == 3*round+3 })
		if last := in.all()[3*round+2]; last.Collection != "late" {
			t.Errorf("the last is %+v", last)
		}
	}
}

func TestWhatWasRolledBackIsNotPublished(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	in.relay(database)
	given := errors.New("the change cannot be made")
	for range 10 {
		if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if err := outbox.Add(ctx, tx, []outbox.Event{{Type: "book.deleted", Collection: "books", RecordID: uuid.NewString(), Version: 1,
				Object: json.RawMessage(`{}`)}}); err != nil {
				return err
			}
			return given
		}); !errors.Is(err, given) {
			t.Fatal(err)
		}
	}
	add(t, ctx, db, 1)
	testwait.For(t, time.Minute, "the event that was committed", func() bool { return len(in.all()) > 0 && waits(t, database) == 0 })
	if got := in.all(); len(got) != 1 || got[0].Type != "book.created" {
		t.Errorf("received: %+v", got)
	}
}

func TestABatchHasBounds(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	var events []outbox.Event
	for i := range 1300 {
		size := 10
		switch {
		case i == 5 || i == 1299:
			size = 5 << 20 // on its own larger than a batch
		case i > 10 && i < 30:
			size = 1 << 20
		}
		object := fmt.Sprintf(`{"number":%d,"text":"%s"}`, i, strings.Repeat("é", size/2))
		events = append(events, outbox.Event{Type: "book.created", Collection: "books", RecordID: uuid.NewString(), Version: 1,
			Object: json.RawMessage(object)})
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return outbox.Add(ctx, tx, events) }); err != nil {
		t.Fatal(err)
	}
	in.relay(database)
	testwait.For(t, time.Minute, "the events", func() bool { return waits(t, database) == 0 })
	for i, event := range in.all() {
		if !strings.HasPrefix(string(event.Payload.Data.Object), fmt.Sprintf(`{"number":%d,`, i)) {
			t.Fatalf("event %d is %.40s", i, event.Payload.Data.Object)
		}
	}
	if n := len(in.all()); n != len(events) {
		t.Errorf("%d events", n)
	}
	for i, n := range in.batches {
		if n > 500 || n > 1 && in.sizes[i] > 4<<20+500*n || in.sizes[i] > outbox.MaxBody {
			t.Errorf("a batch of %d events has %d bytes", n, in.sizes[i])
		}
	}
	if len(in.batches) > 15 {
		t.Errorf("%d batches: %v", len(in.batches), in.batches)
	}
}
