package accounting

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/services/accounting/ledger"
)

// obligation makes one, of 1,000,000 in 20 years at 4 %.
func (f *fixture) obligation(t testing.TB, asset, on string, more fields) fields {
	t.Helper()
	return f.Create(t, obligationsPath, obligationOf(asset, on, more))
}

func obligationOf(asset, on string, more fields) fields {
	body := fields{"capital_asset_id": asset, "name": "Amiante", "kind": "asbestos", "estimated_cost": 1_000_000, "recognized_on": on,
		"settlement_on": "2044-01-01", "discount_rate_pct": 4}
	for key, value := range more {
		body[key] = value
	}
	return body
}

func (f *fixture) liability(t testing.TB, id any) float64 {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", obligationsPath+"/"+id.(string), nil).JSON["liability"].(float64)
}

func (f *fixture) owes(t testing.TB, id any, want float64) {
	t.Helper()
	if owed := f.liability(t, id); owed != want {
		t.Errorf("the liability is %.2f, want %.2f", owed, want)
	}
}

// balanced checks that the journals of years balance, and that what they owe at the end of the last is what the schedule says. That has the
// accretion of an open year as well, which no entry has posted.
func (f *fixture) balanced(t testing.TB, years ...int) {
	t.Helper()
	last := years[len(years)-1]
	var owed, accreted ledger.Cents
	for _, year := range years {
		for _, line := range f.balancedLines(t, year) {
			if line["account"] != "obligation" {
				continue
			}
			change := cents(line["credit"].(float64)) - cents(line["debit"].(float64))
			if owed += change; line["type"] == "accretion" && year == last {
				accreted += change
			}
		}
	}
	shown := f.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/accounting/schedule/retirement-obligations?fiscal_year=%d", last), nil).JSON
	total := shown["total"].(fields)
	want := cents(total["closing"].(float64))
	if shown["provisional"] == true {
		want -= cents(total["accretion"].(float64)) - accreted
	}
	if owed != want {
		t.Errorf("the journal owes %s, the schedule %s", owed, want)
	}
}

// W15: 1,000,000 in 20 years at 4 %. The cost is a layer over what is left of the capital asset, the liability grows each year.
func TestAnObligationIsRecognizedAndGrows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2024-01-01", fields{"amount": 100_000})
	o := f.obligation(t, asset, "2024-01-01", nil)
	says(t, o, fields{"liability": 456_386.95, "state": "active", "settled_on": nil, "paid": nil, "opening": false})
	f.stands(t, asset, 556_386.95, 0)
	entry := f.Must(t, http.StatusOK, "GET", transactionsPath+"?obligation_id="+o["id"].(string), nil).JSON["data"].([]any)[0].(fields)
	says(t, entry, fields{"type": "retirement_cost", "amount": 456_386.95, "cost_change": 456_386.95, "estimated_cost": 1_000_000.0,
		"settlement_on": "2044-01-01", "discount_rate_pct": 4.0, "layer": 2.0, "memo": "Amiante", "effective_on": "2024-01-01"})

	// Half of what it costs in six months: the second obligation is recognized on 1 July, as the first is of twenty years.
	half := f.obligation(t, asset, "2024-07-01", fields{"settlement_on": "2044-07-01"})
	dry := f.Must(t, http.StatusCreated, "POST", yearsPath+"/2024/close", fields{"dry_run": true}).JSON
	// 18,255.48 of the first, 9,038.24 of the second; 2,500 and twice 456,386.95 over 40 half-years.
	says(t, dry["figures"].(fields), fields{"accretion": 27_293.72, "amortization": 25_319.34})
	shown := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2024", nil).JSON
	says(t, shown, fields{"provisional": true, "fiscal_year_label": "2024"})
	says(t, shown["total"].(fields), fields{"kind": nil, "opening": 0.0, "recognized": 912_773.90, "revised": 0.0, "accretion": 27_293.72,
		"settled": 0.0, "closing": 940_067.62})
	// The next year opens with what this one would close with.
	next := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2025", nil).JSON
	says(t, next["total"].(fields), fields{"opening": 940_067.62, "accretion": 18_985.70 + 18_617.01, "closing": 977_670.33})

	f.close(t, 2024)
	f.owes(t, o["id"], 474_642.43)
	f.owes(t, half["id"], 465_425.19)
	closed := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2024", nil).JSON
	says(t, closed, fields{"provisional": false})
	says(t, closed["data"].([]any)[0].(fields),
		fields{"kind": "asbestos", "recognized": 912_773.90, "accretion": 27_293.72, "closing": 940_067.62})
	says(t, f.Must(t, http.StatusOK, "GET", yearsPath+"/2024/close", nil).JSON["figures"].(fields), fields{"accretion": 27_293.72})
	says(t, f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2025", nil).JSON["total"].(fields),
		fields{"opening": 940_067.62, "accretion": 37_602.71, "closing": 977_670.33})

	// Reopened, the accretion is reversed; closed again, all is as before.
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "Essai"})
	f.owes(t, o["id"], 456_386.95)
	f.close(t, 2024)
	f.owes(t, o["id"], 474_642.43)
	f.balanced(t, 2024, 2025)
}

