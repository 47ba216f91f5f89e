-- When work was asked for, of work orders that another system had before.

-- +goose Up

ALTER TABLE work_order ADD COLUMN requested_at timestamptz;
