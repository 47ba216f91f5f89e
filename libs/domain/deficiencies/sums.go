package deficiencies

// A service may keep sums of deficiencies on the records that have them, so that its figures read no deficiency. They are the columns
//
//	deficiency_years      0 and the action years of those that count, in their order; NULL where there is no deficiency that is not void
//	deficiency_costs      for each of these years, the costs of those whose action year is none or at most that
//	deficiency_unpriced   likewise, how many of them nobody knows the cost of; NULL where there is none
//	deficiency_cost_year  the year of whose prices all these costs are, 0 where they are of several; NULL without a cost
//
// The functions take the alias t of rows that have these columns, and SQL integers.

// Deferred is the deferred maintenance of t in a year; NULL where it follows from no deficiency.
func Deferred(t, year string) string {
	return t + ".deficiency_costs[width_bucket(" + year + ", " + t + ".deficiency_years)]"
}

// Unpriced is how many deficiencies of t count in a year without a known cost; NULL where there is none in any year.
func Unpriced(t, year string) string {
	return t + ".deficiency_unpriced[width_bucket(" + year + ", " + t + ".deficiency_years)]"
}

// Basis is what the deferred maintenance of t comes from. It reads deferred_maintenance_cost as well.
func Basis(t string) string {
	return "CASE WHEN " + t + ".deficiency_years IS NOT NULL THEN 'deficiencies' WHEN " + t +
		".deferred_maintenance_cost IS NOT NULL THEN 'typed' END"
}

// Sums is a SELECT that gives the columns with record_id, a row for each record that rows d have a deficiency of. rows is what stands
// behind FROM: deficiencies d that are not void, with record_id, counts (CountsAsDeferred), action_year, estimated_cost and cost_year.
func Sums(rows string) string {
	return `SELECT s.record_id, 0 || array_agg(s.year ORDER BY s.year) FILTER (WHERE s.year > 0) AS deficiency_years,
		coalesce(max(s.cost) FILTER (WHERE s.year = 0), 0) || array_agg(s.cost ORDER BY s.year) FILTER (WHERE s.year > 0) AS deficiency_costs,
		CASE WHEN max(s.unpriced) > 0 THEN coalesce(max(s.unpriced) FILTER (WHERE s.year = 0), 0)
			|| array_agg(s.unpriced ORDER BY s.year) FILTER (WHERE s.year > 0) END AS deficiency_unpriced,
		CASE WHEN min(s.first) = max(s.last) THEN min(s.first) WHEN min(s.first) IS NOT NULL THEN 0 END AS deficiency_cost_year
	FROM (SELECT d.record_id, at.year,
			sum(coalesce(sum(d.estimated_cost) FILTER (WHERE d.counts), 0)) OVER earlier AS cost,
			(sum(count(*) FILTER (WHERE d.counts AND d.estimated_cost IS NULL)) OVER earlier)::integer AS unpriced,
			min(priced.year) AS first, max(priced.year) AS last
		FROM ` + rows + `
		CROSS JOIN LATERAL (SELECT CASE WHEN d.counts THEN coalesce(d.action_year, 0) ELSE 0 END AS year) at
		CROSS JOIN LATERAL (SELECT CASE WHEN d.counts AND d.estimated_cost IS NOT NULL THEN d.cost_year END AS year) priced
		GROUP BY 1, 2 WINDOW earlier AS (PARTITION BY d.record_id ORDER BY at.year)) s
	GROUP BY 1`
}
