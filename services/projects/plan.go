package projects

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// PlanRequest is a request for the cash flow of the years ahead.
type PlanRequest struct {
	FromYear *int     `query:"from_year" minimum:"1900" maximum:"2200" doc:"First fiscal year, by the calendar year it begins in; the organization's present fiscal year when left out." example:"2027"`
	Years    int      `query:"years" default:"10" minimum:"1" maximum:"50" doc:"How many years."`
	GroupBy  string   `query:"group_by" default:"lifecycle_activity" enum:"lifecycle_activity,source_type,site,status" doc:"What the groups are, beside the years that every group is divided into."`
	Status   []string `query:"status" enum:"proposed,approved,in_progress,on_hold,completed,closed" doc:"Only projects in these states; comma between several. Without it: all that count." example:"[\"approved\",\"in_progress\"]"`
	Page     int      `query:"page" default:"1" minimum:"1" doc:"Page of groups, from 1."`
	PerPage  int      `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Groups on a page."`
}

// Plan is the cash flow of the organization and of each group.
type Plan struct {
	FromYear   int                  `json:"from_year" unit:"year"`
	ToYear     int                  `json:"to_year" unit:"year"`
	GroupBy    string               `json:"group_by"`
	Currency   string               `json:"currency" doc:"Currency of every amount of money."`
	Total      CashFlow             `json:"total" doc:"The whole organization."`
	Data       []PlanGroup          `json:"data" doc:"The groups, the one with the highest cost first; what belongs to none comes last."`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (p Plan) Pages() transport.Pages {
	return p.Pagination.Pages()
}

// PlanGroup is one group of the plan.
type PlanGroup struct {
	ID   *string `json:"id" format:"uuid" doc:"The site, where the groups are sites."`
	Key  *string `json:"key" doc:"The lifecycle activity, source type or status. Null for the projects that have none, and of source types for the cost that no confirmed source pays."`
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
	Year        int    `json:"year" unit:"year" doc:"The calendar year in which it begins."`
	Label       string `json:"fiscal_year_label" doc:"What people call it: 2026-27, or 2026 where it is the calendar year." example:"2026-27"`
	PeriodStart string `json:"period_start" format:"date" doc:"Its first day." example:"2026-09-01"`
	PeriodEnd   string `json:"period_end" format:"date" doc:"Its last day." example:"2027-08-31"`
	PlanAmounts
}

// PlanAmounts are what is to be paid and what there is to pay it.
type PlanAmounts struct {
	Projects         int     `json:"projects" doc:"How many projects have costs or funding in it."`
	WithoutActuals   int     `json:"without_actuals" doc:"How many of them are completed or closed and cost their budget here, because no amounts spent are recorded."`
	Cost             float64 `json:"cost" decimals:"2" doc:"What the projects are to cost, or did cost."`
	FundingConfirmed float64 `json:"funding_confirmed" decimals:"2" doc:"Sources that are confirmed or received."`
	FundingRequested float64 `json:"funding_requested" decimals:"2" doc:"Sources that are requested only; they do not close the gap."`
	FundingGap       float64 `json:"funding_gap" decimals:"2" doc:"Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not close the gap of another."`
	FundingSurplus   float64 `json:"funding_surplus" decimals:"2" doc:"Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less funding_surplus."`
}

func (f family) mountPlan() {
	statements := map[string]string{}
	for name, g := range planGroupings {
		statements[name] = planStatement(g)
	}
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/projects/plan", FromReplica: true, ID: "get_project_plan", ResponseName: "ProjectPlan", RowName: "ProjectPlanGroup",
		Scope: "projects:read", Feature: feature, Summary: "Plan the years ahead: cost, confirmed funding and funding gap by year, in groups",
		Description: "Every project counts that is not deferred or cancelled. It costs the budget of its budget lines in their fiscal " +
			"years; without budget lines its budget_amount, else its estimate_amount, in its fiscal_year; without that as well it is " +
			"unscheduled. A completed project costs what was spent and is committed, a closed one what was spent; where that is 0, its " +
			"budget. Confirmed and received funding sources pay for it; requested ones are shown and do not close the gap; declined " +
			"ones count for nothing. A source counts in its fiscal_year; without one it is spread over the years of the project's costs, " +
			"in proportion to them. Gap and surplus are those of each project, added up: in each year of that year, in the sum of all years. " +
			"Grouped by source_type, a group's cost is what its confirmed sources pay: all together at most what the project costs, in " +
			"proportion to their amounts; what is left of a year pays for what is missing in other years of the plan, the earliest first. " +
			"The group without key is what nobody pays yet; so the groups always add up to the total.",
	}, func(ctx context.Context, in PlanRequest) (Plan, error) {
		return f.plan(ctx, statements[in.GroupBy], in)
	})
}

