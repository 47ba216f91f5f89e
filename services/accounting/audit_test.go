package accounting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testnight"
	"ams.internal/services/accounting/ledger"
)

// Finance imports what is there, posts entries of every type on random days, and closes year by year. A second program recomputes every
// balance from what the API gives out, and agrees to the cent; hledger reads the journal, and comes to what the schedule closes with.
func TestASecondProgramAgreesWithTheBooks(t *testing.T) {
	for _, c := range []struct{ month, openings int }{{12, testnight.Rounds(1000, 5000)}, {3, 300}, {8, 300}} {
		t.Run(time.Month(c.month).String(), func(t *testing.T) {
			f := newFixtureAlone(t) // one after the other: declarations are read with no locks
			t.Parallel()
			audited(t, bookkeeping{fixture: f, yearEnd: c.month, openings: c.openings, years: 3, perYear: 400})
		})
	}
}

// BenchmarkTenYearsOfBooks is the long form of the same:
//
//	go test -run '^$' -bench TenYearsOfBooks -benchtime 1x ./services/accounting
func BenchmarkTenYearsOfBooks(b *testing.B) {
	for b.Loop() {
		for _, month := range []int{12, 3, 8} {
			b.ReportMetric(float64(audited(b, bookkeeping{fixture: newFixtureAlone(b), yearEnd: month, openings: 5000, years: 10, perYear: 1500})),
				"figures/"+time.Month(month).String())
		}
	}
}

// bookkeeping is some years of an organization's finance department.
type bookkeeping struct {
	yearEnd, openings, years, perYear int

	*fixture
	*rand.Rand
	groups []*group
	duties []*duty

	undone, deleted int // changes of duties, and duties

	disposals [][2]string // that were posted: the capital asset, and the entry
}

// duty is a retirement obligation.
type duty struct {
	id, last string      // last: the day of its last change, before which none comes
	changes  [][2]string // that may be reversed, from the last on: id and day
}

// group is classes that are amortized by the same rules, and their capital assets.
type group struct {
	name       string
	body       fields
	classes    []string
	assets     []string
	drafts     []string
	pooled     bool
	notCharged bool
}

// audited keeps the books and has them audited. It gives how many figures were compared.
func audited(t testing.TB, b bookkeeping) int {
	b.Rand = rand.New(rand.NewPCG(uint64(b.yearEnd), 7)) //nolint:gosec // chance that can be repeated
	b.Principal.FiscalYearEnd = b.yearEnd
	b.work(t)
	const first = 2014
	b.open(t, first)
	b.makeClasses(t)
	b.importOpenings(t, b.year(t, first))
	for year := first; year < first+b.years; year++ {
		y := b.year(t, year)
		b.keep(t, y, b.perYear)
		b.open(t, year+1)
		b.keep(t, b.year(t, year+1), b.perYear/10) // the next year begins before this one is closed
		b.keep(t, y, b.perYear/10)
		b.close(t, year)
	}
	last := first + b.years - 1
	b.reopenAndCloseAgain(t, last)
	b.close(t, last+1)
	found := b.audit(t, first, last+1)
	b.readByHledger(t, first, last+1)
	return found
}

// fiscalYear is a year with its days.
type fiscalYear struct {
	number      int
	first, last time.Time
}

func (b *bookkeeping) year(t testing.TB, number int) fiscalYear {
	t.Helper()
	years, _ := b.List(t, fmt.Sprintf("%s?fiscal_year=%d", yearsPath, number))
	return fiscalYear{number, dayOf(years[0]["period_start"].(string)), dayOf(years[0]["period_end"].(string))}
}

// on is a day of the year by chance: at times one of those at which programs err.
func (b *bookkeeping) on(y fiscalYear) string {
	switch b.IntN(20) {
	case 0:
		return y.first.Format(time.DateOnly)
	case 1:
		return y.last.Format(time.DateOnly)
	case 2:
		if leap := time.Date(y.last.Year(), 2, 29, 0, 0, 0, 0, time.UTC); leap.Day() == 29 && !leap.After(y.last) {
			return leap.Format(time.DateOnly)
		}
	}
	return y.first.AddDate(0, 0, b.IntN(int(y.last.Sub(y.first).Hours()/24)+1)).Format(time.DateOnly)
}

// amount is one by chance, in cents.
func (b *bookkeeping) amount(most int64) float64 { return money(ledger.Cents(1 + b.Int64N(most))) }

