package assets

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
)

// derivedSQL gives, for each asset of a JSON document, what drives its condition and costs: of all assessments, of what was last said on
// the asset itself, and of what the document says on it (said). A row of the document is {asset_id, rating, replacement, deferred}, of
// which the last three are ratingSaid and costSaid, or null. organization is an SQL expression; document is a parameter.
//
// …_is_new says whether what is said is a statement at all. With a day, it is one unless it was made already, or is a cost of an earlier
// day than what was last said on the asset; without a day, unless it repeats what was last said there. A rating with a method that is not
// the one shown is always one. What is said is entered last: behind the greatest position. Where the last weak statement takes back what
// was reported (its rating is null), only strong ones can drive. Deferred maintenance that follows from deficiencies stays as it is.
func derivedSQL(organization, document, ids string) string {
	strong := indicators.Strong("e.method")
	return strings.NewReplacer(
		"{organization}", organization, "{document}", document, "{ids}", ids, "{strong}", strong,
		"{driving rating}", indicators.DrivingRating("e.assessed_on", strong, "e.position"),
		"{driving cost}", indicators.DrivingCost("e.said_on", "e.own", "e.position"),
	).Replace(derivedTemplate)
}

const derivedTemplate = `
SELECT a.id, fresh.rating AS rating_is_new, fresh.replacement AS replacement_is_new, fresh.deferred AS deferred_is_new,
	r.condition_rating, r.assessed_on AS condition_assessed_on, r.method AS condition_method, r.id AS condition_source_id,
	w.condition_rating AS reported_condition_rating,
	c.cost AS replacement_cost, c.year AS replacement_cost_year, c.said_on AS replacement_cost_as_of,
	CASE WHEN a.deficiency_years IS NULL THEN d.cost ELSE a.deferred_maintenance_cost END AS deferred_maintenance_cost,
	CASE WHEN a.deficiency_years IS NULL THEN d.said_on END AS deferred_maintenance_as_of
FROM json_to_recordset({document}::json) s (asset_id uuid, rating json, replacement json, deferred json)
JOIN asset a ON a.organization_id = {organization} AND a.id = s.asset_id AND a.id = ANY({ids}::uuid[])
CROSS JOIN LATERAL json_to_record(coalesce(s.rating, '{}')) sr (source_id uuid, rating int, rated_on date, method text, explicit boolean,
	dated boolean)
CROSS JOIN LATERAL json_to_record(coalesce(s.replacement, '{}')) sc (cost numeric, year int, year_sent boolean, said_on date, dated boolean)
CROSS JOIN LATERAL json_to_record(coalesce(s.deferred, '{}')) sd (cost numeric, said_on date, dated boolean)
LEFT JOIN LATERAL (SELECT true AS made, e.condition_rating FROM condition_assessment e
	WHERE e.organization_id = {organization} AND e.asset_id = a.id AND NOT {strong}
	ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) reported ON sr.source_id IS NOT NULL
CROSS JOIN LATERAL (SELECT
	sr.source_id IS NOT NULL AND CASE
		WHEN sr.dated THEN NOT EXISTS (SELECT FROM condition_assessment e WHERE e.organization_id = {organization} AND e.asset_id = a.id
			AND e.assessed_on = sr.rated_on AND e.condition_rating = sr.rating AND e.method = sr.method)
		WHEN sr.explicit THEN true
		ELSE reported.made IS NULL OR reported.condition_rating IS DISTINCT FROM sr.rating END AS rating,
	s.replacement IS NOT NULL AND CASE
		WHEN sc.dated THEN sc.said_on >= coalesce(a.own_replacement_cost_as_of, '-infinity') AND (sc.cost, sc.year, sc.said_on)
			IS DISTINCT FROM (a.own_replacement_cost, a.own_replacement_cost_year, a.own_replacement_cost_as_of)
		ELSE (a.own_replacement_cost IS NULL AND a.own_replacement_cost_as_of IS NULL) OR sc.cost IS DISTINCT FROM a.own_replacement_cost
			OR coalesce(sc.year_sent AND sc.year IS DISTINCT FROM a.own_replacement_cost_year, false) END AS replacement,
	s.deferred IS NOT NULL AND CASE
		WHEN sd.dated THEN sd.said_on >= coalesce(a.own_deferred_maintenance_as_of, '-infinity')
			AND (sd.cost, sd.said_on) IS DISTINCT FROM (a.own_deferred_maintenance_cost, a.own_deferred_maintenance_as_of)
		ELSE (a.own_deferred_maintenance_cost IS NULL AND a.own_deferred_maintenance_as_of IS NULL)
			OR sd.cost IS DISTINCT FROM a.own_deferred_maintenance_cost END AS deferred) fresh
LEFT JOIN LATERAL (SELECT * FROM (
		SELECT e.condition_rating, e.assessed_on, e.method, e.position FROM condition_assessment e
		WHERE e.organization_id = {organization} AND e.asset_id = a.id
		UNION ALL SELECT sr.rating, sr.rated_on, sr.method, 9223372036854775807 WHERE fresh.rating) e
	WHERE NOT {strong} ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) w ON true
LEFT JOIN LATERAL (SELECT * FROM (
		SELECT e.id, e.condition_rating, e.assessed_on, e.method, e.position FROM condition_assessment e
		WHERE e.organization_id = {organization} AND e.asset_id = a.id
		UNION ALL SELECT sr.source_id, sr.rating, sr.rated_on, sr.method, 9223372036854775807 WHERE fresh.rating) e
	WHERE {strong} OR w.condition_rating IS NOT NULL ORDER BY {driving rating} LIMIT 1) r ON true
CROSS JOIN LATERAL (SELECT * FROM (
		SELECT e.replacement_cost AS cost, extract(year FROM e.assessed_on)::int AS year, e.assessed_on AS said_on, false AS own, e.position
		FROM condition_assessment e WHERE e.organization_id = {organization} AND e.asset_id = a.id AND e.replacement_cost IS NOT NULL
		UNION ALL SELECT CASE WHEN fresh.replacement THEN sc.cost ELSE a.own_replacement_cost END,
			CASE WHEN fresh.replacement AND sc.year_sent THEN sc.year ELSE a.own_replacement_cost_year END,
			CASE WHEN fresh.replacement THEN sc.said_on ELSE a.own_replacement_cost_as_of END, true, NULL) e
	ORDER BY {driving cost} LIMIT 1) c
CROSS JOIN LATERAL (SELECT * FROM (
		SELECT e.deferred_maintenance_cost AS cost, e.assessed_on AS said_on, false AS own, e.position
		FROM condition_assessment e WHERE e.organization_id = {organization} AND e.asset_id = a.id AND e.deferred_maintenance_cost IS NOT NULL
		UNION ALL SELECT CASE WHEN fresh.deferred THEN sd.cost ELSE a.own_deferred_maintenance_cost END,
			CASE WHEN fresh.deferred THEN sd.said_on ELSE a.own_deferred_maintenance_as_of END, true, NULL) e
	ORDER BY {driving cost} LIMIT 1) d`

