package indicators

// Indicators of linear assets: roads, pipes, and whatever else is measured in metres.

// Km is a number of metres, an SQL expression, as kilometres to the metre.
func Km(metres string) string {
	return "round((" + metres + ")::numeric / 1000, 3)"
}

// LaneKm is the length of a road's lanes in kilometres (Transportation Association of Canada: centre-line length times
// number of lanes). It reads length_m and lanes.
func LaneKm(t string) string { return Km(t + ".length_m * " + t + ".lanes") }

// SlopePct is the fall of a pipe or channel in percent of its length, three decimals: positive when it runs down from
// upstream to downstream. It reads upstream_invert_m, downstream_invert_m and length_m.
func SlopePct(t string) string {
	return "round((100 * (" + t + ".upstream_invert_m - " + t + ".downstream_invert_m) / nullif(" + t + ".length_m, 0))::numeric, 3)"
}

// A relined pipe lasts until the later end of two lives: that of the pipe, from its installation, and that of the liner, from 1 July of
// relined_year. Where only one of them is known, it is that one. The functions read install_date, install_year,
// expected_useful_life_years, relined_year and relined_useful_life_years.

// lined is the date that the life of a liner is counted from.
func lined(t string) string { return "make_date(" + t + ".relined_year, 7, 1)" }

// LinearRemainingLifeYears is how long a segment should last from a day on: expected life less age of the pipe or of its liner, whichever
// is longer. It is signed, as RemainingLifeYears is.
func LinearRemainingLifeYears(t, asOf string) string {
	return "greatest(" + RemainingLifeYears(t, asOf) + ", " + t + ".relined_useful_life_years - " + Years("("+asOf+" - "+lined(t)+")") + ")"
}

// LinearRenewalYear is RenewalYear of a segment: by life, in the year of the later end of pipe and liner.
func LinearRenewalYear(t string, byLife bool) string {
	if !byLife {
		return RenewalYear(t, false)
	}
	return "coalesce(" + t + ".planned_renewal_year, greatest(extract(year FROM " + Installed(t) + ")::int + " + t +
		".expected_useful_life_years, " +
		t + ".relined_year + " + t + ".relined_useful_life_years))"
}

// LinearPastUsefulLife is whether a day is after the end of a segment's life, in calendar years: a segment of 2001-11-10 with 25 years is
// past them from 2026-11-11 on. A day that a year does not have is the last of its month.
func LinearPastUsefulLife(t, asOf string) string {
	end := func(since, years string) string { return "(" + since + " + make_interval(years => " + years + "))" }
	return "(" + asOf + " > greatest(" + end(Installed(t), t+".expected_useful_life_years") + ", " +
		end(lined(t), t+".relined_useful_life_years") + "))"
}
