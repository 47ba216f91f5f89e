package workorders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/recurrence"
	"ams.internal/libs/resource"
)

// firstStart is the earliest day on which a plan can start.
const firstStart = "1990-01-01"

func (o orders) preparePlans(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PMPlan]) error {
	var deleted []*resource.Change[PMPlan]
	for _, c := range changes {
		if c.After == nil {
			deleted = append(deleted, c)
		}
	}
	if deleted != nil {
		return rejectUsedPlans(ctx, tx, deleted)
	}
	found := targetsFound(ctx)
	for _, c := range changes {
		if c.Before != nil && c.Before.Status == "ended" && !reflect.DeepEqual(c.Before, c.After) {
			c.Reject(fault.Conflict("plan_ended", "status", "ended", "The plan has ended, which is final. Make a new plan."))
			continue
		}
		if c.Before != nil && c.After.Status != c.Before.Status {
			c.After.PausedBecause = nil
		}
		c.After.check(c.FieldError)
		found.check(c)
	}
	return rejectCycles(ctx, tx, changes)
}

// rejectUsedPlans allows deleting plans that have made nothing.
func rejectUsedPlans(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PMPlan]) error {
	byID, ids := map[string]*resource.Change[PMPlan]{}, []string{}
	for _, c := range changes {
		byID[c.ID()], ids = c, append(ids, c.ID())
	}
	rows, err := tx.Query(ctx, `SELECT plan_id::text, count(*) FROM pm_occurrence
		WHERE organization_id = current_organization() AND plan_id = ANY($1::uuid[]) GROUP BY 1`, ids)
	if err != nil {
		return err
	}
	var id string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		byID[id].Reject(fault.Conflict("delete_not_allowed", "status", byID[id].Before.Status,
			"The plan has %d occurrences, which stay on record. Set its status to ended instead.", n))
		return nil
	})
	return err
}

// check checks what a plan says by itself.
func (p *PMPlan) check(wrong func(field, format string, args ...any)) {
	if p.StartsOn < firstStart {
		wrong("starts_on", "must be %s or later", firstStart)
	}
	if p.EndsOn != nil && *p.EndsOn < p.StartsOn {
		wrong("ends_on", "must be starts_on (%s) or later", p.StartsOn)
	}
	if p.TimeZone != nil {
		if _, err := calendar.Zone(*p.TimeZone); err != nil {
			wrong("time_zone", "is no time zone; give one such as America/Toronto")
		}
	}
	switch {
	case len(p.Targets) > 0 && p.TargetFilter != nil:
		wrong("target_filter", "goes without targets; give one of them")
	case p.Status == "active" && len(p.Targets) == 0 && p.TargetFilter == nil:
		wrong("targets", "must name something, or target_filter must, before the plan is active")
	}
	if p.WorkOrderPer == "plan" && len(p.Targets) > maxTargets {
		wrong("targets", "of a plan with one work order for all are at most %d; set work_order_per to target", maxTargets)
	}
	seen := map[string]int{}
	for i, t := range p.Targets {
		if before, twice := seen[t.TargetID]; twice {
			wrong(fmt.Sprintf("targets[%d]", i), "is targets[%d] once more", before)
		}
		seen[t.TargetID] = i
	}
	for i, s := range p.Seasons {
		if !(maintenance.Season{From: s.From, To: s.To}).Valid() {
			wrong(fmt.Sprintf("seasons[%d]", i), "must be days that exist, as MM-DD")
			return
		}
	}
	if w := p.Window; w != nil && ((w.DaysBefore == nil) != (w.DaysAfter == nil) || (w.DaysBefore == nil) == (w.Calendar == nil)) {
		wrong("window", "must have either days_before and days_after, or calendar")
	}
	if p.checkTrigger(wrong) {
		p.checkLead(wrong)
	}
}

// checkTrigger reports whether the trigger can be computed with.
func (p *PMPlan) checkTrigger(wrong func(field, format string, args ...any)) bool {
	t, n := p.Trigger, 0
	for _, given := range []bool{t.RRule != nil, t.Interval != nil, t.Meter != nil, t.Gauge != nil, t.Condition != nil} {
		if given {
			n++
		}
	}
	switch {
	case n == 0:
		wrong("trigger", "must have rrule, interval, meter, gauge or condition")
	case n > 1 && p.Basis == "fixed":
		wrong("trigger", "of a fixed plan must have one member; several go with basis floating")
	case t.RRule != nil && p.Basis != "fixed":
		wrong("trigger.rrule", "goes with basis fixed; give an interval, or set basis to fixed")
	case t.Interval != nil && p.Basis != "floating":
		wrong("trigger.interval", "goes with basis floating; give an rrule, or set basis to floating")
	case p.WorkOrderPer == "plan" && (t.Meter != nil || t.Gauge != nil || t.Condition != nil):
		wrong("work_order_per", "must be target where a meter, gauge or condition makes the work due: targets differ")
	case t.RRule == nil && len(p.ExceptionDates)+len(p.ExtraDates) > 0:
		wrong("exception_dates", "and extra_dates go with trigger.rrule; leave them out")
	case t.Gauge != nil && t.Gauge.ClearValue != nil && (t.Gauge.Op == "gt") == (*t.Gauge.ClearValue > t.Gauge.Value) &&
		*t.Gauge.ClearValue != t.Gauge.Value:
		wrong("trigger.gauge.clear_value", "must be on the other side of value")
	case t.RRule != nil:
		rule, err := recurrence.Parse(*t.RRule)
		if start, is := maintenance.Day(p.StartsOn); err == nil && is {
			err = rule.Check(start)
		}
		if err != nil {
			var what *recurrence.Error
			errors.As(err, &what)
			wrong("trigger.rrule", "%s", what.Message)
			return false
		}
		return true
	default:
		return true
	}
	return false
}

