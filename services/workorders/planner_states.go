package workorders

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/domain/maintenance"
)

// What the planner reads from others before it writes: meters of the meters service.

// readMeters reads from the meters service what makes work due.
func (w *planWork) readMeters(ctx context.Context, targets []planTarget) error {
	if t := w.plan.Trigger; t.Meter == nil && t.Gauge == nil {
		return nil
	}
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.TargetID
	}
	targetStates, err := w.read(ctx, ids)
	if err != nil {
		return err
	}
	if m := w.plan.Trigger.Meter; m != nil {
		records := make([]meters.UsageRecord, len(ids))
		for i, id := range ids {
			records[i] = usageSince(id, targetStates[id], w.plannedFrom, w.zone)
		}
		if w.usage, err = w.usages(ctx, m.Name, records); err != nil {
			return err
		}
	}
	if g := w.plan.Trigger.Gauge; g != nil {
		records := make([]meters.GaugeRecord, len(ids))
		for i, id := range ids {
			s := targetStates[id]
			records[i] = meters.GaugeRecord{ID: id, Outside: s.outside, Since: s.readTo}
			if s.readTo == nil {
				from := maintenance.Begins(w.plannedFrom, w.zone).UTC().Format(time.RFC3339)
				records[i].Since = &from
			}
		}
		query := meters.GaugesQuery{Name: g.Name, Above: &g.Value, ClearValue: g.ClearValue, Records: records}
		if g.Op == "lt" {
			query.Above, query.Below = nil, &g.Value
		}
		response, err := meters.Gauges.Call(ctx, w.registry.References, query)
		if err != nil {
			return err
		}
		w.gauges = map[string]meters.Gauge{}
		for _, gauge := range response.Data {
			w.gauges[gauge.RecordID] = gauge
		}
	}
	return nil
}

// usageSince asks what a counter had run when a floating plan began to count: after the work was last done, or was due and skipped.
func usageSince(id string, s targetState, plannedFrom time.Time, zone *time.Location) meters.UsageRecord {
	since, last := plannedFrom, s.lastDone
	if slices.Contains(undoneStates, s.state) && s.due.After(last) {
		last = s.due
	}
	if !last.IsZero() {
		since = last.AddDate(0, 0, 1)
	}
	at := maintenance.Begins(since, zone).UTC().Format(time.RFC3339)
	return meters.UsageRecord{ID: id, At: &at}
}

// usage is what a counter has run.
type usage struct{ Total, At, Daily *float64 }

// usages asks what counters have run, by record.
func (o orders) usages(ctx context.Context, name string, records []meters.UsageRecord) (map[string]usage, error) {
	found := map[string]usage{}
	response, err := meters.Usages.Call(ctx, o.registry.References, meters.UsageQuery{Name: name, Records: records})
	if err != nil {
		return nil, err
	}
	for _, u := range response.Data {
		found[u.RecordID] = usage{floatOf(u.TotalUsage), floatOf(u.UsageAt), floatOf(u.DailyUsage90)}
	}
	return found, nil
}

// floatOf is near enough to a quantity to say when it is reached.
func floatOf(n *json.Number) *float64 {
	if n == nil {
		return nil
	}
	f, _ := n.Float64() // the meters service wrote it
	return &f
}

// targetState is what the plan knows of one target.
type targetState struct {
	id              string
	key, state      string // of the latest occurrence; empty: there is none
	sequence        int
	own, due        time.Time
	doneOn          time.Time // of the latest one
	lastDone        time.Time // of any
	undone          bool      // something that was made is still to be done
	workOrder       *string
	workOrderStatus *string
	reason          *string
	ahead           []string // occurrences that were skipped or made before their turn
	released        []string // suppressed ones that are to be made now
	outside         bool
	readTo          *string
}

const targetStatesSQL = `SELECT t.id::text, l.occurrence, l.state, l.sequence, l.own_date::text, l.due_on::text, l.done_on::text,
	d.done_on::text, l.work_order_id::text, w.status, l.reason, a.keys, r.keys, coalesce(s.outside, false), to_char(s.read_to,
			'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
		EXISTS (SELECT FROM pm_occurrence o WHERE o.organization_id = current_organization() AND o.plan_id = $1::uuid AND o.target_id = t.id
			AND o.state = 'generated')
	FROM unnest($2::uuid[]) t (id)
	LEFT JOIN LATERAL (SELECT * FROM pm_occurrence o WHERE o.organization_id = current_organization() AND o.plan_id = $1::uuid
		AND o.target_id = t.id
		AND NOT o.ahead ORDER BY o.sequence DESC, o.own_date DESC LIMIT 1) l ON true
	LEFT JOIN LATERAL (SELECT max(o.done_on) AS done_on FROM pm_occurrence o WHERE o.organization_id = current_organization()
		AND o.plan_id = $1::uuid
		AND o.target_id = t.id AND o.done_on IS NOT NULL) d ON true
	LEFT JOIN LATERAL (SELECT array_agg(o.occurrence) AS keys FROM pm_occurrence o WHERE o.organization_id = current_organization()
		AND o.plan_id = $1::uuid AND o.target_id = t.id AND o.ahead) a ON true
	LEFT JOIN LATERAL (SELECT array_agg(o.occurrence) AS keys FROM pm_occurrence o WHERE o.organization_id = current_organization()
		AND o.plan_id = $1::uuid AND o.target_id = t.id AND o.released) r ON true
	LEFT JOIN work_order w ON w.organization_id = current_organization() AND w.id = l.work_order_id
	LEFT JOIN pm_target s ON s.organization_id = current_organization() AND s.plan_id = $1::uuid AND s.target_id = t.id`

