-- What an attempt sent does not become something else when its endpoint wants its events otherwise: the attempt keeps where, how, and how much of
-- them. Null where nothing was sent, and of attempts of former releases: these are shown as the endpoint has its events now.

-- +goose Up
ALTER TABLE attempt
    ADD COLUMN destination text COLLATE "C",
    ADD COLUMN format      text COLLATE "C",
    ADD COLUMN payload     text COLLATE "C";
