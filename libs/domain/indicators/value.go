package indicators

// RenewalYear is the year in which something is to be renewed: planned_renewal_year and, by life, else the year of installation and the
// expected useful life.
func RenewalYear(t string, byLife bool) string {
	if !byLife {
		return t + ".planned_renewal_year"
	}
	return "coalesce(" + t + ".planned_renewal_year, extract(year FROM " + Installed(t) + ")::int + " + t + ".expected_useful_life_years)"
}

// RenewalDue is whether the year of a renewal lies within horizon years after year (all SQL integers).
func RenewalDue(renewalYear, year, horizon string) string {
	return "coalesce(" + renewalYear + " <= " + year + " + " + horizon + ", false)"
}

// Need is what a row needs spent on it from now to the horizon: the greater of deferred maintenance and replacement
// once its renewal is due, else its deferred maintenance. deferred and replacement are SQL expressions, because a
// system's are those of its assets where it has none of its own.
func Need(renewalYear, year, horizon, deferred, replacement string) string {
	return "CASE WHEN " + RenewalDue(renewalYear, year, horizon) +
		" THEN greatest(coalesce(" + deferred + ", 0), coalesce(" + replacement + ", 0))" +
		" ELSE coalesce(" + deferred + ", 0) END"
}

// FCI is the Facility Condition Index in percent, two decimals: needs over current replacement value (APPA and
// NACUBO, Managing the Facilities Portfolio; here with the needs of a stated horizon). It may exceed 100 and is NULL
// where nothing has a replacement value. need and value are SQL expressions of sums.
func FCI(need, value string) string {
	return "round(100.0 * (" + need + ") / nullif(" + value + ", 0), 2)"
}

// FCIBands are the upper ends of the grades good, fair and poor that are common in the field, each included; what is above is critical.
var FCIBands = []float64{5, 10, 30}

// FCIGrades are the words of FCIGrade, best first.
var FCIGrades = []string{"good", "fair", "poor", "critical"}

// KnownLives is from how many percent of the value on, of which the year of renewal is known, an FCI by lives has a grade.
const KnownLives = 50

// FCIGrade is the word for an FCI in percent, by an organization's own bands; nil: FCIBands. Pass the rounded number, so that the word
// belongs to the number that is shown. By life there is none where knownPct, the share of the value whose year of renewal is known, is
// under half: the reason says so.
func FCIGrade(fci, knownPct *float64, bands []float64, byLife bool) (grade, reason *string) {
	if fci == nil {
		return nil, nil
	}
	if byLife && (knownPct == nil || *knownPct < KnownLives) {
		unknown := "lives_unknown"
		return nil, &unknown
	}
	if len(bands) != len(FCIBands) {
		bands = FCIBands
	}
	word := FCIGrades[len(bands)]
	for i, end := range bands {
		if *fci <= end {
			word = FCIGrades[i]
			break
		}
	}
	return &word, nil
}

// Own is a row's own value, or the sum of its parts where it has none: the rule for replacement value at every
// level (a system's own or its assets', a building's appraisal or its parts').
func Own(own, parts string) string { return "coalesce(" + own + ", " + parts + ")" }
