-- Lists of segments that are filtered by fields of few values are counted by facets.

-- +goose Up
SELECT keep_facets('segment', 'segments');

-- They were for such filters only, and every insert paid for them.
DROP INDEX segment_status;
DROP INDEX segment_condition_rating;
DROP INDEX segment_planned_renewal_year;
