package main

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/transport"
)

// priceTableSQL takes $1 the service categories and $2 the year whose prices are wanted. It gives a row per category that an index applies
// to and value of that index: the index that names the category, else the default one. target is NULL where the index begins after that
// year.
const priceTableSQL = `
SELECT c.category, v.year, coalesce(lead(v.year) OVER (PARTITION BY c.category ORDER BY v.year) - 1, $3::int), v.value::text, t.value::text
FROM unnest($1::text[]) c(category)
CROSS JOIN LATERAL (SELECT i.id FROM price_index i
	WHERE i.organization_id = current_organization() AND (i.is_default OR i.service_categories ? c.category)
	ORDER BY i.service_categories ? c.category DESC LIMIT 1) i
JOIN price_index_value v ON v.organization_id = current_organization() AND v.price_index_id = i.id
LEFT JOIN LATERAL (SELECT t.value FROM price_index_value t
	WHERE t.organization_id = current_organization() AND t.price_index_id = i.id AND t.year <= $2::int
	ORDER BY t.year DESC LIMIT 1) t ON true
ORDER BY 1, 2`

// pricesOf gives what brings costs to the prices of a year.
func (f family) pricesOf(ctx context.Context, year int) (prices.Table, error) {
	table := prices.Table{PricesOf: year, Steps: []prices.Step{}}
	last := map[string]int{} // by category: the last year with a value
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(priceTableSQL, indicators.ServiceCategories, year, prices.LastYear).Query(func(rows pgx.Rows) error {
			var step prices.Step
			var target *string
			_, err := pgx.ForEachRow(rows, []any{&step.Category, &step.FromYear, &step.ThroughYear, &step.Value, &target}, func() error {
				last[step.Category] = step.FromYear
				if target != nil {
					step.Target = *target
					table.Steps = append(table.Steps, step)
				}
				return nil
			})
			return err
		})
	})
	for _, year := range last {
		if table.IndexedThrough == nil || year < *table.IndexedThrough {
			table.IndexedThrough = &year
		}
	}
	return table, err
}

// PricesRequest is another service's request for the prices of a year.
type PricesRequest struct {
	PricesOf int `json:"prices_of" required:"true"`
}

// mountPrices serves the prices of a year to the infrastructure service, which adds up the costs of networks.
func (f family) mountPrices() {
	transport.Internal(f.registry.API, "/prices", func(ctx context.Context, in PricesRequest) (prices.Table, error) {
		return f.pricesOf(ctx, in.PricesOf)
	})
}

// yearOf is the wanted year of prices, or that of the day of the figures.
func yearOf(asOf string, pricesOf *int) int {
	if pricesOf != nil {
		return *pricesOf
	}
	year, _ := strconv.Atoi(asOf[:4]) // a date
	return year
}

// priceSQL gives price, which the statement's form asRecorded does not read.
var priceSQL = prices.Rows("$3")

// cost is where the amounts of a row are read from: SQL expressions, and the joins behind the row's own table that they need.
type cost struct{ cost, deferred, restated, joins string }

// money is where all amounts of a rollup are read from.
type money struct {
	asset, system, building cost
	restatedAssets          string // the columns restated and restated_value of place: assets in the wanted prices, and their cost
}

var asRecorded = money{recordedIn("a"), recordedIn("s"), recordedIn("b"), "0 AS restated, 0 AS restated_value,"}

func recordedIn(t string) cost {
	return cost{cost: t + ".replacement_cost", deferred: t + ".deferred_maintenance_cost", restated: "false"}
}

// inPrices has the amounts in the prices of one year. Those of a system are of its building's service, else its site's; the aliases b and p
// are there with systems and buildings.
var inPrices = money{
	asset: brought("a", indicators.ServiceCategoryOfAsset("a", "ab", "ap"),
		"coalesce(a.replacement_cost_year, extract(year FROM a.replacement_cost_as_of)::int)",
		"extract(year FROM a.deferred_maintenance_as_of)::int",
		` LEFT JOIN {building} ab ON ab.organization_id = current_organization() AND ab.id = a.building_id
		LEFT JOIN {site} ap ON ap.organization_id = current_organization() AND ap.id = a.site_id`),
	system: brought("s", "coalesce(CASE WHEN b.id IS NOT NULL THEN "+indicators.ServiceCategoryOfBuilding("b")+
		" END, p.service_category, 'other')", "s.replacement_cost_year", "", ""),
	restatedAssets: "count(a.replacement_cost) FILTER (WHERE " + prices.Known("av") + ") AS restated, coalesce(sum(" +
		prices.In("av", "a.replacement_cost") + ") FILTER (WHERE " + prices.Known("av") + "), 0) AS restated_value,",
	building: brought("b", indicators.ServiceCategoryOfBuilding("b"), "b.replacement_cost_year", "", ""),
}

// brought reads the amounts of alias t in the wanted prices. Deferred maintenance is in prices of the year that it was said in, else, as
// part of the same estimate, of that of the replacement cost.
func brought(t, category, year, deferredYear, joins string) cost {
	ofDeferred := t + "v"
	joins += prices.Join(t+"v", category, year)
	if deferredYear != "" {
		ofDeferred = t + "d"
		joins += prices.Join(ofDeferred, category, "coalesce("+deferredYear+", "+year+")")
	}
	return cost{cost: prices.In(t+"v", t+".replacement_cost"), deferred: prices.In(ofDeferred, t+".deferred_maintenance_cost"),
		restated: prices.Known(t + "v"), joins: joins}
}
