package assets

import (
	"strings"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
)

// Indicators are added up by one statement, whatever the number of assets. A row counts while it, and everything it is in, counts
// (indicators.Counts). A row's own value has precedence over the sum of its parts:
//
//   - a replacement cost of 0 is none, of a system and of a building as of an asset
//   - a system's replacement cost is its own, else its assets'; so is its deferred maintenance where that was typed, while its own
//     deficiencies are added to its assets'; where its own renewal is due, or it has deferred maintenance of its own, the need is the
//     system's (indicators.SystemNeed), else that of its assets
//   - a building's replacement cost is its appraisal, else that of its systems and of its assets outside of them;
//     an appraisal has no needs, which are always those of the parts
//   - a site is the sum of its buildings and of the systems and assets outside of them
//   - the deficiencies of a building or a site itself are added to its parts'
//
// An asset belongs to its system wherever it is, so that nothing counts twice.
//
// Need is bare where no replacement value stands against it: its asset has none, nor has the system of its own, nor is its building
// appraised. Of a system that has only its assets' value, it is what the system would not need without its assets that have none. The
// deficiencies of a building or a site itself stand against all that it is worth.
//
// Renewals are due by planned_renewal_year or, by life, else at the end of the expected useful life: renewed is the need of those that are
// due, and by_life what of it no year was typed for. known is the value whose year of renewal is known. A system that has a value and no
// life has it in the proportion of its assets, and an appraisal in that of its parts.
//
// Deferred maintenance is that of the year of the figures, and needs have that of the horizon.

// view selects the rows of a rollup: conditions over the aliases a (asset), s (system), b (building), p (site).
type view struct{ assets, systems, buildings, sites string }

// The statements take $1 the date of the indicators, $2 the horizon in years and $3 the prices. A view of one record takes its id as $4.
var (
	everything = view{"true", "true", "true", "true"}
	ofSite     = view{"a.site_id = $4::uuid", "s.site_id = $4::uuid", "b.site_id = $4::uuid", "p.id = $4::uuid"}
	ofBuilding = view{"a.building_id = $4::uuid", "s.building_id = $4::uuid", "b.id = $4::uuid", "false"}
	ofSystem   = view{"a.system_id = $4::uuid", "s.id = $4::uuid", "false", "false"}
)

const (
	asOf    = "$1::date"
	year    = "extract(year FROM $1::date)::int"
	horizon = "$2::int"
)

