package indicators

// RenewalDue is whether planned_renewal_year lies within horizon years after year (both SQL integers).
func RenewalDue(t, year, horizon string) string {
	return "coalesce(" + t + ".planned_renewal_year <= " + year + " + " + horizon + ", false)"
}

// Need is what a row needs spent on it from now to the horizon: the greater of deferred maintenance and replacement
// once its renewal is due, else its deferred maintenance. deferred and replacement are SQL expressions, because a
// system's are those of its assets where it has none of its own; the row gives planned_renewal_year.
func Need(t, year, horizon, deferred, replacement string) string {
	return "CASE WHEN " + RenewalDue(t, year, horizon) +
		" THEN greatest(coalesce(" + deferred + ", 0), coalesce(" + replacement + ", 0))" +
		" ELSE coalesce(" + deferred + ", 0) END"
}

// FCI is the Facility Condition Index in percent, two decimals: needs over current replacement value (APPA and
// NACUBO, Managing the Facilities Portfolio; here with the needs of a stated horizon). It may exceed 100 and is NULL
// where nothing has a replacement value. need and value are SQL expressions of sums.
func FCI(need, value string) string {
	return "round(100.0 * (" + need + ") / nullif(" + value + ", 0), 2)"
}

// fciGrades are the bands that are common in the field: to 5 % good, to 10 % fair, to 30 % poor.
var fciGrades = []level{{5, "good"}, {10, "fair"}, {30, "poor"}, {0, "critical"}}

// FCIGrades are the words that FCIGrade gives, best first.
var FCIGrades = []string{"good", "fair", "poor", "critical"}

// FCIGrade is the word for an FCI in percent, which is an SQL expression. Pass the rounded number, so that the word
// belongs to the number that is shown.
func FCIGrade(fci string) string { return words(fci, fciGrades) }

// Own is a row's own value, or the sum of its parts where it has none: the rule for replacement value at every
// level (a system's own or its assets', a building's appraisal or its parts').
func Own(own, parts string) string { return "coalesce(" + own + ", " + parts + ")" }
