package accounting

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"
)

// on reads a capital asset as it was on a day.
func (f *fixture) on(t testing.TB, asset, day string) fields {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset+"?as_of="+day, nil).JSON
}

// W5: 10,000,000 over 25 years by days, from its first year on.
func TestTheBalanceOfADayByDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2016)
	class := f.class(t, "day", 25, nil)
	first, later := f.asset(t, class, nil), f.asset(t, class, nil)
	f.post(t, first, "acquisition", "2016-12-09", fields{"amount": 10_000_000})
	f.post(t, later, "acquisition", "2016-12-11", fields{"amount": 10_000_000})
	for year := 2016; year < 2026; year++ {
		f.close(t, year)
		f.open(t, year+1)
	}
	says(t, f.on(t, first, "2016-12-31"), fields{"accumulated_amortization": 25188.92, "remaining_units": 9131.0 - 23})
	says(t, f.on(t, first, "2016-12-08"), fields{"state": "draft", "cost": 0.0, "in_service_on": nil, "remaining_units": nil})
	says(t, f.on(t, first, "2025-12-31"), fields{"net_book_value": 6374986.30, "state": "in_service", "balances_as_of": "2025-12-31"})
	says(t, f.on(t, first, "2026-11-21"),
		fields{"net_book_value": 6019055.95, "cost": 10000000.0, "accumulated_amortization": 3980944.05, "balances_as_of": "2026-11-21"})
	says(t, f.on(t, later, "2026-11-21"), fields{"net_book_value": 6021246.29})
}

// What is posted later does not count yet, and what counts by years is charged by the whole months that are over.
func TestTheBalancesOfADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024)
	halfYears, months := f.class(t, "half_year", 25, nil), f.class(t, "month", 20, nil)
	f.accountFor(t)
	building := f.asset(t, halfYears, fields{"external_id": "building", "name": "Aréna"})
	receiver := f.asset(t, halfYears, nil)
	road := f.asset(t, months, nil)
	f.post(t, building, "acquisition", "2024-04-03", fields{"amount": 120000})
	f.post(t, road, "construction", "2024-02-01", fields{"amount": 100000})
	f.post(t, road, "in_service", "2024-11-22", fields{"amount": 100000})
	f.close(t, 2024)
	f.open(t, 2025)
	f.post(t, building, "transfer", "2025-05-15", fields{"to_capital_asset_id": receiver, "amount": 40000})
	sold := f.post(t, building, "disposal", "2025-08-01", fields{"share_pct": 50, "proceeds": 50000})
	f.open(t, 2026)
	f.post(t, building, "disposal", "2026-02-01", fields{"proceeds": 1})
	for day, want := range map[string]fields{
		"2024-04-02": {"state": "draft", "cost": 0.0, "net_book_value": 0.0, "gain_loss": 0.0, "remaining_units": nil, "name": "Aréna"},
		"2024-04-03": {"state": "in_service", "cost": 120000.0, "accumulated_amortization": 600.0, "remaining_units": 50.0,
			"in_service_on": "2024-04-03"},
		"2024-06-30": {"accumulated_amortization": 1200.0},
		"2024-12-30": {"accumulated_amortization": 2200.0, "remaining_units": 50.0},
		"2024-12-31": {"accumulated_amortization": 2400.0, "remaining_units": 49.0, "cost": 120000.0},
		"2025-05-14": {"accumulated_amortization": 2400 + 1600.0, "cost": 120000.0}, // 4 of 12 months of 4,800.00
		"2025-05-15": {"accumulated_amortization": 1600 + 1066.67, "cost": 80000.0},
		"2025-07-31": {"accumulated_amortization": 1600 + 1866.67, "cost": 80000.0, "gain_loss": 0.0},
		"2025-08-01": {"accumulated_amortization": 800 + 933.33, "cost": 40000.0, "gain_loss": sold["gain_loss"]},
		"2026-01-31": {"state": "in_service", "cost": 40000.0, "accumulated_amortization": 800 + 1600 + 133.33},
		"2026-02-01": {"state": "disposed", "cost": 0.0, "accumulated_amortization": 0.0, "net_book_value": 0.0},
		"2026-12-31": {"state": "disposed"}, // a day to come is as if nothing more were posted
	} {
		t.Run(day, func(t *testing.T) { says(t, f.on(t, building, day), want) })
	}
	says(t, f.on(t, receiver, "2025-05-14"), fields{"state": "draft", "cost": 0.0})
	says(t, f.on(t, receiver, "2025-05-15"), fields{"state": "in_service", "cost": 40000.0, "accumulated_amortization": 800 + 533.33})
	says(t, f.on(t, road, "2024-11-21"), fields{"state": "in_progress", "work_in_progress": 100000.0, "cost": 0.0})
	says(t, f.on(t, road, "2024-11-22"),
		fields{"state": "in_service", "work_in_progress": 0.0, "cost": 100000.0, "accumulated_amortization": 0.0, "remaining_units": 240.0})
	says(t, f.on(t, road, "2024-12-31"), fields{"accumulated_amortization": 833.33, "remaining_units": 238.0})
	says(t, f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/by-external-id/building?as_of=2024-06-30&expand=class", nil).JSON,
		fields{"accumulated_amortization": 1200.0})
	some := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+building+"?as_of=2024-06-30&fields=net_book_value", nil)
	if some.JSON["net_book_value"] != 118800.0 || len(some.JSON) != 1 || some.Header.Get("ETag") != "" {
		t.Errorf("%s %v", some.Body, some.Header)
	}
	// An entry that was reversed counts on no day.
	f.Must(t, http.StatusCreated, "POST", transactionsPath+"/"+sold["id"].(string)+"/reverse", fields{"effective_on": "2025-12-01"})
	says(t, f.on(t, building, "2025-08-01"), fields{"cost": 80000.0, "gain_loss": 0.0})
}

