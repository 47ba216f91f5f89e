-- What measures of O. Reg. 588/17 are divided by, and how an area's condition is assessed (section 5 (2) 3 v), in English and French.

-- +goose Up
ALTER TABLE service_area
    ADD COLUMN properties_connected  integer,
    ADD COLUMN condition_approach    text,
    ADD COLUMN condition_approach_fr text;