// derivedColumns are those of an asset that are derived from what was said of it.
var derivedColumns = []string{
	"condition_rating", "condition_assessed_on", "condition_method", "condition_source_id", "reported_condition_rating",
	"replacement_cost", "replacement_cost_year", "replacement_cost_as_of", "deferred_maintenance_cost", "deferred_maintenance_as_of",
}

// updateConditions derives the condition and the costs of assessed assets anew.
func (f family) updateConditions(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	var input []map[string]string
	ids := assessed(changes)
	for _, id := range ids {
		input = append(input, map[string]string{"asset_id": id})
	}
	document, err := json.Marshal(input)
	if err != nil {
		return err
	}
	return f.registry.UpdateWhere(ctx, tx, "assets", derivedColumns, derivedSQL("$1", "$2", "$3"), string(document), ids)
}

// recordStatements writes what was said on assets themselves: each rating as an assessment, costs as the assets' own. The asset has a
// history entry and an event for it; the assessment has none of its own.
func recordStatements(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Asset]) error {
	var ratings, costs []map[string]any
	var rated, costed []string // of which assets they are
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		s := c.After.stated
		if s.rating != nil {
			rated, ratings = append(rated, c.ID()), append(ratings, map[string]any{"asset_id": c.ID(), "source_id": s.rating.SourceID,
				"rating": s.rating.Rating, "rated_on": s.rating.On, "method": s.rating.Method})
		}
		if s.replacement != nil || s.deferred != nil {
			costed, costs = append(costed, c.ID()), append(costs,
				map[string]any{"asset_id": c.ID(), "replacement": s.replacement, "deferred": s.deferred})
		}
	}
	batch := &pgx.Batch{}
	if ratings != nil {
		document, err := json.Marshal(ratings)
		if err != nil {
			return err
		}
		batch.Queue(recordRatingsSQL, string(document), len(ratings), rated)
	}
	if costs != nil {
		document, err := json.Marshal(costs)
		if err != nil {
			return err
		}
		batch.Queue(recordCostsSQL, string(document), costed)
	}
	return postgres.Later(ctx, tx, batch)
}

const recordRatingsSQL = `
WITH stamp AS MATERIALIZED (SELECT p.first_position, p.at FROM reserve_positions('condition_assessments', $2) p)
INSERT INTO condition_assessment (organization_id, id, position, created_at, updated_at, created_by, updated_by,
	asset_id, assessed_on, condition_rating, method, assessor)
SELECT a.organization_id, s.source_id, stamp.first_position + s.place - 1, stamp.at, stamp.at, a.updated_by, a.updated_by,
	a.id, s.rated_on, s.rating, s.method, a.updated_by->>'name'
FROM stamp,
	(SELECT row_number() OVER () AS place, r.* FROM json_to_recordset($1::json)
		r (asset_id uuid, source_id uuid, rating int, rated_on date, method text)) s
	JOIN asset a ON a.organization_id = current_organization() AND a.id = s.asset_id AND a.id = ANY($3::uuid[])`

const recordCostsSQL = `
UPDATE asset a SET
	own_replacement_cost = CASE WHEN s.replacement IS NULL THEN a.own_replacement_cost ELSE sc.cost END,
	own_replacement_cost_year = CASE WHEN sc.year_sent THEN sc.year ELSE a.own_replacement_cost_year END,
	own_replacement_cost_as_of = CASE WHEN s.replacement IS NULL THEN a.own_replacement_cost_as_of ELSE sc.said_on END,
	own_deferred_maintenance_cost = CASE WHEN s.deferred IS NULL THEN a.own_deferred_maintenance_cost ELSE sd.cost END,
	own_deferred_maintenance_as_of = CASE WHEN s.deferred IS NULL THEN a.own_deferred_maintenance_as_of ELSE sd.said_on END
FROM json_to_recordset($1::json) s (asset_id uuid, replacement json, deferred json)
CROSS JOIN LATERAL json_to_record(coalesce(s.replacement, '{}')) sc (cost numeric, year int, year_sent boolean, said_on date)
CROSS JOIN LATERAL json_to_record(coalesce(s.deferred, '{}')) sd (cost numeric, said_on date)
WHERE a.organization_id = current_organization() AND a.id = s.asset_id AND a.id = ANY($2::uuid[])`
