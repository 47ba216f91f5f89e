package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/fault"
	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/telemetry"
)

const (
	// minDelay doubles with each failure in a row, up to maxDelay.
	minDelay, maxDelay = time.Second, time.Minute
	// putOffTimeout is the time to put off what failed, also when the process ends.
	putOffTimeout = 5 * time.Second
)

// Item is something that is due in an organization.
type Item struct{ Organization, Kind, ID string }

// Queue does what is due in the organizations of a cell. Every instance has one in each cell, and they need not know of each other:
// what is due stands in the database, and who works on it holds a lock of the organization, or has claimed the item. Organizations
// have turns: of what is due, those come first that this instance has worked for least recently.
type Queue struct {
	Name    string // of its traces and its lines of the log
	Service string // the actor
	DB      *postgres.DB
	Log     *slog.Logger

	Organizations *reference.OrganizationCache
	// Due is a query that gives what is due as organization_id, id and kind, the longest due first. It belongs to no organization.
	Due string
	// Args are the arguments of Due.
	Args []any
	// Lock begins the name of the lock that an instance holds while it works for an organization; the id of that follows. It belongs to a
	// session, and ends with the process. Without it, Do claims the item.
	Lock string
	// Interval is the time between two queries where nobody wakes the queue.
	Interval time.Duration
	// Signal wakes the queue; may be nil.
	Signal *Signal
	// Places lets items be worked on side by side. Without it they are worked on one after the other.
	Places Places

	// Do works on an item on behalf of its organization, of which it knows everything: one that does not exist any more has no features.
	Do func(ctx context.Context, item Item) error
	// Polls counts the queries of what is due; may be nil.
	Polls metric.Int64Counter
	// PutOff is called where Do failed, on behalf of the organization. It makes the item due later, in the database, or ends it. Without it
	// this process leaves the item alone for a time that doubles.
	PutOff func(ctx context.Context, item Item, cause error) error

	running sync.WaitGroup
	mu      sync.Mutex
	busy    map[Item]bool
	turn    uint64
	turns   map[Item]uint64 // the last turn by turnKey
	delays  map[Item]delay  // of what failed, and of organizations that nothing could be found out about
}

// Places are what an instance has few of. They are asked under a lock, and do not wait.
type Places interface {
	Enter(item Item) bool
	Leave(item Item)
}

// delay is how long something that failed is left alone.
type delay struct {
	length time.Duration
	until  time.Time
}

// Run works in the cell of ctx until ctx ends, and what was begun has ended.
func (q *Queue) Run(ctx context.Context) {
	defer q.running.Wait()
	for ctx.Err() == nil {
		if err := q.begin(ctx); err != nil && ctx.Err() == nil {
			q.Log.WarnContext(ctx, "background work failed; it is tried again", "work", q.Name, "error", err)
		}
		leader.Sleep(ctx, q.Interval, q.signal(ctx))
	}
}

// Once works on what is due, as far as there are places, and waits for it.
func (q *Queue) Once(ctx context.Context) error {
	defer q.running.Wait()
	return q.begin(ctx)
}

func (q *Queue) signal(ctx context.Context) chan struct{} {
	if q.Signal == nil {
		return nil
	}
	return q.Signal.in(ctx)
}

// begin begins what is due, as far as there are places.
func (q *Queue) begin(ctx context.Context) error {
	due, err := q.Find(ctx)
	if err != nil {
		return err
	}
	if q.Polls != nil {
		q.Polls.Add(ctx, 1)
	}
	for _, item := range q.inTurn(due) {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the context ended
		}
		if !q.enter(item) {
			continue
		}
		if q.Places == nil {
			q.work(ctx, item)
			continue
		}
		q.running.Go(func() { q.work(ctx, item) })
	}
	return nil
}

// Find gives what is due and not in another instance's hands, of the organizations that live here.
func (q *Queue) Find(ctx context.Context) (due []Item, err error) {
	query := "SELECT d.organization_id::text, d.kind::text, d.id::text FROM (" + q.Due + ") d WHERE " +
		postgres.LivesHere("d.organization_id")
	if q.Lock != "" {
		query += " AND NOT " + leader.Held("'"+q.Lock+"' || d.organization_id")
	}
	if err := q.DB.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query, q.Args...)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Item])
		return err
	}); err != nil {
		return nil, fmt.Errorf("find what is due: %w", err)
	}
	return due, nil
}

