package accounting

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// The worked cases W1, W2 and W3, two years earlier: nothing is posted after today.
func TestABuildingIsAmortizedYearByYear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2015)
	class := f.class(t, "half_year", 25, nil)
	building := f.asset(t, class, nil)
	f.post(t, building, "acquisition", "2015-04-03", fields{"amount": 120000})
	f.stands(t, building, 120000, 0)
	for year := 2015; year <= 2024; year++ {
		f.close(t, year)
		f.stands(t, building, 120000, 2400+4800*float64(year-2015))
		f.open(t, year+1)
	}
	shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+building, nil).JSON
	says(t, shown, fields{"net_book_value": 74400.0, "remaining_units": 31.0, "unit": "half_year", "balances_as_of": "2024-12-31",
		"state": "in_service", "in_service_on": "2015-04-03", "useful_life_years": 25.0})
	f.amortizes(t, 2025, 4800)
	estimate := f.post(t, building, "estimate", "2025-06-01", fields{"useful_life_years": 35})
	f.amortizes(t, 2025, 2917.65)
	f.stands(t, building, 120000, 45600)
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+estimate["id"].(string)+"/reverse", fields{"effective_on": "2025-07-01"})
	f.amortizes(t, 2025, 4800)
	f.post(t, building, "betterment", "2025-03-01", fields{"amount": 30000})
	f.amortizes(t, 2025, 5800)
	f.conflicts(t, "year_not_open", "The fiscal year 2024 is closed", transactionsPath,
		entryOf(building, "estimate", "2024-06-01", fields{"useful_life_years": 35}))
}

// amortizes says what a close of a year would charge.
func (f *fixture) amortizes(t testing.TB, year int, want float64) {
	t.Helper()
	dry := f.Must(t, http.StatusCreated, "POST", fmt.Sprintf("%s/%d/close", yearsPath, year), fields{"dry_run": true})
	figures, _ := dry.JSON["figures"].(fields)
	if figures["amortization"] != want {
		t.Errorf("%d charges %v, want %.2f: %s", year, figures["amortization"], want, dry.Body)
	}
}

// W9 and W10.
func TestADisposalIsChargedUpToItsDayAndAWriteDownLowersTheCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	class := f.class(t, "half_year", 20, nil)
	sold, writtenDown := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, sold, "opening", "2024-01-01",
		fields{"amount": 200000, "accumulated_amortization": 80000, "in_service_on": "2012-05-01", "remaining_units": 24})
	f.post(t, writtenDown, "opening", "2024-01-01",
		fields{"amount": 100000, "accumulated_amortization": 40000, "in_service_on": "2012-05-01", "remaining_units": 12})
	part := f.post(t, sold, "disposal", "2024-08-01", fields{"share_pct": 25, "proceeds": 40000})
	says(t, part, fields{"cost_change": -50000.0, "accumulated_change": -21250.0, "gain_loss": 11250.0})
	f.post(t, writtenDown, "write_down", "2024-08-01", fields{"amount": 24000})
	f.close(t, 2024)
	f.stands(t, sold, 150000, 67500)
	f.stands(t, writtenDown, 76000, 46000)
	f.open(t, 2025)
	scrapped := f.post(t, writtenDown, "disposal", "2025-02-01", nil)
	if scrapped["gain_loss"] != -27000.0 {
		t.Errorf("the loss is %v", scrapped["gain_loss"])
	}
	f.stands(t, writtenDown, 0, 0)
	f.conflicts(t, "disposed", "is disposed of", transactionsPath, entryOf(writtenDown, "disposal", "2025-03-01", nil))
	f.close(t, 2025)
	f.stands(t, sold, 150000, 75000)
}

// W11: work in progress, and a late invoice. W12: land, and what was contributed.
// Of those who reverse an entry at once one does, and the others hear that it is reversed.
func TestAnEntryIsReversedOnceByMany(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	obligation := obligationsPath + "/" + f.obligation(t, asset, "2025-02-01", nil)["id"].(string)
	revised := f.Must(t, http.StatusCreated, "POST", obligation+"/revise",
		fields{"effective_on": "2025-03-01", "estimated_cost": 5000}).JSON["transaction_id"]
	for _, id := range []any{f.post(t, asset, "betterment", "2025-04-01", fields{"amount": 500})["id"], revised} {
		var answers [4]resourcetest.Response
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() {
				answers[i] = f.Do(t, "POST", fmt.Sprint(transactionsPath, "/", id, "/reverse"), fields{"effective_on": "2025-05-01"})
			})
		}
		group.Wait()
		done := 0
		for _, answer := range answers {
			if answer.Status == http.StatusCreated {
				done++
			} else if answer.Status != http.StatusConflict || answer.JSON["code"] != "already_reversed" {
				t.Errorf("%d: %s", answer.Status, answer.Body)
			}
		}
		if done != 1 {
			t.Errorf("it was reversed %d times", done)
		}
	}
}

// A draft that goes to another class has its life, unless it has one of its own.
func TestADraftHasTheLifeOfItsClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	short, long := f.class(t, "half_year", 10, nil), f.class(t, "half_year", 40, nil)
	land := f.class(t, "half_year", 1, fields{"category": "land", "method": "none", "useful_life_years": nil})
	path := pathOf("capital_assets") + "/" + f.asset(t, short, nil)
	for _, step := range []struct {
		send fields
		life any
	}{{nil, 10.0}, {fields{"class_id": long}, 40.0}, {fields{"class_id": land}, nil}, {fields{"class_id": short}, 10.0},
		{fields{"useful_life_years": 12}, 12.0}, {fields{"class_id": long}, 12.0}, {fields{"class_id": short, "useful_life_years": 15}, 15.0}} {
		if step.send != nil {
			f.Must(t, http.StatusOK, "PATCH", path, step.send)
		}
		if life := f.Must(t, http.StatusOK, "GET", path, nil).JSON["useful_life_years"]; life != step.life {
			t.Errorf("after %v its life is %v, want %v", step.send, life, step.life)
		}
	}
}

func TestWhatIsWrittenDownToNothingIsStillThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 10, nil)
	flooded, repaired := f.asset(t, class, nil), f.asset(t, class, nil)
	for _, asset := range []string{flooded, repaired} {
		f.post(t, asset, "acquisition", "2024-02-01", fields{"amount": 1000})
		f.post(t, asset, "write_down", "2024-03-01", fields{"amount": 1000})
	}
	f.close(t, 2024)
	f.open(t, 2026)
	f.conflicts(t, "in_service", "more cost is a betterment", transactionsPath,
		entryOf(flooded, "acquisition", "2025-02-01", fields{"amount": 5}))
	says(t, f.post(t, flooded, "disposal", "2025-02-01", fields{"proceeds": 50}), fields{"gain_loss": 50.0, "cost_change": 0.0})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+flooded, nil).JSON, fields{"state": "disposed"})
	f.close(t, 2025)
	// 1,600 over the 17 half-years that are left of the first cost less one, of which this year has the first.
	f.post(t, repaired, "betterment", "2026-02-01", fields{"amount": 1600})
	says(t, f.Must(t, http.StatusCreated, "POST", yearsPath+"/2026/close", fields{"dry_run": true}).JSON["figures"].(fields),
		fields{"amortization": 100.0})
}

func TestWorkInProgressBecomesCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023, 2024)
	plant, road := f.asset(t, f.class(t, "half_year", 40, nil), nil), f.asset(t, f.class(t, "half_year", 50, nil), nil)
	land := f.asset(t, f.class(t, "half_year", 40, fields{"category": "land", "method": "none", "useful_life_years": nil}), nil)
	f.post(t, plant, "construction", "2023-05-01", fields{"amount": 300000})
	f.post(t, plant, "construction", "2024-02-01", fields{"amount": 500000})
	f.post(t, plant, "in_service", "2024-09-01", fields{"amount": 800000})
	f.post(t, road, "contribution", "2024-03-01", fields{"amount": 500000})
	f.post(t, land, "acquisition", "2024-03-01", fields{"amount": 1000000})
	f.close(t, 2023)
	f.amortizes(t, 2024, 10000+5000)
	f.close(t, 2024)
	f.open(t, 2025)
	f.post(t, plant, "betterment", "2025-01-20", fields{"amount": 16000})
	sale := f.post(t, land, "disposal", "2025-01-20", fields{"proceeds": 900000})
	if sale["gain_loss"] != -100000.0 {
		t.Errorf("the land is sold with %v", sale["gain_loss"])
	}
	f.amortizes(t, 2025, 20000+205.13+10000)
}

// What a close posts is what its year charges, also where entries have charged a part of it, and is undone by reopening.
func TestAClosePostsWhatItsYearCharges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	for _, convention := range []string{"half_year", "month"} {
		asset := f.asset(t, f.class(t, convention, 10, nil), nil)
		f.post(t, asset, "opening", "2024-01-01", fields{"amount": 120000, "in_service_on": "2020-01-01", "remaining_units": 60})
		f.post(t, asset, "disposal", "2024-07-01", fields{"share_pct": 50})
		f.post(t, asset, "betterment", "2024-08-01", fields{"amount": 600})
	}
	f.close(t, 2024)
	for range 2 {
		posted := 0.0
		entries, _ := f.List(t, transactionsPath+"?type=amortization&per_page=100")
		for _, e := range entries {
			posted += e["accumulated_change"].(float64)
		}
		total := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2024", nil).JSON["total"].(fields)
		charged := total["accumulated_amortization"].(fields)["amortization"].(float64)
		if charged == 0 || cents(posted) != cents(charged) {
			t.Errorf("the close has posted %.2f, and the year charges %.2f", posted, charged)
		}
		f.Must(t, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "encore"})
		f.close(t, 2024)
	}
}

// What is under construction stays in the schedule when what was in service is disposed of, until it is another one's.
func TestWorkInProgressOutlivesADisposal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	class := f.class(t, "half_year", 25, nil)
	old, rebuilt := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, old, "acquisition", "2023-02-01", fields{"amount": 50000})
	f.post(t, old, "construction", "2023-05-01", fields{"amount": 300000})
	f.post(t, old, "disposal", "2023-06-01", nil)
	f.close(t, 2023)
	for year := 2024; year <= 2025; year++ {
		f.open(t, year)
		if year == 2025 {
			f.post(t, old, "in_service", "2025-03-01", fields{"amount": 300000, "to_capital_asset_id": rebuilt})
		}
		f.close(t, year)
		total := f.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/accounting/schedule?fiscal_year=%d", year), nil).JSON["total"].(fields)
		says(t, total["work_in_progress"].(fields), map[int]fields{2024: {"opening": 300000.0, "closing": 300000.0},
			2025: {"opening": 300000.0, "to_service": -300000.0, "closing": 0.0}}[year])
	}
	f.stands(t, rebuilt, 300000, 6000)
}

// What is left of work in progress after a disposal is taken back by a credit.
func TestWorkInProgressOfADisposedAssetIsTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	old := f.asset(t, f.class(t, "half_year", 25, nil), nil)
	f.post(t, old, "acquisition", "2023-02-01", fields{"amount": 50000})
	f.post(t, old, "construction", "2023-05-01", fields{"amount": 300})
	f.post(t, old, "disposal", "2023-06-01", nil)
	f.conflicts(t, "disposed", "is disposed of", transactionsPath, entryOf(old, "construction", "2023-07-01", fields{"amount": 5}))
	f.post(t, old, "construction", "2023-07-01", fields{"amount": -100})
	f.close(t, 2023)
	f.open(t, 2024)
	f.conflicts(t, "amount", "from 0 to", transactionsPath, entryOf(old, "construction", "2024-02-01", fields{"amount": -200.01}))
	f.post(t, old, "construction", "2024-02-01", fields{"amount": -200})
	f.close(t, 2024)
	total := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2024", nil).JSON["total"].(fields)
	says(t, total["work_in_progress"].(fields), fields{"opening": 200.0, "additions": -200.0, "closing": 0.0})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+old, nil).JSON, fields{"state": "disposed", "work_in_progress": 0.0})
}

// What would not be amortized any more is not added to what has no life left.
func TestAnAdjustmentOfWhatIsAmortizedIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 5, nil), nil)
	f.post(t, asset, "opening", "2025-01-01", fields{"amount": 1000, "accumulated_amortization": 1000, "in_service_on": "2010-05-01"})
	f.conflicts(t, "no_life_left", "500.00 would not be amortized", transactionsPath,
		entryOf(asset, "adjustment", "2025-02-01", fields{"cost_change": 500, "memo": "x"}))
	f.refusedField(t, transactionsPath, "added_life_years", "no life left", entryOf(asset, "betterment", "2025-02-01", fields{"amount": 500}))
	f.post(t, asset, "betterment", "2025-02-01", fields{"amount": 500, "added_life_years": 5})
}

// W13: a pool of which some are stolen, and that leaves when it is amortized.
func TestAPoolLeavesWhenItIsAmortized(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2020)
	laptops := f.asset(t, f.class(t, "half_year", 5,
		fields{"category": "information_technology", "pooled": true, "remove_when_amortized": true}), fields{"quantity": 100})
	f.post(t, laptops, "acquisition", "2020-09-01", fields{"amount": 150000})
	f.close(t, 2020)
	f.open(t, 2021)
	f.close(t, 2021)
	f.stands(t, laptops, 150000, 45000)
	f.open(t, 2022)
	stolen := f.post(t, laptops, "disposal", "2022-03-01", fields{"quantity": 10})
	says(t, stolen, fields{"cost_change": -15000.0, "accumulated_change": -6000.0, "gain_loss": -9000.0})
	f.conflicts(t, "quantity", "at most 90", transactionsPath, entryOf(laptops, "disposal", "2022-04-01", fields{"quantity": 91}))
	for year := 2022; year <= 2025; year++ {
		f.close(t, year)
		if year < 2025 {
			f.open(t, year+1)
		}
	}
	if shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+laptops, nil).JSON; shown["state"] != "disposed" ||
		shown["cost"] != 0.0 {
		t.Errorf("the pool is %v with a cost of %v", shown["state"], shown["cost"])
	}
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2025/reopen", fields{"reason": "Inventaire corrigé"})
	f.stands(t, laptops, 135000, 121500)
	if shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+laptops, nil).JSON; shown["state"] != "in_service" {
		t.Errorf("the pool is %v once the year is open again", shown["state"])
	}
	f.close(t, 2025)
	f.stands(t, laptops, 0, 0)
}

