-- Indexes that are made beside the work of others, after the numbered migrations (libs/postgres/indexes.go): one statement a line.

-- Names in the order in which people read them. The indexes without the collation are for the release before; the release after drops them.
CREATE INDEX work_order_by_natural_title ON work_order (organization_id, title COLLATE "natural", id);
CREATE INDEX vendor_by_natural_name ON vendor (organization_id, name COLLATE "natural", id);
CREATE INDEX calendar_by_natural_name ON calendar (organization_id, name COLLATE "natural", id);
CREATE INDEX job_plan_by_natural_name ON job_plan (organization_id, name COLLATE "natural", id);
CREATE INDEX pm_plan_by_natural_name ON pm_plan (organization_id, name COLLATE "natural", id);
