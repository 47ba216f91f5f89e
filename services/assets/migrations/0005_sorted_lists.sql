-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX site_updated_at;
CREATE INDEX site_by_name ON site (organization_id, name, id);
CREATE INDEX site_by_updated_at ON site (organization_id, updated_at, id);

DROP INDEX building_updated_at;
CREATE INDEX building_by_name ON building (organization_id, name, id);
CREATE INDEX building_by_updated_at ON building (organization_id, updated_at, id);

DROP INDEX system_updated_at;
CREATE INDEX system_by_name ON system (organization_id, name, id);
CREATE INDEX system_by_updated_at ON system (organization_id, updated_at, id);

DROP INDEX asset_updated_at;
CREATE INDEX asset_by_name ON asset (organization_id, name, id);
CREATE INDEX asset_by_updated_at ON asset (organization_id, updated_at, id);
