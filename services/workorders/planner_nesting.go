package workorders

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/maintenance"
)

// largerPlan is a plan that supersedes the one that is being worked on.
type largerPlan struct {
	PMPlan
	schedule    maintenance.Schedule
	moved       string // what was put on other days, as JSON
	plannedFrom time.Time
	targets     map[string]bool // that it is for
	coming      []maintenance.Occurrence
	first       map[string]maintenance.Occurrence // by target, of a fixed plan with max_gap_months: the next one
	rows        map[string][]largerRow            // by target
}

// largerRow is an occurrence of a larger plan that there is.
type largerRow struct {
	key, state  string
	sequence    int
	due, doneOn time.Time
}

// largerPlans reads the active plans that supersede a plan.
func (o orders) largerPlans(ctx context.Context, tx pgx.Tx, id string) ([]*largerPlan, error) {
	rows, err := tx.Query(ctx, `SELECT id::text, name,
		coalesce(code, ''), starts_on::text, ends_on::text, targets::text, coalesce(target_filter::text, 'null'), due_by::text, seasons::text,
		exception_dates::text, extra_dates::text, basis, work_order_per, lead_days, max_gap_months, calendar_id::text,
			non_working_day, suppress_days, last_done_on::text, moved::text, planned_from::text, coalesce(in_time::text, 'null')
		FROM pm_plan WHERE organization_id = current_organization() AND status = 'active' AND supersedes <> '[]'
			AND supersedes @> jsonb_build_array($1::text) ORDER BY id`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []*largerPlan
	for rows.Next() {
		l, code := &largerPlan{rows: map[string][]largerRow{}}, ""
		var targets, filter, trigger, seasons, exceptions, extra, window string
		var from *string
		if err := rows.Scan(&l.ID, &l.Name, &code, &l.StartsOn, &l.EndsOn, &targets, &filter, &trigger, &seasons, &exceptions, &extra, &l.Basis,
			&l.WorkOrderPer, &l.LeadDays, &l.MaxGapMonths, &l.CalendarID, &l.NonWorkingDay, &l.SuppressDays, &l.LastDoneOn, &l.moved, &from,
			&window); err != nil {
			return nil, err
		}
		l.Code = &code
		if err := decode(targets, &l.Targets, filter, &l.TargetFilter, trigger, &l.Trigger, seasons, &l.Seasons, exceptions, &l.ExceptionDates,
			extra, &l.ExtraDates, window, &l.Window); err != nil {
			return nil, err
		}
		l.plannedFrom = dayOf(from)
		all = append(all, l)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return all, scheduleAll(ctx, tx, all)
}

// scheduleAll gives plans that were read their schedules, by their calendars.
func scheduleAll(ctx context.Context, tx pgx.Tx, plans []*largerPlan) error {
	var calendars []string
	for _, p := range plans {
		if p.CalendarID != nil {
			calendars = append(calendars, *p.CalendarID)
		}
	}
	hours, err := storedHours(ctx, tx, calendars)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if p.schedule, err = p.scheduleMoved(p.moved, hours); err != nil {
			return err
		}
	}
	return nil
}

// resolveLarger finds out what the larger plans are for.
func (w *planWork) resolveLarger(ctx context.Context) error {
	for _, l := range w.larger {
		l.targets = map[string]bool{}
		for _, t := range l.Targets {
			l.targets[t.TargetID] = true
		}
		if l.TargetFilter != nil {
			found, _, err := w.find(ctx, *l.TargetFilter, maxFound)
			if err != nil {
				return err
			}
			for _, t := range found {
				l.targets[t.TargetID] = true
			}
		}
	}
	return nil
}

// readLarger reads the occurrences of the larger plans on some targets that there are about the days in question.
func (w *planWork) readLarger(ctx context.Context, tx pgx.Tx, targets []string, from, to time.Time) error {
	if len(w.larger) == 0 {
		return nil
	}
	var plans []string
	days := 0
	for _, l := range w.larger {
		plans, days = append(plans, l.ID), max(days, l.SuppressDays+31)
		l.rows = map[string][]largerRow{}
		l.coming, l.first = nil, nil
		if l.schedule.Rule != nil {
			for o := range l.schedule.Fixed(from.AddDate(0, 0, -l.SuppressDays-31)) {
				if o.Date.After(to.AddDate(0, 0, l.SuppressDays+31)) {
					break
				}
				if !o.Due.Before(l.plannedFrom) {
					l.coming = append(l.coming, o)
				}
			}
			if err := w.readFirst(ctx, tx, l, targets); err != nil {
				return err
			}
		}
	}
	rows, err := tx.Query(ctx, `SELECT plan_id::text, target_id::text, occurrence, state, sequence, due_on::text, done_on::text
		FROM pm_occurrence o
		WHERE o.organization_id = current_organization() AND o.plan_id = ANY($1::uuid[]) AND o.target_id = ANY($2::uuid[] || $1::uuid[])
			AND (o.due_on BETWEEN $3::date - $5::integer AND $4::date + $5::integer
				OR o.own_date BETWEEN $3::date - $5::integer AND $4::date + $5::integer
				OR o.sequence > 0 AND NOT EXISTS (SELECT FROM pm_occurrence n WHERE n.organization_id = o.organization_id AND n.plan_id = o.plan_id
					AND n.target_id = o.target_id AND n.sequence > o.sequence))
		ORDER BY sequence, own_date`, plans, targets, text(from), text(to), days)
	if err != nil {
		return err
	}
	return eachLargerRow(rows, func(plan, target string, row largerRow) {
		i := slices.IndexFunc(w.larger, func(l *largerPlan) bool { return l.ID == plan })
		w.larger[i].rows[target] = append(w.larger[i].rows[target], row)
	})
}

// eachLargerRow gives the occurrences of larger plans, with plan and target.
func eachLargerRow(rows pgx.Rows, give func(plan, target string, row largerRow)) error {
	var plan, target string
	var row largerRow
	var due, done *string
	_, err := pgx.ForEachRow(rows, []any{&plan, &target, &row.key, &row.state, &row.sequence, &due, &done}, func() error {
		row.due, row.doneOn = dayOf(due), dayOf(done)
		give(plan, target, row)
		return nil
	})
	return err
}

// readFirst finds out which occurrence of a larger plan is next on targets, where max_gap_months may bring it forward.
func (w *planWork) readFirst(ctx context.Context, tx pgx.Tx, l *largerPlan, targets []string) error {
	if l.MaxGapMonths == nil {
		return nil
	}
	larger := l.work(w.today)
	larger.coming = comingOf(l.schedule, l.plannedFrom, w.today, furtherOn)
	targetStates, err := larger.targetStates(ctx, tx, append(slices.Clone(targets), l.ID))
	l.first = map[string]maintenance.Occurrence{}
	for id, s := range targetStates {
		for o := range larger.toCome(s) {
			l.first[id] = o
			break
		}
	}
	return err
}

// work is the planner's work on the plan as far as it decides when something is due.
func (l *largerPlan) work(today time.Time) *planWork {
	return &planWork{plan: &l.PMPlan, schedule: l.schedule, plannedFrom: l.plannedFrom, zone: time.UTC, today: today}
}

// includedIn gives the larger plan, and its occurrence, that an occurrence on a target is a part of; nil where there is none. It goes by
// the rule of the larger plan, also before that has made anything. Work since which a floating plan counts includes nothing that is due
// later.
func (w *planWork) includedIn(o maintenance.Occurrence, targets []string, since time.Time) (*largerPlan, largerRow) {
	for _, l := range w.larger {
		if target, is := l.on(targets); is {
			for _, row := range l.rows[target] {
				over := slices.Contains(undoneStates, row.state) || !row.doneOn.IsZero() && !row.doneOn.After(since)
				if !over && maintenance.Suppresses(row.due, o.Due, l.SuppressDays) {
					return l, row
				}
			}
		}
	}
	for _, l := range w.larger {
		if target, is := l.on(targets); is {
			for _, larger := range l.expected(target) {
				present := func(row largerRow) bool { return row.key == larger.Key }
				if maintenance.Suppresses(larger.Due, o.Due, l.SuppressDays) && !slices.ContainsFunc(l.rows[target], present) {
					return l, largerRow{key: larger.Key}
				}
			}
		}
	}
	return nil, largerRow{}
}

// on is the target by which the occurrences of a larger plan are known that has all the targets of a smaller one's; false where it has not.
func (l *largerPlan) on(targets []string) (target string, is bool) {
	for _, id := range targets {
		if !l.targets[id] {
			return "", false
		}
	}
	switch {
	case len(targets) == 0:
		return "", false
	case l.WorkOrderPer == "plan":
		return l.ID, true
	}
	return targets[0], true
}

// expected are the occurrences of a larger plan that are to come on a target about the days in question, as far as they are known by now.
func (l *largerPlan) expected(target string) []maintenance.Occurrence {
	if l.schedule.Interval != nil {
		if next, is := l.nextCycle(l.rows[target]); is {
			return []maintenance.Occurrence{next}
		}
		return nil
	}
	var all []maintenance.Occurrence
	first, is := l.first[target]
	if is {
		all = append(all, first)
	}
	for _, o := range l.coming {
		if o.Key != first.Key && !l.doneBefore(o) {
			all = append(all, o)
		}
	}
	return all
}

// nextCycle is the next occurrence of a larger plan that floats by dates, if it is known by now.
func (l *largerPlan) nextCycle(rows []largerRow) (maintenance.Occurrence, bool) {
	s := targetState{lastDone: dayOf(l.LastDoneOn)}
	for _, row := range rows {
		s.key, s.state, s.sequence, s.due, s.doneOn = row.key, row.state, row.sequence, row.due, row.doneOn
		if row.doneOn.After(s.lastDone) {
			s.lastDone = row.doneOn
		}
	}
	return l.work(time.Time{}).cycle(s)
}

// label is what people call a plan in a sentence.
func (p *PMPlan) label() string {
	if p.Code != nil && *p.Code != "" {
		return *p.Code
	}
	return p.Name
}

// raw is a record as JSON, for events.
func raw(record any) json.RawMessage {
	encoded, err := json.Marshal(record)
	if err != nil {
		panic(err) // plain fields only
	}
	return encoded
}
