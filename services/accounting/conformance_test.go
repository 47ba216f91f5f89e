package accounting

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixtureAlone(t)
	t.Run("classes", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[CapitalAssetClass]{Definition: classes, Client: f.Client, Path: pathOf(classes.Collection),
			Make: makeClass, Keep: []string{"useful_life_years"}})
	})
	t.Run("capital assets", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[CapitalAsset]{Definition: f.accounting.capitalAssets(), Client: f.Client,
			Path: pathOf("capital_assets"), Make: makeCapitalAsset, Keep: []string{"quantity", "useful_life_years"}})
	})
	t.Run("links", func(t *testing.T) {
		asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
		resourcetest.Run(t, resourcetest.Suite[CapitalAssetLink]{Definition: links, Client: f.Client, Path: pathOf("capital_assets") + "/" +
			asset + "/links", Make: func(_ testing.TB, _ *resourcetest.Client, n int) fields {
			id := fmt.Sprintf("019a3c5e-7d1b-7c3a-9f59-3b8f%08x", n)
			f.keepAsset(id)
			return fields{"target_type": "asset", "target_id": id, "note": "Fondation", "external_id": fmt.Sprintf("link-%d", n),
				"tags": []string{"voirie"}, "custom_fields": fields{"lot": 3.0}}
		}})
	})
	t.Run("transactions", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[CapitalAssetTransaction]{Definition: f.accounting.transactions(), Client: f.Client,
			Path: transactionsPath, Make: makeTransaction})
	})
	t.Run("retirement obligations", func(t *testing.T) {
		resourcetest.Run(t, resourcetest.Suite[RetirementObligation]{Definition: f.accounting.obligations(),
			Client: f.Client, Path: obligationsPath, Make: makeObligation,
			Keep: []string{"capital_asset_id", "estimated_cost", "recognized_on", "settlement_on", "discount_rate_pct", "opening"}})
	})
}

func makeClass(_ testing.TB, _ *resourcetest.Client, n int) fields {
	return fields{"name": fmt.Sprintf("Ordinateurs %d", n), "code": fmt.Sprintf("ORD-%d", n),
		"category": "information_technology", "method": "straight_line", "useful_life_years": 5,
		"convention": "month", "capitalization_threshold": 2500.5, "pooled": true, "remove_when_amortized": true,
		"accounts":    fields{"asset": "1-1500", "accumulated_amortization": "1-1590", "amortization_expense": "5-6000"},
		"external_id": fmt.Sprintf("class-%d", n), "tags": []string{"tic"}, "custom_fields": fields{"lot": 4.0}}
}

// pools is a class that is a pool, by the organization that has it. The tests of a suite run at once.
var (
	pools   = map[string]any{}
	poolsMu sync.Mutex
)

func poolOf(t testing.TB, client *resourcetest.Client) any {
	poolsMu.Lock()
	defer poolsMu.Unlock()
	organization := client.Principal.OrganizationID
	if pools[organization] == nil {
		pools[organization] = client.Create(t, pathOf("capital_asset_classes"), makeClass(t, client, 1_000_000))["id"]
		client.Create(t, yearsPath, fields{"fiscal_year": 2026})
	}
	return pools[organization]
}

// inService is a capital asset that is in service.
func inService(t testing.TB, client *resourcetest.Client) any {
	class := poolOf(t, client)
	poolsMu.Lock()
	defer poolsMu.Unlock()
	key := "in service " + client.Principal.OrganizationID
	if pools[key] == nil {
		pools[key] = client.Create(t, pathOf("capital_assets"), fields{"name": "Portables", "class_id": class, "quantity": 10})["id"]
		client.Create(t, transactionsPath,
			fields{"capital_asset_id": pools[key], "type": "acquisition", "effective_on": "2026-01-15", "amount": 20000})
	}
	return pools[key]
}

func makeCapitalAsset(t testing.TB, client *resourcetest.Client, n int) fields {
	return fields{"name": fmt.Sprintf("Portables %d", n), "number": fmt.Sprintf("P-%d", n), "class_id": poolOf(t, client),
		"acquisition": "leased", "useful_life_years": 4, "residual_value": 100.25, "quantity": 40, "service_category": "library",
		"department": "Bibliothèque", "project_id": projectOfOthers, "notes": "reconditionnés",
		"external_id": fmt.Sprintf("capital-asset-%d", n), "tags": []string{"tic"}, "custom_fields": fields{"lot": 5.0}}
}

func makeTransaction(t testing.TB, client *resourcetest.Client, n int) fields {
	asset := client.Create(t, pathOf("capital_assets"),
		fields{"name": "Portables " + uuid.NewString(), "class_id": poolOf(t, client), "quantity": 10})["id"]
	return fields{"capital_asset_id": asset, "type": "acquisition", "effective_on": "2026-0" + strconv.Itoa(1+n%9) + "-15",
		"amount": 2000.25 + float64(n), "below_threshold": true, "memo": fmt.Sprintf("Facture %d", n),
		"external_id": fmt.Sprintf("transaction-%d", n), "tags": []string{"tic"}, "custom_fields": fields{"lot": 6.0}}
}

func makeObligation(t testing.TB, client *resourcetest.Client, n int) fields {
	return fields{"capital_asset_id": inService(t, client), "name": fmt.Sprintf("Amiante %d", n),
		"kind": "asbestos", "estimated_cost": 1000.5 + float64(n), "recognized_on": "2026-02-01",
		"settlement_on": "2031-02-01", "discount_rate_pct": 3.25, "opening": false, "notes": "au sous-sol",
		"external_id": fmt.Sprintf("obligation-%d", n), "tags": []string{"bâtiments"}, "custom_fields": fields{"lot": 7.0}}
}
