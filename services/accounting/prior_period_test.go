package accounting

import (
	"fmt"
	"math"
	"net/http"
	"testing"
)

// wrongDisposal is a capital asset of 100,000 over 10 years, bought in 2022 and disposed of in 2023 for 40,000, with 2022 to 2024 closed.
func (f *fixture) wrongDisposal(t testing.TB, class string) (asset string, disposal fields) {
	t.Helper()
	f.open(t, 2022, 2023)
	asset = f.asset(t, class, nil)
	f.post(t, asset, "acquisition", "2022-03-01", fields{"amount": 100_000})
	f.close(t, 2022)
	disposal = f.post(t, asset, "disposal", "2023-05-01", fields{"proceeds": 40_000})
	f.open(t, 2024)
	f.close(t, 2023, 2024)
	f.open(t, 2025)
	return asset, disposal
}

// A disposal of a closed year that was wrong is taken back in the open one: cost, amortization and gain, as corrections of former years.
func TestADisposalOfAClosedYearIsTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	asset, disposal := f.wrongDisposal(t, f.class(t, "half_year", 10, fields{"accounts": fields{"prior_period": "3-3900"}}))
	f.conflicts(t, "year_not_open", "by an adjustment", transactionsPath+"/"+disposal["id"].(string)+"/reverse",
		fields{"effective_on": "2023-05-01"})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"state": "disposed", "gain_loss": -50_000.0})
	body := entryOf(asset, "reinstatement", "2025-02-01", fields{"reinstates": disposal["id"], "memo": "Vendu par erreur: c'était le voisin"})
	back := f.Create(t, transactionsPath, body)
	says(t, back, fields{"cost_change": 100_000.0, "accumulated_change": 25_000.0, "gain_loss": 50_000.0, "proceeds": 40_000.0, "layer": nil})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON,
		fields{"state": "in_service", "cost": 100_000.0, "accumulated_amortization": 25_000.0, "gain_loss": 0.0, "remaining_units": 15.0,
			"in_service_on": "2022-03-01"})
	for account, want := range map[string]float64{"asset": 100_000, "accumulated_amortization": -25_000, "clearing": -40_000,
		"3-3900": -35_000} {
		if got := f.lineOf(t, 2025, back["number"], account); got != want {
			t.Errorf("%s moves by %v, want %v", account, got, want)
		}
	}
	check := func() {
		t.Helper()
		row := f.Must(t, http.StatusOK, "GET", schedulePathOf(2025), nil).JSON["total"].(fields)
		says(t, row, fields{"proceeds": 0.0, "gain_loss": 0.0, "gain_loss_adjustments": 50_000.0})
		says(t, row["cost"].(fields), fields{"opening": 0.0, "additions": 0.0, "disposals": 0.0, "adjustments": 100_000.0, "closing": 100_000.0})
		says(t, row["accumulated_amortization"].(fields), fields{"opening": 0.0, "adjustments": 25_000.0, "amortization": 10_000.0,
			"closing": 35_000.0})
	}
	check()
	f.conflicts(t, "already_reinstated", "is reinstated already", transactionsPath, body)
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "Essai"})
	f.close(t, 2024)
	check()

	// It is reversed like any other, and posted again.
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", back["id"], "/reverse"), fields{"effective_on": "2025-03-01"})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"state": "disposed", "cost": 0.0,
		"gain_loss": -50_000.0})
	f.Create(t, transactionsPath, body)
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset+"?as_of=2025-12-31", nil).JSON,
		fields{"accumulated_amortization": 35_000.0, "gain_loss": 0.0})
	f.open(t, 2026)
	f.close(t, 2025)
	f.balancedLines(t, 2025)
}

func TestADisposalThatIsReinstatedIsNotReversed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023, 2024)
	asset := f.asset(t, f.class(t, "half_year", 10, nil), nil)
	f.post(t, asset, "acquisition", "2023-01-01", fields{"amount": 1_000})
	disposal := f.post(t, asset, "disposal", "2023-05-01", nil)["id"].(string)
	f.close(t, 2023)
	back := f.post(t, asset, "reinstatement", "2024-01-01", fields{"reinstates": disposal, "memo": "Erreur"})["id"].(string)
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2023/reopen", fields{"reason": "Essai"})
	f.conflicts(t, "already_reinstated", "reverse that first", transactionsPath+"/"+disposal+"/reverse", fields{"effective_on": "2023-06-01"})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+back+"/reverse", fields{"effective_on": "2024-01-01"})
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+disposal+"/reverse", fields{"effective_on": "2023-06-01"})
	f.stands(t, asset, 1_000, 50)
}

