package accounting

import (
	"fmt"
	"net/http"
	"testing"
)

// Half a year by months, and a year and a half by half-years: what remains, what is added and what is estimated may have months too.
func TestALifeHasMonths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025, 2026)
	capitalAsset := func(id string) fields {
		return f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+id, nil).JSON
	}
	half := f.asset(t, f.class(t, "month", 0, fields{"useful_life_months": 6}), nil)
	f.post(t, half, "acquisition", "2025-09-10", fields{"amount": 600})
	f.charges(t, 2025, 400) // September to December
	f.charges(t, 2026, 200)
	says(t, capitalAsset(half), fields{"useful_life_years": 0.0, "useful_life_months": 6.0, "remaining_units": 6.0, "unit": "month"})

	more := f.asset(t, f.class(t, "half_year", 1, fields{"useful_life_months": 6}), nil)
	bought := f.post(t, more, "acquisition", "2025-02-10", fields{"amount": 300})
	says(t, bought, fields{"useful_life_years": 1.0, "useful_life_months": 6.0})
	f.charges(t, 2025, 400+100)
	f.charges(t, 2026, 200+200)
	f.post(t, more, "betterment", "2025-03-01", fields{"amount": 60, "added_life_months": 6})
	says(t, capitalAsset(more), fields{"useful_life_years": 2.0, "useful_life_months": 0.0})
	f.post(t, half, "estimate", "2025-10-01", fields{"useful_life_months": 9})
	says(t, capitalAsset(half), fields{"useful_life_years": 0.0, "useful_life_months": 9.0})
	f.charges(t, 2025, 100+3*62.5+75+15) // 500 over eight months; a quarter of 300 and of 60
	f.balanced(t, 2025)
}

// charges says what the schedule of a year has as its amortization.
func (f *fixture) charges(t testing.TB, year int, want float64) {
	t.Helper()
	total := f.Must(t, http.StatusOK, "GET", schedulePathOf(year), nil).JSON["total"].(fields)
	if got := total["accumulated_amortization"].(fields)["amortization"]; got != want {
		t.Errorf("%d charges %v, want %v", year, got, want)
	}
}

func TestALifeIsWholeUnitsOfItsConvention(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	classes, assets := pathOf("capital_asset_classes"), pathOf("capital_assets")
	for convention, months := range map[string]int{"half_year": 3, "full_year": 6, "following_year": 6} {
		body := fields{"name": "X " + convention, "category": "buildings", "convention": convention,
			"useful_life_years": 1, "useful_life_months": months}
		f.refusedField(t, classes, "useful_life_months", "a life is whole", body)
		class := f.class(t, convention, 5, nil)
		f.refusedField(t, assets, "useful_life_months", "a life is whole",
			fields{"name": "X", "class_id": class, "useful_life_years": 2, "useful_life_months": months})
		asset := f.asset(t, class, nil)
		f.post(t, asset, "acquisition", "2025-01-01", fields{"amount": 1000})
		f.refusedField(t, transactionsPath, "useful_life_months", "a life is whole",
			entryOf(asset, "estimate", "2025-02-01", fields{"useful_life_months": months}))
		f.refusedField(t, transactionsPath, "added_life_months", "a life is whole",
			entryOf(asset, "betterment", "2025-02-01", fields{"amount": 50, "added_life_months": months}))
	}
	f.refusedField(t, classes, "useful_life_years", "or useful_life_months",
		fields{"name": "X", "category": "buildings", "useful_life_years": 0})
	f.refusedField(t, classes, "useful_life_months", "the method is none",
		fields{"name": "X", "category": "land", "method": "none", "useful_life_months": 6})
	class := f.class(t, "month", 5, nil)
	f.refusedField(t, assets, "useful_life_years", "or useful_life_months", fields{"name": "X", "class_id": class, "useful_life_years": 0})
	says(t, f.Create(t, assets, fields{"name": "X", "class_id": class}), fields{"useful_life_years": 5.0, "useful_life_months": 0.0})
	says(t, f.Create(t, assets, fields{"name": "X", "class_id": class, "useful_life_months": 6}),
		fields{"useful_life_years": 0.0, "useful_life_months": 6.0})
}

// 10,000 over ten years by days are 999.45 in most years, and 1,002.19 in a leap year; by days of years of 365 they are 1,000.00 in each.
func TestEachFullYearIsChargedAlike(t *testing.T) {
	t.Parallel()
	for convention, want := range map[string]map[string]float64{
		"day":     {"2027": 999.45, "2028": 1002.19, "2029": 999.45},
		"day_365": {"2027": 1000, "2028": 1000, "2029": 1000, "2034": 1000},
	} {
		f := newFixture(t)
		f.open(t, 2025, 2026)
		asset := f.asset(t, f.class(t, convention, 10, nil), nil)
		f.post(t, asset, "acquisition", "2025-01-01", fields{"amount": 10_000})
		f.amortizes(t, 2025, want["2027"])
		says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"unit": "day"})
		sum := 0.0
		for _, each := range f.Must(t, http.StatusOK, "GET", "/v1/accounting/projection?years=9", nil).JSON["data"].([]any) {
			year := each.(fields)
			if amount, known := want[fmt.Sprint(year["fiscal_year"])]; known && year["amortization"] != amount {
				t.Errorf("%s charges %v in %v, want %v", convention, year["amortization"], year["fiscal_year"], amount)
			}
			sum += year["amortization"].(float64)
		}
		if sum = money(cents(sum)); sum != money(1_000_000-2*cents(want["2027"])) {
			t.Errorf("%s charges %v after 2026", convention, sum)
		}
	}
}

// 29 February is none: what comes or goes on it does so on the day before.
func TestTheTwentyNinthOfFebruaryIsNone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2024)
	class := f.class(t, "day_365", 1, nil)
	for on, want := range map[string]float64{"2024-02-28": 306, "2024-02-29": 306, "2024-03-01": 305} {
		asset := f.asset(t, class, nil)
		f.post(t, asset, "acquisition", on, fields{"amount": 365})
		sold := f.post(t, asset, "disposal", "2024-12-31", nil)
		says(t, sold, fields{"accumulated_change": -want})
	}
	f.balancedLines(t, 2024)
}