// inTurn puts first what is due in organizations whose last turn is longest ago: one that has 10,000 items lets the others through.
func (q *Queue) inTurn(due []Item) []Item {
	q.mu.Lock()
	defer q.mu.Unlock()
	turns, delays := map[Item]uint64{}, map[Item]delay{}
	for _, item := range due { // all else has nothing due
		turns[q.turnKey(item)] = q.turns[q.turnKey(item)]
		for _, key := range []Item{item, item.organization()} {
			if d, is := q.delays[key]; is {
				delays[key] = d
			}
		}
	}
	q.turns, q.delays = turns, delays
	if q.busy == nil {
		q.busy = map[Item]bool{}
	}
	slices.SortStableFunc(due, func(a, b Item) int { return cmp.Compare(turns[q.turnKey(a)], turns[q.turnKey(b)]) })
	return due
}

func (i Item) organization() Item { return Item{Organization: i.Organization} }

// turnKey is what has turns: an organization has one of each kind, where kinds have places of their own.
func (q *Queue) turnKey(item Item) Item {
	if q.Lock != "" {
		return item.organization()
	}
	return Item{Organization: item.Organization, Kind: item.Kind}
}

// busyKey is what only one works on in this process: a lock is one of the organization.
func (q *Queue) busyKey(item Item) Item {
	if q.Lock != "" {
		return item.organization()
	}
	return item
}

// enter takes a place for an item that nobody here works on, and that has not failed just now.
func (q *Queue) enter(item Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.busy[q.busyKey(item)] || now.Before(q.delays[item].until) || now.Before(q.delays[item.organization()].until) {
		return false
	}
	if q.Places != nil && !q.Places.Enter(item) {
		return false
	}
	q.busy[q.busyKey(item)] = true
	return true
}

// leave gives the place back. The end of a turn counts: one that took long is followed by those of others.
func (q *Queue) leave(item Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, q.busyKey(item))
	q.turn++
	q.turns[q.turnKey(item)] = q.turn
	if q.Places != nil {
		q.Places.Leave(item)
	}
}

// work works on an item, and puts it off when that fails.
func (q *Queue) work(ctx context.Context, item Item) {
	err := telemetry.Work(ctx, q.Name, func(ctx context.Context) error {
		err := q.alone(ctx, item)
		if record(ctx, q.Name, err) == failed && ctx.Err() == nil {
			q.Log.WarnContext(ctx, "a piece of background work failed; it is tried again", "work", q.Name, "kind", item.Kind, "id", item.ID,
				"organization", item.Organization, "error", err)
		}
		return err
	})
	q.leave(item)
	if err == nil && q.Places != nil { // there is room for the next one; after a failure the next query is soon enough
		if woken := q.signal(ctx); woken != nil {
			wake(woken)
		}
	}
}

// alone works on an item while it holds the lock of the organization; where another instance holds that, nothing.
func (q *Queue) alone(ctx context.Context, item Item) error {
	if q.Lock == "" {
		return q.onBehalf(ctx, item)
	}
	conn, err := q.DB.Connect(ctx)
	if err != nil {
		return err
	}
	defer postgres.Disconnect(conn)
	if holds, err := leader.Try(ctx, conn, q.Lock+item.Organization); err != nil || !holds {
		return err
	}
	return leader.While(ctx, conn, func(ctx context.Context) error { return q.onBehalf(ctx, item) })
}

// onBehalf works on an item as this service in its organization. What a move refuses is not put off: it is due again where the
// organization lives then. Neither is what ended with a lock, which another instance may have by then; a claim is, else it would keep
// the item from others.
func (q *Queue) onBehalf(ctx context.Context, item Item) error {
	return q.Organizations.Do(ctx, item.Organization, func() error {
		o, err := q.Organizations.Organization(ctx, item.Organization)
		if err != nil && fault.From(err).Kind != fault.KindNotFound {
			q.postpone(item.organization())
			return fmt.Errorf("ask for the organization: %w", err)
		}
		q.proceed(item.organization())
		o.ID = item.Organization
		p := o.Principal(q.Service)
		p.RequestID, p.Origin = uuid.Must(uuid.NewV7()).String(), "api"
		ctx := principal.Into(ctx, p)
		switch err := q.Do(ctx, item); {
		case err == nil:
			q.proceed(item)
			return nil
		case postgres.IsMoving(err) || ctx.Err() != nil && q.Lock != "":
			return err
		case q.PutOff == nil:
			q.postpone(item)
			return err
		default:
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putOffTimeout)
			defer cancel()
			return errors.Join(err, q.PutOff(ctx, item, err))
		}
	})
}

// postpone leaves something alone that failed, twice as long as the last time.
func (q *Queue) postpone(key Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	length := min(maxDelay, max(minDelay, 2*q.delays[key].length))
	q.delays[key] = delay{length, time.Now().Add(length)}
}

func (q *Queue) proceed(key Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.delays, key)
}
