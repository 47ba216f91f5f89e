package workorders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// InlineTarget is a target that comes with its work order.
type InlineTarget struct {
	TargetType string   `json:"target_type" enum:"asset,system,building,site,segment" doc:"What target_id is of." example:"asset"`
	TargetID   string   `json:"target_id" format:"uuid" doc:"What is worked on." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Position   *int     `json:"position" required:"false" minimum:"1" maximum:"1000000" doc:"Place among the targets; the one in this list when left out."`
	Result     *string  `json:"result" required:"false" enum:"done,not_done,na" doc:"Whether it was done here."`
	Note       *string  `json:"note" required:"false" maxLength:"5000" doc:"What was found here."`
	Share      *float64 `json:"share" required:"false" minimum:"0.000001" maximum:"100000000" doc:"Its part of the cost; 1 when left out."`
}

// locateByTargets sets where new work orders are that come with targets, by what all of their targets agree on. It
// refuses targets that are sent to a work order which is there already, and places of one with targets that are changed by hand.
func (o orders) locateByTargets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	wanted := map[string][]string{}
	var moved []*resource.Change[WorkOrder]
	for _, c := range changes {
		switch {
		case c.Before != nil && len(c.After.Targets) > 0:
			c.FieldError("targets", "come with a new work order only; change them at /v1/work-orders/%s/targets", c.ID())
		case c.Before != nil && c.After.movedFrom(c.Before):
			moved = append(moved, c)
		}
		if c.Before != nil {
			c.After.Targets = nil
		}
		for _, t := range c.After.Targets {
			collection := collectionOf(t.TargetType)
			wanted[collection] = append(wanted[collection], strings.ToLower(t.TargetID))
		}
	}
	if err := refuseMoves(ctx, tx, moved); err != nil {
		return err
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := o.registry.Hold(ctx, tx, wanted)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if len(c.After.Targets) == 0 {
			continue
		}
		seen := map[string]bool{}
		for i, t := range c.After.Targets {
			t.TargetID = strings.ToLower(t.TargetID)
			at := fmt.Sprintf("targets[%d].", i)
			entry, known := found[collectionOf(t.TargetType)][t.TargetID]
			switch {
			case t.TargetType == "segment" && !principal.From(ctx).Has("infrastructure"):
				c.Reject(endpoint.NotInPlan("infrastructure"))
			case !known:
				c.MissingError(at+"target_id", "%s", o.registry.Catalogue.Must(collectionOf(t.TargetType)).Missing(t.TargetID))
			case seen[t.TargetID]:
				c.FieldError(at+"target_id", "is in the list twice; a work order has a target once")
			}
			seen[t.TargetID] = true
			target := o.inlineTarget(t)
			if problem := shareProblem(target.Share); problem != "" {
				c.FieldError(at+"share", "%s", problem)
			}
			target.locate(entry)
			c.After.made = append(c.After.made, target)
		}
		c.After.agree(c.FieldError)
	}
	return nil
}

// inlineTarget is the record of a target that came inline.
func (o orders) inlineTarget(t InlineTarget) *WorkOrderTarget {
	target := resource.New[WorkOrderTarget](o.registry, "work_order_targets")
	target.TargetType, target.TargetID, target.Position, target.Result, target.Note = t.TargetType, t.TargetID, t.Position, t.Result, t.Note
	if t.Share != nil {
		target.Share = *t.Share
	}
	return target
}

// shareProblem is what is wrong with a share that JSON Schema took; "" for nothing.
func shareProblem(share float64) string {
	if scaled := exact(share); !scaled.Mul(scaled, exact(1e6)).IsInt() {
		return "must have at most 6 decimals"
	}
	return ""
}

// agree sets the place to what all targets agree on. What the caller said of it must be the same.
func (w *WorkOrder) agree(fieldError func(field, format string, args ...any)) {
	for i, at := range w.place() {
		agreed := *w.made[0].place()[i]
		for _, target := range w.made {
			if !resource.Same(agreed, *target.place()[i]) {
				agreed = nil
			}
		}
		if *at != nil && !resource.Same(*at, agreed) {
			fieldError(places[i], "does not agree with the targets, which it follows from; leave it out")
			continue
		}
		*at = agreed
	}
}

// place gives the place fields of a work order, in the order of places.
func (w *WorkOrder) place() []**string {
	return []**string{&w.SiteID, &w.BuildingID, &w.SystemID, &w.AssetID, &w.SegmentID}
}

func (w *WorkOrder) movedFrom(before *WorkOrder) bool {
	was := before.place()
	for i, at := range w.place() {
		if !resource.Same(*was[i], *at) {
			return true
		}
	}
	return false
}

// refuseMoves refuses to change by hand the place of work orders with targets.
func refuseMoves(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	if len(changes) == 0 {
		return nil
	}
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID()
	}
	rows, err := tx.Query(ctx, `SELECT DISTINCT work_order_id::text FROM work_order_target
		WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[])`, ids)
	if err != nil {
		return err
	}
	targeted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !slices.Contains(targeted, c.ID()) {
			continue
		}
		was := c.Before.place()
		for i, at := range c.After.place() {
			if !resource.Same(*was[i], *at) {
				c.FieldError(places[i], "follows from the targets of the work order; change those, at /v1/work-orders/%s/targets", c.ID())
			}
		}
	}
	return nil
}

// insertTargets writes the targets that came with new work orders.
func (o orders) insertTargets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var all []*WorkOrderTarget
	for _, c := range changes {
		if c.After == nil || c.After.made == nil {
			continue
		}
		last := 0
		for _, target := range c.After.made {
			target.WorkOrderID = c.ID()
			if target.Position == nil {
				place := last + 1
				target.Position = &place
			}
			last = max(last, *target.Position)
		}
		all = append(all, c.After.made...)
	}
	return resource.Insert(ctx, tx, o.registry, "work_order_targets", all)
}
