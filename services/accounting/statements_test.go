package accounting

import (
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// How often the database is asked; statements that are sent together count once. A close asks as often however many
// capital assets there are.
func TestWhatEntriesAndClosesAsk(t *testing.T) {
	f := newFixtureAlone(t)
	through, asked := postgrestest.CountRoundTrips(t, f.database.URL)
	f.accounting.registry.DB = (&postgrestest.Database{URL: through}).Open(t)
	f.accounting.registry.API.DB = f.accounting.registry.DB
	f.open(t, 2024)
	class := f.class(t, "half_year", 40, nil)
	f.manyAssets(t, class, 2024, 1000)
	pipe, drafts := f.first(t), []string{f.asset(t, class, nil), f.asset(t, class, nil), f.asset(t, class, nil)}
	f.post(t, pipe, "transfer", "2024-02-01", fields{"to_capital_asset_id": drafts[0], "amount": 100})
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = fields{"capital_asset_external_id": fmt.Sprintf("pipe-%d", i), "type": "betterment", "effective_on": "2024-06-01",
			"amount": 500}
	}
	for _, c := range []struct {
		name string
		most int64
		call func(again int)
	}{
		{"an entry", 6, func(int) { f.post(t, pipe, "betterment", "2024-03-01", fields{"amount": 100}) }},
		{"an entry that changes the record", 9, func(again int) {
			f.post(t, drafts[1+again], "acquisition", "2024-03-01", fields{"amount": 100})
		}},
		{"a thousand entries", 10, func(int) { f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk", fields{"data": rows}) }},
	} {
		for again := range 2 { // the first time, statements are prepared
			asked.Store(0)
			c.call(again)
		}
		if got := asked.Load(); got > c.most {
			t.Errorf("%s: the database is asked %d times, want %d at most", c.name, got, c.most)
		} else {
			t.Logf("%s: %d times", c.name, got)
		}
	}
	closes := func(f *fixture, year int) int64 {
		job := f.Must(t, http.StatusCreated, "POST", fmt.Sprintf("%s/%d/close", yearsPath, year), fields{}).JSON["id"].(string)
		asked.Store(0)
		if err := f.accounting.carryOut(principal.Into(t.Context(), f.Principal), job); err != nil {
			t.Fatal(err)
		}
		counted := asked.Load()
		if shown := f.Must(t, http.StatusOK, "GET", fmt.Sprintf("%s/%d/close", yearsPath, year), nil).JSON; shown["state"] != "done" {
			t.Fatalf("%v", shown)
		}
		return counted
	}
	other := *f
	other.Client = f.Other()
	other.open(t, 2023, 2024)
	other.manyAssets(t, other.class(t, "half_year", 40, nil), 2023, 1)
	closes(&other, 2023)
	closes(&other, 2024)
	other.Must(t, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "encore"})
	if one, many := closes(&other, 2024), closes(f, 2024); one != many || many > 12 {
		t.Errorf("to close a year of one capital asset, the database is asked %d times, of a thousand %d times; want 12 at most", one, many)
	} else {
		t.Logf("a close: %d times", many)
	}
}
