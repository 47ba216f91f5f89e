package assets

import (
	"strings"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// A day that is over is derived: what stood there on that day, where it was and what was known of it. What was said with a day (an
// assessment, a day of installation, the first day out of use) counts from that day on, whenever it was entered. What has no day (places,
// category, life, renewal, consequence, costs that were set on the record) is what the history says of the end of that day; of what was
// entered later, it is as it was first entered.

// sources are where a rollup reads its rows from, and which of them count: SQL over the aliases a (asset), s (system), b (building) and
// p (site).
type sources struct {
	with                          string // common table expressions, with a comma behind
	asset, system, building, site string
	deficiency                    string // deficiencies that are not void: record_id, counts, action_year, estimated_cost, cost_year
	counts                        func(t, installed string) string
	enteredLater, changedLater    string // of an asset
}

// present are the rows as they are, for today and days to come.
var present = sources{
	asset: "asset", system: "system", building: "building", site: "site", deficiency: presentDeficiencies,
	counts:       func(t, _ string) string { return indicators.Counts(t) },
	enteredLater: "false", changedLater: "false",
}

// presentDeficiencies is what a rollup reads of deficiencies one by one, where their costs are in prices of several years.
const presentDeficiencies = `(SELECT coalesce(d.asset_id, d.system_id, d.building_id, d.site_id) AS record_id,
	d.counts_as_deferred AS counts, d.action_year, d.estimated_cost, coalesce(d.cost_year, extract(year FROM d.found_on)::int) AS cost_year
	FROM deficiency d WHERE d.organization_id = current_organization() AND d.status <> 'void')`

// Fields that had other values, by the collections of the service.
var (
	formerAssets = resource.Past{Collection: "assets", Table: "asset", Fields: []resource.PastField{
		{Name: "site_id", SQLType: "uuid"}, {Name: "building_id", SQLType: "uuid"}, {Name: "system_id", SQLType: "uuid"},
		{Name: "category", SQLType: "text"}, {Name: "uniformat_code", SQLType: "text"}, {Name: "service_category", SQLType: "text"},
		{Name: "expected_useful_life_years", SQLType: "int"}, {Name: "planned_renewal_year", SQLType: "int"},
		{Name: "probability_of_failure", SQLType: "int"}, {Name: "consequence_of_failure", SQLType: "int"},
	}}
	formerSystems = resource.Past{Collection: "systems", Table: "system", Fields: []resource.PastField{
		{Name: "site_id", SQLType: "uuid"}, {Name: "building_id", SQLType: "uuid"},
		{Name: "category", SQLType: "text"}, {Name: "uniformat_code", SQLType: "text"},
		{Name: "expected_useful_life_years", SQLType: "int"}, {Name: "planned_renewal_year", SQLType: "int"},
		{Name: "condition_rating", SQLType: "int"}, {Name: "replacement_cost", SQLType: "numeric"},
		{Name: "replacement_cost_year", SQLType: "int"}, {Name: "deferred_maintenance_cost", SQLType: "numeric", // what was typed
			Present: "CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_maintenance_cost END"},
	}}
	formerBuildings = resource.Past{Collection: "buildings", Table: "building", Fields: []resource.PastField{
		{Name: "site_id", SQLType: "uuid"}, {Name: "building_type", SQLType: "text"}, {Name: "service_category", SQLType: "text"},
		{Name: "replacement_cost", SQLType: "numeric"}, {Name: "replacement_cost_year", SQLType: "int"},
	}}
	formerSites = resource.Past{Collection: "sites", Table: "site", Fields: []resource.PastField{
		{Name: "site_type", SQLType: "text"}, {Name: "ward", SQLType: "text"}, {Name: "service_category", SQLType: "text"},
	}}
	formerDeficiencies = resource.Past{Collection: "deficiencies", Table: "deficiency", Fields: []resource.PastField{
		{Name: "site_id", SQLType: "uuid"}, {Name: "building_id", SQLType: "uuid"}, {Name: "system_id", SQLType: "uuid"},
		{Name: "asset_id", SQLType: "uuid"}, {Name: "status", SQLType: "text"}, {Name: "category", SQLType: "text"},
		{Name: "estimated_cost", SQLType: "numeric"}, {Name: "cost_year", SQLType: "int"}, {Name: "action_year", SQLType: "int"},
	}}
)

// asTheyStood are the rows as they stood at the end of the day $1. Those of the view are read, what they were in, which says whether they
// count and in whose prices, and what was moved since, which may have been in the view; the rollup looks again.
func asTheyStood(v view) sources {
	inView := func(condition, alias string) string { return strings.ReplaceAll(condition, alias+".", "t.") }
	around := func(condition, alias, column string, inside ...string) string {
		rows := inView(condition, alias)
		if v == everything {
			return rows
		}
		for _, table := range inside {
			rows += " OR t.id = ANY(ARRAY(SELECT " + column + " FROM " + table + "))"
		}
		return rows
	}
	ofAssets := "e.asset_id = ANY(ARRAY(SELECT id FROM asset_row))"
	if v == everything {
		ofAssets = "true"
	}
	strong := indicators.Strong("e.method")
	lifecycle := []string{"status", "install_date", "install_year", "out_of_use_on"}
	withSums := func(rows string) string {
		return "SELECT r.*, " + sumsOfThen + " FROM " + rows + " r LEFT JOIN deficiency_sum n ON n.record_id = r.id"
	}
	with := strings.Join([]string{
		resource.ReadHistory(asOf, "assets", "systems", "buildings", "sites", "deficiencies"),
		formerAssets.FormerValues(), formerSystems.FormerValues(), formerBuildings.FormerValues(), formerSites.FormerValues(),
		formerDeficiencies.FormerValues(),
		"asset_row AS MATERIALIZED (SELECT * FROM " + formerAssets.Rows(inView(v.assets, "a"), append(lifecycle, "created_at",
			"own_replacement_cost", "own_replacement_cost_year", "own_replacement_cost_as_of",
			"own_deferred_maintenance_cost", "own_deferred_maintenance_as_of")...) + " r)",
		deficienciesThen(v),
		"system_then AS MATERIALIZED (" +
			withSums(formerSystems.Rows(around(v.systems, "s", "system_id", "asset_row"), lifecycle...)) + ")",
		"building_then AS MATERIALIZED (" + withSums(formerBuildings.Rows(
			around(v.buildings, "b", "building_id", "asset_row", "system_then"), "status", "year_built", "out_of_use_on", "name")) + ")",
		"site_then AS MATERIALIZED (" + withSums(formerSites.Rows(
			around(v.sites, "p", "site_id", "asset_row", "system_then", "building_then"), "status", "out_of_use_on", "name")) + ")",
		strings.NewReplacer(
			"{of assets}", ofAssets, "{end}", indicators.StartOf(asOf+" + 1"),
			"{strong}", strong, "{driving rating}", indicators.DrivingRating("e.assessed_on", strong, "e.position"),
			"{driving cost}", indicators.DrivingCost("e.assessed_on", "e.own", "e.position"),
			"{sums}", sumsOfThen, "{own value}", indicators.OwnCostDrives("r.own_cost_on", "v.said_on"),
			"{own deferred}", indicators.OwnCostDrives("r.own_deferred_on", "d.said_on"), "{own}", ownThen,
			"{risk}", indicators.RiskScore("r"),
		).Replace(assetThenSQL),
	}, ",\n") + ",\n"
	return sources{
		with: with, asset: "asset_then", system: "system_then", building: "building_then", site: "site_then", deficiency: "deficiency_then",
		counts:       func(t, installed string) string { return indicators.CountsOn(t, installed, asOf) },
		enteredLater: "a.created_at >= " + indicators.StartOf(asOf+" + 1"), changedLater: "a.changed_later",
	}
}

// sumsOfThen are the columns of a record that its deficiencies n of a past day add up to.
const sumsOfThen = "n.deficiency_years, n.deficiency_costs, n.deficiency_unpriced, n.deficiency_cost_year"

// deficienciesThen gives deficiency_then, the deficiencies that had been found by the day and were not void, and deficiency_sum, what they
// add up to for each record. The days on which one was found and corrected are its own; everything else is what the history says.
func deficienciesThen(v view) string {
	found := "t.found_on <= " + asOf
	if v != everything {
		found += " AND (t.asset_id IS NULL OR t.asset_id = ANY(ARRAY(SELECT id FROM asset_row)))"
	}
	return `deficiency_then AS MATERIALIZED (
	SELECT coalesce(d.asset_id, d.system_id, d.building_id, d.site_id) AS record_id, ` + deficiencies.CountsAsDeferred("d") + ` AS counts,
		d.action_year, d.estimated_cost, coalesce(d.cost_year, extract(year FROM d.found_on)::int) AS cost_year
	FROM (SELECT r.asset_id, r.system_id, r.building_id, r.site_id, r.category, r.action_year, r.estimated_cost, r.cost_year, r.found_on,
			` + deficiencies.StatusOn("r", "r.status", asOf) + ` AS status
		FROM ` + formerDeficiencies.Rows(found, "found_on", "corrected_on") + ` r WHERE r.found_on <= ` + asOf + `) d
	WHERE d.status <> 'void'
), deficiency_sum AS MATERIALIZED (
	` + deficiencies.Sums("deficiency_then d") + `
)`
}

// ownThen are the columns of what had last been said of costs on the asset r itself; f is what was said otherwise since.
var ownThen = func() string {
	then := func(column string) string {
		return "CASE WHEN f.asset_id IS NULL THEN r." + column + " ELSE f." + column + " END"
	}
	on := func(column string) string {
		return "CASE WHEN " + then(column) + " <= " + asOf + " THEN " + then(column) + " END"
	}
	return then("own_replacement_cost") + " AS own_cost, " + then("own_replacement_cost_year") + " AS own_year, " +
		on("own_replacement_cost_as_of") + " AS own_cost_on, " + then("own_deferred_maintenance_cost") + " AS own_deferred, " +
		on("own_deferred_maintenance_as_of") + " AS own_deferred_on"
}()

// assetThenSQL gives asset_then: asset_row with what had been said of the assets by then. Where the last weak statement took back what had
// been reported (its rating is null), only strong ones drive, as in derivedSQL. A cost that was set on the asset itself with a day that had
// not come yet counts where nothing else is known.
const assetThenSQL = `former_own AS (
	SELECT DISTINCT ON (e.asset_id) e.* FROM former_own_cost e
	WHERE e.organization_id = current_organization() AND e.until >= {end} AND {of assets} ORDER BY e.asset_id, e.until, e.id
), said AS MATERIALIZED (
	SELECT e.asset_id, e.condition_rating, e.assessed_on, e.method, e.position, e.replacement_cost, e.deferred_maintenance_cost, false AS own
	FROM condition_assessment e WHERE e.organization_id = current_organization() AND e.assessed_on <= $1::date AND {of assets}
), taken_back AS (
	SELECT w.asset_id FROM (SELECT DISTINCT ON (e.asset_id) e.asset_id, e.condition_rating FROM said e
		WHERE NOT {strong} AND e.asset_id IN (SELECT n.asset_id FROM said n WHERE n.condition_rating IS NULL)
		ORDER BY e.asset_id, e.assessed_on DESC, e.position DESC) w WHERE w.condition_rating IS NULL
), rated AS (
	SELECT DISTINCT ON (e.asset_id) e.asset_id, e.condition_rating, e.assessed_on, e.method FROM said e
	WHERE {strong} OR e.asset_id NOT IN (SELECT asset_id FROM taken_back) ORDER BY e.asset_id, {driving rating}
), valued AS (
	SELECT DISTINCT ON (e.asset_id) e.asset_id, e.replacement_cost AS cost, e.assessed_on AS said_on FROM said e
	WHERE e.replacement_cost IS NOT NULL ORDER BY e.asset_id, {driving cost}
), put_off AS (
	SELECT DISTINCT ON (e.asset_id) e.asset_id, e.deferred_maintenance_cost AS cost, e.assessed_on AS said_on FROM said e
	WHERE e.deferred_maintenance_cost IS NOT NULL ORDER BY e.asset_id, {driving cost}
), asset_then AS (
	SELECT r.*, {risk} AS risk_score FROM (
		SELECT r.*, rated.condition_rating, rated.assessed_on AS condition_assessed_on, rated.method AS condition_method,
			CASE WHEN {own value} THEN r.own_cost ELSE v.cost END AS replacement_cost,
			CASE WHEN {own value} THEN r.own_year ELSE extract(year FROM v.said_on)::int END AS replacement_cost_year,
			CASE WHEN {own value} THEN r.own_cost_on ELSE v.said_on END AS replacement_cost_as_of,
			CASE WHEN {own deferred} THEN r.own_deferred ELSE d.cost END AS deferred_maintenance_cost,
			CASE WHEN {own deferred} THEN r.own_deferred_on ELSE d.said_on END AS deferred_maintenance_as_of
		FROM (SELECT r.*, {own}, {sums} FROM asset_row r LEFT JOIN former_own f ON f.asset_id = r.id
			LEFT JOIN deficiency_sum n ON n.record_id = r.id) r
		LEFT JOIN rated ON rated.asset_id = r.id LEFT JOIN valued v ON v.asset_id = r.id LEFT JOIN put_off d ON d.asset_id = r.id) r
)`