// A pool that would have left by itself, amortized, does not come back.
func TestAPoolThatHasLeftIsNotReinstated(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023, 2024)
	pool := f.asset(t, f.class(t, "full_year", 1, fields{"pooled": true, "remove_when_amortized": true}), fields{"quantity": 10})
	f.post(t, pool, "acquisition", "2023-01-01", fields{"amount": 1_000})
	disposal := f.post(t, pool, "disposal", "2023-05-01", fields{"quantity": 4})["id"]
	f.close(t, 2023)
	f.conflicts(t, "later_transaction", "there is nothing to reinstate", transactionsPath,
		entryOf(pool, "reinstatement", "2024-02-01", fields{"reinstates": disposal, "memo": "Erreur"}))
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+pool, nil).JSON, fields{"state": "disposed"})
}

func TestWhatCannotBeReinstated(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	asset, disposal := f.wrongDisposal(t, f.class(t, "half_year", 10, nil))
	other := f.asset(t, f.class(t, "half_year", 10, nil), nil)
	of := func(asset, on string, more fields) fields {
		body := entryOf(asset, "reinstatement", on, fields{"reinstates": disposal["id"], "memo": "Erreur"})
		for key, value := range more {
			body[key] = value
		}
		return body
	}
	f.refusedField(t, transactionsPath, "memo", "is required", of(asset, "2025-02-01", fields{"memo": nil}))
	f.refusedField(t, transactionsPath, "reinstates", "is required", of(asset, "2025-02-01", fields{"reinstates": nil}))
	f.refusedField(t, transactionsPath, "reinstates", "there is no record", of(asset, "2025-02-01", fields{"reinstates": assetOfOthers}))
	f.refusedField(t, transactionsPath, "reinstates", "must be a disposal of the capital asset", of(other, "2025-02-01", nil))
	f.open(t, 2026)
	f.conflicts(t, "earlier_year_open", "post the reinstatement to that one, or close it first", transactionsPath, of(asset, "2026-02-01",
		nil))
	late := f.post(t, other, "acquisition", "2025-01-01", fields{"amount": 10})
	f.refusedField(t, transactionsPath, "reinstates", "must be a disposal", of(other, "2025-02-01", fields{"reinstates": late["id"]}))
	sold := f.post(t, other, "disposal", "2025-02-01", nil)
	f.conflicts(t, "year_open", "reverse the transaction", transactionsPath, of(other, "2025-02-01", fields{"reinstates": sold["id"]}))
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", sold["id"], "/reverse"), fields{"effective_on": "2025-02-01"})
	f.conflicts(t, "already_reversed", "is reversed", transactionsPath, of(other, "2025-02-01", fields{"reinstates": sold["id"]}))

	f.close(t, 2025)
	back := f.Create(t, transactionsPath, of(asset, "2026-02-01", nil)) // it was closed first
	says(t, back, fields{"accumulated_change": 35_000.0})
	f.conflicts(t, "year_not_open", "is closed", transactionsPath+"/"+disposal["id"].(string)+"/reverse", fields{"effective_on": "2023-05-01"})
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", back["id"], "/reverse"), fields{"effective_on": "2026-02-01"})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"state": "disposed"})
	f.balancedLines(t, 2026)
}

