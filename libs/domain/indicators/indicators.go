// Package indicators holds the derived figures of asset management, each rule written once: as SQL expressions,
// so that lists, filters, summaries, reports and exports all compute the same number in the same place.
//
// A function that takes t expects the alias of a table (or of a derived table) that has the columns named in its
// comment; a function that takes asOf expects an SQL expression of type date. Only trusted text may be passed: the
// result is pasted into a statement. A figure whose inputs are unknown is NULL, never a guess.
package indicators

import "strings"

// Today is the asOf of figures that are shown beside a record. Sessions run in UTC.
const Today = "CURRENT_DATE"

// uncounted are the states in which a row stands for nothing that an organization has to keep up: not there yet
// (planned), no longer in use for good (decommissioned, abandoned), or gone (disposed, demolished, removed).
var uncounted = []string{"planned", "decommissioned", "abandoned", "disposed", "demolished", "removed"}

// Counts says whether a row takes part in counts, costs and needs. It reads status; a missing row (of an outer
// join) counts, so that a row without a building is judged by itself alone.
func Counts(t string) string {
	return "(" + t + ".status IS NULL OR " + t + ".status NOT IN ('" + strings.Join(uncounted, "','") + "'))"
}
