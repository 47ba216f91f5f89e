package infrastructure

import (
	"strings"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// A day that is over is derived, as the assets service does it: what has a day of its own (an inspection, a rating, a day of construction,
// the first day out of use, the days on which a deficiency was found and corrected) counts from that day on; of everything else the history
// says what it was at the end of the day. Length is
// what it is today: a better measurement is better for the past as well.

// sources are where figures of segments read their rows from: SQL over the aliases t (segment) and n (network).
type sources struct {
	with                       string // common table expressions, with a comma behind
	segment, network           string
	deficiency                 string
	summed                     bool // the segments have the sums of their deficiencies
	counts                     string
	enteredLater, changedLater string
}

// present are the rows as they are, for today and days to come.
var present = sources{segment: "segment", network: "network", deficiency: "deficiency", summed: true, counts: indicators.Counts("t"),
	enteredLater: "false", changedLater: "false"}

var (
	formerSegments = resource.Past{Collection: "segments", Table: "segment", Fields: []resource.PastField{
		{Name: "network_id", SQLType: "uuid"}, {Name: "expected_useful_life_years", SQLType: "int"}, {Name: "relined_year", SQLType: "int"},
		{Name: "relined_useful_life_years", SQLType: "int"}, {Name: "planned_renewal_year", SQLType: "int"},
		{Name: "functional_class", SQLType: "text"}, {Name: "load_limit_t", SQLType: "float8"},
		{Name: "clearance_limit_m", SQLType: "float8"}, {Name: "width_limit_m", SQLType: "float8"},
		{Name: "probability_of_failure", SQLType: "int"}, {Name: "consequence_of_failure", SQLType: "int"},
		{Name: "replacement_cost", SQLType: "numeric"}, {Name: "replacement_cost_computed", SQLType: "boolean"},
		{Name: "replacement_cost_year", SQLType: "int"}, {Name: "replacement_cost_as_of", SQLType: "date"},
		// What was typed; what follows from deficiencies is in no history.
		{Name: "deferred_maintenance_cost", SQLType: "numeric",
			Present: "CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_cost END"},
		{Name: "deferred_maintenance_as_of", SQLType: "date",
			Present: "CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_as_of ELSE t.typed_deferred_as_of END"},
	}}
	formerNetworks = resource.Past{Collection: "networks", Table: "network", Fields: []resource.PastField{
		{Name: "service_category", SQLType: "text"},
	}}
	formerDeficiencies = resource.Past{Collection: "infrastructure_deficiencies", Table: "deficiency", Fields: []resource.PastField{
		{Name: "segment_id", SQLType: "uuid"}, {Name: "status", SQLType: "text"}, {Name: "category", SQLType: "text"},
		{Name: "estimated_cost", SQLType: "numeric"}, {Name: "cost_year", SQLType: "int"}, {Name: "action_year", SQLType: "int"},
	}}
)

// asTheyStood are the rows as they stood at the end of the day $1: those that which selects, a condition over t, and what was moved
// since, which may have been among them.
func asTheyStood(which string) sources {
	ofSegments := "r.segment_id = ANY(ARRAY(SELECT id FROM segment_row))"
	if which == "true" {
		ofSegments = "true"
	}
	with := strings.Join([]string{
		resource.ReadHistory(asOf, "segments", "networks", "infrastructure_deficiencies"), formerSegments.FormerValues(),
		formerNetworks.FormerValues(), formerDeficiencies.FormerValues(),
		"segment_row AS MATERIALIZED (SELECT * FROM " + formerSegments.Rows(which, "status", "install_date", "install_year", "out_of_use_on",
			"length_m", "lanes", "bbox", "paved", "span_m",
			"created_at") + " r)",
		"network_then AS MATERIALIZED (SELECT * FROM " + formerNetworks.Rows("true", "name", "asset_class") + " r)",
		"deficiency_then AS MATERIALIZED " +
			"(SELECT d.organization_id, d.id, d.segment_id, d.category, d.estimated_cost, d.cost_year, d.action_year, " +
			deficiencies.StatusOn("d", "d.status", asOf) + " AS status FROM " + formerDeficiencies.Rows("true", "found_on", "corrected_on") +
			" d WHERE d.found_on <= " + asOf + ")",
		`rated AS (
	SELECT DISTINCT ON (r.segment_id) r.segment_id, r.rating, r.stated_on, r.method FROM (
		SELECT i.segment_id, i.condition_rating AS rating, i.inspected_on AS stated_on, i.method, true AS strong,
			i.created_at AS entered_at, i.position
		FROM inspection i WHERE i.organization_id = current_organization() AND i.condition_rating IS NOT NULL AND i.inspected_on <= $1::date
		UNION ALL
		SELECT o.segment_id, o.condition_rating, o.stated_on, o.method, ` + indicators.Strong("o.method") + `, o.entered_at, o.position
		FROM segment_rating o WHERE o.organization_id = current_organization() AND o.stated_on <= $1::date) r
	WHERE ` + ofSegments + ` ORDER BY r.segment_id, ` + drivingRating + `
), segment_then AS (
	SELECT r.*, ` + indicators.RiskScore("r") + ` AS risk_score FROM (
		SELECT s.*, r.rating AS condition_rating, r.stated_on AS condition_assessed_on, r.method AS condition_method
		FROM segment_row s LEFT JOIN rated r ON r.segment_id = s.id) r
)`}, ",\n") + ",\n"
	return sources{
		with: with, segment: "segment_then", network: "network_then", deficiency: "deficiency_then",
		counts:       indicators.CountsOn("t", indicators.Installed("t"), asOf),
		enteredLater: "t.created_at >= " + indicators.StartOf(asOf+" + 1"), changedLater: "t.changed_later",
	}
}