// partsSQL gives part: rows that add up to the indicators of their building, their site or their key.
//
//	place  the assets that share system, building, site, key, condition and past; stands is whether they count. typed and found are
//	       their deferred maintenance; later is that of those that are not due, at the horizon; renewals and relieved are of
//	       those that are due (indicators.Inside); bare is the need of those without a value, which is their deferred maintenance, and
//	       bare_relieved that of those that are due as well; restated is the cost that is in the wanted prices
//	sys    the systems that count, with their own values; own_… is NULL where the values of their assets are used
//	part   deferred has found in it, and bare has loose: the need of buildings and sites themselves
//
// {asset}, {system}, {building} and {site} are where the rows come from.
const partsSQL = `
WITH {with}{prices}{mixed}, place AS (
	SELECT a.system_id, a.building_id, a.site_id, {asset key} AS key, {a counts} AS counts, a.condition_rating, {a past} AS past,{details}
		count(*) AS assets, count(*) FILTER (WHERE {a gone}) AS gone,
		count(*) FILTER (WHERE {a entered later}) AS entered_later,
		count(*) FILTER (WHERE {a changed later} AND NOT {a entered later}) AS changed_since,
		coalesce(sum({a cost}), 0) AS value, coalesce(sum({a typed}), 0) AS typed, coalesce(sum({a found}), 0) AS found,
		coalesce(sum({a unpriced}), 0) AS unpriced, coalesce(sum({a deferred}) FILTER (WHERE NOT {a due}), 0) AS later,
		coalesce(sum({a renewal}) FILTER (WHERE {a due}), 0) AS renewals,
		coalesce(sum({a renewal}) FILTER (WHERE {a due} AND a.planned_renewal_year IS NULL), 0) AS by_life,
		coalesce(sum({a cost}) FILTER (WHERE {a life} IS NOT NULL), 0) AS known,
		coalesce(sum({a deferred}) FILTER (WHERE {a due}), 0) AS relieved,
		coalesce(sum({a deferred}) FILTER (WHERE {a bare}), 0) AS bare,
		coalesce(sum({a deferred}) FILTER (WHERE {a bare} AND {a due}), 0) AS bare_relieved, {restated assets}
		sum({a days}) FILTER (WHERE {a days} >= 0) AS age, count(*) FILTER (WHERE {a days} >= 0) AS aged,
		sum({a days} * {a cost}) FILTER (WHERE {a days} >= 0) AS value_age,
		sum({a cost}) FILTER (WHERE ({a days} >= 0) IS NOT TRUE) AS value_undated,
		count({a installed}) AS dated,
		count({a cost}) AS costed, count(a.expected_useful_life_years) AS lasting, count(a.planned_renewal_year) AS planned,
		count(*) FILTER (WHERE a.replacement_cost = 0) AS zeros
	FROM {asset} a {a joins}{key joins} WHERE a.organization_id = current_organization() AND {which assets}
	GROUP BY 1, 2, 3, 4, 5, 6, 7{details by}
), standing AS MATERIALIZED (
	SELECT place.*, place.counts AND {s counts} AND {b counts} AND {p counts} AS stands
	FROM place
	LEFT JOIN {system} s ON s.organization_id = current_organization() AND s.id = place.system_id
	LEFT JOIN {building} b ON b.organization_id = current_organization() AND b.id = place.building_id
	LEFT JOIN {site} p ON p.organization_id = current_organization() AND p.id = place.site_id
), inside AS (
	SELECT system_id, sum(value) AS value, sum(later) AS later, sum(renewals) AS renewals, sum(relieved) AS relieved,
		sum(bare) AS bare, sum(bare_relieved) AS bare_relieved, sum(by_life) AS by_life, sum(known) AS known
	FROM standing WHERE stands AND system_id IS NOT NULL GROUP BY 1
), sys AS MATERIALIZED (
	SELECT s.id, s.building_id, s.site_id, {system key} AS key, {s cost} AS own_value, {s typed} AS own_typed, coalesce({s found}, 0) AS found,
		coalesce({s unpriced}, 0) AS unpriced, {s restated} AS restated, {s due} AS due, coalesce(inside.renewals, 0) AS renewals_inside,
		CASE WHEN {s due} OR s.deferred_maintenance_cost IS NOT NULL OR s.deficiency_years IS NOT NULL THEN {s need} END AS own_need,
		CASE WHEN {s cost} IS NOT NULL THEN {s need} WHEN inside.value > 0 THEN {s covered need} ELSE 0 END AS covered,
		s.replacement_cost = 0 AS zero, CASE WHEN {s due} THEN {s need} ELSE coalesce(inside.renewals, 0) END AS own_renewed,
		CASE WHEN NOT {s due} THEN coalesce(inside.by_life, 0) WHEN s.planned_renewal_year IS NULL THEN {s need} ELSE 0 END AS own_by_life,
		CASE WHEN {s life} IS NOT NULL THEN {s cost} ELSE round({s cost} * inside.known / nullif(inside.value, 0), 2) END AS own_known
	FROM {system} s
	LEFT JOIN {building} b ON b.organization_id = current_organization() AND b.id = s.building_id
	LEFT JOIN {site} p ON p.organization_id = current_organization() AND p.id = s.site_id
	LEFT JOIN inside ON inside.system_id = s.id {s joins}
	WHERE s.organization_id = current_organization() AND {which systems} AND {s counts} AND {b counts} AND {p counts}
), part AS (
	SELECT CASE WHEN sys.id IS NULL THEN t.building_id ELSE sys.building_id END AS building_id, t.site_id, t.key,
		0 AS sites, 0 AS buildings, 0 AS systems, CASE WHEN t.stands THEN t.assets ELSE 0 END AS assets, CASE WHEN t.stands THEN 0
			ELSE t.assets END AS left_out,
		CASE WHEN t.stands THEN 0 ELSE t.gone END AS gone,
		NULL::numeric AS appraisal, 0::numeric AS of_systems,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.value ELSE 0 END AS of_assets,
		CASE WHEN t.stands AND sys.own_typed IS NULL THEN t.typed + t.found ELSE 0 END AS deferred,
		CASE WHEN t.stands AND sys.own_typed IS NULL THEN t.found ELSE 0 END AS found,
		CASE WHEN t.stands THEN t.unpriced ELSE 0 END AS unpriced,
		CASE WHEN t.stands AND sys.own_need IS NULL THEN t.renewals + t.later ELSE 0 END AS need,
		CASE WHEN NOT t.stands OR sys.own_need IS NOT NULL OR sys.own_value IS NOT NULL THEN 0 ELSE t.bare END AS bare, 0 AS loose,
		CASE WHEN t.stands AND sys.due IS NOT TRUE THEN t.renewals ELSE 0 END AS renewals, 0 AS short,
		CASE WHEN t.stands THEN t.zeros ELSE 0 END AS zeros,
		CASE WHEN t.stands AND sys.own_need IS NULL THEN t.renewals ELSE 0 END AS renewed,
		CASE WHEN t.stands AND sys.own_need IS NULL THEN t.by_life ELSE 0 END AS by_life,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.known ELSE 0 END AS known,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.costed ELSE 0 END AS costs,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.restated ELSE 0 END AS restated,
		CASE WHEN t.stands AND sys.own_value IS NULL THEN t.restated_value ELSE 0 END AS restated_value,
		{tallies that stand}
	FROM standing t LEFT JOIN sys ON sys.id = t.system_id
	UNION ALL
	SELECT building_id, site_id, key, 0, 0, 1, 0, 0, 0, NULL, coalesce(own_value, 0), 0, coalesce(own_typed, found), found, unpriced,
		coalesce(own_need, 0), coalesce(own_need - covered, 0),
			0, CASE WHEN due THEN own_need ELSE 0 END, CASE WHEN own_value < renewals_inside THEN 1 ELSE 0 END,
		CASE WHEN zero THEN 1 ELSE 0 END, CASE WHEN own_need IS NULL THEN 0 ELSE own_renewed END,
		CASE WHEN own_need IS NULL THEN 0 ELSE own_by_life END, coalesce(own_known, 0),
		CASE WHEN own_value IS NULL THEN 0 ELSE 1 END, CASE WHEN own_value IS NOT NULL AND restated THEN 1 ELSE 0 END,
		CASE WHEN own_value IS NOT NULL AND restated THEN own_value ELSE 0 END, {no tallies} FROM sys
	UNION ALL
	SELECT b.id, b.site_id, {building key}, 0, 0, 0, 0, 0, 0, NULL, 0, 0, {b found}, {b found}, {b unpriced}, {b later}, {b later}, {b later},
		0, 0, 0, 0, 0, 0, 0, 0, 0, {no tallies}
	FROM {building} b LEFT JOIN {site} p ON p.organization_id = current_organization() AND p.id = b.site_id {b joins}
	WHERE b.organization_id = current_organization() AND b.deficiency_years IS NOT NULL AND {which buildings} AND {b counts} AND {p counts}
	UNION ALL
	SELECT NULL, p.id, {site key}, 0, 0, 0, 0, 0, 0, NULL, 0, 0, {p found}, {p found}, {p unpriced}, {p later}, {p later}, {p later}, 0, 0,
		0, 0, 0, 0, 0, 0, 0, {no tallies}
	FROM {site} p {p joins}
	WHERE p.organization_id = current_organization() AND p.deficiency_years IS NOT NULL AND {which sites} AND {p counts}
)`

