// Package prices converts costs of different years to the prices of one year, by an organization's own price indexes. A cost in
// prices of P is round(cost × I(P) / I(Y), 2), where Y is the year whose prices it is in and I the price index of its service
// category. Each row is converted before it is added up.
//
// The assets service keeps the indexes and gives the Table; whoever adds up costs joins it to the rows.
package prices

import "encoding/json"

// LastYear is the last year that a cost can be in prices of.
const LastYear = 2200

// Table is what is needed to bring costs to the prices of one year.
type Table struct {
	PricesOf       int    `json:"prices_of" doc:"The year whose prices costs are brought to."`
	IndexedThrough *int   `json:"indexed_through" doc:"The last year of which every index that applies has a value; that value counts afterwards. Null without an index."`
	Steps          []Step `json:"steps" doc:"What the indexes were, by service category and year."`
}

// Step is what an index was in some years. Before its first step a cost stays as it was recorded.
type Step struct {
	Category    string `json:"category" doc:"Service category that the index applies to."`
	FromYear    int    `json:"from_year"`
	ThroughYear int    `json:"through_year"`
	Value       string `json:"value" doc:"The index in these years, a decimal number."`
	Target      string `json:"target" doc:"The index in the year whose prices are wanted, a decimal number."`
}

// Empty reports whether all costs stay as they were recorded.
func (t Table) Empty() bool { return len(t.Steps) == 0 }

// JSON is the steps as the parameter that Rows reads.
func (t Table) JSON() string {
	encoded, _ := json.Marshal(t.Steps) // numbers and texts
	return string(encoded)
}

// Rows is a common table expression with the name price: category, year, value and target. parameter is a parameter of the statement that
// has a Table's JSON. The quotient of value and target has 18 decimals more than it needs, so that it is rounded once.
func Rows(parameter string) string {
	return `price AS MATERIALIZED (
	SELECT step.category, y AS year, step.value * 1.000000000000000000 AS value, step.target * 1.000000000000000000 AS target
	FROM jsonb_to_recordset(coalesce(nullif(` + parameter + `::jsonb, 'null'), '[]'))
		AS step(category text, from_year int, through_year int, value numeric, target numeric),
			generate_series(step.from_year, step.through_year) y
)`
}

// Join joins the price of a category and a year, both SQL expressions, as alias. A row without one has NULLs.
func Join(alias, category, year string) string {
	return " LEFT JOIN price " + alias + " ON " + alias + ".category = " + category + " AND " + alias + ".year = " + year
}

// Known is whether the joined price is there: else the cost stays as it was recorded.
func Known(alias string) string { return "(" + alias + ".year IS NOT NULL)" }

// In is a cost brought to the wanted prices, to the cent, half a cent away from zero.
func In(alias, cost string) string {
	return "CASE WHEN " + alias + ".year IS NULL THEN " + cost + " ELSE round(" + cost + " * " + alias + ".target / " + alias +
		".value, 2) END"
}
