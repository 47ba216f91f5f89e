package demo

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/calendar"
)

// yearsOf are the two years of an organization's ledger on a day.
func (b blueprint) yearsOf(t *testing.T, today string) (y years) {
	t.Helper()
	own := calendar.Calendar{FiscalYearEndMonth: b.fiscalYearEnd}
	parse := func(text string) time.Time {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return day
	}
	for i, into := range []*year{&y.first, &y.second} {
		start, end := own.Period(own.FiscalYear(today) - 1 + i)
		into.start, into.end = parse(start), parse(end)
	}
	y.today = parse(today)
	return y
}

func TestTheLedgerIsTheSameEveryTimeAndHasEntriesOfAllTypes(t *testing.T) {
	ends := map[int]bool{}
	for _, b := range blueprints() {
		if !b.has("accounting") {
			continue
		}
		ends[b.fiscalYearEnd] = true
		data := b.generate(ids(b))
		for _, today := range []string{"2026-11-21", "2026-01-01", "2026-04-01", "2026-08-31", "2026-09-01", "2028-02-29"} {
			y := b.yearsOf(t, today)
			written := func() books { return b.generator("accounting", ids(b), day, data).books(y) }
			all := written()
			if !reflect.DeepEqual(all, written()) {
				t.Errorf("%s has another one the second time", b.name)
			}
			known, types := map[any]bool{}, map[any]bool{}
			for _, records := range [][]record{all.classes, all.capitalAssets, all.entries} {
				for _, r := range records {
					if known[r["external_id"]] && r["type"] == nil {
						t.Errorf("%s: %v is there twice", b.name, r["external_id"])
					}
					known[r["external_id"]] = true
				}
			}
			for _, e := range all.entries {
				types[e["type"]] = true
				on := e["effective_on"].(string)
				if on < y.first.start.Format(time.DateOnly) || on > today {
					t.Errorf("%s, %s: %v is on %s", b.name, today, e["external_id"], on)
				}
				for _, reference := range []string{"capital_asset_external_id", "to_class_external_id"} {
					if to, given := e[reference]; given && !known[to] {
						t.Errorf("%s: %v names %v", b.name, e["external_id"], to)
					}
				}
			}
			if len(types) != 11 {
				t.Errorf("%s has entries of %v", b.name, types)
			}
			checkAdoptedOf(t, b, all, data)
		}
	}
	if want := map[int]bool{0: true, 3: true, 8: true}; !reflect.DeepEqual(ends, want) {
		t.Errorf("fiscal years end in the months %v", ends)
	}
}

// checkAdoptedOf counts what is adopted: enough to look at, and few enough for a key's calls of a minute.
func checkAdoptedOf(t *testing.T, b blueprint, all books, data dataset) {
	t.Helper()
	adopted := 0
	for _, asset := range data.assets {
		cost, known := asset["acquisition_cost"].(float64)
		for _, code := range adoptedCodes {
			if known && cost >= all.threshold && strings.HasPrefix(fmt.Sprint(asset["uniformat_code"]), code) {
				adopted++
			}
		}
	}
	if adopted < 30 || adopted > 200 {
		t.Errorf("%s adopts %d assets", b.name, adopted)
	}
}
