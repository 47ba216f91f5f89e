-- What records are found by: for each word and each code, which records have it.

-- +goose Up

-- A run has all terms of some records, sorted; positions are a 64-bit Roaring bitmap of those for which it is the latest. Runs are
-- written once, and taken together with later ones by the fold (package index).
CREATE TABLE term_run (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    run             bigint NOT NULL, -- a later one has a higher number
    positions       bytea  NOT NULL,
    PRIMARY KEY (organization_id, collection, run)
);
ALTER TABLE term_run ALTER positions SET STORAGE EXTERNAL; -- it is compressed as far as it can be
SELECT isolate('term_run');

-- Some terms of a run that follow each other, from first to last. positions is the bitmap of the records that have any of them; contents
-- says which has which, and is NULL where there is but one term.
CREATE TABLE term_block (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    run             bigint NOT NULL,
    last            text   COLLATE "C" NOT NULL,
    first           text   COLLATE "C" NOT NULL,
    positions       bytea  NOT NULL,
    contents        bytea,
    PRIMARY KEY (organization_id, collection, run, last)
);
ALTER TABLE term_block ALTER positions SET STORAGE EXTERNAL;
ALTER TABLE term_block ALTER contents SET STORAGE EXTERNAL;
SELECT isolate('term_block');

-- keep_terms(table, collection) keeps terms, and facets, of a table from now on. Those of the records that it has are pending.
-- +goose StatementBegin
CREATE FUNCTION keep_terms(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = tbl AND tgname = 'facets_of_inserted') THEN
        EXECUTE format('INSERT INTO facet_pending SELECT organization_id, %L, array_agg(position) FROM %s GROUP BY organization_id, position / 65536', collection, tbl);
    ELSE
        PERFORM keep_facets(tbl, collection);
    END IF;
END $$;
-- +goose StatementEnd
