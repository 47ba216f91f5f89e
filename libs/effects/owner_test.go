package effects_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// owner is a service whose records are counters: an effect adds one to that of its record.
type owner struct {
	t        *testing.T
	database *postgrestest.Database
	db       *postgres.DB
	handler  http.Handler
	signer   *principal.Signer

	mu     sync.Mutex
	refuse error
	stages []string // that were applied, of all effects
	actors []string
}

func newOwner(t *testing.T) *owner {
	t.Helper()
	o := &owner{t: t, database: postgrestest.New(t, "library", nil), signer: resourcetest.NewSigner(t)}
	o.db = o.database.Open(t)
	api := transport.New(o.signer, o.db, resourcetest.Log(t))
	effects.Serve(api, map[string]effects.Applier{"close_deficiency": {Apply: o.apply}})
	o.handler = api.Handler()
	return o
}

func (o *owner) apply(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	record, _ := in.Payload["deficiency_id"].(string)
	if _, err := tx.Exec(ctx, `INSERT INTO counter (organization_id, name, value) VALUES (current_organization(), $1, 1)
		ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + 1`, record); err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refuse != nil {
		return "", o.refuse
	}
	if !effects.Checking(ctx) {
		o.stages = append(o.stages, string(in.Stage))
		o.actors = append(o.actors, principal.From(ctx).Actor.Name)
	}
	return record, nil
}

func (o *owner) refuseWith(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuse = err
}

// value is how often a record was changed, in any organization.
func (o *owner) value(record string) int {
	o.t.Helper()
	return count(o.t, o.database, "SELECT coalesce(sum(value), 0) FROM counter WHERE name = $1", record)
}

func (o *owner) kept() int {
	o.t.Helper()
	return count(o.t, o.database, "SELECT count(*) FROM applied_effect")
}

// query gives a number from the administrator's connection, which sees every organization.
func count(t *testing.T, database *postgrestest.Database, sql string, args ...any) (n int) {
	t.Helper()
	query(t, database, sql, &n, args...)
	return n
}

// query gives one value, as the server's administrator sees it.
func query(t *testing.T, database *postgrestest.Database, sql string, value any, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), strings.Replace(database.AdminURL, "?", "?search_path=library&", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(value); err != nil {
		t.Fatal(err)
	}
}

// send sends instructions of an organization, and gives the answers.
func (o *owner) send(organization string, check bool, all ...effects.Instruction) []effects.Result {
	o.t.Helper()
	return o.tell(organization, map[string]any{"check": check, "effects": all})
}

// tell sends the body of a call for an organization, and gives the answers.
func (o *owner) tell(organization string, call map[string]any) []effects.Result {
	o.t.Helper()
	body, err := json.Marshal(call)
	if err != nil {
		o.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(o.t.Context(), http.MethodPost, "/internal/effects", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(principal.Header, o.signer.Sign(principal.Principal{OrganizationID: organization,
		Actor: principal.Actor{Type: "service", ID: "workorders", Name: "workorders"}}))
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	var out struct{ Answers []effects.Result }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		o.t.Errorf("answered %d: %s", w.Code, w.Body)
	}
	return out.Answers
}

func instruction(record string, sequence int64) effects.Instruction {
	return effects.Instruction{ID: uuid.Must(uuid.NewV7()).String(), Sequence: sequence, Kind: "close_deficiency", Stage: effects.Completed,
		Payload: map[string]any{"deficiency_id": record}, On: "2026-11-22",
		Cause: effects.Cause{Collection: "work_orders", ID: uuid.NewString()},
		Actor: principal.Actor{Type: "user", ID: uuid.NewString(), Name: "Geneviève Côté"}}
}

func TestAnEffectThatIsSentAgainAndAtTheSameTimeIsAppliedOnce(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in := instruction(record, 7)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got := o.send(organization, false, in)
			if len(got) != 1 || !got[0].Final() || got[0].ResultID == nil || *got[0].ResultID != record || got[0].Sequence != 7 {
				t.Errorf("answered %+v", got)
			}
		})
	}
	all.Wait()
	later := in
	later.Sequence, later.Stage = 9, effects.Cancelled // what was applied stays
	if got := o.send(organization, false, later); len(got) != 1 || !got[0].Final() || got[0].Sequence != 9 {
		t.Errorf("answered %+v", got)
	}
	if n := o.value(record); n != 1 {
		t.Errorf("applied %d times", n)
	}
	if len(o.actors) != 1 || o.actors[0] != "Geneviève Côté" {
		t.Errorf("applied on behalf of %v", o.actors)
	}
}

