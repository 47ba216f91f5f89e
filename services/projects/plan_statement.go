package main

import (
	"strings"

	"ams.internal/libs/domain/indicators"
)

// planGrouping is one way to group the plan: what a project's costs belong to, what its funding belongs to (expressions
// over c, the project, and m, the money of a source), and how much of the cost a source's group takes over.
type planGrouping struct{ ofCost, ofFunding, paid string }

var planGroupings = map[string]planGrouping{
	"lifecycle_activity": {"c.lifecycle_activity", "c.lifecycle_activity", "0"},
	"site":               {"c.site_id::text", "c.site_id::text", "0"},
	"source_type":        {"NULL", "m.source_type", "m.confirmed"},
}

// planSQL computes the plan by one statement, whatever the number of projects. It takes $1 the first year, $2 the number of
// years, $3 the size of a page of groups and $4 how many groups to skip.
//
//	counted  the projects that count
//	cost     what they cost, per project and year; the year is NULL where it is not known
//	source   what funds them, per project, kind of source and year, if the source has one
//	money    the same with a year for every source. Amounts are spread by their running share of the costs, so that the
//	         parts add up to the cent
//	flow     costs and money side by side, each with its group
//	sums     per group and year, and over all groups and years; whole, planned and overall tell them apart
const planSQL = `
WITH counted AS MATERIALIZED (
	SELECT p.id, p.lifecycle_activity, p.site_id, p.fiscal_year, {cost} AS cost
	FROM project p WHERE p.organization_id = current_organization() AND p.status NOT IN ('deferred', 'cancelled')
), line AS MATERIALIZED (
	SELECT l.project_id, l.fiscal_year AS year, sum(l.budget_amount) AS cost
	FROM project_budget_line l WHERE l.organization_id = current_organization() GROUP BY 1, 2
), cost AS MATERIALIZED (
	SELECT c.id, line.year, line.cost FROM counted c JOIN line ON line.project_id = c.id
	UNION ALL
	SELECT c.id, c.fiscal_year, coalesce(c.cost, 0) FROM counted c LEFT JOIN (SELECT DISTINCT project_id FROM line) l ON l.project_id = c.id
	WHERE l.project_id IS NULL
), share AS (
	SELECT id, year, cost, sum(cost) OVER (PARTITION BY id ORDER BY year) AS until, sum(cost) OVER (PARTITION BY id) AS entire
	FROM cost WHERE year IS NOT NULL
), source AS MATERIALIZED (
	SELECT s.project_id, s.source_type, s.fiscal_year,
		coalesce(sum(s.amount) FILTER (WHERE s.status IN ('confirmed', 'received')), 0) AS confirmed,
		coalesce(sum(s.amount) FILTER (WHERE s.status = 'requested'), 0) AS requested
	FROM project_funding_source s JOIN counted c ON c.id = s.project_id
	WHERE s.organization_id = current_organization() AND s.status <> 'declined' GROUP BY 1, 2, 3
), money AS MATERIALIZED (
	SELECT s.project_id, s.source_type, coalesce(s.fiscal_year, h.year) AS year,
		CASE WHEN h.id IS NULL THEN s.confirmed ELSE round(s.confirmed * h.until / h.entire,
			2) - round(s.confirmed * (h.until - h.cost) / h.entire, 2) END AS confirmed,
		CASE WHEN h.id IS NULL THEN s.requested ELSE round(s.requested * h.until / h.entire,
			2) - round(s.requested * (h.until - h.cost) / h.entire, 2) END AS requested
	FROM source s LEFT JOIN share h ON h.id = s.project_id AND s.fiscal_year IS NULL AND h.entire > 0
), flow AS (
	SELECT c.id, w.year, {of cost} AS key, w.cost, 0 AS confirmed, 0 AS requested FROM cost w JOIN counted c ON c.id = w.id
	UNION ALL
	SELECT c.id, m.year, {of funding}, {paid}, m.confirmed, m.requested FROM money m JOIN counted c ON c.id = m.project_id
	UNION ALL
	SELECT c.id, m.year, {of cost}, -{paid}, 0, 0 FROM money m JOIN counted c ON c.id = m.project_id WHERE {paid} <> 0
), sums AS MATERIALIZED (
	SELECT grouping(key) = 1 AS whole, key, planned, grouping(year) = 1 AS overall, year,
		count(DISTINCT id) FILTER (WHERE cost <> 0 OR confirmed <> 0 OR requested <> 0) AS projects,
		sum(cost) AS cost, sum(confirmed) AS confirmed, sum(requested) AS requested
	FROM (SELECT flow.*, year IS NOT NULL AS planned FROM flow WHERE year IS NULL OR year BETWEEN $1::int AND $1::int + $2::int - 1) f
	GROUP BY GROUPING SETS ((key, planned, year), (key, planned), (planned, year), (planned))
), ranked AS MATERIALIZED (
	SELECT coalesce(key, '') AS key, row_number() OVER (ORDER BY key IS NULL, coalesce(sum(cost) FILTER (WHERE planned), 0) DESC, key) AS place
	FROM sums WHERE overall AND NOT whole GROUP BY sums.key
)
SELECT (SELECT count(*) FROM ranked), coalesce(r.place, 0), s.key, s.year, s.planned, s.projects, s.cost, s.confirmed, s.requested,
	s.cost - s.confirmed
FROM sums s LEFT JOIN ranked r ON r.key = coalesce(s.key, '') AND NOT s.whole
WHERE (s.planned OR s.overall) AND (s.whole OR r.place > $4::bigint AND r.place <= $4::bigint + $3::int)
ORDER BY 2, s.year`

func planStatement(g planGrouping) string {
	return strings.NewReplacer("{cost}", indicators.ProjectCost("p"), "{of cost}", g.ofCost, "{of funding}", g.ofFunding, "{paid}",
		g.paid).Replace(planSQL)
}