// A pool that is written down to nothing is there until it is disposed of, in parts too, in the replay as after a close.
func TestAPoolThatIsWrittenDownToNothingIsStillThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 5, fields{"category": "information_technology", "pooled": true, "remove_when_amortized": true})
	laptops := f.asset(t, class, fields{"quantity": 100})
	path := pathOf("capital_assets") + "/" + laptops
	f.post(t, laptops, "acquisition", "2024-02-01", fields{"amount": 1000})
	f.post(t, laptops, "write_down", "2024-03-01", fields{"amount": 1000})
	// whose units are over at once
	phones := f.asset(t, f.class(t, "full_year", 1, fields{"category": "information_technology", "pooled": true}), fields{"quantity": 100})
	f.post(t, phones, "acquisition", "2024-02-01", fields{"amount": 1000})
	f.post(t, phones, "write_down", "2024-03-01", fields{"amount": 1000})
	says(t, f.post(t, laptops, "disposal", "2025-02-01", fields{"quantity": 10, "proceeds": 50}),
		fields{"gain_loss": 50.0, "cost_change": 0.0})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_service", "quantity": 90.0})
	f.close(t, 2024, 2025)
	f.open(t, 2026)
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_service", "quantity": 90.0})
	f.post(t, laptops, "disposal", "2026-02-01", fields{"share_pct": 50})
	f.post(t, laptops, "disposal", "2026-03-01", fields{"quantity": 45, "proceeds": 5}) // the share took half of them
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "disposed", "quantity": 0.0, "gain_loss": 55.0})

	path = pathOf("capital_assets") + "/" + phones
	f.conflicts(t, "in_service", "in service since 2024-02-01", transactionsPath,
		entryOf(phones, "acquisition", "2026-02-01", fields{"amount": 10}))
	better := f.post(t, phones, "betterment", "2026-01-10", fields{"amount": 10, "added_life_years": 5})["id"].(string)
	f.stands(t, phones, 10, 0)
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+better+"/reverse", fields{"effective_on": "2026-01-10"})
	f.post(t, phones, "disposal", "2026-02-01", fields{"quantity": 40, "proceeds": 3})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_service", "quantity": 60.0, "gain_loss": 3.0})
	f.post(t, phones, "disposal", "2026-03-01", nil)
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "disposed", "quantity": 0.0})
}

// The replay of what is written down to nothing is the same before and after a close.
func TestWhatIsWrittenDownToNothingCanGetCostAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	land := f.asset(t,
		f.class(t, "half_year", 0, fields{"category": "land", "method": "none", "useful_life_years": nil, "convention": nil}), nil)
	f.post(t, land, "acquisition", "2024-02-01", fields{"amount": 1000})
	f.post(t, land, "write_down", "2024-03-01", fields{"amount": 1000})
	f.post(t, land, "betterment", "2025-02-01", fields{"amount": 500})
	f.close(t, 2024)
	f.post(t, land, "betterment", "2025-03-01", fields{"amount": 100})
	f.stands(t, land, 600, 0)
	shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+land+"?as_of=2025-02-15", nil).JSON
	says(t, shown, fields{"cost": 500.0, "state": "in_service"})
}

// What was received, and given back, leaves a draft: it may begin with another life and residual value.
func TestADraftAgainMayBeginOtherwise(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2024)
	class := f.class(t, "half_year", 20, nil)
	bus, other := f.asset(t, class, fields{"residual_value": 5000}), f.asset(t, class, nil)
	f.post(t, bus, "acquisition", "2024-02-01", fields{"amount": 50000})
	given := f.post(t, bus, "transfer", "2024-03-01", fields{"to_capital_asset_id": other, "amount": 20000})["id"].(string)
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+given+"/reverse", fields{"effective_on": "2024-03-01"})
	path := pathOf("capital_assets") + "/" + other
	f.Must(t, http.StatusOK, "PATCH", path, fields{"class_id": f.class(t, "half_year", 30, nil)})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"class_id": class})
	says(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"residual_value": 0, "useful_life_years": 10}).JSON,
		fields{"state": "draft", "residual_value": 0.0, "useful_life_years": 10.0})
	f.post(t, other, "acquisition", "2024-04-01", fields{"amount": 1500})
	f.amortizes(t, 2024, 1125+75)
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"residual_value": 10})
}

func TestWhatIsTransferredGoesOnAsItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	class, other, months := f.class(t, "half_year", 20, nil), f.class(t, "half_year", 30, nil), f.class(t, "month", 20, nil)
	from, to, moved := f.asset(t, class, nil), f.asset(t, class, nil), f.asset(t, class, nil)
	for _, asset := range []string{from, moved} {
		f.post(t, asset, "opening", "2024-01-01",
			fields{"amount": 100000, "accumulated_amortization": 40000, "in_service_on": "2012-05-01", "remaining_units": 12})
	}
	f.conflicts(t, "class_rules", "other rules", transactionsPath, entryOf(moved, "transfer", "2024-02-01", fields{"to_class_id": months}))
	f.post(t, moved, "transfer", "2024-02-01", fields{"to_class_id": other})
	if shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+moved, nil).JSON; shown["class_id"] != other {
		t.Errorf("the class is %v", shown["class_id"])
	}
	half := f.post(t, from, "transfer", "2024-02-01", fields{"to_capital_asset_id": to, "amount": 50000})
	f.stands(t, from, 50000, 20000)
	f.stands(t, to, 50000, 20000)
	f.amortizes(t, 2024, 20000)
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+half["id"].(string)+"/reverse", fields{"effective_on": "2024-02-01"})
	f.stands(t, from, 100000, 40000)
	f.stands(t, to, 0, 0)
	f.amortizes(t, 2024, 20000)
	f.close(t, 2024)
}

// The units of a capital asset are those of its first layer that has some, as they are estimated.
func TestUnitsAreOfWhatIsNotAmortized(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	class := f.class(t, "half_year", 20, nil)
	old, from := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, old, "opening", "2024-01-01", fields{"amount": 1000, "accumulated_amortization": 1000, "in_service_on": "2000-05-01"})
	f.post(t, from, "opening", "2024-01-01", fields{"amount": 50000, "in_service_on": "2020-05-01", "remaining_units": 50})
	f.post(t, from, "transfer", "2024-02-01", fields{"to_capital_asset_id": old})
	has := func(units float64) {
		t.Helper()
		says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+old, nil).JSON, fields{"remaining_units": units})
	}
	has(50)
	f.post(t, old, "estimate", "2024-03-01", fields{"remaining_units": 60})
	has(60)
	f.close(t, 2024)
	has(58)
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+old+"?as_of=2024-12-31", nil).JSON, fields{"remaining_units": 58.0})
	f.open(t, 2025)
	f.close(t, 2025)
	has(56)
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2025/reopen", fields{"reason": "x"})
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "x"})
	has(60)
}

