-- What was said of conditions and costs is kept with its day, ratings by BCI follow the bands of structures, and computed costs are exact.

-- +goose Up

-- Ratings that were set on segments themselves; those of inspections stand in inspection.
CREATE TABLE segment_rating (
    organization_id  uuid        NOT NULL,
    segment_id       uuid        NOT NULL,
    position         bigint      GENERATED ALWAYS AS IDENTITY,
    stated_on        date        NOT NULL,
    condition_rating integer     NOT NULL,
    method           text        COLLATE "C" NOT NULL,
    entered_at       timestamptz NOT NULL,
    PRIMARY KEY (organization_id, segment_id, position),
    CONSTRAINT segment_rating_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('segment_rating');

INSERT INTO segment_rating (organization_id, segment_id, stated_on, condition_rating, method, entered_at)
SELECT organization_id, id, (condition_reported_at AT TIME ZONE 'America/Toronto')::date, reported_condition_rating, 'reported', condition_reported_at
FROM segment WHERE reported_condition_rating IS NOT NULL AND condition_reported_at IS NOT NULL
ORDER BY condition_reported_at;

-- Computed lengths that are not measured on the ellipsoid yet: those of programs of the last release. The service measures them anew.
CREATE INDEX segment_to_measure ON segment (organization_id, id) WHERE length_computed AND length_m IS DISTINCT FROM measured_length_m;

-- What drives the rating that is shown, pavement, and of which day costs are, which was nowhere said: that of the last change. Nothing of
-- this was shown before, so the records keep their versions.
WITH fact AS (
    SELECT s.organization_id, s.id, i.id AS source,
        CASE WHEN s.condition_rating IS NULL THEN NULL WHEN i.id IS NOT NULL THEN i.method ELSE 'reported' END AS method,
        CASE WHEN lower(btrim(s.surface_type)) IN ('asphalt', 'concrete', 'surface_treated', 'paver', 'brick') THEN true
            WHEN lower(btrim(s.surface_type)) IN ('gravel', 'earth', 'dirt', 'granular') THEN false END AS paved,
        (s.updated_at AT TIME ZONE 'America/Toronto')::date AS changed_on
    FROM segment s LEFT JOIN LATERAL (
        SELECT i.id, i.method, i.inspected_on, i.condition_rating, i.created_at FROM inspection i
        WHERE i.organization_id = s.organization_id AND i.segment_id = s.id AND i.condition_rating IS NOT NULL
        ORDER BY i.inspected_on DESC, i.position DESC LIMIT 1
    ) i ON i.inspected_on = s.condition_assessed_on AND i.condition_rating = s.condition_rating
        AND (s.reported_condition_rating IS NULL OR s.condition_reported_at::date < i.inspected_on
            OR s.condition_reported_at::date = i.inspected_on AND s.condition_reported_at < i.created_at)
)
UPDATE segment s SET condition_source_id = f.source, condition_method = f.method, paved = f.paved, paved_computed = f.paved IS NOT NULL,
    replacement_cost_as_of = CASE WHEN s.replacement_cost IS NOT NULL OR s.replacement_unit_cost_per_m IS NOT NULL THEN f.changed_on END,
    deferred_maintenance_as_of = CASE WHEN s.deferred_maintenance_cost IS NOT NULL THEN f.changed_on END
FROM fact f
WHERE f.organization_id = s.organization_id AND f.id = s.id AND (f.method IS NOT NULL OR f.source IS NOT NULL OR f.paved IS NOT NULL
    OR s.replacement_cost IS NOT NULL OR s.replacement_unit_cost_per_m IS NOT NULL OR s.deferred_maintenance_cost IS NOT NULL);

-- What is shown otherwise from now on has a new version and an entry in the history.

-- A BCI in [55, 60) is poor (Ministry of Transportation of Ontario: below 60).
WITH rated AS (
    UPDATE inspection SET condition_rating = 4, version = version + 1, updated_at = clock_timestamp(),
        updated_by = '{"type": "service", "id": "infrastructure", "name": "infrastructure"}'
    WHERE index_type = 'bci' AND index_value >= 55 AND index_value < 60 AND condition_rating = 3
    RETURNING organization_id, id, version, updated_at, updated_by
)
INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, request_id, at, id)
SELECT organization_id, 'inspections', id, version, 'updated', '{"condition_rating": {"old": 3, "new": 4}}',
    updated_by, 'infrastructure', '', '', updated_at, gen_random_uuid() FROM rated;

WITH rated AS (
    UPDATE segment s SET condition_rating = 4, version = s.version + 1, updated_at = clock_timestamp(),
        updated_by = '{"type": "service", "id": "infrastructure", "name": "infrastructure"}'
    FROM inspection i
    WHERE i.organization_id = s.organization_id AND i.id = s.condition_source_id AND i.condition_rating = 4 AND s.condition_rating = 3
    RETURNING s.organization_id, s.id, s.version, s.updated_at, s.updated_by
)
INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, request_id, at, id)
SELECT organization_id, 'segments', id, version, 'updated', '{"condition_rating": {"old": 3, "new": 4}}',
    updated_by, 'infrastructure', '', '', updated_at, gen_random_uuid() FROM rated;

-- Costs of lengths that were given; those of computed lengths follow when they are measured anew. The text of a length is its shortest
-- decimal.
WITH exact AS (
    SELECT s.organization_id, s.id, s.replacement_cost AS old, round(s.length_m::text::numeric * s.replacement_unit_cost_per_m, 2) AS cost
    FROM segment s WHERE s.replacement_cost_computed AND NOT s.length_computed
), costed AS (
    UPDATE segment s SET replacement_cost = e.cost, version = s.version + 1, updated_at = clock_timestamp(),
        updated_by = '{"type": "service", "id": "infrastructure", "name": "infrastructure"}'
    FROM exact e
    WHERE e.organization_id = s.organization_id AND e.id = s.id AND e.cost <> s.replacement_cost
        AND e.cost <= 9999999999999.99
    RETURNING s.organization_id, s.id, s.version, s.updated_at, s.updated_by, e.old, e.cost
)
INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, request_id, at, id)
SELECT organization_id, 'segments', id, version, 'updated', json_build_object('replacement_cost', json_build_object('old', old, 'new', cost)),
    updated_by, 'infrastructure', '', '', updated_at, gen_random_uuid() FROM costed;
