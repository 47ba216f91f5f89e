package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// relay stands between a pool and its server; while it hangs, connections stand and nothing passes.
type relay struct {
	address string
	mu      sync.Mutex
	passing chan struct{} // closed while everything passes
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	r := &relay{address: listener.Addr().String()}
	r.goOn()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			go r.pass(near, far)
			go r.pass(far, near)
		}
	}()
	return r
}

func (r *relay) pass(to, from net.Conn) {
	_, _ = io.Copy(gated{to, r}, from)
	_, _ = to.Close(), from.Close()
}

type gated struct {
	net.Conn
	relay *relay
}

func (g gated) Write(piece []byte) (int, error) {
	g.relay.mu.Lock()
	passing := g.relay.passing
	g.relay.mu.Unlock()
	<-passing
	return g.Conn.Write(piece)
}

func (r *relay) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passing = make(chan struct{})
}

func (r *relay) goOn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passing == nil {
		r.passing = make(chan struct{})
	}
	close(r.passing)
}

func TestATransactionInAServerThatHangsIsRefused(t *testing.T) {
	database := postgrestest.New(t, "assets", schema)
	address, err := url.Parse(database.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := newRelay(t, address.Host)
	address.Host = line.address
	db, err := postgres.Open(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	ctx, cancel := context.WithTimeout(in(t, uuid.NewString()), time.Minute)
	defer cancel()
	for name, transaction := range map[string]func(then func()) error{
		"a write": func(then func()) error {
			return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				then()
				_, err := tx.Exec(ctx, "SELECT 1")
				return err
			})
		},
		"a batch": func(then func()) error {
			return db.Batch(ctx, func(batch *pgx.Batch) {
				then()
				batch.Queue("SELECT 1")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := transaction(func() {}); err != nil {
				t.Fatal(err)
			}
			err := transaction(line.hang)
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Code != "database_unavailable" || ctx.Err() != nil {
				t.Errorf("a server that hangs: %v, context: %v", err, ctx.Err())
			}
			line.goOn()
			for err := transaction(func() {}); err != nil; err = transaction(func() {}) {
				if ctx.Err() != nil {
					t.Fatalf("the server goes on, and the answer is %v", err)
				}
			}
		})
	}
}

func TestASlowStatementOfALivingServerIsNotEnded(t *testing.T) {
	db := postgrestest.New(t, "assets", schema).Open(t)
	var callers sync.WaitGroup
	for range 3 { // each wants to know more than once whether the server lives
		callers.Go(func() {
			if err := db.Write(in(t, uuid.NewString()), func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "SELECT pg_sleep(1.5)")
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
}
