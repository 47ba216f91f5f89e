-- Lists of systems and assets that are filtered by fields of few values are counted by facets.

-- +goose Up
SELECT keep_facets('system', 'systems');
SELECT keep_facets('asset', 'assets');

-- They were for such filters only, and every insert paid for them.
DROP INDEX asset_status;
DROP INDEX asset_category;
DROP INDEX asset_condition_rating;
DROP INDEX asset_risk_score;
DROP INDEX asset_planned_renewal_year;
