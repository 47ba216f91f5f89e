package workorders

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/workhours"
)

// ServiceLevel is when work must be begun and done, as the policy said when the work order was made, and what became of it.
type ServiceLevel struct {
	RespondBy        *string `json:"respond_by" readOnly:"true" format:"date-time" filter:"range" sort:"true" doc:"When work must have begun: respond_minutes of the service level for its priority and type, from created_at on. Stamped anew when priority or type change, and later by the time on hold; not when the service level changes."`
	CompleteBy       *string `json:"complete_by" readOnly:"true" format:"date-time" filter:"range" sort:"true" doc:"When it must be done, likewise."`
	SLAState         string  `json:"sla_state" readOnly:"true" default:"none" enum:"none,running,paused,met,missed" filter:"equals" sort:"true" doc:"none where no service level is for it, and while it is cancelled. running and paused until it is done; met when it was begun and done in time. missed as soon as one of the two times has passed, and from then on."`
	SLACalendarID    *string `json:"sla_calendar_id" readOnly:"true" format:"uuid" doc:"The calendar by whose hours its time is counted; null: round the clock."`
	SLAPauseOnHold   bool    `json:"sla_pause_on_hold" readOnly:"true" doc:"Whether its time stands still on hold, as the service level said when it was stamped."`
	SLAPausedAt      *string `json:"sla_paused_at" readOnly:"true" format:"date-time" doc:"Since when its time stands still; null while it runs."`
	SLAPausedSeconds int     `json:"sla_paused_seconds" readOnly:"true" unit:"second" doc:"How much working time it was on hold, before sla_paused_at."`
}

// stampServiceLevels stamps new work orders, and those whose priority or type changes, and follows what happens to the others. The states
// and times of the work orders are set.
func stampServiceLevels(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var clocked []*resource.Change[WorkOrder]
	var ids []string
	fresh := false
	for _, c := range changes {
		switch before := c.Before; {
		case before == nil:
			if !slices.Contains([]string{"open", "in_progress", "on_hold"}, c.After.Status) {
				continue // done before it came here
			}
			fresh = true
		case before.Priority != c.After.Priority || before.Type != c.After.Type:
			fresh = true
		case before.SLAState == "none" && before.RespondBy == nil && before.CompleteBy == nil,
			before.Status == c.After.Status && resource.Same(before.StartedAt, c.After.StartedAt):
			continue
		}
		clocked = append(clocked, c)
		if c.Before != nil && c.Before.SLACalendarID != nil {
			ids = append(ids, *c.Before.SLACalendarID)
		}
	}
	var policies map[policyKey]SLAPolicy
	var err error
	if fresh && principal.From(ctx).Has("maintenance") {
		if policies, err = storedPolicies(ctx, tx); err != nil {
			return err
		}
	}
	if len(clocked) == 0 || len(policies) == 0 && len(ids) == 0 && !anyStamped(clocked) {
		return nil
	}
	hours, now, err := countedBy(ctx, tx, policies, ids)
	if err != nil {
		return err
	}
	for _, c := range clocked {
		clock{c.After, c.Before, hours, now}.run(policies)
	}
	return nil
}

// stampNew stamps work orders that are made by a rule, not by a caller.
func stampNew(ctx context.Context, tx pgx.Tx, made []*WorkOrder) error {
	if !principal.From(ctx).Has("maintenance") {
		return nil
	}
	policies, err := storedPolicies(ctx, tx)
	if err != nil || len(policies) == 0 {
		return err
	}
	hours, now, err := countedBy(ctx, tx, policies, nil)
	if err != nil {
		return err
	}
	for _, w := range made {
		clock{w, nil, hours, now}.run(policies)
	}
	return nil
}

// countedBy gives what clocks count by: the working hours of the policies' calendars and of further ones, and the database's time.
func countedBy(ctx context.Context, tx pgx.Tx, policies map[policyKey]SLAPolicy, calendars []string) (map[string]*workhours.Hours,
	time.Time, error) {
	for _, p := range policies {
		if p.CalendarID != nil {
			calendars = append(calendars, *p.CalendarID)
		}
	}
	hours, err := storedHours(ctx, tx, calendars)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := databaseNow(ctx, tx)
	return hours, now, err
}

