package effects

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

const (
	path = "/internal/effects"
	// MaxPerCall is how many instructions a call may have.
	MaxPerCall = 500
	// callDeadline is how long an owner may take for a call, and applyTime how long it begins with further instructions: the others come
	// again.
	callDeadline = 20 * time.Second
	applyTime    = 10 * time.Second
	// stays is how long the last answer is there at least: much longer than a call can be under way, and a transaction can last.
	stays = time.Hour
	// fewDone is how many effects with an old answer are left to lie: a sender is not called on for each.
	fewDone = 100
)

// Applier is what an owner does for one kind of effect. The context has the principal of the cause's organization, with the actor who
// caused the effect: what is written in it has that actor in its history and events.
type Applier struct {
	// Before, where given, is called before the transaction: for what must be waited for outside. What it finds goes into the context.
	Before func(ctx context.Context, in Instruction) (context.Context, error)

	// Apply makes the change in tx and gives the id of the record that was made or changed; empty where there is none. An error that is
	// a *fault.Error of the kinds invalid, not found, conflict and forbidden refuses the instruction: what was written is undone, and the
	// refusal is kept. Any other error undoes everything; the instruction comes again.
	//
	// It is also called to find out what would be refused, in a transaction that is undone afterwards (see Checking).
	Apply func(ctx context.Context, tx pgx.Tx, in Instruction) (resultID string, err error)
}

type checkingKey struct{}

// Checking says that Apply is called to find out what would be refused. The cause is not written yet, so it may not be looked for.
func Checking(ctx context.Context) bool { return ctx.Value(checkingKey{}) != nil }

// Serve answers the instructions of other services, by kind.
func Serve(api *transport.API, appliers map[string]Applier) {
	s := server{api, appliers}
	api.Handle(transport.Operation{Method: http.MethodPost, Path: path, ID: "effects", MaxBody: transport.MaxBulkBody, Deadline: callDeadline,
		Status: http.StatusOK}, s.serve)
}

type server struct {
	api      *transport.API
	appliers map[string]Applier
}

func (s server) serve(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	in, err := readCall(body)
	if err != nil {
		return nil, err
	}
	var out results
	if in.Check {
		if out.Results, err = s.check(ctx, in.Effects); err != nil {
			return nil, err
		}
		return transport.JSON(http.StatusOK, out)
	}
	out.Results = s.applyAll(ctx, in.Effects)
	if out.Done, err = s.forget(ctx, in.Forget); err != nil { // the sender is told what was applied in any case
		s.api.Log.WarnContext(ctx, "effects that were answered long ago could not be forgotten; they will be later", "error", err)
	}
	return transport.JSON(http.StatusOK, out)
}

// readCall reads a body. Payloads stay as they were read, with every digit.
func readCall(body map[string]any) (in call, err error) {
	if err := json.Unmarshal([]byte(encode(body)), &in); err != nil {
		return in, fault.Invalid("invalid_request", "The body is no list of instructions: %s", err)
	}
	if len(in.Effects) > MaxPerCall || len(in.Effects) == 0 && len(in.Forget) == 0 {
		return in, fault.InvalidFields(fault.Field{Field: "effects", Message: "must be 1 to 500 instructions"})
	}
	if len(in.Forget) > MaxPerCall {
		return in, fault.InvalidFields(fault.Field{Field: "forget", Message: "must be 500 effects at most"})
	}
	list, _ := body["effects"].([]any)
	for i := range in.Effects {
		one, _ := list[i].(map[string]any)
		if payload, ok := one["payload"].(map[string]any); ok {
			in.Effects[i].Payload = payload
		}
	}
	return in, nil
}

// on is the context that an instruction is applied in.
func on(ctx context.Context, in Instruction) context.Context {
	p := principal.From(ctx)
	if in.Actor.ID != "" {
		p.Actor = in.Actor
	}
	if in.RequestID != "" {
		p.RequestID = in.RequestID
	}
	return principal.Into(ctx, p)
}

func (s server) applier(in Instruction) (Applier, error) {
	applier, known := s.appliers[in.Kind]
	if !known {
		return applier, fault.InvalidFields(fault.Field{Field: "kind", Message: "is no effect that this service applies"})
	}
	return applier, nil
}

// errUndo ends the transaction of a check.
var errUndo = errors.New("effects: undone")

// check applies instructions in one transaction that is undone, and gives an answer to each.
func (s server) check(ctx context.Context, all []Instruction) ([]Result, error) {
	ctx = context.WithValue(ctx, checkingKey{}, true)
	found := make([]Result, len(all))
	prepared := make([]context.Context, len(all))
	for i, in := range all {
		at, err := s.before(on(ctx, in), in)
		if err == nil {
			prepared[i] = at
			continue
		}
		var refused bool
		if found[i], refused = refusal(in, err); !refused {
			return nil, err
		}
	}
	err := s.api.DB.Write(ctx, func(inside context.Context, tx pgx.Tx) error {
		for i, in := range all {
			if prepared[i] == nil {
				continue
			}
			var err error
			if found[i], err = s.apply(join(inside, prepared[i]), tx, in); err != nil {
				return err
			}
		}
		return errUndo
	})
	if errors.Is(err, errUndo) {
		err = nil
	}
	return found, err
}

// join is the context of a transaction with what was found before it.
func join(inside, before context.Context) context.Context { return joined{inside, before} }

type joined struct {
	context.Context
	before context.Context
}

// Value looks before the transaction for what it has not: and there first for the principal, which has the actor.
func (j joined) Value(key any) any {
	if value := j.before.Value(key); value != nil {
		return value
	}
	return j.Context.Value(key)
}