// The residual value of the record is what the ledger does not amortize.
func TestTheResidualValueIsThatOfWhatIsThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	class := f.class(t, "half_year", 10, nil)
	bus, other, spare := f.asset(t, class, fields{"residual_value": 5000}), f.asset(t, class, nil), f.asset(t, class,
		fields{"residual_value": 700})
	has := func(asset string, residual float64) {
		t.Helper()
		says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"residual_value": residual})
	}
	f.post(t, bus, "acquisition", "2024-02-01", fields{"amount": 50000})
	sold := f.post(t, bus, "disposal", "2024-03-01", fields{"share_pct": 50})
	has(bus, 2500)
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+sold["id"].(string)+"/reverse", fields{"effective_on": "2024-03-01"})
	has(bus, 5000)
	f.post(t, bus, "transfer", "2024-04-01", fields{"to_capital_asset_id": other, "amount": 20000})
	has(bus, 3000)
	has(other, 2000)
	f.post(t, spare, "acquisition", "2024-04-01", fields{"amount": 7000})
	f.post(t, other, "transfer", "2024-05-01", fields{"to_capital_asset_id": spare, "amount": 10000})
	has(spare, 1700)
	f.post(t, spare, "estimate", "2024-06-01", fields{"residual_value": 4000}) // of its own 3,000
	has(spare, 4000)
	f.conflicts(t, "residual", "from 1000.00 to 8000.00", transactionsPath,
		entryOf(spare, "estimate", "2024-06-01", fields{"residual_value": 8000.01}))
	f.conflicts(t, "residual", "from 1000.00 to 8000.00", transactionsPath,
		entryOf(spare, "estimate", "2024-06-01", fields{"residual_value": 999.99}))
	f.post(t, bus, "write_down", "2024-07-01", fields{"amount": 29000})
	has(bus, 1000)
	f.close(t, 2024)
	f.open(t, 2025)
	f.post(t, spare, "betterment", "2025-02-01", fields{"amount": 10})
	has(spare, 4000)
	f.post(t, bus, "disposal", "2025-02-01", nil)
	has(bus, 1000)
}

func TestAnEntryWithoutWhichALaterOneIsImpossibleStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	plant := f.asset(t, f.class(t, "month", 20, nil), nil)
	bought := f.post(t, plant, "acquisition", "2025-02-01", fields{"amount": 100000})
	sold := f.post(t, plant, "disposal", "2025-06-01", fields{"cost_removed": 60000})
	path := transactionsPath + "/" + bought["id"].(string) + "/reverse"
	f.conflicts(t, "makes_impossible", sold["number"].(string), path, fields{"effective_on": "2025-07-01"})
	f.conflicts(t, "makes_impossible", sold["number"].(string), transactionsPath,
		entryOf(plant, "disposal", "2025-03-01", fields{"cost_removed": 50000}))
	f.conflicts(t, "amount", "at most 40000.00", transactionsPath, entryOf(plant, "disposal", "2025-07-01", fields{"cost_removed": 40000.01}))
	undone := f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+sold["id"].(string)+"/reverse",
		fields{"effective_on": "2025-07-01"}).JSON
	f.conflicts(t, "already_reversed", undone["number"].(string), transactionsPath+"/"+sold["id"].(string)+"/reverse",
		fields{"effective_on": "2025-07-01"})
	f.Must(t, http.StatusCreated, "POST", path, fields{"effective_on": "2025-07-01"})
	if shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+plant, nil).JSON; shown["state"] != "draft" ||
		shown["cost"] != 0.0 {
		t.Errorf("the capital asset is %v with a cost of %v, once all is reversed", shown["state"], shown["cost"])
	}
	listed, _ := f.List(t, transactionsPath+"?sort=sequence")
	for i, each := range listed {
		if each["sequence"] != float64(i+1) {
			t.Errorf("entry %d has the number %v", i+1, each["number"])
		}
	}
}

func TestWrongEntriesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	class := f.class(t, "half_year", 20, fields{"capitalization_threshold": 5000})
	asset := f.asset(t, class, nil)
	f.conflicts(t, "no_fiscal_year", "open the first", transactionsPath, entryOf(asset, "acquisition", "2025-02-01", fields{"amount": 100000}))
	f.open(t, 2025, 2026)
	f.conflicts(t, "too_many_open", "2025 and 2026 are open", yearsPath, fields{"fiscal_year": 2027})
	f.conflicts(t, "not_the_next", "is 2027", yearsPath, fields{"fiscal_year": 2029})
	for _, c := range []struct {
		field, words string
		body         fields
	}{
		{"effective_on", "must be within a fiscal year", entryOf(asset, "acquisition", "2024-12-31", fields{"amount": 100000})},
		{"effective_on", "must not be after today", entryOf(asset, "acquisition", "2999-12-31", fields{"amount": 100000})},
		{"effective_on", "must be 2025-01-01", entryOf(asset, "opening", "2025-02-01", fields{"amount": 100000, "in_service_on": "2012-05-01"})},
		{"amount", "decimals", entryOf(asset, "acquisition", "2025-02-01", fields{"amount": 100000.001})},
		{"amount", "capitalization threshold", entryOf(asset, "acquisition", "2025-02-01", fields{"amount": 4999.99})},
		{"amount", "is required for the type", entryOf(asset, "acquisition", "2025-02-01", nil)},
		{"amount", "must be above 0", entryOf(asset, "contribution", "2025-02-01", fields{"amount": -1})},
		{"proceeds", "does not go with the type acquisition",
			entryOf(asset, "acquisition", "2025-02-01", fields{"amount": 100000, "proceeds": 1})},
		{"type", "made by the service alone", entryOf(asset, "amortization", "2025-02-01", fields{"amount": 1})},
		{"share_pct", "must be above 0", entryOf(asset, "disposal", "2025-02-01", fields{"share_pct": 0})},
		{"cost_removed", "give one of them", entryOf(asset, "disposal", "2025-02-01", fields{"share_pct": 10, "cost_removed": 5})},
		{"remaining_units", "1 or more", entryOf(asset, "estimate", "2025-02-01", fields{"remaining_units": 0})},
		{"memo", "is required", entryOf(asset, "adjustment", "2025-02-01", fields{"cost_change": 5})},
	} {
		f.refusedField(t, transactionsPath, c.field, c.words, c.body)
	}
	f.conflicts(t, "not_in_service", "is not in service", transactionsPath, entryOf(asset, "disposal", "2025-02-01", nil))
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 9999999999999.99})
	f.conflicts(t, "amount", "at most 9999999999999.99", transactionsPath, entryOf(asset, "betterment", "2025-03-01", fields{"amount": 0.01}))
	f.refusedField(t, transactionsPath, "effective_on", "must not be before 2025-02-01",
		entryOf(asset, "betterment", "2025-01-01", fields{"amount": 0.01}))
	changed := f.Must(t, http.StatusConflict, "PATCH", pathOf("capital_asset_classes")+"/"+class, fields{"convention": "month"})
	if !strings.Contains(string(changed.Body), "its convention stays half_year") {
		t.Errorf("a class that is used: %s", changed.Body)
	}
	f.Must(t, http.StatusConflict, "PATCH", pathOf("capital_assets")+"/"+asset, fields{"useful_life_years": 30})
	f.Must(t, http.StatusConflict, "DELETE", pathOf("capital_assets")+"/"+asset, nil)
	f.conflicts(t, "earlier_year_open", "2025 is open", yearsPath+"/2026/close", fields{})
}

