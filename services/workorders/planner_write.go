package workorders

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/outbox"
	"ams.internal/libs/resource"
)

// occurrenceRow is a row that the planner writes.
type occurrenceRow struct {
	ID            string  `json:"id"`
	TargetID      string  `json:"target_id"`
	TargetType    string  `json:"target_type"`
	Key           string  `json:"occurrence"`
	Sequence      int     `json:"sequence"`
	Own           *string `json:"own_date"`
	Due           *string `json:"due_on"`
	Opens         *string `json:"opens_on"`
	From          *string `json:"window_from"`
	To            *string `json:"window_to"`
	IntervalDays  int     `json:"interval_days"`
	State         string  `json:"state"`
	OutOfService  bool    `json:"out_of_service"`
	Ahead         bool    `json:"ahead"`
	SuppressedBy  *string `json:"suppressed_by"`
	SuppressedKey *string `json:"suppressed_key"`
	DoneOn        *string `json:"done_on"`
	WorkOrderID   *string `json:"work_order_id"`
	Reason        *string `json:"reason"`
	SiteID        *string `json:"site_id"`
	BuildingID    *string `json:"building_id"`

	target  planTarget
	serves  *string // the open work order of the occurrence before, which serves this one
	earlier string  // that occurrence
	// earlierDue is when that was due: what is not over by then nobody has missed.
	earlierDue time.Time
	since      time.Time // of a floating plan: the day of the completion that it counts from
}

