package projects

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/placement"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// resolveSites sets the site of a project to that of its building. A site that the caller sets to another one is a contradiction. One
// that the caller left unchanged while the building changed is replaced.
func resolveSites(changes []*resource.Change[Project], found *resource.Found) error {
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
	if err := restoreSums(ctx, tx, changes); err != nil {
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
	return rejectClosing(ctx, tx, changes)
}

// restoreSums ignores amounts that are sent for projects with budget lines. There they are read-only fields, which are ignored so that
// a record can be read and sent back. The projects are locked; a transaction that changes their lines waits.
func restoreSums(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
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

// checkApproval rejects a project that is approved without a budget. A project whose budget lines were all deleted later can still be
// changed otherwise.
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

// rejectClosing rejects closing a project while one of its phases is neither completed nor cancelled. The projects are locked; a
// transaction that opens one of their phases waits.
func rejectClosing(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
	closed := map[string]*resource.Change[Project]{}
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.After.Status == "closed" && slices.Contains(projectTransitions[c.Before.Status], "closed") {
			closed[c.ID()] = c
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT project_id::text, count(*) FROM project_phase
		WHERE organization_id = current_organization() AND project_id = ANY($1::uuid[]) AND status = ANY($2) GROUP BY 1`, ids, activePhases)
	if err != nil {
		return err
	}
	var id string
	var active int
	_, err = pgx.ForEachRow(rows, []any{&id, &active}, func() error {
		conflict := fault.Conflict("phases_open", "status", "closed",
			"The project has %d phases that are neither completed nor cancelled; complete or cancel them, then close it.", active)
		conflict.Dependents = map[string]int{"project_phases": active}
		closed[id].Reject(conflict)
		return nil
	})
	return err
}

// checkOrder checks that an end is not before its beginning.
func checkOrder(fieldError func(field, format string, args ...any), start string, from *string, end string, to *string) {
	if from != nil && to != nil && *to < *from {
		fieldError(end, "must not be before %s (%s)", start, *from)
	}
}

// statusChanged reports whether the project is in another status than before.
func statusChanged(before, after *Project) bool {
	return before.Status != after.Status
}
