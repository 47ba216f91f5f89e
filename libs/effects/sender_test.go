package effects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/discovery"
	"ams.internal/libs/effects"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/testnight"
	"ams.internal/libs/testwait"
)

// recorded is where the service keeps answers.
var recorded = fstest.MapFS{"0001_recorded.sql": {Data: []byte(`-- +goose Up
CREATE TABLE recorded (organization_id uuid NOT NULL, effect_id uuid NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
	answer jsonb NOT NULL);
SELECT isolate('recorded');`)}}

// cause is a service whose effects an owner applies. A test may stand between the two.
type cause struct {
	t          *testing.T
	database   *postgrestest.Database
	db         *postgres.DB
	references *reference.Client
	owner      *owner

	mu      sync.Mutex
	between func(w http.ResponseWriter, r *http.Request, forward func(w http.ResponseWriter))
	record  func() error // fails the recording
}

func newCause(t *testing.T, o *owner) *cause {
	t.Helper()
	c := &cause{t: t, database: postgrestest.New(t, "library", recorded), owner: o}
	c.db = c.database.Open(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" { // asked of who takes long
			return
		}
		c.mu.Lock()
		between := c.between
		c.mu.Unlock()
		forward := func(w http.ResponseWriter) { o.handler.ServeHTTP(w, r) }
		if between == nil {
			forward(w)
			return
		}
		between(w, r, forward)
	}))
	t.Cleanup(server.Close)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1", Log: slog.New(slog.DiscardHandler),
		Static: map[string][]string{"assets": {strings.TrimPrefix(server.URL, "http://")}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	c.references = reference.NewClient(directory, o.signer)
	return c
}

func (c *cause) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// keep is the Record of the service: what it has recorded is there when its transaction is, also when nobody was told.
func (c *cause) keep(ctx context.Context, tx pgx.Tx, answers []effects.Result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.record != nil {
		if err := c.record(); err != nil {
			return err
		}
	}
	for _, a := range answers {
		if _, err := tx.Exec(ctx, "INSERT INTO recorded (organization_id, effect_id, answer) VALUES (current_organization(), $1, $2)",
			a.ID, a); err != nil {
			return err
		}
	}
	return nil
}

func (c *cause) answersOf(id string) (answers []effects.Result) {
	query(c.t, c.database, "SELECT coalesce(jsonb_agg(answer ORDER BY number), '[]') FROM recorded WHERE effect_id = $1", &answers, id)
	return answers
}

// start runs a sender until the end of the test, or until stop is called.
func (c *cause) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	sender := effects.NewSender("workorders", c.database.Open(c.t), c.references, slog.New(slog.DiscardHandler), c.keep)
	go func() {
		defer close(ended)
		sender.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	c.t.Cleanup(stop)
	return stop
}

func caller(t *testing.T) context.Context {
	t.Helper()
	return principal.Into(t.Context(), principal.Principal{OrganizationID: uuid.NewString(), Currency: "CAD",
		Actor: principal.Actor{Type: "user", ID: uuid.NewString(), Name: "Geneviève Côté"}, RequestID: "r1"})
}

func (c *cause) add(ctx context.Context, all ...effects.Instruction) {
	c.t.Helper()
	if err := c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return effects.Add(ctx, tx, all) }); err != nil {
		c.t.Error(err)
	}
}

func (c *cause) waiting() int {
	return count(c.t, c.database, "SELECT count(*) FROM effect_instruction")
}

// recorded is how many answers the service keeps.
func (c *cause) recorded() int { return count(c.t, c.database, "SELECT count(*) FROM recorded") }

// killLeader ends the connection that holds the sender's lock, and says whether there was one.
func (c *cause) killLeader() bool {
	return count(c.t, c.database, `SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND d.datname = current_database()`) > 0
}

