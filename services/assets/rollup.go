package main

import (
	"strings"

	"ams.internal/libs/figures"
)

// How figures add up, by one statement whatever the number of assets. A row counts while it, and everything it is
// in, stands for something (figures.Counts). What a row says itself goes before the sum of its parts:
//
//   - a system's replacement cost is its own, else its assets'; so is its deferred maintenance; its need is that of
//     its own renewal once that is due, else its own deferred maintenance, else the needs of its assets
//   - a building's replacement cost is its appraisal, else that of its systems and of its assets outside of them;
//     an appraisal says nothing of needs, which are always those of the parts
//   - a site is the sum of its buildings and of the systems and assets outside of them
//
// An asset belongs to its system wherever it stands, so that nothing counts twice.

// view is which rows a rollup is about: conditions over the aliases a (asset), s (system), b (building), p (site).
type view struct{ assets, systems, buildings, sites string }

// The statements take $1 the date of the figures and $2 the horizon in years; a view of one record takes its id as $3.
var (
	everything = view{"true", "true", "true", "true"}
	ofSite     = view{"a.site_id = $3::uuid", "s.site_id = $3::uuid", "b.site_id = $3::uuid", "p.id = $3::uuid"}
	ofBuilding = view{"a.building_id = $3::uuid", "s.building_id = $3::uuid", "b.id = $3::uuid", "false"}
	ofSystem   = view{"a.system_id = $3::uuid", "s.id = $3::uuid", "false", "false"}
)

const (
	asOf    = "$1::date"
	year    = "extract(year FROM $1::date)::int"
	horizon = "$2::int"
)

// tallies are what is counted of assets and just added up at every level, as SQL aggregates over alias a.
var tallies = []struct{ name, sql string }{
	{"age", "sum(" + figures.ExactAge("a", asOf) + ")"},
	{"aged", "count(" + figures.Installed("a") + ")"},
	{"rating", "sum(a.condition_rating)"},
	{"rated1", "count(*) FILTER (WHERE a.condition_rating = 1)"},
	{"rated2", "count(*) FILTER (WHERE a.condition_rating = 2)"},
	{"rated3", "count(*) FILTER (WHERE a.condition_rating = 3)"},
	{"rated4", "count(*) FILTER (WHERE a.condition_rating = 4)"},
	{"rated5", "count(*) FILTER (WHERE a.condition_rating = 5)"},
	{"unrated", "count(*) FILTER (WHERE a.condition_rating IS NULL)"},
	{"value1", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating = 1)"},
	{"value2", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating = 2)"},
	{"value3", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating = 3)"},
	{"value4", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating = 4)"},
	{"value5", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating = 5)"},
	{"value_unrated", "sum(a.replacement_cost) FILTER (WHERE a.condition_rating IS NULL)"},
	{"past", "count(*) FILTER (WHERE " + figures.PastUsefulLife("a", asOf) + ")"},
	{"past_value", "sum(a.replacement_cost) FILTER (WHERE " + figures.PastUsefulLife("a", asOf) + ")"},
	{"no_cost", "count(*) FILTER (WHERE a.replacement_cost IS NULL)"},
	{"no_life", "count(*) FILTER (WHERE a.expected_useful_life_years IS NULL)"},
	{"no_renewal", "count(*) FILTER (WHERE a.planned_renewal_year IS NULL)"},
	{"no_place", "count(*) FILTER (WHERE a.site_id IS NULL)"},
}

// tallied lists the tallies, each as form with its name in place of % and its aggregate in place of @.
func tallied(form string) string {
	list := make([]string, len(tallies))
	for i, t := range tallies {
		list[i] = strings.NewReplacer("%", t.name, "@", t.sql).Replace(form)
	}
	return strings.Join(list, ", ")
}

// partsSQL gives part: rows that add up to the figures of their building, their site or their key.
//
//	place  tallies of the assets that share system, building, site and key; stands says whether they count
//	sys    the systems that count, with what they say themselves; own_… is NULL where their assets speak for them
const partsSQL = `
WITH place AS MATERIALIZED (
	SELECT a.system_id, a.building_id, a.site_id, {asset key} AS key, {a counts} AS counts, count(*) AS assets,
		sum(coalesce(a.replacement_cost, 0)) AS value, sum(coalesce(a.deferred_maintenance_cost, 0)) AS deferred, sum({a need}) AS need,
		{tallies}
	FROM asset a WHERE a.organization_id = current_organization() AND {assets}
	GROUP BY 1, 2, 3, 4, 5
), standing AS MATERIALIZED (
	SELECT place.*, place.counts AND {s counts} AND {b counts} AND {p counts} AS stands
	FROM place
	LEFT JOIN system s ON s.organization_id = current_organization() AND s.id = place.system_id
	LEFT JOIN building b ON b.organization_id = current_organization() AND b.id = place.building_id
	LEFT JOIN site p ON p.organization_id = current_organization() AND p.id = place.site_id
), sys AS MATERIALIZED (
	SELECT s.id, s.building_id, s.site_id, {system key} AS key, s.replacement_cost AS own_value, s.deferred_maintenance_cost AS own_deferred,
		CASE WHEN {s due} OR s.deferred_maintenance_cost IS NOT NULL THEN {s need} END AS own_need
	FROM system s
	LEFT JOIN building b ON b.organization_id = current_organization() AND b.id = s.building_id
	LEFT JOIN site p ON p.organization_id = current_organization() AND p.id = s.site_id
	LEFT JOIN (SELECT system_id, sum(value) AS value, sum(deferred) AS deferred FROM standing WHERE stands GROUP BY 1) inside ON inside.system_id = s.id
	WHERE s.organization_id = current_organization() AND {systems} AND {s counts} AND {b counts} AND {p counts}
), part AS (
	SELECT CASE WHEN sys.id IS NULL THEN t.building_id ELSE sys.building_id END AS building_id, t.site_id, t.key,
		0 AS sites, 0 AS buildings, 0 AS systems, CASE WHEN t.stands THEN t.assets ELSE 0 END AS assets, CASE WHEN t.stands THEN 0 ELSE t.assets END AS left_out,
		NULL::numeric AS appraisal, 0::numeric AS of_systems,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.value ELSE 0 END AS of_assets,
		CASE WHEN t.stands AND sys.own_deferred IS NULL THEN t.deferred ELSE 0 END AS deferred,
		CASE WHEN t.stands AND sys.own_need IS NULL THEN t.need ELSE 0 END AS need,
		{tallies that stand}
	FROM standing t LEFT JOIN sys ON sys.id = t.system_id
	UNION ALL
	SELECT building_id, site_id, key, 0, 0, 1, 0, 0, NULL, coalesce(own_value, 0), 0, coalesce(own_deferred, 0), coalesce(own_need, 0), {no tallies} FROM sys
)`

