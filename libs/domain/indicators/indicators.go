// Package indicators defines the computed indicators of asset management as SQL expressions. Each formula is written once, so that
// lists, filters, summaries, reports and exports all compute the same number in the database.
//
// A function that takes t expects the alias of a table (or of a derived table) that has the columns named in its
// comment; a function that takes asOf expects an SQL expression of type date. Only trusted text may be passed: the
// result becomes part of a statement. An indicator whose inputs are unknown is NULL, never a guess.
package indicators

import (
	"slices"
	"strings"
)

// Today is the asOf of indicators that are shown with a record: the day that it is for the organization, in its time zone. Every
// transaction has it (package postgres).
const Today = "current_setting('ams.today')::date"

// uncounted are the states in which an organization has nothing to maintain: the thing is not there yet (planned), is out of use for
// good (decommissioned, abandoned), or no longer exists (disposed, demolished, removed).
var uncounted = []string{"planned", "decommissioned", "abandoned", "disposed", "demolished", "removed"}

// Counts is whether a row takes part in counts, costs and needs. It reads status; a missing row (of an outer
// join) counts, so that a row without a building is judged by itself alone.
func Counts(t string) string {
	return "(" + t + ".status IS NULL OR " + t + ".status NOT IN ('" + strings.Join(uncounted, "','") + "'))"
}

// DayOf is the day on which a time falls for the organization, in its time zone. at is an SQL expression of type timestamptz.
func DayOf(at string) string {
	return "(" + at + " AT TIME ZONE current_setting('ams.time_zone'))::date"
}

// StartOf is when a day begins for the organization: a timestamptz to compare times with, so that an index on them serves. day is an
// SQL expression of type date.
func StartOf(day string) string {
	return "((" + day + ")::timestamp AT TIME ZONE current_setting('ams.time_zone'))"
}

// outOfUseStates are the states of something that was in use and is out of use for good.
var outOfUseStates = slices.DeleteFunc(slices.Clone(uncounted), func(state string) bool { return state == "planned" })

// OutOfUse is whether a state is one of what has stood there and is out of use for good.
func OutOfUse(status string) bool { return slices.Contains(outOfUseStates, status) }

// CountsOn is Counts on a day that is over: what was installed by then (installed is an SQL expression of type date; what is not known
// counts as there), and is neither planned nor had been taken out of use. It reads status and out_of_use_on; what is out of use without
// that day never counts, because nobody knows whether it still stood.
func CountsOn(t, installed, asOf string) string {
	return "(" + t + ".status IS NULL OR " + t + ".status <> 'planned' AND coalesce(" + installed + " <= " + asOf + ", true)" +
		" AND (" + t + ".status NOT IN ('" + strings.Join(outOfUseStates, "','") + "')" +
		" OR coalesce(" + asOf + " < " + t + ".out_of_use_on, false)))"
}

// OutOfUseWithoutDate is whether something is out of use for good and nobody knows since when. It reads status and out_of_use_on.
func OutOfUseWithoutDate(t string) string {
	return "coalesce(" + t + ".status IN ('" + strings.Join(outOfUseStates, "','") + "') AND " + t + ".out_of_use_on IS NULL, false)"
}
