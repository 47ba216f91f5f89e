package transport_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transaction"
	"ams.internal/libs/transport"
)

// caller has one operation that calls somebody outside, and one that reads, on a pool of one connection.
type caller struct {
	*resourcetest.Client
	database *postgrestest.Database
	calls    atomic.Int64
	outside  atomic.Value // func(ctx context.Context) error: what happens outside
	log      bytes.Buffer
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	c := &caller{database: postgrestest.New(t, "library", nil)}
	db, signer := c.database.OpenSingle(t), resourcetest.NewSigner(t)
	api := transport.New(signer, db, slog.New(slog.NewJSONHandler(&c.log, nil)))
	c.answer(func(context.Context) error { return nil })
	transport.Post(api, transport.Operation{Path: "/v1/calls", ID: "call", Scope: "calls:write", CallsOut: true},
		func(ctx context.Context, in struct {
			Name string `json:"name"`
		}) (greeting, error) {
			transaction.MustNotRun(ctx, "call")
			c.calls.Add(1)
			return greeting{Text: "called " + in.Name}, c.outside.Load().(func(context.Context) error)(ctx)
		})
	transport.Get(api, transport.Operation{Path: "/v1/calls", ID: "read", Scope: "calls:read"},
		func(ctx context.Context, _ nothing) (greeting, error) {
			return greeting{}, db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "SELECT 1")
				return err
			})
		})
	c.Client = resourcetest.NewClient(api.Handler(), signer)
	return c
}

// answer says what happens outside from now on.
func (c *caller) answer(do func(ctx context.Context) error) { c.outside.Store(do) }

func (c *caller) call(t testing.TB, status int, name string) resourcetest.Response {
	t.Helper()
	return c.Must(t, status, "POST", "/v1/calls", map[string]any{"name": name}, "Idempotency-Key", "k")
}

func (c *caller) called(t testing.TB, want int64) {
	t.Helper()
	if got := c.calls.Load(); got != want {
		t.Errorf("%d calls went out, want %d", got, want)
	}
}

// owner runs a statement that sees every organization.
func (c *caller) owner(t testing.TB, sql string) int64 {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tag, err := conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return tag.RowsAffected()
}

func TestNoConnectionIsHeldWhileSomebodyOutsideIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	reached, release := make(chan struct{}), make(chan struct{})
	c.answer(func(context.Context) error {
		close(reached)
		<-release
		return nil
	})
	answered := make(chan resourcetest.Response, 1)
	go func() {
		answered <- c.Do(t, "POST", "/v1/calls", map[string]any{"name": "Anne"}, "Idempotency-Key", "k")
	}()
	<-reached
	c.Must(t, 200, "GET", "/v1/calls", nil) // by the only connection
	if meanwhile := c.call(t, 409, "Anne"); meanwhile.JSON["code"] != "idempotency_key_in_use" {
		t.Errorf("a second request meanwhile: %s", meanwhile.Body)
	}
	close(release)
	first := <-answered
	again := c.call(t, 200, "Anne")
	if first.Status != 200 || string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%d %s and then %s", first.Status, first.Body, again.Body)
	}
	if reused := c.call(t, 409, "Jean"); reused.JSON["code"] != "idempotency_key_reused" {
		t.Errorf("the key with another body: %s", reused.Body)
	}
	c.called(t, 1)
}

func TestAFailureGivesTheKeyBack(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	for name, fail := range map[string]func(context.Context) error{
		"an error":      func(context.Context) error { return errors.New("the inside") },
		"a panic":       func(context.Context) error { panic("the inside") },
		"a bad request": func(context.Context) error { return fault.Unavailable("away", "Nobody is there.") },
	} {
		c.answer(fail)
		if answer := c.Do(t, "POST", "/v1/calls", map[string]any{"name": name}, "Idempotency-Key", "k"); answer.Status < 500 {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
	c.answer(func(context.Context) error { return nil })
	c.call(t, 200, "Anne")
	c.called(t, 4)
}

func TestTheKeyOfAProcessThatWasKilledIsTakenOver(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	c.call(t, 200, "Anne")
	killed := "UPDATE idempotency SET status = 0, headers = NULL, body = NULL, created_at = now() - interval '%s'"
	c.owner(t, strings.Replace(killed, "%s", "40 seconds", 1))
	c.call(t, 409, "Anne") // it may still run
	c.owner(t, strings.Replace(killed, "%s", "46 seconds", 1))
	// Another takes over while one that was only slow ends: each stores its own response, and the later claim counts.
	slow := true
	c.answer(func(context.Context) error {
		if slow {
			slow = false
			if c.owner(t, strings.Replace(killed, "%s", "46 seconds", 1)) != 1 {
				t.Error("there is no claim")
			}
			c.call(t, 200, "Anne")
		}
		return nil
	})
	c.call(t, 200, "Anne")
	if again := c.call(t, 200, "Anne"); again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the response is not stored: %s", again.Body)
	}
	c.called(t, 3)
	if rows := c.owner(t, "DELETE FROM idempotency"); rows != 1 {
		t.Errorf("%d rows", rows)
	}
}

// A response whose day is over is no response, whether a sweep has been there or not.
func TestAResponseIsReplacedAfterADay(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	c.call(t, 200, "Anne")
	aged := "UPDATE idempotency SET created_at = now() - interval '%s'"
	c.owner(t, strings.Replace(aged, "%s", "23 hours", 1))
	if again := c.call(t, 200, "Anne"); again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("within the day: %s", again.Body)
	}
	c.owner(t, strings.Replace(aged, "%s", "25 hours", 1))
	if fresh := c.call(t, 200, "Jean"); fresh.Header.Get("Idempotency-Replayed") != "" { // with another body too
		t.Errorf("after the day: %s", fresh.Body)
	}
	if again := c.call(t, 200, "Jean"); again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the new response: %s", again.Body)
	}
	c.called(t, 2)
}

// What was done outside is done: the response is stored although the caller has hung up.
func TestTheResponseIsKeptForACallerWhoHangsUp(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	hangUp := make(chan context.CancelFunc, 1)
	c.answer(func(context.Context) error { (<-hangUp)(); return nil })
	ctx, cancel := context.WithCancel(t.Context())
	hangUp <- cancel
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/calls", strings.NewReader(`{"name":"Anne"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k")
	r.Header.Set(principal.Header, c.Signer.Sign(c.Principal))
	c.Handler.ServeHTTP(httptest.NewRecorder(), r)
	if again := c.call(t, 200, "Anne"); again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the response is not stored: %s", again.Body)
	}
	c.called(t, 1)
}