func (s server) before(ctx context.Context, in Instruction) (context.Context, error) {
	applier, err := s.applier(in)
	if err != nil || applier.Before == nil || in.Withdraw {
		return ctx, err
	}
	return applier.Before(ctx, in)
}

// apply runs an Applier in a savepoint of tx. An error says nothing about the instruction.
func (s server) apply(ctx context.Context, tx pgx.Tx, in Instruction) (result Result, err error) {
	result = Result{ID: in.ID, Sequence: in.Sequence, Stage: in.Stage, Outcome: Applied}
	applier, err := s.applier(in)
	if err == nil {
		err = postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error {
			id, err := applier.Apply(ctx, tx, in)
			if err == nil && id != "" {
				result.ResultID = &id
			}
			return err
		})
	}
	if err == nil {
		return result, nil
	}
	if refused, is := refusal(in, err); is {
		return refused, nil
	}
	return result, err
}

// applyAll answers what can be answered.
func (s server) applyAll(ctx context.Context, all []Instruction) []Result {
	given := []Result{}
	sender := principal.From(ctx).Actor.ID
	begin := time.Now()
	for _, in := range all {
		if time.Since(begin) > applyTime {
			break
		}
		var result Result
		err := telemetry.Work(ctx, "apply an effect", func(ctx context.Context) (err error) {
			result, err = s.applyOnce(on(ctx, in), sender, in)
			return err
		})
		if err != nil {
			s.api.Log.WarnContext(ctx, "an effect could not be applied; its sender tries again", "effect", in.ID, "kind", in.Kind,
				"stage", in.Stage, "error", err)
			continue
		}
		recordResult(ctx, in, result)
		given = append(given, result)
	}
	return given
}

// applyOnce applies an instruction, or answers it as it was answered before: in one transaction, which keeps the answer.
func (s server) applyOnce(ctx context.Context, sender string, in Instruction) (result Result, err error) {
	prepared, refused := s.before(ctx, in)
	if refused != nil {
		if _, is := refusal(in, refused); !is {
			return result, refused
		}
	}
	err = s.api.DB.Write(ctx, func(inside context.Context, tx pgx.Tx) error {
		former, err := claim(inside, tx, sender, in)
		if err != nil || former != nil {
			if former != nil {
				result = *former
			}
			return err
		}
		switch {
		case in.Withdraw:
			result = Result{ID: in.ID, Sequence: in.Sequence, Stage: in.Stage, Outcome: Withdrawn}
		case refused != nil:
			result, _ = refusal(in, refused)
		default:
			if result, err = s.apply(join(inside, prepared), tx, in); err != nil {
				return err
			}
		}
		_, err = tx.Exec(inside, `UPDATE applied_effect SET sequence = $2, stage = $3, result = $4::jsonb, result_at = statement_timestamp()
			WHERE organization_id = current_organization() AND effect_id = $1`, in.ID, in.Sequence, in.Stage, encode(result))
		return err
	})
	return result, err
}

// claim makes the row of an effect, or locks it: another transaction with the same effect waits, and then finds the answer. It gives the
// answer that was kept, where the instruction is not to be applied (any more).
func claim(ctx context.Context, tx pgx.Tx, sender string, in Instruction) (former *Result, err error) {
	tag, err := tx.Exec(ctx, `INSERT INTO applied_effect (organization_id, effect_id, sender, sequence, stage)
		VALUES (current_organization(), $1, $2, $3, $4) ON CONFLICT (organization_id, effect_id) DO NOTHING`,
		in.ID, sender, in.Sequence, in.Stage)
	if err != nil || tag.RowsAffected() == 1 {
		return nil, err
	}
	var sequence int64
	var result Result
	var stored string
	if err := tx.QueryRow(ctx, `SELECT sequence, result::text FROM applied_effect
		WHERE organization_id = current_organization() AND effect_id = $1 FOR UPDATE`, in.ID).Scan(&sequence, &stored); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(stored), &result); err != nil {
		return nil, err
	}
	if in.Sequence > sequence && !result.Final() {
		return nil, nil
	}
	result.Sequence = in.Sequence
	_, err = tx.Exec(ctx, `UPDATE applied_effect SET result_at = statement_timestamp()
		WHERE organization_id = current_organization() AND effect_id = $1`, in.ID)
	return &result, err
}

// forget deletes effects of the sender that its call named, and gives the next ones that it may name, where these are many. Both are
// effects whose last answer is old.
//
// The sender names an effect when none of its instructions waits. Its last answer has been recorded then: had it not been, the
// instruction would wait. One that was applied is applied for its sender as well, for so long that no transaction is left that could have
// begun before; so nothing follows. Of any other a later instruction is applied whether its row is there or not. A call that was sent
// before is no longer under way, because its principal has expired (ADR 106).
func (s server) forget(ctx context.Context, named []string) (next []string, err error) {
	const old = `organization_id = current_organization() AND sender = $1 AND result_at < statement_timestamp() - $2::interval`
	sender := principal.From(ctx).Actor.ID
	if len(named) > 0 {
		if err := s.api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM applied_effect WHERE "+old+" AND effect_id = ANY($3::uuid[])", sender, stays, named)
			return err
		}); err != nil {
			return nil, err
		}
	}
	err = s.api.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT effect_id::text FROM applied_effect WHERE "+old+" ORDER BY effect_id LIMIT $3",
			sender, stays, MaxPerCall)
		if err != nil {
			return err
		}
		next, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if len(next) < fewDone {
		next = nil
	}
	return next, err
}
