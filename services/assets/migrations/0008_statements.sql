-- What drives the condition and the costs of an asset, since when things no longer stand, and which service they help to provide.

-- +goose Up

ALTER TABLE site
    ADD COLUMN out_of_use_on    date,
    ADD COLUMN service_category text COLLATE "C";
ALTER TABLE building
    ADD COLUMN out_of_use_on    date,
    ADD COLUMN service_category text COLLATE "C";
ALTER TABLE system
    ADD COLUMN out_of_use_on    date;
ALTER TABLE asset
    ADD COLUMN out_of_use_on              date,
    ADD COLUMN service_category           text COLLATE "C",
    ADD COLUMN condition_method           text COLLATE "C",
    ADD COLUMN condition_source_id        uuid,    -- the assessment that drives condition_rating; what is reported on the asset is one as well
    ADD COLUMN reported_condition_rating  integer,
    ADD COLUMN replacement_cost_as_of     date,    -- of the statement that drives replacement_cost
    ADD COLUMN deferred_maintenance_as_of date,    -- of the statement that drives deferred_maintenance_cost
    -- What was last said of costs on the asset itself, which assessments may outweigh. Null with a day: not known since.
    ADD COLUMN own_replacement_cost           numeric(15,2),
    ADD COLUMN own_replacement_cost_year      integer,
    ADD COLUMN own_replacement_cost_as_of     date,
    ADD COLUMN own_deferred_maintenance_cost  numeric(15,2),
    ADD COLUMN own_deferred_maintenance_as_of date;

-- Null: what was reported on the asset was taken back.
ALTER TABLE condition_assessment ALTER COLUMN condition_rating DROP NOT NULL;

-- What is there: a cost that the last assessment with one says is the assessment's, any other was said on the asset itself when it was
-- last changed. On one day the asset itself goes first, so nothing that is shown changes. No trigger looks at these columns.
ALTER TABLE asset DISABLE TRIGGER USER;
UPDATE asset t SET
    condition_source_id = l.id, condition_method = l.method, reported_condition_rating = w.condition_rating,
    replacement_cost_as_of = CASE WHEN m.of_assessment THEN c.assessed_on
        WHEN a.replacement_cost IS NOT NULL OR c.assessed_on IS NOT NULL THEN greatest(m.changed_on, c.assessed_on) END,
    own_replacement_cost = CASE WHEN NOT m.of_assessment THEN a.replacement_cost END,
    own_replacement_cost_year = CASE WHEN NOT m.of_assessment THEN a.replacement_cost_year END,
    own_replacement_cost_as_of = CASE WHEN NOT m.of_assessment AND (a.replacement_cost IS NOT NULL OR c.assessed_on IS NOT NULL)
        THEN greatest(m.changed_on, c.assessed_on) END,
    deferred_maintenance_as_of = CASE WHEN m.deferred_of_assessment THEN d.assessed_on
        WHEN a.deferred_maintenance_cost IS NOT NULL OR d.assessed_on IS NOT NULL THEN greatest(m.changed_on, d.assessed_on) END,
    own_deferred_maintenance_cost = CASE WHEN NOT m.deferred_of_assessment THEN a.deferred_maintenance_cost END,
    own_deferred_maintenance_as_of = CASE WHEN NOT m.deferred_of_assessment
        AND (a.deferred_maintenance_cost IS NOT NULL OR d.assessed_on IS NOT NULL) THEN greatest(m.changed_on, d.assessed_on) END
FROM asset a
LEFT JOIN LATERAL (SELECT x.* FROM (SELECT * FROM condition_assessment e WHERE e.organization_id = a.organization_id AND e.asset_id = a.id
    ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) x WHERE x.condition_rating = a.condition_rating AND x.assessed_on = a.condition_assessed_on) l ON true
LEFT JOIN LATERAL (SELECT * FROM condition_assessment e WHERE e.organization_id = a.organization_id AND e.asset_id = a.id
    AND e.method IN ('age_based', 'reported') ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) w ON true