func anyStamped(changes []*resource.Change[WorkOrder]) bool {
	return slices.ContainsFunc(changes, func(c *resource.Change[WorkOrder]) bool {
		return c.Before != nil && (c.Before.RespondBy != nil || c.Before.CompleteBy != nil)
	})
}

// clock counts the time of one work order.
type clock struct {
	*WorkOrder
	before *WorkOrder
	hours  map[string]*workhours.Hours // by calendar
	now    time.Time
}

func (c clock) run(policies map[policyKey]SLAPolicy) {
	c.resume()
	stamped := c.before == nil || c.before.Priority != c.Priority || c.before.Type != c.Type
	if stamped {
		c.stamp(policies)
	}
	if !stamped && c.before.SLAState == "missed" {
		return
	}
	c.SLAState = c.state()
	if c.SLAState == "paused" && c.SLAPausedAt == nil {
		c.SLAPausedAt = timeOf(c.now)
	}
}

// resume goes on when a work order is no longer on hold: what was left when it was put there is left now.
func (c clock) resume() {
	if c.SLAPausedAt == nil || c.Status == "on_hold" {
		return
	}
	paused, hours := parseTime(c.SLAPausedAt), c.calendar()
	for _, by := range []**string{&c.RespondBy, &c.CompleteBy} {
		if *by == nil || by == &c.RespondBy && c.before.responded() != nil {
			continue
		}
		if end, found := hours.Add(c.now, hours.Between(paused, parseTime(*by))); found && parseTime(*by).After(paused) {
			*by = timeOf(end)
		}
	}
	c.SLAPausedSeconds += int(hours.Between(paused, c.now) / time.Second)
	c.SLAPausedAt = nil
}

// calendar is the working hours by which the time is counted. One that is gone counts round the clock.
func (c clock) calendar() *workhours.Hours {
	if c.SLACalendarID == nil {
		return nil
	}
	return c.hours[*c.SLACalendarID]
}

// stamp sets the times by the policy for type and priority, else by that for the priority, from the creation on.
func (c clock) stamp(policies map[policyKey]SLAPolicy) {
	policy, found := policies[policyKey{c.Priority, c.Type}]
	if !found {
		policy = policies[policyKey{c.Priority, ""}]
	}
	created := c.now
	if c.before != nil {
		created = parseTime(&c.CreatedAt)
	}
	c.SLACalendarID, c.SLAPauseOnHold = policy.CalendarID, policy.PauseOnHold
	hours, held := c.calendar(), time.Duration(c.SLAPausedSeconds)*time.Second
	by := func(minutes *int) *string {
		if minutes == nil {
			return nil
		}
		end, found := hours.Add(created, minutesOf(*minutes)+held)
		if !found {
			return nil
		}
		return timeOf(end)
	}
	c.RespondBy, c.CompleteBy = by(policy.RespondMinutes), by(policy.CompleteMinutes)
	if !c.SLAPauseOnHold {
		c.SLAPausedAt = nil
	}
}

// state is what has become of the service level by now.
func (c clock) state() string {
	done := c.Status == "completed" || c.Status == "closed"
	paused := c.Status == "on_hold" && c.SLAPauseOnHold
	late := func(at, by *string, happened bool) bool {
		switch {
		case by == nil:
			return false
		case happened && at != nil:
			return parseTime(at).After(parseTime(by))
		}
		until := c.now
		if c.SLAPausedAt != nil {
			until = parseTime(c.SLAPausedAt)
		}
		return !happened && until.After(parseTime(by))
	}
	responded := c.responded()
	switch {
	case c.RespondBy == nil && c.CompleteBy == nil, c.Status == "cancelled":
		return "none"
	case late(responded, c.RespondBy, responded != nil || done), late(c.CompletedAt, c.CompleteBy, done):
		return "missed"
	case done, c.CompleteBy == nil && responded != nil:
		return "met"
	case paused:
		return "paused"
	}
	return "running"
}

// responded is when work on it first began, or was done.
func (w *WorkOrder) responded() *string {
	if w.StartedAt != nil {
		return w.StartedAt
	}
	return w.CompletedAt
}
