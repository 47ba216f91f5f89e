package indicators

// Installed is the date that age is counted from: install_date, or 1 July (the middle) of install_year where only
// the year is known.
func Installed(t string) string {
	return "coalesce(" + t + ".install_date, make_date(" + t + ".install_year, 7, 1))"
}

// AgeDays is the age in whole days, for sums. It is negative before installation.
func AgeDays(t, asOf string) string {
	return "(" + asOf + " - " + Installed(t) + ")"
}

// Years is a number of days, an SQL expression, as years to one decimal. A year is 365.25 days.
func Years(days string) string {
	return "round(" + days + " / 365.25, 1)"
}

// AgeYears is the age in years to one decimal.
func AgeYears(t, asOf string) string { return Years(AgeDays(t, asOf)) }

// RemainingLifeYears is expected_useful_life_years less the age: signed, negative once the expected life is over.
// The expected life is the estimated service life of the IIMM (International Infrastructure Management Manual).
func RemainingLifeYears(t, asOf string) string {
	return "(" + t + ".expected_useful_life_years - " + AgeYears(t, asOf) + ")"
}

// PastUsefulLife is whether the expected useful life is over, by days: asOf is later than the installation moved on by the life in
// calendar years. A day that does not exist then is the last of its month.
func PastUsefulLife(t, asOf string) string {
	return "(" + asOf + " > " + Installed(t) + " + make_interval(years => " + t + ".expected_useful_life_years))"
}
