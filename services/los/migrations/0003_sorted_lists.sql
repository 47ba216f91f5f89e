-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX service_area_updated_at;
CREATE INDEX service_area_by_updated_at ON service_area (organization_id, updated_at, id);

DROP INDEX measure_updated_at;
CREATE INDEX measure_by_updated_at ON measure (organization_id, updated_at, id);

DROP INDEX target_updated_at;
CREATE INDEX target_by_updated_at ON target (organization_id, updated_at, id);

DROP INDEX measurement_updated_at;
CREATE INDEX measurement_by_updated_at ON measurement (organization_id, updated_at, id);
