package work_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/work"
)

// A table of chores: each is done once, by whoever claims it, and recorded.
var chores = fstest.MapFS{"0001_chores.sql": {Data: []byte(`-- +goose Up
CREATE TABLE chore (organization_id uuid NOT NULL, id uuid NOT NULL, number serial, due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (organization_id, id));
SELECT isolate('chore');
-- +goose StatementBegin
CREATE FUNCTION chores_due() RETURNS TABLE (organization_id uuid, id uuid, kind text)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
	SELECT c.organization_id, c.id, 'chore' FROM chore c WHERE c.due_at <= clock_timestamp() ORDER BY c.number $$;
-- +goose StatementEnd
GRANT EXECUTE ON FUNCTION chores_due() TO ams_library;
`)}}

const (
	first  = "00000000-0000-7000-8000-000000000001"
	second = "00000000-0000-7000-8000-000000000002"
	third  = "00000000-0000-7000-8000-000000000003"
)

var errBroken = errors.New("broken")

type library struct {
	*postgrestest.Database
	t     *testing.T
	owner *pgx.Conn

	mu   sync.Mutex
	done []work.Item
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{Database: postgrestest.New(t, "library", chores), t: t}
	var err error
	if l.owner, err = pgx.Connect(t.Context(), l.OwnerURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.owner.Close(context.Background()) })
	return l
}

func (l *library) exec(sql string, args ...any) {
	l.t.Helper()
	if _, err := l.owner.Exec(l.t.Context(), sql, args...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) add(organization string, n int) {
	l.t.Helper()
	l.exec(`INSERT INTO chore (organization_id, id) SELECT $1::text::uuid, gen_random_uuid() FROM generate_series(1, $2::int)`,
		organization, n)
}

func (l *library) left(organization string) (n int) {
	l.t.Helper()
	const count = "SELECT count(*) FROM chore WHERE organization_id = $1::text::uuid"
	if err := l.owner.QueryRow(l.t.Context(), count, organization).Scan(&n); err != nil {
		l.t.Fatal(err)
	}
	return n
}

// queue is that of a process of its own, which claims nothing: a lock keeps the others away.
func (l *library) queue(do func(ctx context.Context, item work.Item) error) *work.Queue {
	db := l.Open(l.t)
	return &work.Queue{Name: "chores", Service: "library", DB: db, Log: resourcetest.Log(l.t), Interval: 10 * time.Millisecond,
		Organizations: reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
			return reference.Organization{ID: id}, nil
		}, time.Now),
		Due: "SELECT * FROM chores_due()", Lock: "chores of ",
		Do: func(ctx context.Context, item work.Item) error {
			if err := do(ctx, item); err != nil {
				return err
			}
			return db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				deleted, err := tx.Exec(ctx, "DELETE FROM chore WHERE organization_id = current_organization() AND id = $1", item.ID)
				if err == nil && deleted.RowsAffected() == 1 {
					l.mu.Lock()
					defer l.mu.Unlock()
					l.done = append(l.done, item)
				}
				return err
			})
		}}
}

// run lets a queue run until the test ends, or the process is killed.
func (l *library) run(q *work.Queue) (kill func()) {
	ctx, cancel := context.WithCancel(l.t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	kill = func() { cancel(); running.Wait() }
	l.t.Cleanup(kill)
	return kill
}

func (l *library) await(what string, holds func() bool) {
	l.t.Helper()
	testwait.For(l.t, time.Minute, what, holds)
}

// places are two for all and one for each organization.
type places struct{ taken map[string]int }

func (p places) Enter(item work.Item) bool {
	if p.taken[""] == 2 || p.taken[item.Organization] == 1 {
		return false
	}
	p.taken[""]++
	p.taken[item.Organization]++
	return true
}

func (p places) Leave(item work.Item) {
	p.taken[""]--
	p.taken[item.Organization]--
}

func nothing(context.Context, work.Item) error { return nil }

func TestAnOrganizationWithMuchLetsTheOthersThrough(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.add(first, 200)
	l.add(second, 1)
	l.add(third, 1)
	q := l.queue(nothing)
	q.Places = places{map[string]int{}}
	for range 3 {
		if err := q.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if l.left(second) != 0 || l.left(third) != 0 || l.left(first) < 190 {
		t.Errorf("after three rounds %d, %d and %d are left", l.left(first), l.left(second), l.left(third))
	}
}

func TestTwoProcessesDoEachItemOnceThoughOneIsKilled(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for _, id := range []string{first, second, third} {
		l.add(id, 30)
	}
	begun := make(chan struct{}, 1)
	killed := l.queue(func(ctx context.Context, _ work.Item) error {
		select {
		case begun <- struct{}{}:
		default:
		}
		<-ctx.Done() // it works, and is killed in the middle
		return ctx.Err()
	})
	kill := l.run(killed)
	<-begun
	l.run(l.queue(nothing))
	l.run(l.queue(nothing))
	l.await("the others have done what is not locked", func() bool { return l.left(first)+l.left(second)+l.left(third) == 30 })
	kill()
	l.await("what the killed process had begun is done", func() bool { return l.left(first)+l.left(second)+l.left(third) == 0 })
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[string]bool{}
	for _, item := range l.done {
		if seen[item.ID] {
			t.Errorf("%s was done twice", item.ID)
		}
		seen[item.ID] = true
	}
	if len(seen) != 90 {
		t.Errorf("%d of 90 were done", len(seen))
	}
}

func TestWhatFailsIsLeftAloneForAWhileAndDelaysNobody(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.add(first, 1)
	l.add(second, 5)
	attempts := 0
	q := l.queue(func(_ context.Context, item work.Item) error {
		if item.Organization == first {
			attempts++
			return errBroken
		}
		return nil
	})
	rounds := 0
	round := func() bool {
		rounds++
		return q.Once(t.Context()) == nil
	}
	l.await("all of the other is done", func() bool { return round() && l.left(second) == 0 && rounds > 20 })
	if attempts == 0 || attempts == rounds {
		t.Errorf("%d attempts in %d rounds at what fails", attempts, rounds)
	}
	former := attempts
	l.await("it is tried again", func() bool { return round() && attempts > former })
}

func TestWhatFailsIsPutOffOnBehalfOfTheOrganization(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.add(first, 1)
	q := l.queue(func(context.Context, work.Item) error { return errBroken })
	q.PutOff = func(ctx context.Context, item work.Item, cause error) error {
		if !errors.Is(cause, errBroken) {
			t.Errorf("the cause is %v", cause)
		}
		return q.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue("UPDATE chore SET due_at = 'infinity' WHERE organization_id = current_organization() AND id = $1", item.ID)
		})
	}
	if err := q.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if due, err := q.Find(t.Context()); len(due) != 0 || err != nil {
		t.Errorf("due are %v, %v", due, err)
	}
}