// accountFor is a capital asset that nothing was ever posted to.
func (f *fixture) accountFor(t testing.TB) string {
	t.Helper()
	return f.asset(t, f.class(t, "half_year", 10, nil), nil)
}

// A pool that leaves at the end of the year is there on the day before.
func TestTheBalanceOfAPoolThatLeaves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2022)
	pool := f.asset(t, f.class(t, "full_year", 3, fields{"pooled": true, "remove_when_amortized": true}), fields{"quantity": 10})
	f.post(t, pool, "acquisition", "2022-02-01", fields{"amount": 3000})
	for _, closed := range []bool{false, true} {
		if closed {
			for year := 2022; year < 2025; year++ {
				f.close(t, year)
				f.open(t, year+1)
			}
			says(t, f.on(t, pool, "2024-12-30"),
				fields{"state": "in_service", "cost": 3000.0, "accumulated_amortization": 2916.67, "remaining_units": 1.0})
			says(t, f.on(t, pool, "2024-12-31"),
				fields{"state": "disposed", "cost": 0.0, "accumulated_amortization": 0.0, "remaining_units": 0.0, "gain_loss": 0.0})
			says(t, f.on(t, pool, "2025-01-01"), fields{"state": "disposed", "cost": 0.0})
		}
		says(t, f.on(t, pool, "2022-12-31"),
			fields{"state": "in_service", "cost": 3000.0, "accumulated_amortization": 1000.0, "remaining_units": 2.0})
	}
}

// The last day of each year, open or closed, is what the schedule closes with, whatever was posted.
func TestTheLastDayOfAYearIsWhatTheScheduleClosesWith(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	r := rand.New(rand.NewPCG(3, 4))
	var assets []string
	rows := []any{}
	for _, convention := range []string{"half_year", "month", "day", "full_year", "following_year"} {
		class := f.class(t, convention, 3, nil)
		for range 4 {
			asset := f.asset(t, class, nil)
			assets = append(assets, asset)
			rows = append(rows, entryOf(asset, "acquisition", dayIn(r, 2023, 1, 180), fields{"amount": float64(r.IntN(10_000_000)+100_000) / 100}))
		}
	}
	f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk", fields{"data": rows})
	for year := 2023; year <= 2025; year++ {
		f.postAtRandom(t, r, assets, year, 40)
		if year < 2025 {
			f.close(t, year)
			f.open(t, year+1)
		}
	}
	for year := 2023; year <= 2025; year++ {
		schedule, listed := f.schedule(t, year), f.listedOn(t, fmt.Sprintf("%d-12-31", year))
		for field, closing := range map[string]string{"cost": "cost_closing", "accumulated_amortization": "accumulated_amortization_closing",
			"net_book_value": "net_book_value_closing", "work_in_progress": "work_in_progress_closing"} {
			want := column(t, schedule, closing)
			for number, row := range listed {
				amount, closing := 0.0, 0.0
				_, _ = fmt.Sscan(row[field], &amount)
				_, _ = fmt.Sscan(want[number], &closing) // column leaves 0 out
				if row[field] == "" || cents(amount) != cents(closing) {
					t.Errorf("%d, %s: %s is %q, and the schedule closes with %q", year, number, field, row[field], want[number])
				}
			}
		}
	}
	// In pages it is the same.
	pages := 0
	for _, row := range f.listedOn(t, "2024-09-30") {
		pages++
		listed, _ := f.List(t, pathOf("capital_assets")+"?as_of=2024-09-30&number="+row["number"])
		if shown := fmt.Sprintf("%.2f %.2f", listed[0]["cost"], listed[0]["accumulated_amortization"]); shown != row["cost"]+" "+
			row["accumulated_amortization"] {
			t.Errorf("%s: %s in a page, %s %s in the file", row["number"], shown, row["cost"], row["accumulated_amortization"])
		}
	}
	if pages != len(assets) {
		t.Errorf("%d of %d are in the file", pages, len(assets))
	}
}