// write decides and writes for a batch of targets, in one transaction. all are the targets of a plan with one work order for all of them.
func (w *planWork) write(ctx context.Context, batch, all []planTarget, last bool) error {
	if w.larger != nil && w.larger[0].targets == nil {
		if err := w.resolveLarger(ctx); err != nil {
			return err
		}
	}
	before := w.made
	err := w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		w.made = before
		var version int
		lock := "FOR NO KEY UPDATE"
		if w.force == nil { // somebody who asks for an occurrence waits for a look that has the plan
			lock += " SKIP LOCKED"
		}
		err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM (SELECT version FROM pm_plan WHERE organization_id = current_organization()
			AND id = $1::uuid AND status = 'active' `+lock+`) p`, w.plan.ID).Scan(&version)
		if w.left = version != w.plan.Version; err != nil || w.left {
			return err
		}
		if len(batch) > 0 {
			if err := w.writeBatch(ctx, tx, batch, all); err != nil {
				return err
			}
		}
		if !last || w.force != nil {
			return nil
		}
		var next *time.Time
		if !w.next.IsZero() {
			next = &w.next
		}
		_, err = tx.Exec(ctx, `UPDATE pm_plan SET attempts = 0, next_action_at = CASE WHEN next_action_at IS NOT DISTINCT FROM $2 THEN $3
			ELSE next_action_at END WHERE organization_id = current_organization() AND id = $1::uuid`, w.plan.ID, w.loaded, next)
		return err
	})
	if err != nil {
		w.made = before
		return err
	}
	plannerMetrics.workOrders.Add(ctx, int64(w.made-before))
	return nil
}

func (w *planWork) writeBatch(ctx context.Context, tx pgx.Tx, batch, all []planTarget) error {
	ids := make([]string, len(batch))
	for i, t := range batch {
		ids[i] = t.TargetID
	}
	targetStates, err := w.targetStates(ctx, tx, ids)
	if err != nil {
		return err
	}
	var rows []*occurrenceRow
	for _, t := range batch {
		rows = append(rows, w.rowsOf(t, targetStates[t.TargetID], all)...)
	}
	if err := w.suppress(ctx, tx, rows, all); err != nil {
		return err
	}
	inserted, err := w.insert(ctx, tx, rows)
	if err != nil {
		return err
	}
	if err := w.notifyIncluded(ctx, tx, inserted); err != nil {
		return err
	}
	released, err := w.release(ctx, tx, batch, targetStates, all)
	if err != nil {
		return err
	}
	if err := w.keepLimits(ctx, tx, batch); err != nil {
		return err
	}
	return w.makeWork(ctx, tx, append(inserted, released...), all)
}

// rowsOf are the occurrences that fall due on a target, with the state that each gets.
func (w *planWork) rowsOf(t planTarget, s targetState, all []planTarget) []*occurrenceRow {
	condition, why := w.condition(t, all)
	if condition == "retired" && s.state == "skipped" && s.reason != nil && *s.reason == why {
		return nil // it is off
	}
	made, missed := w.decide(t, s)
	var rows []*occurrenceRow
	for _, o := range missed {
		row := w.row(t, o, "missed")
		because := "Another occurrence opened before it was looked at."
		if w.schedule.Rule != nil && !o.Due.Before(w.today) { // nobody can have missed what is not over
			row.State, because = "superseded", "Another occurrence opened at the same time."
		}
		row.Reason = &because
		rows = append(rows, row)
	}
	for i, o := range made {
		row := w.row(t, o, "generated")
		if w.plan.Basis == "floating" {
			row.since = s.lastDone
		}
		switch {
		case condition != "" && (condition == "retired" || w.plan.WhenOutOfService == "skip"):
			row.State, row.OutOfService, row.Reason = "skipped", true, &why
		case i == 0 && !w.plan.Stack && s.open() && w.force == nil:
			row.serves, row.earlier, row.earlierDue = s.workOrder, s.key, s.due
		}
		if w.force != nil {
			row.Ahead, row.Reason = row.Sequence == 0, &w.force.reason
		}
		rows = append(rows, row)
	}
	return rows
}

func (w *planWork) row(t planTarget, o maintenance.Occurrence, state string) *occurrenceRow {
	_, moved := w.schedule.Moved[o.Key]
	row := &occurrenceRow{ID: uuid.Must(uuid.NewV7()).String(), TargetID: t.TargetID, TargetType: t.TargetType,
		Key: o.Key, Sequence: sequenceOf(o.Key), Own: text(o.Date), Due: text(o.Due), Opens: text(o.Opens), From: text(o.From), To: text(o.To),
		IntervalDays: o.IntervalDays, State: state, target: t, Ahead: moved && sequenceOf(o.Key) == 0}
	if site := siteOf(t.PMTarget, t.entry); site != "" {
		row.SiteID = &site
	}
	if building := t.entry.References["building_id"]; building != "" {
		row.BuildingID = &building
	} else if t.TargetType == "building" {
		row.BuildingID = &t.TargetID
	}
	return row
}

// condition says whether a target is out of service or retired, in a sentence: of a plan with one work order, whether all targets are.
func (w *planWork) condition(t planTarget, all []planTarget) (condition, why string) {
	if t.TargetType != "plan" {
		return t.condition()
	}
	for _, one := range all {
		if condition, _ := one.condition(); condition == "" {
			return "", ""
		}
	}
	return "out", "No target is in service."
}

func (t planTarget) condition() (condition, why string) {
	switch {
	case t.entry.ID == "":
		return "retired", "The " + t.TargetType + " is not there any more."
	case t.entry.Status == nil:
		return "", ""
	}
	switch *t.entry.Status {
	case "decommissioned", "disposed", "demolished", "removed", "abandoned":
		return "retired", fmt.Sprintf("The %s is %s.", t.TargetType, *t.entry.Status)
	case "out_of_service", "planned", "closed", "inactive":
		return "out", fmt.Sprintf("The %s is %s.", t.TargetType, strings.ReplaceAll(*t.entry.Status, "_", " "))
	}
	return "", ""
}

// suppress finds out which of the occurrences are parts of larger ones.
func (w *planWork) suppress(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow, all []planTarget) error {
	if len(w.larger) == 0 || len(rows) == 0 {
		return nil
	}
	from, to, targets := dayOf(rows[0].Due), dayOf(rows[0].Due), []string{}
	for _, row := range rows {
		if due := dayOf(row.Due); due.Before(from) {
			from = due
		} else if due.After(to) {
			to = due
		}
		targets = append(targets, idsOf(row, all)...)
	}
	if err := w.readLarger(ctx, tx, targets, from, to); err != nil {
		return err
	}
	for _, row := range rows {
		if row.State != "generated" {
			continue
		}
		if larger, in := w.includedIn(maintenance.Occurrence{Due: dayOf(row.Due)}, idsOf(row, all), row.since); larger != nil {
			because := fmt.Sprintf("Included in %s of %s.", in.key, larger.label())
			id := larger.ID
			row.State, row.SuppressedBy, row.SuppressedKey, row.Reason, row.serves = "suppressed", &id, &in.key, &because, nil
			if !in.doneOn.IsZero() { // done with the larger work already: a floating plan goes on
				row.DoneOn = text(in.doneOn)
				w.opensAt(w.now())
			}
		}
	}
	return nil
}

// notifyIncluded says that occurrences are done which were included in larger work when that was done already: to what they include in
// turn.
func (w *planWork) notifyIncluded(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow) error {
	var done []PMOccurrence
	for _, row := range rows {
		if row.State == "suppressed" && row.DoneOn != nil {
			one := row.shown(w.plan.ID)
			one.DoneOn = row.DoneOn
			done = append(done, one)
		}
	}
	if done == nil {
		return nil
	}
	return updatePlans(ctx, tx, done)
}

// idsOf are the targets of an occurrence.
func idsOf(row *occurrenceRow, all []planTarget) []string {
	if row.TargetType != "plan" {
		return []string{row.TargetID}
	}
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = t.TargetID
	}
	return ids
}

// insert writes the occurrences that are not there yet, and gives those. That is what makes each of them once.
func (w *planWork) insert(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow) ([]*occurrenceRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	found, err := tx.Query(ctx, `INSERT INTO pm_occurrence (organization_id, plan_id, target_id, occurrence, id, target_type, sequence,
		own_date, due_on, opens_on, window_from, window_to, interval_days, state, out_of_service, ahead, suppressed_by, suppressed_key, done_on,
		reason, site_id, building_id)
		SELECT current_organization(), $1::uuid, r.target_id, r.occurrence, r.id, r.target_type, r.sequence, r.own_date, r.due_on, r.opens_on,
			r.window_from, r.window_to, r.interval_days, r.state, r.out_of_service, r.ahead, r.suppressed_by, r.suppressed_key, r.done_on, r.reason,
			r.site_id, r.building_id
		FROM json_populate_recordset(NULL::pm_occurrence, $2::json) r ON CONFLICT DO NOTHING RETURNING id::text`, w.plan.ID, string(raw(rows)))
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	written := map[string]bool{}
	for _, id := range ids {
		written[id] = true
	}
	return slices.DeleteFunc(rows, func(row *occurrenceRow) bool { return !written[row.ID] }), nil
}

// release gives the suppressed occurrences that are to be made after all, because the larger work is not.
func (w *planWork) release(ctx context.Context, tx pgx.Tx, batch []planTarget, targetStates map[string]targetState,
	all []planTarget) ([]*occurrenceRow, error) {
	byID, ids := map[string]planTarget{}, []string{}
	for _, t := range batch {
		if len(targetStates[t.TargetID].released) > 0 {
			byID[t.TargetID], ids = t, append(ids, t.TargetID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := tx.Query(ctx, `UPDATE pm_occurrence SET released = false, state = 'generated', reason = NULL, suppressed_by = NULL,
			suppressed_key = NULL WHERE organization_id = current_organization() AND plan_id = $1::uuid AND target_id = ANY($2::uuid[]) AND released
		RETURNING id::text, target_id::text, occurrence, own_date::text, due_on::text, opens_on::text, window_from::text, window_to::text`,
		w.plan.ID, ids)
	if err != nil {
		return nil, err
	}
	var rows []*occurrenceRow
	var row occurrenceRow
	if _, err := pgx.ForEachRow(found, []any{&row.ID, &row.TargetID, &row.Key, &row.Own, &row.Due, &row.Opens, &row.From,
		&row.To}, func() error {
		one := row
		one.target = byID[one.TargetID]
		one.TargetType, one.State = one.target.TargetType, "generated"
		rows = append(rows, &one)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := w.suppress(ctx, tx, rows, all); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.State == "suppressed" { // by another one
			if _, err := tx.Exec(ctx, `UPDATE pm_occurrence SET state = 'suppressed', reason = $2, suppressed_by = $3::uuid, suppressed_key = $4,
				done_on = $5::date WHERE organization_id = current_organization() AND id = $1::uuid`, row.ID, row.Reason, row.SuppressedBy,
				row.SuppressedKey, row.DoneOn); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(rows, func(row *occurrenceRow) bool { return row.State == "suppressed" }), w.notifyIncluded(ctx, tx, rows)
}

// keepLimits keeps what gauges and conditions were, so that each time that a limit is passed counts once.
func (w *planWork) keepLimits(ctx context.Context, tx pgx.Tx, batch []planTarget) error {
	if w.force != nil || w.plan.Trigger.Gauge == nil && w.plan.Trigger.Condition == nil {
		return nil
	}
	type limit struct {
		TargetID string  `json:"target_id"`
		Outside  bool    `json:"outside"`
		ReadTo   *string `json:"read_to"`
	}
	var limits []limit
	for _, t := range batch {
		g := w.gauges[t.TargetID]
		limits = append(limits, limit{t.TargetID, g.Outside || w.worse(t), g.ReadTo})
	}
	_, err := tx.Exec(ctx, `INSERT INTO pm_target (organization_id, plan_id, target_id, outside, read_to)
		SELECT current_organization(), $1::uuid, l.target_id, l.outside, l.read_to FROM json_populate_recordset(NULL::pm_target, $2::json) l
		ON CONFLICT (organization_id, plan_id, target_id) DO UPDATE SET outside = EXCLUDED.outside,
			read_to = coalesce(EXCLUDED.read_to, pm_target.read_to)`, w.plan.ID, string(raw(limits)))
	return err
}

// makeWork makes the work orders of new occurrences, and says what became of them.
func (w *planWork) makeWork(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow, all []planTarget) error {
	if len(rows) == 0 {
		return nil
	}
	var made []*WorkOrder
	var of []*occurrenceRow
	for _, row := range rows {
		if row.State == "generated" && row.serves == nil {
			order := w.workOrder(row)
			if row.TargetType == "plan" {
				w.nameTargets(order, all)
			}
			made, of = append(made, order), append(of, row)
		}
	}
	if len(made) > 0 {
		if err := stampNew(ctx, tx, made); err != nil {
			return err
		}
		if err := resource.Insert(ctx, tx, w.registry, workOrdersCollection, made); err != nil {
			return err
		}
		var steps []*Task
		var named []*WorkOrderTarget
		for i, order := range made {
			of[i].WorkOrderID = &order.ID
			for _, t := range order.made {
				t.WorkOrderID = order.ID
				named = append(named, t)
			}
			steps = append(steps, w.tasksOf(w.job, order.ID)...)
		}
		if len(steps) > 0 {
			if err := resource.Insert(ctx, tx, w.registry, tasks.Collection, steps); err != nil {
				return err
			}
		}
		if len(named) > 0 {
			if err := resource.Insert(ctx, tx, w.registry, "work_order_targets", named); err != nil {
				return err
			}
		}
	}
	earlier, err := w.serve(ctx, tx, rows)
	if err != nil {
		return err
	}
	if err := w.keepWorkOrders(ctx, tx, rows); err != nil {
		return err
	}
	w.made += len(made)
	return w.addEvents(ctx, tx, append(rows, earlier...))
}

// workOrdersCollection is the collection of what the planner makes.
const workOrdersCollection = "work_orders"

// workOrder is the work of an occurrence.
func (w *planWork) workOrder(row *occurrenceRow) *WorkOrder {
	order := resource.New[WorkOrder](w.registry, workOrdersCollection)
	order.Title, order.Type, order.Priority = w.job.Name, w.job.Type, w.job.Priority
	if name := row.target.entry.Name; name != "" {
		order.Title = shorten(w.job.Name+" – "+name, 200)
	}
	order.DueDate, order.TeamID, order.Occurrence = row.Due, w.plan.TeamID, &row.Key
	job, plan := w.plan.JobPlanID, w.plan.ID
	order.JobPlanID, order.PMPlanID = &job, &plan
	w.job.give(order)
	for name, at := range map[string]**string{"site_id": &order.SiteID, "building_id": &order.BuildingID, "system_id": &order.SystemID} {
		if id := row.target.entry.References[name]; id != "" {
			*at = &id
		}
	}
	id := row.TargetID
	switch row.TargetType {
	case "asset":
		order.AssetID = &id
	case "system":
		order.SystemID = &id
	case "building":
		order.BuildingID = &id
	case "site":
		order.SiteID = &id
	case "segment":
		order.SegmentID = &id
	}
	return order
}

func shorten(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// serve moves open work orders from the occurrence before, which is missed, to the one that opened. It gives the missed ones.
func (w *planWork) serve(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow) (earlier []*occurrenceRow, err error) {
	type move struct {
		WorkOrderID string  `json:"work_order_id"`
		Due         *string `json:"due_on"`
		Key         string  `json:"occurrence"`
		TargetID    string  `json:"target_id"`
		Earlier     string  `json:"earlier"`
	}
	var moves []move
	for _, row := range rows {
		if row.serves != nil {
			moves = append(moves, move{*row.serves, row.Due, row.Key, row.TargetID, row.earlier})
			row.WorkOrderID = row.serves
			missed := *row
			if missed.Key, missed.State = row.earlier, "missed"; !row.earlierDue.Before(w.today) {
				missed.State = "superseded"
			}
			earlier = append(earlier, &missed)
		}
	}
	if moves == nil {
		return nil, nil
	}
	if _, err := tx.Exec(ctx, `UPDATE pm_occurrence o SET state = CASE WHEN o.due_on < $3::date THEN 'missed' ELSE 'superseded' END,
			reason = CASE WHEN o.due_on < $3::date THEN 'The next occurrence opened before it was done.'
				ELSE 'Another occurrence took its place before it was due.' END
		FROM json_to_recordset($2::json) m (work_order_id uuid) WHERE o.organization_id = current_organization() AND o.plan_id = $1::uuid
			AND o.work_order_id = m.work_order_id AND o.state = 'generated'`, w.plan.ID, string(raw(moves)), text(w.today)); err != nil {
		return nil, err
	}
	// What the earlier one included is done with the same work order.
	if _, err := tx.Exec(ctx, `UPDATE pm_occurrence o SET suppressed_key = m.occurrence
		FROM json_to_recordset($2::json) m (occurrence text, target_id uuid, earlier text) WHERE o.organization_id = current_organization()
			AND o.suppressed_by = $1::uuid AND o.suppressed_key = m.earlier AND o.state = 'suppressed'
			AND (o.target_id = m.target_id OR m.target_id = $1::uuid OR o.target_id = o.plan_id)`, w.plan.ID, string(raw(moves))); err != nil {
		return nil, err
	}
	return earlier, w.registry.UpdateWhere(ctx, tx, workOrdersCollection, []string{"due_date", "occurrence"}, `
		SELECT m.work_order_id AS id, m.due_on AS due_date, m.occurrence
			FROM json_to_recordset($2::json) m (work_order_id uuid, due_on date, occurrence text)
		WHERE $1::uuid IS NOT NULL`, string(raw(moves)))
}

// keepWorkOrders keeps with each occurrence which work order it has.
func (w *planWork) keepWorkOrders(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow) error {
	var ids, orders []string
	for _, row := range rows {
		if row.WorkOrderID != nil {
			ids, orders = append(ids, row.ID), append(orders, *row.WorkOrderID)
		}
	}
	if ids == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE pm_occurrence o SET work_order_id = m.work_order_id
		FROM unnest($1::uuid[], $2::uuid[]) m (id, work_order_id)
		WHERE o.organization_id = current_organization() AND o.id = m.id AND o.id = ANY($1)`, ids, orders)
	return err
}

