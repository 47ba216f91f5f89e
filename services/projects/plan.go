package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// PlanRequest is a request for the cash flow of the years ahead.
type PlanRequest struct {
	FromYear *int   `query:"from_year" minimum:"1900" maximum:"2200" doc:"First fiscal year; the current year when left out." example:"2027"`
	Years    int    `query:"years" default:"10" minimum:"1" maximum:"50" doc:"How many years."`
	GroupBy  string `query:"group_by" default:"lifecycle_activity" enum:"lifecycle_activity,source_type,site" doc:"What the groups are, beside the years that every group is divided into."`
	Page     int    `query:"page" default:"1" minimum:"1" doc:"Page of groups, from 1."`
	PerPage  int    `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Groups on a page."`
}

// Plan is the cash flow of the organization and of each group.
type Plan struct {
	FromYear   int         `json:"from_year" unit:"year"`
	ToYear     int         `json:"to_year" unit:"year"`
	GroupBy    string      `json:"group_by"`
	Currency   string      `json:"currency" doc:"Currency of every amount of money."`
	Total      CashFlow    `json:"total" doc:"The whole organization."`
	Data       []PlanGroup `json:"data" doc:"The groups, the one with the highest cost first; what belongs to none comes last."`
	Pagination Pagination  `json:"pagination"`
}

// PlanGroup is one group of the plan.
type PlanGroup struct {
	ID   *string `json:"id" format:"uuid" doc:"The site, where the groups are sites."`
	Key  *string `json:"key" doc:"The lifecycle activity or source type. Null for the projects that have none, and of source types for the cost that no confirmed source pays."`
	Name *string `json:"name" doc:"Name of the site; null for a key that may not read sites."`
	CashFlow
}

// CashFlow is amounts by year and their sum over the years.
type CashFlow struct {
	PlanAmounts
	Years       []PlanYear  `json:"years" doc:"Every year of the plan, also those without costs."`
	Unscheduled PlanAmounts `json:"unscheduled" doc:"Projects without budget lines and fiscal year, with what funds them; in no other figure."`
}

// PlanYear is the amounts of one fiscal year.
type PlanYear struct {
	Year int `json:"year" unit:"year"`
	PlanAmounts
}

// PlanAmounts are what is to be paid and what there is to pay it.
type PlanAmounts struct {
	Projects         int     `json:"projects" doc:"How many projects have costs or funding in it."`
	Cost             float64 `json:"cost" doc:"What the projects are to cost."`
	FundingConfirmed float64 `json:"funding_confirmed" doc:"Sources that are confirmed or received."`
	FundingRequested float64 `json:"funding_requested" doc:"Sources that are requested only; they do not close the gap."`
	FundingGap       float64 `json:"funding_gap" doc:"cost less funding_confirmed; negative where more is confirmed than needed."`
}

// Pagination is that of every list.
type Pagination struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

func (f family) mountPlan() {
	statements := map[string]string{}
	for name, g := range planGroupings {
		statements[name] = planStatement(g)
	}
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/projects/plan", ID: "get_project_plan", Scope: "projects:read", Feature: feature,
		Summary: "Plan the years ahead: cost, confirmed funding and funding gap by year, in groups",
		Description: "Every project counts that is not deferred or cancelled. It costs the budget of its budget lines in their fiscal " +
			"years; without budget lines its budget_amount, else its estimate_amount, in its fiscal_year; without that as well it is " +
			"unscheduled. Confirmed and received funding sources pay for it; requested ones are shown and do not close the gap; declined " +
			"ones count for nothing. A source counts in its fiscal_year; without one it is spread over the years of the project's costs, " +
			"in proportion to them. Grouped by source_type, a group's cost is what its confirmed sources pay, and the group without key is " +
			"what nobody pays yet; so the groups always add up to the total.",
	}, func(ctx context.Context, in PlanRequest) (Plan, error) {
		return f.plan(ctx, statements[in.GroupBy], in)
	})
}

func (f family) plan(ctx context.Context, statement string, in PlanRequest) (Plan, error) {
	from := time.Now().UTC().Year()
	if in.FromYear != nil {
		from = *in.FromYear
	}
	plan := Plan{
		FromYear: from, ToYear: from + in.Years - 1, GroupBy: in.GroupBy, Currency: principal.From(ctx).Currency,
		Total: newCashFlow(from, in.Years), Data: []PlanGroup{},
	}
	groups := 0
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		// Postgres does not know how many of all projects are this organization's. Where it estimates a few, it would join them one
		// by one, which can take minutes.
		batch.Queue("SET LOCAL enable_nestloop = off")
		batch.Queue("SET LOCAL work_mem = '32MB'")
		skip := int64(in.Page-1) * int64(in.PerPage)
		batch.Queue(statement, from, in.Years, in.PerPage, skip).Query(func(rows pgx.Rows) error {
			var row planRow
			last := 0
			_, err := pgx.ForEachRow(rows, row.targets(&groups), func() error {
				if row.place == 0 {
					plan.Total.set(row)
					return nil
				}
				if row.place != last {
					last = row.place
					plan.Data = append(plan.Data, newPlanGroup(row.key, plan))
				}
				plan.Data[len(plan.Data)-1].set(row)
				return nil
			})
			return err
		})
	})
	if err != nil {
		return plan, err
	}
	plan.Pagination = Pagination{in.Page, in.PerPage, groups, max(1, (groups+in.PerPage-1)/in.PerPage)}
	return plan, f.nameSites(ctx, plan.Data)
}

// nameSites gives the sites of a page their names, by one call to the service that owns them.
func (f family) nameSites(ctx context.Context, groups []PlanGroup) error {
	var ids []string
	for _, g := range groups {
		if g.ID != nil {
			ids = append(ids, *g.ID)
		}
	}
	if ids == nil || !principal.From(ctx).Allows("sites:read") {
		return nil
	}
	entries, err := f.registry.References.Find(ctx, "sites", reference.Query{IDs: ids})
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, e := range entries {
		names[e.ID] = e.Name
	}
	for i := range groups {
		if g := &groups[i]; g.ID != nil {
			if name, known := names[*g.ID]; known {
				g.Name = &name
			}
		}
	}
	return nil
}

// planRow is one row of planStatement.
type planRow struct {
	place   int     // of the group among all groups, from 1; 0 is the whole organization
	key     *string // what the group is of; null for what belongs to none
	year    *int    // null for all years together, and for what is unscheduled
	planned bool    // has a year
	amounts PlanAmounts
}

func (r *planRow) targets(groups *int) []any {
	f := &r.amounts
	return []any{groups, &r.place, &r.key, &r.year, &r.planned, &f.Projects, &f.Cost, &f.FundingConfirmed, &f.FundingRequested, &f.FundingGap}
}

func newPlanGroup(key *string, plan Plan) PlanGroup {
	group := PlanGroup{CashFlow: newCashFlow(plan.FromYear, len(plan.Total.Years))}
	if plan.GroupBy == "site" {
		group.ID = key
	} else {
		group.Key = key
	}
	return group
}

func newCashFlow(from, years int) CashFlow {
	flow := CashFlow{Years: make([]PlanYear, years)}
	for i := range flow.Years {
		flow.Years[i].Year = from + i
	}
	return flow
}

func (c *CashFlow) set(row planRow) {
	switch {
	case row.year != nil:
		c.Years[*row.year-c.Years[0].Year].PlanAmounts = row.amounts
	case row.planned:
		c.PlanAmounts = row.amounts
	default:
		c.Unscheduled = row.amounts
	}
}