// listedOn is the list as CSV with the balances of a day, by number.
func (f *fixture) listedOn(t testing.TB, day string) map[string]fieldsOfRow {
	t.Helper()
	table, err := csv.NewReader(
		bytes.NewReader(f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"?as_of="+day, nil, "Accept", "text/csv").Body),
	).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]fieldsOfRow{}
	for _, values := range table[1:] {
		row := fieldsOfRow{}
		for i, value := range values {
			row[table[0][i]] = value
		}
		found[row["number"]] = row
	}
	return found
}

type fieldsOfRow = map[string]string

// The statements of a page do not grow with its records.
func TestAPageOfADayIsReadByFewStatements(t *testing.T) {
	f, statements := countedFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	var one int64
	for _, more := range []int{1, 60} {
		for range more {
			f.post(t, f.asset(t, class, nil), "acquisition", "2025-02-01", fields{"amount": 1000})
		}
		for range 3 { // the first time, statements are prepared
			statements.Store(0)
			f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"?as_of=2025-06-30&per_page=100", nil)
		}
		if more == 1 {
			one = statements.Load()
		}
	}
	if many := statements.Load(); many != one || many > 16 {
		t.Errorf("%d statements for 61 records, %d for one", many, one)
	}
	statements.Store(0)
	f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"?per_page=100", nil)
	if plain := statements.Load(); plain > 3 {
		t.Errorf("who did not ask for a day is read by %d statements", plain)
	}
}

func TestWhatCannotBeAskedOfADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := pathOf("capital_assets")
	refused := func(query, field, words string, header ...string) {
		t.Helper()
		answer := f.Must(t, http.StatusBadRequest, "GET", path+query, nil, header...)
		if fmt.Sprint(answer.Fields()) != "["+field+"]" || !bytes.Contains(answer.Body, []byte(words)) {
			t.Errorf("%s: want %s with %q, got %s", query, field, words, answer.Body)
		}
	}
	refused("?as_of=2025-06-30", "as_of", "there is no fiscal year")
	f.open(t, 2024, 2025)
	asset := f.accountFor(t)
	for _, day := range []string{"2023-12-31", "2026-01-01"} {
		refused("?as_of="+day, "as_of", "2024-01-01 to 2025-12-31")
		refused("?as_of="+day, "as_of", "2024-01-01 to 2025-12-31", "Accept", "text/csv")
		refused("/"+asset+"?as_of="+day, "as_of", "2024-01-01 to 2025-12-31")
	}
	refused("?as_of=2025-02-30", "as_of", "")
	refused("?as_of=yesterday", "as_of", "")
	refused("?as_of=2025-06-30&cost_min=5", "cost_min", "cannot stand beside as_of")
	refused("?as_of=2025-06-30&state=disposed", "state", "cannot stand beside as_of")
	refused("?as_of=2025-06-30&sort=name,-net_book_value", "sort", "net_book_value beside as_of")
	refused("?as_of=2025-06-30&totals=true", "totals", "cannot stand beside as_of")
	refused("?totals=yes", "totals", "true or false")
	refused("?totals=true", "totals", "leave totals and group_by out", "Accept", "text/csv")
	refused("/"+asset+"?totals=true", "totals", "not a parameter")
	classes := f.Must(t, http.StatusBadRequest, "GET", pathOf("capital_asset_classes")+"?as_of=2025-06-30", nil)
	if fmt.Sprint(classes.Fields()) != "[as_of]" {
		t.Errorf("%s", classes.Body)
	}
}

// Each organization has its own years and its own balances.
func TestADayOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	other := *f
	other.Client = f.Other()
	other.open(t, 2024)
	other.Must(t, http.StatusNotFound, "GET", pathOf("capital_assets")+"/"+asset+"?as_of=2024-06-30", nil)
	other.Must(t, http.StatusBadRequest, "GET", pathOf("capital_assets")+"?as_of=2025-06-30", nil)
	if listed, _ := other.List(t, pathOf("capital_assets")+"?as_of=2024-06-30&totals=false"); len(listed) != 0 {
		t.Errorf("%v", listed)
	}
	totals := other.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"?totals=true", nil).JSON["totals"]
	if fmt.Sprint(totals) != fmt.Sprint(fields{"count": 0, "cost": 0, "accumulated_amortization": 0, "net_book_value": 0,
		"work_in_progress": 0}) {
		t.Errorf("%v", totals)
	}
}

