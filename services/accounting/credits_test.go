package accounting

import (
	"fmt"
	"net/http"
	"testing"
)

// A supplier's credit lowers what the invoice has added, in the same column of the schedule.
func TestASuppliersCreditLowersTheCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 10, fields{"capitalization_threshold": 5_000})
	asset := f.asset(t, class, fields{"residual_value": 10_000})
	credit := func(kind string, amount float64, more fields) fields {
		more["amount"] = -amount
		return entryOf(asset, kind, "2025-05-01", more)
	}
	f.conflicts(t, "not_in_service", "is not in service", transactionsPath, credit("acquisition", 5, fields{}))
	f.post(t, asset, "acquisition", "2024-03-01", fields{"amount": 100_000})
	f.close(t, 2024)
	f.stands(t, asset, 100_000, 4_500)
	f.conflicts(t, "amount", "a credit of its first cost is an acquisition", transactionsPath, credit("betterment", 5, fields{}))
	e := f.Create(t, transactionsPath, credit("acquisition", 1_900, fields{}))
	says(t, e, fields{"cost_change": -1_900.0, "accumulated_change": 0.0, "useful_life_years": nil})
	if asset, clearing := f.lineOf(t, 2025, e["number"], "asset"), f.lineOf(t, 2025, e["number"],
		"clearing"); asset != -1_900 || clearing != 1_900 {
		t.Errorf("the credit moves %v and %v", asset, clearing)
	}
	f.amortizes(t, 2025, 8_800) // (98,100 − 4,500 − 10,000) × 2 ÷ 19
	f.post(t, asset, "betterment", "2025-04-01", fields{"amount": 20_000})
	f.Create(t, transactionsPath, credit("betterment", 1_000, fields{}))
	row := f.Must(t, http.StatusOK, "GET", schedulePathOf(2025), nil).JSON["total"].(fields)["cost"].(fields)
	says(t, row, fields{"opening": 100_000.0, "additions": -1_900.0, "betterments": 19_000.0, "closing": 117_100.0})
	f.conflicts(t, "amount", "at most 83600.00", transactionsPath, credit("acquisition", 83_600.01, fields{}))
	f.conflicts(t, "amount", "what is given back as a whole is a disposal", transactionsPath, credit("betterment", 19_000, fields{}))
	f.refusedField(t, transactionsPath, "added_life_years", "does not go with a credit", credit("betterment", 5,
		fields{"added_life_years": 1}))
	f.refusedField(t, transactionsPath, "in_service_on", "does not go with a credit", credit("acquisition", 5,
		fields{"in_service_on": "2020-01-01", "memo": "x"}))
	f.refusedField(t, transactionsPath, "amount", "must be above 0", entryOf(asset, "contribution", "2025-05-01", fields{"amount": -5}))
	f.post(t, asset, "disposal", "2025-06-01", nil)
	f.close(t, 2025)
	f.balancedLines(t, 2025)
}

// Books that have amortized what was to be left of it open the ledger as they are.
func TestAnOpeningAmortizedBeyondItsResidualValue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 30, nil), fields{"residual_value": 10_000})
	opening := func(accumulated float64) fields {
		return entryOf(asset, "opening", "2025-01-01", fields{"amount": 100_000, "in_service_on": "2010-05-01",
			"accumulated_amortization": accumulated})
	}
	f.refusedField(t, transactionsPath, "accumulated_amortization", "from 0 to the cost, 100000.00", opening(100_000.01))
	f.Create(t, transactionsPath, opening(95_000))
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"net_book_value": 5_000.0,
		"residual_value": 5_000.0, "state": "in_service"})
	f.amortizes(t, 2025, 0)
	f.post(t, asset, "estimate", "2025-06-01", fields{"residual_value": 0})
	f.amortizes(t, 2025, 322.58) // 5,000 × 2 ÷ 31
	f.close(t, 2025)
}

// A share of a pool takes that share of its quantity, as a whole number.
func TestAShareOfAPoolTakesItsShareOfTheQuantity(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	pool := f.asset(t, f.class(t, "half_year", 5, fields{"pooled": true}), fields{"quantity": 10})
	f.post(t, pool, "acquisition", "2025-01-01", fields{"amount": 1_000})
	quantity := func(want float64) {
		t.Helper()
		says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+pool, nil).JSON, fields{"quantity": want})
	}
	share := f.post(t, pool, "disposal", "2025-02-01", fields{"share_pct": 25})
	says(t, share, fields{"quantity": 3.0, "share_pct": 25.0, "cost_change": -250.0})
	quantity(7)
	f.post(t, pool, "disposal", "2025-02-02", fields{"share_pct": 99}) // one stays while something is there
	quantity(1)
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", share["id"], "/reverse"), fields{"effective_on": "2025-03-01"})
	quantity(4) // six went by the other
	f.post(t, pool, "disposal", "2025-04-01", fields{"share_pct": 100})
	quantity(0)
}

// 1,200 over a year by months from January, disposed of in May: four months are charged, or five where that of the disposal counts.
func TestTheMonthOfDisposalCountsWhereTheClassSaysSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	for convention, charged := range map[string]float64{"month": 400, "month_inclusive": 500} {
		asset := f.asset(t, f.class(t, convention, 1, nil), nil)
		f.post(t, asset, "acquisition", "2025-01-10", fields{"amount": 1_200})
		says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"unit": "month", "remaining_units": 12.0})
		sold := f.post(t, asset, "disposal", "2025-05-01", fields{"proceeds": 1_200})
		says(t, sold, fields{"accumulated_change": -charged, "gain_loss": charged})
	}
	december := f.asset(t, f.class(t, "month_inclusive", 2, nil), nil)
	f.post(t, december, "acquisition", "2025-12-31", fields{"amount": 2_400})
	says(t, f.post(t, december, "disposal", "2025-12-31", nil), fields{"accumulated_change": -100.0})
	f.balancedLines(t, 2025)
}