func (p *PMPlan) checkLead(wrong func(field, format string, args ...any)) {
	if p.LeadDays == 0 {
		return
	}
	if days := p.schedule(nil, nil).ShortestInterval(); days > 0 && p.LeadDays >= days {
		wrong("lead_days", "must be less than the interval, which is %d days at its shortest", days)
	}
}

// rejectCycles refuses plans that supersede themselves, also by way of others.
func rejectCycles(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PMPlan]) error {
	var changed []*resource.Change[PMPlan]
	for _, c := range changes {
		if len(c.After.Supersedes) > 0 && (c.Before == nil || !slices.Equal(c.Before.Supersedes, c.After.Supersedes)) {
			changed = append(changed, c)
		}
	}
	if changed == nil {
		return nil
	}
	// Two calls that would make a cycle together wait for each other here.
	rows, err := tx.Query(ctx, `SELECT p.id::text, p.supersedes::text FROM pm_plan p, pg_advisory_xact_lock(hashtextextended('supersedes ' ||
		current_organization()::text, 0)) WHERE p.organization_id = current_organization() AND p.supersedes <> '[]'`)
	if err != nil {
		return err
	}
	includes := map[string][]string{}
	var id, text string
	if _, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		var ids []string
		err := json.Unmarshal([]byte(text), &ids)
		includes[id] = ids
		return err
	}); err != nil {
		return err
	}
	for _, c := range changed {
		includes[c.ID()] = c.After.Supersedes
	}
	for _, c := range changed {
		if reaches(includes, c.ID(), c.ID(), map[string]bool{}) {
			c.FieldError("supersedes", "makes a circle: the plan would supersede itself")
		}
	}
	return nil
}

func reaches(includes map[string][]string, from, to string, seen map[string]bool) bool {
	for _, next := range includes[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(includes, next, to, seen) {
				return true
			}
		}
	}
	return false
}

// schedulePlans tells the planner what changed. What an active plan makes begins with the day of the change: edits make nothing of the
// past.
func (o orders) schedulePlans(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PMPlan]) error {
	found := targetsFound(ctx)
	for _, c := range changes {
		if c.After == nil || c.Before != nil && c.After.Status == c.Before.Status && c.After.Status != "active" && !found.knows(c) {
			continue
		}
		count, sites := len(c.After.Targets), "{}"
		if found.knows(c) {
			count, sites = found.count(c)
		}
		today := maintenance.DayOf(time.Now(), c.After.zone(ctx)).Format(time.DateOnly)
		if _, err := tx.Exec(ctx, `UPDATE pm_plan SET attempts = 0, target_count = CASE WHEN $5 THEN $3 ELSE target_count END,
				target_sites = CASE WHEN $5 THEN $4::jsonb ELSE target_sites END,
				planned_from = CASE WHEN status = 'active' AND $7 THEN $6::date ELSE planned_from END,
				next_action_at = CASE WHEN status = 'active' THEN n.at END
			FROM (SELECT statement_timestamp() AS at) n
			WHERE organization_id = current_organization() AND id = $1::uuid AND $2::text IS NOT NULL`,
			c.ID(), c.After.Status, count, sites, found.knows(c), today, replanned(c)); err != nil {
			return err
		}
	}
	return nil
}

// replanned reports whether a change of an active plan is one of when its work is due.
func replanned(c *resource.Change[PMPlan]) bool {
	if c.Before == nil || c.Before.Status != "active" {
		return true
	}
	before, after := *c.Before, *c.After
	for _, p := range []*PMPlan{&before, &after} { // the others do not change when anything is due
		*p = PMPlan{Basis: p.Basis, TimeZone: p.TimeZone, StartsOn: p.StartsOn, Trigger: p.Trigger, Seasons: p.Seasons,
			ExceptionDates: p.ExceptionDates, ExtraDates: p.ExtraDates, LastDoneOn: p.LastDoneOn, Targets: p.Targets, TargetFilter: p.TargetFilter}
	}
	return !reflect.DeepEqual(before, after)
}

// zone is where the plan's days begin.
func (p *PMPlan) zone(ctx context.Context) *time.Location {
	if p.TimeZone != nil {
		if zone, err := calendar.Zone(*p.TimeZone); err == nil {
			return zone
		}
	}
	return principal.From(ctx).Calendar().Zone()
}