// Totals are of all that the filters find, to the cent, also where a double has no cents any more.
func TestTotalsAreOfAllThatTheFiltersFind(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	path, class := pathOf("capital_assets"), f.class(t, "half_year", 20, nil)
	for i := range 30 {
		asset := f.asset(t, class,
			fields{"name": fmt.Sprintf("Pont %d", i), "department": []string{"Voirie", "Eau"}[i%2], "tags": []string{"pont"}})
		f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 9_999_999_999_999.99})
		if i < 3 {
			f.post(t, asset, "disposal", "2025-03-01", fields{"share_pct": 50})
		}
	}
	land := f.asset(t, class, fields{"name": "Terrain", "department": "Eau"})
	f.post(t, land, "construction", "2025-02-01", fields{"amount": 12.34})
	f.asset(t, class, fields{"name": "Projet"})
	sums := func(query string) string {
		t.Helper()
		body := f.Must(t, http.StatusOK, "GET", path+query, nil).Body
		_, after, found := bytes.Cut(body, []byte(`"totals":`))
		if !found {
			return ""
		}
		object, _, _ := bytes.Cut(after, []byte("}"))
		return string(object) + "}"
	}
	for query, want := range map[string]string{
		"?totals=true&per_page=1": `{"count":32,"cost":284999999999999.70,"accumulated_amortization":0.00,` +
			`"net_book_value":284999999999999.70,"work_in_progress":12.34}`,
		"?totals=true&department=Voirie": `{"count":15,"cost":139999999999999.85,"accumulated_amortization":0.00,` +
			`"net_book_value":139999999999999.85,"work_in_progress":0.00}`,
		"?totals=true&department=Eau&per_page=2": `{"count":16,"cost":144999999999999.85,"accumulated_amortization":0.00,` +
			`"net_book_value":144999999999999.85,"work_in_progress":12.34}`,
		"?totals=true&q=Pont&sort=relevance": `{"count":30,"cost":284999999999999.70,"accumulated_amortization":0.00,` +
			`"net_book_value":284999999999999.70,"work_in_progress":0.00}`,
		"?totals=true&q=Terrain&fields=name": `{"count":1,"cost":0.00,"accumulated_amortization":0.00,"net_book_value":0.00,` +
			`"work_in_progress":12.34}`,
		"?totals=true&state=draft": `{"count":1,"cost":0,"accumulated_amortization":0,"net_book_value":0,"work_in_progress":0}`,
		"?totals=true&cost_min=9000000000000": `{"count":27,"cost":269999999999999.73,"accumulated_amortization":0.00,` +
			`"net_book_value":269999999999999.73,"work_in_progress":0.00}`,
		"?totals=true&tags=pont&page=3&sort=name": `{"count":30,"cost":284999999999999.70,"accumulated_amortization":0.00,` +
			`"net_book_value":284999999999999.70,"work_in_progress":0.00}`,
		"?totals=false": "",
		"":              "",
	} {
		if got := sums(query); got != want {
			t.Errorf("%s:\n%s, want\n%s", query, got, want)
		}
	}
	page := f.Must(t, http.StatusOK, "GET", path+"?totals=true&per_page=5", nil).JSON
	next := page["pagination"].(fields)["next_cursor"].(string)
	f.Must(t, http.StatusOK, "GET", path+"?per_page=5&cursor="+next, nil) // the cursor goes on with and without totals
}

// BenchmarkReadingALargeLedger adds up 200,000 capital assets, reads them as they were on a day, and reconciles them:
//
//	go test -run '^$' -bench ReadingALargeLedger -benchtime 1x ./services/accounting
func BenchmarkReadingALargeLedger(b *testing.B) {
	f := newFixtureAlone(b)
	f.largeLedger(b, 200_000)
	list := pathOf("capital_assets")
	for _, c := range []struct{ unit, path, accept string }{{"s/page", list, ""}, {"s/totals", list + "?totals=true", ""}, {"s/page-as-of",
		list + "?as_of=2024-09-30&per_page=1000", ""}, {"s/file", list, "text/csv"}, {"s/file-as-of", list + "?as_of=2024-09-30", "text/csv"},
		{"s/reconciliation", reconciliationPath, ""}, {"s/reconciliation-file", reconciliationPath, "text/csv"}} {
		begin := time.Now()
		f.Must(b, http.StatusOK, "GET", c.path, nil, "Accept", c.accept)
		b.ReportMetric(time.Since(begin).Seconds(), c.unit)
	}
}
