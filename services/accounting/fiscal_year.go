package accounting

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// FiscalYear is a year of the ledger: entries are posted to it while it is open.
type FiscalYear struct {
	resource.Record
	FiscalYear      int     `json:"fiscal_year" required:"true" minimum:"1900" maximum:"2300" unique:"true" filter:"range" sort:"true" doc:"The calendar year in which it begins. The first that is opened is the first of the ledger; then only the next." example:"2026"`
	FiscalYearLabel string  `json:"fiscal_year_label" readOnly:"true" doc:"What people call it, by the organization's fiscal_year_end_month when it was opened." example:"2026-27"`
	PeriodStart     string  `json:"period_start" readOnly:"true" format:"date" filter:"range" sort:"true" doc:"Its first day, fixed when it was opened." example:"2026-09-01"`
	PeriodEnd       string  `json:"period_end" readOnly:"true" format:"date" filter:"range" sort:"true" doc:"Its last day, fixed when it was opened." example:"2027-08-31"`
	State           string  `json:"state" readOnly:"true" enum:"open,closing,closed" filter:"equals" sort:"true" doc:"open: entries are posted to it. closing: a close is under way. closed: its figures are fixed. The history of the year says who closed and who reopened it." example:"open"`
	Notes           *string `json:"notes" maxLength:"5000" search:"text" doc:"Anything else." example:"Audited"`
}

// openYears is how many years are open at once, at most: last year's books are not closed before the next one has begun.
const openYears = 2

func (a *accounting) fiscalYears() resource.Definition[FiscalYear] {
	return resource.Definition[FiscalYear]{
		Collection: "fiscal_years", Table: "fiscal_year", PathKey: "fiscal_year", Label: "fiscal_year_label",
		BeforeWrite: a.prepareYears,
		Events: map[string]resource.Emits[FiscalYear]{
			"fiscal_year.closed": resource.WhenUpdated(func(before, after *FiscalYear) bool {
				return before.State != "closed" && after.State == "closed"
			}),
			"fiscal_year.reopened": resource.WhenUpdated(func(before, after *FiscalYear) bool {
				return before.State == "closed" && after.State == "open"
			}),
		},
	}
}

// prepareYears has years opened one after the other, and only the last deleted, while nothing was posted to it.
func (a *accounting) prepareYears(ctx context.Context, tx pgx.Tx, changes []*resource.Change[FiscalYear]) error {
	if !slices.ContainsFunc(changes, func(c *resource.Change[FiscalYear]) bool {
		return c.Before == nil || c.After == nil || c.After.FiscalYear != c.Before.FiscalYear
	}) {
		return nil // there are the same years as before
	}
	years, err := yearsInTurn(ctx, tx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch {
		case c.Before == nil:
			if calendar := principal.From(ctx).Calendar(); years.opens(c, calendar) {
				y := c.After
				y.State, y.FiscalYearLabel = "open", calendar.Label(y.FiscalYear)
				y.PeriodStart, y.PeriodEnd = calendar.Period(y.FiscalYear)
				years = append(years,
					year{number: y.FiscalYear, label: y.FiscalYearLabel, first: dayOf(y.PeriodStart), last: dayOf(y.PeriodEnd), state: "open"})
			}
		case c.After == nil:
			posted := false
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM transaction WHERE organization_id = current_organization() AND fiscal_year = $1)`,
				c.Before.FiscalYear).Scan(&posted); err != nil {
				return err
			}
			last := years[len(years)-1]
			switch {
			case c.Before.FiscalYear != last.number:
				c.Reject(fault.Conflict("not_the_last", "fiscal_year", c.Before.FiscalYear,
					"Only the last fiscal year can be deleted, which is %d.", last.number))
			case posted || c.Before.State != "open":
				c.Reject(fault.Conflict("in_use", "fiscal_year", c.Before.FiscalYear, "The fiscal year %d has transactions, or is closed; it stays.",
					c.Before.FiscalYear))
			}
		case c.After.FiscalYear != c.Before.FiscalYear:
			c.FieldError("fiscal_year", "stays as it is: %d", c.Before.FiscalYear)
		}
	}
	return nil
}