// The last accretion brings the liability to what the settlement costs.
func TestALiabilityGrowsToTheEstimatedCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var last, closing float64
	if err := f.as(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `WITH RECURSIVE years AS (
				SELECT 2024 AS year, present_value(1000000, 4, '2024-01-01', '2044-01-01') AS liability, 0::numeric AS due
				UNION ALL
				SELECT y.year + 1, y.liability + a.due, a.due FROM years y CROSS JOIN LATERAL (
					SELECT accretion(y.liability, 1000000, 4, '2024-01-01', '2044-01-01', make_date(y.year, 1, 1), make_date(y.year + 1, 1, 1)) AS due) a
						WHERE y.year < 2050)
			SELECT max(due)::float8, max(liability)::float8 FROM years`).Scan(&last, &closing)
	}); err != nil {
		t.Fatal(err)
	}
	if closing != 1_000_000 || last < 38_461.52 || last > 38_461.56 {
		t.Errorf("it grows to %.2f, by %.2f in its last year", closing, last)
	}
}

// Powers of rates have digits enough: a fixed number of random ones are held against exact fractions, whose twelfth
// power is that of the rate.
func TestPowersOfRatesAreExact(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	random := rand.New(rand.NewPCG(3280, 22))
	for range 200 {
		rate, months := random.IntN(200_001), random.IntN(2400)
		var text string
		if err := f.as(t, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "SELECT growth($1::numeric / 10000, $2)::text", rate, months).Scan(&text)
		}); err != nil {
			t.Fatal(err)
		}
		got, is := new(big.Rat).SetString(text)
		if !is {
			t.Fatalf("%q is no number", text)
		}
		twelfth := big.NewRat(1, 1)
		base := big.NewRat(int64(1_000_000+rate), 1_000_000)
		exact := new(big.Float).SetPrec(400).SetInt64(1)
		for range months {
			exact.Mul(exact, new(big.Float).SetPrec(400).SetRat(base))
		}
		for range 12 {
			twelfth.Mul(twelfth, got)
		}
		ratio := new(big.Float).SetPrec(400).Quo(new(big.Float).SetPrec(400).SetRat(twelfth), exact)
		off, _ := ratio.Sub(ratio, big.NewFloat(1)).Float64()
		if off > 1e-20 || off < -1e-20 {
			t.Errorf("(1 + %d/1000000)^(%d/12) is off by %g", rate, months, off/12)
		}
	}
}

