package main

import (
	"strings"

	"ams.internal/libs/domain/indicators"
)

// Indicators are added up by one statement, whatever the number of assets. A row counts while it, and everything it is in, counts
// (indicators.Counts). A row's own value has precedence over the sum of its parts:
//
//   - a system's replacement cost is its own, else its assets'; so is its deferred maintenance; its need is that of
//     its own renewal once that is due, else its own deferred maintenance, else the needs of its assets
//   - a building's replacement cost is its appraisal, else that of its systems and of its assets outside of them;
//     an appraisal has no needs, which are always those of the parts
//   - a site is the sum of its buildings and of the systems and assets outside of them
//
// An asset belongs to its system wherever it is, so that nothing counts twice.

// view selects the rows of a rollup: conditions over the aliases a (asset), s (system), b (building), p (site).
type view struct{ assets, systems, buildings, sites string }

// The statements take $1 the date of the indicators and $2 the horizon in years. A view of one record takes its id as $3.
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

// tallies are what is counted of assets and added up at every level. Each is an SQL expression over a row t of place, whose assets
// share condition_rating and past.
var tallies = []struct{ name, sql string }{
	{"age", "t.age"},
	{"aged", "t.aged"},
	{"rating", "t.condition_rating * t.assets"},
	{"rated1", "CASE t.condition_rating WHEN 1 THEN t.assets END"},
	{"rated2", "CASE t.condition_rating WHEN 2 THEN t.assets END"},
	{"rated3", "CASE t.condition_rating WHEN 3 THEN t.assets END"},
	{"rated4", "CASE t.condition_rating WHEN 4 THEN t.assets END"},
	{"rated5", "CASE t.condition_rating WHEN 5 THEN t.assets END"},
	{"unrated", "CASE WHEN t.condition_rating IS NULL THEN t.assets END"},
	{"value1", "CASE t.condition_rating WHEN 1 THEN t.value END"},
	{"value2", "CASE t.condition_rating WHEN 2 THEN t.value END"},
	{"value3", "CASE t.condition_rating WHEN 3 THEN t.value END"},
	{"value4", "CASE t.condition_rating WHEN 4 THEN t.value END"},
	{"value5", "CASE t.condition_rating WHEN 5 THEN t.value END"},
	{"value_unrated", "CASE WHEN t.condition_rating IS NULL THEN t.value END"},
	{"past", "CASE WHEN t.past THEN t.assets END"},
	{"lived", "CASE WHEN t.past IS NOT NULL THEN t.assets END"},
	{"past_value", "CASE WHEN t.past THEN t.value END"},
	{"costed", "t.costed"},
	{"lasting", "t.lasting"},
	{"planned", "t.planned"},
	{"placed", "CASE WHEN t.site_id IS NOT NULL THEN t.assets END"},
}

// tallied lists the tallies, each as column makes it of its name and its expression.
func tallied(column func(name, sql string) string) string {
	list := make([]string, len(tallies))
	for i, t := range tallies {
		list[i] = column(t.name, t.sql)
	}
	return strings.Join(list, ", ")
}

// partsSQL gives part: rows that add up to the indicators of their building, their site or their key.
//
//	place  the assets that share system, building, site, key, condition and past; stands is whether they count
//	sys    the systems that count, with their own values; own_… is NULL where the values of their assets are used
const partsSQL = `
WITH place AS MATERIALIZED (
	SELECT a.system_id, a.building_id, a.site_id, {asset key} AS key, {a counts} AS counts, a.condition_rating, {a past} AS past,
		count(*) AS assets,
		coalesce(sum(a.replacement_cost), 0) AS value, coalesce(sum(a.deferred_maintenance_cost), 0) AS deferred, sum({a need}) AS need,
		sum({a days}) AS age, count({a installed}) AS aged,
		count(a.replacement_cost) AS costed, count(a.expected_useful_life_years) AS lasting, count(a.planned_renewal_year) AS planned
	FROM asset a WHERE a.organization_id = current_organization() AND {assets}
	GROUP BY 1, 2, 3, 4, 5, 6, 7
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
	LEFT JOIN (SELECT system_id, sum(value) AS value, sum(deferred) AS deferred FROM standing WHERE stands
		GROUP BY 1) inside ON inside.system_id = s.id
	WHERE s.organization_id = current_organization() AND {systems} AND {s counts} AND {b counts} AND {p counts}
), part AS (
	SELECT CASE WHEN sys.id IS NULL THEN t.building_id ELSE sys.building_id END AS building_id, t.site_id, t.key,
		0 AS sites, 0 AS buildings, 0 AS systems, CASE WHEN t.stands THEN t.assets ELSE 0 END AS assets, CASE WHEN t.stands THEN 0
			ELSE t.assets END AS left_out,
		NULL::numeric AS appraisal, 0::numeric AS of_systems,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.value ELSE 0 END AS of_assets,
		CASE WHEN t.stands AND sys.own_deferred IS NULL THEN t.deferred ELSE 0 END AS deferred,
		CASE WHEN t.stands AND sys.own_need IS NULL THEN t.need ELSE 0 END AS need,
		{tallies that stand}
	FROM standing t LEFT JOIN sys ON sys.id = t.system_id
	UNION ALL
	SELECT building_id, site_id, key, 0, 0, 1, 0, 0, NULL, coalesce(own_value, 0), 0, coalesce(own_deferred, 0), coalesce(own_need, 0),
		{no tallies} FROM sys
)`