func (b *bookkeeping) makeClasses(t testing.TB) {
	t.Helper()
	for _, convention := range []string{"half_year", "month", "month_inclusive", "day", "day_365", "full_year", "following_year"} {
		b.groups = append(b.groups, &group{name: convention, body: fields{"convention": convention, "useful_life_years": 15,
			"useful_life_months": map[string]int{"half_year": 6, "month": 7, "day": 1, "day_365": 11}[convention]}})
	}
	b.groups = append(b.groups,
		&group{name: "land", body: fields{"category": "land", "method": "none"}, notCharged: true},
		&group{name: "laptops", body: fields{"category": "information_technology", "useful_life_years": 3,
			"pooled": true, "remove_when_amortized": true}, pooled: true}, &group{name: "benches",
			body: fields{"category": "land_improvements", "convention": "month", "useful_life_years": 10, "pooled": true}, pooled: true})
	for _, g := range b.groups {
		for n := range 2 {
			name := fmt.Sprintf("%s %d", g.name, n+1)
			body := fields{"name": name, "category": []string{"buildings", "roads"}[n], "accounts": fields{"asset": "asset " + name,
				"accumulated_amortization": "amortized " + name, "work_in_progress": "work " + name}}
			for key, value := range g.body {
				body[key] = value
			}
			g.classes = append(g.classes, b.Create(t, pathOf("capital_asset_classes"), body)["id"].(string))
		}
	}
}

// newAssets makes capital assets of a group, and gives their ids.
func (b *bookkeeping) newAssets(t testing.TB, g *group, n int, life func(i int) int) (ids []string) {
	t.Helper()
	rows := make([]any, n)
	for i := range rows {
		row := fields{"name": "Immobilisation", "class_id": g.classes[b.IntN(2)]}
		if !g.notCharged {
			row["useful_life_years"] = life(i)
			if b.IntN(4) == 0 {
				row["residual_value"] = b.amount(100_000)
			}
		}
		if g.pooled {
			row["quantity"] = 1 + b.IntN(200)
		}
		rows[i] = row
	}
	for _, made := range b.Must(t, http.StatusOK, "POST", pathOf("capital_assets")+"/bulk", fields{"data": rows}).JSON["data"].([]any) {
		ids = append(ids, made.(fields)["id"].(string))
	}
	return ids
}

// importOpenings imports what was there before the ledger: some of it amortized, some with the units that are left.
func (b *bookkeeping) importOpenings(t testing.TB, y fiscalYear) {
	t.Helper()
	rows := []any{}
	each := b.openings/len(b.groups) + 1
	for _, g := range b.groups {
		old := func(i int) bool { return i%10 == 0 }
		ids := b.newAssets(t, g, each, func(i int) int {
			if old(i) {
				return 5
			}
			return 11 + b.IntN(40)
		})
		g.assets = append(g.assets, ids...)
		for i, id := range ids {
			amount := 1_000_00 + b.Int64N(100_000_000)
			entry := entryOf(id, "opening", y.first.Format(time.DateOnly), fields{"amount": money(ledger.Cents(amount)),
				"in_service_on": y.first.AddDate(0, 0, -1-b.IntN(3600)).Format(time.DateOnly)})
			switch {
			case g.notCharged:
			case old(i):
				entry["remaining_units"] = 1 + b.IntN(3)
			case b.IntN(3) == 0:
				entry["remaining_units"] = 1 + b.IntN(100)
				fallthrough
			default:
				entry["accumulated_amortization"] = money(ledger.Cents(b.Int64N(amount - 1_000_00 + 1)))
			}
			rows = append(rows, entry)
		}
	}
	for len(rows) > 0 {
		n := min(1000, len(rows))
		b.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk", fields{"data": rows[:n]})
		rows = rows[n:]
	}
	b.recognize(t, y, 10, true)
}

