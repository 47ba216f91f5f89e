package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// While six writers change the records of two organizations, commit late and roll back, two relays compete, the leader's
// connection is killed again and again, and the inbox fails in every way: each change that was committed is received, none
// that was not, and the changes of each record in their order.
func TestNothingIsLostAndRecordsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	database, in := postgrestest.New(t, "library", nil), newInbox(t)
	callers := []context.Context{caller(t), caller(t)}
	const writers, changes, records = 6, 150, 5
	in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
		switch rand.IntN(8) {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 1:
			store(len(events))
			panic(http.ErrAbortHandler)
		case 2:
			_ = json.NewEncoder(w).Encode(map[string]any{"received": store(rand.IntN(len(events) + 1))})
		case 3:
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			fallthrough
		default:
			acknowledge(w, r, store, events)
		}
	})
	in.relay(database)
	in.relay(database)

	var committed sync.Map // organization, record and version
	var all sync.WaitGroup
	var kills, count atomic.Int64
	for n := range writers {
		ctx, db := callers[n%2], database.Open(t)
		all.Go(func() {
			for range changes {
				record := rand.IntN(records)
				id := uuid.NewSHA1(uuid.Nil, []byte(strconv.Itoa(record))).String() // the same in both organizations
				version, given := 0, errors.New("undone")
				err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					if err := tx.QueryRow(ctx, `INSERT INTO counter (organization_id, name, value) VALUES ($1, $2, 1)
						ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + 1 RETURNING value`,
						principal.From(ctx).OrganizationID, strconv.Itoa(record)).Scan(&version); err != nil {
						return err
					}
					if err := outbox.Add(ctx, tx, []outbox.Event{{Type: "book.updated", Collection: "books", RecordID: id, Version: version,
						Object: json.RawMessage(`{}`)}}); err != nil {
						return err
					}
					time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
					if rand.IntN(6) == 0 {
						return given
					}
					return nil
				})
				switch {
				case err == nil:
					committed.Store(fmt.Sprint(principal.From(ctx).OrganizationID, id, version), true)
					count.Add(1)
				case !errors.Is(err, given):
					t.Error(err)
				}
			}
		})
	}
	writing, stop := context.WithCancel(t.Context())
	var killing sync.WaitGroup
	killing.Go(func() {
		for writing.Err() == nil {
			if killLeader(t, database) {
				kills.Add(1)
			}
			time.Sleep(150 * time.Millisecond)
		}
	})
	all.Wait()
	stop()
	killing.Wait()
	testwait.For(t, time.Minute, "everything", func() bool { return waits(t, database) == 0 })

	last := map[string]int{}
	got := in.all()
	for _, event := range got {
		key := event.OrganizationID + event.RecordID
		if _, was := committed.Load(fmt.Sprint(event.OrganizationID, event.RecordID, event.Version)); !was {
			t.Errorf("received without its change: %+v", event)
		}
		if event.Version != last[key]+1 {
			t.Errorf("version %d of a record came after version %d", event.Version, last[key])
		}
		last[key] = event.Version
	}
	if len(got) != int(count.Load()) {
		t.Errorf("%d changes were committed, %d received", count.Load(), len(got))
	}
	t.Logf("%d changes, %d calls, the leader was killed %d times", count.Load(), in.calls(), kills.Load())
	if kills.Load() == 0 {
		t.Error("the leader was never killed")
	}
}

func TestABatchUnderWayEndsWithItsLeadersConnection(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	posting, cancelled := make(chan struct{}), make(chan struct{})
	var first sync.Once
	in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
		held := false
		first.Do(func() {
			held = true
			close(posting)
			<-r.Context().Done()
			close(cancelled)
		})
		if !held {
			acknowledge(w, r, store, events)
		}
	})
	add(t, ctx, database.Open(t), 3)
	in.relay(database)
	<-posting
	if !killLeader(t, database) {
		t.Fatal("no relay leads")
	}
	<-cancelled
	testwait.For(t, time.Minute, "the events", func() bool { return waits(t, database) == 0 && len(in.all()) == 3 })
}

func TestOneRelayLeadsAndAnotherTakesOver(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	endFirst := in.relay(database)
	leaders := func() int {
		return query(t, database, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND d.datname = current_database()`)
	}
	testwait.For(t, time.Minute, "a leader", func() bool { return leaders() == 1 })
	in.relay(database)
	add(t, ctx, db, 2)
	testwait.For(t, time.Minute, "the events", func() bool { return len(in.all()) == 2 })
	endFirst()
	testwait.For(t, time.Minute, "another leader", func() bool { return leaders() == 1 })
	add(t, ctx, db, 2)
	testwait.For(t, time.Minute, "the events", func() bool { return len(in.all()) == 4 })
}

// A process that shuts down finishes the batch that runs, and publishes what was committed until then.
func TestARelayThatIsStoppedFinishes(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	posting, respond := make(chan struct{}), make(chan struct{})
	var first sync.Once
	in.respondWith(func(w http.ResponseWriter, r *http.Request, store func(int) []string, events []received) {
		first.Do(func() {
			close(posting)
			<-respond
		})
		acknowledge(w, r, store, events)
	})
	end := in.relay(database)
	add(t, ctx, db, 1)
	<-posting
	add(t, ctx, db, 2)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end()
	}()
	close(respond)
	<-ended
	if n := waits(t, database); n != 0 || len(in.all()) != 3 {
		t.Errorf("%d events wait, %d were received", n, len(in.all()))
	}
}
