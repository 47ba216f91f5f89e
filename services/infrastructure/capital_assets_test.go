package infrastructure

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestCapitalAssetsAreShownBesideSegments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := f.Create(t, "/v1/infrastructure/networks", fields{"name": "Rues", "asset_class": "road"})["id"]
	first := f.Create(t, "/v1/infrastructure/segments", fields{"name": "Rue Principale", "network_id": network})["id"].(string)
	f.Create(t, "/v1/infrastructure/segments", fields{"name": "Rue du Parc", "network_id": network})
	f.ledger = map[string]any{first: []fields{{"id": site, "number": "TCA-000001", "cost": 120000, "net_book_value": 74400,
		"balances_as_of": "2026-12-31"}, {"id": site, "number": "TCA-000002", "cost": 0, "net_book_value": 0, "balances_as_of": nil}}}
	records, _ := f.List(t, "/v1/infrastructure/segments?expand=capital_assets,network")
	if of := records[0]["capital_assets"].([]any); len(of) != 2 || of[0].(fields)["net_book_value"] != 74400.0 ||
		of[1].(fields)["balances_as_of"] != nil {
		t.Errorf("the first has %v", of)
	}
	if of := records[1]["capital_assets"].([]any); len(of) != 0 || f.ledgerAsked != 1 {
		t.Errorf("the second has %v; asked %d times", of, f.ledgerAsked)
	}
	features := string(f.Must(t, http.StatusOK, "GET", "/v1/infrastructure/segments?expand=capital_assets&fields=name", nil, "Accept",
		"application/geo+json").Body)
	if !strings.Contains(features, `"properties":{"name":"Rue Principale","capital_assets":[{`) ||
		!strings.Contains(features, `"properties":{"name":"Rue du Parc","capital_assets":[]}`) {
		t.Errorf("features: %s", features)
	}
	f.Principal.Scopes = []string{"infrastructure:read"}
	if refused := f.Must(t, http.StatusForbidden, "GET", "/v1/infrastructure/segments?expand=capital_assets",
		nil); refused.JSON["code"] != "scope_missing" || !strings.Contains(fmt.Sprint(refused.JSON["error"]), "accounting:read") {
		t.Errorf("without accounting:read: %s", refused.Body)
	}
}