func TestAnObligationIsRevisedAndSettled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2024-01-01", fields{"amount": 100_000})
	o := f.obligation(t, asset, "2024-01-01", nil)
	path := obligationsPath + "/" + o["id"].(string)

	// On 1 January 2025 it has grown to 474,642.43, which the close of 2024 has yet to post. 1,200,000 in 19 years are worth 569,570.91.
	revised := f.Must(t, http.StatusCreated, "POST", path+"/revise",
		fields{"effective_on": "2025-01-01", "estimated_cost": 1_200_000, "memo": "Évaluation"}).JSON
	says(t, revised, fields{"accretion": 0.0, "change": 94_928.48, "liability": 569_570.91, "cost_change": 94_928.48, "gain_loss": nil})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"estimated_cost": 1_200_000.0, "settlement_on": "2044-01-01", "liability": 551_315.43})
	f.close(t, 2024)
	f.owes(t, o["id"], 569_570.91)

	// Six months later it has grown by 569,570.91 × (1.04^0.5 − 1) = 11,279.73. Of 700,000 in 18.5 years 338,829.54 are owed; the cost
	// shrinks by what the layers have.
	shrunk := f.Must(t, http.StatusCreated, "POST", path+"/revise", fields{"effective_on": "2025-07-01", "estimated_cost": 700_000}).JSON
	says(t, shrunk, fields{"accretion": 11_279.73, "liability": 338_829.54})
	if sum := f.liability(t, o["id"]); sum != shrunk["liability"] {
		t.Errorf("the liability is %v, the revision said %v", sum, shrunk["liability"])
	}
	// What was undone has not been: the accretion that was posted with it goes too.
	undone := f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+shrunk["transaction_id"].(string)+"/reverse",
		fields{"effective_on": "2025-07-01"}).JSON
	says(t, undone, fields{"reverses": shrunk["transaction_id"]})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"estimated_cost": 1_200_000.0, "liability": 569_570.91})

	settled := f.Must(t, http.StatusCreated, "POST", path+"/settle", fields{"effective_on": "2025-07-01", "paid": 500_000}).JSON
	says(t, settled, fields{"accretion": 11_279.73, "change": -580_850.64, "liability": 0.0, "gain_loss": 80_850.64, "cost_change": nil})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"state": "settled", "settled_on": "2025-07-01", "paid": 500_000.0, "liability": 0.0})
	f.conflicts(t, "settled", "is settled", path+"/revise", fields{"effective_on": "2025-08-01", "estimated_cost": 5})
	f.conflicts(t, "settled", "is settled", path+"/settle", fields{"effective_on": "2025-08-01", "paid": 5})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+settled["transaction_id"].(string)+"/reverse",
		fields{"effective_on": "2025-07-31"})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"state": "active", "settled_on": nil, "paid": nil, "liability": 569_570.91})
	f.Must(t, http.StatusCreated, "POST", path+"/settle", fields{"effective_on": "2025-12-31", "paid": 600_000})
	says(t, f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2025", nil).JSON["total"].(fields),
		fields{"opening": 474_642.43, "recognized": 0.0, "revised": 94_928.48, "settled": -590_420.86, "closing": 0.0})
	f.close(t, 2025)
	f.owes(t, o["id"], 0)
	f.balanced(t, 2024, 2025)
}

// What an obligation costs less than was added comes out of its own layer, as far as that is not amortized; the rest is income.
func TestAnObligationThatShrinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "half_year", 2, nil), nil)
	f.post(t, asset, "acquisition", "2024-01-01", fields{"amount": 1000})
	o := f.obligation(t, asset, "2024-06-30", fields{"estimated_cost": 500, "discount_rate_pct": 0})
	f.close(t, 2024)
	f.stands(t, asset, 1500, 375) // a quarter of both
	path := obligationsPath + "/" + o["id"].(string)
	says(t, f.Must(t, http.StatusCreated, "POST", path+"/revise", fields{"effective_on": "2025-02-01", "estimated_cost": 100}).JSON,
		fields{"change": -400.0, "cost_change": -375.0, "liability": 100.0})
	// In its last half-year there is no use left to spread anything over: its life is estimated first, or it is disposed of, and what is
	// added is an expense.
	f.open(t, 2026)
	f.close(t, 2025)
	more := fields{"effective_on": "2026-02-01", "settlement_on": "2050-01-01", "estimated_cost": 300}
	f.conflicts(t, "no_life_left", "post an estimate of its useful_life_years first", path+"/revise", more)
	estimate := f.post(t, asset, "estimate", "2026-01-31", fields{"useful_life_years": 5})
	revised := f.Must(t, http.StatusCreated, "POST", path+"/revise", more).JSON
	says(t, revised, fields{"change": 200.0, "cost_change": 200.0})
	f.conflicts(t, "makes_impossible", revised["number"].(string), transactionsPath+"/"+estimate["id"].(string)+"/reverse",
		fields{"effective_on": "2026-02-01"})
	for _, id := range []any{revised["transaction_id"], estimate["id"]} {
		f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", id, "/reverse"), fields{"effective_on": "2026-02-01"})
	}
	f.post(t, asset, "disposal", "2026-03-01", nil)
	says(t, f.Must(t, http.StatusCreated, "POST", path+"/revise", fields{"effective_on": "2026-03-02", "settlement_on": "2050-01-01",
		"estimated_cost": 350}).JSON, fields{"change": 250.0, "cost_change": 0.0, "liability": 350.0})
	f.balanced(t, 2024, 2025, 2026)
}