// What is reinstated is as what was never disposed of: by all conventions, of all, of a share and of some of a pool, with betterments and
// estimates.
func TestWhatIsReinstatedIsAsIfItHadNeverBeenDisposedOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2022, 2023)
	type pair struct {
		name        string
		asset, twin string
		disposal    any
		whole       bool
	}
	var pairs []*pair
	for _, convention := range []string{"half_year", "full_year", "following_year", "month", "month_inclusive", "day", "day_365"} {
		class := f.class(t, convention, 10, fields{"pooled": true})
		for name, how := range map[string]fields{"all": {}, "share": {"share_pct": 25}, "some": {"quantity": 3}} {
			p := &pair{name: convention + " " + name, whole: name == "all"}
			for _, asset := range []*string{&p.asset, &p.twin} {
				*asset = f.asset(t, class, fields{"quantity": 12, "residual_value": 1_000})
				f.post(t, *asset, "acquisition", "2022-03-11", fields{"amount": 100_000.01})
				f.post(t, *asset, "betterment", "2022-09-09", fields{"amount": 7_777.77, "added_life_years": 1})
			}
			how["proceeds"] = 500
			p.disposal = f.post(t, p.asset, "disposal", "2023-05-17", how)["id"]
			pairs = append(pairs, p)
		}
	}
	f.close(t, 2022)
	f.open(t, 2024)
	f.close(t, 2023, 2024)
	f.open(t, 2025)
	for _, p := range pairs {
		if !p.whole {
			f.post(t, p.asset, "estimate", "2025-03-10", fields{"useful_life_years": 20})
			f.post(t, p.twin, "estimate", "2025-03-10", fields{"useful_life_years": 20})
		}
		f.post(t, p.asset, "reinstatement", "2025-06-15", fields{"reinstates": p.disposal, "memo": "Erreur"})
	}
	f.close(t, 2025)
	for _, p := range pairs {
		var amortized []float64
		shown := func(id string) string {
			r := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+id, nil).JSON
			amortized = append(amortized, r["accumulated_amortization"].(float64))
			return fmt.Sprint(r["state"], r["cost"], r["remaining_units"], r["residual_value"], r["quantity"], r["gain_loss"],
				r["useful_life_years"], r["in_service_on"])
		}
		// what comes back is charged, and rounded, by itself
		if is, want := shown(p.asset), shown(p.twin); is != want || math.Abs(amortized[0]-amortized[1]) > 0.03 {
			t.Errorf("%s: %s amortized by %.2f, and its twin %s by %.2f", p.name, is, amortized[0], want, amortized[1])
		}
	}
	f.balancedLines(t, 2025)
}

// W1, found ten years later: what former years should have charged is a correction, and so is its cost.
func TestWhatIsFoundIsCaughtUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 25, nil)
	f.close(t, 2024)
	asset := f.asset(t, class, nil)
	found := func(more fields) fields {
		body := fields{"amount": 120_000, "in_service_on": "2015-04-03", "memo": "Trouvé à l'inventaire"}
		for key, value := range more {
			body[key] = value
		}
		return entryOf(asset, "acquisition", "2025-06-01", body)
	}
	f.refusedField(t, transactionsPath, "memo", "is required of what was found", found(fields{"memo": nil}))
	f.refusedField(t, transactionsPath, "in_service_on", "before 2025-01-01", found(fields{"in_service_on": "2025-01-01"}))
	f.refusedField(t, transactionsPath, "in_service_on", "does not go with", entryOf(asset, "contribution", "2025-06-01", fields{"amount": 5,
		"in_service_on": "2015-04-03"}))
	e := f.Create(t, transactionsPath, found(nil))
	says(t, e, fields{"cost_change": 120_000.0, "accumulated_change": 45_600.0, "in_service_on": "2015-04-03"})
	for account, want := range map[string]float64{"asset": 120_000, "accumulated_amortization": -45_600, "prior_period": -74_400,
		"clearing": 0} {
		if got := f.lineOf(t, 2025, e["number"], account); got != want {
			t.Errorf("%s moves by %v, want %v", account, got, want)
		}
	}
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"in_service_on": "2015-04-03",
		"remaining_units": 31.0, "net_book_value": 74_400.0})
	row := f.Must(t, http.StatusOK, "GET", schedulePathOf(2025), nil).JSON["total"].(fields)
	says(t, row["cost"].(fields), fields{"opening": 0.0, "additions": 0.0, "adjustments": 120_000.0, "closing": 120_000.0})
	says(t, row["accumulated_amortization"].(fields), fields{"adjustments": 45_600.0, "amortization": 4_800.0, "closing": 50_400.0})
	f.close(t, 2025)
	f.stands(t, asset, 120_000, 50_400)

	// What is amortized since long, and land.
	f.open(t, 2026)
	old, land := f.asset(t, class, nil), f.asset(t, f.Create(t, pathOf("capital_asset_classes"), fields{"name": "Terrains",
		"category": "land", "method": "none"})["id"].(string), nil)
	for id, accumulated := range map[string]float64{old: 500, land: 0} {
		f.post(t, id, "acquisition", "2026-01-01", fields{"amount": 500, "in_service_on": "1960-05-05", "memo": "Trouvé"})
		f.stands(t, id, 500, accumulated)
	}
	f.balancedLines(t, 2026)
}