LEFT JOIN LATERAL (SELECT * FROM condition_assessment e WHERE e.organization_id = a.organization_id AND e.asset_id = a.id
    AND e.replacement_cost IS NOT NULL ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) c ON true
LEFT JOIN LATERAL (SELECT * FROM condition_assessment e WHERE e.organization_id = a.organization_id AND e.asset_id = a.id
    AND e.deferred_maintenance_cost IS NOT NULL ORDER BY e.assessed_on DESC, e.position DESC LIMIT 1) d ON true
CROSS JOIN LATERAL (SELECT (a.updated_at AT TIME ZONE 'America/Toronto')::date AS changed_on,
    coalesce(a.replacement_cost = c.replacement_cost AND a.replacement_cost_year = extract(year FROM c.assessed_on), false) AS of_assessment,
    coalesce(a.deferred_maintenance_cost = d.deferred_maintenance_cost, false) AS deferred_of_assessment) m
WHERE t.organization_id = a.organization_id AND t.id = a.id AND (a.replacement_cost IS NOT NULL OR a.replacement_cost_year IS NOT NULL
    OR a.deferred_maintenance_cost IS NOT NULL
    OR EXISTS (SELECT FROM condition_assessment e WHERE e.organization_id = a.organization_id AND e.asset_id = a.id));
ALTER TABLE asset ENABLE TRIGGER USER;

-- The costs of a new asset were said on the asset itself.
-- +goose StatementBegin
CREATE FUNCTION keep_own_costs() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    NEW.own_replacement_cost := NEW.replacement_cost;
    NEW.own_replacement_cost_year := NEW.replacement_cost_year;
    NEW.own_replacement_cost_as_of := NEW.replacement_cost_as_of;
    NEW.own_deferred_maintenance_cost := NEW.deferred_maintenance_cost;
    NEW.own_deferred_maintenance_as_of := NEW.deferred_maintenance_as_of;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER own_costs_of_inserted BEFORE INSERT ON asset FOR EACH ROW EXECUTE FUNCTION keep_own_costs();

-- Programs of the last release know nothing of this: it is noted for them. They do not set the organization's day. What an assessment says
-- is the assessment's.
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format($function$
CREATE FUNCTION note_own_costs() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF (OLD.replacement_cost, OLD.replacement_cost_year) IS DISTINCT FROM (NEW.replacement_cost, NEW.replacement_cost_year)
            AND NOT EXISTS (SELECT FROM %1$I.condition_assessment e WHERE e.organization_id = NEW.organization_id AND e.asset_id = NEW.id
                AND e.replacement_cost = NEW.replacement_cost) THEN
        NEW.replacement_cost_as_of := CURRENT_DATE;
        NEW.own_replacement_cost := NEW.replacement_cost;
        NEW.own_replacement_cost_year := NEW.replacement_cost_year;
        NEW.own_replacement_cost_as_of := CURRENT_DATE;
    END IF;
    IF OLD.deferred_maintenance_cost IS DISTINCT FROM NEW.deferred_maintenance_cost
            AND NOT EXISTS (SELECT FROM %1$I.condition_assessment e WHERE e.organization_id = NEW.organization_id AND e.asset_id = NEW.id
                AND e.deferred_maintenance_cost = NEW.deferred_maintenance_cost) THEN
        NEW.deferred_maintenance_as_of := CURRENT_DATE;
        NEW.own_deferred_maintenance_cost := NEW.deferred_maintenance_cost;
        NEW.own_deferred_maintenance_as_of := CURRENT_DATE;
    END IF;
    RETURN NEW;
END $body$
$function$, current_schema());
END $$;
-- +goose StatementEnd
CREATE TRIGGER own_costs_of_updated BEFORE UPDATE ON asset FOR EACH ROW
    WHEN (coalesce(current_setting('ams.today', true), '') = '')
    EXECUTE FUNCTION note_own_costs();
