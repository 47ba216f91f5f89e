package figures

// Installed is the date that age is counted from: install_date, or 1 July (the middle) of install_year where only
// the year is known.
func Installed(t string) string {
	return "coalesce(" + t + ".install_date, make_date(" + t + ".install_year, 7, 1))"
}

// ExactAge is the age in years before rounding, for averages that must round once only. A year is 365.25 days.
func ExactAge(t, asOf string) string {
	return "((" + asOf + " - " + Installed(t) + ") / 365.25)"
}

// AgeYears is the age in years to one decimal. It is negative before installation.
func AgeYears(t, asOf string) string {
	return "round(" + ExactAge(t, asOf) + ", 1)"
}

// RemainingLifeYears is expected_useful_life_years less the age: signed, negative once the expected life is over.
// The expected life is the estimated service life of the IIMM (International Infrastructure Management Manual).
func RemainingLifeYears(t, asOf string) string {
	return "(" + t + ".expected_useful_life_years - " + AgeYears(t, asOf) + ")"
}

// PastUsefulLife says whether the expected useful life is over: remaining life below 0.
func PastUsefulLife(t, asOf string) string {
	return "(" + RemainingLifeYears(t, asOf) + " < 0)"
}
