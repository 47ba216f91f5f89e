package accounting

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/odata"
)

// W16, two years earlier: a class with W1, W9 and W11. It is shown while the year is open, and when it is closed.
func TestTheScheduleOfAClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 25, nil)
	w1, w9, w11 := f.asset(t, class, nil), f.asset(t, class, nil), f.asset(t, class, fields{"useful_life_years": 40})
	f.post(t, w1, "opening", "2025-01-01", fields{"amount": 120000, "accumulated_amortization": 45600, "in_service_on": "2015-04-03"})
	f.post(t, w9, "opening", "2025-01-01",
		fields{"amount": 200000, "accumulated_amortization": 80000, "in_service_on": "2012-04-03", "remaining_units": 24})
	f.post(t, w11, "opening", "2025-01-01",
		fields{"amount": 800000, "accumulated_amortization": 10000, "in_service_on": "2024-09-01", "remaining_units": 79})
	f.post(t, w9, "disposal", "2025-06-01", fields{"share_pct": 25, "proceeds": 40000})
	f.post(t, w11, "betterment", "2025-02-01", fields{"amount": 16000})
	var open fields
	for _, state := range []string{"open", "closed"} {
		schedule := f.Must(t, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2025", nil).JSON
		total := schedule["total"].(fields)
		says(t, total["cost"].(fields), fields{"opening": 1120000.0, "betterments": 16000.0, "disposals": -50000.0, "closing": 1086000.0})
		says(t, total["accumulated_amortization"].(fields),
			fields{"opening": 135600.0, "amortization": 33755.13, "disposals": -21250.0, "closing": 148105.13})
		says(t, total, fields{"proceeds": 40000.0, "gain_loss": 11250.0, "not_amortized": 0.0})
		says(t, total["net_book_value"].(fields), fields{"opening": 984400.0, "closing": 937894.87})
		if schedule["provisional"] != (state == "open") {
			t.Errorf("of the %s year provisional is %v", state, schedule["provisional"])
		}
		if rows := schedule["data"].([]any); len(rows) != 1 || rows[0].(fields)["id"] != class {
			t.Errorf("%v", rows)
		}
		if state == "open" {
			open = total
			f.close(t, 2025)
		} else if fmt.Sprint(total) != fmt.Sprint(open) {
			t.Errorf("the close has come to something else than the open year showed")
		}
	}
	f.open(t, 2026)
	next := f.Must(t, http.StatusOK, "GET", "/v1/accounting/projection?years=3", nil).JSON["data"].([]any)
	if first := next[0].(fields); first["fiscal_year"] != 2027.0 || first["amortization"] != 4800+7500+20000+410.26 {
		t.Errorf("projected: %v", first)
	}
}

// A closed year stays as it is to the byte, whatever is posted later.
func TestAClosedYearsScheduleStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	r := rand.New(rand.NewPCG(1, 2))
	var assets []string
	for _, convention := range []string{"half_year", "month", "day", "full_year", "following_year"} {
		class := f.class(t, convention, 7, nil)
		for range 4 {
			assets = append(assets, f.asset(t, class, nil))
		}
	}
	rows := []any{}
	for _, asset := range assets {
		rows = append(rows, entryOf(asset, "acquisition", dayIn(r, 2023, 1, 180), fields{"amount": float64(r.IntN(10_000_000)+100_000) / 100}))
	}
	f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk", fields{"data": rows})
	var kept [][]byte
	for year := 2023; year <= 2025; year++ {
		f.postAtRandom(t, r, assets, year, 40)
		provisional := f.schedule(t, year)
		f.close(t, year)
		closed := f.schedule(t, year)
		if !bytes.Equal(provisional, closed) {
			t.Errorf("%d comes to something else by its close:\n%s\n%s", year, provisional, closed)
		}
		kept = append(kept, closed)
		f.foots(t, closed)
		f.journalBalances(t, year)
		f.open(t, year+1)
	}
	for i := 1; i < len(kept); i++ {
		if before, after := column(t, kept[i-1], "cost_closing"), column(t, kept[i], "cost_opening"); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("%d opens otherwise than %d closes: %v, %v", 2023+i, 2022+i, after, before)
		}
	}
	later := 0
	for later < 1000 {
		later += f.postAtRandom(t, r, assets, 2026, 500)
	}
	for i, before := range kept {
		if now := f.schedule(t, 2023+i); !bytes.Equal(before, now) {
			t.Errorf("%d has changed", 2023+i)
		}
	}
	f.journalIsWhole(t, 2026)
}