func TestARefusalIsKeptUntilTheEffectIsTriedAgain(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in := instruction(record, 1)
	o.refuseWith(fault.Conflict("deficiency_void", "deficiency_id", record, "The deficiency is void."))
	want := effects.Result{ID: in.ID, Sequence: 1, Stage: effects.Completed, Outcome: effects.Refused, Reason: fault.KindConflict,
		Code: "deficiency_void", Field: "deficiency_id", Message: "The deficiency is void."}
	if got := o.send(organization, false, in); len(got) != 1 || got[0] != want {
		t.Errorf("answered %+v", got)
	}
	o.refuseWith(nil)
	if got := o.send(organization, false, in); len(got) != 1 || got[0] != want {
		t.Errorf("repeated, it is answered %+v", got)
	}
	if n := o.value(record); n != 0 {
		t.Errorf("what was refused has changed the record %d times", n)
	}
	in.Sequence = 2
	if got := o.send(organization, false, in); len(got) != 1 || !got[0].Final() {
		t.Errorf("tried again, it is answered %+v", got)
	}
	in.Sequence = 3
	if got := o.send(organization, false, in); len(got) != 1 || !got[0].Final() || o.value(record) != 1 {
		t.Errorf("tried once more, it is answered %+v, and has changed the record %d times", got, o.value(record))
	}
	foreign := o.send(uuid.NewString(), false, effects.Instruction{ID: in.ID, Sequence: 1, Kind: "unknown", Stage: effects.Completed})
	if len(foreign) != 1 || foreign[0].Outcome != effects.Refused || foreign[0].Field != "kind" {
		t.Errorf("another organization's effect of the same id is answered %+v", foreign)
	}
}

func TestWhatCannotBeAnsweredLeavesNothing(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in, other := instruction(record, 1), instruction(uuid.NewString(), 2)
	o.refuseWith(errors.New("a mistake of ours"))
	if got := o.send(organization, false, in, other); len(got) != 0 || o.kept() != 0 || o.value(record) != 0 {
		t.Errorf("answered %+v; %d effects are kept, the record changed %d times", got, o.kept(), o.value(record))
	}
	o.refuseWith(fault.Unavailable("service_unavailable", "The meters service does not answer."))
	if got := o.send(organization, false, in); len(got) != 0 || o.kept() != 0 {
		t.Errorf("answered %+v; %d effects are kept", got, o.kept())
	}
	o.refuseWith(nil)
	if got := o.send(organization, false, in, other); len(got) != 2 || o.value(record) != 1 || o.kept() != 2 {
		t.Errorf("answered %+v, changed %d times", got, o.value(record))
	}
}

// Whatever its sender says: what was answered just now, or was just repeated, is there for the next repetition.
func TestWhatWasAnsweredJustNowIsNotForgotten(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in := instruction(record, 7)
	o.send(organization, false, in)
	age := func() {
		t.Helper()
		if n := count(t, o.database, `WITH aged AS (UPDATE applied_effect SET result_at = now() - interval '2 hours' RETURNING 1)
			SELECT count(*) FROM aged`); n != 1 {
			t.Fatalf("%d effects", n)
		}
	}
	age()
	o.send(organization, false, in) // a sender that was away
	o.tell(organization, map[string]any{"forget": []string{in.ID}})
	if o.kept() != 1 {
		t.Error("it is forgotten although it was answered just now")
	}
	age()
	o.tell(uuid.NewString(), map[string]any{"forget": []string{in.ID}})
	if o.kept() != 1 {
		t.Error("another organization's sender had it forgotten")
	}
	o.tell(organization, map[string]any{"forget": []string{in.ID}})
	if o.kept() != 0 || o.value(record) != 1 {
		t.Errorf("%d effects are there, and the record changed %d times", o.kept(), o.value(record))
	}
}

func TestACheckWritesNothing(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in := instruction(record, 0)
	if got := o.send(organization, true, in, in); len(got) != 2 || got[0].Outcome != effects.Applied || got[1].Outcome != effects.Applied {
		t.Errorf("answered %+v", got)
	}
	o.refuseWith(fault.NotFound("deficiency", record))
	got := o.send(organization, true, in)
	if len(got) != 1 || got[0].Outcome != effects.Refused || got[0].Reason != fault.KindNotFound || !strings.Contains(got[0].Message, record) {
		t.Errorf("answered %+v", got)
	}
	if o.value(record) != 0 || o.kept() != 0 {
		t.Errorf("the record changed %d times, %d effects are kept", o.value(record), o.kept())
	}
}

// Whether an instruction or its withdrawal arrives first: the effect is applied or not, and both are told the same.
func TestAWithdrawalIsToldWhatHappened(t *testing.T) {
	t.Parallel()
	o, organization, record := newOwner(t), uuid.NewString(), uuid.NewString()
	in := instruction(record, 1)
	withdrawal := in
	withdrawal.Withdraw = true
	if got := o.send(organization, false, withdrawal); len(got) != 1 || got[0].Outcome != effects.Withdrawn {
		t.Errorf("answered %+v", got)
	}
	if got := o.send(organization, false, in); len(got) != 1 || got[0].Outcome != effects.Withdrawn || o.value(record) != 0 {
		t.Errorf("what arrives behind its withdrawal is answered %+v", got)
	}
	in.Sequence = 2
	if got := o.send(organization, false, in); len(got) != 1 || !got[0].Final() {
		t.Errorf("tried again, it is answered %+v", got)
	}
	withdrawal.Sequence = 3
	if got := o.send(organization, false, withdrawal); len(got) != 1 || !got[0].Final() || o.value(record) != 1 {
		t.Errorf("a withdrawal that is too late is answered %+v; changed %d times", got, o.value(record))
	}
}

func TestOnlyOurServicesMayInstruct(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w,
		httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/internal/effects", strings.NewReader(`{"effects":[]}`)))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("answered %d", w.Code)
	}
}