// A field that would change nothing is refused and not ignored.
func TestFieldsThatWouldCountForNothingAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 40, nil)
	land := f.class(t, "half_year", 1, fields{"category": "land", "method": "none", "useful_life_years": nil})
	plant, other, park, field := f.asset(t, class, nil), f.asset(t, class, nil), f.asset(t, land, nil), f.asset(t, land, nil)
	f.post(t, plant, "construction", "2025-02-01", fields{"amount": 800000})
	f.post(t, park, "acquisition", "2025-02-01", fields{"amount": 1000})
	for _, c := range []struct {
		field string
		body  fields
	}{
		{"added_life_years", entryOf(plant, "in_service", "2025-03-01", fields{"amount": 800000, "added_life_years": 10})},
		{"added_life_years",
			entryOf(plant, "in_service", "2025-03-01", fields{"amount": 800000, "added_life_years": 10, "to_capital_asset_id": other})},
		{"added_life_years", entryOf(park, "betterment", "2025-03-01", fields{"amount": 10, "added_life_years": 10})},
		{"accumulated_change", entryOf(park, "adjustment", "2025-03-01", fields{"accumulated_change": 10, "memo": "x"})},
		{"accumulated_amortization",
			entryOf(field, "opening", "2025-01-01", fields{"amount": 10, "accumulated_amortization": 5, "in_service_on": "2001-01-01"})},
		{"remaining_units", entryOf(field, "opening", "2025-01-01", fields{"amount": 10, "remaining_units": 5, "in_service_on": "2001-01-01"})},
	} {
		f.refusedField(t, transactionsPath, c.field, "is not possible", c.body)
	}
	f.post(t, plant, "in_service", "2025-03-01", fields{"amount": 800000, "added_life_years": 0})
	f.post(t, field, "opening", "2025-01-01", fields{"amount": 10, "accumulated_amortization": 0, "in_service_on": "2001-01-01"})
	f.post(t, park, "adjustment", "2025-03-01", fields{"cost_change": 10, "accumulated_change": 0, "memo": "x"})
}

// What is refused is so by a field that the entry gives, with its value.
func TestRefusalsNameAFieldThatIsGiven(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	pool := f.class(t, "half_year", 20, fields{"pooled": true})
	asset, laptops, bus, months := f.asset(t, class, nil), f.asset(t, pool, fields{"quantity": 3}),
		f.asset(t, class, fields{"residual_value": 500}), f.asset(t, f.class(t, "month", 20, nil), nil)
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	f.post(t, laptops, "acquisition", "2025-02-01", fields{"amount": 0.01})
	old := f.asset(t, class, nil)
	f.post(t, old, "opening", "2025-01-01", fields{"amount": 1000, "accumulated_amortization": 1000, "in_service_on": "1999-01-01"})
	ended := f.asset(t, class, fields{"residual_value": 100})
	f.post(t, ended, "opening", "2025-01-01", fields{"amount": 1000, "accumulated_amortization": 900, "in_service_on": "1999-01-01"})
	for _, c := range []struct {
		status      int
		code, field string
		value       any
		body        fields
	}{
		{409, "amount", "accumulated_change", -999999.0,
			entryOf(asset, "adjustment", "2025-03-01", fields{"accumulated_change": -999999, "memo": "x"})},
		{409, "amount", "accumulated_change", -999999.0,
			entryOf(asset, "adjustment", "2025-03-01", fields{"cost_change": 0, "accumulated_change": -999999, "memo": "x"})},
		{409, "amount", "cost_change", -999999.0, entryOf(asset, "adjustment", "2025-03-01", fields{"cost_change": -999999, "memo": "x"})},
		{409, "no_life_left", "accumulated_change", -5.0,
			entryOf(old, "adjustment", "2025-03-01", fields{"accumulated_change": -5, "memo": "x"})},
		{409, "amount", "quantity", 1.0, entryOf(laptops, "disposal", "2025-03-01", fields{"quantity": 1})},
		{409, "amount", "share_pct", 10.0, entryOf(laptops, "disposal", "2025-03-01", fields{"share_pct": 10})},
		{409, "amount", "cost_removed", 5000.0, entryOf(asset, "disposal", "2025-03-01", fields{"cost_removed": 5000})},
		{409, "quantity", "quantity", 4.0, entryOf(laptops, "disposal", "2025-03-01", fields{"quantity": 4})},
		{400, "", "residual_value", nil, entryOf(ended, "estimate", "2025-03-01", fields{"residual_value": 50})},
		{400, "", "useful_life_years", nil, entryOf(old, "estimate", "2025-03-01", fields{"useful_life_years": 1})},
		{400, "", "added_life_years", nil, entryOf(old, "betterment", "2025-03-01", fields{"amount": 50})},
		{409, "residual", "amount", 499.99, entryOf(bus, "acquisition", "2025-03-01", fields{"amount": 499.99})},
		{409, "residual", "residual_value", 1000.01, entryOf(asset, "estimate", "2025-03-01", fields{"residual_value": 1000.01})},
		{409, "class_rules", "to_capital_asset_id", months, entryOf(asset, "transfer", "2025-03-01", fields{"to_capital_asset_id": months})},
		{409, "not_in_service", "type", "disposal", entryOf(bus, "disposal", "2025-03-01", nil)},
	} {
		if c.status == http.StatusBadRequest {
			f.refusedField(t, transactionsPath, c.field, "is not possible", c.body)
			continue
		}
		says(t, f.Must(t, c.status, "POST", transactionsPath, c.body).JSON, fields{"code": c.code, "field": c.field, "value": c.value})
	}
}

// In a bulk call without atomic each entry stands by itself, after those before it.
func TestOfManyEntriesTheImpossibleAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	rows := []any{
		entryOf(asset, "acquisition", "2025-02-01", fields{"amount": 100000}), entryOf(asset,
			"disposal", "2025-03-01", fields{"cost_removed": 60000}), entryOf(asset, "disposal", "2025-04-01", fields{"cost_removed": 60000}),
		entryOf(asset, "disposal", "2025-05-01", fields{"cost_removed": 40000}),
	}
	f.Must(t, http.StatusConflict, "POST", transactionsPath+"/bulk", fields{"data": rows})
	if _, list := f.List(t, transactionsPath); list["total"] != 0.0 {
		t.Fatalf("a refused call has posted %v entries", list["total"])
	}
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": rows})
	if summary := answer.JSON["summary"].(fields); summary["created"] != 3.0 || summary["failed"] != 1.0 {
		t.Errorf("%v", summary)
	}
	f.stands(t, asset, 0, 0)
}