// An organization that is moved away is not even looked for; one that begins to move just then is tried again when it lives here.
func TestAnOrganizationThatMovesIsLeftOutAndTriedAgain(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.add(first, 1)
	l.add(second, 1)
	l.exec("INSERT INTO organization_move (organization, state) VALUES ($1::text::uuid, 'absent')", first)
	tried := 0
	q := l.queue(func(context.Context, work.Item) error {
		if tried++; tried == 1 {
			l.exec("INSERT INTO organization_move (organization, state) VALUES ($1::text::uuid, 'absent')", second)
		}
		return nil
	})
	q.PutOff = func(context.Context, work.Item, error) error { panic("it is put off where it does not live") }
	if err := q.Once(t.Context()); err != nil || tried != 2 || l.left(second) != 1 {
		t.Fatalf("tried %d times, %d left: %v", tried, l.left(second), err)
	}
	l.exec("DELETE FROM organization_move")
	l.await("both are done", func() bool { return q.Once(t.Context()) == nil && l.left(first)+l.left(second) == 0 })
}

func TestAQueueIsWokenByTheCommit(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	q := l.queue(nothing)
	q.Interval, q.Signal = time.Hour, &work.Signal{}
	l.run(q)
	ctx := principal.Into(t.Context(), principal.Principal{OrganizationID: first})
	if err := q.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		q.Signal.AfterCommit(ctx)
		_, err := tx.Exec(ctx, "INSERT INTO chore (organization_id, id) VALUES (current_organization(), gen_random_uuid())")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	l.await("it is done", func() bool { return l.left(first) == 0 })
}

func TestWhoDoesNotExistAnyMoreHasNoFeatures(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.add(first, 1)
	q := l.queue(func(ctx context.Context, item work.Item) error {
		if p := principal.From(ctx); p.OrganizationID != first || len(p.Features) > 0 || p.Actor.ID != "library" {
			t.Errorf("it is done as %+v", p)
		}
		return nil
	})
	q.Organizations = reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
		return reference.Organization{}, fault.NotFound("organization", id)
	}, time.Now)
	if err := q.Once(t.Context()); err != nil || l.left(first) != 0 {
		t.Errorf("%d are left: %v", l.left(first), err)
	}
}

// sweep is that of a process of its own.
func (l *library) sweep(do func(ctx context.Context) error, ids ...string) work.Sweep {
	return work.Sweep{Name: "chores", DB: l.Open(l.t), Log: resourcetest.Log(l.t), Interval: 10 * time.Millisecond, Do: do,
		Organizations: func(context.Context) (all []principal.Principal, err error) {
			for _, id := range ids {
				all = append(all, principal.Principal{OrganizationID: id})
			}
			return all, nil
		}}
}

func TestASweepGoesOnBehindAnOrganizationThatFailsOrMoves(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.exec("INSERT INTO organization_move (organization, state) VALUES ($1::text::uuid, 'absent')", first)
	for _, broken := range []string{"", second} {
		var done []string
		var s work.Sweep
		s = l.sweep(func(ctx context.Context) error {
			return s.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				organization := principal.From(ctx).OrganizationID
				if organization == broken {
					return errBroken
				}
				if _, err := tx.Exec(ctx, "SELECT FROM chore"); err != nil {
					return err
				}
				done = append(done, organization)
				return nil
			})
		}, first, second, third)
		err := s.Once(t.Context())
		if !slices.Contains(done, third) || slices.Contains(done, first) {
			t.Errorf("done are %v", done)
		}
		if broken == "" && !postgres.IsMoving(err) || broken != "" && !errors.Is(err, errBroken) {
			t.Errorf("%q fails: %v", broken, err)
		}
	}
}

// Of two processes one sweeps; the other goes on when it is killed.
func TestOneProcessSweeps(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var mu sync.Mutex
	rounds, kills := [2]int{}, [2]func(){}
	for n := range 2 {
		s := l.sweep(func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			rounds[n]++
			return nil
		}, uuid.NewString())
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		kills[n] = func() { cancel(); running.Wait() }
		t.Cleanup(kills[n])
	}
	at := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rounds[n]
	}
	l.await("somebody sweeps", func() bool { return at(0)+at(1) > 5 })
	leader := 0
	if at(1) > 0 {
		leader = 1
	}
	if at(1-leader) > 0 {
		t.Errorf("both sweep: %v", fmt.Sprint(rounds))
	}
	kills[leader]()
	l.await("the other goes on", func() bool { return at(1-leader) > 0 })
}
