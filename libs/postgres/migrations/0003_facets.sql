-- What filters of few values count by: for each value of a status, a category, a rating, which records have it.

-- +goose Up

-- One row for each value and 65,536 positions: bits is a 64-bit Roaring bitmap (https://github.com/RoaringBitmap/RoaringFormatSpec) of
-- the positions of the records that have the value. The value is "=" and the column's text, or nothing for NULL.
CREATE TABLE facet (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    field           text   COLLATE "C" NOT NULL,
    value           text   COLLATE "C" NOT NULL,
    part            bigint NOT NULL, -- position / 65536
    bits            bytea  NOT NULL,
    PRIMARY KEY (organization_id, collection, field, value, part)
);
ALTER TABLE facet ALTER bits SET STORAGE EXTERNAL; -- it is compressed as far as it can be
SELECT isolate('facet');

-- The positions of records that were written since their facets were: what facet says of them may be old. Each statement that writes
-- records adds a row, which nobody queues on; a fold of package facet takes rows away.
CREATE TABLE facet_pending (
    organization_id uuid     NOT NULL,
    collection      text     COLLATE "C" NOT NULL,
    positions       bigint[] NOT NULL
);
CREATE INDEX facet_pending_collection ON facet_pending (organization_id, collection);
SELECT isolate('facet_pending');

-- A trigger, not a part of the statements that write: nothing that writes to a table can forget it, such as a program of the last
-- release beside this one.
-- +goose StatementBegin
CREATE FUNCTION note_facets() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO facet_pending (organization_id, collection, positions)
    SELECT organization_id, TG_ARGV[0], array_agg(position) FROM changed GROUP BY organization_id, position / 65536;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- keep_facets(table, collection) keeps facets of a table from now on. Those of the records that it has are pending.
-- +goose StatementBegin
CREATE FUNCTION keep_facets(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER facets_of_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER facets_of_updated AFTER UPDATE ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER facets_of_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('INSERT INTO facet_pending SELECT organization_id, %L, array_agg(position) FROM %s GROUP BY organization_id, position / 65536', collection, tbl);
END $$;
-- +goose StatementEnd
