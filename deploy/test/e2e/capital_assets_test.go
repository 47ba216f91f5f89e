package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every collection whose records capital assets stand for shows them, and the figures are those of the capital assets themselves.
func TestCapitalAssetsAreShownBesideRecords(t *testing.T) {
	c := fresh(t, city)
	mine := newFixture(t, c, "Booked")
	numbers := []any{}
	capitalAsset := func(amount any) string {
		t.Helper()
		id := c.create(t, "/v1/accounting/capital-assets", map[string]any{"name": "Booked", "class_id": mine["capital_asset_class"]})
		c.create(t, "/v1/accounting/transactions",
			map[string]any{"capital_asset_id": id, "type": "acquisition", "effective_on": "2025-12-15", "amount": amount})
		numbers = append(numbers, c.must(t, 200, "GET", "/v1/accounting/capital-assets/"+id, nil).object["number"])
		return id
	}
	capitalAssets := []string{capitalAsset(1000.25), capitalAsset(2000)}
	kinds := []string{"site", "building", "system", "asset", "segment"}
	for _, name := range kinds { // one capital asset of several records, several of a record
		for _, id := range capitalAssets {
			c.create(t, "/v1/accounting/capital-assets/"+id+"/links", map[string]any{"target_type": name, "target_id": mine[name]})
		}
	}
	for _, name := range kinds {
		path := kindOf(t, name).path
		for _, query := range []string{"/" + mine[name] + "?expand=capital_assets", "?expand=capital_assets&ids=" + mine[name]} {
			record := c.must(t, 200, "GET", path+query, nil).object
			if data, isList := record["data"].([]any); isList {
				record = data[0].(map[string]any)
			}
			shown := slices.DeleteFunc(record["capital_assets"].([]any), func(one any) bool { // the fixture's asset has another one
				return one.(map[string]any)["id"] == mine["capital_asset"]
			})
			got, _ := json.Marshal(shown)
			var want []string
			for i, cost := range []string{"1000.25", "2000"} {
				asset := c.must(t, 200, "GET", "/v1/accounting/capital-assets/"+capitalAssets[i], nil).object
				as, _ := json.Marshal(asset["balances_as_of"])
				want = append(want,
					fmt.Sprintf(`{"balances_as_of":%s,"cost":%s,"id":%q,"net_book_value":%s,"number":%q}`, as, cost, capitalAssets[i], cost, numbers[i]))
			}
			if list := "[" + strings.Join(want, ",") + "]"; string(got) != list {
				t.Errorf("%s%s: %s, want %s", path, query, got, list)
			}
		}
	}
	for name, c := range map[string]caller{"accounting:read": freshFor(t, city, "assets:read"),
		"assets:read": freshFor(t, city, "accounting:read")} {
		if refused := c.must(t, 403, "GET", "/v1/assets?expand=capital_assets", nil).body; !strings.Contains(string(refused), name) {
			t.Errorf("without %s: %s", name, refused)
		}
	}
	without, _ := coop(t)
	if refused := without.must(t, 403, "GET", "/v1/assets?expand=capital_assets", nil).body; !strings.Contains(string(refused), "Accounting") {
		t.Errorf("without the feature: %s", refused)
	}
}
