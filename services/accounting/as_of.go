package accounting

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/services/accounting/ledger"
)

// balanceFields are the fields of a capital asset that as_of sets back to its day.
var balanceFields = []string{"state", "in_service_on", "cost", "accumulated_amortization", "net_book_value", "work_in_progress",
	"remaining_units", "gain_loss", "balances_as_of"}

const asOfDoc = "The balances at the end of this day, within a fiscal year of the ledger; " +
	"other fields are as they are now. What amortizes by days or months is charged up to " +
	"the day; what does by years or half-years, for the whole months that are over, of 12. A day to come is as if nothing more were posted."

// until gives the years up to that of a day as they were while it was open: those before it that are closed are.
func (all years) until(day time.Time) (years, *year, error) {
	wrong := func(message string) error {
		return fault.InvalidFields(fault.Field{Field: "as_of", Message: message})
	}
	if len(all) == 0 {
		return nil, nil, wrong("is not possible yet: there is no fiscal year; open the first with POST /v1/accounting/fiscal-years")
	}
	for i := range all {
		if y := all[i]; !day.Before(y.first) && !day.After(y.last) {
			past := slices.Clone(all[:i+1])
			if past[i].state == "closed" {
				past[i].state = "open"
			}
			return past, &past[i], nil
		}
	}
	return nil, nil, wrong("must be within the fiscal years of the ledger, " + all[0].first.Format(time.DateOnly) + " to " +
		all[len(all)-1].last.Format(time.DateOnly))
}

// balancesOn gives the balances of capital assets at the end of a day, by id and field. They are replayed from what the last year that was
// closed before that day has left.
func (a *accounting) balancesOn(ctx context.Context, text string, ids []string) (found map[string]map[string]*string, err error) {
	day := dayOf(text)
	err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, err := yearsOf(ctx, tx)
		if err != nil {
			return err
		}
		past, y, err := all.until(day)
		if err != nil || len(ids) == 0 {
			return err
		}
		b, err := lookUpBook(ctx, tx, past, ids)
		if err != nil {
			return err
		}
		gains, err := gainsBefore(ctx, tx, past.notClosed()[0].number, ids)
		if err != nil {
			return err
		}
		b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return e.on.After(day) })
		now := b.begin()
		for _, each := range past.notClosed() {
			if err := b.enter(each, now); err != nil {
				return err
			}
			if each.number < y.number {
				for _, s := range now {
					s.end()
				}
			}
		}
		for _, e := range b.entries {
			if !e.reversed {
				gains[e.CapitalAssetID] += e.effect.Gain
			}
		}
		found = map[string]map[string]*string{}
		for _, id := range ids {
			if s := now[id]; s != nil {
				found[id] = s.on(day, gains[id])
			}
		}
		return nil
	})
	return found, err
}

// gainsBefore are the gains of capital assets in the years before one.
func gainsBefore(ctx context.Context, tx pgx.Tx, fiscalYear int, ids []string) (map[string]ledger.Cents, error) {
	rows, err := tx.Query(ctx, `SELECT capital_asset_id::text, sum(gain_loss + gain_loss_adjustments)::float8 FROM capital_asset_year
		WHERE organization_id = current_organization() AND capital_asset_id = ANY($1) AND fiscal_year < $2
			AND (gain_loss <> 0 OR gain_loss_adjustments <> 0) GROUP BY 1`, ids, fiscalYear)
	if err != nil {
		return nil, err
	}
	gains := map[string]ledger.Cents{}
	var id string
	var gain float64
	_, err = pgx.ForEachRow(rows, []any{&id, &gain}, func() error {
		gains[id] = cents(gain)
		return nil
	})
	return gains, err
}

// on gives the balances at the end of a day, as the database would write them. The year ends with it.
func (s *balance) on(day time.Time, gain ledger.Cents) map[string]*string {
	cost, accumulated, left := s.r.Until(day)
	f := s.facts()
	text := func(value string) *string { return &value }
	on := map[string]*string{"state": &f.state, "in_service_on": f.inServiceOn, "cost": text(cost.String()),
		"accumulated_amortization": text(accumulated.String()), "net_book_value": text((cost - accumulated).String()),
		"work_in_progress": text(s.r.Work.String()), "remaining_units": nil, "gain_loss": text(gain.String()),
		"balances_as_of": text(day.Format(time.DateOnly))}
	if s.r.Amortized && f.state != "draft" {
		on["remaining_units"] = text(strconv.Itoa(left))
	}
	return on
}
