package accounting

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/services/accounting/ledger"
)

const obligationSchedulePath = "/v1/accounting/schedule/retirement-obligations?fiscal_year="

// settle settles an obligation, or a part of it, and gives what was posted.
func (f *fixture) settle(t testing.TB, obligation, on string, paid float64, more fields) fields {
	t.Helper()
	body := fields{"effective_on": on, "paid": paid}
	for key, value := range more {
		body[key] = value
	}
	return f.Must(t, http.StatusCreated, "POST", obligationsPath+"/"+obligation+"/settle", body).JSON
}

// twentyYears is an obligation of 1,000,000 in 20 years at 4 %, recognized in 2023, with 2023 and 2024 closed.
func (f *fixture) twentyYears(t testing.TB) string {
	t.Helper()
	f.open(t, 2023, 2024)
	asset := f.asset(t, f.class(t, "half_year", 40, nil), nil)
	f.post(t, asset, "acquisition", "2023-01-01", fields{"amount": 100_000})
	o := f.obligation(t, asset, "2023-01-01", fields{"settlement_on": "2043-01-01"})["id"].(string)
	f.close(t, 2023, 2024)
	f.open(t, 2025)
	f.owes(t, o, 493_628.13)
	return o
}

// 50,000 of 501,761.26 are settled: 451,761.26 stay, which grow by the months since the recognition to their share of the estimated cost.
func TestAPartOfAnObligationIsSettled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	o := f.twentyYears(t)
	path := obligationsPath + "/" + o
	part := f.settle(t, o, "2025-06-30", 50_000, fields{"settles": "amount"})
	says(t, part, fields{"accretion": 8_133.13, "change": -50_000.0, "liability": 451_761.26, "gain_loss": 0.0, "cost_change": nil})
	// 1,000,000 × 451,761.26 ÷ 501,761.26.
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "active", "settled_on": nil, "paid": 50_000.0,
		"liability": 451_761.26, "estimated_cost": 900_351.02})
	says(t, f.Must(t, http.StatusOK, "GET", transactionsPath+"/"+part["transaction_id"].(string), nil).JSON,
		fields{"type": "settlement", "amount": -50_000.0, "estimated_cost": 900_351.02, "settlement_on": "2043-01-01", "discount_rate_pct": 4.0,
			"gain_loss": 0.0})
	// Five months of 2025 are over, seven are left: 451,761.26 × (1.04^(7/12) − 1).
	shown := f.Must(t, http.StatusOK, "GET", obligationSchedulePath+"2025", nil).JSON["total"].(fields)
	says(t, shown, fields{"opening": 493_628.13, "settled": -50_000.0, "revised": 0.0, "accretion": money(813_313 + 1_045_487),
		"closing": 462_216.13})

	// A quarter of the rest for less than that, then what is left. What is paid adds up.
	quarter := f.settle(t, o, "2025-07-01", 100_000, fields{"settles": "share_pct", "share_pct": 25})
	says(t, quarter, fields{"accretion": 1_478.95, "change": -113_310.05, "liability": 339_930.16, "gain_loss": 13_310.05})
	says(t, f.Must(t, http.StatusOK, "GET", transactionsPath+"/"+quarter["transaction_id"].(string), nil).JSON, fields{"share_pct": 25.0,
		"estimated_cost": 675_263.27})
	f.conflicts(t, "later_transaction", "reverse that first", transactionsPath+"/"+part["transaction_id"].(string)+"/reverse",
		fields{"effective_on": "2025-07-01"})
	rest := f.settle(t, o, "2025-07-01", 339_930.16, nil)
	says(t, rest, fields{"accretion": 0.0, "change": -339_930.16, "liability": 0.0, "gain_loss": 0.0})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "settled", "settled_on": "2025-07-01", "paid": 489_930.16,
		"liability": 0.0})

	// Reversed one after the other, each is as if it had never been.
	for _, undone := range []struct {
		id   any
		want fields
	}{
		{rest["transaction_id"], fields{"state": "active", "settled_on": nil, "paid": 150_000.0, "liability": 339_930.16,
			"estimated_cost": 675_263.27}},
		{quarter["transaction_id"], fields{"state": "active", "paid": 50_000.0, "liability": 451_761.26, "estimated_cost": 900_351.02}},
		{part["transaction_id"], fields{"state": "active", "paid": nil, "liability": 493_628.13, "estimated_cost": 1_000_000.0}},
	} {
		f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", undone.id, "/reverse"), fields{"effective_on": "2025-07-02"})
		says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, undone.want)
	}
	says(t, f.Must(t, http.StatusOK, "GET", obligationSchedulePath+"2025", nil).JSON["total"].(fields), fields{"settled": 0.0,
		"accretion": 19_745.13, "closing": 513_373.26})

	// A part may be settled for another amount than was paid, and what is left is revised.
	says(t, f.settle(t, o, "2025-06-30", 60_000, fields{"settles": "amount", "amount": 50_000}), fields{"liability": 451_761.26,
		"gain_loss": -10_000.0})
	says(t, f.Must(t, http.StatusCreated, "POST", path+"/revise", fields{"effective_on": "2025-06-30", "estimated_cost": 1_000_000}).JSON,
		fields{"liability": 503_403.88, "accretion": 0.0})
	f.close(t, 2025)
	f.balanced(t, 2023, 2024, 2025)
}

