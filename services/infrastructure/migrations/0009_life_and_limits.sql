-- What segments and networks say besides: a liner's life, limits of bridges, pavement, the end of use, and since when condition and costs
-- hold. The program of the last release writes none of these columns and leaves them as they are.

-- +goose Up

ALTER TABLE network
    ADD COLUMN service_category text COLLATE "C";

ALTER TABLE segment
    ADD COLUMN measured_length_m          double precision,
    ADD COLUMN relined_useful_life_years  integer,
    ADD COLUMN paved                      boolean,
    ADD COLUMN paved_computed             boolean NOT NULL DEFAULT false,
    ADD COLUMN clearance_limit_m          double precision,
    ADD COLUMN width_limit_m              double precision,
    ADD COLUMN out_of_use_on              date,
    ADD COLUMN replacement_cost_year      integer,
    ADD COLUMN replacement_cost_as_of     date,
    ADD COLUMN deferred_maintenance_as_of date,
    ADD COLUMN condition_method           text COLLATE "C",
    ADD COLUMN condition_source_id        uuid;