// lineOf is what an entry has in an account of the journal: a debit above 0, a credit below.
func (f *fixture) lineOf(t testing.TB, year int, number any, account string) (amount float64) {
	t.Helper()
	for _, line := range f.balancedLines(t, year) {
		if line["number"] == number && line["account"] == account {
			amount += line["debit"].(float64) - line["credit"].(float64)
		}
	}
	return amount
}

// What is in use no longer is not amortized by more: PS 3280 expenses that at once, in an account that is not accretion's.
func TestAnObligationOfWhatIsInUseNoLongerIsAnExpense(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "half_year", 1, fields{"accounts": fields{"accretion": "5-6200", "retirement_expense": "5-6250"}}), nil)
	f.post(t, asset, "acquisition", "2024-01-01", fields{"amount": 1000})
	f.close(t, 2024)
	f.open(t, 2026)
	f.close(t, 2025)
	f.conflicts(t, "no_life_left", "or its disposal, if it is in use no longer", obligationsPath, obligationOf(asset, "2026-02-01", nil))
	f.post(t, asset, "disposal", "2026-02-01", nil)
	o := f.obligation(t, asset, "2026-02-01", nil)
	number := f.Must(t, http.StatusOK, "GET", transactionsPath+"?obligation_id="+o["id"].(string),
		nil).JSON["data"].([]any)[0].(fields)["number"]
	if expense, accretion := f.lineOf(t, 2026, number, "5-6250"), f.lineOf(t, 2026, number,
		"5-6200"); expense != o["liability"] || accretion != 0 {
		t.Errorf("%v is an expense, %v accretion; %v is owed", expense, accretion, o["liability"])
	}
	f.balanced(t, 2024, 2025, 2026)
}

// What is fully amortized and still used gets a life first: then the cost is spread over that.
func TestAnObligationOfWhatIsAmortizedAndStillUsed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "full_year", 1, nil), nil)
	f.post(t, asset, "acquisition", "2024-01-01", fields{"amount": 1000})
	f.close(t, 2024)
	f.stands(t, asset, 1000, 1000)
	f.conflicts(t, "no_life_left", "post an estimate of its useful_life_years first", obligationsPath, obligationOf(asset, "2025-01-01", nil))
	f.post(t, asset, "estimate", "2025-01-01", fields{"useful_life_years": 20})
	o := f.obligation(t, asset, "2025-01-01", nil)
	f.stands(t, asset, money(100_000+cents(o["liability"].(float64))), 1000)
	f.amortizes(t, 2025, money(cents(o["liability"].(float64)).Share(1, 19)))
	f.balanced(t, 2024, 2025)
}

// Land is never amortized: an obligation of it would be a cost for ever. It is one of what is amortized on it.
func TestAnObligationOfLand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	land := f.asset(t, f.Create(t, pathOf("capital_asset_classes"), fields{"name": "Terrains", "category": "land",
		"method": "none"})["id"].(string), nil)
	f.post(t, land, "opening", "2025-01-01", fields{"amount": 100_000, "in_service_on": "2020-01-01"})
	f.conflicts(t, "not_amortized", "of a class that is amortized, such as landfill cells or land improvements", obligationsPath,
		obligationOf(land, "2025-01-01", nil))
	f.stands(t, land, 100_000, 0)
	cells := f.asset(t, f.class(t, "full_year", 20, fields{"category": "land_improvements"}), nil)
	f.post(t, cells, "acquisition", "2025-01-01", fields{"amount": 100_000})
	o := f.obligation(t, cells, "2025-01-01", nil)
	f.stands(t, cells, money(10_000_000+cents(o["liability"].(float64))), 0)
	f.amortizes(t, 2025, money((10_000_000+cents(o["liability"].(float64))).Share(1, 20)))

	// One that was there before the ledger is owed. It is not revised to more: it is moved.
	was := obligationsPath + "/" + f.obligation(t, land, "2025-01-01", fields{"opening": true})["id"].(string)
	f.conflicts(t, "not_amortized", "Revise estimated_cost to 0.01, settle the obligation", was+"/revise",
		fields{"effective_on": "2025-02-01", "estimated_cost": 2_000_000})
	f.Must(t, http.StatusCreated, "POST", was+"/revise", fields{"effective_on": "2025-02-01", "estimated_cost": 0.01})
	f.Must(t, http.StatusCreated, "POST", was+"/settle", fields{"effective_on": "2025-02-01", "paid": 0})
	f.obligation(t, cells, "2025-02-01", fields{"estimated_cost": 2_000_000})
	f.balanced(t, 2025)
}

