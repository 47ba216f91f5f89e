-- Indexes that are made beside the work of others, after the numbered migrations (libs/postgres/indexes.go): one statement a line.

-- Names in the order in which people read them. The indexes without the collation are for the release before; the release after drops them.
CREATE INDEX site_by_natural_name ON site (organization_id, name COLLATE "natural", id);
CREATE INDEX building_by_natural_name ON building (organization_id, name COLLATE "natural", id);
CREATE INDEX system_by_natural_name ON system (organization_id, name COLLATE "natural", id);
CREATE INDEX asset_by_natural_name ON asset (organization_id, name COLLATE "natural", id);
