-- Endpoints may receive the events of some records only.

-- +goose Up

-- Fields, each with the values of which a record must have one. A program of a former release sends what it always did.
ALTER TABLE webhook_endpoint ADD COLUMN filters jsonb NOT NULL DEFAULT '{}';
