package los

// These are SQL fragments for the results of a measure, alias t. Each is a derived table that reads a few entries of an index, so that
// a list of measures has the results of all of them in its own statement.

// unbounded is the bound that includes all measurements.
const unbounded = "'infinity'"

// order is that of a measure's measurements m, the latest first. No two have the same period.
const order = " ORDER BY m.period_end DESC, m.period_start DESC"

// ofMeasure are the measurements m of the measure t whose period ended by bound, an SQL expression of type date.
func ofMeasure(bound string) string {
	return " FROM measurement m WHERE m.organization_id = t.organization_id AND m.measure_id = t.id AND m.period_end <= " + bound
}

// countingTarget picks from the targets of a measure the one that counts for a period: the current one of the year in
// which the period ends, else of the latest year before. Proposed targets never count.
func countingTarget(column, measure, periodEnd string) string {
	return "(SELECT g." + column + " FROM target g WHERE g.organization_id = t.organization_id AND g.measure_id = " + measure +
		" AND g.kind = 'current' AND g.year <= extract(year FROM " + periodEnd + ")::integer ORDER BY g.year DESC LIMIT 1)"
}

// latest is the measurement whose period ended last, with its target. It has no row where nothing was measured.
func latest(bound string) string {
	return latestWith("target_value", "target", bound)
}

// latestWith is latest with another column of the target, under a name.
func latestWith(column, name, bound string) string {
	return "(SELECT m.id, m.period_start, m.period_end, m.value, m.value_text, " + countingTarget(column, "t.id", "m.period_end") +
		" AS " + name +
		ofMeasure(bound) + order + " LIMIT 1)"
}

// lastTwo is one row with the last two numbers, latest and previous, and the target of the latest.
func lastTwo(bound string) string {
	return `(SELECT max(n.value) FILTER (WHERE n.place = 1) AS latest, max(n.value) FILTER (WHERE n.place = 2) AS previous,
		max(n.target) FILTER (WHERE n.place = 1) AS target
		FROM (SELECT m.value, row_number() OVER (` + order + `) AS place, ` + countingTarget("target_value", "t.id", "m.period_end") +
		` AS target` + ofMeasure(bound) + " AND m.value IS NOT NULL" + order + " LIMIT 2) n)"
}