// keep posts entries by chance; those that are not possible are refused. Some are reversed.
func (b *bookkeeping) keep(t testing.TB, y fiscalYear, n int) {
	t.Helper()
	var posted []string
	for _, g := range b.groups {
		g.drafts = append(g.drafts, b.newAssets(t, g, 2+n/100, func(int) int { return 1 + b.IntN(20) })...)
	}
	for from := 0; from < n; from += 100 {
		rows := []any{}
		for range min(100, n-from) {
			rows = append(rows, b.entry(y))
		}
		answer := b.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk?atomic=false", fields{"data": rows}).JSON
		for i, each := range answer["results"].([]any) {
			result, row := each.(fields), rows[i].(fields)
			if result["status"] != "created" {
				continue
			}
			posted = append(posted, result["id"].(string))
			if row["type"] == "disposal" {
				b.disposals = append(b.disposals, [2]string{row["capital_asset_id"].(string), result["id"].(string)})
			}
		}
	}
	if len(posted) < n/3 {
		t.Errorf("of %d entries %d are possible", n, len(posted))
	}
	reversed := 0
	for range n / 10 {
		path := fmt.Sprintf("%s/%s/reverse", transactionsPath, posted[b.IntN(len(posted))])
		if answer := b.Do(t, "POST", path, fields{"effective_on": y.last.Format(time.DateOnly)}); answer.Status == http.StatusCreated {
			reversed++
		} else if answer.Status != http.StatusConflict {
			t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
		}
	}
	if reversed == 0 && n > 100 {
		t.Error("nothing was reversed")
	}
	for range min(n/4, 4*len(b.disposals)) { // most are of years that are open, or what came later follows from them
		d := b.disposals[b.IntN(len(b.disposals))]
		body := entryOf(d[0], "reinstatement", b.on(y), fields{"reinstates": d[1], "memo": "Par erreur"})
		if posted := b.Do(t, "POST", transactionsPath, body); posted.Status != http.StatusCreated && posted.Status != http.StatusConflict {
			t.Errorf("%v: %d %s", body, posted.Status, posted.Body)
		}
	}
	b.recognize(t, y, n/20+1, false)
	for range n / 10 {
		b.changeDuty(t, y)
	}
}

var dutyKinds = []string{"asbestos", "fuel_tank", "landfill", "well", "lease_restoration", "other"}

// expected is what is expected of an obligation from a day on. Some are due within the years that are kept.
func (b *bookkeeping) expected(on string) fields {
	most := 14_000
	if b.IntN(3) == 0 {
		most = 800
	}
	return fields{"estimated_cost": b.amount(500_000_000), "discount_rate_pct": float64(b.IntN(200_001)) / 10_000,
		"settlement_on": dayOf(on).AddDate(0, 0, 1+b.IntN(most)).Format(time.DateOnly)}
}

// recognize makes retirement obligations of capital assets of any kind, or of those that were there before the ledger.
func (b *bookkeeping) recognize(t testing.TB, y fiscalYear, n int, opening bool) {
	t.Helper()
	rows := []any{}
	for range n {
		g := b.groups[b.IntN(len(b.groups))]
		body := b.expected(b.on(y))
		asset := g.assets[b.IntN(len(g.assets))]
		if !opening && b.IntN(3) == 0 {
			asset = g.drafts[b.IntN(len(g.drafts))]
		}
		body["capital_asset_id"], body["name"], body["kind"], body["recognized_on"] = asset, "Dépollution",
			dutyKinds[b.IntN(len(dutyKinds))], b.on(y)
		if opening {
			body["opening"], body["recognized_on"] = true, y.first.Format(time.DateOnly)
		}
		for body["settlement_on"].(string) <= body["recognized_on"].(string) {
			body["settlement_on"] = dayOf(body["settlement_on"].(string)).AddDate(1, 0, 0).Format(time.DateOnly)
		}
		rows = append(rows, body)
	}
	answer := b.Must(t, http.StatusOK, "POST", obligationsPath+"/bulk?atomic=false", fields{"data": rows}).JSON
	for i, each := range answer["results"].([]any) {
		if result := each.(fields); result["status"] == "created" {
			b.duties = append(b.duties, &duty{id: result["id"].(string), last: rows[i].(fields)["recognized_on"].(string)})
		}
	}
}

