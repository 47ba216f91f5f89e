-- When "amsctl documents verify" last compared the organization's contents with the objects of the store, whether it read their bytes, how many
-- had no object or another one, and how many objects below the organization's name no content had.

-- +goose Up

ALTER TABLE storage
    ADD COLUMN verified_at      timestamptz,
    ADD COLUMN verified_deep    boolean,
    ADD COLUMN verified_missing bigint CHECK (verified_missing >= 0),
    ADD COLUMN verified_unknown bigint CHECK (verified_unknown >= 0);
