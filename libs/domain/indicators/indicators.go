// Package indicators has the computed indicators of asset management as SQL expressions. Each rule is written once, so that lists,
// filters, summaries, reports and exports all compute the same number in the database.
//
// A function that takes t expects the alias of a table (or of a derived table) that has the columns named in its
// comment; a function that takes asOf expects an SQL expression of type date. Only trusted text may be passed: the
// result becomes part of a statement. An indicator whose inputs are unknown is NULL, never a guess.
package indicators

import "strings"

// Today is the asOf of indicators that are shown with a record. Sessions run in UTC.
const Today = "CURRENT_DATE"

// uncounted are the states in which an organization has nothing to maintain: the thing is not there yet (planned), is out of use for
// good (decommissioned, abandoned), or no longer exists (disposed, demolished, removed).
var uncounted = []string{"planned", "decommissioned", "abandoned", "disposed", "demolished", "removed"}

// Counts is whether a row takes part in counts, costs and needs. It reads status; a missing row (of an outer
// join) counts, so that a row without a building is judged by itself alone.
func Counts(t string) string {
	return "(" + t + ".status IS NULL OR " + t + ".status NOT IN ('" + strings.Join(uncounted, "','") + "'))"
}