// read gives what the plan knows of targets, by id.
func (w *planWork) read(ctx context.Context, ids []string) (map[string]targetState, error) {
	found := map[string]targetState{}
	err := w.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = w.targetStates(ctx, tx, ids)
		return err
	})
	return found, err
}

func (w *planWork) targetStates(ctx context.Context, tx pgx.Tx, ids []string) (map[string]targetState, error) {
	rows, err := tx.Query(ctx, targetStatesSQL, w.plan.ID, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]targetState{}
	defer rows.Close()
	for rows.Next() {
		var s targetState
		var key, state, own, due, done, last *string
		var sequence *int
		if err := rows.Scan(&s.id, &key, &state, &sequence, &own, &due, &done, &last, &s.workOrder, &s.workOrderStatus, &s.reason, &s.ahead,
			&s.released, &s.outside, &s.readTo, &s.undone); err != nil {
			return nil, err
		}
		if key != nil {
			s.key, s.state, s.sequence = *key, *state, *sequence
		}
		s.own, s.due, s.doneOn, s.lastDone = dayOf(own), dayOf(due), dayOf(done), dayOf(last)
		if s.lastDone.IsZero() {
			s.lastDone = dayOf(w.plan.LastDoneOn)
		}
		found[s.id] = s
	}
	return found, rows.Err()
}

// open reports whether work on the latest occurrence is still to be done.
func (s targetState) open() bool {
	return s.state == "generated" && s.workOrderStatus != nil &&
		slices.Contains([]string{"open", "in_progress", "on_hold"}, *s.workOrderStatus)
}

// waits reports whether the next cycle of a floating plan waits for the last one.
func (s targetState) waits() bool {
	return s.state == "generated" || s.state == "suppressed" && s.doneOn.IsZero()
}

// sequenceOf is the number in the key of a cycle, a step or an excursion; 0 of dates.
func sequenceOf(key string) int {
	if key == "" || key[0] >= '0' && key[0] <= '9' {
		return 0
	}
	n, _ := strconv.Atoi(key[1:])
	return n
}

// decide gives what is due on a target: what is made and what is missed. It notes when something opens next.
func (w *planWork) decide(t planTarget, s targetState) (made, missed []maintenance.Occurrence) {
	trigger := w.plan.Trigger
	switch {
	case w.force != nil:
		if w.force.target != "" && w.force.target != t.TargetID {
			return nil, nil
		}
		return w.ahead(s), nil
	case trigger.RRule != nil:
		return w.decideFixed(s)
	case w.plan.Basis == "floating" && (trigger.Interval != nil || trigger.Meter != nil):
		return w.decideFloating(t, s), nil
	case w.over():
		return nil, nil
	case trigger.Meter != nil:
		w.opensAt(w.now().Add(pollInterval))
		return w.decideSteps(t, s)
	}
	w.opensAt(w.now().Add(pollInterval))
	return w.decideExcursions(t, s)
}

// over reports whether the plan's last day is over.
func (w *planWork) over() bool {
	return !w.schedule.EndsOn.IsZero() && w.today.After(w.schedule.EndsOn)
}

// opensAt notes when something is to be looked at.
func (w *planWork) opensAt(at time.Time) {
	if w.next.IsZero() || at.Before(w.next) {
		w.next = at
	}
}

// opens reports whether an occurrence opens by today, and notes when it does otherwise.
func (w *planWork) opens(o maintenance.Occurrence) bool {
	if !o.Opens.After(w.today) {
		return true
	}
	w.opensAt(maintenance.Begins(o.Opens, w.zone))
	return false
}

func (w *planWork) decideFixed(s targetState) (made, missed []maintenance.Occurrence) {
	var due []maintenance.Occurrence
	if n := len(w.coming); n > 0 && w.coming[n-1].Opens.After(w.today) {
		w.opens(w.coming[n-1]) // whatever was skipped before it
	}
	for o := range w.toCome(s) {
		if w.opens(o) {
			due = append(due, o)
		}
	}
	return maintenance.CaughtUp(due, w.plan.CatchUp)
}

// toCome are the occurrences of a fixed plan by dates that a target has not had yet, the first of them no later than max_gap_months allow.
func (w *planWork) toCome(s targetState) iter.Seq[maintenance.Occurrence] {
	return func(yield func(maintenance.Occurrence) bool) {
		first := true
		for _, o := range w.coming {
			if s.key == "" && w.plan.TargetFilter != nil && o.Due.Before(w.today) {
				continue // found since: nothing is made of the past
			}
			if s.key == "" && w.plan.doneBefore(o) {
				continue
			}
			_, moved := w.schedule.Moved[o.Key]
			if slices.Contains(s.ahead, o.Key) || !moved && !s.own.IsZero() && !o.Date.After(s.own) {
				continue
			}
			if first {
				o, first = w.capped(o, s), false
			}
			if !yield(o) {
				return
			}
		}
	}
}

