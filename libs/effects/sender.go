package effects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/fault"
	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/telemetry"
)

const (
	// minPoll and maxPoll bound the time between two queries that find nothing: it doubles. Every commit wakes the leader, also in another
	// process. A process that ended between the two, or a program of an earlier release, did not: its instructions are found within maxPoll.
	minPoll, maxPoll = 250 * time.Millisecond, 2 * time.Second
	// maxTaken is how many instructions are taken at a time, and maxConcurrent how many organizations' calls of one owner run side by side.
	maxTaken      = 200
	maxConcurrent = 4
	// minBackoff and maxBackoff bound the exponential backoff while an owner is away.
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// Record keeps the answers to instructions of one organization: it brings the effects to their new states. An answer that is Final makes
// an effect applied, whatever state it is in. A refusal of a stage before completed refuses the effect too. The answers are of different
// effects.
type Record func(ctx context.Context, tx pgx.Tx, results []Result) error

// Sender sends the instructions of one service, of all organizations of a cell, to the owners of what they change: those about one record
// one after the other. Every instance of the service runs one in each cell; one leads. An instruction goes when its answer is recorded, in
// one transaction. After a crash it is sent again; its owner answers as before.
type Sender struct {
	service    string
	db         *postgres.DB
	references *reference.Client
	log        *slog.Logger
	record     Record

	cell    string // that of Run's context
	wake    chan struct{}
	backlog atomic.Pointer[backlog] // nil while another instance leads
	failing atomic.Bool             // the last call failed; logged once
	putOff  atomic.Int64            // when instructions were put off last, in Unix nanoseconds
}

// NewSender makes a sender. Run starts it.
func NewSender(service string, db *postgres.DB, references *reference.Client, log *slog.Logger, record Record) *Sender {
	return &Sender{service: service, db: db, references: references.Patient(callDeadline), log: log, record: record,
		wake: make(chan struct{}, 1)}
}

// Run works in the cell of ctx until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	s.cell = principal.From(ctx).CellName()
	running.add(s)
	defer running.remove(s)
	defer s.registerMetrics()()
	election := leader.Election{Name: "effects sender", Work: "sends the effects of its service", DB: s.db, Log: s.log, Wake: s.wake}
	election.Run(ctx, func(ctx context.Context, _ *leader.Lock) error {
		s.backlog.Store(&backlog{})
		defer s.backlog.Store(nil)
		return s.lead(ctx)
	})
}

// taken is an instruction as it waits, with whom it is for.
type taken struct {
	Instruction
	organization, owner string
	caller              string // JSON
}

// lead sends what is due until ctx ends. Each owner has calls of its own, so that one that is slow or away keeps no other waiting.
func (s *Sender) lead(ctx context.Context) error {
	owners := &owners{busy: map[string]bool{}, delay: map[string]time.Duration{}, next: map[string]time.Time{}}
	var calls sync.WaitGroup
	defer calls.Wait()
	var counted time.Time
	idle := minPoll
	for ctx.Err() == nil {
		if time.Since(counted) > countInterval {
			counted = time.Now()
			s.countBacklog(ctx)
		}
		due, err := s.take(ctx, owners.unavailable())
		if err != nil {
			s.log.DebugContext(ctx, "instructions of effects cannot be taken", "error", err)
		}
		for owner, batch := range due {
			owners.begin(owner)
			calls.Go(func() {
				owners.end(owner, s.sendTraced(ctx, owner, batch))
				s.Wake()
			})
		}
		if len(due) > 0 || s.expects(owners) {
			idle = minPoll
		}
		if len(due) == 0 {
			leader.Sleep(ctx, idle, s.wake)
			idle = min(maxPoll, 2*idle)
		}
	}
	return nil
}

// expects says whether something waits that falls due without a commit.
func (s *Sender) expects(owners *owners) bool {
	counted := s.backlog.Load()
	return owners.waiting() || counted != nil && counted.instructions > 0 || time.Since(time.Unix(0, s.putOff.Load())) < 2*maxBackoff
}

