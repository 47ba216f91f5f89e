// Package write serves changes of records. One record and a thousand take the same way: bodies become changes, which are checked
// together, written by one statement, and recorded as history and events.
package write

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
)

// Resource is a table with its rules.
type Resource struct {
	*table.Table
	NaturalKey  string
	PathKey     string // number that paths may name a record by, or ""
	Transitions Transitions
	RevealOnce  *RevealOnce
	SoftDelete  func(record any)
	Resolve     links.Resolve
	BeforeWrite Hook
	AfterWrite  Hook
	Emit        record.Emit
	Parts       func() []*Resource // of the collections below this one

	BeforeTransaction func(ctx context.Context, bodies []map[string]any) (context.Context, error)
}

// Hook is a rule about changes of one kind.
type Hook func(ctx context.Context, tx pgx.Tx, changes []*change.Change) error

// Transitions are the moves of a status field that are allowed. A state that is not a key is final.
type Transitions struct {
	Field string
	From  map[string][]string
	// With names the fields that POST …/{id}/transition takes beside the state to move to. Without it, status moves by
	// PATCH only.
	With []string
	// Now narrows what From allows where that depends on more than the state: it is given a record and what From allows it, and gives what is
	// left and, where that is less, a sentence that says why and what can be done about it.
	Now func(record any, allowed []string) (now []string, because string)
	// Ended are the states of records that are done with: who looks for something is shown them behind others.
	Ended []string
}

// AllowedSQL is SQL over alias t of the table: the states that a record may move to next, as a JSON array. It is the computed field
// allowed_transitions.
func (t Transitions) AllowedSQL() string {
	var cases strings.Builder
	for _, from := range slices.Sorted(maps.Keys(t.From)) {
		if next := t.From[from]; next != nil {
			fmt.Fprintf(&cases, ` WHEN '%s' THEN '["%s"]'`, from, strings.Join(next, `","`))
		}
	}
	return "CASE t." + t.Field + cases.String() + " ELSE '[]' END"
}

// RevealOnce names the field that only the response to a create has a value for. The field is the struct's last
// and computed as NULL; where it is not read-only, the resource's rules take the value of a body out of the record: no row, history or
// event holds the value, nor does a response that is kept for an Idempotency-Key. Find gives the values by the ids of records, for the
// response that is about to be sent, also when it is sent again.
type RevealOnce struct {
	Field string
	Find  func(ctx context.Context, tx pgx.Tx, ids []string) (map[string]string, error)
}
