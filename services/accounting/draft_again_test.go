package accounting

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
)

// draftAgain is a capital asset all of whose entries are reversed: it was bought, and went to another class.
func (f *fixture) draftAgain(t testing.TB, from, to string) string {
	t.Helper()
	asset := f.asset(t, from, fields{"number": "M-" + uuid.NewString()})
	var ids []any
	for _, e := range []fields{
		f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1_000}),
		f.post(t, asset, "transfer", "2025-03-01", fields{"to_class_id": to}),
	} {
		ids = append(ids, e["id"])
	}
	for i := range ids {
		f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", ids[len(ids)-1-i], "/reverse"),
			fields{"effective_on": "2025-04-01"})
	}
	return asset
}

// A capital asset all of whose entries are reversed is a draft in every respect: another class is free, and what is posted then is of
// that one.
func TestADraftAgainGoesToAnotherClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2025)
	accounts := func(asset string) fields { return fields{"accounts": fields{"asset": asset}} }
	wrong, passing, right := f.class(t, "half_year", 20, accounts("1-1500")), f.class(t, "half_year", 20, accounts("1-1505")), f.class(t,
		"month", 10, accounts("1-1600"))
	asset := f.draftAgain(t, wrong, passing)
	path := pathOf("capital_assets") + "/" + asset
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "draft", "class_id": wrong})
	f.close(t, 2025) // also once the year is closed in which it was one
	f.open(t, 2026)
	says(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"class_id": right, "residual_value": 100}).JSON, fields{"class_id": right,
		"useful_life_years": 10.0, "state": "draft"})
	bought := f.post(t, asset, "acquisition", "2026-01-01", fields{"amount": 1_300})
	f.amortizes(t, 2026, 120)
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_service", "class_id": right, "cost": 1_300.0})

	// The journal names the accounts of the class that it was in.
	was := map[any]bool{}
	for _, line := range f.balancedLines(t, 2025) {
		was[line["account"]] = true
	}
	if !was["1-1500"] || was["1-1600"] {
		t.Errorf("the journal of 2025 has %v", was)
	}
	if debit := f.lineOf(t, 2026, bought["number"], "1-1600"); debit != 1_300 {
		t.Errorf("the journal of 2026 has %v", debit)
	}
	says(t, f.Must(t, http.StatusConflict, "DELETE", pathOf("capital_asset_classes")+"/"+wrong, nil).JSON, fields{"code": "in_use"})
}

// It can be deleted, and what was posted stays.
func TestADraftAgainIsDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2025)
	class, other := f.class(t, "half_year", 20, nil), f.class(t, "half_year", 20, nil)
	present := f.asset(t, class, nil)
	f.post(t, present, "acquisition", "2025-01-01", fields{"amount": 500})
	open := f.draftAgain(t, class, other)
	given := f.post(t, present, "transfer", "2025-05-01", fields{"to_capital_asset_id": open})
	says(t, f.Must(t, http.StatusConflict, "DELETE", pathOf("capital_assets")+"/"+open, nil).JSON, fields{"code": "in_use"})
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", given["id"], "/reverse"), fields{"effective_on": "2025-06-01"})
	journal := f.Must(t, http.StatusOK, "GET", "/v1/accounting/journal?fiscal_year=2025", nil).JSON["data"]
	f.Must(t, http.StatusNoContent, "DELETE", pathOf("capital_assets")+"/"+open, nil)
	if after := f.Must(t, http.StatusOK, "GET", "/v1/accounting/journal?fiscal_year=2025",
		nil).JSON["data"]; fmt.Sprint(after) != fmt.Sprint(journal) {
		t.Errorf("the journal was\n%v\nand is\n%v", journal, after)
	}
	f.post(t, present, "betterment", "2025-07-01", fields{"amount": 100}) // what was tied to it goes on
	f.refusedField(t, transactionsPath, "capital_asset_id", "there is no record", entryOf(open, "acquisition", "2025-02-01",
		fields{"amount": 5}))
	f.refusedField(t, transactionsPath, "to_capital_asset_id", "there is no record", entryOf(present, "transfer", "2025-08-01",
		fields{"to_capital_asset_id": open}))

	closed := f.draftAgain(t, class, other)
	f.close(t, 2025)
	schedule := func() string {
		return string(f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule/capital-assets?fiscal_year=2025", nil, "Accept", "text/csv").Body)
	}
	before := schedule()
	f.Must(t, http.StatusNoContent, "DELETE", pathOf("capital_assets")+"/"+closed, nil)
	if after := schedule(); after != before {
		t.Errorf("the schedule was\n%s\nand is\n%s", before, after)
	}
	f.open(t, 2026)
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2025/reopen", fields{"reason": "Essai"})
	f.close(t, 2025)
	f.balancedLines(t, 2025)
}
