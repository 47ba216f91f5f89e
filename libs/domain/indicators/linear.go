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