// undoneStates are those of occurrences that are over, and were not done.
var undoneStates = []string{"skipped", "missed", "superseded"}

// capped is the next occurrence on a target, due no later than max_gap_months after the work was last done. While work is still to be done,
// that is what ends the gap, and the next one stays where it is; what was skipped or missed counts from its due day, as in floating plans.
func (w *planWork) capped(o maintenance.Occurrence, s targetState) maintenance.Occurrence {
	since := s.lastDone
	switch {
	case s.undone, s.state == "suppressed" && s.doneOn.IsZero():
		return o
	case slices.Contains(undoneStates, s.state) && !since.IsZero() && s.due.After(since):
		since = s.due
	}
	return w.schedule.Capped(o, since, w.plannedFrom)
}

// ahead is the occurrence that somebody asks for, if it is still to come.
func (w *planWork) ahead(s targetState) []maintenance.Occurrence {
	if slices.Contains(s.ahead, w.force.key) || s.key == w.force.key {
		return nil
	}
	if w.schedule.Interval != nil {
		if o, is := w.cycle(s); is && o.Key == w.force.key {
			return []maintenance.Occurrence{o}
		}
		return nil
	}
	if own, is := maintenance.Day(w.force.key); is && w.schedule.Rule != nil && own.After(s.own) {
		for o := range w.schedule.Fixed(own) {
			if o.Key == w.force.key {
				return []maintenance.Occurrence{w.capped(o, s)}
			}
			break
		}
	}
	return nil
}

// cycle is the next cycle of a floating plan by dates; false while the last one is not done, and when the plan has ended.
func (w *planWork) cycle(s targetState) (maintenance.Occurrence, bool) {
	since := s.lastDone
	switch {
	case s.key == "":
	case s.state == "done", s.state == "suppressed" && !s.doneOn.IsZero():
	case slices.Contains(undoneStates, s.state):
		since = s.due
	default:
		return maintenance.Occurrence{}, false
	}
	o, more := w.schedule.Floating(s.sequence+1, since)
	if s.key == "" && o.Due.Before(w.plannedFrom) {
		o = w.schedule.At(o.Key, w.plannedFrom) // edits make nothing of the past
	}
	return o, more
}

func (w *planWork) decideFloating(t planTarget, s targetState) []maintenance.Occurrence {
	key := maintenance.Cycle(s.sequence + 1)
	if s.waits() {
		return nil
	}
	if w.schedule.Interval != nil {
		o, more := w.cycle(s)
		if !more {
			return nil
		}
		if w.opens(o) {
			return []maintenance.Occurrence{o}
		}
	}
	trigger := w.plan.Trigger
	if w.over() || trigger.Meter == nil && trigger.Gauge == nil && trigger.Condition == nil {
		return nil
	}
	w.opensAt(w.now().Add(pollInterval))
	u := w.usage[t.TargetID]
	run := trigger.Meter != nil && u.Total != nil && *u.Total-value(u.At) >= trigger.Meter.Every-1e-9
	if run || len(w.gauges[t.TargetID].Excursions) > 0 || w.worse(t) && !s.outside {
		return []maintenance.Occurrence{w.schedule.At(key, w.today)}
	}
	return nil
}

func value(number *float64) float64 {
	if number == nil {
		return 0
	}
	return *number
}

func (w *planWork) worse(t planTarget) bool {
	return w.plan.Trigger.Condition != nil && t.rating != nil && *t.rating >= w.plan.Trigger.Condition.RatingAtLeast
}

// decideSteps is for fixed plans by a counter: at every multiple of a use.
func (w *planWork) decideSteps(t planTarget, s targetState) (made, missed []maintenance.Occurrence) {
	u, every := w.usage[t.TargetID], w.plan.Trigger.Meter.Every
	if u.Total == nil {
		return nil, nil
	}
	last := s.sequence
	if s.key == "" {
		last = maintenance.Step(value(u.At), every)
	}
	var due []maintenance.Occurrence
	for _, k := range maintenance.Steps(last, *u.Total, every) {
		due = append(due, w.schedule.At(maintenance.StepKey(k), w.today))
	}
	return maintenance.CaughtUp(due, w.plan.CatchUp)
}

// decideExcursions is for plans by a limit alone: once each time that it was passed.
func (w *planWork) decideExcursions(t planTarget, s targetState) (made, missed []maintenance.Occurrence) {
	n := len(w.gauges[t.TargetID].Excursions)
	if w.worse(t) && !s.outside {
		n++
	}
	var due []maintenance.Occurrence
	for i := range n {
		due = append(due, w.schedule.At(maintenance.Excursion(s.sequence+1+i), w.today))
	}
	return maintenance.CaughtUp(due, w.plan.CatchUp)
}