// What a transfer ties together is judged together, in whichever order the call has it; what it does not touch stands.
func TestOfTiedEntriesTheImpossibleAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	first, second, other := f.asset(t, class, nil), f.asset(t, class, nil), f.asset(t, class, nil)
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": []any{
		entryOf(other, "acquisition", "2025-01-15", fields{"amount": 70000}),
		entryOf(first, "acquisition", "2025-02-01", fields{"amount": 100000}),
		entryOf(first, "transfer", "2025-03-01", fields{"to_capital_asset_id": second, "amount": 60000}),
		entryOf(first, "disposal", "2025-02-15", fields{"cost_removed": 50000}), // the transfer would not be possible
		entryOf(second, "disposal", "2025-04-01", fields{"cost_removed": 60001}),
		entryOf(second, "disposal", "2025-04-01", fields{"cost_removed": 20000}),
		entryOf(other, "disposal", "2025-05-01", fields{"cost_removed": 70001}),
	}})
	var refused []any
	for _, row := range answer.JSON["results"].([]any) {
		if row.(fields)["status"] == "failed" {
			refused = append(refused, row.(fields)["index"])
		}
	}
	if fmt.Sprint(refused) != "[3 4 6]" {
		t.Errorf("refused are %v: %s", refused, answer.Body)
	}
	f.stands(t, first, 40000, 0)
	f.stands(t, second, 40000, 0)
	f.stands(t, other, 70000, 0)
}

