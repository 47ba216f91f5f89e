package accounting

import "ams.internal/libs/resource"

// capitalAssetTotals are what all capital assets of a list come to. Each is looked up once, and not once for each sum.
var capitalAssetTotals = &resource.Totals{
	Doc: resource.TotalsDoc,
	Join: `LEFT JOIN LATERAL (SELECT y.cost_closing, y.accumulated_closing, y.work_closing FROM capital_asset_year y
		WHERE y.organization_id = t.organization_id AND y.capital_asset_id = t.id ORDER BY y.fiscal_year DESC, y.part DESC LIMIT 1) y ON true`,
	Sums: []resource.Sum{
		{Name: "cost", SQL: "y.cost_closing", Doc: "Historical cost in service."},
		{Name: "accumulated_amortization", SQL: "y.accumulated_closing", Doc: "As of the balances_as_of of each."},
		{Name: "net_book_value", SQL: "y.cost_closing - y.accumulated_closing", Doc: "cost less accumulated_amortization."},
		{Name: "work_in_progress", SQL: "y.work_closing", Doc: "What is not in service yet."},
	},
}
