package workorders

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// A change of a work order's state is checked and completed by prepareStates, whether it comes by PATCH of status, by
// POST …/transition or in a bulk call.

var transitions = resource.Transitions{
	Field: "status", Ended: []string{"closed", "cancelled"},
	From: map[string][]string{
		"open":        {"in_progress", "on_hold", "completed", "cancelled"},
		"in_progress": {"on_hold", "completed", "cancelled"},
		"on_hold":     {"in_progress", "cancelled"},
		"completed":   {"closed", "in_progress"},
		"cancelled":   {"open"},
	},
	With: []string{"hold_reason", "cancel_reason", "override_reason", "completion_notes", "problem_code", "cause_code", "remedy_code",
		"downtime_minutes", "connections_affected", "started_at", "completed_at", "closed_at", "effects"},
}

// stamp is a time that is set by a move to a state.
type stamp struct {
	field  string
	at     func(w *WorkOrder) **string
	to     string   // the state whose move sets it
	with   []string // the moves that the caller may give it with
	states []string // the states that can have it; nil: every one
}

var stamps = []stamp{
	{"started_at", func(w *WorkOrder) **string { return &w.StartedAt }, "in_progress", []string{"in_progress", "completed"}, nil},
	{"completed_at", func(w *WorkOrder) **string { return &w.CompletedAt }, "completed", []string{"completed"},
		[]string{"completed", "closed"}},
	{"closed_at", func(w *WorkOrder) **string { return &w.ClosedAt }, "closed", []string{"closed"}, []string{"closed"}},
}

// maxClockSkew is how far a caller's clock may be ahead of ours.
const maxClockSkew = 5 * time.Minute

func prepareStates(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	now, err := databaseTime(ctx, tx, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before != nil && c.Before.Status == "closed" {
			if !reflect.DeepEqual(c.Before, c.After) {
				c.Reject(closedError())
			}
			continue
		}
		if c.Before != nil && c.Before.Status != c.After.Status && !slices.Contains(transitions.From[c.Before.Status], c.After.Status) {
			continue // rejected already; what such a move would require does not matter
		}
		c.After.checkReasons(c.Before, c.FieldError)
		c.After.setTimes(c.Before, now, c.FieldError)
		c.After.checkRequested(c.Before, c.FieldError)
		c.After.checkTimes(c.FieldError)
	}
	return nil
}

// closedError is the 409 for a change of a closed work order or of a part of it.
func closedError() *fault.Error {
	conflict := fault.Conflict("work_order_closed", "status", "closed",
		"The work order is closed, which is final: neither it nor its comments, tasks, targets and costs can be changed; costs that come late "+
			"can be added. Open a new work order for further work.")
	conflict.Allowed = []string{} // no state follows
	return conflict
}

// databaseTime is the time of moves. It is the database's clock, which created_at comes from, and is read only when a state changes.
func databaseTime(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) (now string, err error) {
	for _, c := range changes {
		if c.Before != nil && c.Before.Status != c.After.Status {
			at, err := databaseNow(ctx, tx)
			return *timeOf(at), err
		}
	}
	return "", nil
}

// checkReasons requires the reason of a state, and clears that of a state which was left.
func (w *WorkOrder) checkReasons(before *WorkOrder, fieldError func(field, format string, args ...any)) {
	for _, reason := range []struct {
		field, state string
		of           func(*WorkOrder) **string
	}{
		{"hold_reason", "on_hold", func(w *WorkOrder) **string { return &w.HoldReason }},
		{"cancel_reason", "cancelled", func(w *WorkOrder) **string { return &w.CancelReason }},
	} {
		value := reason.of(w)
		switch {
		case w.Status == reason.state && *value == nil:
			fieldError(reason.field, "is required when status is %s", reason.state)
		case w.Status == reason.state || *value == nil:
		case before != nil && resource.Same(*reason.of(before), *value):
			*value = nil
		default:
			fieldError(reason.field, "is for work orders that are %s; leave it out, or set status to %s", reason.state, reason.state)
		}
	}
	switch done := w.Status == "completed" || w.Status == "closed"; {
	case done || w.OverrideReason == nil:
	case before != nil && resource.Same(before.OverrideReason, w.OverrideReason):
		w.OverrideReason = nil
	default:
		fieldError("override_reason", "is for work orders that are completed; leave it out, or set status to completed")
	}
}

// setTimes sets the time of a move, unless the caller gave it with the move, and clears times that the new state does not have.
// Otherwise these times cannot be changed.
func (w *WorkOrder) setTimes(before *WorkOrder, now string, fieldError func(field, format string, args ...any)) {
	for _, s := range stamps {
		at := s.at(w)
		allowed := s.states == nil || slices.Contains(s.states, w.Status)
		unchanged := before != nil && resource.Same(*s.at(before), *at)
		moved := before != nil && before.Status != w.Status
		switch {
		case before != nil && !unchanged && !(moved && slices.Contains(s.with, w.Status)) && !(*at == nil && !allowed):
			fieldError(s.field, "is stamped when the work order moves to %s; it can be given on create or together with that move", s.to)
		case !allowed && unchanged:
			*at = nil
		case !allowed && *at != nil:
			fieldError(s.field, "is for work orders that are %s; leave it out, or set status to %s", s.to, s.to)
		case moved && w.Status == s.to && *at == nil:
			*at = &now
		}
	}
}

// checkRequested refuses a request that is later than the work order: responses count from it, and nobody is faster for saying so
// afterwards.
func (w *WorkOrder) checkRequested(before *WorkOrder, fieldError func(field, format string, args ...any)) {
	switch {
	case w.RequestedAt == nil || before != nil && resource.Same(before.RequestedAt, w.RequestedAt):
	case parseTime(w.RequestedAt).After(time.Now().Add(maxClockSkew)):
		fieldError("requested_at", "must not be in the future")
	case before != nil && parseTime(w.RequestedAt).After(parseTime(&w.CreatedAt)):
		fieldError("requested_at", "must not be after created_at (%s); leave it out where it was asked for when its record was made", w.CreatedAt)
	}
}

// checkTimes checks that the times of a work order are in order.
func (w *WorkOrder) checkTimes(fieldError func(field, format string, args ...any)) {
	for _, s := range stamps {
		if at := *s.at(w); at != nil && parseTime(at).After(time.Now().Add(maxClockSkew)) {
			fieldError(s.field, "must not be in the future")
		}
	}
	for _, pair := range []struct {
		field, earlier string
		at, after      *string
	}{
		{"started_at", "requested_at", w.StartedAt, w.RequestedAt},
		{"completed_at", "requested_at", w.CompletedAt, w.RequestedAt},
		{"completed_at", "started_at", w.CompletedAt, w.StartedAt},
		{"closed_at", "requested_at", w.ClosedAt, w.RequestedAt},
		{"closed_at", "completed_at", w.ClosedAt, w.CompletedAt},
		{"closed_at", "started_at", w.ClosedAt, w.StartedAt},
		{"scheduled_end", "scheduled_start", w.ScheduledEnd, w.ScheduledStart},
	} {
		if pair.at != nil && pair.after != nil && parseTime(pair.at).Before(parseTime(pair.after)) {
			fieldError(pair.field, "must not be before %s (%s)", pair.earlier, *pair.after)
		}
	}
}