// unitsSQL adds one row per building, and one per site for what is outside of its buildings. Empty buildings and sites have a row
// too.
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
	SELECT building_id, site_id, sum(sites) AS sites, sum(buildings) AS buildings, sum(systems) AS systems, sum(assets) AS assets,
		sum(left_out) AS left_out,
		coalesce(max(appraisal), 0) AS of_buildings,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_systems) ELSE 0 END AS of_systems,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_assets) ELSE 0 END AS of_assets,
		sum(deferred) AS deferred, sum(need) AS need, {sums}
	FROM whole GROUP BY 1, 2
)`

// indicatorsSQL is the list of columns that Indicators is read from, over rows u of unit or part.
var indicatorsSQL = func() string {
	value := "(sum(u.of_buildings) + sum(u.of_systems) + sum(u.of_assets))"
	fci := indicators.FCI("sum(u.need)", value)
	return "coalesce(sum(u.sites), 0)::bigint, coalesce(sum(u.buildings), 0)::bigint, coalesce(sum(u.systems), 0)::bigint, " +
		"coalesce(sum(u.assets), 0)::bigint, coalesce(sum(u.left_out), 0)::bigint, " +
		"coalesce(" + value + ", 0), coalesce(sum(u.of_buildings), 0), coalesce(sum(u.of_systems), 0), coalesce(sum(u.of_assets), 0), " +
		"coalesce(sum(u.deferred), 0), coalesce(sum(u.need), 0), " + fci + ", " + indicators.FCIGrade(fci) + ", " +
		indicators.Years("(sum(u.age) / nullif(sum(u.aged), 0))") + ", round(sum(u.rating) / nullif(sum(u.assets) - sum(u.unrated), 0), 2), " +
		lacking("aged") + lacking("costed") + lacking("lasting") + lacking("planned") + lacking("placed") +
		"coalesce(sum(u.past), 0)::bigint, coalesce(sum(u.past_value), 0), " +
		"coalesce(sum(u.rated1), 0)::bigint, coalesce(sum(u.rated2), 0)::bigint, coalesce(sum(u.rated3), 0)::bigint, " +
		"coalesce(sum(u.rated4), 0)::bigint, " +
		"coalesce(sum(u.rated5), 0)::bigint, coalesce(sum(u.unrated), 0)::bigint, coalesce(sum(u.value1), 0), coalesce(sum(u.value2), 0), " +
		"coalesce(sum(u.value3), 0), " +
		"coalesce(sum(u.value4), 0), coalesce(sum(u.value5), 0), coalesce(sum(u.value_unrated), 0)"
}()

// lacking is the number of assets that are not in a tally.
func lacking(tally string) string {
	return "coalesce(sum(u.assets) - sum(u." + tally + "), 0)::bigint, "
}

// rollup completes a statement for a view. The keys are expressions by which assets and systems are grouped.
func rollup(sql string, v view, assetKey, systemKey string) string {
	deferred := indicators.Own("s.deferred_maintenance_cost", "inside.deferred")
	value := indicators.Own("s.replacement_cost", "inside.value")
	return strings.NewReplacer(
		"{assets}", v.assets, "{systems}", v.systems, "{buildings}", v.buildings, "{sites}", v.sites,
		"{asset key}", assetKey, "{system key}", systemKey,
		"{a counts}", indicators.Counts("a"), "{s counts}", indicators.Counts("s"), "{b counts}", indicators.Counts("b"), "{p counts}",
		indicators.Counts("p"),
		"{a need}", indicators.Need("a", year, horizon, "a.deferred_maintenance_cost", "a.replacement_cost"),
		"{s due}", indicators.RenewalDue("s", year, horizon), "{s need}", indicators.Need("s", year, horizon, deferred, value),
		"{a past}", indicators.PastUsefulLife("a", asOf), "{a days}", indicators.AgeDays("a", asOf), "{a installed}", indicators.Installed("a"),
		"{tallies that stand}", tallied(func(name, sql string) string {
			return "CASE WHEN t.stands THEN coalesce(" + sql + ", 0) ELSE 0 END AS " + name
		}),
		"{no tallies}", tallied(func(_, _ string) string { return "0" }),
		"{sums}", tallied(func(name, _ string) string { return "sum(" + name + ") AS " + name }),
	).Replace(sql)
}
