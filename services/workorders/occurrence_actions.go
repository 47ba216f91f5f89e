package workorders

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// OccurrenceRequest names an occurrence of a plan.
type OccurrenceRequest struct {
	ID         string  `path:"id" format:"uuid" doc:"Of the plan, as the list gives it."`
	Occurrence string  `json:"occurrence" required:"true" maxLength:"20" doc:"The rule's own date, or the cycle of a floating plan that is next on a target (f3)." example:"2027-01-01"`
	TargetID   *string `json:"target_id" format:"uuid" doc:"On this target only; on all when left out." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Reason     string  `json:"reason" required:"true" minLength:"1" maxLength:"1000" doc:"Why." example:"École fermée pour travaux"`
}

// RescheduleRequest puts an occurrence on another day.
type RescheduleRequest struct {
	ID         string `path:"id" format:"uuid" doc:"Of the plan, as the list gives it."`
	Occurrence string `json:"occurrence" required:"true" maxLength:"20" doc:"The rule's own date, the cycle of a floating plan that is next on a target (f3), or any that is in work." example:"2027-01-01"`
	DueOn      string `json:"due_on" required:"true" format:"date" doc:"The day on which it is due instead." example:"2027-01-11"`
	Reason     string `json:"reason" required:"true" minLength:"1" maxLength:"1000" doc:"Why." example:"Congé"`
}

// OccurrencesChanged is what an action did.
type OccurrencesChanged struct {
	Occurrence string `json:"occurrence" doc:"The occurrence."`
	Changed    int    `json:"changed" doc:"On how many targets something was changed: none where all was so already."`
}

// OccurrenceRescheduled says what was put on another day.
type OccurrenceRescheduled struct {
	Occurrence string  `json:"occurrence" doc:"The occurrence, whose name stays."`
	WasDueOn   *string `json:"was_due_on" format:"date" doc:"The day on which it was due before; null of a cycle of a floating plan that is not made yet."`
	DueOn      string  `json:"due_on" format:"date" doc:"The day on which it is due now."`
	OpensOn    string  `json:"opens_on" format:"date" doc:"The day on which its work orders are made, where there are none yet."`
	State      string  `json:"state" enum:"planned,generated" doc:"generated: its work orders are there, and have the new due date. planned: they are made on opens_on; until then the list of occurrences has it in this state."`
	Changed    int     `json:"changed" doc:"How many work orders got the new due date."`
}

func (o orders) mountOccurrenceActions() {
	path := "/v1/maintenance/pm-plans/{id}/occurrences"
	transport.Post(o.registry.API, transport.Operation{
		Path: path + "/skip", ID: "skip_pm_occurrence", BodyName: "PMOccurrenceSkip", ResponseName: "PMOccurrencesSkipped",
		Scope: maintenanceScope + ":write", Feature: maintenanceFeature, Summary: "Skip an occurrence of a preventive maintenance plan",
		CallsOut: true, Description: "Also before its turn: no work order is made then. An open work order that was not begun is cancelled; " +
			"what a larger plan included is made after all. Skipped occurrences count as due in pm-compliance.",
	}, o.skip)
	transport.Post(o.registry.API, transport.Operation{
		Path: path + "/reschedule", ID: "reschedule_pm_occurrence", BodyName: "PMOccurrenceReschedule", ResponseName: "PMOccurrencesRescheduled",
		Scope:   maintenanceScope + ":write",
		Feature: maintenanceFeature, Summary: "Put an occurrence of a preventive maintenance plan on another day",
		Description: "Its name stays. Work that was made already gets the new due date; what is not made yet is made for that day, and is " +
			"planned in the list of occurrences until then. What is neither to come nor in work cannot be moved (400, which names what " +
			"can). The answer says from which day to which.",
		CallsOut: true,
	}, o.reschedule)
	transport.Post(o.registry.API, transport.Operation{
		Path: path + "/generate", ID: "generate_pm_occurrence", BodyName: "PMOccurrenceGeneration", ResponseName: "PMOccurrencesGenerated",
		Scope: maintenanceScope + ":write", Feature: maintenanceFeature, Summary: "Make the work of an occurrence before its turn",
		CallsOut: true, Description: "Once: what was made, skipped or suppressed already stays as it is.",
	}, o.generate)
}

// actedOn loads a plan that somebody acts on.
func (o orders) actedOn(ctx context.Context, id string) (*planWork, error) {
	id = strings.ToLower(id)
	w, err := o.newPlanner(o.registry.Log).load(ctx, id)
	if err != nil || w != nil {
		return w, err
	}
	err = o.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var status string
		err := tx.QueryRow(ctx, `SELECT status FROM pm_plan WHERE organization_id = current_organization() AND id = $1::uuid`, id).Scan(&status)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound("pm plan", id)
		}
		if err != nil {
			return err
		}
		return fault.Conflict("plan_not_active", "status", status, "The plan is %s; make it active first.", status)
	})
	return nil, postgres.Fault(err, nil)
}

// maxNamed is how many occurrences a refusal names.
const maxNamed = 5

// noSuchOccurrence refuses what is neither to come nor in work, and says which occurrences are.
func (w *planWork) noSuchOccurrence(key string, positions map[string]targetState) error {
	var inWork, next []string
	for _, s := range positions {
		if s.state == "generated" {
			inWork = append(inWork, s.key)
		}
		if o, is := w.nextOn(s); is {
			next = append(next, o.Key)
		}
	}
	var known []string
	for _, some := range []struct {
		what string
		keys []string
	}{{"in work", inWork}, {"next", next}} {
		slices.SortFunc(some.keys, func(a, b string) int { return cmp.Or(sequenceOf(a)-sequenceOf(b), strings.Compare(a, b)) })
		if keys := slices.Compact(some.keys); len(keys) > 0 {
			known = append(known, some.what+": "+strings.Join(keys[:min(len(keys), maxNamed)], ", "))
		}
	}
	var hint string
	switch {
	case w.schedule.Rule != nil:
		hint = "give a date of its rule"
	case w.schedule.Interval != nil:
		hint = "give the cycle that is next on a target, or in work"
	default:
		hint = "its occurrences have names once they are made: give one that is in work"
	}
	if known == nil {
		known = []string{"there is none now"}
	}
	var problems schema.Problems
	problems.Add("occurrence", "%s is no occurrence of the plan that is to come or in work; %s (%s)", key, hint, strings.Join(known, "; "))
	return problems.Err()
}

// nextOn is the next occurrence on a target; false where none is known.
func (w *planWork) nextOn(s targetState) (maintenance.Occurrence, bool) {
	if w.schedule.Interval != nil {
		return w.cycle(s)
	}
	for o := range w.toCome(s) {
		return o, true
	}
	return maintenance.Occurrence{}, false
}

// find gives the occurrence of that name on a target; false where it has none that is still to be done.
func (w *planWork) findAhead(key string, s targetState) (maintenance.Occurrence, bool) {
	w.force = &forced{key: key}
	found := w.ahead(s)
	w.force = nil
	if len(found) == 0 {
		return maintenance.Occurrence{}, false
	}
	return found[0], true
}

func (o orders) skip(ctx context.Context, in OccurrenceRequest) (OccurrencesChanged, error) {
	done := OccurrencesChanged{Occurrence: in.Occurrence}
	w, targets, err := o.targetsOf(ctx, in.ID, in.TargetID)
	if err != nil {
		return done, err
	}
	err = o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		positions, err := w.targetStates(ctx, tx, ids(targets))
		if err != nil {
			return err
		}
		var rows []*occurrenceRow
		var orders []string
		known := false
		for _, t := range targets {
			s := positions[t.TargetID]
			if s.key == in.Occurrence && s.state == "generated" && s.workOrder != nil {
				known = true
				orders = append(orders, *s.workOrder)
			} else if found, is := w.findAhead(in.Occurrence, s); is {
				known = true
				row := w.row(t, found, "skipped")
				row.Ahead, row.Reason = row.Sequence == 0, &in.Reason
				rows = append(rows, row)
			} else {
				known = known || slices.Contains(s.ahead, in.Occurrence) || s.key == in.Occurrence
			}
		}
		if !known {
			return w.noSuchOccurrence(in.Occurrence, positions)
		}
		inserted, err := w.insert(ctx, tx, rows)
		if err != nil {
			return err
		}
		if err := w.addEvents(ctx, tx, inserted); err != nil {
			return err
		}
		var shown []PMOccurrence
		for _, row := range inserted {
			shown = append(shown, row.shown(w.plan.ID))
		}
		if shown != nil {
			if err := updatePlans(ctx, tx, shown); err != nil {
				return err
			}
		}
		for _, id := range orders { // the rules of work orders say what may be cancelled
			if err := o.registry.Patch(ctx, tx, workOrdersCollection, id,
				map[string]any{"status": "cancelled", "cancel_reason": in.Reason}); err != nil {
				return err
			}
		}
		done.Changed = len(inserted) + len(orders)
		return wake(ctx, tx, w.plan.ID)
	})
	return done, postgres.Fault(err, nil)
}

// targetsOf gives the targets of a plan, or one of them.
func (o orders) targetsOf(ctx context.Context, plan string, one *string) (*planWork, []planTarget, error) {
	w, err := o.actedOn(ctx, plan)
	if err != nil {
		return nil, nil, err
	}
	all, err := w.targets(ctx)
	if err != nil {
		return nil, nil, err
	}
	if w.plan.WorkOrderPer == "plan" {
		return w, []planTarget{{PMTarget: PMTarget{"plan", w.plan.ID}}}, nil
	}
	if one == nil {
		return w, all, nil
	}
	for _, t := range all {
		if t.TargetID == strings.ToLower(*one) {
			return w, []planTarget{t}, nil
		}
	}
	var problems schema.Problems
	problems.Add("target_id", "is no target of the plan")
	return nil, nil, problems.Err()
}

func ids(targets []planTarget) []string {
	all := make([]string, len(targets))
	for i, t := range targets {
		all[i] = t.TargetID
	}
	return all
}

// wake lets the planner look at a plan again.
func wake(ctx context.Context, tx pgx.Tx, plan string) error {
	_, err := tx.Exec(ctx, `UPDATE pm_plan SET next_action_at = statement_timestamp() WHERE organization_id = current_organization()
		AND id = $1::uuid
		AND status = 'active'`, plan)
	return err
}

func (o orders) reschedule(ctx context.Context, in RescheduleRequest) (OccurrenceRescheduled, error) {
	done := OccurrenceRescheduled{Occurrence: in.Occurrence, DueOn: in.DueOn, State: "planned"}
	w, targets, err := o.targetsOf(ctx, in.ID, nil)
	if err != nil {
		return done, err
	}
	done.WasDueOn, done.OpensOn = w.dueOn(in.Occurrence), *text(dayOf(&in.DueOn).AddDate(0, 0, -w.plan.LeadDays))
	err = o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var was *string
		if err := tx.QueryRow(ctx, `SELECT min(due_on)::text FROM pm_occurrence WHERE organization_id = current_organization() AND plan_id =
			$1::uuid
			AND occurrence = $2 AND state = 'generated'`, w.plan.ID, in.Occurrence).Scan(&was); err != nil {
			return err
		}
		if was != nil {
			done.WasDueOn, done.State = was, "generated"
		} else if positions, err := w.targetStates(ctx, tx, ids(targets)); err != nil {
			return err
		} else if !w.isAhead(in.Occurrence, positions) {
			return w.noSuchOccurrence(in.Occurrence, positions)
		} else if w.schedule.Rule != nil && dayOf(&in.DueOn).Before(w.plannedFrom) { // a floating plan begins where its first cycle is put
			return fault.InvalidFields(fault.Field{Field: "due_on", Message: "must be " + *text(w.plannedFrom) +
				" or later: the plan makes no work of days before"})
		}
		rows, err := tx.Query(ctx, `UPDATE pm_occurrence o SET due_on = $3::date, opens_on = $3::date - $4::integer,
			window_to = greatest(window_to, $3::date)
			WHERE o.organization_id = current_organization() AND o.plan_id = $1::uuid AND o.occurrence = $2 AND o.state = 'generated'
			RETURNING o.work_order_id::text`, w.plan.ID, in.Occurrence, in.DueOn, w.plan.LeadDays)
		if err != nil {
			return err
		}
		orders, err := pgx.CollectRows(rows, pgx.RowTo[*string])
		if err != nil {
			return err
		}
		done.Changed = len(orders)
		if err := o.registry.UpdateWhere(ctx, tx, workOrdersCollection,
			[]string{"due_date"}, `SELECT id, $3::date AS due_date FROM unnest($2::uuid[]) r (id)
			WHERE $1::uuid IS NOT NULL AND r.id IS NOT NULL`, orders, in.DueOn); err != nil {
			return err
		}
		day, err := json.Marshal(map[string]string{in.Occurrence: in.DueOn})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE pm_plan SET moved = moved || $2::jsonb, moved_because = moved_because || jsonb_build_object($3::text,
			$4::text)
			WHERE organization_id = current_organization() AND id = $1::uuid`, w.plan.ID, string(day), in.Occurrence, in.Reason); err != nil {
			return err
		}
		if err := o.registry.Audit(ctx, tx, "pm_plans", w.plan.ID, "updated", map[string]any{"occurrence": in.Occurrence, "due_on": in.DueOn,
			"reason": in.Reason}); err != nil {
			return err
		}
		return wake(ctx, tx, w.plan.ID)
	})
	return done, postgres.Fault(err, nil)
}

