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

// stallingProxy is a proxy between a pool and its server. While it stalls, connections stay open and nothing is forwarded.
type stallingProxy struct {
	address string
	mu      sync.Mutex
	passing chan struct{} // closed while everything passes
}

func newStallingProxy(t *testing.T, target string) *stallingProxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	r := &stallingProxy{address: listener.Addr().String()}
	r.resume()
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

func (r *stallingProxy) pass(to, from net.Conn) {
	_, _ = io.Copy(gated{to, r}, from)
	_, _ = to.Close(), from.Close()
}

type gated struct {
	net.Conn
	stallingProxy *stallingProxy
}

func (g gated) Write(piece []byte) (int, error) {
	g.stallingProxy.mu.Lock()
	passing := g.stallingProxy.passing
	g.stallingProxy.mu.Unlock()
	<-passing
	return g.Conn.Write(piece)
}

func (r *stallingProxy) stall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passing = make(chan struct{})
}

func (r *stallingProxy) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passing == nil {
		r.passing = make(chan struct{})
	}
	close(r.passing)
}

func TestATransactionInAServerThatHangsIsUnavailable(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	address, err := url.Parse(database.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newStallingProxy(t, address.Host)
	address.Host = proxy.address
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
			err := transaction(proxy.stall)
			var rejection *fault.Error
			if !errors.As(err, &rejection) || rejection.Code != "database_unavailable" || ctx.Err() != nil {
				t.Errorf("a server that hangs: %v, context: %v", err, ctx.Err())
			}
			proxy.resume()
			for err := transaction(func() {}); err != nil; err = transaction(func() {}) {
				if ctx.Err() != nil {
					t.Fatalf("the server has resumed, and the error is %v", err)
				}
			}
		})
	}
}

func TestASlowStatementOfAResponsiveServerIsNotCancelled(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t, "assets", schema).Open(t)
	var callers sync.WaitGroup
	for range 3 { // each runs long enough for more than one check
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