// A sender that ends between the owner's answer and its record leaves the instruction: it is sent again, and answered as before.
func TestASenderThatEndsBeforeItRecordsSendsAgain(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	c, ctx, record := newCause(t, o), caller(t), uuid.NewString()
	answered := make(chan struct{})
	var stop func()
	var once sync.Once
	c.record = func() error {
		once.Do(func() { close(answered) })
		return errors.New("it has just been killed")
	}
	in := instruction(record, 0)
	c.add(ctx, in)
	stop = c.start()
	<-answered
	stop()
	if c.waiting() != 1 || o.value(record) != 1 {
		t.Errorf("%d instructions wait, the record changed %d times", c.waiting(), o.value(record))
	}
	c.set(func() { c.record = nil })
	c.start()
	testwait.For(t, time.Minute, "the answer to be recorded", func() bool { return c.waiting() == 0 && len(c.answersOf(in.ID)) > 0 })
	if got := c.answersOf(in.ID); len(got) != 1 || !got[0].Final() || o.value(record) != 1 {
		t.Errorf("recorded %+v; the record changed %d times", got, o.value(record))
	}
}

// What is taken back while the owner has it already is recorded as it happened.
func TestAWithdrawalBehindItsEffectIsRecordedAsApplied(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	c, ctx, applied, never := newCause(t, o), caller(t), uuid.NewString(), uuid.NewString()
	first, second := instruction(applied, 0), instruction(never, 0)
	sent := make(chan struct{})
	var once sync.Once
	c.record = func() error {
		once.Do(func() { close(sent) })
		return errors.New("not now")
	}
	c.add(ctx, first)
	stop := c.start()
	<-sent
	stop()
	c.add(ctx, second)
	c.set(func() { c.record = nil })
	if err := c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return effects.Withdraw(ctx, tx, []string{first.ID, second.ID})
	}); err != nil {
		t.Fatal(err)
	}
	c.start()
	testwait.For(t, time.Minute, "the answers", func() bool { return c.waiting() == 0 && len(c.answersOf(second.ID)) > 0 })
	if got := c.answersOf(first.ID); len(got) != 1 || !got[0].Final() {
		t.Errorf("what had been applied is recorded as %+v", got)
	}
	if got := c.answersOf(second.ID); len(got) != 1 || got[0].Outcome != effects.Withdrawn || o.value(never) != 0 {
		t.Errorf("what had not been applied is recorded as %+v, and changed %d times", got, o.value(never))
	}
}

// What an owner has answered long ago is forgotten when its sender says that no instruction of it waits: the sender's own, of the
// organization that it calls for, and where they are many.
func TestAnOwnerForgetsWhatItsSenderHasRecorded(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	c, ctx, other := newCause(t, o), caller(t), uuid.NewString()
	organization := principal.From(ctx).OrganizationID
	done := func(organization, sender, age string, many int) {
		t.Helper()
		if n := count(t, o.database, `WITH made AS (INSERT INTO applied_effect (organization_id, effect_id, sender, sequence, stage, result_at)
			SELECT $1, gen_random_uuid(), $2, n, 'completed', now() - $3::interval FROM generate_series(1, $4) n RETURNING 1)
			SELECT count(*) FROM made`, organization, sender, age, many); n != many {
			t.Fatalf("%d rows", n)
		}
	}
	done(organization, "workorders", "2 hours", 700)
	done(organization, "workorders", "10 minutes", 3)
	done(organization, "projects", "2 hours", 150)
	done(other, "workorders", "2 hours", 150)
	var waits string
	query(t, o.database, `SELECT effect_id::text FROM applied_effect
		WHERE organization_id = $1 AND sender = 'workorders' AND sequence = 1 LIMIT 1`, &waits, organization)
	late := instruction(uuid.NewString(), 0)
	late.ID = waits
	c.add(ctx, late) // it waits for longer than this test takes
	if n := count(t, c.database, `WITH put_off AS (UPDATE effect_instruction SET due_at = now() + interval '1 day' RETURNING 1)
		SELECT count(*) FROM put_off`); n != 1 {
		t.Fatalf("%d instructions are put off", n)
	}
	left := func(organization, sender string) int {
		return count(t, o.database, "SELECT count(*) FROM applied_effect WHERE organization_id = $1 AND sender = $2", organization, sender)
	}
	c.start()
	for _, most := range []int{700 + 3 + 1 - 500 + 1, 3 + 2 + 1} { // a call names 500 at most; the one that waits stays
		c.add(ctx, instruction(uuid.NewString(), 0))
		testwait.For(t, time.Minute, "old answers to be forgotten", func() bool { return left(organization, "workorders") <= most })
	}
	if n := count(t, o.database, "SELECT count(*) FROM applied_effect WHERE effect_id = $1", waits); n != 1 {
		t.Error("an effect is forgotten of which an instruction waits")
	}
	if n := count(t, o.database, "SELECT count(*) FROM applied_effect WHERE organization_id = $1 AND result_at > now() - interval '1 hour'",
		organization); n != 3+2 {
		t.Errorf("%d of 5 recent responses are left", n)
	}
	if left(organization, "projects") != 150 || left(other, "workorders") != 150 {
		t.Errorf("%d of another sender and %d of another organization are left", left(organization, "projects"), left(other, "workorders"))
	}
}

