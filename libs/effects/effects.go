// Package effects lets a record of one service change a record of another: an order to do so is written in the transaction of its
// cause, sent to the owner of the other record until that has answered, and applied once.
//
// An effect is kept by the service of its cause, in a state. What it sends to the owner are instructions: Add queues them, a Sender
// sends them, Serve answers them. Before the cause is written, Check finds what the owner would refuse.
package effects

import (
	"encoding/json"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// Stage is what has happened to the cause.
type Stage string

// The stages. Effects that are not staged (see the catalogue's EffectKind) have the stage completed only.
const (
	Planned   Stage = "planned"   // the effect was declared on a cause that is not begun
	Begun     Stage = "begun"     // work has begun
	Completed Stage = "completed" // the work is done: the effect itself
	Cancelled Stage = "cancelled" // nothing comes of it: the cause was cancelled, or the effect withdrawn
)

// State is how far an effect is.
type State = string

// The states of an effect.
const (
	StatePlanned   State = "planned"   // the cause is not completed
	StatePending   State = "pending"   // the owner has not answered yet
	StateApplied   State = "applied"   // final: it never happens again
	StateRefused   State = "refused"   // the owner has said why; it may be tried again
	StateWithdrawn State = "withdrawn" // it was taken back before it was applied
)

// Instruction is what the owner of a record is to do because of an effect.
type Instruction struct {
	ID        string          `json:"id"` // of the effect
	Sequence  int64           `json:"sequence"`
	Kind      string          `json:"kind"`
	Stage     Stage           `json:"stage"`
	Withdraw  bool            `json:"withdraw"` // it was taken back: it is not to be applied, unless it has been
	Payload   map[string]any  `json:"payload"`
	On        string          `json:"on"` // the local day of the cause: YYYY-MM-DD
	Cause     Cause           `json:"cause"`
	Actor     principal.Actor `json:"actor"`      // who caused it. It is the principal's actor while the effect is applied
	RequestID string          `json:"request_id"` // of the request that caused it
}

// Cause is the record that an effect comes of.
type Cause struct {
	Collection string  `json:"collection"` // "work_orders"
	ID         string  `json:"id"`
	Number     *string `json:"number"`
	Cost       string  `json:"cost,omitempty"` // of a staged effect that is completed: its part of what the work cost, where that is known: "60.55"
}

// Outcome is what became of an instruction.
type Outcome string

// The outcomes.
const (
	Applied   Outcome = "applied"
	Refused   Outcome = "refused"
	Withdrawn Outcome = "withdrawn"
)

// Result is the owner's answer to an instruction. It is the same whenever that is repeated.
type Result struct {
	ID       string  `json:"id"` // of the effect
	Sequence int64   `json:"sequence"`
	Stage    Stage   `json:"stage"` // that the answer is about: completed, when the effect has been applied before
	Outcome  Outcome `json:"outcome"`
	ResultID *string `json:"result_id"` // of the record that was made or changed

	// Of what was refused.
	Reason  fault.Kind `json:"reason,omitempty"`
	Code    string     `json:"code,omitempty"`
	Field   string     `json:"field,omitempty"` // of the payload
	Message string     `json:"message,omitempty"`
}

// Final says that the effect has happened, and never happens again.
func (a Result) Final() bool { return a.Outcome == Applied && a.Stage == Completed }

// refusal is the answer that an error of an Applier stands for; ok is false for one that says nothing about the instruction.
func refusal(in Instruction, err error) (result Result, ok bool) {
	e := fault.From(err)
	switch e.Kind {
	case fault.KindInvalid, fault.KindNotFound, fault.KindConflict, fault.KindForbidden:
	default:
		return Result{}, false
	}
	result = Result{ID: in.ID, Sequence: in.Sequence, Stage: in.Stage, Outcome: Refused, Reason: e.Kind, Code: e.Code, Field: e.Field,
		Message: e.Message}
	if len(e.Fields) > 0 {
		result.Field, result.Message = e.Fields[0].Field, e.Fields[0].Message
	}
	return result, true
}

// call is the body of a call of an owner.
type call struct {
	Check   bool          `json:"check"`
	Effects []Instruction `json:"effects"`
	Forget  []string      `json:"forget,omitempty"` // of the effects in Done, those of which no instruction waits
}

// results is the response. An instruction that could not be answered is not in it.
type results struct {
	Results []Result `json:"answers"`
	Done    []string `json:"done,omitempty"` // effects of the sender whose last answer is old: the owner forgets them when it is told to
}

// encode is JSON of something that cannot fail.
func encode(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic("effects: " + err.Error())
	}
	return string(encoded)
}
