package accounting

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// year is a fiscal year of the ledger.
type year struct {
	id          string
	number      int
	label       string
	first, last time.Time
	state       string
}

// next is the day after its last.
func (y *year) next() time.Time { return y.last.AddDate(0, 0, 1) }

// years are those of an organization's ledger, in their order.
type years []year

// yearsOf reads them.
func yearsOf(ctx context.Context, tx pgx.Tx) (years, error) { return readYears(ctx, tx, "") }

// holdYears reads them, and keeps them as they are until the transaction ends: a close waits for it, and it for a close.
func holdYears(ctx context.Context, tx pgx.Tx) (years, error) {
	return readYears(ctx, tx, " FOR SHARE")
}

// yearsInTurn reads them once nobody else changes how many are open. Whoever locks years does that before.
func yearsInTurn(ctx context.Context, tx pgx.Tx) (years, error) {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('fiscal years ' || current_organization(), 0))"); err != nil {
		return nil, err
	}
	return yearsOf(ctx, tx)
}

func readYears(ctx context.Context, tx pgx.Tx, lock string) (all years, err error) {
	rows, err := tx.Query(ctx, `SELECT id::text, fiscal_year, fiscal_year_label, period_start::text, period_end::text, state FROM fiscal_year
		WHERE organization_id = current_organization() ORDER BY fiscal_year`+lock)
	if err != nil {
		return nil, err
	}
	var y year
	var first, last string
	_, err = pgx.ForEachRow(rows, []any{&y.id, &y.number, &y.label, &first, &last, &y.state}, func() error {
		y.first, y.last = dayOf(first), dayOf(last)
		all = append(all, y)
		return nil
	})
	return all, err
}

// notClosed are those whose figures are not fixed.
func (all years) notClosed() (left years) {
	for _, y := range all {
		if y.state != "closed" {
			left = append(left, y)
		}
	}
	return left
}

// open are those that are posted to, and whose rows postings write: not one that is being closed.
func (all years) open() (open years) {
	for _, y := range all {
		if y.state == "open" {
			open = append(open, y)
		}
	}
	return open
}

// numbers are the calendar years in which they begin.
func (all years) numbers() []int {
	numbers := []int{}
	for _, y := range all {
		numbers = append(numbers, y.number)
	}
	return numbers
}

// lastClosed is the number of the last closed one, or that before the first.
func (all years) lastClosed() int {
	if len(all) == 0 {
		return 0
	}
	closed := all[0].number - 1
	for _, y := range all {
		if y.state == "closed" {
			closed = y.number
		}
	}
	return closed
}

// of finds a year by its number.
func (all years) of(number int) *year {
	for i := range all {
		if all[i].number == number {
			return &all[i]
		}
	}
	return nil
}

// find gives the year that has an id, or a number.
func (all years) find(id string) (*year, error) {
	for i := range all {
		if all[i].id == id || strconv.Itoa(all[i].number) == id {
			return &all[i], nil
		}
	}
	return nil, fault.NotFound("fiscal year", id)
}

// findYear reads the years, and gives the one that has an id, or a number.
func findYear(ctx context.Context, tx pgx.Tx, id string) (years, *year, error) {
	all, err := yearsOf(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	y, err := all.find(id)
	return all, y, err
}

// at finds the year of a day.
func (all years) at(day time.Time) *year {
	for i := range all {
		if !day.Before(all[i].first) && !day.After(all[i].last) {
			return &all[i]
		}
	}
	return nil
}

// openOn gives the open year of a day, which is in a field. wrong is what is wrong with the day, and refused why
// nothing is posted to its year.
func (all years) openOn(ctx context.Context, field, day string) (y *year, wrong string, refused *fault.Error) {
	y = all.at(dayOf(day))
	switch {
	case day > resource.Today(ctx):
		return nil, "must not be after today, " + resource.Today(ctx), nil
	case len(all) == 0:
		return nil, "", fault.Conflict("no_fiscal_year", field, day,
			"There is no fiscal year yet; open the first with POST /v1/accounting/fiscal-years.")
	case y == nil:
		return nil, fmt.Sprintf("must be within a fiscal year of the ledger, %s to %s", all[0].first.Format(time.DateOnly),
			all[len(all)-1].last.Format(time.DateOnly)), nil
	case y.state != "open":
		return nil, "", fault.Conflict("year_not_open", field, day,
			"The fiscal year %s is %s; post to an open one, by an adjustment if it corrects that year.", y.label, y.state)
	}
	return y, "", nil
}

// take gives an entry the year that it is posted to, or says why it cannot be.
func (all years) take(ctx context.Context, c *resource.Change[CapitalAssetTransaction]) bool {
	t := c.After
	y, wrong, refused := all.openOn(ctx, "effective_on", t.EffectiveOn)
	switch {
	case refused != nil:
		c.Reject(refused)
	case wrong != "":
		c.FieldError("effective_on", "%s", wrong)
	case t.Type == "opening" && (y.number != all[0].number || !dayOf(t.EffectiveOn).Equal(y.first)):
		c.FieldError("effective_on", "must be %s, the first day of the ledger: what comes later is acquired", all[0].first.Format(time.DateOnly))
	default:
		t.FiscalYear = y.number
		return true
	}
	return false
}

// opens checks that a year may be opened.
func (all years) opens(c *resource.Change[FiscalYear], calendar calendar.Calendar) bool {
	if len(all) == 0 {
		return true
	}
	last := all[len(all)-1]
	start, _ := calendar.Period(c.After.FiscalYear)
	switch {
	case all.of(c.After.FiscalYear) != nil:
		return true // the unique key says it
	case c.After.FiscalYear != last.number+1:
		c.Reject(fault.Conflict("not_the_next", "fiscal_year", c.After.FiscalYear, "The next fiscal year of the ledger is %d.", last.number+1))
	case len(all.notClosed()) >= openYears:
		c.Reject(fault.Conflict("too_many_open", "fiscal_year", c.After.FiscalYear,
			"%s and %s are open; close the first of them before another is opened.", all.notClosed()[0].label, last.label))
	case start != last.last.AddDate(0, 0, 1).Format(time.DateOnly):
		c.Reject(fault.Conflict("not_contiguous", "fiscal_year", c.After.FiscalYear,
			"The fiscal year %d would begin on %s, but %s ends on %s: the organization's fiscal_year_end_month is another one now. "+
				"The ledger goes on by the one that it began with: set it back to %d; as_of gives the balances of any other day.",
			c.After.FiscalYear, start, last.label, last.last.Format(time.DateOnly), last.last.Month()))
	default:
		return true
	}
	return false
}