// A liability does not go with the cost that it has added: what has an active obligation is not given to another capital asset.
func TestWhatHasAnObligationIsNotGivenAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	asset, other := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, asset, "acquisition", "2025-01-01", fields{"amount": 100_000})
	path := obligationsPath + "/" + f.obligation(t, asset, "2025-01-01", nil)["id"].(string)
	give := func(on string) fields {
		return entryOf(asset, "transfer", on, fields{"to_capital_asset_id": other, "amount": 1000})
	}
	f.conflicts(t, "in_use", "active retirement obligation Amiante", transactionsPath, give("2025-03-01"))
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false",
		fields{"data": []any{give("2025-03-01"), entryOf(asset, "betterment", "2025-03-01", fields{"amount": 10})}})
	says(t, answer.JSON["summary"].(fields), fields{"created": 1.0, "failed": 1.0})
	f.post(t, asset, "transfer", "2025-02-01", fields{"to_class_id": f.class(t, "half_year", 30, nil)})
	f.Must(t, http.StatusCreated, "POST", path+"/revise", fields{"effective_on": "2025-03-01", "estimated_cost": 0.01})
	f.stands(t, asset, 100_010, 0)
	settled := f.Must(t, http.StatusCreated, "POST", path+"/settle",
		fields{"effective_on": "2025-03-01", "paid": 0}).JSON["transaction_id"].(string)
	f.conflicts(t, "in_use", "On 2025-02-15 the capital asset has the retirement obligation Amiante, which is settled on 2025-03-01",
		transactionsPath, give("2025-02-15"))
	given := f.Create(t, transactionsPath, give("2025-04-01"))
	f.conflicts(t, "makes_impossible", given["number"].(string), transactionsPath+"/"+settled+"/reverse", fields{"effective_on": "2025-05-01"})
	f.conflicts(t, "makes_impossible", given["number"].(string), obligationsPath, obligationOf(asset, "2025-03-31", nil))
	f.obligation(t, asset, "2025-04-01", nil)
	f.obligation(t, other, "2025-04-01", nil)
	f.balanced(t, 2025)
}

func TestAnObligationThatWasThereBefore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2024)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "opening", "2024-01-01", fields{"amount": 100_000, "in_service_on": "2020-01-01"})
	f.refusedField(t, obligationsPath, "recognized_on", "must be 2024-01-01", obligationOf(asset, "2024-02-01", fields{"opening": true}))
	o := f.obligation(t, asset, "2024-01-01", fields{"opening": true})
	f.owes(t, o["id"], 456_386.95)
	f.stands(t, asset, 100_000, 0) // as accumulated was not given
	says(t, f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/retirement-obligations?fiscal_year=2024", nil).JSON["total"].(fields),
		fields{"opening": 456_386.95, "recognized": 0.0, "accretion": 18_255.48, "closing": 474_642.43})
	f.balanced(t, 2024)
}

func TestWrongObligationsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 20, nil)
	asset := f.asset(t, class, nil)
	f.conflicts(t, "not_in_service", "post what it has cost first", obligationsPath, obligationOf(asset, "2024-01-01", nil))
	f.post(t, asset, "acquisition", "2024-03-01", fields{"amount": 100_000})
	f.conflicts(t, "not_in_service", "post what it has cost first", obligationsPath, obligationOf(asset, "2024-01-01", nil))
	for field, body := range map[string]fields{
		"estimated_cost": {"estimated_cost": 0}, "settlement_on": {"settlement_on": "2024-04-01"},
		"discount_rate_pct": {"discount_rate_pct": 20.0001}, "kind": {"kind": "tank"}, "capital_asset_id": {"capital_asset_id": assetOfOthers},
	} {
		f.refusedField(t, obligationsPath, field, "", obligationOf(asset, "2024-04-01", body))
	}
	f.refusedField(t, obligationsPath, "recognized_on", "within a fiscal year", obligationOf(asset, "2023-04-01", nil))
	f.refusedField(t, obligationsPath, "recognized_on", "after today",
		obligationOf(asset, "2100-04-01", fields{"settlement_on": "2150-01-01"}))
	f.refusedField(t, transactionsPath, "type", "make or revise a retirement obligation",
		entryOf(asset, "retirement_cost", "2024-04-01", fields{"amount": 5}))
	if made := f.Must(t, http.StatusOK, "GET", obligationsPath, nil).JSON["data"].([]any); len(made) != 0 {
		t.Errorf("something was written: %v", made)
	}

	o := f.obligation(t, asset, "2024-04-01", nil)
	path := obligationsPath + "/" + o["id"].(string)
	refused := f.Must(t, http.StatusConflict, "PATCH", path, fields{"estimated_cost": 5})
	says(t, refused.JSON, fields{"code": "in_use", "field": "estimated_cost"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Réservoir", "kind": "fuel_tank"})
	f.refusedField(t, path+"/revise", "estimated_cost", "is required", fields{"effective_on": "2024-05-01"})
	f.refusedField(t, path+"/revise", "settlement_on", "must be after 2024-05-01",
		fields{"effective_on": "2024-05-01", "settlement_on": "2024-05-01"})
	f.conflicts(t, "later_transaction", "of 2024-04-01", path+"/revise", fields{"effective_on": "2024-03-31", "estimated_cost": 5})
	f.conflicts(t, "later_transaction", "of 2024-04-01", path+"/settle", fields{"effective_on": "2024-03-31", "paid": 5})
	recognition := f.Must(t, http.StatusOK, "GET",
		transactionsPath+"?obligation_id="+o["id"].(string), nil).JSON["data"].([]any)[0].(fields)["id"].(string)
	f.conflicts(t, "not_postable", "delete the obligation", transactionsPath+"/"+recognition+"/reverse", fields{"effective_on": "2024-04-01"})
	revised := f.Must(t, http.StatusCreated, "POST", path+"/revise",
		fields{"effective_on": "2024-06-01", "discount_rate_pct": 5}).JSON["transaction_id"].(string)
	f.conflicts(t, "later_transaction", "reverse that first", transactionsPath+"/"+recognition+"/reverse",
		fields{"effective_on": "2024-04-01"})
	says(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON, fields{"code": "in_use"})
	accretion := f.Must(t, http.StatusOK, "GET",
		transactionsPath+"?type=accretion&obligation_id="+o["id"].(string), nil).JSON["data"].([]any)[0].(fields)["id"].(string)
	f.conflicts(t, "not_postable", "reverse that", transactionsPath+"/"+accretion+"/reverse", fields{"effective_on": "2024-06-01"})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+revised+"/reverse", fields{"effective_on": "2024-06-01"})

	// What is deleted is reversed: nothing is owed, and nothing was added.
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	f.stands(t, asset, 100_000, 0)
	f.Must(t, http.StatusNotFound, "POST", path+"/settle", fields{"effective_on": "2024-06-01", "paid": 5})
	f.balanced(t, 2024)
	later := f.obligation(t, asset, "2024-04-01", nil)
	f.Must(t, http.StatusOK, "PATCH", obligationsPath+"/"+later["id"].(string), fields{"kind": "well"})
	f.close(t, 2024)
	says(t, f.Must(t, http.StatusConflict, "PATCH", obligationsPath+"/"+later["id"].(string), fields{"kind": "landfill"}).JSON,
		fields{"code": "in_use", "field": "kind"})
	f.Must(t, http.StatusOK, "PATCH", obligationsPath+"/"+later["id"].(string), fields{"kind": "well", "name": "Puits"})
	says(t, f.Must(t, http.StatusConflict, "DELETE", obligationsPath+"/"+later["id"].(string), nil).JSON, fields{"code": "year_not_open"})
	f.conflicts(t, "year_not_open", "is closed", obligationsPath, obligationOf(asset, "2024-04-01", nil))
	f.conflicts(t, "year_not_open", "is closed", obligationsPath+"/"+later["id"].(string)+"/settle",
		fields{"effective_on": "2024-06-01", "paid": 5})

	// Of many at once each stands by itself.
	rows := []any{obligationOf(f.asset(t, class, nil), "2025-02-01", nil), obligationOf(asset, "2025-02-01", nil),
		obligationOf(asset, "2025-02-01", fields{"estimated_cost": 0}), obligationOf(asset, "2025-03-01", nil)}
	f.Must(t, http.StatusConflict, "POST", obligationsPath+"/bulk", fields{"data": rows})
	answer := f.Must(t, http.StatusOK, "POST", obligationsPath+"/bulk?atomic=false", fields{"data": rows})
	says(t, answer.JSON["summary"].(fields), fields{"created": 2.0, "failed": 2.0})
	f.balanced(t, 2024, 2025)
}
