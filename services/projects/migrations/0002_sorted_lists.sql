-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX project_updated_at;
CREATE INDEX project_by_name ON project (organization_id, name, id);
CREATE INDEX project_by_updated_at ON project (organization_id, updated_at, id);
