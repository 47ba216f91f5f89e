-- A capital asset all of whose entries are reversed is a draft again: it can be deleted, and go to another class. Its entries stay, and the journal names
-- them by what it was when they were posted. The service holds a capital asset that it posts to; foreign keys are not needed for that.

-- +goose Up

CREATE TABLE former_draft (
    organization_id  uuid    NOT NULL,
    capital_asset_id uuid    NOT NULL,
    sequence         bigint  NOT NULL, -- of the last entry that this counts for
    class_id         uuid    NOT NULL,
    number           text    COLLATE "C",
    name             text    COLLATE "und-x-icu" NOT NULL,
    deleted          boolean NOT NULL,
    PRIMARY KEY (organization_id, capital_asset_id, sequence),
    CONSTRAINT former_draft_class_id_fkey FOREIGN KEY (organization_id, class_id) REFERENCES class (organization_id, id)
);
SELECT isolate('former_draft');
CREATE INDEX former_draft_class ON former_draft (organization_id, class_id);

ALTER TABLE transaction DROP CONSTRAINT transaction_capital_asset_id_fkey, DROP CONSTRAINT transaction_to_capital_asset_id_fkey;
ALTER TABLE capital_asset_year DROP CONSTRAINT capital_asset_year_organization_id_capital_asset_id_fkey;
ALTER TABLE layer DROP CONSTRAINT layer_organization_id_capital_asset_id_fkey;