// wholeSQL adds one row per building, and one per site for what is outside of its buildings. Empty buildings and sites have a row
// too.
const wholeSQL = `, whole AS (
	SELECT * FROM part
	UNION ALL
	SELECT b.id, b.site_id, {building key}, 0, 1, 0, 0, 0, 0, {b cost}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		CASE WHEN b.replacement_cost = 0 THEN 1 ELSE 0 END, 0, 0, 0,
		CASE WHEN {b cost} IS NULL THEN 0 ELSE 1 END, CASE WHEN {b cost} IS NOT NULL AND {b restated} THEN 1 ELSE 0 END,
		CASE WHEN {b cost} IS NOT NULL AND {b restated} THEN {b cost} ELSE 0 END,
		{no tallies}
	FROM {building} b LEFT JOIN {site} p ON p.organization_id = current_organization() AND p.id = b.site_id {b joins}
	WHERE b.organization_id = current_organization() AND {which buildings} AND {b counts} AND {p counts}
	UNION ALL
	SELECT NULL, p.id, {site key}, 1, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		{no tallies} FROM {site} p
	WHERE p.organization_id = current_organization() AND {which sites} AND {p counts}
)`

// knownOfAppraisal is the part of a building's appraisal whose year of renewal is known: that of its parts' value.
const knownOfAppraisal = "round(max(appraisal) * sum(known) / nullif(sum(of_systems) + sum(of_assets), 0), 2)"

