package workorders

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/resource"
)

// What happens to a work order happens to the occurrence that it serves: completed is done, cancelled and deleted are skipped, and what
// is opened again is to be done again. The planner hears of it: a floating plan goes on from the day of completion, and what a larger
// plan included is made after all when the larger work is skipped.

// followed is a change of a work order that serves an occurrence.
type followed struct {
	WorkOrderID string  `json:"work_order_id"`
	State       string  `json:"state"`
	DoneAt      *string `json:"done_at"`
	Reason      *string `json:"reason"`
	Deleted     bool    `json:"deleted"`
}

func (o orders) followWork(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var all []followed
	var workOrders []string
	for _, c := range changes {
		if f, is := followedBy(c); is {
			all, workOrders = append(all, f), append(workOrders, f.WorkOrderID)
		}
	}
	if all == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `UPDATE pm_occurrence o SET state = f.state, reason = CASE WHEN f.state = 'skipped' THEN f.reason END,
			done_on = (f.done_at AT TIME ZONE coalesce(p.time_zone, current_setting('ams.time_zone')))::date,
			work_order_id = CASE WHEN f.deleted THEN NULL ELSE o.work_order_id END
		FROM json_to_recordset($1::json) f (work_order_id uuid, state text, done_at timestamptz, reason text, deleted boolean), pm_plan p
		WHERE o.organization_id = current_organization() AND o.work_order_id = f.work_order_id AND o.work_order_id = ANY($2::uuid[])
			AND o.state IN ('generated', 'done', 'skipped')
			AND p.organization_id = o.organization_id AND p.id = o.plan_id
		RETURNING `+occurrenceColumns+`, p.version`, string(raw(all)), workOrders)
	if err != nil {
		return err
	}
	var changed []PMOccurrence
	var versions []int
	for rows.Next() {
		var s PMOccurrence
		var version int
		if err := rows.Scan(&s.ID, &s.PMPlanID, &s.Occurrence, &s.TargetType, &s.TargetID, &s.DueOn, &s.OpensOn, &s.State, &s.WorkOrderID,
			&s.DoneOn, &s.Reason, &version); err != nil {
			return err
		}
		changed, versions = append(changed, s), append(versions, version)
	}
	if err := rows.Err(); err != nil || changed == nil {
		return err
	}
	var events []outbox.Event
	for i, s := range changed {
		if s.State == "skipped" {
			events = append(events, occurrenceEvent(s.PMPlanID, versions[i], s.State, s))
		}
	}
	if err := outbox.Add(ctx, tx, events); err != nil {
		return err
	}
	return updatePlans(ctx, tx, changed)
}

// followedBy is what a change of a work order means for its occurrence.
func followedBy(c *resource.Change[WorkOrder]) (followed, bool) {
	switch {
	case c.After == nil:
		reason := "The work order was deleted."
		return followed{WorkOrderID: c.ID(), State: "skipped", Reason: &reason, Deleted: true}, c.Before.PMPlanID != nil
	case c.After.PMPlanID == nil || c.Before == nil || c.Before.Status == c.After.Status &&
		resource.Same(c.Before.CompletedAt, c.After.CompletedAt):
		return followed{}, false
	}
	f := followed{WorkOrderID: c.ID(), State: "generated"}
	switch c.After.Status {
	case "completed", "closed":
		f.State, f.DoneAt = "done", c.After.CompletedAt
		if f.DoneAt == nil {
			now := time.Now().UTC().Format(time.RFC3339)
			f.DoneAt = &now
		}
	case "cancelled":
		f.State, f.Reason = "skipped", c.After.CancelReason
	}
	return f, true
}

// updatePlans updates the plans with the outcome of occurrences: their own, and those whose occurrences they include.
func updatePlans(ctx context.Context, tx pgx.Tx, changed []PMOccurrence) error {
	plans := make([]string, len(changed))
	for i, s := range changed {
		plans[i] = s.PMPlanID
	}
	// What was included is done with the larger work, and released when that is skipped.
	rows, err := tx.Query(ctx, `UPDATE pm_occurrence o SET done_on = c.done_on, released = (c.state = 'skipped')
		FROM json_to_recordset($1::json) c (pm_plan_id uuid, occurrence text, target_id uuid, state text, done_on date)
		WHERE o.organization_id = current_organization() AND o.suppressed_by = c.pm_plan_id AND o.suppressed_by = ANY($2::uuid[])
			AND o.suppressed_key = c.occurrence
			AND (o.target_id = c.target_id OR c.target_id = c.pm_plan_id OR o.target_id = o.plan_id)
			AND o.state = 'suppressed'
		RETURNING o.plan_id::text, o.occurrence, o.target_id::text, o.state, o.done_on::text, o.released`, string(raw(changed)), plans)
	if err != nil {
		return err
	}
	var included []PMOccurrence // what these include in turn is done with them
	var one PMOccurrence
	var released bool
	if _, err := pgx.ForEachRow(rows, []any{&one.PMPlanID, &one.Occurrence, &one.TargetID, &one.State, &one.DoneOn, &released}, func() error {
		if !released {
			included = append(included, one)
		}
		return nil
	}); err != nil {
		return err
	}
	if included != nil {
		if err := updatePlans(ctx, tx, included); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE pm_plan p SET next_action_at = statement_timestamp()
		FROM (SELECT c.pm_plan_id AS id FROM json_to_recordset($1::json) c (pm_plan_id uuid)
			UNION SELECT o.plan_id FROM json_to_recordset($1::json) c (pm_plan_id uuid, occurrence text), pm_occurrence o
			WHERE o.organization_id = current_organization() AND o.suppressed_by = c.pm_plan_id AND o.suppressed_by = ANY($2::uuid[])
				AND o.suppressed_key = c.occurrence) t
		WHERE p.organization_id = current_organization() AND p.id = t.id AND p.status = 'active'
			AND (p.basis = 'floating' OR p.max_gap_months IS NOT NULL
				OR EXISTS (SELECT FROM pm_occurrence r WHERE r.organization_id = p.organization_id AND r.plan_id = p.id AND r.released))`,
		string(raw(changed)), plans)
	return err
}

// withPlans makes work orders follow job plans and preventive maintenance plans, besides what they do otherwise.
func (o orders) withPlans(d resource.Definition[WorkOrder]) resource.Definition[WorkOrder] {
	before, after := d.BeforeWrite, d.AfterWrite
	d.BeforeWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
		if err := copyJobPlans(ctx, tx, changes); err != nil {
			return err
		}
		return before(ctx, tx, changes)
	}
	d.AfterWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
		if after != nil {
			if err := after(ctx, tx, changes); err != nil {
				return err
			}
		}
		if err := o.addJobTasks(ctx, tx, changes); err != nil {
			return err
		}
		return o.followWork(ctx, tx, changes)
	}
	return d
}