// journalIsWhole checks that the journal of a year, of more transactions than a page takes, is there whole in other
// forms, which have no pages.
func (f *fixture) journalIsWhole(t testing.TB, year int) {
	t.Helper()
	path, want := fmt.Sprintf("/v1/accounting/journal?fiscal_year=%d", year), len(f.journalLines(t, year))
	asked := fmt.Sprintf("https://api.example.com/odata/v4/capital_asset_journal(fiscal_year=%d)", year)
	if count := f.Must(t, http.StatusOK, "GET", path, nil, odata.Header, asked+"/$count").Body; string(count) != strconv.Itoa(want) {
		t.Errorf("in OData the journal has %s lines of %d", count, want)
	}
	last := f.Must(t, http.StatusOK, "GET", path+"&$count=true&$skip="+strconv.Itoa(want-1), nil, odata.Header, asked).JSON
	if lines := last["value"].([]any); last["@odata.count"] != float64(want) || len(lines) != 1 || lines[0].(fields)["row"] != float64(want) {
		t.Errorf("the last of %d lines is %v", want, last)
	}
	table, err := csv.NewReader(bytes.NewReader(f.Must(t, http.StatusOK, "GET", path, nil, "Accept", "text/csv").Body)).ReadAll()
	if err != nil || len(table) != 1+want {
		t.Errorf("as CSV the journal has %d lines of %d, %v", len(table)-1, want, err)
	}
	next := f.Must(t, http.StatusOK, "GET", path, nil).Header.Get("Link")
	if !strings.Contains(next, "&fiscal_year=2026>; rel=\"next\"") {
		t.Errorf("the next page is at %q", next)
	}
}

func dayIn(r *rand.Rand, year, from, to int) string {
	return time.Date(year, 1, from+r.IntN(to-from), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// postAtRandom posts entries of all types on days of a year; those that are not possible are refused. It gives how many are possible.
func (f *fixture) postAtRandom(t testing.TB, r *rand.Rand, assets []string, year, n int) int {
	t.Helper()
	rows := []any{}
	for range n {
		asset := assets[r.IntN(len(assets))]
		amount := float64(r.IntN(200_000)+1) / 100
		kind := []string{"betterment", "estimate", "write_down", "disposal", "construction", "in_service", "adjustment", "transfer"}[r.IntN(8)]
		rows = append(rows, entryOf(asset, kind, dayIn(r, year, 181, 320), map[string]fields{
			"betterment": {"amount": amount, "added_life_years": r.IntN(3)},
			"estimate":   {"useful_life_years": 5 + r.IntN(10)}, "write_down": {"amount": amount},
			"disposal": {"share_pct": 1 + r.IntN(30), "proceeds": amount}, "construction": {"amount": amount}, "in_service": {"amount": amount / 2},
			"adjustment": {"cost_change": amount, "memo": "x"}, "transfer": {"to_capital_asset_id": assets[r.IntN(len(assets))], "amount": amount},
		}[kind]))
	}
	answer := f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": rows})
	created := int(answer.JSON["summary"].(fields)["created"].(float64))
	if created < n/4 {
		t.Errorf("of %d entries %d are possible", n, created)
	}
	return created
}

func (f *fixture) schedule(t testing.TB, year int) []byte {
	t.Helper()
	return f.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/accounting/schedule/capital-assets?fiscal_year=%d", year), nil, "Accept",
		"text/csv").Body
}

func column(t testing.TB, table []byte, name string) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for i, header := range rows[0] {
		if header == name {
			for _, row := range rows[1:] {
				if row[i] != "0" {
					values[row[1]] = row[i]
				}
			}
		}
	}
	return values
}

// foots adds up each row of a schedule.
func (f *fixture) foots(t testing.TB, table []byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		sums := map[string]float64{}
		for i, header := range rows[0] {
			block, name, _ := strings.Cut(header, "_closing")
			for _, known := range []string{"cost_", "work_in_progress_", "accumulated_amortization_"} {
				if strings.HasPrefix(header, known) {
					amount := 0.0
					if _, err := fmt.Sscan(row[i], &amount); err != nil {
						t.Fatalf("%s is %q", header, row[i])
					}
					if block+"_closing" == header && name == "" {
						amount = -amount
					}
					sums[known] += amount
				}
			}
		}
		for block, sum := range sums {
			if cents(sum) != 0 {
				t.Errorf("%s does not foot: %sclosing differs by %.2f", row[1], block, sum)
			}
		}
	}
}

// journalBalances checks that debits and credits of each transaction of a year are equal, and that there are many.
func (f *fixture) journalBalances(t testing.TB, year int) {
	t.Helper()
	if lines := f.balancedLines(t, year); len(lines) < 20 {
		t.Errorf("the journal of %d has %d lines", year, len(lines))
	}
}

// balancedLines reads the journal of a year, of which debits and credits of each transaction must be equal.
func (f *fixture) balancedLines(t testing.TB, year int) []fields {
	t.Helper()
	sums, lines := map[any]float64{}, f.journalLines(t, year)
	for _, line := range lines {
		sums[line["number"]] += line["debit"].(float64) - line["credit"].(float64)
	}
	for number, sum := range sums {
		if cents(sum) != 0 {
			t.Errorf("%s does not balance: %.2f", number, sum)
		}
	}
	return lines
}

// journalLines reads the journal of a year.
func (f *fixture) journalLines(t testing.TB, year int) (lines []fields) {
	t.Helper()
	after := 0.0
	for {
		page := f.Must(t, http.StatusOK, "GET",
			fmt.Sprintf("/v1/accounting/journal?fiscal_year=%d&per_page=500&after=%.0f", year, after), nil).JSON
		for _, each := range page["data"].([]any) {
			lines = append(lines, each.(fields))
		}
		if after = page["after"].(float64); page["has_more"] == false {
			return lines
		}
	}
}