// changeDuty revises or settles a retirement obligation, undoes that, or deletes it. What is not possible is refused.
func (b *bookkeeping) changeDuty(t testing.TB, y fiscalYear) {
	t.Helper()
	at := b.IntN(len(b.duties))
	d, on, last := b.duties[at], b.on(y), y.last.Format(time.DateOnly)
	if on < d.last {
		on = d.last
	}
	var body fields
	path, method := obligationsPath+"/"+d.id, "POST"
	what := b.IntN(10)
	switch {
	case what < 5:
		path += "/revise"
		body = b.expected(on)
		for _, field := range []string{"estimated_cost", "settlement_on", "discount_rate_pct"}[b.IntN(2):] { // not all of it
			if len(body) > 1 && b.IntN(3) == 0 {
				delete(body, field)
			}
		}
		body["effective_on"] = on
	case what < 7:
		path += "/settle"
		body = fields{"effective_on": on, "paid": b.amount(500_000_000)}
		switch b.IntN(4) {
		case 0:
			body["settles"], body["share_pct"] = "share_pct", float64(1+b.IntN(1_000_000))/10_000
		case 1:
			body["settles"], body["amount"] = "amount", b.amount(20_000_000)
		}
	case what < 9 && len(d.changes) > 0:
		change := d.changes[len(d.changes)-1]
		path = transactionsPath + "/" + change[0] + "/reverse"
		body = fields{"effective_on": max(last, change[1])}
		if change[1] < y.first.Format(time.DateOnly) { // of a year that is closed
			body["effective_on"] = change[1]
		}
	default:
		method, body = "DELETE", nil
	}
	answer := b.Do(t, method, path, body)
	switch {
	case answer.Status == http.StatusNoContent:
		b.deleted++
		b.duties = append(b.duties[:at], b.duties[at+1:]...)
	case answer.Status == http.StatusCreated && answer.JSON["reverses"] != nil:
		b.undone++
		d.changes = d.changes[:len(d.changes)-1]
	case answer.Status == http.StatusCreated:
		d.changes, d.last = append(d.changes, [2]string{answer.JSON["transaction_id"].(string), on}), on
	case answer.Status == http.StatusConflict:
	case answer.Status == http.StatusBadRequest && body["settlement_on"] == nil && strings.Contains(string(answer.Body), `"settlement_on"`):
		// it is over already
	default:
		t.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
}

// entry is one of any type.
func (b *bookkeeping) entry(y fiscalYear) fields {
	g := b.groups[b.IntN(len(b.groups))]
	one := func(ids []string) string { return ids[b.IntN(len(ids))] }
	var kind string
	asset := one(g.assets)
	if b.IntN(3) == 0 {
		asset, kind = one(g.drafts), []string{"acquisition", "contribution", "construction", "in_service"}[b.IntN(4)]
	} else {
		kind = []string{"construction", "in_service", "betterment", "estimate", "write_down", "disposal", "transfer", "adjustment"}[b.IntN(8)]
		if b.IntN(4) == 0 {
			asset = one(g.drafts) // or what was new once
		}
	}
	more := fields{"memo": "Écriture; au hasard"}
	switch kind {
	case "construction":
		more["amount"] = b.amount(2_000_000)
		if b.IntN(6) == 0 {
			more["amount"] = -b.amount(10_000)
		}
	case "in_service":
		more["amount"] = b.amount(300_000)
		if b.IntN(3) == 0 {
			more["to_capital_asset_id"] = one(append(g.drafts[:len(g.drafts):len(g.drafts)], g.assets[:10]...))
		}
		more["added_life_years"] = b.IntN(2)
	case "betterment":
		if b.IntN(4) == 0 { // a supplier's credit
			kind = []string{"acquisition", "betterment"}[b.IntN(2)]
			more["amount"] = -b.amount(100_000)
			break
		}
		more["amount"], more["added_life_years"] = b.amount(1_000_000), b.IntN(3)*2
	case "estimate":
		switch b.IntN(3) {
		case 0:
			more["useful_life_years"] = 3 + b.IntN(40)
		case 1:
			more["remaining_units"] = 1 + b.IntN(100)
		default:
			more["residual_value"] = b.amount(100_000)
		}
	case "write_down":
		more["amount"] = b.amount(100_000)
		if b.IntN(3) == 0 {
			more["of_work_in_progress"] = true
		}
	case "disposal":
		more["proceeds"] = b.amount(1_000_000)
		switch b.IntN(4) {
		case 0:
			more["share_pct"] = float64(1+b.IntN(999_999)) / 10_000
		case 1:
			more["cost_removed"] = b.amount(200_000)
		case 2:
			if g.pooled {
				more["quantity"] = 1 + b.IntN(20)
			}
		}
	case "transfer":
		switch b.IntN(4) {
		case 0, 1:
			more["to_class_id"] = one(g.classes)
		case 2:
			more["amount"] = b.amount(500_000)
			fallthrough
		default:
			more["to_capital_asset_id"] = one(append(g.drafts[:len(g.drafts):len(g.drafts)], g.assets[:10]...))
		}
	case "adjustment":
		more["cost_change"], more["accumulated_change"] = money(ledger.Cents(b.IntN(20_000)-10_000)), money(ledger.Cents(b.IntN(10_000)-5_000))
	default:
		more["amount"] = b.amount(50_000_000)
		if kind == "acquisition" && b.IntN(4) == 0 {
			more["in_service_on"] = y.first.AddDate(0, 0, -1-b.IntN(6000)).Format(time.DateOnly)
		}
	}
	return entryOf(asset, kind, b.on(y), more)
}

// reopenAndCloseAgain reopens a year to correct it.
func (b *bookkeeping) reopenAndCloseAgain(t testing.TB, year int) {
	t.Helper()
	b.Must(t, http.StatusOK, "POST", fmt.Sprintf("%s/%d/reopen", yearsPath, year), fields{"reason": "Factures retrouvées"})
	b.keep(t, b.year(t, year), b.perYear/10)
	b.close(t, year)
}

// audit gives the second program what the API gives out, and expects that it agrees. It gives how many figures were compared.
func (b *bookkeeping) audit(t testing.TB, first, last int) int {
	t.Helper()
	told := map[string]any{}
	for name, collection := range map[string]string{"fiscal_years": "fiscal_years", "classes": "capital_asset_classes",
		"capital_assets": "capital_assets", "retirement_obligations": "retirement_obligations", "transactions": "capital_asset_transactions"} {
		told[name] = b.records(t, pathOf(collection))
	}
	schedules, obligations := map[int]any{}, map[int]any{}
	for year := first; year <= last; year++ {
		shown := map[string]any{
			"capital_asset": map[string]any{"data": b.records(t, fmt.Sprintf("/v1/accounting/schedule/capital-assets?fiscal_year=%d", year))},
		}
		for _, by := range []string{"class", "category"} {
			shown[by] = json.RawMessage(b.Must(t, http.StatusOK, "GET",
				fmt.Sprintf("/v1/accounting/schedule?fiscal_year=%d&group_by=%s", year, by), nil).Body)
		}
		schedules[year] = shown
		obligations[year] = json.RawMessage(b.Must(t, http.StatusOK, "GET",
			fmt.Sprintf("/v1/accounting/schedule/retirement-obligations?fiscal_year=%d", year), nil).Body)
	}
	told["schedules"], told["obligation_schedules"] = schedules, obligations
	document, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Compared, Wrong int
		Types           map[string]int
		First           []string
	}
	out := run(t, bytes.NewReader(document), "/usr/bin/python3", "-B", "testdata/audit.py")
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%d figures were compared, of %v", found.Compared, found.Types)
	if found.Wrong > 0 {
		t.Errorf("%d figures do not agree:\n%s", found.Wrong, strings.Join(found.First, "\n"))
	}
	for kind := range postable {
		if found.Types[kind] < 5 {
			t.Errorf("only %d entries are %s", found.Types[kind], kind)
		}
	}
	for _, kind := range []string{"obligation opening", "obligation recognized", "obligation revised", "retirement_cost", "accretion",
		"settlement", "settlement of a part"} {
		if found.Types[kind] < 3 {
			t.Errorf("only %d entries are %s", found.Types[kind], kind)
		}
	}
	if b.undone == 0 || b.deleted == 0 {
		t.Errorf("%d changes of retirement obligations were undone, %d obligations deleted", b.undone, b.deleted)
	}
	if found.Types["in_service to another"] == 0 || found.Types["transfer to a class"] == 0 || found.Compared < 10*b.openings {
		t.Errorf("the test did not try what it should: %+v", found)
	}
	return found.Compared
}

// records are those of a stream.
func (b *bookkeeping) records(t testing.TB, path string) json.RawMessage {
	t.Helper()
	lines := bytes.TrimSpace(b.Must(t, http.StatusOK, "GET", path, nil, "Accept", "application/x-ndjson").Body)
	return append(append([]byte("["), bytes.ReplaceAll(lines, []byte("\n"), []byte(","))...), ']')
}

// run runs a program of other people's.
func run(t testing.TB, in *bytes.Reader, program string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Stdin = in
	out, err := command.Output()
	if err != nil {
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			t.Fatalf("%s: %v\n%s%s", program, err, out, exit.Stderr)
		}
		t.Fatal(err)
	}
	return out
}