// Two entries were posted by people who know better than the API: the role of the service cannot.
func TestTheServicesRoleCannotChangeATransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	posted := f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 100000})
	id := posted["id"]
	for _, sql := range []string{
		"UPDATE transaction SET amount = 1 WHERE id = $1", "UPDATE transaction SET memo = 'x' WHERE id = $1",
		"DELETE FROM transaction WHERE id = $1", "SELECT FROM transaction WHERE id = $1 FOR UPDATE", "MERGE INTO transaction t USING " +
			"(SELECT $1::uuid AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE", `INSERT INTO transaction (organization_id, id, position, created_at,
			updated_at, created_by, updated_by, number, capital_asset_id, type, effective_on, fiscal_year)
			SELECT organization_id, id, position, created_at, updated_at, created_by, updated_by, number, capital_asset_id, type, effective_on,
				fiscal_year FROM transaction WHERE id = $1
			ON CONFLICT (organization_id, id) DO UPDATE SET amount = 1`,
		"TRUNCATE transaction CASCADE", "ALTER TABLE transaction DISABLE ROW LEVEL SECURITY", "ALTER TABLE transaction ALTER amount TYPE integer",
		"DROP TABLE transaction CASCADE", "CREATE TRIGGER t BEFORE INSERT ON transaction FOR EACH ROW EXECUTE FUNCTION " +
			"suppress_redundant_updates_trigger()", "CREATE RULE r AS ON INSERT TO transaction DO INSTEAD NOTHING",
	} {
		err := f.as(t, func(tx pgx.Tx) error {
			var args []any
			if strings.Contains(sql, "$1") {
				args = []any{id}
			}
			_, err := tx.Exec(t.Context(), sql, args...)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	var may []string
	if err := f.as(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT array_agg(p ORDER BY p)
			FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p
			WHERE has_table_privilege('transaction', p) OR p NOT IN ('DELETE', 'TRUNCATE', 'TRIGGER')
				AND has_any_column_privilege('transaction', p)`).Scan(&may)
	}); err != nil || !slices.Equal(may, []string{"INSERT", "SELECT"}) {
		t.Errorf("the role may %v, %v", may, err)
	}
	if now := f.Must(t, http.StatusOK, "GET", transactionsPath+"/"+id.(string), nil).JSON; fmt.Sprint(now) != fmt.Sprint(posted) {
		t.Errorf("the entry was %v and is %v", posted, now)
	}
	for _, method := range []string{"PATCH", "DELETE", "PUT"} {
		f.Must(t, http.StatusBadRequest, method, transactionsPath+"/"+id.(string), fields{})
	}
}

// Of several entries in one call some may make others impossible, or depend on one that is refused.
func TestEntriesOfOneCallThatDependOnEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, fields{"capitalization_threshold": 5000})
	one, other := f.asset(t, class, nil), f.asset(t, class, nil)
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": []any{
		entryOf(one, "acquisition", "2025-02-01", fields{"amount": 100000}), entryOf(one, "disposal", "2025-06-01",
			fields{"cost_removed": 60000}), entryOf(one, "disposal", "2025-03-01", fields{"cost_removed": 50000}),
		entryOf(other, "acquisition", "2025-02-01", fields{"amount": 1000}), entryOf(other, "disposal", "2025-03-01", nil),
		entryOf(other, "construction", "2025-03-01", fields{"amount": 5}),
	}})
	results := answer.JSON["results"].([]any)
	for i, want := range []string{"created", "created", "failed", "failed", "failed", "created"} {
		if got := results[i].(fields)["status"]; got != want {
			t.Errorf("entry %d is %v, want %s: %v", i, got, want, results[i])
		}
	}
	if words := results[2].(fields)["error"].(string); !strings.Contains(words, "another transaction of this call of 2025-06-01 impossible") {
		t.Errorf("the third says %q", words)
	}
}

func TestWhatWasTransferredIntoAPoolIsCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 5, fields{"pooled": true})
	from, to := f.asset(t, class, fields{"quantity": 100}), f.asset(t, class, fields{"quantity": 50})
	f.post(t, from, "acquisition", "2025-02-01", fields{"amount": 100000})
	f.post(t, from, "transfer", "2025-03-01", fields{"to_capital_asset_id": to, "amount": 50000})
	first := f.post(t, to, "disposal", "2025-04-01", fields{"quantity": 10})
	f.post(t, to, "disposal", "2025-05-01", fields{"quantity": 10})
	says(t, f.Must(t, http.StatusOK, "GET", transactionsPath+"/"+first["id"].(string), nil).JSON, fields{"cost_change": -10000.0})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+to, nil).JSON, fields{"quantity": 30.0, "cost": 30000.0})
	f.post(t, to, "disposal", "2025-06-01", fields{"quantity": 30})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+to, nil).JSON,
		fields{"quantity": 0.0, "cost": 0.0, "state": "disposed"})
}

// What is reversed leaves the accounts that it was posted to, also where the capital asset is in another class by then.
func TestTheJournalReversesWhereItHasPosted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2024)
	a, b := f.class(t, "half_year", 20, fields{"accounts": fields{"asset": "A"}}), f.class(t, "half_year", 20,
		fields{"accounts": fields{"asset": "B"}})
	asset := f.asset(t, a, nil)
	f.post(t, asset, "acquisition", "2024-02-01", fields{"amount": 1000})
	better := f.post(t, asset, "betterment", "2024-03-01", fields{"amount": 100})
	f.post(t, asset, "transfer", "2024-06-01", fields{"to_class_id": b})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+better["id"].(string)+"/reverse", fields{"effective_on": "2024-07-01"})
	accounts := map[any]float64{}
	for _, each := range f.Must(t, http.StatusOK, "GET", "/v1/accounting/journal?fiscal_year=2024", nil).JSON["data"].([]any) {
		line := each.(fields)
		accounts[line["account"]] += line["debit"].(float64) - line["credit"].(float64)
	}
	if accounts["A"] != 0 || accounts["B"] != 1000 {
		t.Errorf("the accounts have %v", accounts)
	}
}

// With all of its entries reversed a capital asset is a draft, also in the years after.
func TestADraftStaysOneAfterItsYearIsClosed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	class := f.class(t, "half_year", 20, nil)
	mistake, building := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, building, "construction", "2023-03-01", fields{"amount": 1000})
	f.post(t, building, "construction", "2023-03-02", fields{"amount": -1000})
	for year := 2023; year <= 2024; year++ {
		for _, asset := range []string{mistake, building} {
			posted := f.post(t, asset, "acquisition", fmt.Sprintf("%d-02-01", year), fields{"amount": 1000})
			f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+posted["id"].(string)+"/reverse",
				fields{"effective_on": fmt.Sprintf("%d-02-01", year)})
		}
		for asset, state := range map[string]string{mistake: "draft", building: "in_progress"} {
			says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"state": state})
		}
		if year == 2023 {
			f.close(t, year)
			f.open(t, year+1)
		}
	}
}

// A capital asset goes from class to class as its entries say, in their order.
func TestClassesFollowFromTransfers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	a, b, c := f.class(t, "half_year", 20, nil), f.class(t, "half_year", 20, nil), f.class(t, "half_year", 20, nil)
	asset := f.asset(t, a, nil)
	f.post(t, asset, "acquisition", "2024-02-01", fields{"amount": 100000})
	f.close(t, 2024)
	f.open(t, 2025)
	toC := f.post(t, asset, "transfer", "2025-06-01", fields{"to_class_id": c})
	f.conflicts(t, "makes_impossible", toC["number"].(string), transactionsPath,
		entryOf(asset, "transfer", "2025-03-01", fields{"to_class_id": b}))
	toB := f.post(t, asset, "transfer", "2025-07-01", fields{"to_class_id": b})
	says(t, toB, fields{"from_class_id": c})
	reverse := func(transaction fields) string {
		return transactionsPath + "/" + transaction["id"].(string) + "/reverse"
	}
	f.conflicts(t, "makes_impossible", toB["number"].(string), reverse(toC), fields{"effective_on": "2025-06-01"})
	f.Must(t, http.StatusCreated, "POST", reverse(toB), fields{"effective_on": "2025-07-01"})
	f.Must(t, http.StatusCreated, "POST", reverse(toC), fields{"effective_on": "2025-07-01"})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"class_id": a})
	rows := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2025", nil).JSON["data"].([]any)
	if len(rows) != 1 || rows[0].(fields)["id"] != a {
		t.Errorf("the schedule has %v", rows)
	}
}

// A class that has no capital assets any more stays as it was while it had: what is closed is reported by it.
func TestAClassThatHadCapitalAssetsStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	former, class := f.class(t, "half_year", 20, nil), f.class(t, "half_year", 20, nil)
	asset := f.asset(t, former, nil)
	f.post(t, asset, "acquisition", "2024-02-01", fields{"amount": 100000})
	f.close(t, 2024)
	f.open(t, 2025)
	f.post(t, asset, "transfer", "2025-06-01", fields{"to_class_id": class})
	path := pathOf("capital_asset_classes") + "/"
	says(t, f.Must(t, http.StatusConflict, "DELETE", path+former, nil).JSON, fields{"code": "in_use"})
	for field, value := range map[string]any{"category": "roads", "convention": "month", "pooled": true} {
		says(t, f.Must(t, http.StatusConflict, "PATCH", path+former, fields{field: value}).JSON, fields{"code": "in_use", "field": field})
	}
	// What went there was taken back: its entries name the class all the same.
	back := f.class(t, "half_year", 20, nil)
	entry := f.post(t, asset, "transfer", "2025-07-01", fields{"to_class_id": back})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+entry["id"].(string)+"/reverse", fields{"effective_on": "2025-07-01"})
	f.Must(t, http.StatusConflict, "DELETE", path+back, nil)
	says(t, f.Must(t, http.StatusConflict, "PATCH", path+back, fields{"convention": "month"}).JSON, fields{"code": "in_use"})
	if rows := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2024", nil).JSON["data"].([]any); len(rows) != 1 ||
		rows[0].(fields)["id"] != former {
		t.Errorf("the schedule has %v", rows)
	}
	f.post(t, asset, "betterment", "2025-08-01", fields{"amount": 500})
	unused := f.class(t, "half_year", 20, nil)
	f.Must(t, http.StatusOK, "PATCH", path+unused, fields{"convention": "month"})
	f.Must(t, http.StatusNoContent, "DELETE", path+unused, nil)
}

// Who finds more capital assets tied to what it has locked gives that back, and locks all in their order: nobody waits in a circle.
func TestPostingsBesideATransferDoNotWaitInACircle(t *testing.T) {
	f := newFixtureAlone(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	first, second := f.asset(t, class, nil), f.asset(t, class, nil)
	if first > second {
		first, second = second, first
	}
	for _, asset := range []string{first, second} {
		f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	}
	lock := func(tx pgx.Tx, asset string) error {
		_, err := tx.Exec(t.Context(), "SELECT FROM capital_asset WHERE id = $1 FOR NO KEY UPDATE", asset)
		return err
	}
	awaited := func(tx pgx.Tx) {
		testwait.For(t, time.Minute, "the posting to wait", func() (waits bool) {
			if err := tx.QueryRow(t.Context(),
				"SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid)").Scan(&waits); err != nil {
				t.Fatal(err)
			}
			return waits
		})
	}
	var group sync.WaitGroup
	var posted resourcetest.Response
	if err := f.as(t, func(other pgx.Tx) error {
		if err := lock(other, first); err != nil {
			return err
		}
		if err := f.as(t, func(transfer pgx.Tx) error {
			if err := lock(transfer, second); err != nil {
				return err
			}
			group.Go(func() {
				posted = f.Do(t, "POST", transactionsPath, entryOf(second, "betterment", "2025-03-01", fields{"amount": 10}))
			})
			awaited(transfer)
			_, err := transfer.Exec(t.Context(), `INSERT INTO transaction (organization_id, id, position, created_at, updated_at, created_by,
				updated_by, number, capital_asset_id, to_capital_asset_id, type, effective_on, fiscal_year, amount, cost_change, accumulated_change)
				SELECT organization_id, gen_random_uuid(), position + 1000, created_at, updated_at, created_by, updated_by, 'T-9000000', $1, $2,
					'transfer', '2025-02-15', 2025, 100, -100, 0 FROM transaction WHERE capital_asset_id = $1`, first, second)
			return err
		}); err != nil {
			return err
		}
		awaited(other)
		return lock(other, second)
	}); err != nil {
		t.Error(err)
	}
	group.Wait()
	if posted.Status != http.StatusCreated {
		t.Errorf("%d %s", posted.Status, posted.Body)
	}
	f.stands(t, first, 900, 0)
	f.stands(t, second, 1110, 0)
}

// What is posted to the next year while a year is being closed neither waits for it nor takes anything from it.
func TestPostingToTheNextYearWhileOneIsClosed(t *testing.T) {
	f := newFixtureAlone(t)
	f.open(t, 2024, 2025)
	asset := f.asset(t, f.class(t, "half_year", 25, nil), nil)
	f.post(t, asset, "acquisition", "2024-04-01", fields{"amount": 120000})
	f.Must(t, http.StatusCreated, "POST", yearsPath+"/2024/close", fields{})
	f.post(t, asset, "betterment", "2025-04-01", fields{"amount": 48000})
	f.work(t)
	f.awaitClose(t, 2024)
	figures := f.Must(t, http.StatusOK, "GET", yearsPath+"/2024/close", nil).JSON["figures"].(fields)
	says(t, figures, fields{"amortization": 2400.0, "cost_closing": 120000.0})
	f.amortizes(t, 2025, 4800+1000)
	f.close(t, 2025)
}

func TestAYearBeginsWhereTheLastEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Principal.FiscalYearEnd = 8
	opened := f.Create(t, yearsPath, fields{"fiscal_year": 2024})
	says(t, opened, fields{"fiscal_year_label": "2024-25", "period_start": "2024-09-01", "period_end": "2025-08-31", "state": "open"})
	f.Principal.FiscalYearEnd = 12
	f.conflicts(t, "not_contiguous", "set it back to 8", yearsPath, fields{"fiscal_year": 2025})
	f.Principal.FiscalYearEnd = 8
	f.open(t, 2025)
	f.Principal.FiscalYearEnd = 3
	other := f.Other()
	says(t, other.Create(t, yearsPath, fields{"fiscal_year": 2030}), fields{"fiscal_year_label": "2030-31", "period_start": "2030-04-01"})
	if answer := other.Must(t, http.StatusConflict, "POST", yearsPath+"/2030/close", fields{}); answer.JSON["code"] != "not_over" {
		t.Errorf("a year that has not begun: %s", answer.Body)
	}
}

// A number that an entry took which was not written in the end is the next one's, and nothing of that entry is kept.
func TestNumbersHaveNoGapWhereEntriesAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	one, other := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, one, "acquisition", "2025-02-01", fields{"amount": 100, "external_id": "taken"})
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": []any{
		entryOf(one, "betterment", "2025-03-01", fields{"amount": 10}),
		entryOf(other, "acquisition", "2025-03-01", fields{"amount": 10, "external_id": "taken"}),
		entryOf(one, "betterment", "2025-04-01", fields{"amount": 20}),
	}})
	if summary := answer.JSON["summary"].(fields); summary["created"] != 2.0 || summary["failed"] != 1.0 {
		t.Fatalf("%s", answer.Body)
	}
	f.Must(t, http.StatusConflict, "POST", transactionsPath,
		entryOf(other, "acquisition", "2025-03-01", fields{"amount": 10, "external_id": "taken"}))
	f.post(t, one, "betterment", "2025-05-01", fields{"amount": 30})
	listed, _ := f.List(t, transactionsPath+"?sort=sequence")
	for i, each := range listed {
		if each["sequence"] != float64(i+1) {
			t.Errorf("entry %d has the number %v", i+1, each["number"])
		}
	}
	f.stands(t, one, 160, 0)
	f.stands(t, other, 0, 0)
	if err := f.as(t, func(tx pgx.Tx) error {
		var orphans int
		err := tx.QueryRow(t.Context(),
			"SELECT count(*) FROM transaction_effect e WHERE NOT EXISTS (SELECT FROM transaction x WHERE x.id = e.transaction_id)").Scan(&orphans)
		if orphans != 0 {
			t.Errorf("%d effects are of entries that were not written", orphans)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsAnothersIsNotTransferredTo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := *f
	other.Client = f.Other()
	other.open(t, 2025)
	class := other.class(t, "half_year", 20, nil)
	asset := other.asset(t, class, nil)
	f.open(t, 2025)
	mine := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, mine, "acquisition", "2025-02-01", fields{"amount": 100})
	f.refusedField(t, transactionsPath, "to_capital_asset_id", "",
		entryOf(mine, "transfer", "2025-03-01", fields{"to_capital_asset_id": asset}))
	f.refusedField(t, transactionsPath, "to_class_id", "", entryOf(mine, "transfer", "2025-03-01", fields{"to_class_id": class}))
	f.refusedField(t, transactionsPath, "capital_asset_id", "", entryOf(asset, "acquisition", "2025-03-01", fields{"amount": 5}))
	entry := f.post(t, mine, "betterment", "2025-03-01", fields{"amount": 5})
	other.Must(t, http.StatusNotFound, "POST", transactionsPath+"/"+entry["id"].(string)+"/reverse", fields{"effective_on": "2025-03-01"})
}

// A fiscal year is named by its number wherever a path names one.
func TestAFiscalYearIsNamedByItsNumber(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2024, 2025)
	year := f.Must(t, http.StatusOK, "GET", yearsPath+"/2024", nil)
	says(t, year.JSON, fields{"fiscal_year": 2024.0})
	says(t, f.Must(t, http.StatusOK, "GET", yearsPath+"/"+year.JSON["id"].(string), nil).JSON, fields{"id": year.JSON["id"],
		"fiscal_year": 2024.0})
	says(t, f.Must(t, http.StatusOK, "PATCH", yearsPath+"/2024", fields{"notes": "Vérifié"}).JSON, fields{"notes": "Vérifié",
		"id": year.JSON["id"]})
	if changes := f.Must(t, http.StatusOK, "GET", yearsPath+"/2024/history", nil).JSON["data"].([]any); len(changes) != 2 {
		t.Errorf("the history has %v", changes)
	}
	f.Must(t, http.StatusNotFound, "GET", yearsPath+"/2030", nil)
	f.Must(t, http.StatusBadRequest, "GET", yearsPath+"/twenty", nil)
	f.Must(t, http.StatusNotFound, "GET", yearsPath+"/2024/close", nil)
	f.Other().Must(t, http.StatusNotFound, "GET", yearsPath+"/2024", nil)
	f.Must(t, http.StatusNoContent, "DELETE", yearsPath+"/2025", nil)
	f.Must(t, http.StatusNotFound, "GET", yearsPath+"/2025", nil)
}
