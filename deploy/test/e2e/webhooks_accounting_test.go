package e2e

import (
	"fmt"
	"testing"
)

// provokeAccounting has a year closed and reopened, an obligation settled, and all of a capital asset disposed of. What stays on record
// refers to nothing of the fixture.
func provokeAccounting(t *testing.T, c caller) {
	t.Helper()
	const years = "/v1/accounting/fiscal-years"
	next := c.create(t, years, map[string]any{"fiscal_year": 2026}) // nothing is posted to it
	c.must(t, 204, "DELETE", fmt.Sprint(years, "/", next), nil)
	class := c.create(t, "/v1/accounting/classes", map[string]any{"name": "Told", "category": "buildings", "useful_life_years": 25})
	asset := c.create(t, "/v1/accounting/capital-assets", map[string]any{"name": "Told to be disposed of", "class_id": class})
	post := func(kind, day string, amount any) {
		t.Helper()
		body := map[string]any{"capital_asset_id": asset, "type": kind, "effective_on": day}
		if amount != nil {
			body["amount"] = amount
		}
		c.create(t, "/v1/accounting/transactions", body)
	}
	post("acquisition", "2025-12-15", 120000)
	c.must(t, 201, "POST", years+"/2025/close", map[string]any{})
	await(t, c, years+"/2025/close", "the year to be closed", func(job map[string]any) bool { return job["state"] == "done" })
	c.must(t, 200, "POST", years+"/2025/reopen", map[string]any{"reason": "An invoice of December was found"})
	obligation := c.create(t, "/v1/accounting/retirement-obligations", map[string]any{"capital_asset_id": asset, "name": "Told to be settled",
		"kind": "asbestos", "estimated_cost": 50000, "recognized_on": "2025-12-16", "settlement_on": "2045-12-16", "discount_rate_pct": 4})
	c.must(t, 201, "POST", fmt.Sprint("/v1/accounting/retirement-obligations/", obligation, "/settle"),
		map[string]any{"effective_on": "2025-12-17", "paid": 30000})
	post("disposal", "2025-12-20", nil)
}
