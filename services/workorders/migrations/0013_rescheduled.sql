-- Why occurrences were put on other days, by their names: those that are not made yet are listed with it.

-- +goose Up

ALTER TABLE pm_plan ADD COLUMN moved_because jsonb NOT NULL DEFAULT '{}';
