-- Indexes that are made beside the work of others, after the numbered migrations (libs/postgres/indexes.go): one statement a line.

-- Texts of custom fields in the order of lists. Values of other types are left out, but for those that are 0.
CREATE INDEX custom_value_natural ON custom_value (organization_id, field, text COLLATE "natural", id) WHERE missing = 0 AND number = 0;
