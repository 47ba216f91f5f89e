package assets

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/resource/resourcetest"
)

// ledger lets the accounting service have capital assets of records, by their ids.
func ledger(t *testing.T, peers *resourcetest.Peers, of map[string][]fields) {
	t.Helper()
	peers.Handle("accounting", bookvalue.OfRecords.URLPath(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var query bookvalue.Query
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
			t.Error(err)
		}
		data := []fields{}
		for _, id := range query.IDs {
			if of[id] != nil {
				data = append(data, fields{"id": id, "capital_assets": of[id]})
			}
		}
		_ = json.NewEncoder(w).Encode(fields{"data": data})
	}))
}

func TestCapitalAssetsAreShownBesideWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	client, _, peers := serveAmong(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Parc"})["id"].(string)
	building := client.Create(t, "/v1/buildings", fields{"name": "Aréna", "site_id": site})["id"].(string)
	system := client.Create(t, "/v1/systems", fields{"name": "Toiture", "building_id": building})["id"].(string)
	var assets []string
	for n := range 3 {
		assets = append(assets, client.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Pompe ", n), "system_id": system})["id"].(string))
	}
	one := fields{"id": site, "number": "TCA-000001", "cost": 120000.5, "net_book_value": 74400.25, "balances_as_of": "2026-12-31"}
	two := fields{"id": system, "number": nil, "cost": 0.0, "net_book_value": 0.0, "balances_as_of": nil}
	ledger(t, peers, map[string][]fields{assets[0]: {one, two}, assets[1]: {one}, site: {one}, building: {one}, system: {two}})

	same := func(where string, got any, want ...fields) {
		t.Helper()
		if want == nil {
			want = []fields{}
		}
		expected, _ := json.Marshal(want)
		shown, _ := json.Marshal(got)
		if string(shown) != string(expected) {
			t.Errorf("%s: %s, want %s", where, shown, expected)
		}
	}
	before := peers.Requests(bookvalue.OfRecords.URLPath())
	records, _ := client.List(t, "/v1/assets?expand=capital_assets,system")
	same("several of a record", records[0]["capital_assets"], one, two)
	same("several records", records[1]["capital_assets"], one)
	same("none", records[2]["capital_assets"])
	if asked := peers.Requests(bookvalue.OfRecords.URLPath()) - before; asked != 1 {
		t.Errorf("a page asks %d times", asked)
	}
	if ids := peers.LastRequest(bookvalue.OfRecords.URLPath())["ids"].([]any); len(ids) != 3 {
		t.Errorf("asked for %v", ids)
	}
	for path, want := range map[string]fields{"/v1/sites/" + site: one, "/v1/buildings/" + building: one, "/v1/systems/" + system: two} {
		same(path, client.Must(t, http.StatusOK, "GET", path+"?expand=capital_assets", nil).JSON["capital_assets"], want)
	}
	csv := string(client.Must(t, http.StatusOK, "GET", "/v1/assets?fields=name&expand=capital_assets", nil, "Accept", "text/csv").Body)
	if lines := strings.Split(csv, "\n"); lines[0] != "name,capital_assets" || !strings.Contains(lines[1], `""number"":""TCA-000001""`) ||
		lines[3] != "Pompe 2,[]" {
		t.Errorf("CSV: %q", lines)
	}

	peers.Refuse(bookvalue.OfRecords.URLPath())
	client.Must(t, http.StatusServiceUnavailable, "GET", "/v1/assets?expand=capital_assets", nil)
	client.Must(t, http.StatusOK, "GET", "/v1/assets", nil)
	peers.Restore(bookvalue.OfRecords.URLPath())

	restricted := *client
	restricted.Principal.Scopes = []string{"assets:read", "systems:read"}
	if refused := restricted.Must(t, http.StatusForbidden, "GET",
		"/v1/assets?expand=capital_assets", nil); refused.JSON["code"] != "scope_missing" {
		t.Errorf("without accounting:read: %s", refused.Body)
	}
	restricted = *client
	restricted.Principal.Features = slices.DeleteFunc(slices.Clone(client.Principal.Features),
		func(feature string) bool { return feature == "accounting" })
	if refused := restricted.Must(t, http.StatusForbidden, "GET",
		"/v1/assets?expand=capital_assets", nil); refused.JSON["code"] != "feature_not_in_plan" {
		t.Errorf("without the feature: %s", refused.Body)
	}
}

// What v1 has in each of its answers stays there; nothing is computed for it, by whatever facts the asset has.
func TestTheBookValueOfTheRegisterIsNull(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Chaudière", "acquisition_cost": 120000, "acquisition_date": "2016-07-01",
		"expected_useful_life_years": 25, "residual_value": 20000, "amortization_method": "none"})
	shown := client.Must(t, http.StatusOK, "GET", "/v1/assets/"+asset["id"].(string)+"?fields=net_book_value", nil)
	if got := strings.TrimSpace(string(shown.Body)); got != `{"net_book_value":null}` {
		t.Errorf("%s", got)
	}
	asset["net_book_value"] = 72000
	if sent := client.Must(t, http.StatusOK, "PATCH", "/v1/assets/"+asset["id"].(string), asset).JSON; sent["version"] != 1.0 ||
		sent["net_book_value"] != nil {
		t.Errorf("sent back as it was read once: %v", sent)
	}
	if csv := string(client.Must(t, http.StatusOK, "GET", "/v1/assets?fields=name,net_book_value", nil, "Accept",
		"text/csv").Body); csv != "name,net_book_value\nChaudière,\n" {
		t.Errorf("CSV: %q", csv)
	}
	// as ever: it was neither sorted nor filtered by
	for _, query := range []string{"sort=net_book_value", "net_book_value_min=1", "net_book_value=1"} {
		client.Must(t, http.StatusBadRequest, "GET", "/v1/assets?"+query, nil)
	}
}
