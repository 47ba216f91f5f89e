-- Indexes that are made beside the work of others, after the numbered migrations (libs/postgres/indexes.go): one statement a line.

-- Names in the order in which people read them. The indexes without the collation are for the release before; the release after drops them.
CREATE INDEX request_by_natural_title ON request (organization_id, title COLLATE "natural", id);
