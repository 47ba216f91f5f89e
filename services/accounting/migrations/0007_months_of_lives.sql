-- +goose Up

-- Months of a life beyond whole years. What the release before writes has none; a capital asset whose life has some is calculated by its whole
-- years there.
ALTER TABLE class ADD COLUMN useful_life_months integer NOT NULL DEFAULT 0;
ALTER TABLE capital_asset ADD COLUMN useful_life_months integer NOT NULL DEFAULT 0;
ALTER TABLE transaction ADD COLUMN useful_life_months integer, ADD COLUMN added_life_months integer;
ALTER TABLE capital_asset_year ADD COLUMN life_months integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE class DROP COLUMN useful_life_months;
ALTER TABLE capital_asset DROP COLUMN useful_life_months;
ALTER TABLE transaction DROP COLUMN useful_life_months, DROP COLUMN added_life_months;
ALTER TABLE capital_asset_year DROP COLUMN life_months;
