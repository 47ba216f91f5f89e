package assets

import (
	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
)

// inventorySQL are the lines of package inventory, in its names.
var inventorySQL = []string{
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'site' AS type, p.id, p.name, p.code, ` + indicators.Counts("p") + ` AS counts,
		` + deficiencies.Deferred("p", thisYear) + ` AS deferred_found FROM site p WHERE p.organization_id = current_organization()) x`,
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'building' AS type, b.id, b.name, b.code,
		` + indicators.Counts("b") + " AND " + indicators.Counts("p") + ` AS counts, b.site_id,
		` + indicators.ServiceCategoryOfBuilding("b") + ` AS service_category, b.custom_fields, b.gross_floor_area_m2 AS quantity,
		nullif(b.replacement_cost, 0) AS cost,
		b.replacement_cost_year AS cost_year, ` + deficiencies.Deferred("b", thisYear) + ` AS deferred_found,
		b.expected_useful_life_years AS useful_life_years, make_date(b.year_built, 7, 1) AS installed
		FROM building b LEFT JOIN site p ON p.organization_id = b.organization_id AND p.id = b.site_id
		WHERE b.organization_id = current_organization()) x`,
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'system' AS type, s.id, s.name, s.code,
		` + indicators.Counts("s") + " AND " + indicators.Counts("b") + " AND " + indicators.Counts("p") + ` AS counts,
		s.site_id, s.building_id, ` + ofServices.system + ` AS service_category, s.category, s.uniformat_code, s.custom_fields,
		nullif(s.replacement_cost, 0) AS cost, s.replacement_cost_year AS cost_year,
		` + typedDeferred("s") + ` AS deferred_typed, ` + deficiencies.Deferred("s", thisYear) + ` AS deferred_found,
		s.expected_useful_life_years AS useful_life_years, ` + indicators.Installed("s") + ` AS installed, s.planned_renewal_year,
			s.condition_rating
		FROM system s LEFT JOIN building b ON b.organization_id = s.organization_id AND b.id = s.building_id
		LEFT JOIN site p ON p.organization_id = s.organization_id AND p.id = s.site_id
		WHERE s.organization_id = current_organization()) x`,
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'asset' AS type, a.id, a.name, a.asset_tag AS code,
		` + indicators.Counts("a") + " AND " + indicators.Counts("s") + " AND " + indicators.Counts("b") + " AND " + indicators.Counts("p") +
		` AS counts, a.site_id, a.building_id, a.system_id, ` + indicators.ServiceCategoryOfAsset("a", "b", "p") + ` AS service_category,
			a.category, a.uniformat_code, a.custom_fields, a.quantity, nullif(a.replacement_cost, 0) AS cost,
		coalesce(a.replacement_cost_year, extract(year FROM a.replacement_cost_as_of)::int) AS cost_year,
		` + typedDeferred("a") + ` AS deferred_typed, ` + deficiencies.Deferred("a", thisYear) + ` AS deferred_found,
		a.expected_useful_life_years AS useful_life_years, ` + indicators.Installed("a") + ` AS installed, a.planned_renewal_year,
		a.condition_rating, CASE WHEN c.index_type IN ('pci', 'bci', 'other_100') THEN c.index_value END AS condition_index,
			a.condition_assessed_on, a.probability_of_failure, a.consequence_of_failure
		FROM asset a LEFT JOIN system s ON s.organization_id = a.organization_id AND s.id = a.system_id
		LEFT JOIN building b ON b.organization_id = a.organization_id AND b.id = a.building_id
		LEFT JOIN site p ON p.organization_id = a.organization_id AND p.id = a.site_id
		LEFT JOIN condition_assessment c ON c.organization_id = a.organization_id AND c.id = a.condition_source_id
		WHERE a.organization_id = current_organization()) x`,
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'price_index' AS type, i.id, i.name,
		json_object_agg(v.year, v.value ORDER BY v.year) AS values
		FROM price_index i JOIN price_index_value v ON v.organization_id = i.organization_id AND v.price_index_id = i.id
		WHERE i.organization_id = current_organization() GROUP BY i.id, i.name) x`,
}

// typedDeferred is deferred maintenance that somebody stated, where none follows from deficiencies.
func typedDeferred(t string) string {
	return "CASE WHEN " + t + ".deficiency_years IS NULL THEN " + t + ".deferred_maintenance_cost END"
}

// assessmentsSQL are the ratings of a time, for estimates of how they deteriorate. $1 and $2 are the first and the last day.
const assessmentsSQL = `SELECT asset_id, assessed_on, condition_rating FROM condition_assessment
	WHERE organization_id = current_organization() AND assessed_on BETWEEN $1 AND $2 AND condition_rating IS NOT NULL
		AND coalesce(method, 'visual') NOT IN ('age_based', 'desktop') ORDER BY asset_id, assessed_on, position`
