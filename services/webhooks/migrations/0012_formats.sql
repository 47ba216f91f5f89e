-- Endpoints may receive CloudEvents. A program of a former release sends what it always did.

-- +goose Up
ALTER TABLE webhook_endpoint ADD COLUMN format text COLLATE "C" NOT NULL DEFAULT 'ams';
