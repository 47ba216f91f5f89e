package infrastructure

import (
	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
)

// inventorySQL are the lines of package inventory, in its names. The life of a pipe that was relined begins anew, with the life of its
// liner where that is known.
var inventorySQL = []string{
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'network' AS type, n.id, n.name, n.code FROM network n
		WHERE n.organization_id = current_organization()) x`,
	`SELECT json_strip_nulls(row_to_json(x))::text FROM (SELECT 'segment' AS type, t.id, t.name, t.segment_code AS code,
		` + indicators.Counts("t") + ` AS counts, t.network_id, t.site_id, ` + indicators.ServiceCategoryOfNetwork("n") + ` AS service_category,
		n.asset_class AS network_asset_class, t.material, t.surface_type,
		t.functional_class, t.diameter_mm, t.attributes || t.custom_fields AS custom_fields, t.length_m AS quantity,
		nullif(t.replacement_cost, 0) AS cost,
		coalesce(t.replacement_cost_year, extract(year FROM t.replacement_cost_as_of)::int) AS cost_year,
		CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost END AS deferred_typed,
		` + deficiencies.Deferred("t", "extract(year FROM "+indicators.Today+")::int") + ` AS deferred_found,
		CASE WHEN t.relined_year IS NULL THEN t.expected_useful_life_years ELSE coalesce(t.relined_useful_life_years,
			t.expected_useful_life_years)
			END AS useful_life_years,
		greatest(` + indicators.Installed("t") + `, make_date(t.relined_year, 7, 1)) AS installed, t.planned_renewal_year,
		t.condition_rating, CASE WHEN i.index_type IN ('pci', 'bci', 'other_100') THEN i.index_value END AS condition_index,
			t.condition_assessed_on, t.probability_of_failure, t.consequence_of_failure
		FROM segment t JOIN network n ON n.organization_id = t.organization_id AND n.id = t.network_id
		LEFT JOIN inspection i ON i.organization_id = t.organization_id AND i.id = t.condition_source_id
		WHERE t.organization_id = current_organization()) x`,
}

// inspectionsSQL are the ratings of a time, for estimates of how segments deteriorate. $1 and $2 are the first and the last day.
const inspectionsSQL = `SELECT segment_id, inspected_on, condition_rating FROM inspection
	WHERE organization_id = current_organization() AND inspected_on BETWEEN $1 AND $2 AND condition_rating IS NOT NULL
		AND coalesce(method, 'visual') <> 'desktop' ORDER BY segment_id, inspected_on, position`