func (f family) plan(ctx context.Context, statement string, in PlanRequest) (Plan, error) {
	days := principal.From(ctx).Calendar()
	from := in.from(days, days.Today())
	statuses := in.Status
	if len(statuses) == 0 {
		statuses = plannedStatuses
	}
	plan := Plan{
		FromYear: from, ToYear: from + in.Years - 1, GroupBy: in.GroupBy, Currency: principal.From(ctx).Currency,
		Total: newCashFlow(days, from, in.Years), Data: []PlanGroup{},
	}
	groups := 0
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		// Postgres does not know how many of all projects are this organization's. Where it estimates a few, it would join them one
		// by one, which can take minutes.
		batch.Queue("SET LOCAL enable_nestloop = off")
		batch.Queue("SET LOCAL work_mem = '32MB'")
		skip := int64(in.Page-1) * int64(in.PerPage)
		batch.Queue(statement, from, in.Years, in.PerPage, skip, statuses).Query(func(rows pgx.Rows) error {
			var row planRow
			last := 0
			_, err := pgx.ForEachRow(rows, row.targets(&groups), func() error {
				if row.place == 0 {
					plan.Total.set(row)
					return nil
				}
				if row.place != last {
					last = row.place
					plan.Data = append(plan.Data, newPlanGroup(days, row.key, plan))
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
	plan.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(groups))
	return plan, f.nameSites(ctx, plan.Data)
}

// from is the first year of the plan, on a day.
func (in PlanRequest) from(days calendar.Calendar, today string) int {
	if in.FromYear != nil {
		return *in.FromYear
	}
	return days.FiscalYear(today)
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
	return []any{groups, &r.place, &r.key, &r.year, &r.planned, &f.Projects, &f.WithoutActuals, &f.Cost, &f.FundingConfirmed,
		&f.FundingRequested, &f.FundingGap, &f.FundingSurplus}
}

func newPlanGroup(days calendar.Calendar, key *string, plan Plan) PlanGroup {
	group := PlanGroup{CashFlow: newCashFlow(days, plan.FromYear, len(plan.Total.Years))}
	if plan.GroupBy == "site" {
		group.ID = key
	} else {
		group.Key = key
	}
	return group
}

func newCashFlow(days calendar.Calendar, from, years int) CashFlow {
	flow := CashFlow{Years: make([]PlanYear, years)}
	for i := range flow.Years {
		year := &flow.Years[i]
		year.Year, year.Label = from+i, days.Label(from+i)
		year.PeriodStart, year.PeriodEnd = days.Period(from + i)
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

// cashFlowRow is a row of the plan as CSV: a group, or the total, in one fiscal year, in all of them, or unscheduled.
type cashFlowRow struct {
	Row         string  `json:"row"`    // group or total
	Period      string  `json:"period"` // year, all or unscheduled
	GroupBy     string  `json:"group_by"`
	Currency    string  `json:"currency"`
	ID          *string `json:"id"`
	Key         *string `json:"key"`
	Name        *string `json:"name"`
	Year        *int    `json:"year"`
	Label       *string `json:"fiscal_year_label"`
	PeriodStart *string `json:"period_start" format:"date"`
	PeriodEnd   *string `json:"period_end" format:"date"`
	PlanAmounts
}

// Table is the plan as CSV: of each group, and of the total last, a row for each year, one for all years and one for what is
// unscheduled.
func (p Plan) Table() transport.Table {
	var rows []cashFlowRow
	add := func(what string, g PlanGroup) {
		row := cashFlowRow{Row: what, GroupBy: p.GroupBy, Currency: p.Currency, ID: g.ID, Key: g.Key, Name: g.Name}
		for _, year := range g.Years {
			of := row
			of.Period, of.Year, of.Label, of.PeriodStart, of.PeriodEnd, of.PlanAmounts = "year", &year.Year, &year.Label, &year.PeriodStart,
				&year.PeriodEnd, year.PlanAmounts
			rows = append(rows, of)
		}
		row.Period, row.PlanAmounts = "all", g.PlanAmounts
		rows = append(rows, row)
		row.Period, row.PlanAmounts = "unscheduled", g.Unscheduled
		rows = append(rows, row)
	}
	for _, group := range p.Data {
		add("group", group)
	}
	add("total", PlanGroup{CashFlow: p.Total})
	return transport.TableOf(rows)
}