func TestSettlementsThatCannotBe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	o := f.twentyYears(t)
	path := obligationsPath + "/" + o + "/settle"
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"amount", "goes with settles amount", fields{"paid": 5, "amount": 5}},
		{"share_pct", "goes with settles share_pct", fields{"paid": 5, "settles": "amount", "share_pct": 5}},
		{"share_pct", "is required", fields{"paid": 5, "settles": "share_pct"}},
		{"share_pct", "above 0", fields{"paid": 5, "settles": "share_pct", "share_pct": 0}},
		{"amount", "above 0", fields{"paid": 5, "settles": "amount", "amount": 0}},
		{"amount", "is required where nothing was paid", fields{"paid": 0, "settles": "amount"}},
		{"settles", "", fields{"paid": 5, "settles": "half"}},
	} {
		c.body["effective_on"] = "2025-06-30"
		f.refusedField(t, path, c.field, c.words, c.body)
	}
	f.conflicts(t, "amount", "settle all of it with settles all", path, fields{"effective_on": "2025-06-30", "paid": 501_761.27,
		"settles": "amount"})
	says(t, f.settle(t, o, "2025-06-30", 501_761.27, fields{"settles": "all"}), fields{"liability": 0.0, "gain_loss": -0.01})
	says(t, f.Must(t, http.StatusOK, "GET", obligationsPath+"/"+o, nil).JSON, fields{"state": "settled"})

	// All of it, said as an amount or a share, leaves nothing.
	for _, more := range []fields{{"settles": "share_pct", "share_pct": 100}, {"settles": "amount", "amount": 501_761.26}} {
		last := f.Must(t, http.StatusOK, "GET", transactionsPath+"?type=settlement&sort=-sequence&obligation_id="+o,
			nil).JSON["data"].([]any)[0].(fields)["id"].(string)
		f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+last+"/reverse", fields{"effective_on": "2025-06-30"})
		f.settle(t, o, "2025-06-30", 500_000, more)
		says(t, f.Must(t, http.StatusOK, "GET", obligationsPath+"/"+o, nil).JSON, fields{"state": "settled", "settled_on": "2025-06-30",
			"paid": 500_000.0, "liability": 0.0})
	}
	f.balanced(t, 2023, 2024, 2025)
}

// Post-closure care of a landfill: 100,000 on 1 January of each of 25 years at 5 %, which come to 100,000 × (1.05^25 − 1) ÷ 0.05 on the
// last of these days. Each year the rest grows by 5 % and is less by what was paid; the last payment settles what is left.
func TestALandfillIsCaredForTwentyFiveYears(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2000, 2001)
	cells := f.asset(t, f.class(t, "full_year", 30, fields{"category": "land_improvements"}), nil)
	f.post(t, cells, "acquisition", "2000-01-01", fields{"amount": 500_000})
	o := f.obligation(t, cells, "2000-01-01", fields{"kind": "landfill", "estimated_cost": 4_772_709.88, "settlement_on": "2025-01-01",
		"discount_rate_pct": 5})
	id := o["id"].(string)
	says(t, o, fields{"liability": 1_409_394.46}) // 100,000 × (1 − 1.05^−25) ÷ 0.05
	owed := ledger.Cents(140_939_446)
	for year := 2000; year < 2024; year++ {
		grown := owed.Share(5, 100)
		f.close(t, year)
		if owed += grown; owed != cents(f.liability(t, id)) {
			t.Fatalf("at the end of %d %.2f is owed, want %s", year, f.liability(t, id), owed)
		}
		opening := owed
		if owed -= 10_000_000; year < 2024 {
			says(t, f.settle(t, id, fmt.Sprintf("%d-01-01", year+1), 100_000, fields{"settles": "amount", "memo": "Suivi annuel"}),
				fields{"accretion": 0.0, "gain_loss": 0.0, "liability": money(owed)})
		}
		says(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint(obligationSchedulePath, year+1), nil).JSON["data"].([]any)[0].(fields),
			fields{"kind": "landfill", "opening": money(opening), "settled": -100_000.0, "revised": 0.0})
		f.open(t, year+2)
	}
	f.close(t, 2024)
	last := f.settle(t, id, "2025-01-01", 100_000, nil)
	if gain := last["gain_loss"].(float64); gain < -0.30 || gain > 0.30 || last["liability"] != 0.0 {
		t.Errorf("25 payments leave %v", last)
	}
	says(t, f.Must(t, http.StatusOK, "GET", obligationsPath+"/"+id, nil).JSON, fields{"state": "settled", "settled_on": "2025-01-01",
		"paid": 2_500_000.0})
	f.balanced(t, 2000, 2001)
}

func TestObligationsCountWholeMonths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for until, want := range map[string]int{"2026-07-31": 42, "2026-08-14": 42, "2026-08-15": 43} {
		var months int
		if err := f.as(t, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "SELECT months_between('2023-01-15', $1::date)", until).Scan(&months)
		}); err != nil || months != want {
			t.Errorf("until %s there are %d months, want %d: %v", until, months, want, err)
		}
	}
}