// take gives what is due, by owner.
func (s *Sender) take(ctx context.Context, unavailable []string) (due map[string][]taken, err error) {
	err = s.db.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT organization_id::text, effect_id::text, sequence, owner, kind, stage, withdraw, payload::text,
				on_day::text, cause::text, actor::text, caller::text, request_id
			FROM effects_take($1, $2)`, maxTaken, unavailable)
		if err != nil {
			return err
		}
		due, err = read(rows)
		return err
	})
	return due, err
}

func read(rows pgx.Rows) (map[string][]taken, error) {
	due := map[string][]taken{}
	var t taken
	var payload, cause, actor string
	_, err := pgx.ForEachRow(rows, []any{&t.organization, &t.ID, &t.Sequence, &t.owner, &t.Kind, &t.Stage, &t.Withdraw, &payload, &t.On,
		&cause,
		&actor, &t.caller, &t.RequestID}, func() error {
		one := t
		one.Payload = nil
		if err := errors.Join(json.Unmarshal([]byte(payload), &one.Payload), json.Unmarshal([]byte(cause), &one.Cause),
			json.Unmarshal([]byte(actor), &one.Actor)); err != nil {
			return err
		}
		due[one.owner] = append(due[one.owner], one)
		return nil
	})
	return due, err
}

func (s *Sender) sendTraced(ctx context.Context, owner string, batch []taken) error {
	err := telemetry.Work(ctx, "send effects", func(ctx context.Context) error { return s.send(ctx, owner, batch) })
	switch {
	case err != nil && ctx.Err() == nil && s.failing.CompareAndSwap(false, true):
		s.log.WarnContext(ctx, "an owner does not take effects; they wait and are sent again", "owner", owner, "error", err)
	case err == nil && s.failing.CompareAndSwap(true, false):
		s.log.InfoContext(ctx, "effects are taken again", "owner", owner)
	}
	return err
}

// send sends the instructions of one owner, and records the answers, for one organization at a time or for a few side by side. The error
// says that the owner is away.
func (s *Sender) send(ctx context.Context, owner string, batch []taken) error {
	groups := map[[2]string][]taken{}
	for _, t := range batch {
		key := [2]string{t.organization, t.caller}
		groups[key] = append(groups[key], t)
	}
	calls, calling := errgroup.WithContext(ctx)
	calls.SetLimit(maxConcurrent)
	for _, group := range groups {
		calls.Go(func() error { return s.sendGroup(calling, owner, group) })
	}
	return calls.Wait()
}

// sendGroup sends instructions of one organization. Those without an answer are put off.
func (s *Sender) sendGroup(ctx context.Context, owner string, group []taken) error {
	ctx = principal.Into(ctx, s.principal(group[0]))
	request := call{}
	for _, t := range group {
		request.Effects = append(request.Effects, t.Instruction)
	}
	var out results
	if err := s.references.Post(ctx, owner, path, request, &out); err != nil {
		if fault.From(err).Kind == fault.KindUnavailable {
			return err
		}
		s.log.WarnContext(ctx, "effects were not taken; they are sent again", "owner", owner, "effects", len(group), "error", err)
		return s.later(ctx, group, nil)
	}
	if err := s.keep(ctx, out.Results); err != nil {
		s.log.WarnContext(ctx, "answers to effects could not be recorded; they are sent again", "owner", owner, "error", err)
		out.Results = nil
	}
	if err := s.later(ctx, group, out.Results); err != nil {
		return err
	}
	if err := s.forget(ctx, owner, out.Done); err != nil {
		s.log.DebugContext(ctx, "an owner was not told which effects it may forget; it will be", "owner", owner, "error", err)
	}
	return nil
}

// forget tells an owner which of the effects that it answered long ago it may forget: those of which no instruction waits.
func (s *Sender) forget(ctx context.Context, owner string, done []string) error {
	if len(done) == 0 {
		return nil
	}
	var request call
	if err := s.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT a.id::text FROM unnest($1::uuid[]) a (id) WHERE NOT EXISTS (SELECT FROM effect_instruction i
			WHERE i.organization_id = current_organization() AND i.effect_id = a.id)`, done)
		if err != nil {
			return err
		}
		request.Forget, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}); err != nil || len(request.Forget) == 0 {
		return err
	}
	return s.references.Post(ctx, owner, path, request, nil)
}

