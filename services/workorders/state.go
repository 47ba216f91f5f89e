package main

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// A work order's state, and what goes with it: PATCH of status, POST …/transition and every row of a bulk call come
// through prepareStates.

var transitions = resource.Transitions{
	Field: "status",
	From: map[string][]string{
		"open":        {"in_progress", "on_hold", "completed", "cancelled"},
		"in_progress": {"on_hold", "completed", "cancelled"},
		"on_hold":     {"in_progress", "cancelled"},
		"completed":   {"closed", "in_progress"},
		"cancelled":   {"open"},
	},
	With: []string{"hold_reason", "cancel_reason", "completion_notes", "problem_code", "cause_code", "remedy_code", "downtime_minutes", "started_at", "completed_at", "closed_at"},
}

// stamp is a time that is set by moves to a state.
type stamp struct {
	field string
	at    func(w *WorkOrder) **string
	to    string   // the move that stamps it
	with  []string // the moves that it may be given with
	held  []string // the states that can have it; nil: every one
}

var stamps = []stamp{
	{"started_at", func(w *WorkOrder) **string { return &w.StartedAt }, "in_progress", []string{"in_progress", "completed"}, nil},
	{"completed_at", func(w *WorkOrder) **string { return &w.CompletedAt }, "completed", []string{"completed"}, []string{"completed", "closed"}},
	{"closed_at", func(w *WorkOrder) **string { return &w.ClosedAt }, "closed", []string{"closed"}, []string{"closed"}},
}

// ahead is how far the clock of a caller may be ahead of ours.
const ahead = 5 * time.Minute

func prepareStates(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	now, err := clock(ctx, tx, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before != nil && c.Before.Status == "closed" {
			if !reflect.DeepEqual(c.Before, c.After) {
				c.Reject(isClosed())
			}
			continue
		}
		if c.Before != nil && c.Before.Status != c.After.Status && !slices.Contains(transitions.From[c.Before.Status], c.After.Status) {
			continue // refused already; what such a move would need is beside the point
		}
		c.After.keepReasons(c.Before, c.FieldError)
		c.After.keepStamps(c.Before, now, c.FieldError)
		c.After.checkTimes(c.FieldError)
	}
	return nil
}

// isClosed is the 409 of whoever wants to change a closed work order or a part of it.
func isClosed() *fault.Error {
	refusal := fault.Conflict("work_order_closed", "status", "closed", "The work order is closed, which is final: neither it nor its comments, tasks and costs can be changed. Open a new work order for further work.")
	refusal.Allowed = []string{} // from here there is no way on
	return refusal
}

// clock is the time of moves, by the clock that also says when records were created; asked only where something moves.
func clock(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) (now string, err error) {
	for _, c := range changes {
		if c.Before != nil && c.Before.Status != c.After.Status {
			var at time.Time
			err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&at)
			return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano), err
		}
	}
	return "", nil
}

// keepReasons asks for the reason of a state, and clears that of a state which was left.
func (w *WorkOrder) keepReasons(before *WorkOrder, fail func(field, format string, args ...any)) {
	for _, reason := range []struct {
		field, state string
		of           func(*WorkOrder) **string
	}{
		{"hold_reason", "on_hold", func(w *WorkOrder) **string { return &w.HoldReason }},
		{"cancel_reason", "cancelled", func(w *WorkOrder) **string { return &w.CancelReason }},
	} {
		given := reason.of(w)
		switch {
		case w.Status == reason.state && *given == nil:
			fail(reason.field, "is required when status is %s", reason.state)
		case w.Status == reason.state || *given == nil:
		case before != nil && resource.Same(*reason.of(before), *given):
			*given = nil
		default:
			fail(reason.field, "is for work orders that are %s; leave it out, or set status to %s", reason.state, reason.state)
		}
	}
}

// keepStamps sets the time of a move, unless the caller gave it with the move, and takes away what the state no
// longer has. Otherwise these times stay as they were stamped.
func (w *WorkOrder) keepStamps(before *WorkOrder, now string, fail func(field, format string, args ...any)) {
	for _, s := range stamps {
		at := s.at(w)
		holds := s.held == nil || slices.Contains(s.held, w.Status)
		stayed := before != nil && resource.Same(*s.at(before), *at)
		moved := before != nil && before.Status != w.Status
		switch {
		case before != nil && !stayed && !(moved && slices.Contains(s.with, w.Status)) && !(*at == nil && !holds):
			fail(s.field, "is stamped when the work order moves to %s; it can be given on create or together with that move", s.to)
		case !holds && stayed:
			*at = nil
		case !holds && *at != nil:
			fail(s.field, "is for work orders that are %s; leave it out, or set status to %s", s.to, s.to)
		case moved && w.Status == s.to && *at == nil:
			*at = &now
		}
	}
}

// checkTimes holds the times of a work order to their order.
func (w *WorkOrder) checkTimes(fail func(field, format string, args ...any)) {
	for _, s := range stamps {
		if at := *s.at(w); at != nil && instant(at).After(time.Now().Add(ahead)) {
			fail(s.field, "must not be in the future")
		}
	}
	for _, pair := range []struct {
		field, earlier string
		at, after      *string
	}{
		{"completed_at", "started_at", w.CompletedAt, w.StartedAt},
		{"closed_at", "completed_at", w.ClosedAt, w.CompletedAt},
		{"closed_at", "started_at", w.ClosedAt, w.StartedAt},
		{"scheduled_end", "scheduled_start", w.ScheduledEnd, w.ScheduledStart},
	} {
		if pair.at != nil && pair.after != nil && instant(pair.at).Before(instant(pair.after)) {
			fail(pair.field, "must not be before %s (%s)", pair.earlier, *pair.after)
		}
	}
}

// instant reads a time that the declaration has checked.
func instant(text *string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, *text)
	return at
}