// unitsSQL adds that up by building and site, where a building is worth its appraisal if it has one.
const unitsSQL = wholeSQL + `, place_sum AS (
	SELECT building_id, site_id, sum(sites) AS sites, sum(buildings) AS buildings, sum(systems) AS systems, sum(assets) AS assets,
		sum(left_out) AS left_out, sum(gone) AS gone,
		coalesce(max(appraisal), 0) AS of_buildings,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_systems) ELSE 0 END AS of_systems,
		CASE WHEN max(appraisal) IS NULL THEN sum(of_assets) ELSE 0 END AS of_assets,
		sum(deferred) AS deferred, sum(found) AS found, sum(unpriced) AS unpriced, sum(need) AS need, sum(loose) AS loose,
			max(appraisal) IS NULL AS parts, CASE WHEN max(appraisal) IS NULL THEN sum(bare) ELSE 0 END AS uncovered,
		sum(short) + CASE WHEN max(appraisal) < sum(renewals) THEN 1 ELSE 0 END AS short, sum(zeros) AS zeros,
		sum(renewed) AS renewed, sum(by_life) AS by_life,
		CASE WHEN max(appraisal) IS NULL THEN sum(known) ELSE coalesce({known of appraisal}, 0) END AS known,
		CASE WHEN max(appraisal) IS NULL THEN sum(costs) ELSE 1 END AS costs,
		CASE WHEN max(appraisal) IS NULL THEN sum(restated) ELSE coalesce(sum(restated) FILTER (WHERE appraisal IS NOT NULL), 0) END AS restated,
		CASE WHEN max(appraisal) IS NULL THEN sum(restated_value)
			ELSE coalesce(sum(restated_value) FILTER (WHERE appraisal IS NOT NULL), 0) END AS restated_value, {sums}
	FROM whole GROUP BY 1, 2
), unit AS (
	SELECT w.*, w.uncovered - CASE WHEN w.loose = 0 OR NOT w.parts THEN 0 WHEN w.worth > 0 THEN w.loose ELSE 0 END AS bare FROM (
		SELECT s.*, CASE WHEN s.building_id IS NULL THEN sum(s.of_buildings + s.of_systems + s.of_assets) OVER (PARTITION BY s.site_id)
			ELSE s.of_systems + s.of_assets END AS worth FROM place_sum s) w
)`

// keys are what a rollup is grouped by: expressions over an asset a, a system s, a building b and a site p, and the joins that the asset's
// needs.
type keys struct{ asset, system, building, site, joins string }

// noKeys are of rollups that are grouped by places alone.
var noKeys = keys{asset: "NULL::text", system: "NULL::text", building: "NULL::text", site: "NULL::text"}

// rollup completes a statement for a view. details are added up besides the tallies, for reports that need them.
func rollup(sql string, v view, by keys, details ...detail) prices.Statement {
	before := asTheyStood(v)
	return prices.NewStatement(func(f prices.Form) string {
		rows, costs := present, asRecorded
		if f.Past {
			rows = before
		}
		if f.InPrices {
			costs = inPrices
		}
		return complete(sql, v, by, details, costs, rows, f.ByLife)
	})
}