// unitsSQL goes on to one row per building, and one per site for what is outside of its buildings. Buildings and sites
// are there with nothing in them as well.
const unitsSQL = `, whole AS (
	SELECT * FROM part
	UNION ALL
	SELECT b.id, b.site_id, NULL, 0, 1, 0, 0, 0, b.replacement_cost, 0, 0, 0, 0, {no tallies}
	FROM building b LEFT JOIN site p ON p.organization_id = current_organization() AND p.id = b.site_id
	WHERE b.organization_id = current_organization() AND {buildings} AND {b counts} AND {p counts}
	UNION ALL
	SELECT NULL, p.id, NULL, 1, 0, 0, 0, 0, NULL, 0, 0, 0, 0, {no tallies} FROM site p
	WHERE p.organization_id = current_organization() AND {sites} AND {p counts}
), unit AS (
	SELECT building_id, site_id, sum(sites) AS sites, sum(buildings) AS buildings, sum(systems) AS systems, sum(assets) AS assets, sum(left_out) AS left_out,
		coalesce(max(appraisal), 0) AS of_buildings,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_systems) ELSE 0 END AS of_systems,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_assets) ELSE 0 END AS of_assets,
		sum(deferred) AS deferred, sum(need) AS need, {sums}
	FROM whole GROUP BY 1, 2
)`

// figuresSQL is the list of columns that Figures is read from, over rows u of unit or part.
var figuresSQL = func() string {
	value := "(sum(u.of_buildings) + sum(u.of_systems) + sum(u.of_assets))"
	fci := figures.FCI("sum(u.need)", value)
	return "coalesce(sum(u.sites), 0)::bigint, coalesce(sum(u.buildings), 0)::bigint, coalesce(sum(u.systems), 0)::bigint, coalesce(sum(u.assets), 0)::bigint, coalesce(sum(u.left_out), 0)::bigint, " +
		"coalesce(" + value + ", 0), coalesce(sum(u.of_buildings), 0), coalesce(sum(u.of_systems), 0), coalesce(sum(u.of_assets), 0), " +
		"coalesce(sum(u.deferred), 0), coalesce(sum(u.need), 0), " + fci + ", " + figures.FCIGrade(fci) + ", " +
		"round(sum(u.age) / nullif(sum(u.aged), 0), 1), round(sum(u.rating) / nullif(sum(u.assets) - sum(u.unrated), 0), 2), " +
		"coalesce(sum(u.assets) - sum(u.aged), 0)::bigint, " + tallied("coalesce(sum(u.%), 0)")
}()

// rollup fills a statement in for a view. The keys are expressions by which assets and systems are told apart.
func rollup(sql string, v view, assetKey, systemKey string) string {
	deferred := figures.Own("s.deferred_maintenance_cost", "inside.deferred")
	value := figures.Own("s.replacement_cost", "inside.value")
	return strings.NewReplacer(
		"{assets}", v.assets, "{systems}", v.systems, "{buildings}", v.buildings, "{sites}", v.sites,
		"{asset key}", assetKey, "{system key}", systemKey,
		"{a counts}", figures.Counts("a"), "{s counts}", figures.Counts("s"), "{b counts}", figures.Counts("b"), "{p counts}", figures.Counts("p"),
		"{a need}", figures.Need("a", year, horizon, "a.deferred_maintenance_cost", "a.replacement_cost"),
		"{s due}", figures.RenewalDue("s", year, horizon), "{s need}", figures.Need("s", year, horizon, deferred, value),
		"{tallies}", tallied("@ AS %"), "{tallies that stand}", tallied("CASE WHEN t.stands THEN coalesce(t.%, 0) ELSE 0 END AS %"),
		"{no tallies}", tallied("0"), "{sums}", tallied("sum(%) AS %"),
	).Replace(sql)
}
