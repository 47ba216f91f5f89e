// Package stored stores the effects of a service's records as a collection below them: declares them, asks the owners of what they change,
// and lets them follow the states of their causes.
package stored

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
)

// MaxPerCause is how many effects a record may have.
const MaxPerCause = 500

// longestPayload is how many bytes of JSON a payload may have.
const longestPayload = 64 << 10

// Payload says what an effect changes, and how: an object whose members depend on the kind of effect.
type Payload map[string]any

// Check implements schema.Checker.
func (Payload) Check(at string, value any, problems *schema.Problems) any {
	members, ok := value.(map[string]any)
	if !ok {
		problems.Add(at, "must be an object that names what is changed, such as {\"deficiency_id\": \"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"}")
		return value
	}
	if encoded, err := json.Marshal(members); err == nil && len(encoded) > longestPayload {
		problems.Add(at, "must not have more than %d bytes", longestPayload)
	}
	return members
}

// Declared is an effect in the body of its cause.
type Declared struct {
	Kind    string  `json:"kind" enum:"close_deficiency,rate,read_meter,create_deficiency,create_work_order,close_request,replace" doc:"What happens to the other record." example:"close_deficiency"`
	Payload Payload `json:"payload" doc:"What is changed, and how." example:"{\"deficiency_id\": \"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"}"`
}

// Effect is what a kept effect has besides its cause.
type Effect struct {
	Kind     string  `json:"kind" required:"true" enum:"close_deficiency,rate,read_meter,create_deficiency,create_work_order,close_request,replace" filter:"equals" sort:"true" doc:"What happens to the other record when the work is completed. close_deficiency {deficiency_id or infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id, system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit, kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made. close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope of what changes." example:"close_deficiency"`
	Payload  Payload `json:"payload" required:"true" doc:"What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away." example:"{\"deficiency_id\": \"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"}"`
	State    string  `json:"state" readOnly:"true" enum:"planned,pending,applied,refused,withdrawn" filter:"equals" sort:"true" doc:"planned until the work is completed, pending until the owner of the other record has answered, then applied or refused. withdrawn: taken back, by hand or because the work was reopened. What was applied stays and never happens again." example:"planned"`
	ResultID *string `json:"result_id" readOnly:"true" format:"uuid" filter:"equals" doc:"The record that was made or changed." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Message  *string `json:"message" readOnly:"true" doc:"Why it was refused." example:"There is no asset 019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11 in this organization."`
}

// staged says that the effect follows its cause from its planning on.
func staged(kind string) bool {
	known, _ := catalogue.FindEffectKind(kind)
	return known.Staged
}

// problem is what is wrong with kind and payload: the field, "payload.deficiency_id", and the sentence that follows it; empty where
// nothing is.
func problem(kind string, payload map[string]any) (field, message string) {
	if _, err := effects.Owner(kind, payload); err != nil {
		if e := fault.From(err); len(e.Fields) > 0 {
			return e.Fields[0].Field, e.Fields[0].Message
		}
		return "payload", err.Error()
	}
	return "", ""
}

// Phase is what the state of a cause means to its effects.
type Phase int

// The phases.
const (
	Waiting   Phase = iota // not begun, or interrupted
	Running                // in work
	Done                   // completed
	Cancelled              // nothing comes of it, unless it is opened again
	Closed                 // final
)

// phaseOf is the phase of a state. Collections of causes call these alike; whatever else they have waits.
func phaseOf(status string) Phase {
	switch status {
	case "in_progress":
		return Running
	case "completed":
		return Done
	case "closed":
		return Closed
	case "cancelled":
		return Cancelled
	}
	return Waiting
}

// cause is a record with effects, as its service has it.
type cause struct {
	id, status string
	number     *string
	day        string // of its completion, or today
}

// storedEffect is an effect as it is stored.
type storedEffect struct {
	id, cause string
	kind      string
	payload   map[string]any
	state     string
}

// instruction is what is sent for an effect.
func (c cause) instruction(of string, collection, kind string, payload map[string]any, stage effects.Stage) effects.Instruction {
	return effects.Instruction{ID: of, Kind: kind, Stage: stage, Payload: payload, On: c.day,
		Cause: effects.Cause{Collection: collection, ID: c.id, Number: c.number}}
}

// entry is an effect of a body: where it stands, and what it says.
type entry struct {
	at      string // "effects[2]"
	kind    string
	payload map[string]any
}

// entriesOf reads the effects of a body, those that are well-formed.
func entriesOf(body map[string]any) []entry {
	list, _ := body["effects"].([]any)
	var all []entry
	for i, one := range list {
		members, _ := one.(map[string]any)
		kind, _ := members["kind"].(string)
		payload, _ := members["payload"].(map[string]any)
		if field, _ := problem(kind, payload); field == "" {
			all = append(all, entry{fmt.Sprintf("effects[%d]", i), kind, payload})
		}
	}
	return all
}

// objection is what speaks against a change because of its effects.
type objection struct {
	field, message string
	missing        bool // the field names a record that the organization does not have
	reject         *fault.Error
}

type objectionsKey struct{ collection string }

// objectionsByChange is what was found before the transaction, by the index of the change.
type objectionsByChange map[int][]objection

func (k *Of[E]) objections(ctx context.Context, collection string) objectionsByChange {
	found, _ := ctx.Value(objectionsKey{collection}).(objectionsByChange)
	return found
}

// objector takes what speaks against a change.
type objector interface {
	FieldError(field, format string, args ...any)
	MissingError(field, format string, args ...any)
	Reject(*fault.Error)
}

// object notes objections on a change.
func object(found []objection, c objector) {
	for _, o := range found {
		switch {
		case o.reject != nil:
			c.Reject(o.reject)
		case o.missing:
			c.MissingError(o.field, "%s", o.message)
		default:
			c.FieldError(o.field, "%s", o.message)
		}
	}
}

// objectionOf is what an owner's refusal of an effect in a body means.
func objectionOf(at string, refused effects.Result) objection {
	field := strings.TrimPrefix(at+".payload", ".")
	if refused.Field != "" {
		field += "." + refused.Field
	}
	if refused.Reason == fault.KindConflict {
		code := refused.Code
		if code == "" {
			code = "effect_refused"
		}
		return objection{reject: fault.Conflict(code, field, nil, "%s: %s", field, refused.Message)}
	}
	if refused.Reason == fault.KindForbidden {
		return objection{reject: fault.Forbidden("effect_forbidden", "%s: %s", field, refused.Message)}
	}
	return objection{field: field, message: refused.Message, missing: refused.Reason == fault.KindNotFound}
}