func complete(sql string, v view, by keys, details []detail, m money, rows sources, byLife bool) string {
	inside := func(name string) string { return "coalesce(inside." + name + ", 0)" }
	all := indicators.Inside{Value: inside("value"), Deferred: "(" + inside("later") + " + " + inside("relieved") + ")",
		Renewals: inside("renewals"), Relieved: inside("relieved")}
	all.Need = "(" + all.Renewals + " + " + inside("later") + ")"
	covered := indicators.Inside{Value: all.Value, Deferred: "(" + all.Deferred + " - coalesce(inside.bare, 0))", Need: "(" + all.Need +
		" - inside.bare)", Renewals: "(inside.renewals - inside.bare_relieved)", Relieved: "(inside.relieved - inside.bare_relieved)"}
	due := indicators.RenewalDue(indicators.RenewalYear("s", byLife), year, horizon)
	// What was found at a system is beside its assets' deferred maintenance, what was typed is of the whole system.
	ownDeferred := func(inside indicators.Inside) string {
		return "coalesce(" + m.system.later + " + " + inside.Deferred + ", " + m.system.typed + ")"
	}
	mixed := mixedSQL
	if m.restatedAssets == asRecorded.restatedAssets {
		mixed = ""
	}
	columns, grouped := detailed(details)
	return strings.NewReplacer(
		"{asset}", rows.asset, "{system}", rows.system, "{building}", rows.building, "{site}", rows.site, "{deficiency}", rows.deficiency,
	).Replace(strings.NewReplacer("{a cost}", m.asset.cost).Replace(strings.NewReplacer(
		"{with}", rows.with, "{prices}", priceSQL, "{mixed}", mixed,
		"{which assets}", v.assets, "{which systems}", v.systems, "{which buildings}", v.buildings, "{which sites}", v.sites,
		"{asset key}", by.asset, "{system key}", by.system, "{building key}", by.building, "{site key}", by.site, "{key joins}", by.joins,
		"{details}", columns, "{details by}", grouped,
		"{a gone}", indicators.OutOfUseWithoutDate("a"), "{a entered later}", rows.enteredLater, "{a changed later}", rows.changedLater,
		"{a counts}", rows.counts("a", indicators.Installed("a")), "{s counts}", rows.counts("s", indicators.Installed("s")),
		"{b counts}", rows.counts("b", "make_date(b.year_built, 7, 1)"), "{p counts}", rows.counts("p", "NULL::date"),
		"{a typed}", m.asset.typed, "{a found}", m.asset.found, "{a deferred}", m.asset.deferred(), "{a joins}", m.asset.joins,
		"{a unpriced}", deficiencies.Unpriced("a", year), "{s unpriced}", deficiencies.Unpriced("s", year),
		"{b unpriced}", deficiencies.Unpriced("b", year), "{p unpriced}", deficiencies.Unpriced("p", year),
		"{b found}", m.building.found, "{b later}", m.building.later, "{p found}", m.site.found, "{p later}", m.site.later, "{p joins}",
		m.site.joins, "{s cost}", m.system.cost, "{s typed}", m.system.typed, "{s found}", m.system.found, "{s restated}", m.system.restated,
		"{s joins}", m.system.joins, "{b cost}", m.building.cost, "{b restated}", m.building.restated, "{b joins}", m.building.joins,
		"{a due}", indicators.RenewalDue(indicators.RenewalYear("a", byLife), year, horizon),
		"{a life}", indicators.RenewalYear("a", true), "{s life}", indicators.RenewalYear("s", true), "{known of appraisal}", knownOfAppraisal,
		"{a renewal}", "greatest("+m.asset.cost+", "+m.asset.deferred()+", 0)",
		"{a bare}", "coalesce("+m.asset.cost+", 0) = 0", "{restated assets}", m.restatedAssets,
		"{s due}", due, "{s need}", indicators.SystemNeed(due, m.system.cost, ownDeferred(all), all),
		"{s covered need}", indicators.SystemNeed(due, m.system.cost, ownDeferred(covered), covered),
		"{a past}", indicators.PastUsefulLife("a", asOf), "{a days}", indicators.AgeDays("a", asOf), "{a installed}", indicators.Installed("a"),
		"{tallies that stand}", tallied(details, func(name, sql string) string {
			return "CASE WHEN t.stands THEN coalesce(" + sql + ", 0) ELSE 0 END AS " + name
		}),
		"{no tallies}", tallied(details, func(_, _ string) string { return "0" }),
		"{sums}", tallied(details, func(name, _ string) string { return "sum(" + name + ") AS " + name }),
	).Replace(sql)))
}
