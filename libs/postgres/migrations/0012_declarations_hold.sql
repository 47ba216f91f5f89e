-- What is declared of a custom field beside its type: labels, whether it is required, choices, bounds, a pattern, a category. It is JSON as
-- the API has it, {} where the type is all. A choice has the type text here, by which it is compared; programs of the last release take it
-- for one, and hold no write against any of this.

-- +goose Up

ALTER TABLE custom_field ADD COLUMN declaration jsonb NOT NULL DEFAULT '{}';