// principal is this service in an instruction's organization.
func (s *Sender) principal(t taken) principal.Principal {
	var c caller
	_ = json.Unmarshal([]byte(t.caller), &c) // ours
	return principal.Principal{
		OrganizationID: t.organization, Currency: c.Currency, TimeZone: c.TimeZone, FiscalYearEnd: c.FiscalYearEnd, Features: c.Features,
		Actor:     principal.Actor{Type: "service", ID: s.service, Name: s.service},
		RequestID: uuid.Must(uuid.NewV7()).String(),
	}
}

// keep forgets instructions and records their answers. One that is not there any more has been recorded.
func (s *Sender) keep(ctx context.Context, given []Result) error {
	if len(given) == 0 {
		return nil
	}
	sequences := make([]int64, len(given))
	for i, result := range given {
		sequences[i] = result.Sequence
	}
	return s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `DELETE FROM effect_instruction
			WHERE organization_id = current_organization() AND sequence = ANY($1::bigint[]) RETURNING sequence`, sequences)
		if err != nil {
			return err
		}
		deleted, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(given), func(result Result) bool { return !slices.Contains(deleted, result.Sequence) })
		if len(fresh) == 0 {
			return nil
		}
		return s.record(ctx, tx, fresh)
	})
}

// later puts off what has no answer.
func (s *Sender) later(ctx context.Context, group []taken, given []Result) error {
	var missing []int64
	for _, t := range group {
		if !slices.ContainsFunc(given, func(result Result) bool { return result.Sequence == t.Sequence }) {
			missing = append(missing, t.Sequence)
		}
	}
	if missing == nil {
		return nil
	}
	s.putOff.Store(time.Now().UnixNano())
	if _, err := s.db.Pool().Exec(ctx, "SELECT effects_later($1)", missing); err != nil {
		return fmt.Errorf("put off effects: %w", err)
	}
	return nil
}

// owners are those who are called by one leader.
type owners struct {
	mu    sync.Mutex
	busy  map[string]bool          // a call runs
	delay map[string]time.Duration // of one that is away: the last
	next  map[string]time.Time     // of one that is away: when it is called again
}

// unavailable gives the owners that are not to be called now.
func (o *owners) unavailable() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	names := slices.Collect(maps.Keys(o.busy))
	for name, next := range o.next {
		if !o.busy[name] && time.Now().Before(next) {
			names = append(names, name)
		}
	}
	if names == nil {
		names = []string{}
	}
	return names
}

// waiting says whether an owner that is unavailable is called again soon, or one is being called.
func (o *owners) waiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.next) > 0 || len(o.busy) > 0
}

func (o *owners) begin(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy[owner] = true
}

func (o *owners) end(owner string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, owner)
	if err == nil {
		delete(o.delay, owner)
		delete(o.next, owner)
		return
	}
	o.delay[owner] = min(maxBackoff, max(minBackoff, 2*o.delay[owner]))
	o.next[owner] = time.Now().Add(o.delay[owner])
}

// senders are the senders of this process; each of our programs has one in each cell at most.
type senders struct {
	mu  sync.RWMutex
	all map[*Sender]struct{}
}

var running = senders{all: map[*Sender]struct{}{}}

func (s *senders) add(one *Sender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[one] = struct{}{}
}

func (s *senders) remove(one *Sender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one)
}

// Wake makes the sender look for instructions at once. An additional call does no harm.
func (s *Sender) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it was woken already and has not looked since
	}
}

// wakeSenders is called after instructions were committed by the transaction of ctx.
func wakeSenders(ctx context.Context) {
	cell := principal.From(ctx).CellName()
	running.mu.RLock()
	defer running.mu.RUnlock()
	for one := range running.all {
		if one.cell == cell && one.db.Runs(ctx) {
			one.Wake()
		}
	}
}
