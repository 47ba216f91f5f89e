-- Work in progress is written down: what was spent on something that is not built after all is an expense.

-- +goose Up

ALTER TABLE transaction ADD COLUMN of_work_in_progress boolean NOT NULL DEFAULT false;
ALTER TABLE capital_asset_year ADD COLUMN work_write_downs numeric(15,2) NOT NULL DEFAULT 0;
