package assets

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/assets"
	"ams.internal/libs/domain/deficiencies"
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

// mountPrices serves the prices of a year to the infrastructure service, which adds up the costs of networks.
func (f family) mountPrices() {
	transport.Internal(f.registry.API, contract.Prices, func(ctx context.Context, in contract.PricesRequest) (prices.Table, error) {
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

// cost is where the amounts of a row are read from: SQL expressions, and the joins behind the row's own table that they need. Deferred
// maintenance is typed, or found: what the row's deficiencies cost in the year of the figures, and later, at the horizon. One of the two is
// NULL.
type cost struct{ cost, typed, found, later, restated, joins string }

// deferred is the deferred maintenance at the horizon, whatever it comes from.
func (c cost) deferred() string { return "coalesce(" + c.later + ", " + c.typed + ")" }

// money is where all amounts of a rollup are read from.
type money struct {
	asset, system, building, site cost
	restatedAssets                string // the columns restated and restated_value of place: assets in the wanted prices, and their cost
}

var asRecorded = money{recordedIn("a", true), recordedIn("s", true), recordedIn("b", false), recordedIn("p", false),
	"0 AS restated, 0 AS restated_value,"}

func recordedIn(t string, typed bool) cost {
	c := cost{cost: stated(t, t+".replacement_cost"), typed: "NULL::numeric", found: deficiencies.Deferred(t, year),
		later: deficiencies.Deferred(t, year+" + "+horizon), restated: "false"}
	if typed {
		c.typed = "CASE WHEN " + t + ".deficiency_years IS NULL THEN " + t + ".deferred_maintenance_cost END"
	}
	return c
}

// stated is a replacement cost as it goes before the sum of the parts: one of 0 on a building or a system says nothing. An asset has no
// parts, and its 0 is a value of nothing either way.
func stated(t, cost string) string {
	if t == "a" {
		return cost
	}
	return "nullif(" + cost + ", 0)"
}

// inPrices has the amounts in the prices of one year. Those of a system are of its building's service, else its site's; the aliases b and p
// are there with systems and buildings.
var inPrices = money{
	asset: brought("a", true, indicators.ServiceCategoryOfAsset("a", "ab", "ap"),
		"coalesce(a.replacement_cost_year, extract(year FROM a.replacement_cost_as_of)::int)",
		"extract(year FROM a.deferred_maintenance_as_of)::int",
		` LEFT JOIN {building} ab ON ab.organization_id = current_organization() AND ab.id = a.building_id
		LEFT JOIN {site} ap ON ap.organization_id = current_organization() AND ap.id = a.site_id`),
	system: brought("s", true, "coalesce(CASE WHEN b.id IS NOT NULL THEN "+indicators.ServiceCategoryOfBuilding("b")+
		" END, p.service_category, 'other')", "s.replacement_cost_year", "NULL::int", ""),
	restatedAssets: "count(a.replacement_cost) FILTER (WHERE " + prices.Known("av") + ") AS restated, coalesce(sum(" +
		prices.In("av", "a.replacement_cost") + ") FILTER (WHERE " + prices.Known("av") + "), 0) AS restated_value,",
	building: brought("b", false, indicators.ServiceCategoryOfBuilding("b"), "b.replacement_cost_year", "NULL::int", ""),
	site:     brought("p", false, "coalesce(p.service_category, 'other')", "NULL::int", "NULL::int", ""),
}

// brought reads the amounts of alias t in the wanted prices. Typed deferred maintenance is in prices of the year that it was said in, else,
// as part of the same estimate, of that of the replacement cost. That of deficiencies is in prices of their cost year; where they are of
// several, mixed has it.
func brought(t string, typed bool, category, costYear, deferredYear, joins string) cost {
	recorded := recordedIn(t, typed)
	joins += prices.Join(t+"v", category, costYear) + prices.Join(t+"d", category,
		"CASE WHEN "+t+".deficiency_years IS NULL THEN coalesce("+deferredYear+", "+costYear+") ELSE "+t+".deficiency_cost_year END") +
		" LEFT JOIN mixed " + t + "m ON " + t + "m.record_id = " + t + ".id"
	found := func(recorded, mixed string) string {
		return "CASE WHEN " + t + ".deficiency_cost_year = 0 THEN " + t + "m." + mixed + " ELSE " + prices.In(t+"d", recorded) + " END"
	}
	return cost{cost: stated(t, prices.In(t+"v", t+".replacement_cost")), typed: prices.In(t+"d", recorded.typed),
		found: found(recorded.found, "found"), later: found(recorded.later, "later"), restated: prices.Known(t + "v"), joins: joins}
}

// mixedSQL gives mixed: of each record whose deficiencies have costs of several years, what they add up to in the wanted prices. Those of
// one cost year are brought to them together, as one cost.
var mixedSQL = func() string {
	of := func(table, joins, category string) string {
		sums := "coalesce(sum(d.estimated_cost) FILTER (WHERE " + deficiencies.Due("d", year) + "), 0) AS found, " +
			"coalesce(sum(d.estimated_cost) FILTER (WHERE " + deficiencies.Due("d", year+" + "+horizon) + "), 0) AS later"
		return "SELECT m.record_id, sum(" + prices.In("mv", "m.found") + ") AS found, sum(" + prices.In("mv", "m.later") + ") AS later FROM (" +
			"SELECT d.record_id, d.cost_year, " + category + " AS category, " + sums + " FROM {" +
			table + "} r JOIN {deficiency} d ON d.record_id = r.id " + joins +
			" WHERE r.organization_id = current_organization() AND r.deficiency_cost_year = 0 AND d.counts AND d.estimated_cost IS NOT NULL " +
			"GROUP BY 1, 2, 3) m" + prices.Join("mv", "m.category", "m.cost_year") + " GROUP BY 1"
	}
	place := ` LEFT JOIN {building} mb ON mb.organization_id = current_organization() AND mb.id = r.building_id
		LEFT JOIN {site} mp ON mp.organization_id = current_organization() AND mp.id = r.site_id`
	return ", mixed AS (" + strings.Join([]string{
		of("asset", place, indicators.ServiceCategoryOfAsset("r", "mb", "mp")),
		of("system", place,
			"coalesce(CASE WHEN mb.id IS NOT NULL THEN "+indicators.ServiceCategoryOfBuilding("mb")+" END, mp.service_category, 'other')"),
		of("building", "", indicators.ServiceCategoryOfBuilding("r")), of("site", "", "coalesce(r.service_category, 'other')"),
	}, "\n\tUNION ALL ") + ")"
}()
