package accounting

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What is not built after all is an expense: the write-down takes its work in progress out, and the capital asset has left the ledger.
func TestWhatIsNotBuiltAfterAllIsWrittenDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 20, fields{"accounts": fields{"write_down": "5-6100", "work_in_progress": "1-1599"}})
	asset := f.asset(t, class, nil)
	path := pathOf("capital_assets") + "/" + asset
	f.post(t, asset, "construction", "2024-03-01", fields{"amount": 300_000})
	f.close(t, 2024)
	refused := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON["error"].(string)
	if !strings.Contains(refused, "A write_down of its work in progress takes it out of the ledger") {
		t.Error(refused)
	}
	f.conflicts(t, "not_in_service", "a write_down takes out its work in progress of 300000.00", transactionsPath, entryOf(asset, "disposal",
		"2025-02-01", nil))
	f.conflicts(t, "amount", "at most 300000.00, the work in progress", transactionsPath, entryOf(asset, "write_down", "2025-02-01",
		fields{"amount": 300_000.01}))
	part := f.post(t, asset, "write_down", "2025-02-01", fields{"amount": 100_000})
	says(t, part, fields{"of_work_in_progress": true, "cost_change": 0.0, "accumulated_change": 0.0})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_progress", "work_in_progress": 200_000.0})
	rest := f.post(t, asset, "write_down", "2025-03-01", fields{"amount": 200_000})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "disposed", "work_in_progress": 0.0, "in_service_on": nil,
		"gain_loss": 0.0})
	if expense, work := f.lineOf(t, 2025, part["number"], "5-6100"), f.lineOf(t, 2025, part["number"],
		"1-1599"); expense != 100_000 || work != -100_000 {
		t.Errorf("the expense is %v, the work in progress less by %v", expense, work)
	}
	f.conflicts(t, "disposed", "", transactionsPath, entryOf(asset, "construction", "2025-04-01", fields{"amount": 5}))
	refused = f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON["error"].(string)
	if !strings.Contains(refused, "It is out of the ledger") {
		t.Error(refused)
	}
	f.Must(t, http.StatusCreated, "POST", fmt.Sprint(transactionsPath, "/", rest["id"], "/reverse"), fields{"effective_on": "2025-03-01"})
	says(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"state": "in_progress", "work_in_progress": 200_000.0})
	f.post(t, asset, "write_down", "2025-03-01", fields{"amount": 200_000})
	f.close(t, 2025)
	says(t, f.Must(t, http.StatusOK, "GET", schedulePathOf(2025), nil).JSON["total"].(fields)["work_in_progress"].(fields),
		fields{"opening": 300_000.0, "additions": 0.0, "to_service": 0.0, "write_downs": -300_000.0, "closing": 0.0})
	f.open(t, 2026)
	says(t, f.Must(t, http.StatusOK, "GET", schedulePathOf(2026), nil).JSON["total"].(fields)["work_in_progress"].(fields),
		fields{"opening": 0.0, "closing": 0.0})
	f.balanced(t, 2024, 2025)
}

func schedulePathOf(year int) string { return fmt.Sprint("/v1/accounting/schedule?fiscal_year=", year) }

// A renovation that is given up is written down from the work in progress of what is in service; its cost stays.
func TestARenovationIsGivenUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2025-01-01", fields{"amount": 100_000})
	f.post(t, asset, "construction", "2025-02-01", fields{"amount": 5_000})
	says(t, f.post(t, asset, "write_down", "2025-03-01", fields{"amount": 1_000}), fields{"of_work_in_progress": false,
		"cost_change": -1_000.0})
	f.conflicts(t, "amount", "the work in progress", transactionsPath, entryOf(asset, "write_down", "2025-03-01", fields{"amount": 6_000,
		"of_work_in_progress": true}))
	f.post(t, asset, "write_down", "2025-03-01", fields{"amount": 5_000, "of_work_in_progress": true})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON, fields{"state": "in_service", "cost": 99_000.0,
		"work_in_progress": 0.0})
	f.refusedField(t, transactionsPath, "of_work_in_progress", "does not go with", entryOf(asset, "betterment", "2025-03-01",
		fields{"amount": 5, "of_work_in_progress": true}))
	f.balanced(t, 2025)
}

// What was built for another capital asset has nothing left: it is in progress until it is disposed of.
func TestWhatWasBuiltForAnotherIsDisposedOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	works, building := f.asset(t, class, nil), f.asset(t, class, nil)
	f.conflicts(t, "not_in_service", "is not in service", transactionsPath, entryOf(works, "disposal", "2025-01-01", nil))
	f.post(t, works, "construction", "2025-01-01", fields{"amount": 1_000})
	f.post(t, works, "in_service", "2025-02-01", fields{"amount": 1_000, "to_capital_asset_id": building})
	refused := f.Must(t, http.StatusConflict, "DELETE", pathOf("capital_assets")+"/"+works, nil).JSON["error"].(string)
	if !strings.Contains(refused, "a disposal, where it has none") {
		t.Error(refused)
	}
	f.post(t, works, "disposal", "2025-03-01", nil)
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+works, nil).JSON, fields{"state": "disposed", "gain_loss": 0.0})
	f.balanced(t, 2025)
}