// addEvents adds the events of occurrences: they are events of the plan.
func (w *planWork) addEvents(ctx context.Context, tx pgx.Tx, rows []*occurrenceRow) error {
	var events []outbox.Event
	for _, row := range rows {
		if row.State == "generated" || row.State == "missed" || row.State == "skipped" {
			events = append(events, occurrenceEvent(w.plan.ID, w.plan.Version, row.State, row.shown(w.plan.ID)))
		}
	}
	return outbox.Add(ctx, tx, events)
}

// occurrenceEvent is the event that an occurrence is in a state from now on.
func occurrenceEvent(plan string, version int, state string, shown PMOccurrence) outbox.Event {
	return outbox.Event{Type: "pm_occurrence." + state, Collection: "pm_plans", RecordID: plan, Version: version, Object: raw(shown),
		Changed: []string{}, Previous: json.RawMessage("{}")}
}

// nameTargets puts a work order for a whole plan where all of its targets agree on, and gives them.
func (w *planWork) nameTargets(order *WorkOrder, all []planTarget) {
	for _, t := range all {
		if condition, _ := t.condition(); condition == "retired" || condition == "out" && w.plan.WhenOutOfService == "skip" {
			continue
		}
		named, place := resource.New[WorkOrderTarget](w.registry, "work_order_targets"), len(order.made)+1
		named.TargetType, named.TargetID, named.Position = t.TargetType, t.TargetID, &place
		named.locate(t.entry)
		order.made = append(order.made, named)
	}
	if len(order.made) > 0 {
		order.agree(func(string, string, ...any) {})
	}
}
