package deficiencies

import (
	"fmt"
	"strings"
)

// Deferred maintenance follows from deficiencies: of a record x and a year Y it is the sum of the estimated costs of x's live deficiencies
// of a category that counts, with an action_year that is null or at most Y. Accessibility and functional findings are improvements, and a
// renewal counts by the record's planned_renewal_year (FCI after APPA and NACUBO, Managing the Facilities Portfolio). From the first
// deficiency that is not void it replaces the figure that was typed, also at 0.

// live are the states in which something is still to be done, and counting the categories that count as deferred maintenance.
var (
	live     = []string{"open", "planned", "in_work"}
	counting = []string{"deferred_maintenance", "life_safety", "code", "environmental"}
)

// CountsAsDeferred is whether a deficiency is live and counts as deferred maintenance. It reads status and category; the column
// counts_as_deferred is generated from the same.
func CountsAsDeferred(d string) string {
	return "(" + d + ".status IN ('" + strings.Join(live, "', '") + "') AND " + d + ".category IN ('" + strings.Join(counting, "', '") + "'))"
}

// Due is whether a deficiency counts in a year, which is an SQL integer. It reads action_year.
func Due(d, year string) string {
	return fmt.Sprintf("(%[1]s.action_year IS NULL OR %[1]s.action_year <= %[2]s)", d, year)
}

// Sum adds up the costs of the rows d that count in a year; 0 where none does. cost is an SQL expression over d.
func Sum(d, cost, year string) string {
	return "coalesce(sum(" + cost + ") FILTER (WHERE " + CountsAsDeferred(d) + " AND " + Due(d, year) + "), 0)"
}

// WithoutCost counts the rows d that count in a year, and of which nobody knows the cost.
func WithoutCost(d, year string) string {
	return "count(*) FILTER (WHERE " + CountsAsDeferred(d) + " AND " + Due(d, year) + " AND " + d + ".estimated_cost IS NULL)"
}

// StatusOn is the status at the end of a day that is over. status is what it was by the history, and corrected_on has its own day: what was
// corrected later was still to be done. Rows must have been found by the day. d gives the present corrected_on, asOf is an SQL date.
func StatusOn(d, status, asOf string) string {
	return fmt.Sprintf("CASE WHEN %[1]s.corrected_on <= %[3]s THEN 'corrected' WHEN %[1]s.corrected_on > %[3]s "+
		"AND %[2]s = 'corrected' THEN 'open' ELSE %[2]s END", d, status, asOf)
}
