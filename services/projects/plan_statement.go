package projects

import (
	"strings"

	"ams.internal/libs/domain/indicators"
)

// planGrouping is one way to group the plan: what a project's cost and its funding belong to, as expressions over c, the project, and m,
// the money of a source.
type planGrouping struct {
	ofCost, ofFunding string
	takeOver          bool // whether the groups of sources take over what they pay of the cost
}

var planGroupings = map[string]planGrouping{
	"lifecycle_activity": {"c.lifecycle_activity", "c.lifecycle_activity", false},
	"site":               {"c.site_id::text", "c.site_id::text", false},
	"status":             {"c.status", "c.status", false},
	"source_type":        {"NULL", "m.source_type", true},
}

// plannedStatuses are the states in which a project counts in the plan.
var plannedStatuses = []string{"proposed", "approved", "in_progress", "on_hold", "completed", "closed"}

// planSQL computes the plan by one statement, whatever the number of projects. It takes $1 the first year, $2 the number of
// years, $3 the size of a page of groups, $4 how many groups to skip and $5 the states of the projects. Year 0 is what has no year.
//
//	counted  the projects that count
//	cost     what they cost, per project and year
//	source   what funds them, per project, kind of source and year, if the source has one
//	money    the same with a year for every source. Amounts are spread by their running share of the costs, so that the
//	         parts add up to the cent
//	flow     costs and money side by side, each with its group
//	part     per project and group, by year and over all years (overall)
//	sums     the same over the projects, each of which has a gap or a surplus, by group and over all groups (whole)
const planSQL = `
WITH counted AS MATERIALIZED (
	SELECT p.id, p.lifecycle_activity, p.site_id, p.status, p.fiscal_year, {cost} AS cost, {spent} AS spent, {without actuals} AS without
	FROM project p WHERE p.organization_id = current_organization() AND p.status = ANY($5::text[])
), lined AS MATERIALIZED (
	SELECT c.id, l.fiscal_year AS year, sum(CASE WHEN c.spent IS NULL THEN l.budget_amount WHEN c.status = 'closed' THEN l.actual_amount
		ELSE l.actual_amount + l.committed_amount END) AS cost
	FROM project_budget_line l JOIN counted c ON c.id = l.project_id WHERE l.organization_id = current_organization() GROUP BY 1, 2
), cost AS MATERIALIZED (
	SELECT id, year, cost FROM lined
	UNION ALL
	SELECT c.id, coalesce(c.fiscal_year, 0), coalesce(c.cost, 0) FROM counted c WHERE c.id NOT IN (SELECT id FROM lined)
), share AS (
	SELECT id, year, cost, sum(cost) OVER (PARTITION BY id ORDER BY year) AS until, sum(cost) OVER (PARTITION BY id) AS entire
	FROM cost WHERE year <> 0
), source AS MATERIALIZED (
	SELECT s.project_id, s.source_type, s.fiscal_year,
		coalesce(sum(s.amount) FILTER (WHERE s.status IN ('confirmed', 'received')), 0) AS confirmed,
		coalesce(sum(s.amount) FILTER (WHERE s.status = 'requested'), 0) AS requested
	FROM project_funding_source s JOIN counted c ON c.id = s.project_id
	WHERE s.organization_id = current_organization() AND s.status <> 'declined' GROUP BY 1, 2, 3
), money AS MATERIALIZED (
	SELECT s.project_id AS id, s.source_type, coalesce(s.fiscal_year, h.year, 0) AS year,
		CASE WHEN h.id IS NULL THEN s.confirmed ELSE round(s.confirmed * h.until / h.entire,
			2) - round(s.confirmed * (h.until - h.cost) / h.entire, 2) END AS confirmed,
		CASE WHEN h.id IS NULL THEN s.requested ELSE round(s.requested * h.until / h.entire,
			2) - round(s.requested * (h.until - h.cost) / h.entire, 2) END AS requested
	FROM source s LEFT JOIN share h ON h.id = s.project_id AND s.fiscal_year IS NULL AND h.entire > 0
){take over}, flow AS (
	SELECT c.id, w.year, {of cost} AS key, w.cost, 0 AS confirmed, 0 AS requested, c.without FROM cost w JOIN counted c ON c.id = w.id
	UNION ALL
	SELECT c.id, m.year, {of funding}, 0, m.confirmed, m.requested, c.without FROM money m JOIN counted c ON c.id = m.id{taken over}
), part AS (
	SELECT id, key, year <> 0 AS planned, grouping(year) = 1 AS overall, year,
		sum(cost) AS cost, sum(confirmed) AS confirmed, sum(requested) AS requested, bool_or(without) AS without
	FROM (SELECT * FROM flow WHERE {in the plan}) f GROUP BY GROUPING SETS ((id, key, year <> 0, year), (id, key, year <> 0))
), sums AS MATERIALIZED (
	SELECT grouping(key) = 1 AS whole, key, planned, overall, year,
		{count} FILTER (WHERE cost <> 0 OR confirmed <> 0 OR requested <> 0) AS projects,
		{count} FILTER (WHERE without AND cost <> 0) AS without_actuals,
		sum(cost) AS cost, sum(confirmed) AS confirmed, sum(requested) AS requested,
		sum(greatest(cost - confirmed, 0)) AS gap, sum(greatest(confirmed - cost, 0)) AS surplus
	FROM part GROUP BY GROUPING SETS ((key, planned, overall, year), (planned, overall, year))
), ranked AS MATERIALIZED (
	SELECT coalesce(key, '') AS key, row_number() OVER (
		ORDER BY key IS NULL, coalesce(sum(cost) FILTER (WHERE planned), 0) DESC, key COLLATE "natural") AS place
	FROM sums WHERE overall AND NOT whole GROUP BY sums.key
)
SELECT (SELECT count(*) FROM ranked), coalesce(r.place, 0), s.key, CASE WHEN s.planned THEN s.year END, s.planned, s.projects,
	s.without_actuals, s.cost, s.confirmed, s.requested, s.gap, s.surplus
FROM sums s LEFT JOIN ranked r ON r.key = coalesce(s.key, '') AND NOT s.whole
WHERE (s.planned OR s.overall) AND (s.whole OR r.place > $4::bigint AND r.place <= $4::bigint + $3::int)
ORDER BY 2, s.year`