// An owner that is away or hangs keeps its own effects waiting and no others; they are applied when it is back.
func TestAnOwnerThatIsAwayIsCalledAgain(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	c, ctx, record := newCause(t, o), caller(t), uuid.NewString()
	var calls atomic.Int64
	c.between = func(http.ResponseWriter, *http.Request, func(http.ResponseWriter)) {
		calls.Add(1)
		panic(http.ErrAbortHandler)
	}
	in := instruction(record, 0)
	other := in
	other.ID, other.Payload = uuid.NewString(), map[string]any{"infrastructure_deficiency_id": uuid.NewString()} // nobody is there at all
	c.add(ctx, in, other)
	c.start()
	testwait.For(t, time.Minute, "a few calls", func() bool { return calls.Load() > 2 })
	c.set(func() { c.between = nil })
	testwait.For(t, time.Minute, "the effect to be applied", func() bool { return len(c.answersOf(in.ID)) == 1 })
	if c.waiting() != 1 || o.value(record) != 1 {
		t.Errorf("%d instructions wait, the record changed %d times", c.waiting(), o.value(record))
	}
}

// Four writers add effects in the stages of their causes while two senders compete, the leader is killed again and again, responses are
// lost and recordings fail: each effect is applied once, the stages of each in their order, and every answer is recorded.
func TestEffectsAreAppliedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	c := newCause(t, o)
	const writers = 4
	each := testnight.Rounds(12, 30)
	c.between = func(w http.ResponseWriter, _ *http.Request, forward func(http.ResponseWriter)) {
		switch rand.IntN(6) {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			forward(httptest.NewRecorder()) // applied, and the response is lost
			panic(http.ErrAbortHandler)
		case 2:
			late := httptest.NewRecorder()
			forward(late)
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			_, _ = w.Write(bytes.Clone(late.Body.Bytes()))
		default:
			forward(w)
		}
	}
	c.record = func() error {
		if rand.IntN(10) == 0 {
			return errors.New("undone")
		}
		return nil
	}
	c.start()
	c.start()
	records := [writers][]string{}
	ids := [writers][]string{}
	var all sync.WaitGroup
	for n := range writers {
		records[n], ids[n] = make([]string, each), make([]string, each)
		ctx := caller(t)
		all.Go(func() {
			for i := range each {
				in := instruction(uuid.NewString(), 0)
				records[n][i], ids[n][i] = in.Payload["deficiency_id"].(string), in.ID
				for _, stage := range []effects.Stage{effects.Planned, effects.Begun, effects.Completed} {
					in.Stage = stage
					c.add(ctx, in)
				}
			}
		})
	}
	// The next kill comes when an answer was recorded since the last: a leader whose calls take longer than it lives gets nowhere, however
	// right it is.
	writing, end := context.WithCancel(t.Context())
	var killing sync.WaitGroup
	var kills atomic.Int32
	killing.Go(func() {
		for before := 0; writing.Err() == nil; time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond) {
			if now := c.recorded(); (now > before || c.waiting() == 0) && c.killLeader() {
				before = now
				kills.Add(1)
			}
		}
	})
	all.Wait()
	testwait.For(t, 2*time.Minute, "all instructions, and a few kills", func() bool { return c.waiting() == 0 && kills.Load() > 2 })
	end()
	killing.Wait()
	for n := range writers {
		for i := range each {
			if got := o.value(records[n][i]); got != 3 {
				t.Errorf("a record was changed %d times", got)
			}
			stages := ""
			for _, a := range c.answersOf(ids[n][i]) {
				stages += fmt.Sprint(a.Stage, a.Outcome, " ")
			}
			if stages != "plannedapplied begunapplied completedapplied " {
				t.Errorf("recorded were %s", stages)
			}
		}
	}
	t.Logf("%d effects in three stages each; the leader was killed %d times", writers*each, kills.Load())
}
