package main

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/placement"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// placeProjects puts a project onto the site of its building. A site that the caller sets against the building is a
// contradiction; one that merely stayed behind when the building changed follows it.
func placeProjects(changes []*resource.Change[Project], found *resource.Found) error {
	for _, c := range changes {
		if c.After.BuildingID == nil {
			continue
		}
		building, _ := found.Entry("buildings", *c.After.BuildingID)
		site, known := building.References["site_id"]
		if !known {
			continue
		}
		reference := placement.Reference{After: &c.After.SiteID}
		if c.Before != nil {
			reference.Before = c.Before.SiteID
		}
		if !reference.Fill(site) {
			c.FieldError("site_id", "does not agree: the building is on site %s; correct one of them or leave site_id out", site)
		}
	}
	return nil
}

func prepareProjects(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
	if err := keepSums(ctx, tx, changes); err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		checkOrder(c.FieldError, "planned_start_date", c.After.PlannedStartDate, "planned_end_date", c.After.PlannedEndDate)
		checkOrder(c.FieldError, "actual_start_date", c.After.ActualStartDate, "actual_end_date", c.After.ActualEndDate)
		checkApproval(c)
	}
	return refuseClosing(ctx, tx, changes)
}

// keepSums ignores amounts sent for projects whose budget lines say them: there they are read-only fields, and those are
// ignored so that what was read can be sent back. The projects are locked; whoever changes their lines waits.
func keepSums(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && !c.Before.Amounts.equal(c.After.Amounts) {
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT DISTINCT project_id::text FROM project_budget_line
		WHERE organization_id = current_organization() AND project_id = ANY($1::uuid[])`, ids)
	if err != nil {
		return err
	}
	budgeted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, c := range changes {
		if slices.Contains(budgeted, c.ID()) {
			c.After.Amounts = c.Before.Amounts
		}
	}
	return err
}

func (a Amounts) equal(b Amounts) bool {
	return resource.Same(a.BudgetAmount, b.BudgetAmount) && resource.Same(a.ForecastAmount, b.ForecastAmount) &&
		resource.Same(a.CommittedAmount, b.CommittedAmount) && resource.Same(a.ActualAmount, b.ActualAmount)
}

// checkApproval objects to a project that is approved without a budget. One whose budget lines were all taken away later
// can still be changed otherwise.
func checkApproval(c *resource.Change[Project]) {
	if c.After.Status != "approved" || c.After.BudgetAmount != nil && *c.After.BudgetAmount > 0 {
		return
	}
	if c.Before != nil {
		approving := slices.Contains(projectTransitions[c.Before.Status], "approved")
		unbudgeting := c.Before.Status == "approved" && !resource.Same(c.Before.BudgetAmount, c.After.BudgetAmount)
		if !approving && !unbudgeting {
			return
		}
	}
	c.FieldError("budget_amount", "must be more than 0 for a project that is approved; set it, or give the project budget lines")
}

// refuseClosing objects to closing projects while a phase is neither completed nor cancelled. The projects are locked;
// whoever opens a phase of theirs waits.
func refuseClosing(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
	closing := map[string]*resource.Change[Project]{}
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.After.Status == "closed" && slices.Contains(projectTransitions[c.Before.Status], "closed") {
			closing[c.ID()] = c
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT project_id::text, count(*) FROM project_phase
		WHERE organization_id = current_organization() AND project_id = ANY($1::uuid[]) AND status = ANY($2) GROUP BY 1`, ids, openPhases)
	if err != nil {
		return err
	}
	var id string
	var open int
	_, err = pgx.ForEachRow(rows, []any{&id, &open}, func() error {
		refusal := fault.Conflict("phases_open", "status", "closed", "The project has %d phases that are neither completed nor cancelled; complete or cancel them, then close it.", open)
		refusal.Dependents = map[string]int{"project_phases": open}
		closing[id].Reject(refusal)
		return nil
	})
	return err
}

// checkOrder objects to an end before its beginning.
func checkOrder(fail func(field, format string, args ...any), start string, from *string, end string, to *string) {
	if from != nil && to != nil && *to < *from {
		fail(end, "must not be before %s (%s)", start, *from)
	}
}

// moved says that the project is in another status than before.
func moved(c *resource.Change[Project]) bool {
	return c.Before != nil && c.After != nil && c.Before.Status != c.After.Status
}
