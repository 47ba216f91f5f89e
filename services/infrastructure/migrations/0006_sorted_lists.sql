-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX network_updated_at;
CREATE INDEX network_by_updated_at ON network (organization_id, updated_at, id);

DROP INDEX segment_updated_at;
CREATE INDEX segment_by_name ON segment (organization_id, name, id);
CREATE INDEX segment_by_updated_at ON segment (organization_id, updated_at, id);

DROP INDEX inspection_inspected_on, inspection_updated_at;
CREATE INDEX inspection_by_inspected_on ON inspection (organization_id, inspected_on, id);
CREATE INDEX inspection_by_updated_at ON inspection (organization_id, updated_at, id);