// inThePlan are the years that are asked for, and what has no year.
const inThePlan = "(year = 0 OR year BETWEEN $1::int AND $1::int + $2::int - 1)"

// takeOverSQL is how much of a project's cost each kind of confirmed sources pays: all kinds together never more than the project
// costs, each in proportion to its amount. First the money of a year pays for that year; then what is left of a kind pays for what is
// missing in other years of the plan, the earliest first. So the kinds add up to the total, in each year and over all of them, and so
// do gap and surplus. Amounts are cut at their running share, so that they are exact to the cent.
//
//	balance  per project and year, what it costs and what is confirmed
//	ready    what each kind pays of its own year
//	missing  years of which money is missing, each as the stretch since … until of all that is missing
//	rest    kinds that have money left, each as the stretch of all that is missing that it pays
//	taken    both together
const takeOverSQL = `, balance AS MATERIALIZED (
	SELECT id, year, sum(cost) AS cost, sum(confirmed) AS confirmed FROM (
		SELECT id, year, cost, 0 AS confirmed FROM cost UNION ALL SELECT id, year, 0, confirmed FROM money) b
	WHERE {in the plan} GROUP BY 1, 2
), ready AS MATERIALIZED (
	SELECT k.id, k.source_type, k.year, k.confirmed, CASE WHEN b.confirmed <= b.cost THEN k.confirmed
		ELSE round(b.cost * k.until / b.confirmed, 2) - round(b.cost * (k.until - k.confirmed) / b.confirmed, 2) END AS paid
	FROM (SELECT id, source_type, year, sum(confirmed) AS confirmed,
			sum(sum(confirmed)) OVER (PARTITION BY id, year ORDER BY source_type) AS until
		FROM money WHERE confirmed > 0 AND {in the plan} GROUP BY 1, 2, 3) k
	JOIN balance b ON b.id = k.id AND b.year = k.year
), missing AS MATERIALIZED (
	SELECT id, year, sum(cost - confirmed) OVER (PARTITION BY id ORDER BY year) AS until, cost - confirmed AS amount,
		sum(cost - confirmed) OVER (PARTITION BY id) AS entire
	FROM balance WHERE year <> 0 AND cost > confirmed
), rest AS MATERIALIZED (
	SELECT k.id, k.source_type, round(least(k.entire, m.entire) * (k.until - k.amount) / k.entire, 2) AS since,
		round(least(k.entire, m.entire) * k.until / k.entire, 2) AS until
	FROM (SELECT id, source_type, sum(confirmed - paid) AS amount,
			sum(sum(confirmed - paid)) OVER (PARTITION BY id ORDER BY source_type) AS until,
			sum(sum(confirmed - paid)) OVER (PARTITION BY id) AS entire
		FROM ready WHERE year <> 0 AND confirmed > paid GROUP BY 1, 2) k
	JOIN (SELECT DISTINCT id, entire FROM missing) m ON m.id = k.id
), taken AS MATERIALIZED (
	SELECT id, source_type, year, paid FROM ready
	UNION ALL
	SELECT k.id, k.source_type, m.year, least(k.until, m.until) - greatest(k.since, m.until - m.amount)
	FROM rest k JOIN missing m ON m.id = k.id AND k.since < m.until AND m.until - m.amount < k.until
)`

// takenOverSQL moves what the sources pay from the group without a key to theirs.
const takenOverSQL = `
	UNION ALL
	SELECT k.id, k.year, k.source_type, k.paid, 0, 0, c.without FROM taken k JOIN counted c ON c.id = k.id
	UNION ALL
	SELECT k.id, k.year, NULL, -k.paid, 0, 0, c.without FROM taken k JOIN counted c ON c.id = k.id`

func planStatement(g planGrouping) string {
	takeOver, takenOver, count := "", "", "count(*)"
	if g.takeOver {
		takeOver, takenOver, count = takeOverSQL, takenOverSQL, "count(DISTINCT id)" // a project is in the groups of all its sources
	}
	text := strings.NewReplacer("{take over}", takeOver, "{taken over}", takenOver, "{count}", count).Replace(planSQL)
	return strings.NewReplacer("{cost}", indicators.ProjectCost("p"), "{spent}", indicators.ProjectSpent("p"),
		"{without actuals}", indicators.WithoutActuals("p"), "{of cost}", g.ofCost, "{of funding}", g.ofFunding,
		"{in the plan}", inThePlan).Replace(text)
}
