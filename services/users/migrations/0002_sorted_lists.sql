-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX user_account_updated_at;
CREATE INDEX user_account_by_name ON user_account (organization_id, name, id);
CREATE INDEX user_account_by_updated_at ON user_account (organization_id, updated_at, id);