// dueOn is the day on which an occurrence that is not made yet is due; nil where that is not known.
func (w *planWork) dueOn(key string) *string {
	if day, is := w.schedule.Moved[key]; is {
		return text(day)
	}
	if own, is := maintenance.Day(key); is && w.schedule.Rule != nil {
		for o := range w.schedule.Fixed(own) {
			return text(o.Due)
		}
	}
	return nil
}

// isAhead reports whether an occurrence is still to come on a target, or on one that the plan's filter may find later.
func (w *planWork) isAhead(key string, positions map[string]targetState) bool {
	if own, is := maintenance.Day(key); is && own.Before(w.plannedFrom.AddDate(0, 0, -daysBack)) {
		return false // the planner does not look so far back
	}
	if _, is := w.findAhead(key, targetState{}); is && w.plan.TargetFilter != nil {
		return true
	}
	for _, s := range positions {
		if _, is := w.findAhead(key, s); is {
			return true
		}
	}
	return false
}

func (o orders) generate(ctx context.Context, in OccurrenceRequest) (OccurrencesChanged, error) {
	done := OccurrencesChanged{Occurrence: in.Occurrence}
	w, targets, err := o.targetsOf(ctx, in.ID, in.TargetID)
	if err != nil {
		return done, err
	}
	positions, err := w.read(ctx, ids(targets))
	if err != nil {
		return done, err
	}
	if !slices.ContainsFunc(targets, func(t planTarget) bool {
		s := positions[t.TargetID]
		_, is := w.findAhead(in.Occurrence, s)
		return is || s.key == in.Occurrence || slices.Contains(s.ahead, in.Occurrence)
	}) {
		return done, w.noSuchOccurrence(in.Occurrence, positions)
	}
	w.force = &forced{key: in.Occurrence, reason: in.Reason}
	if in.TargetID != nil {
		w.force.target = strings.ToLower(*in.TargetID)
	}
	if err := w.run(ctx); err != nil {
		return done, err
	}
	done.Changed = w.made
	if w.left {
		return done, fault.New(fault.KindConflict, "plan_changed", "The plan was changed meanwhile; look at it, and send the request again.")
	}
	return done, o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return wake(ctx, tx, w.plan.ID) })
}
