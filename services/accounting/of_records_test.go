package accounting

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/resource/resourcetest"
)

// linkAsset has a capital asset stand for an asset.
func (f *fixture) linkAsset(t testing.TB, capitalAsset, asset string) {
	t.Helper()
	f.keepAsset(asset)
	f.link(t, capitalAsset, "asset", asset)
}

// ofRecords asks as the owner of records does, and gives "number cost value as of" of each capital asset, by record.
func ofRecords(t testing.TB, client *resourcetest.Client, ids ...string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, of := range client.Must(t, http.StatusOK, "POST", bookvalue.OfRecords.URLPath(), fields{"ids": ids}).JSON["data"].([]any) {
		of := of.(fields)
		for _, each := range of["capital_assets"].([]any) {
			c := each.(fields)
			found[of["id"].(string)] = append(found[of["id"].(string)],
				fmt.Sprint(c["number"], " ", c["cost"], " ", c["net_book_value"], " ", c["balances_as_of"]))
		}
	}
	return found
}

func TestTheCapitalAssetsOfRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2024, 2025)
	class := f.class(t, "half_year", 25, nil)
	one, several, draft := f.asset(t, class, fields{"number": "TCA-B"}), f.asset(t, class, fields{"number": "TCA-A"}), f.asset(t, class,
		fields{"number": "TCA-C"})
	f.post(t, one, "acquisition", "2024-04-03", fields{"amount": 120000})
	f.post(t, several, "acquisition", "2025-04-03", fields{"amount": 0.5})
	first, second, none := uuid.NewString(), uuid.NewString(), uuid.NewString()
	f.linkAsset(t, one, first)
	f.linkAsset(t, several, first)
	f.linkAsset(t, draft, first)
	f.linkAsset(t, several, second)
	f.close(t, 2024)
	check := func(want map[string][]string, got map[string][]string) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	check(map[string][]string{first: {"TCA-A 0.5 0.5 2024-12-31", "TCA-B 120000 117600 2024-12-31", "TCA-C 0 0 2024-12-31"},
		second: {"TCA-A 0.5 0.5 2024-12-31"}}, ofRecords(t, f.Client, first, second, none))
	check(map[string][]string{second: {"TCA-A 0.5 0.5 2024-12-31"}}, ofRecords(t, f.Client, second))
	f.Must(t, http.StatusOK, "PATCH", pathOf("capital_assets")+"/"+several, fields{"number": nil})
	check(map[string][]string{second: {"<nil> 0.5 0.5 2024-12-31"}}, ofRecords(t, f.Client, second))
	check(map[string][]string{}, ofRecords(t, f.Client))
	shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+one, nil).JSON
	says(t, shown, fields{"cost": 120000.0, "net_book_value": 117600.0, "balances_as_of": "2024-12-31"}) // one engine for the word

	check(map[string][]string{}, ofRecords(t, f.Other(), first, second))
	f.Must(t, http.StatusBadRequest, "POST", bookvalue.OfRecords.URLPath(), fields{"ids": make([]string, 1001)})
}

// A record has as many capital assets as it likes; the first are shown.
func TestTheFirstCapitalAssetsOfARecordAreShown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	class, record := f.class(t, "half_year", 25, nil), uuid.NewString()
	for range bookvalue.MaxShown + 3 {
		f.linkAsset(t, f.asset(t, class, nil), record)
	}
	found := ofRecords(t, f.Client, record)[record]
	if len(found) != bookvalue.MaxShown || !strings.HasPrefix(found[0], "TCA-000001 ") ||
		!strings.HasPrefix(found[bookvalue.MaxShown-1], fmt.Sprintf("TCA-%06d ", bookvalue.MaxShown)) {
		t.Errorf("%d: %v", len(found), found)
	}
	if all, _ := f.List(t, pathOf("capital_assets")+"?linked_to="+record); len(all) != bookvalue.MaxShown+3 {
		t.Errorf("%d are linked to the record", len(all))
	}
}
